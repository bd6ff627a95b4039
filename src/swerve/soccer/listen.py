"""A match in which programs of others play, over the league's protocols, by the clock.

The match is the simulator of `league.Server`: a side that is listened to does what arrives at its port,
robots and ball may be put elsewhere, and every frame goes out as SSL-Vision would send it, with what the
referee says. Guests see what the sides that are played here see: late, noisy, or through cameras.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from swerve.core.collecting import undisturbed

from .eyes.camera import Camera
from .eyes.pitch import Pitch
from .game import Match, MatchOptions, Side, check_minutes
from .league.packets import Ruling, referee
from .league.server import LOOPBACK, Ports, Seen, Server
from .league.simulator import Order
from .match.field import Field, load_field
from .match.model import (
    BALL_COLUMNS,
    BALL_RADIUS,
    BVX,
    BVZ,
    CHIP,
    CHIP_ANGLE,
    DRIBBLE,
    FRAME,
    HEADING,
    KICK,
    KICK_SPEED,
    SPIN,
    X,
    Y,
    Z,
    turned_round,
)
from .match.referee import State
from .match.sight import Tracker
from .match.world import MatchWorld
from .team.plays import load_playbook
from .team.team import Team
from .watch import Watching

LINE = 0.01  # [m] width of lines
FLAT = np.radians(10)  # of a kick's angle, above which it is a chip
MOST_FRAMES = 20  # that one step may make up for
REFEREE_EVERY, LAST_WORDS = 6, 3  # frames between packets; how often the end is told
STOPPED = 0.75  # [s] of a stop before a kick-off or penalty is prepared
_PREPARED = {State.KICK_OFF: 4, State.PENALTY: 6, State.FREE_KICK: 8}  # the league's command, for yellow
STOP, START, FORCE_START, HALT = 1, 2, 3, 0
FIRST_HALF, SECOND_HALF, AFTER = 1, 4, 13  # the league's stages


class Remote:
    """A side that is told by others: the last order of each robot, carried out in its own frame."""

    def __init__(self, side: int, robots: int):
        self.side, self.orders = side, [Order() for _ in range(robots)]
        self.turned = False  # whether teams have changed ends
        self.world: MatchWorld | None = None  # whose robots know how they stand, whatever is seen of them

    def decide(self, robots: np.ndarray, ball: np.ndarray, situation: np.ndarray) -> np.ndarray:
        n = len(self.orders)
        commands = np.zeros((n, 6))
        robots = robots if self.world is None else self.world.robots[0]
        for k, order in enumerate(self.orders):
            turn = np.pi * self.turned if order.in_field else robots[self.side * n + k, HEADING]
            cos, sin = np.cos(turn), np.sin(turn)
            commands[k, :3] = cos * order.vx - sin * order.vy, sin * order.vx + cos * order.vy, order.spin
            commands[k, CHIP if order.angle > FLAT else KICK] = min(order.kick, KICK_SPEED)
            commands[k, DRIBBLE] = float(order.dribble)
        return commands


class OnTheNet:
    """A match as `league.Simulator` wants it. Robots can be moved, but all of them stay on the field."""

    def __init__(self, match: Match, remotes: dict[int, Remote]):
        self.match, self.remotes = match, remotes
        for remote in remotes.values():
            remote.world = match.world
        self.pitch = pitch_of(match.world.field)
        self._owed = 0.0
        self._touching = np.zeros(match.world.robots.shape[1])

    @property
    def time(self) -> float:
        return self.match.referee.t

    def _on_the_field(self, robots: np.ndarray, ball: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Robots and ball where they are on the field itself, whose ends may have been changed."""
        return turned_round(robots, ball) if self.match.referee.turned else (robots, ball)

    def seen(self) -> Seen:
        """The picture that the sides played here will know in the next frame, when what is answered is done;
        a ball on the ground is at height 0."""
        if self.match.tracker.coming is None:
            return self.time, self.robots(), self.ball()
        age, picture, hidden = self.match.tracker.coming
        state, ball = self.match.world.robots[0].copy(), np.zeros(BALL_COLUMNS)
        state[:, : HEADING + 1], ball[: Z + 1] = picture[:-1], picture[-1]
        state, ball = self._on_the_field(state, ball)
        shown = None if hidden[-1] else np.array([ball[X], ball[Y], max(ball[Z], 0.0)])
        return self.time - age * FRAME, self._rows(state)[~hidden[:-1]], shown

    def cameras(self) -> list[Camera]:
        """As they hang above the field itself, by their calibration; none without eyes."""
        tracker, turned = self.match.tracker, self.match.referee.turned
        known = tracker.stand.eyes.cameras if isinstance(tracker, Watching) else ()
        return [camera.turned_round if turned else camera for camera in known]

    def robots(self) -> np.ndarray:
        return self._rows(self._on_the_field(self.match.world.robots[0], self.match.world.ball[0])[0])

    def _rows(self, state: np.ndarray) -> np.ndarray:
        n = len(state) // 2
        sides, numbers = np.repeat([0, 1], n), np.tile(np.arange(n), 2)
        return np.column_stack([sides, numbers, state, self._touching])

    def ball(self) -> np.ndarray:
        _, ball = self._on_the_field(self.match.world.robots[0], self.match.world.ball[0])
        return np.array([ball[X], ball[Y], ball[Z] + BALL_RADIUS, *ball[BVX : BVZ + 1]])

    def place_robot(self, team: int, number: int, pose: np.ndarray | None, velocity: np.ndarray) -> bool:
        n = self.match.world.field.robots
        if pose is None or number >= n or not self._inside(pose[:2]):
            return False
        told = np.concatenate([pose, velocity])
        if self.match.referee.turned:
            told, _ = turned_round(told, np.zeros(BALL_COLUMNS))
        self.match.world.robots[0, team * n + number] = told
        return True

    def place_ball(self, ball: np.ndarray) -> str | None:
        if not self._inside(ball[:2]):
            return "that is outside the walls"
        if self.match.referee.state is State.STOP:
            return "the game is stopped, and the referee puts the ball down"
        state = np.zeros(BALL_COLUMNS)
        state[X], state[Y], state[Z] = ball[0], ball[1], max(ball[2] - BALL_RADIUS, 0.0)
        state[BVX : BVZ + 1] = ball[3:]
        if self.match.referee.turned:
            _, state = turned_round(np.zeros(SPIN + 1), state)
        self.match.world.ball[0] = state
        return None

    def order(self, team: int, number: int, order: Order) -> str | None:
        if team not in self.remotes:
            return "this side is played here, not from outside (see --listen)"
        if number < len(self.remotes[team].orders):
            self.remotes[team].orders[number] = order
        if order.kick > KICK_SPEED:
            return f"kicks at {KICK_SPEED:g} m/s at most"
        if order.kick > 0 and order.angle > FLAT and abs(order.angle - CHIP_ANGLE) > FLAT:
            return "chips at 45 degrees"
        return None

    def step(self, dt: float) -> None:
        self._owed = min(self._owed + dt, MOST_FRAMES * FRAME)
        while self._owed > FRAME / 2:
            for remote in self.remotes.values():
                remote.turned = self.match.referee.turned
            self.match.frame()
            self._owed -= FRAME
            front = self.match.world.robots[0]
            ball = self.match.world.ball[0]
            away = np.hypot(front[:, X] - ball[X], front[:, Y] - ball[Y])
            self._touching = (away < 0.11) & (ball[Z] < 0.05)

    def _inside(self, place: np.ndarray) -> bool:
        field = self.match.world.field
        return bool(
            abs(place[0]) <= field.length / 2 + field.margin
            and abs(place[1]) <= field.width / 2 + field.margin
        )


