"""Messages against an encoder of our own, and packets that were spoilt on the way."""

import os
import random
import socket

import numpy as np
import plain_wire as wire
import pytest
from plain_league_world import PlainWorld

pytest.importorskip("google.protobuf")

from swerve.core.errors import BadInput
from swerve.soccer.eyes.camera import Camera
from swerve.soccer.eyes.detect import Detection
from swerve.soccer.eyes.merge import Sighting
from swerve.soccer.eyes.pitch import pitch_named
from swerve.soccer.league import (
    Desk,
    Ruling,
    Vision,
    geometry,
    message,
    parse,
    read_detection,
    read_geometry,
    read_referee,
    referee,
    sighted,
)
from swerve.soccer.league.tables import MESSAGES

PACKETS = int(os.environ.get("SWERVE_PACKETS", "600"))


def test_what_the_eyes_saw_comes_back_from_its_packet():
    robots = {(0, 3): np.array([1.0, -2.0, 0.5]), (1, 15): np.array([-4.0, 2.5, -3.0])}
    data = sighted(7, 1.5, Sighting(robots, np.array([0.25, 0.125])))
    frame = wire.one(data, 1)
    assert wire.one(frame, 1) == 7 and wire.as_real(frame, 2) == 1.5
    assert wire.as_real(wire.one(frame, 7), 3) == 1000.0  # blue is field 7, millimetres
    t, seen = read_detection(data)
    assert t == 1.5 and seen.ball == pytest.approx([0.25, 0.125])
    assert {key: pytest.approx(pose, abs=1e-6) for key, pose in seen.robots.items()} == robots


def test_headings_go_out_within_half_a_circle_however_far_a_robot_has_turned():
    for turned in (7.0, -40.0, 3.2):
        _, seen = read_detection(sighted(1, 0.0, Sighting({(0, 3): np.array([0.0, 0.0, turned])}, None)))
        heading = seen.robots[0, 3][2]
        assert abs(heading) <= np.pi and np.cos(heading - turned) > 0.999


def test_each_camera_sends_what_it_sees_itself():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as team:
        team.bind(("127.0.0.1", 0))
        team.settimeout(1.0)
        robots = np.array([[1.0, 15, -2.0, 1.5, 0.5, 3, 0.001, 300.0, 200.0]])
        seen = Detection(robots, np.array([[0.5, -0.25, 0.75, 30.0, 20.0], [2.0, 1.0, 0.5, 40.0, 10.0]]))
        blind = Detection(np.empty((0, 9)), np.empty((0, 5)))
        camera = Camera(
            np.array([600.0, 300.0, 220.0, 0.0, 0.0]), np.zeros(3), np.array([0, 0, 2.6]), 600, 450
        )
        with Vision(pitch_named("seed"), team.getsockname()[1]) as vision:
            vision.send(0, 1.5, [blind, seen], [camera, camera])
        first, second, told = (team.recv(65536) for _ in range(3))
    assert [wire.one(wire.one(data, 1), 4) for data in (first, second)] == [0, 1]
    assert len(wire.all_of(wire.one(told, 2), 2)) == 2  # cameras
    assert read_detection(first)[1].robots == {}
    frame = wire.one(second, 1)
    balls = [[wire.as_real(ball, k) for k in (1, 3, 4, 6, 7)] for ball in wire.all_of(frame, 5)]
    assert balls == [[0.75, 500.0, -250.0, 30.0, 20.0], [0.5, 2000.0, 1000.0, 40.0, 10.0]]
    (robot,) = wire.all_of(frame, 6)
    assert [wire.as_real(robot, k) for k in (1, 3, 4, 5, 6, 7)] == [0.75, -2000, 1500, 0.5, 300, 200]
    assert wire.one(robot, 2) == 15 and not wire.all_of(frame, 7)


def test_the_referee_as_others_read_it():
    said = Ruling(1, 16, 9, 2.0, (3, 1), ("us", "them"), (0, 5), np.array([1.0, -0.5]), True, (8,))
    data = referee(said, 2.5)
    assert [wire.one(data, k) for k in (1, 2, 4, 5, 6, 10)] == [2_500_000, 1, 16, 9, 2_000_000, 1]
    assert wire.one(wire.one(data, 8), 2) == 3 and wire.one(wire.one(data, 7), 1) == b"them"
    assert wire.as_real(wire.one(data, 9), 1) == 1000.0
    back = read_referee(data)
    assert back.placement == pytest.approx([1.0, -0.5])
    assert (back.score, back.goalkeepers, back.events) == ((3, 1), (0, 5), (8,))


def test_packets_without_what_they_need_are_refused():
    with pytest.raises(BadInput, match=r"lacks robot_commands\[0\].id"):
        parse("RobotControl", wire.inside(1, b""))
    with pytest.raises(BadInput, match="none of the league's"):
        message("Kick")
    assert read_detection(geometry(pitch_named("seed"))) is None


