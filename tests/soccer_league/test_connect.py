"""Our team plays in a simulator of others, which here is our own, over UDP."""

import json
import os
import random
import signal
import socket

import numpy as np
import plain_wire as wire
import pytest

pytest.importorskip("google.protobuf")

from swerve.cli.main import run
from swerve.core.errors import BadInput
from swerve.core.seeding import generator
from swerve.soccer import MatchOptions, Sight, load_field
from swerve.soccer.connect import Address, Connection
from swerve.soccer.eyes.merge import Sighting
from swerve.soccer.hear import Heard
from swerve.soccer.league import Ports, Ruling, geometry, message, read_detection, referee, sighted
from swerve.soccer.listen import listen, pitch_of
from swerve.soccer.match.model import BVX, DRIBBLE, UX
from swerve.soccer.match.referee import State
from swerve.soccer.match.world import MatchWorld
from swerve.soccer.roster import Roster

SEED = load_field("seed")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def connection():
    made = []

    def connect(side=1, control=1024, place=SEED):
        ears = [Address("127.0.0.1", free_port()) for _ in range(2)]
        made.append(Connection("reactive", side, place, Address("127.0.0.1", control), *ears))
        made[-1].ears = ears
        return made[-1]

    yield connect
    for one in made:
        one.close()


def test_our_team_plays_in_a_listening_match(connection):
    guest = connection(side=1)
    moved = []

    def join(server):
        guest.robots_at = ("127.0.0.1", server.bound[2])
        step = server.desk.step

        def play(dt):
            guest.once()
            step(dt)
            moved.append(server.desk.simulator.robots()[:, 2:4].copy())

        server.desk.step = play

    ports = Ports(0, 0, 0, guest.ears[0].port, guest.ears[1].port)
    options = MatchOptions(place="seed", minutes=0.06)
    match = listen("reactive", "reactive", {1}, options, 3, ports, started=join, clocked=False)
    gone = np.abs(np.diff(np.array(moved), axis=0)).sum(axis=(0, 2))
    assert (gone[5:] > 0.2).sum() >= 3  # several of yellow's robots went somewhere
    assert match.referee.restart.kind is not State.PENALTY
    account = guest.account
    assert account.decisions > 200 and account.ignored == 0 and account.rulings > 30 and not account.errors
    assert guest.heard.ruling.stage in (1, 4, 13)


