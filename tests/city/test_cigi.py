"""The link to an image generator: sizes and bytes, places, datagrams, the frame handshake, and an outside
referee."""

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

import numpy as np
import pytest
from test_open_roads import lane, load, road  # noqa: F401

from swerve.city import Scenario, ScenarioManager, Simulation, SimulationOptions, grid, load_town
from swerve.city.cigi import Capture, CigiLink, ImageGenerator, LinkOptions, Origin
from swerve.city.cigi import packets as cigi
from swerve.city.cigi.geodesy import Projected, compass, heading_of
from swerve.city.cigi.link import entity_blocks, lamp_bits
from swerve.city.record import frame_of
from swerve.core.errors import BadInput


@pytest.fixture(scope="module")
def simulation():
    return Simulation(grid(3, 3), vehicles=60, seed=5, options=SimulationOptions(dt=1 / 60, record=True))


def test_sizes_are_those_of_the_control_document():
    sizes = {1: 24, 2: 48, 5: 16, 16: 32, 101: 24}
    assert {number: layout.itemsize for number, layout in cigi.IDS.items()} == sizes
    for number, layout in cigi.IDS.items():
        assert cigi.packets(layout).tobytes()[:2] == bytes([number, sizes[number]])


def test_bytes_are_big_endian_and_where_they_belong():
    opening = cigi.ig_control(0x01020304, 0x0A0B0C0D, 1.5).tobytes()
    assert opening[6:8] == b"\x80\x00" and opening[2] == 3 and opening[4] >> 4 == 3 and opening[4] & 7 == 5
    assert struct.unpack(">III", opening[8:20]) == (0x01020304, 150_000, 0x0A0B0C0D)
    answer = cigi.start_of_frame(9, 8, 0.0).tobytes()
    assert answer[6:8] == b"\x80\x00" and answer[5] >> 4 == 3
    assert struct.unpack(">I", answer[8:12]) == (9,) and struct.unpack(">I", answer[16:20]) == (8,)
    entity = cigi.packets(cigi.ENTITY_CONTROL)
    entity["entity"], entity["yaw"], entity["altitude"] = 513, 90.0, 2.5
    raw = entity.tobytes()
    assert struct.unpack(">H", raw[2:4]) == (513,)
    assert struct.unpack(">f", raw[20:24]) == (90.0,) and struct.unpack(">d", raw[40:48]) == (2.5,)
    view = cigi.view_control(7, 1.0, 2.0, 3.0).tobytes()
    assert struct.unpack(">H", view[6:8]) == (7,) and struct.unpack(">fff", view[8:20]) == (1.0, 2.0, 3.0)


def test_places_come_back_within_a_centimetre():
    rng = np.random.default_rng(1)
    x, y, z = rng.uniform(-20_000, 20_000, (3, 500))
    for origin in (Origin(), Origin(-33.9, 151.2, 40.0), Origin(69.0, -179.9)):
        back = origin.to_town(*origin.to_earth(x, y, z))
        for given, got in zip((x, y, z), back, strict=True):
            assert np.abs(given - got).max() < 1e-4
    heading = rng.uniform(-3.1, 3.1, 100)
    assert np.allclose(heading_of(compass(heading)), heading)
    assert compass(np.array([0.0, np.pi / 2]))[:2].tolist() == [90.0, 0.0]


def test_a_degree_of_latitude_is_as_long_as_on_the_earth():
    """Known lengths of a degree at 48° north: 111.200 km of latitude, 74.628 km of longitude."""
    x, y, _ = Origin(48.0, 11.0).to_town(49.0, 12.0, 0.0)
    assert y == pytest.approx(111_200, rel=1e-3) and x == pytest.approx(74_628, rel=1e-3)


def test_who_is_out_of_the_town_is_in_standby():
    """Removed, or beyond an open end: not seen, and never at a place that is none on earth."""
    simulation = Simulation(grid(3, 3), vehicles=6, pedestrians=3, seed=5)
    simulation.step()
    simulation.characters.remove([2, int(simulation.people.ids[0])])
    simulation.step()
    frame = frame_of(simulation)
    cars, people = entity_blocks(frame, Origin(), None)
    placed = np.concatenate([cars["entity"], people])
    states = dict(zip(placed["entity"].tolist(), placed["flags"].tolist(), strict=True))
    gone = {3, int(simulation.people.ids[0]) + 1}
    assert all(state == (cigi.INACTIVE if one in gone else cigi.ACTIVE) for one, state in states.items())
    assert np.abs(placed["latitude"] - Origin().latitude).max() < 0.1
    assert np.abs(placed["longitude"] - Origin().longitude).max() < 0.1