class Whistle:
    """What the referee of a match says, in the league's words."""

    def __init__(self, match: Match, names: tuple[str, str], epoch: float = 0.0):
        self.match, self.names, self.epoch = match, names, epoch
        self.command, self.counter, self.since = HALT, 0, 0.0

    def ruling(self) -> Ruling:
        judge = self.match.referee
        now = self._command()
        if now != self.command:
            self.command, self.counter, self.since = now, self.counter + 1, judge.t
        over = judge.state is State.OVER
        stage = AFTER if over else FIRST_HALF if judge.half == 1 else SECOND_HALF
        score = (judge.score[0], judge.score[1])
        stopped = judge.state is State.STOP
        return Ruling(
            stage,
            self.command,
            self.counter,
            self.epoch + self.since,
            score,
            self.names,
            placement=judge.restart.spot * (-1.0 if judge.turned else 1.0) if stopped else None,
            blue_on_positive_half=judge.turned,
            coming=self._coming() if self.command == STOP else None,
        )

    def _coming(self) -> int:
        """What follows a stop."""
        restart = self.match.referee.restart
        return FORCE_START if restart.side < 0 else _PREPARED[restart.kind] + (restart.side == 0)

    def _command(self) -> int:
        """First stop; then kick-offs and penalties are prepared, or a free kick is given."""
        judge = self.match.referee
        if judge.state is State.OVER:
            return HALT
        blue = judge.restart.side == 0
        if judge.state is State.STOP:
            prepared = judge.restart.kind in (State.KICK_OFF, State.PENALTY)
            return self._coming() if prepared and judge.t - judge.since > STOPPED else STOP
        if judge.state is State.RUNNING:
            return FORCE_START if self.command == STOP else self.command
        return _PREPARED[State.FREE_KICK] + blue if judge.state is State.FREE_KICK else START