def test_packets_of_bad_content_are_ignored_and_counted(connection):
    guest, dice = connection(), random.Random(5)
    good = sighted(1, 1.0, Sighting({(1, 0): np.array([1.0, 0.5, 0.0])}, np.array([0.0, 0.0])))
    nan = sighted(1, 1.0, Sighting({(1, 0): np.array([np.nan, 0.5, 0.0])}, None))
    far = sighted(1, 1.0, Sighting({}, np.array([1e6, 0.0])))
    said = referee(Ruling(1, 3, 1, 0.0), 1.0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for packet in (nan, far, b"", b"\xff" * 40):
            out.sendto(packet, ("127.0.0.1", guest.ears[0].port))
        assert not guest.once() and guest.account.ignored == 4
        for k in range(300):
            for port, packet in ((0, good), (1, said)):
                bent = bytearray(packet)
                for _ in range(dice.randint(1, 4)):
                    bent[dice.randrange(len(bent))] = dice.randrange(256)
                out.sendto(bytes(bent), ("127.0.0.1", guest.ears[port].port))
            if k % 50 == 49:
                guest.once()
        out.sendto(good, ("127.0.0.1", guest.ears[0].port))
        guest.once()
    assert guest.account.ignored > 50 and np.isfinite(guest.roster.mean).all()


@pytest.mark.parametrize("sure, ignored", [(np.nan, 1), (np.inf, 1), (-1.0, 0), (0.0, 0)])
def test_a_ball_of_which_nobody_can_be_so_sure_stops_nothing(connection, sure, ignored):
    guest = connection()
    packet = message("SSL_WrapperPacket").FromString(sighted(1, 1.0, Sighting({}, np.array([1.0, 0.5]))))
    packet.detection.balls[0].confidence = sure
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(packet.SerializeToString(), ("127.0.0.1", guest.ears[0].port))
        assert guest.once() == (not ignored) and guest.account.ignored == ignored
    if not ignored:
        assert guest.roster.mean[-1, :2, 0] == pytest.approx([1.0, 0.5])


@pytest.mark.parametrize("then", [0.0, 999.9 - 9.0, 1000.1, 1e12])
def test_a_clock_that_is_set_is_believed_in_the_end_and_one_far_time_is_not(connection, then):
    """After a second of pictures the clock begins anew, is set back a little or a lot, or errs once."""
    guest = connection(place=load_field("division-b"))
    times = [1000 + k / 60 for k in range(60)]
    times += [1e12, *(1001 + k / 60 for k in range(60))] if then > 1e6 else [then + k / 60 for k in range(60)]
    decided = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for k, t in enumerate(times):
            robots = {(0, 1): np.array([-1.0, 0.5, 0.0])}
            out.sendto(sighted(k, t, Sighting(robots, np.zeros(2))), ("127.0.0.1", guest.ears[0].port))
            guest.once()
            decided.append(guest.account.decisions)
    assert decided[-1] - decided[59] >= 58 and guest.account.ignored == 1


def test_the_field_is_as_large_as_the_simulator_says(connection):
    guest = connection(place=load_field("division-b"))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(geometry(pitch_of(SEED)), ("127.0.0.1", guest.ears[0].port))
    guest.once()
    assert (guest.place.length, guest.place.goal_width) == (6.05, 0.7) and guest.mind.row[0] == 6.05 / 2


def test_the_field_is_learned_while_it_is_played_on(connection):
    guest = connection(place=load_field("division-b"))
    guest._hear(referee(Ruling(1, 3, 1, 0.0, goalkeepers=(0, 7)), 1.0))
    minds = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for k, size in enumerate((None, SEED, None, SEED, None)):
            seen = Sighting({(1, 7): np.array([1.0, 0.5, 0.0])}, np.array([0.1 * k, 0.0]))
            packet = sighted(k, 1 + k / 60, seen) if size is None else geometry(pitch_of(size))
            out.sendto(packet, ("127.0.0.1", guest.ears[0].port))
            assert guest.once() == (size is None)
            assert k != 2 or guest.roster.numbers() == {0: 7}  # still the keeper
            minds.append(guest.mind)
    assert guest.account.decisions == 3
    assert minds[0] is not minds[1] and minds[1] is minds[4]  # begun anew, once
    assert (guest.place.length, guest.mind.row[0]) == (6.05, 6.05 / 2)
    assert guest.account.played_on == (6.05, 4.05)


def test_robots_are_sent_what_they_are_told_by_their_own_numbers(connection):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as simulator:
        simulator.bind(("127.0.0.1", 0))
        simulator.settimeout(2.0)
        guest = connection(side=0, control=simulator.getsockname()[1] - 1)
        robots = {(0, 7): np.array([-2.0, 0.0, np.pi]), (0, 11): np.array([-1.0, 1.0, 0.0])}
        guest.roster.keepers = (7, 0)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            packet = sighted(1, 1.0, Sighting(robots, np.array([0.0, 0.0])))
            out.sendto(packet, ("127.0.0.1", guest.ears[0].port))
        assert guest.once()
        told = wire.all_of(simulator.recv(65536), 1)
    assert sorted(wire.one(data, 1) for data in told) == [7, 11]
    eleven = next(data for data in told if wire.one(data, 1) == 11)
    ahead, left = (wire.as_real(wire.one(wire.one(eleven, 2), 2), k) for k in (1, 2))
    assert ahead > 0.5 and left < -0.5  # towards the ball


def test_commands_of_the_referee_become_situations():
    ball = np.zeros(8)
    heard = Heard(side=1)
    kinds = []
    steps = [
        (1, 4, None),
        (4, None, None),
        (2, None, None),
        (2, None, 0.5),
        (1, 9, 0.5),
        (9, None, 0.5),
        (0, None, 0.5),
    ]
    for counter, (command, coming, x) in enumerate(steps):
        ball[0] = x or 0.0
        heard.hear(Ruling(1, command, counter if command != 2 else 2, 0.0, (1, 0), coming=coming))
        kind, mine, _, _, stopped, lead, _ = heard.situation(ball, float(counter))
        kinds.append((State(int(kind)).name, bool(mine), bool(stopped)))
        assert lead == -1
    assert kinds == [
        ("KICK_OFF", True, True),
        ("KICK_OFF", True, True),
        ("KICK_OFF", True, False),
        ("RUNNING", False, False),
        ("FREE_KICK", False, True),
        ("FREE_KICK", False, False),
        ("FREE_KICK", False, True),
    ]
    assert heard.halted


def test_sides_may_be_changed_and_robots_may_leave():
    roster = Roster(SEED, 0, Sight(latency=0), generator(1, "roster"))
    here = {(0, 0): np.array([-2.5, 0.0, 0.1]), (1, 3): np.array([1.0, 0.5, 3.0])}
    roster.see(0.0, Sighting(here, np.array([0.3, 0.2])), False)
    roster.take(1)
    assert roster.mean[0, :2, 0] == pytest.approx([-2.5, 0.0]) and roster.numbers() == {0: 0}
    roster.see(1.0, Sighting(here, np.array([0.3, 0.2])), True)
    roster.take(1)
    assert roster.mean[0, :2, 0] == pytest.approx([2.5, 0.0])
    assert roster.mean[-1, :2, 0] == pytest.approx([-0.3, -0.2])
    roster.see(4.0, Sighting({(1, 3): here[1, 3]}, None), True)
    roster.take(1)
    assert roster.numbers() == {} and abs(roster.mean[0, 0, 0]) > SEED.length / 2


def test_what_several_cameras_see_is_merged_whatever_the_order():
    dice, roster = random.Random(2), Roster(SEED, 0, Sight(latency=0), generator(1, "roster"))
    far, fast = [], []
    for k in range(150):
        seen = [
            (0, 0.95, Sighting({(0, 1): np.array([0.0, 0.5, 3.14])}, np.array([0.05, 0.0]))),
            (1, 0.4, Sighting({(0, 1): np.array([0.01, 0.5, -3.14])}, np.array([2.0, 1.0]))),
        ]
        dice.shuffle(seen)
        if k > 100 and k % 3 == 0:  # the other does not come
            del seen[1]
        for camera, sure, sighting in seen:
            packet = message("SSL_WrapperPacket").FromString(sighted(k, k / 60, sighting, camera))
            packet.detection.balls[0].confidence = sure
            roster.see(*read_detection(packet.SerializeToString()), False)
        roster.take(1)
        robots, ball = roster.believed()
        if k > 40:
            far.append(np.hypot(ball[0, 0] - 0.05, ball[0, 1]))
            fast.append(np.abs(robots[0, 1, 3:]).max())
    assert max(far) < 0.01  # and never at the false ball
    assert max(fast) < 0.02 and robots[0, 1, 0] == pytest.approx(0.005, abs=1e-3)


def test_a_ball_that_a_robot_hides_stays_with_it():
    field, dice = load_field("division-b"), generator(3, "hidden")
    world, roster = MatchWorld(field), Roster(field, 0, Sight(latency=0), generator(1, "roster"))
    world.robots[0, :, 0], world.robots[0, :, 1] = np.linspace(-4, 4, 12), 2.5
    world.robots[0, 1, :3] = 0.6, 0.0, np.pi
    world.ball[0, 0], world.ball[0, BVX], world.ball[0, UX] = -0.6, 1.5, 1.5
    orders = np.zeros((12, 6))
    orders[1, DRIBBLE] = 1.0
    off = []
    for k in range(150):
        world.step(orders)
        seen = {(i // 6, i % 6): world.robots[0, i, :3] for i in range(12)}
        ball = world.ball[0, :2] + dice.normal(0, 0.002, 2)
        roster.see(k / 60, Sighting(seen, ball if k < 40 else None), False)  # just before it gets there
        roster.take(1)
        off.append(float(np.hypot(*(roster.believed()[1][0, :2] - world.ball[0, :2]))))
    assert np.hypot(*(world.ball[0, :2] - world.robots[0, 1, :2])) < 0.15 and max(off[5:]) < 0.03


@pytest.mark.parametrize("late, most", [(0.5, 0.004), (1.0, 0.015)])
def test_a_camera_whose_pictures_come_later_does_not_hold_bodies_back(late, most):
    """The second camera's newest picture is some share of a frame older than the first one's."""
    roster, off = Roster(SEED, 0, Sight(latency=0), generator(1, "roster")), []
    for k in range(60):
        now, then = (-1.5 + 2.5 * (k - age) / 60 for age in (0.0, late))
        moving = Sighting({(0, 2): np.array([then, 0.5, 0.0])}, np.array([then, 1.0]), camera=1)
        roster.see(k / 60, Sighting({(0, 1): np.array([0.0, -1.0, 0.0])}, None), False)
        roster.see((k - late) / 60, moving, False)
        roster.take(1)
        off.append(np.abs(roster.mean[[2, -1], 0, 0] - now))
    assert np.max(off[30:]) < most  # a frame is 42 mm


def test_a_surer_ball_elsewhere_is_believed_in_the_end():
    roster = Roster(SEED, 0, Sight(latency=0), generator(1, "roster"))
    for k in range(30):
        roster.see(k / 60, Sighting({}, np.array([2.0, 1.0]), camera=1, sure=0.3), False)
        if k > 15:
            roster.see(k / 60, Sighting({}, np.array([0.0, 0.0]), camera=0, sure=0.9), False)
        roster.take(1)
    assert roster.mean[-1, :2, 0] == pytest.approx([0.0, 0.0], abs=0.01)


@pytest.mark.parametrize(
    "words, said",
    [
        (["--connect", "here"], "connect: must be HOST:PORT"),
        (["--vision", "1.2.3.4:x"], "vision: must be HOST:PORT"),
        (["--connect", "127.0.0.1:70000"], "connect: must have a port"),
        (["nobody"], "team: must be one of"),
    ],
)
def test_bad_addresses_are_one_line_and_status_two(words, said, capsys):
    assert run(["team", *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_who_ends_it_by_a_key_is_told_what_came_and_robots_stand_still(capsys, monkeypatch):
    once, decided = Connection.once, []

    def pressed_then(self):
        decided.append(once(self))
        if len(decided) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return decided[-1]

    monkeypatch.setattr(Connection, "once", pressed_then)
    monkeypatch.setattr(Connection, "halt", lambda self: decided.append("halt"))
    ears = [str(free_port()) for _ in range(2)]
    assert (
        run(["team", "reactive", "--vision", ears[0], "--referee", ears[1], "--minutes", "0.1", "--json"])
        == 130
    )
    out, err = capsys.readouterr()
    assert json.loads(out)["pictures"] == 0 and err == "swerve: interrupted\n"
    assert decided == [False] * 3 + ["halt"]


def test_addresses():
    assert Address.read("x", "10.0.0.1:99", 5) == Address("10.0.0.1", 99)
    assert Address.read("x", "99", 5) == Address("127.0.0.1", 99)
    assert Address.read("x", "10.0.0.1", 5) == Address("10.0.0.1", 5)
    with pytest.raises(BadInput):
        Address.read("x", ":0", 5)
