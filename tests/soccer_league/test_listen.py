"""Another team's program plays in our match, over UDP."""

import json
import math
import os
import signal
import socket
from types import SimpleNamespace

import numpy as np
import plain_wire as wire
import pytest

pytest.importorskip("google.protobuf")

from swerve.cli.main import run
from swerve.core.recording import Recording
from swerve.soccer import Match, MatchOptions, Sight, load_field
from swerve.soccer.eyes.camera import Camera
from swerve.soccer.eyes.pitch import pitch_named
from swerve.soccer.league import Order, Ports, read_geometry
from swerve.soccer.league.packets import read_cameras
from swerve.soccer.league.server import Server
from swerve.soccer.listen import OnTheNet, Remote, Whistle, listen, pitch_of
from swerve.soccer.match.model import FRAME
from swerve.soccer.match.referee import State
from swerve.soccer.watch import Watching


class Guest:
    """Plays yellow: sends robot 2 round and round and notes what it sees and hears."""

    def __init__(self):
        self.made = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3)]
        self.vision, self.referee, self.out = self.made
        for port in self.made[:2]:
            port.bind(("127.0.0.1", 0))
            port.setblocking(False)
        self.seen, self.heard = [], []

    def ports(self):
        return Ports(0, 0, 0, self.vision.getsockname()[1], self.referee.getsockname()[1])

    def join(self, server):
        self.server = server
        who = wire.inside(1, wire.number(1, 2) + wire.number(2, 1))
        put = wire.inside(
            2, who + wire.real(2, 1.5) + wire.real(3, -1.0) + wire.real(4, 0.0) + wire.number(8, 1)
        )
        gone = wire.inside(2, who + wire.number(8, 0))
        self.out.sendto(wire.inside(1, put), ("127.0.0.1", server.bound[0]))
        self.out.sendto(wire.inside(1, gone), ("127.0.0.1", server.bound[0]))
        step = server.desk.step

        def play(dt):
            drive = wire.real(1, 1.0) + wire.real(2, 0.0) + wire.real(3, 2.0)
            command = wire.inside(1, wire.number(1, 2) + wire.inside(2, wire.inside(2, drive)))
            self.out.sendto(command, ("127.0.0.1", server.bound[2]))
            step(dt)
            self.read()

        server.desk.step = play

    def read(self):
        for port, notes in ((self.vision, self.seen), (self.referee, self.heard)):
            while True:
                try:
                    notes.append(port.recv(65536))
                except BlockingIOError:
                    break

    def close(self):
        for port in self.made:
            port.close()


def test_a_guest_plays_yellow_sees_and_hears():
    guest = Guest()
    options = MatchOptions(place="seed", minutes=0.05)
    match = listen("reactive", "reactive", {1}, options, 3, guest.ports(), started=guest.join, clocked=False)
    guest.read()
    guest.close()
    assert match.log.frames == 180
    frames = [wire.one(packet, 1) for packet in guest.seen if wire.all_of(packet, 1)]
    ours = [data for data in wire.all_of(frames[-1], 6) if wire.one(data, 2) == 2]
    x, y = (wire.as_real(ours[0], k) for k in (3, 4))
    truth = match.world.robots[0, 5 + 2]
    assert (x / 1000, y / 1000) == pytest.approx(tuple(-truth[:2]), abs=0.2)  # ends were changed
    assert abs(truth[5] - 2.0) < 0.1 and math.hypot(*truth[3:5]) == pytest.approx(1.0, abs=0.3)
    assert len(wire.all_of(frames[-1], 6)) == len(wire.all_of(frames[-1], 7)) == 5
    commands = [wire.one(packet, 4) for packet in guest.heard]
    assert commands[0] == 1 and wire.one(guest.heard[0], 12) in (4, 5)  # stop, and a kick-off will follow
    assert wire.one(guest.heard[0], 12) in commands  # which is then prepared
    assert wire.one(guest.heard[0], 1) > 1.6e15  # by UNIX time
    assert wire.one(guest.heard[-1], 2) in (1, 4, 13) and len(guest.heard) > 20
    moved = [wire.as_real(next(d for d in wire.all_of(f, 6) if wire.one(d, 2) == 3), 3) for f in frames]
    assert np.ptp(np.abs(moved)) < 15.0  # [mm] nobody spoke to robot 3, who was carried to the other end


