"""A team of ours in a simulator of others: it sees by SSL-Vision, hears the game controller, and moves its
robots by the simulation protocol.

Nothing that arrives stops it: what cannot be read, is not finite or lies far outside is left out and counted.
Sockets are bound to loopback; for a multicast group, which must be asked for, to the group.
"""

from __future__ import annotations

import ipaddress
import math
import select
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from swerve.core.collecting import tidy, undisturbed
from swerve.core.errors import BadInput, SwerveError, require
from swerve.core.seeding import generator

from .eyes.pitch import Pitch
from .hear import AFTER, Heard
from .league.messages import message, parse
from .league.packets import Ruling, read_detection, read_geometry, read_referee
from .league.server import LARGEST, LOOPBACK
from .match.field import Field
from .match.model import CHIP, CHIP_ANGLE, DRIBBLE, FRAME, HEADING, KICK
from .match.sight import Sight
from .roster import GONE, Roster
from .team.plays import load_playbook
from .team.team import Team

AT_ONCE = 500  # packets of one port that are read before something is decided
FAR = 20.0  # [m] from the middle of the field beyond which nothing is believed
DRIBBLER = 1000.0  # [rpm]
BACK = 0.2  # [s] before the newest picture that another camera's may be; more, and the clock was set back
WAIT = 0.05  # [s] for a picture, before one looks whether time is over
KEPT_ERRORS = 5
TIDY_EVERY = 60  # decisions
SIZES = ("length", "width", "goal_width", "goal_depth", "area_depth", "area_width", "margin")


@dataclass(frozen=True)
class Address:
    """A host and a port, as in `127.0.0.1:10300`."""

    host: str
    port: int

    @classmethod
    def read(cls, what: str, words: str, port: int) -> Address:
        """From `HOST:PORT`, `HOST` or `PORT`; what is left out is loopback and the league's `port`."""
        host, _, number = words.rpartition(":") if ":" in words else (words, "", "")
        if host.isdigit():
            host, number = "", host
        try:
            made = cls(str(ipaddress.IPv4Address(host or LOOPBACK)), int(number or port))
        except ValueError as error:
            raise BadInput(what, words, "must be HOST:PORT with an IPv4 address") from error
        require(0 < made.port <= 65535 - 2, what, words, "must have a port from 1 to 65533")
        return made


@dataclass
class Account:
    """What came and went: packets by kind, `ignored` ones, decisions and those that took longer than a frame,
    errors that the simulator answered, each once."""

    pictures: int = 0
    rulings: int = 0
    answers: int = 0
    ignored: int = 0
    decisions: int = 0
    late: int = 0
    errors: list[str] = field(default_factory=list)
    score: tuple[int, int] = (0, 0)
    played_on: tuple[float, float] = (0.0, 0.0)  # [m] length and width of the field