def test_every_message_can_be_made_and_unknown_fields_are_let_pass():
    for name in MESSAGES:
        assert message(name)().SerializePartialToString() == b""
    assert parse("SimulatorCommand", wire.number(99, 1) + wire.inside(77, b"x")).HasField("control") is False


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """Bytes changed, cut, doubled, mixed; now and then noise alone."""
    raw = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        what = chance.randrange(6)
        at = chance.randrange(len(raw) + 1)
        if what == 0 and raw:
            raw[at % len(raw)] = chance.randrange(256)
        elif what == 1:
            del raw[at:]
        elif what == 2:
            raw[at:at] = chance.randbytes(chance.randint(1, 8))
        elif what == 3:
            raw += raw[: 500 - len(raw)]
        elif what == 4 and raw:
            raw[at % len(raw)] ^= 1 << chance.randrange(8)
        else:
            raw[at:at] = chance.choice([b"\xff" * 10, b"\x00" * 4, b"\x00\x00\xc0\x7f", b"\x00\x00\x80\x7f"])
    return bytes(raw) if chance.random() < 0.95 else chance.randbytes(chance.randint(0, 200))


def test_no_spoilt_packet_stops_the_simulator():
    chance = random.Random(5)
    world = PlainWorld()
    desk = Desk(world)
    for team in (0, 1):
        for number in range(6):
            world.place_robot(team, number, np.array([number, team, 0.0]), np.zeros(3))
    who = wire.inside(1, wire.number(1, 3) + wire.number(2, 2))
    place = wire.real(2, 1.0) + wire.real(3, 2.0) + wire.number(8, 1)
    ball = wire.inside(1, wire.real(1, 1.0) + wire.real(4, 3.0))
    control = wire.inside(1, ball + wire.inside(2, who + place) + wire.real(3, 1.0))
    velocity = wire.inside(2, wire.inside(2, wire.real(1, 1.0) + wire.real(2, 0.0) + wire.real(3, 2.0)))
    robots = wire.inside(1, wire.number(1, 2) + velocity + wire.real(3, 5.0)) * 3
    config = wire.inside(2, wire.inside(2, who) + wire.number(4, 10020))
    for k in range(PACKETS):
        kind = k % 4
        if kind == 0:
            parse("SimulatorResponse", desk.control(spoilt(control, chance)))
        elif kind == 1:
            parse("SimulatorResponse", desk.control(spoilt(config, chance)))
        else:
            parse("RobotControlResponse", desk.robots(kind - 2, spoilt(robots, chance)))
        if k % 50 == 0:
            desk.step(1 / 60)  # asserts that everything is finite
    assert desk.robots(1, b"").count(b"\x10\x00") == 6  # all six are still there and answer


def test_what_a_command_does_not_say_stays_as_it_was():
    world = PlainWorld()
    world.place_robot(0, 4, np.zeros(3), np.zeros(3))
    desk = Desk(world)
    drive = wire.inside(2, wire.inside(3, wire.real(1, 1.0) + wire.real(2, -0.5) + wire.real(3, 2.0)))
    desk.robots(0, wire.inside(1, wire.number(1, 4) + drive + wire.real(5, 10.0)))
    desk.robots(0, wire.inside(1, wire.number(1, 4) + wire.real(3, 4.0)))
    order = world.orders[0, 4]
    assert (order.vx, order.vy, order.spin, order.in_field, order.dribble) == (1.0, -0.5, 2.0, True, True)
    assert order.kick == 4.0


@pytest.mark.parametrize("goes", [True, False])
def test_who_is_taken_off_forgets_its_orders_and_who_cannot_be_stops_after_a_while(goes):
    world = PlainWorld()
    world.place_robot(0, 4, np.zeros(3), np.zeros(3))
    place = world.place_robot
    world.place_robot = lambda *wish: False if wish[2] is None and not goes else place(*wish)
    desk, who = Desk(world), wire.inside(1, wire.number(1, 4) + wire.number(2, 2))
    drive = wire.inside(2, wire.inside(3, wire.real(1, 1.0) + wire.real(2, 0.0) + wire.real(3, 0.0)))
    desk.robots(0, wire.inside(1, wire.number(1, 4) + drive))
    desk.control(wire.inside(1, wire.inside(2, who + wire.number(8, 0))))
    if goes:
        assert not world.pose
        desk.control(wire.inside(1, wire.inside(2, who + wire.number(8, 1))))
        desk.robots(0, wire.inside(1, wire.number(1, 4) + wire.real(5, 10.0)))
        assert world.orders[0, 4].dribble and world.orders[0, 4].vx == 0.0
    else:
        for _ in range(40):
            desk.step(1 / 60)
        assert world.orders[0, 4].vx == 0.0


def test_what_is_asked_of_a_ball_and_not_done_is_said():
    answer = Desk(PlainWorld()).control(
        wire.inside(1, wire.inside(1, wire.real(1, 1.0) + wire.number(7, 1) + wire.number(8, 1)))
    )
    codes = [wire.one(error, 1) for error in wire.all_of(answer, 1)]
    assert codes == [b"UNSUPPORTED", b"UNSUPPORTED"]


def test_lines_have_the_names_that_ssl_vision_gives_them():
    lines = wire.all_of(wire.one(wire.one(geometry(pitch_named("division-b")), 2), 1), 6)
    named = {wire.one(line, 1).decode(): wire.as_real(wire.one(line, 2), 2) for line in lines}
    for name, y in (("LeftFieldLeft", -1000), ("LeftFieldRight", 1000), ("RightFieldLeft", 1000)):
        assert named[f"{name}PenaltyStretch"] == y
    assert named["RightFieldRightPenaltyStretch"] == -1000
    assert read_geometry(geometry(pitch_named("seed"))).goal_width == 0.7