def pitch_of(field: Field) -> Pitch:
    """The same field, as eyes and the league know it."""
    return Pitch(
        field.name,
        field.length,
        field.width,
        field.margin,
        LINE,
        field.circle,
        field.area_depth,
        field.area_width,
        field.goal_width,
        field.goal_depth,
    )


def listen(
    blue: str,
    yellow: str,
    sides: Collection[int],
    options: MatchOptions = MatchOptions(),
    seed: int = 0,
    ports: Ports = Ports(),
    send_to: str = LOOPBACK,
    started: Callable[[Server], None] = lambda server: None,
    clocked: bool = True,
    ended: Callable[[], bool] = lambda: False,
) -> Match:
    """Play a match in which the `sides` (0 blue, 1 yellow) are played by programs of others; `started` is
    told the server when it is there. By the clock, or not `clocked` as fast as it goes, to the end or until
    it is `ended`."""
    check_minutes(options.minutes)
    field = load_field(options.place)
    remotes = {side: Remote(side, field.robots) for side in sides}
    minds: list[Side] = [
        remotes[side] if side in remotes else Team(load_playbook(book), field, side, seed)
        for side, book in enumerate((blue, yellow))
    ]
    match = Match(
        field,
        (minds[0], minds[1]),
        60 * options.minutes,
        options.sight,
        seed,
        options.keep,
        Watching if options.eyes else Tracker,
    )
    names = tuple("guest" if side in remotes else book for side, book in enumerate((blue, yellow)))
    simulator = OnTheNet(match, remotes)
    with (
        undisturbed(),
        Server(simulator, ports, LOOPBACK, send_to, FRAME, simulator.cameras, simulator.seen) as server,
    ):
        whistle = Whistle(match, (names[0], names[1]), server.epoch)
        started(server)

        def going_on() -> bool:
            ruling = whistle.ruling()
            if server.frames % REFEREE_EVERY == 0:
                server.send_referee(referee(ruling, server.epoch + match.referee.t))
            return match.referee.state is not State.OVER and not ended()

        if clocked:
            server.run(going_on=going_on)
        else:
            while going_on():
                server.once()
        for _ in range(LAST_WORDS):
            server.send_referee(referee(whistle.ruling(), server.epoch + match.referee.t))
        match.missed += server.late
    return match
