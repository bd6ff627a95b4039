"""Recordings in space: the tape, what it looks like, and the files for other programs."""

import json
import re
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest

from swerve.core import attitude
from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.core.show.export import FORMS, export
from swerve.core.show.gltf import build
from swerve.core.show.looks import look_of
from swerve.core.show.polygons import triangulated
from swerve.core.show.tape import packed, tape_of

WEB = Path(__file__).resolve().parents[3] / "web"


def drive(meta=None, far=5000.0):
    """A leaning body with two parts that joins late, a light, and a person, far from the origin."""
    t = np.arange(0.0, 3.0, 0.1)
    pose = np.column_stack([far + 8 * t, far + np.sin(t), 0.2 * t])
    velocity = np.column_stack([np.full(len(t), 8.0), np.cos(t)])
    bike = Recording.planar(t, 3, "cyclist", pose, velocity, (1.8, 0.6, 1.8), 0.9, roll_angle=0.3 * np.sin(t))
    bike.columns |= attitude.columns(attitude.quaternion(pose[:, 2], 0.0, 0.3 * np.sin(t)))
    wheel = Recording.planar(t[5:], 90, "wheel", pose[5:], velocity[5:], (0.7, 0.05, 0.7), 0.35,
                             parent=3, part="front wheel")  # fmt: skip
    walker = Recording.planar(t[::2], 7, "pedestrian", pose[::2] + 5, velocity[::2], (0.5, 0.5, 1.8), 0.9)
    light = Recording.planar(t, 500, "light", 0 * pose + far, 0 * velocity, (0.3, 0.3, 1), 3.0,
                             state=np.where(t < 1, "red", "green").astype(object))  # fmt: skip
    return Recording.join([bike, wheel, walker, light], {"scene": "drive", "ego": 3, **(meta or {})})


def test_a_tape_holds_every_body_at_every_frame():
    recording = drive()
    tape = tape_of(recording)
    ids = [look.id for look in tape.looks]
    assert sorted(ids) == [3, 7, 90, 500] and tape.place.shape == (4, 30, 3)
    assert tape.present[ids.index(90)].tolist() == [False] * 5 + [True] * 25  # joined late
    assert tape.present[ids.index(7)][:29].all()  # only less dense than the others
    states = (tape.flags[ids.index(500)] >> 8).tolist()
    assert states[:10] == [1] * 10 and states[10:] == [3] * 20
    mine = recording.where(recording["id"] == 3)
    assert np.array_equal(tape.place[ids.index(3), :, 0], mine["x"])


def test_a_packed_tape_is_read_back_to_the_millimetre():
    tape = tape_of(drive())
    data = packed(tape)
    size = struct.unpack("<I", data[4:8])[0]
    head, rest = json.loads(data[8 : 8 + size]), zlib.decompress(data[8 + size :])
    rows = np.frombuffer(rest, "<i4").reshape(-1, head["frames"])
    rows = np.cumsum(np.cumsum(rows, axis=1, dtype=np.int32), axis=1, dtype=np.int32)
    place = np.moveaxis(rows[1:].reshape(len(tape.looks), 9, -1)[:, :3], 1, 2) * 1e-3 + head["origin"]
    assert data[:4] == b"SWV1" and np.abs(place - tape.place).max() < 6e-4


def test_looks_tell_wheels_limbs_people_and_cars_apart():
    size = (1.0, 1.0, 1.0)
    shapes = [look_of(1, "cyclist", size, part, 0).shape for part in ("front wheel", "head", "left thigh")]
    assert shapes == ["wheel", "head", "limb"]
    assert look_of(1, "car", (4, 2, 1.4), ego=True).colour != look_of(1, "car", (4, 2, 1.4)).colour


def test_a_polygon_with_a_dent_is_covered_once():
    ring = np.array([[0, 0], [4, 0], [4, 3], [2, 1], [0, 3]], float)
    a, b, c = (ring[triangulated(ring)[:, k]] for k in range(3))
    areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert (areas > 0).all() and areas.sum() == pytest.approx(8.0)