def test_bodies_stand_on_roads_that_climb_and_bank(load):  # noqa: F811
    """From a packet alone, turned as CIGI says, one comes to the middle of the body again."""
    profile = '<elevationProfile><elevation s="0" b="0.2"/></elevationProfile>'
    profile += '<lateralProfile><superelevation s="0" a="0.3"/></lateralProfile>'
    town = load(road("1", 200, [(0, lane(1), lane(-1))], profile=profile))
    simulation = Simulation(town, vehicles=8, seed=1)
    for _ in range(5):
        simulation.step()
    motion, height = simulation.traffic.motion(), simulation.traffic.outline[:, 2]
    (cars, _) = entity_blocks(frame_of(simulation), Origin(), None)
    placed = cars["entity"]
    x, y, z = Origin().to_town(placed["latitude"], placed["longitude"], placed["altitude"])
    yaw = heading_of(placed["yaw"])
    pitch, roll = np.radians(placed["pitch"].astype(float)), np.radians(placed["roll"].astype(float))
    ahead = np.stack([np.cos(yaw), np.sin(yaw)], -1)
    right = np.stack([np.sin(yaw), -np.cos(yaw)], -1)
    flat = (-np.sin(pitch) * np.cos(roll))[:, None] * ahead + np.sin(roll)[:, None] * right
    up = np.column_stack([flat, np.cos(pitch) * np.cos(roll)]) * height[:, None] / 2
    middle = np.stack([x, y, z], -1) + up
    assert np.abs(middle - np.stack([motion.x, motion.y, motion.z], -1)).max() < 2e-3
    east = np.cos(motion.yaw) > 0
    assert east.any() and (~east).any()
    assert (pitch[east] > 0.15).all() and (pitch[~east] < -0.15).all()
    assert (roll[east] > 0.2).all() and (roll[~east] < -0.2).all()  # the left of the road is the higher side


def test_slow_motion_is_said():
    """A generator of 30 Hz that asks for steps of a 60th of a second shows half of real time."""
    link = CigiLink("127.0.0.1", 8004)
    for frame in range(1, 31):
        link._note(cigi.start_of_frame(frame, frame - 1, frame / 30).tobytes())
        link.frame = frame
    assert link.figures()["pace"] == pytest.approx(0.5, rel=0.01)
    assert "0.50 of real time" in link.warning and "--dt 0.0333" in link.warning
    link.frame_seconds = 1 / 30
    assert link.figures()["pace"] == pytest.approx(1.0, rel=0.01) and link.warning is None


def test_a_projected_town_lies_where_its_file_says(tmp_path):
    """The way back by a transverse Mercator about a point of our own, against the flat map there."""
    proj = "+proj=tmerc +lat_0=57.7 +lon_0=11.9 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs"
    road = (
        f"<OpenDRIVE><header><geoReference><![CDATA[{proj}]]></geoReference>"
        '<offset x="100" y="50" z="7" hdg="0"/></header><road id="1" length="200" junction="-1"><planView>'
        '<geometry s="0" x="0" y="0" hdg="0" length="200"><line/></geometry></planView><lanes>'
        '<laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">'
        '<width sOffset="0" a="3.5"/></lane></right></laneSection></lanes></road></OpenDRIVE>'
    )
    (tmp_path / "a.xodr").write_text(road)
    town = load_town(tmp_path / "a.xodr")
    places = np.array([0.0, 300.0]), np.array([0.0, -200.0]), np.array([0.0, 1.0])
    found = Projected(town.reference, town.offset).to_earth(*places)
    flat = Origin(57.7, 11.9).to_earth(places[0] + 100, places[1] + 50, places[2] + 7)
    for ours, theirs in zip(found, flat, strict=True):
        assert ours == pytest.approx(theirs, abs=5e-7)
    with pytest.raises(BadInput, match="geoReference"):
        Projected("+proj=nonsense")