class Connection:
    """Plays one side (0 blue, 1 yellow) of a game elsewhere; use it in a `with` block. `once` reads what came
    and, if there is a new picture, decides and sends."""

    def __init__(
        self,
        team: str,
        side: int,
        place: Field,
        simulator: Address,
        vision: Address,
        referee: Address,
        sight: Sight = Sight(latency=2),
        seed: int = 0,
    ):
        self.side, self.place = side, place
        self.book, self.seed, self.sight = load_playbook(team), seed, sight
        message("RobotControl")  # so that a missing library is said before anything is opened
        self.robots_at = (simulator.host, simulator.port + 1 + side)
        self.account, self.heard = Account(), Heard(side)
        self._sockets: list[socket.socket] = []
        try:
            self._vision = _hearing(vision, self._sockets)
            self._referee = _hearing(referee, self._sockets)
            self._out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self._sockets.append(self._out)
            self._out.setblocking(False)
        except BaseException:
            self.close()
            raise
        self._begin(place)

    def _begin(self, place: Field) -> None:
        self.place = place
        self.account.played_on = place.length, place.width
        self.roster = Roster(place, self.side, self.sight, generator(self.seed, "connection"))
        if self.heard.ruling is not None:
            self.roster.keepers = self.heard.ruling.goalkeepers
        self.mind = Team(self.book, place, self.side, self.seed)
        self.mind.rehearse()
        self.decided = -math.inf  # capture time [s] of the picture that was last decided on
        self._doubtful = math.inf  # capture time [s] of a picture that was left out, far from the others

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *ending: object) -> None:
        self.halt()
        self.close()

    def close(self) -> None:
        for one in self._sockets:
            one.close()

    def halt(self) -> None:
        """Tell all robots to stand still."""
        self._send(np.zeros((self.place.robots, 6)), np.zeros(self.place.robots))

    def run(self, going_on: Callable[[], bool] = lambda: True) -> Account:
        """Play until `going_on` says no, or the referee says that the game is over."""
        with undisturbed():
            while going_on() and not (self.heard.ruling and self.heard.ruling.stage == AFTER):
                select.select([self._vision, self._referee], [], [], WAIT)
                if self.once() and self.account.decisions % TIDY_EVERY == 0:
                    tidy()
        return self.account

    def once(self) -> bool:
        """Read what came; decide if a new picture is there. Whether it was."""
        self._read(self._referee, self._hear)
        seen = self._read(self._vision, self._look)
        self._read(self._out, self._answered)
        due = seen and self.roster.t - self.decided > 0.5 * FRAME
        if due:
            began = time.perf_counter()
            self._decide()
            self.account.late += time.perf_counter() - began > FRAME
        return bool(due)

    def _decide(self) -> None:
        passed = (self.roster.t - self.decided) / FRAME
        self.decided = self.roster.t
        self.roster.take(round(passed) if passed < 30 else 1)
        robots, ball = self.roster.believed()
        n, side = self.place.robots, self.side
        situation = self.heard.situation(ball[side], self.roster.t)
        commands = np.zeros((2 * n, 6))
        if not self.heard.halted:
            commands[side * n : (side + 1) * n] = self.mind.decide(robots[side], ball[side], situation)
        self.account.decisions += 1
        self.roster.sent(commands)
        self._send(commands[side * n : (side + 1) * n], robots[side, side * n : (side + 1) * n, HEADING])

    def _send(self, commands: np.ndarray, headings: np.ndarray) -> None:
        """Commands (n, 6) in the field's frame, as velocities ahead and to the left of each robot."""
        packet = message("RobotControl")()
        for slot, number in self.roster.numbers().items():
            vx, vy, spin = commands[slot, :3]
            cos, sin = math.cos(headings[slot]), math.sin(headings[slot])
            one = packet.robot_commands.add(id=number)
            local = one.move_command.local_velocity
            local.forward, local.left = cos * vx + sin * vy, cos * vy - sin * vx
            local.angular = spin
            one.kick_speed = max(commands[slot, KICK], commands[slot, CHIP])
            one.kick_angle = math.degrees(CHIP_ANGLE) if commands[slot, CHIP] > 0 else 0.0
            one.dribbler_speed = DRIBBLER if commands[slot, DRIBBLE] > 0 else 0.0
        try:
            self._out.sendto(packet.SerializeToString(), self.robots_at)
        except OSError:  # nobody there yet, or the network is full: the next frame tries again
            return

    def _read(self, port: socket.socket, take: Callable[[bytes], bool]) -> bool:
        """Whether one of the packets that came was of use."""
        used = False
        for _ in range(AT_ONCE):
            try:
                data = port.recv(LARGEST)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:  # what was sent before found nobody
                continue
            try:
                good = take(data)
            except BadInput:
                good = False
            self.account.ignored += not good
            used = used or good
        return used

    def _look(self, data: bytes) -> bool:
        found = read_detection(data)
        if found is None:
            pitch = read_geometry(data)
            if pitch is not None:
                self._settle(pitch)
            return pitch is not None
        t, sighting = found
        places = [pose[:2] for pose in sighting.robots.values()]
        places += [sighting.ball] if sighting.ball is not None else []
        finite = math.isfinite(t) and math.isfinite(sighting.sure)
        finite = finite and all(np.isfinite(pose).all() for pose in sighting.robots.values())
        if not finite or not all(np.isfinite(at).all() and np.abs(at).max() < FAR for at in places):
            return False
        if not self._in_time(t):
            return False
        self.account.pictures += 1
        self.roster.see(t, sighting, self.heard.flipped)
        return True

    def _in_time(self, t: float) -> bool:
        """Whether a picture's time fits those before. One far from them is left out; where the next is as
        far, the simulator's clock has been set, and all begins anew."""
        known = self.roster.t
        if not math.isfinite(known) or -BACK < t - known < GONE:
            self._doubtful = math.inf
            return True
        again = abs(t - self._doubtful) < BACK
        self._doubtful = t
        if again:
            self._begin(self.place)
        return again

    def _settle(self, pitch: Pitch) -> None:
        """Play on a field as large as the simulator says that it is, if it can be one."""
        told = np.array([getattr(pitch, name) for name in SIZES])
        if np.isfinite(told).all() and (told > 0.05).all() and (told < FAR).all():
            as_told = replace(self.place, **dict(zip(SIZES, told.tolist(), strict=True)))
            if as_told != self.place:
                self._begin(as_told)

    def _hear(self, data: bytes) -> bool:
        ruling: Ruling = read_referee(data)
        self.account.rulings += 1
        self.account.score = ruling.score
        self.heard.hear(ruling)
        self.roster.keepers = ruling.goalkeepers
        return True

    def _answered(self, data: bytes) -> bool:
        answer: Any = parse("RobotControlResponse", data)
        self.account.answers += 1
        for error in answer.errors:
            words = f"{error.code}: {error.message}"
            if words not in self.account.errors and len(self.account.errors) < KEPT_ERRORS:
                self.account.errors.append(words)
        return True


def _hearing(at: Address, opened: list[socket.socket]) -> socket.socket:
    """A socket for what is sent to a port: of loopback, of another address of this machine, or of a group."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.append(made)
    made.setblocking(False)
    group = ipaddress.ip_address(at.host).is_multicast
    try:
        if group:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((at.host, at.port))
        if group:
            joined = struct.pack("4s4s", socket.inet_aton(at.host), socket.inet_aton("0.0.0.0"))
            made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, joined)
    except OSError as error:
        raise SwerveError(
            f"port {at.port} of {at.host}: cannot be used ({error.strerror or error})"
        ) from error
    return made