def test_guests_see_as_late_and_as_badly_as_the_sides_that_are_played_here():
    guest, truth = Guest(), {}

    def join(server):
        guest.join(server)
        play, there = server.desk.step, server.desk.simulator

        def noted(dt):
            play(dt)
            truth[round(60 * there.time)] = there.robots()[5:, 2:4]

        server.desk.step = noted

    sight = Sight(place=0.0, ball=0.05, heading=0.1, latency=4)
    options = MatchOptions(place="seed", minutes=1 / 60, sight=sight)
    listen("reactive", "reactive", {1}, options, 3, guest.ports(), started=join, clocked=False)
    guest.read()
    guest.close()
    frames = [wire.one(packet, 1) for packet in guest.seen if wire.all_of(packet, 1)][:28]
    balls = []
    for k, frame in enumerate(frames[3:], 4):
        captured, sent = (wire.as_real(frame, field) for field in (2, 3))
        assert sent - captured == pytest.approx(4 / 60, abs=1e-5)
        seen = [[wire.as_real(one, 3), wire.as_real(one, 4)] for one in wire.all_of(frame, 6)]
        assert k == 4 or np.array(seen) / 1000 == pytest.approx(truth[k - 4], abs=2e-4)
        balls.append([wire.as_real(wire.one(frame, 5), field) / 1000 for field in (3, 4, 5)])
    assert 0.03 < np.std(np.array(balls)[:, :2]) < 0.08  # it lies at the middle until the kick-off
    assert min(ball[2] for ball in balls) == 0.0


def test_guests_are_not_told_of_what_no_camera_saw():
    match = Match(load_field("seed"), (Remote(0, 5), Remote(1, 5)), 60.0, Sight(), 1)
    there = OnTheNet(match, {})
    match.tracker.hidden[[3, -1]] = True
    there.step(FRAME)
    _, robots, ball = there.seen()
    assert ball is None and robots[:, 1].tolist() == [0, 1, 2, 4, 0, 1, 2, 3, 4]


def test_fields_of_match_and_eyes_are_the_same():
    for name in ("division-b", "seed"):
        ours, theirs = pitch_of(load_field(name)), pitch_named(name)
        for what in ("length", "width", "circle", "area_depth", "area_width", "goal_width", "goal_depth"):
            assert getattr(ours, what) == getattr(theirs, what)