def test_every_datagram_begins_with_ig_control_and_fits(simulation):
    frame = frame_of(simulation)
    opening = cigi.ig_control(3, 2, 0.0)
    messages = list(cigi.datagrams(opening, entity_blocks(frame, Origin(), None)))
    assert len(messages) == 3 and max(map(len, messages)) <= 1472
    found = []
    for message in messages:
        first, *rest = cigi.read_message(message)
        assert first["id"] == 1 and first["frame"] == 3
        found += [packet for packet in rest if packet["id"] == 2]
    assert sorted(int(packet["entity"]) for packet in found) == list(range(1, 61))


def test_a_message_that_is_cut_or_turned_round_is_refused():
    message = cigi.ig_control(1, 0, 0.0).tobytes() + cigi.view_control(0).tobytes()
    assert len(cigi.read_message(message)) == 2
    for broken in (message[:-1], message[:6] + b"\x00\x80" + message[8:], message[24:], b""):
        with pytest.raises(ValueError):
            cigi.read_message(broken)


def test_more_entities_than_cigi_can_number_is_an_error(simulation):
    frame = {**frame_of(simulation), "id": np.arange(60) + 65_500}
    with pytest.raises(BadInput, match="65535"):
        entity_blocks(frame, Origin(), None)


def drive(simulation, link, frames):
    link.open()
    try:
        for _ in range(frames):
            link.wait()
            simulation.step()
            lights = simulation.town.roads.lights.state(simulation.time)
            link.send(frame_of(simulation), simulation.time, lights)
    finally:
        link.close()


def test_the_generator_drives_the_frames_and_both_echo_counters(simulation):
    sent = []
    with ImageGenerator() as generator:
        link = CigiLink(
            "127.0.0.1",
            generator.port,
            driver=0,
            tap=lambda *said: sent.append(said[0]),
            options=LinkOptions(listen=0),
        )
        drive(simulation, link, 30)
        wait_for(lambda: generator.messages == sent.count("host"))
    assert generator.host_frame == 30
    assert generator.missing == 0 and generator.refused == []
    assert link.generator_frame >= 30
    echoes = generator.echoes[-30:]
    assert echoes == sorted(echoes) and len(set(echoes)) == 30
    frame = frame_of(simulation)
    for k, character in enumerate(frame["id"]):
        entity = 0 if character == 0 else int(character) + 1
        latitude, longitude, altitude, yaw = generator.entities[entity]
        x, y, z = Origin().to_town(latitude, longitude, altitude)
        assert np.hypot(x - frame["x"][k], y - frame["y"][k]) < 0.01
        assert abs(z) < 0.01 and abs(yaw - compass(frame["heading"][k])) < 1e-3
        assert generator.lamps[entity] == lamp_bits(frame)[k]
    states = lights_now(simulation)
    assert [generator.lights[i] for i in range(len(states))] == states.tolist()


def lights_now(simulation):
    return simulation.town.roads.lights.state(simulation.time)


def wait_for(condition, seconds=30.0):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    assert condition()


def test_frames_that_the_generator_did_not_get_are_counted(simulation):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as generator:
        generator.bind(("127.0.0.1", 0))
        link = CigiLink("127.0.0.1", generator.getsockname()[1], options=LinkOptions(listen=0))
        link.open()
        host = generator.recvfrom(2000)[1]
        for asked, got in ((1, 0), (2, 1), (3, 1)):
            generator.sendto(cigi.start_of_frame(asked, got, 0.0).tobytes(), host)
            link.wait()
            link.send(frame_of(simulation), 0.0, lights_now(simulation))
        link.close()
    assert (link.frame, link.generator_frame, link.unseen, link.skipped) == (3, 3, 1, 0)


def test_a_generator_that_is_not_there_is_named():
    link = CigiLink("127.0.0.1", 9, options=LinkOptions(listen=0, patience=0.2))
    link.open()
    with pytest.raises(BadInput, match=r"no Start of Frame came .* got '127.0.0.1:9'"):
        link.wait()
    link.close()


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_reads_the_stream_as_it_was_recorded(tmp_path):
    """Two seconds; for the ten minutes of a session: SWERVE_CIGI_FRAMES=36000 pytest ... -k tshark."""
    frames = int(os.environ.get("SWERVE_CIGI_FRAMES", "120"))
    simulation = Simulation(
        grid(3, 3), vehicles=30, emergency=2, seed=2, options=SimulationOptions(dt=1 / 60, record=True)
    )
    driver = {"at": {"strip": 0, "station": 60}, "speed": 8.0, "inputs": {"script": {"speed": 12.0}}}
    with Capture(tmp_path / "link.pcap", 8005, 8004) as capture, ImageGenerator() as generator:
        link = CigiLink("127.0.0.1", generator.port, tap=capture.add, options=LinkOptions(listen=0))
        manager = ScenarioManager(simulation, Scenario.model_validate({"driver": driver}), link=link)
        link.open()
        for _ in range(frames):
            manager.step()
        link.close()
    assert generator.missing == 0 and generator.refused == []
    check_capture(tmp_path / "link.pcap", simulation, frames, manager.driver.character)


