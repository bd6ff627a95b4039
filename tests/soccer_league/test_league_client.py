"""Somebody else's program plays in the simulator over UDP, with an encoder of its own."""

import math
import socket

import plain_wire as wire
import pytest
from plain_league_world import PlainWorld

pytest.importorskip("google.protobuf")

from swerve.core.errors import BadInput, SwerveError
from swerve.soccer.league import Ports, Server

YELLOW, BLUE = 1, 2


class Client:
    """Knows ports, numbers of fields and nothing else."""

    def __init__(self, server, vision):
        self.server, self.vision, self.frame = server, vision, b""
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(2.0)

    def ask(self, port, data):
        self.socket.sendto(data, ("127.0.0.1", self.server.bound[port]))
        self.server.once()
        return self.socket.recv(65536)

    def seen(self):
        """The last detection frame that came, as bytes."""
        self.vision.setblocking(False)
        while True:
            try:
                packet = self.vision.recv(65536)
            except BlockingIOError:
                return self.frame
            self.frame = (wire.all_of(packet, 1) or [self.frame])[-1]

    def robot(self, side, number):
        for data in wire.all_of(self.seen(), side):
            if wire.one(data, 2) == number:
                return [wire.as_real(data, k) for k in (3, 4, 5)]
        return None


@pytest.fixture
def client():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as vision:
        vision.bind(("127.0.0.1", 0))
        ports = Ports(0, 0, 0, vision.getsockname()[1], 0)
        with Server(PlainWorld(), ports) as server:
            made = Client(server, vision)
            yield made
            made.socket.close()


def teleport(number, team, x, y, turn):
    who = wire.inside(1, wire.number(1, number) + wire.number(2, team))
    where = wire.real(2, x) + wire.real(3, y) + wire.real(4, turn)
    return wire.inside(2, who + where + wire.number(8, 1))


def driving(number, forward, left, angular, field=2):
    velocity = wire.real(1, forward) + wire.real(2, left) + wire.real(3, angular)
    return wire.inside(1, wire.number(1, number) + wire.inside(2, wire.inside(field, velocity)))


def test_sets_up_robots_drives_a_square_and_reads_the_ball_back(client):
    ball = wire.inside(1, wire.real(1, 1.25) + wire.real(2, -0.5))
    setup = teleport(3, BLUE, -1.0, 0.5, 0.0) + teleport(7, YELLOW, 2.0, 1.0, math.pi)
    assert client.ask(0, wire.inside(1, ball + setup)) == b""  # no errors
    frame = client.seen()
    assert [wire.as_real(wire.one(frame, 5), k) for k in (3, 4)] == [1250.0, -500.0]
    for forward, left in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        for _ in range(30):
            answer = client.ask(1, driving(3, forward, left, 0.0))
        assert wire.all_of(answer, 1) == [] and wire.one(wire.one(answer, 2), 1) == 3
        x, y, _ = client.robot(7, 3)
        assert abs(x - (-1000 + 500 * (forward == 1 or left == 1))) < 1
        assert abs(y - (500 + 500 * (left == 1 or forward == -1))) < 1
    assert client.robot(6, 7) == pytest.approx([2000.0, 1000.0, math.pi])


def test_global_velocities_kicks_and_silence(client):
    client.ask(0, wire.inside(1, teleport(0, YELLOW, 0.0, 0.0, math.pi / 2)))
    kick = wire.inside(1, wire.number(1, 0) + wire.real(3, 4.0) + wire.real(4, 45.0))
    client.ask(2, kick)
    assert client.server.desk.simulator.kicks == [(1, 0, 4.0, pytest.approx(math.pi / 4))]
    client.ask(2, driving(0, 1.0, 0.0, 0.0, field=3))
    for _ in range(90):  # nothing more is said: it stops after half a second
        client.server.once()
    x, y, _ = client.robot(6, 0)
    assert 480 < x < 560 and abs(y) < 1


def test_a_robot_of_the_other_side_or_off_the_field_is_refused_in_the_answer(client):
    client.ask(0, wire.inside(1, teleport(0, YELLOW, 0.0, 0.0, 0.0)))
    answer = client.ask(1, driving(0, 1.0, 0.0, 0.0))
    assert wire.one(wire.one(answer, 1), 1) == b"UNKNOWN_ROBOT"
    gone = wire.inside(2, wire.inside(1, wire.number(1, 0) + wire.number(2, YELLOW)) + wire.number(8, 0))
    assert client.ask(0, wire.inside(1, gone)) == b""
    assert client.robot(6, 0) is None