def positions(tree, data, name):
    """Translations (f, 3) [m] of a node in the recording's own frame, and their times."""
    node = next(k for k, one in enumerate(tree["nodes"]) if one["name"] == name)
    motion = tree["animations"][0]
    channel = next(c for c in motion["channels"] if c["target"] == {"node": node, "path": "translation"})
    sampler = motion["samplers"][channel["sampler"]]

    x, z, y = tree["nodes"][-1]["translation"]  # the root turns z up into y up
    times, places = read(tree, data, sampler["input"], 1), read(tree, data, sampler["output"], 3)
    return times[:, 0], places + np.array([x, -y, z])


def read(tree, data, number, wide):
    accessor = tree["accessors"][number]
    at = tree["bufferViews"][accessor["bufferView"]]["byteOffset"]
    return np.frombuffer(data, "<f4", accessor["count"] * wide, at).reshape(-1, wide)


def test_gltf_has_the_places_of_the_recording_at_its_times():
    recording = drive()
    tree, data = build(tape_of(recording))
    times, places = positions(tree, data, "cyclist 3")
    mine = recording.where(recording["id"] == 3)
    for k in np.linspace(0, len(times) - 1, 10).astype(int):
        wanted = [mine[name][k] for name in ("x", "y", "z")]
        assert times[k] == pytest.approx(mine["t"][k], abs=1e-5)
        assert np.abs(places[k] - wanted).max() < 1e-3
    assert {one["name"] for one in tree["nodes"]} >= {"cyclist 3", "wheel 3 front wheel", "pedestrian 7"}


@pytest.mark.parametrize("form", ["gltf", "glb"])
def test_the_khronos_validator_finds_no_error(tmp_path, form):
    if shutil.which("node") is None or not (WEB / "node_modules" / "gltf-validator").is_dir():
        pytest.skip("needs Node and the packages of web/: make page")
    road = {"points": [[4990, 4990], [5040, 4990], [5040, 5010], [5000, 4995]], "role": "road"}
    relief = {"extent": [4990, 4990, 5040, 5040], "heights": [[0, 1], [2, 3]]}
    line = {"points": [[4990, 4990], [5040, 5000]], "role": "path"}
    file = export(drive({"areas": [road], "lines": [line], "relief": relief}), tmp_path / f"a.{form}", form)
    assert validated(file)["numErrors"] == 0


