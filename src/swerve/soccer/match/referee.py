"""The referee: who may kick, what is forbidden, how the game starts again.

After a goal, a foul or a ball that left the field the game is stopped, the ball is put on its spot, the side
that has to keeps away, and the other side has ten seconds to kick. `Referee.judge` is told of every frame.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from dataclasses import field as made
from enum import IntEnum

import numpy as np

from .field import FROM_LINE, Field
from .model import BALL_RADIUS, BVX, BVY, FRAME, ROBOT_RADIUS, VX
from .rules import Rules
from .world import Happened, MatchWorld

KEEP_AWAY, NEARLY = 0.5, 0.03  # [m] from the ball, for whoever does not kick; by how much less is let go
KICK_WITHIN = 10.0  # [s] after which a restart is open to all
SETTLE = (1.5, 6.0)  # [s] least and most that a stop lasts
IN_PLAY = 0.05  # [m] that a ball must have moved
WARNED_EVERY = 2.0  # [s] after which standing too near a kick is a foul again
FROM_AREA = 1.0  # [m] between a free kick and a defence area
BEHIND_PENALTY = 1.0  # [m] that others stay behind a penalty kick


class State(IntEnum):
    """What the game is doing. In a `STOP` the sides already know what comes next."""

    STOP = 0
    KICK_OFF = 1
    FREE_KICK = 2
    PENALTY = 3
    RUNNING = 4
    OVER = 5


@dataclass(frozen=True)
class Event:
    """Something the referee saw: at `t` seconds, about `side` (0 blue, 1 yellow, −1 nobody)."""

    t: float
    what: str
    side: int


@dataclass
class Restart:
    """How the game goes on: `kind` for `side` with the ball on `spot`. A drop ball is for nobody (−1)."""

    kind: State
    side: int
    spot: np.ndarray
    kicker: int = -1  # robot that took it
    warned: float = -WARNED_EVERY  # [s] when somebody was last too near


@dataclass
class Referee:
    """Keeps the score, the clock and the rules of a game of two halves, `seconds` in all."""

    field: Field
    seconds: float
    first: int = 0  # side that kicks off
    state: State = State.STOP
    score: list[int] = made(default_factory=lambda: [0, 0])
    fouls: list[Counter[str]] = made(default_factory=lambda: [Counter(), Counter()])
    events: list[Event] = made(default_factory=list)
    t: float = 0.0
    since: float = 0.0  # when this state began
    half: int = 1

    def __post_init__(self) -> None:
        self.rules = Rules(self.field)
        self.restart = Restart(State.KICK_OFF, self.first, np.zeros(2))

    @property
    def turned(self) -> bool:
        """Whether the teams have changed ends, so that blue attacks towards −x on the field itself."""
        return self.half == 2

    @property
    def coming(self) -> State:
        """What is being played or, in a stop, prepared."""
        return self.restart.kind if self.state is State.STOP else self.state

    def judge(self, world: MatchWorld, happened: Happened) -> None:
        """Look at a frame that has been played."""
        self.t += FRAME
        if self.state is State.OVER:
            return
        if self.half == 1 and self.t >= self.seconds / 2 - FRAME / 2:
            self.half = 2
            self._note("half time", -1)
            self._stop(State.KICK_OFF, 1 - self.first, np.zeros(2))
        elif self.t >= self.seconds - FRAME / 2:
            self._note("end", -1)
            self._enter(State.OVER)
        elif self.state is State.STOP:
            self._prepare(world)
        elif self.state is State.RUNNING:
            self._watch(world, happened)
        else:
            self._await_kick(world, happened)

    def _prepare(self, world: MatchWorld) -> None:
        """Put the ball on its spot once nobody stands there, and go on when those who must are away."""
        away = np.hypot(*(world.robots[0, :, :2] - self.restart.spot).T)
        least, most = SETTLE
        waited = self.t - self.since
        if (away < ROBOT_RADIUS + BALL_RADIUS + 0.005).any() and waited < most:
            return
        self._carry_off(world.robots[0], away < ROBOT_RADIUS + BALL_RADIUS + 0.005)
        world.place_ball(*self.restart.spot)
        if waited >= most or (waited >= least and self.in_place(world.robots[0])):
            if self.restart.side < 0:
                self.rules.start(world, None)
                self._enter(State.RUNNING)
            else:
                self._enter(self.restart.kind)

    def _carry_off(self, robots: np.ndarray, on_spot: np.ndarray) -> None:
        """By hand: who still stands on the spot is put towards its own end, as far off as it has to keep."""
        for k in np.flatnonzero(on_spot):
            side = int(k) // self.field.robots
            keeps = KEEP_AWAY if side != self.restart.side else 2 * BALL_RADIUS
            away = np.array([(-1.0 if side == 0 else 1.0) * (ROBOT_RADIUS + BALL_RADIUS + keeps), 0.0])
            end = self.field.length / 2
            robots[k, :2] = self.restart.spot + (away if abs(self.restart.spot[0] + away[0]) < end else -away)
            robots[k, VX : VX + 3] = 0.0

    def in_place(self, robots: np.ndarray) -> bool:
        """Whether everybody stands where the coming restart wants them; the kicker is where it likes."""
        n, spot, side = self.field.robots, self.restart.spot, self.restart.side
        away = np.hypot(*(robots[:, :2] - spot).T) - ROBOT_RADIUS
        others = np.arange(2 * n) // n != side
        if (away[others] < KEEP_AWAY - 0.02).any():
            return False
        sign = np.where(np.arange(2 * n) < n, 1.0, -1.0)
        if self.restart.kind is State.KICK_OFF:
            over = robots[:, 0] * sign > -ROBOT_RADIUS + 0.02
            over[np.argmin(np.where(others, np.inf, away))] = False
            return not over.any()
        if self.restart.kind is State.PENALTY:
            ahead = (robots[:, 0] - spot[0]) * sign[side * n] > -BEHIND_PENALTY + 0.05
            ahead[np.argmin(np.where(others, np.inf, away))] = False
            ahead[(1 - side) * n] = False
            return not ahead.any()
        return True

    def _await_kick(self, world: MatchWorld, happened: Happened) -> None:
        if happened.last >= 0:
            if happened.last // self.field.robots != self.restart.side and self.restart.kicker < 0:
                self._foul("too near a kick", happened.last, self.restart.spot)
                return
            self.restart.kicker = happened.last if self.restart.kicker < 0 else self.restart.kicker
        self._keep_away(world.robots[0])
        moved = np.hypot(*(world.ball[0, :2] - self.restart.spot))
        if moved > IN_PLAY or self.t - self.since > KICK_WITHIN:
            self.rules.start(world, self.restart.kicker if self.restart.kicker >= 0 else None)
            self._enter(State.RUNNING)
            self._watch(world, happened)

    def _keep_away(self, robots: np.ndarray) -> None:
        """Whoever is too near a kick of the others commits a foul; the first gives the kicker time anew."""
        away = np.hypot(*(robots[:, :2] - self.restart.spot).T) - ROBOT_RADIUS
        others = np.arange(len(robots)) // self.field.robots != self.restart.side
        near = others & (away < KEEP_AWAY - NEARLY)
        if self.restart.kind is State.PENALTY:
            near[(1 - self.restart.side) * self.field.robots] = False  # their keeper is on its line
        if near.any() and self.restart.kicker < 0 and self.t - self.restart.warned >= WARNED_EVERY:
            first = self.restart.warned < 0
            self.restart.warned = self.t
            self.since = self.t if first else self.since
            self.fouls[1 - self.restart.side]["too near a kick"] += 1
            self._note("too near a kick", 1 - self.restart.side)

    def _watch(self, world: MatchWorld, happened: Happened) -> None:
        """The rules of a running game, goals first."""
        f, ball = self.field, world.ball[0]
        self.rules.follow(world, happened, self.t)
        beyond_end = abs(ball[0]) > f.length / 2 + BALL_RADIUS
        if beyond_end and abs(ball[1]) < f.goal_width / 2 and ball[2] < f.goal_height:
            side = 0 if ball[0] > 0 else 1
            if self.rules.lobbed(side):
                self._note("no goal, through the air", side)
                self._out(ball[:2], beyond_end)
                return
            self.score[side] += 1
            self._note("goal", side)
            self._stop(State.KICK_OFF, 1 - side, np.zeros(2))
            return
        if beyond_end or abs(ball[1]) > f.width / 2 + BALL_RADIUS:
            self._out(_left_at(f, ball), beyond_end)
            return
        broken = self.rules.broken(world, happened, self.t)
        if broken is not None:
            if broken.other >= 0:  # both are to blame: the ball is dropped
                for robot in (broken.robot, broken.other):
                    self.fouls[robot // f.robots][broken.what] += 1
                    self._note(broken.what, robot // f.robots)
                self._stop(State.FREE_KICK, -1, self.allowed(broken.spot))
                return
            self._foul(broken.what, broken.robot, broken.spot, broken.penalty)

    def _out(self, ball: np.ndarray, beyond_end: bool) -> None:
        """Free kick for the side that did not touch it last: from where it left, from the corner, or for the
        keeper's side from beside its area."""
        f = self.field
        touched = self.rules.last // f.robots if self.rules.last >= 0 else self.first
        x, y = f.length / 2, f.width / 2 - FROM_LINE
        spot = np.array([np.clip(ball[0], FROM_LINE - x, x - FROM_LINE), np.copysign(y, ball[1])])
        if beyond_end:
            end = 0 if ball[0] < 0 else 1  # whose goal line it is
            back = FROM_LINE if touched == end else f.area_depth
            spot[0] = np.copysign(x - back, ball[0])
            what = "corner kick" if touched == end else "goal kick"
        else:
            what = "throw in"
        self._note(what, 1 - touched)
        self._stop(State.FREE_KICK, 1 - touched, spot)

    def _foul(self, what: str, robot: int, spot: np.ndarray, penalty: bool = False) -> None:
        """A free kick for the others, or a penalty. Robot −1 is nobody's fault: the ball is dropped."""
        side = robot // self.field.robots if robot >= 0 else -1
        self._note(what, side)
        if side < 0:
            self._stop(State.FREE_KICK, -1, self.allowed(spot))
            return
        self.fouls[side][what] += 1
        if penalty:
            mark = (self.field.length / 2 - self.field.penalty) * (-1 if side == 0 else 1)
            self._stop(State.PENALTY, 1 - side, np.array([mark, 0.0]))
        else:
            self._stop(State.FREE_KICK, 1 - side, self.allowed(spot))

    def allowed(self, spot: np.ndarray) -> np.ndarray:
        """The nearest place for a free kick: inside the lines and well away from the defence areas."""
        f = self.field
        x, y = f.length / 2 - FROM_LINE, f.width / 2 - FROM_LINE
        x, y = float(np.clip(spot[0], -x, x)), float(np.clip(spot[1], -y, y))
        front, beside = f.length / 2 - f.area_depth - FROM_AREA, f.area_width / 2 + FROM_AREA
        if abs(x) > front and abs(y) < beside:
            if beside - abs(y) < abs(x) - front and beside <= f.width / 2 - FROM_LINE:
                y = float(np.copysign(beside, y))
            else:
                x = float(np.copysign(front, x))
        return np.array([x, y])

    def _stop(self, kind: State, side: int, spot: np.ndarray) -> None:
        self.restart = Restart(kind, side, spot)
        self._enter(State.STOP)

    def _enter(self, state: State) -> None:
        self.state, self.since = state, self.t

    def _note(self, what: str, side: int) -> None:
        self.events.append(Event(self.t, what, side))


def _left_at(field: Field, ball: np.ndarray) -> np.ndarray:
    """Where a ball (8,) that is out crossed the line, by its velocity."""
    over = np.abs(ball[:2]) - np.array([field.length, field.width]) / 2 - BALL_RADIUS
    speed = np.abs(ball[BVX : BVY + 1])
    out = (over > 0) & (speed > 0)
    back = float(np.max(over[out] / speed[out], initial=0.0))
    return ball[:2] - min(back, FRAME) * ball[BVX : BVY + 1]