@pytest.mark.parametrize(
    "data, code",
    [
        (wire.inside(1, wire.inside(1, wire.real(1, math.nan))), b"OUT_OF_RANGE"),
        (wire.inside(1, wire.inside(1, wire.real(1, 1e9))), b"OUT_OF_RANGE"),
        (wire.inside(1, wire.real(3, math.inf)), b"OUT_OF_RANGE"),
        (wire.inside(1, wire.inside(2, b"")), b"INVALID_MESSAGE"),
        (wire.inside(1, teleport(99, BLUE, 0, 0, 0)), b"UNKNOWN_ROBOT"),
        (wire.inside(1, teleport(1, 0, 0, 0, 0)), b"UNKNOWN_ROBOT"),
        (wire.inside(2, wire.number(4, 80)), b"OUT_OF_RANGE"),
        (wire.inside(2, wire.inside(3, b"")), b"UNSUPPORTED"),
        (b"\xff\xff\xff", b"INVALID_MESSAGE"),
    ],
)
def test_what_cannot_be_done_is_said_with_a_code(client, data, code):
    before = client.server.desk.simulator.ball().copy()
    assert wire.one(wire.one(client.ask(0, data), 1), 1) == code
    assert (client.server.desk.simulator.ball() == before).all()


def test_a_robot_for_whom_there_is_no_room_is_refused(client):
    for number in range(11):
        robots = teleport(number, BLUE, number, 0.0, 0.0) + teleport(number, YELLOW, -number, 1.0, 0.0)
        assert client.ask(0, wire.inside(1, robots)) == b""
    answer = client.ask(0, wire.inside(1, teleport(12, BLUE, 0.0, 0.0, 0.0)))
    assert wire.one(wire.one(answer, 1), 1) == b"UNSUPPORTED"


def test_geometry_comes_once_a_second_and_pictures_where_they_are_asked_for(client):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        client.ask(0, wire.inside(2, wire.number(4, other.getsockname()[1])))
        packets = [other.recv(65536)]
        size = wire.one(wire.one(other.recv(65536), 2), 1)
        assert wire.all_of(packets[0], 1)
    assert [wire.one(size, k) for k in (1, 2, 3)] == [9000, 6000, 1000]
    assert len(wire.all_of(size, 6)) == 12 and len(wire.all_of(size, 7)) == 1


def test_pictures_cannot_be_sent_to_where_one_listens(client):
    answer = client.ask(0, wire.inside(2, wire.number(4, client.server.bound[1])))
    assert wire.one(wire.one(answer, 1), 1) == b"OUT_OF_RANGE" and client.server.desk.vision_port is None


def test_a_flood_and_a_client_that_went_away_do_not_stop_it(client):
    for _ in range(300):
        client.socket.sendto(b"x" * 50, ("127.0.0.1", client.server.bound[1]))
    client.socket.close()
    for _ in range(3):
        client.server.once()
    assert client.server.frames == 3 and client.server.received >= 200


def test_a_port_in_use_and_a_bad_address_are_one_line(client):
    with pytest.raises(SwerveError, match="cannot be used"):
        Server(PlainWorld(), Ports(client.server.bound[0], 0, 0, 0, 0))
    with pytest.raises(BadInput, match="must be an IPv4 address"):
        Server(PlainWorld(), Ports(0, 0, 0, 0, 0), host="everywhere")


def test_pictures_are_not_sent_to_a_port_of_its_own():
    for words in ({"vision": 10301}, {"referee": 10300}):
        with pytest.raises(BadInput, match="port: must be none of those that are listened on, got 1030"):
            Ports(**words)
    assert Ports(0, 0, 0, 0, 0).vision == 0


def test_speed_of_time_and_standing_still(client):
    client.ask(0, wire.inside(1, wire.real(3, 0.0)))
    before = client.server.desk.simulator.time
    client.server.once()
    assert client.server.desk.simulator.time == before
    client.ask(0, wire.inside(1, wire.real(3, 2.0)))
    assert client.server.desk.simulator.time == pytest.approx(before + 2 / 60)