def validated(file):
    script = (
        "const v=require('gltf-validator'),fs=require('fs');"
        f"v.validateBytes(new Uint8Array(fs.readFileSync({json.dumps(str(file))})))"
        ".then(r=>console.log(JSON.stringify(r.issues)))"
    )
    done = subprocess.run(["node", "-e", script], cwd=WEB, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_gltf_lights_change_their_colour_and_cars_brake():
    recording = drive()
    t = recording.times
    stands = np.full((30, 3), 5000.0), np.zeros((30, 2))
    cars = Recording.planar(t, 9, "car", *stands, (4, 2, 1.4), 0.7, brake=t > 2)
    tree, data = build(tape_of(Recording.join([recording, cars], recording.meta)))
    nodes, motion = tree["nodes"], tree["animations"][0]
    lit = {}
    for channel in motion["channels"]:
        name = nodes[channel["target"]["node"]]["name"]
        if name.endswith("lamp"):
            sampler = motion["samplers"][channel["sampler"]]
            times, sizes = (
                read(tree, data, sampler[end], wide) for end, wide in (("input", 1), ("output", 3))
            )
            lit[name] = [
                (round(float(t), 1), bool(size > 0.5))
                for t, size in zip(times[:, 0], sizes[:, 0], strict=True)
            ]
    assert lit == {
        "light 500 red lamp": [(0.0, True), (1.0, False)],
        "light 500 green lamp": [(0.0, False), (1.0, True)],
        "car 9 brake lamp": [(0.0, False), (2.1, True)],
    }
    light = next(node for node in nodes if node["name"] == "light 500")
    assert {nodes[k]["name"] for k in light["children"]} == {"light 500 red lamp", "light 500 green lamp"}
    assert not set(light["children"]) & set(nodes[-1]["children"])
    glows = [one["emissiveFactor"] for one in tree["materials"] if "emissiveFactor" in one]
    assert len(glows) == 2  # red of lights and brakes, green


def test_what_has_no_height_lies_on_the_relief():
    relief = {"extent": [4990, 4990, 5050, 5050], "heights": [[0, 60], [0, 60]]}
    line, area = (
        [[4990, 5000], [5020, 5000], [5050, 5000]],
        [[5000, 5000, 7], [5010, 5000, 7], [5010, 5010, 7]],
    )
    shapes = {"lines": [{"points": line, "role": "path"}], "areas": [{"points": area, "role": "road"}]}
    scene = tape_of(drive({**shapes, "relief": relief})).scene
    assert scene["lines"][0][2][2::3] == [0, 30, 60] and scene["areas"][0][2][2::3] == [7, 7, 7]
    for bad in (
        {"heights": [[0, 1], [1, 0]]},
        {**relief, "heights": [[0, "x"]]},
        {**relief, "extent": [0, 0, 0, 0]},
        3,
    ):
        with pytest.raises(BadInput, match="relief"):
            tape_of(drive({"relief": bad}))


def test_csv_and_fcd_have_every_row(tmp_path):
    recording = drive()
    lines = export(recording, tmp_path / "a.csv", "csv").read_text().splitlines()
    assert len(lines) == len(recording) + 1 and "yaw" in lines[0]
    few = export(recording, tmp_path / "b.csv", "csv", fps=2).read_text().splitlines()
    assert len(few) < len(lines) / 3
    text = export(recording, tmp_path / "a.xml", "fcd").read_text()
    assert text.count("<timestep") == 30 and text.count("<vehicle") == 30 and text.count("<person") == 15
    assert ' z="' not in text
    whole = recording.whole()
    raised = Recording({**whole.columns, "z": whole["z"] + 3.0}, whole.meta)
    text = export(raised, tmp_path / "b.xml", "fcd").read_text()
    told = [float(z) for z in re.findall(r' z="([^"]+)"', text)]
    assert told == pytest.approx((whole["z"] + 3.0 - whole["height"] / 2).tolist(), abs=1e-3)


def test_usd_where_it_is_installed_or_a_line_that_says_what_is_missing(tmp_path):
    try:
        import pxr  # noqa: F401
    except ImportError:
        with pytest.raises(BadInput, match="usd-core"):
            export(drive(), tmp_path / "a.usda", "usd")
    else:
        from pxr import Usd, UsdGeom

        stage = Usd.Stage.Open(str(export(drive(), tmp_path / "a.usda", "usd")))
        mine = drive().where(drive()["id"] == 3)
        body = UsdGeom.Xformable(stage.GetPrimAtPath("/World/body_3"))
        for k in np.linspace(0, len(mine) - 1, 10).astype(int):
            place = body.ComputeLocalToWorldTransform(float(mine["t"][k])).ExtractTranslation()
            assert np.abs(np.array(place) - [mine[name][k] for name in "xyz"]).max() < 1e-3


def test_what_cannot_be_written_is_said(tmp_path):
    with pytest.raises(BadInput, match="must end in"):
        export(drive(), tmp_path / "a.txt", "glb")
    with pytest.raises(BadInput, match="must be one of"):
        export(drive(), tmp_path / "a.obj", "obj")
    with pytest.raises(BadInput, match="fps"):
        export(drive(), tmp_path / "a.csv", "csv", fps=-1)
    with pytest.raises(BadInput, match="--fps: is for what moves, not for png, got 5"):
        export(drive(), tmp_path / "a.png", "png", fps=5)
    assert set(FORMS) >= {"gltf", "csv", "fcd", "html", "webm", "png", "svg"} and not list(tmp_path.iterdir())


def test_a_recording_that_reaches_too_far_for_its_bytes_is_refused():
    t = np.array([0.0, 1.0])
    pose = np.array([[0.0, 0.0, 0.0], [1e9, 0.0, 0.0]])
    ride = Recording.planar(t, 1, "car", pose, 0 * pose[:, :2], (4.2, 1.8, 1.4), 0.7)
    with pytest.raises(BadInput, match="2000 km"):
        packed(tape_of(ride))