def test_what_a_listening_match_does_not_do_is_said():
    match = Match(load_field("seed"), (Remote(0, 5), Remote(1, 5)), 60.0, Sight(), 1)
    there = OnTheNet(match, {1: match.sides[1]})
    assert "played here" in there.order(0, 2, Order(vx=1.0)) and there.order(1, 2, Order(vx=1.0)) is None
    assert "6.5" in there.order(1, 2, Order(kick=15.0))
    assert "45" in there.order(1, 2, Order(kick=3.0, angle=0.35))
    assert "stopped" in there.place_ball(np.zeros(6))
    match.referee.state = State.RUNNING
    assert "walls" in there.place_ball(np.array([4.9, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert there.place_ball(np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.0])) is None
    assert match.world.ball[0, :2] == pytest.approx([1.0, 0.5])


def test_guests_see_and_move_on_the_field_itself_after_the_ends_were_changed():
    match = Match(load_field("seed"), (Remote(0, 5), Remote(1, 5)), 0.8, Sight(), 1)
    there = OnTheNet(match, dict(enumerate(match.sides)))
    whistle = Whistle(match, ("blue", "yellow"))
    first = there.robots()
    assert not whistle.ruling().blue_on_positive_half and first[0, 2] < 0
    while not match.referee.turned:
        there.step(FRAME)
    assert whistle.ruling().blue_on_positive_half
    turned = there.robots()
    assert np.allclose(turned[:, 2:4], -first[:, 2:4], atol=0.02)
    assert np.allclose(np.cos(turned[:, 4] - first[:, 4]), -1.0, atol=0.01)
    assert there.place_robot(0, 2, np.array([1.0, 0.5, 0.3]), np.zeros(3))
    assert there.robots()[2, 2:5] % (2 * np.pi) == pytest.approx([1.0, 0.5, 0.3])
    assert there.order(0, 2, Order(vx=1.0, in_field=True)) is None
    assert there.order(0, 3, Order(vx=1.0)) is None
    there.place_robot(0, 3, np.array([1.0, -0.5, np.pi / 2]), np.zeros(3))
    for _ in range(12):
        there.step(FRAME)
    moved = there.robots()
    assert moved[2, 2] > 1.01 and abs(moved[2, 3] - 0.5) < 0.01 and moved[2, 5] > 0.1  # along +x
    assert moved[3, 3] > -0.49 and abs(moved[3, 2] - 1.0) < 0.01  # ahead, towards +y
    match.referee.state = State.RUNNING
    assert there.place_ball(np.array([1.5, 0.2, 0.5, 1.0, 0.0, 0.0])) is None
    assert there.ball()[[0, 1, 3]] == pytest.approx([1.5, 0.2, 1.0])
    assert match.world.ball[0, :2] == pytest.approx([-1.5, -0.2])
    match.referee.state = State.STOP
    match.referee.restart.spot = np.array([1.0, 0.4])
    assert whistle.ruling().placement == pytest.approx([-1.0, -0.4])


def test_cameras_are_told_as_they_hang_above_the_field_itself():
    match = Match(load_field("seed"), (Remote(0, 5), Remote(1, 5)), 0.8, Sight(), 1, tracker=Watching)
    camera = Camera(
        np.array([600.0, 300, 220, 0, 0]), np.array([0.02, 0, 0]), np.array([1.5, 0.1, 2.6]), 600, 450
    )
    match.tracker._stand = SimpleNamespace(eyes=SimpleNamespace(cameras=[camera]))
    there, spot = OnTheNet(match, {}), np.array([[1.6, 0.3, 0.1]])
    before = there.cameras()[0].project(spot)
    match.referee.half = 2
    assert np.allclose(there.cameras()[0].project(spot * [-1, -1, 1]), before)
    with Server(there, Ports(0, 0, 0, 1, 1), cameras=there.cameras) as server:
        sent, server.desk.speed = [], 0.0
        server._send = lambda packet, port: sent.append(packet)
        server.once()
    told = next(packet for packet in sent if read_geometry(packet) is not None)
    assert read_cameras(told)[0].place == pytest.approx([-1.5, -0.1, 2.6], abs=1e-3)


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return str(min(one.getsockname()[1], 65000))


def test_the_command_listens_and_names_whoever_plays(tmp_path, capsys):
    words = ["--minutes", "0.017", "--field", "seed", "--port", free_port(), "--out", str(tmp_path), "--json"]
    assert run(["match", "--listen", "yellow", "--blue", "reactive", *words]) == 0
    said = json.loads(capsys.readouterr().out)
    assert Recording.read(said["recording"]).meta["teams"] == ["reactive", "guest"]


@pytest.mark.parametrize("frames", [0, 20])
def test_who_ends_a_listening_match_by_a_key_keeps_what_was_played(frames, tmp_path, capsys, monkeypatch):
    once, played = Server.once, []

    def pressed_then(self):
        if len(played) == frames:
            os.kill(os.getpid(), signal.SIGINT)
        played.append(once(self) if len(played) < frames else None)

    monkeypatch.setattr(Server, "once", pressed_then)
    words = ["--port", free_port(), "--vision-port", free_port(), "--out", str(tmp_path), "--json"]
    assert run(["match", "--listen", "yellow", "--blue", "reactive", "--minutes", "1", *words]) == 130
    out, err = capsys.readouterr()
    assert err == "swerve: interrupted\n" and (tmp_path / "recording.parquet").exists() == (frames > 0)
    if frames:
        assert json.loads(out)["frames"] == frames
