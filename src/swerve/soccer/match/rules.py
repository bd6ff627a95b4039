"""What is forbidden while the ball is in play, and who did it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .field import Field
from .model import BALL_RADIUS, FRAME, HELD, KICK_SPEED, ROBOT_HEIGHT, ROBOT_RADIUS, VX, VY, Z
from .world import Happened, MatchWorld

TOO_FAST = KICK_SPEED + 0.05  # [m/s]
DRIBBLE = 1.0  # [m] that a robot may carry the ball
LET_GO = 0.05  # [m] between robot and ball, after which a touch is a new one
CLEAR = 0.02  # [m] between them that ends a dribble
WITH_KICKER = 0.05  # [m] that a ball may go in touch with the robot that takes a kick
CRASH, FASTER = (
    1.5,
    0.3,
)  # [m/s] closing speed of a crash; by how much one must be faster to be alone to blame
PUSH_SECONDS, PUSH = 1.0, 0.15  # contact for so long, in which both moved so far [m]
STUCK, STUCK_SECONDS = 0.3, 10.0  # a ball that stays within so many metres for so long
KEEPER_SECONDS = 10.0  # that a keeper may have the ball in its area


@dataclass(frozen=True)
class Broken:
    """A rule that `robot` broke, with the ball at `spot`; robot −1: nobody did, but the game must stop."""

    what: str
    robot: int
    spot: np.ndarray
    penalty: bool = False
    other: int = -1  # robot that is as much to blame


class Rules:
    """Remembers what the rules need of the past: who touched, who carries, who pushes, where the ball was."""

    def __init__(self, field: Field):
        self.field = field
        n = 2 * field.robots
        self.sides = np.arange(n) // field.robots
        self.ends = np.where(self.sides == 0, 1.0, -1.0)  # the way each attacks
        self.last = -1  # robot that touched the ball last
        self.highest = np.zeros(2)  # [m] that the ball has been since each side touched it
        self.kicker: int | None = None  # robot of the restart that may not touch again
        self.apart = False
        self.kicked_from, self.ball_before = np.zeros(2), np.zeros(2)
        self.carries, self.carried_from = np.zeros(n, dtype=bool), np.zeros((n, 2))  # each by itself
        self.touching = np.zeros((n, n))  # [s] in contact
        self.met_at = np.zeros((n, n, 2))
        self.velocity = np.zeros((n, 2))  # of the frame before
        self.rest_at, self.rest_since = np.zeros(2), 0.0
        self.keeper_since = np.full(2, np.inf)

    def start(self, world: MatchWorld, kicker: int | None) -> None:
        """The ball is in play, by a kick of `kicker`."""
        self.kicker, self.apart, self.carries[:] = kicker, False, False
        self.kicked_from, self.ball_before = world.ball[0, :2].copy(), world.ball[0, :2].copy()
        self.last = self.last if kicker is None else kicker
        self.rest_since = self.rest_at[0] = np.inf
        self.keeper_since[:] = np.inf
        self.touching[:] = 0.0
        self.highest[:] = 0.0
        self.velocity = world.robots[0, :, VX : VY + 1].copy()

    def follow(self, world: MatchWorld, happened: Happened, t: float) -> None:
        """Take note of a frame of play."""
        if happened.last >= 0:
            self.last = happened.last
            self.highest[self.sides[happened.touched]] = 0.0
        self.highest = np.maximum(self.highest, world.ball[0, Z])
        ball = world.ball[0, :2]
        if np.hypot(*(ball - self.rest_at)) > STUCK or not np.isfinite(self.rest_since):
            self.rest_at, self.rest_since = ball.copy(), t

    def lobbed(self, side: int) -> bool:
        """Whether the ball has flown over robots since a side touched it: then it scores no goal."""
        return bool(self.highest[side] > ROBOT_HEIGHT)

    def broken(self, world: MatchWorld, happened: Happened, t: float) -> Broken | None:
        """The first rule that this frame broke."""
        ball = world.ball[0, :2].copy()
        kicker = happened.kicker if happened.kicker >= 0 else self.last  # not who was hit in the same frame
        if happened.top_speed > TOO_FAST and kicker >= 0:
            return Broken("ball too fast", kicker, ball)
        found = self._touches(world, happened, ball, t) or self._contacts(world, happened, ball)
        self.velocity = world.robots[0, :, VX : VY + 1].copy()
        if found is None and t - self.rest_since > STUCK_SECONDS:
            return Broken("no progress", -1, ball)
        return found

    def _touches(self, world: MatchWorld, happened: Happened, ball: np.ndarray, t: float) -> Broken | None:
        robots, f = world.robots[0], self.field
        gone = np.hypot(*(self.ball_before - self.kicked_from)) > WITH_KICKER
        let_go = self.apart or gone  # before this frame
        self.ball_before = ball
        if self.kicker is not None:
            away = np.hypot(*(robots[self.kicker, :2] - ball)) - ROBOT_RADIUS - BALL_RADIUS
            self.apart = self.apart or away > LET_GO
        self.carries &= np.hypot(*(robots[:, :2] - ball).T) <= HELD + CLEAR
        for side in (0, 1):
            keeper = robots[side * f.robots]
            apart = np.hypot(*(keeper[:2] - ball)) > ROBOT_RADIUS + BALL_RADIUS + LET_GO
            inside = _in_area(f, ball[0], ball[1], 0.0)
            if apart or not inside:
                self.keeper_since[side] = np.inf
        order = np.flatnonzero(happened.touched)
        for robot in order[::-1] if happened.coin else order:
            if self.kicker == robot and let_go:
                return Broken("double touch", int(robot), ball)
            if self.kicker is not None and self.kicker != robot:
                self.kicker = None
            x, y = robots[robot, 0] * self.ends[robot], robots[robot, 1]  # its goal is at −length/2
            if x > 0 and _in_area(f, x, y, ROBOT_RADIUS):
                return Broken("attacker in defence area", int(robot), ball)
            whole = (
                abs(y) < f.area_width / 2 - ROBOT_RADIUS and -x > f.length / 2 - f.area_depth + ROBOT_RADIUS
            )
            if whole and robot % f.robots != 0:
                return Broken("defender in defence area", int(robot), ball, penalty=True)
            side = int(self.sides[robot])
            if x < 0 and robot % f.robots == 0 and _in_area(f, ball[0], ball[1], 0.0):
                self.keeper_since[side] = min(self.keeper_since[side], t)
                if t - self.keeper_since[side] > KEEPER_SECONDS:
                    return Broken("keeper held the ball", int(robot), ball)
            else:
                self.keeper_since[side] = np.inf
            self.carries &= self.sides == side  # the others have had it
            if not self.carries[robot]:
                self.carries[robot], self.carried_from[robot] = True, ball
            elif np.hypot(*(ball - self.carried_from[robot])) > DRIBBLE:
                return Broken("dribbled too far", int(robot), ball)
        return None

    def _contacts(self, world: MatchWorld, happened: Happened, ball: np.ndarray) -> Broken | None:
        robots = world.robots[0]
        met = happened.met > 0
        begins = met & (self.touching == 0)
        middles = 0.5 * (robots[:, None, :2] + robots[None, :, :2])
        self.met_at[begins] = middles[begins]
        self.touching = np.where(met, self.touching + FRAME, 0.0)
        if not met.any():
            return None
        for i, j in np.argwhere(met & (self.sides[:, None] != self.sides[None])):
            if happened.met[i, j] > CRASH:
                fast = np.hypot(*self.velocity[i]) - np.hypot(*self.velocity[j])
                if abs(fast) > FASTER:
                    return Broken("crash", int(i if fast > 0 else j), ball)
                return Broken("crash", int(i), ball, other=int(j))
            if self.touching[i, j] > PUSH_SECONDS:
                pushed = middles[i, j] - self.met_at[i, j]
                if np.hypot(*pushed) > PUSH:
                    forward = float(pushed @ (robots[j, :2] - robots[i, :2]))
                    return Broken("pushing", int(i if forward > 0 else j), ball)
        return None


def _in_area(field: Field, x: float, y: float, radius: float) -> bool:
    """Whether a disc lies in a defence area, be it in part."""
    deep = max(field.length / 2 - field.area_depth - abs(x), 0.0)
    return bool(np.hypot(deep, max(abs(y) - field.area_width / 2, 0.0)) < max(radius, 1e-9))