def check_capture(path, simulation, frames, driver):
    """What tshark decodes equals the recording: frame numbers, places, headings, lamps."""
    recording = simulation.recorder.recording({}).whole()
    bodies = simulation.agents
    table = {name: recording[name].reshape(-1, bodies) for name in ("id", "x", "y", "brake", "indicator")}
    table["emergency"] = recording["emergency"].reshape(-1, bodies)
    heading = recording.heading.reshape(-1, bodies)
    seen = np.zeros((frames + 1, bodies), bool)
    numbers, asked = [], []
    column = {int(identity): k for k, identity in enumerate(table["id"][0])}
    for row in tshark(path):
        if row["cigi.sof.ig_frame_number"]:
            asked.append(int(row["cigi.sof.ig_frame_number"]))
            continue
        assert row["cigi.version"] == "3"
        frame = int(row["cigi.ig_control.host_frame_number"])
        numbers.append(frame)
        if not row["cigi.entity_control.entity_id"]:
            continue
        entity, latitude, longitude, yaw = (
            np.array([float(v) for v in row[f"cigi.entity_control.{name}"].split(",")])
            for name in ("entity_id", "lat_xoff", "lon_yoff", "yaw")
        )
        k = np.array([column[driver if e == 0 else int(e) - 1] for e in entity])
        assert not seen[frame, k].any()
        seen[frame, k] = True
        x, y, _ = Origin().to_town(latitude, longitude, 0.0)
        assert np.hypot(x - table["x"][frame, k], y - table["y"][frame, k]).max() < 0.01
        turned = (yaw - compass(heading[frame, k]) + 180.0) % 360.0 - 180.0
        assert np.abs(turned).max() < 0.01
        components = [
            np.array([int(v, 0) for v in row[f"cigi.short_component_control.{name}"].split(",")])
            for name in ("component_id", "instance_id", "component_state")
        ]
        lamps = components[0] == cigi.LAMPS
        assert (components[1][lamps] == entity).all()
        expected = lamp_bits({name: table[name][frame, k] for name in ("brake", "indicator", "emergency")})
        assert (components[2][lamps] == expected).all()
    assert sorted(set(numbers)) == list(range(frames + 1)) and numbers == sorted(numbers)
    assert asked == sorted(asked) and len(asked) >= frames
    assert seen[1:].all()


FIELDS = [
    "cigi.version",
    "cigi.ig_control.host_frame_number",
    "cigi.sof.ig_frame_number",
    "cigi.entity_control.entity_id",
    "cigi.entity_control.lat_xoff",
    "cigi.entity_control.lon_yoff",
    "cigi.entity_control.yaw",
    "cigi.short_component_control.component_id",
    "cigi.short_component_control.instance_id",
    "cigi.short_component_control.component_state",
]


def tshark(path):
    command = ["tshark", "-r", str(path), "-d", "udp.port==8004,cigi", "-T", "fields", "-E", "separator=;"]
    for field in FIELDS:
        command += ["-e", field]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield dict(zip(FIELDS, line.rstrip("\n").split(";"), strict=True))
    assert process.returncode == 0


def test_the_stand_in_can_be_started_by_hand():
    command = [sys.executable, "-m", "swerve", "city", "generator", "--port"]
    with subprocess.Popen(
        [*command, "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None and started.stderr is not None
        said = started.stdout.readline()
        port = int(said.split(":")[1].split(",")[0])
        busy = subprocess.run([*command, str(port)], capture_output=True, text=True, check=False)
        started.send_signal(signal.SIGINT)
        assert started.wait(20) in (0, 130) and "Traceback" not in started.stderr.read()
    assert "listening" in said and busy.returncode == 2 and "--port" in busy.stderr
