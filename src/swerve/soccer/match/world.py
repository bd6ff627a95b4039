"""Worlds of robots and a ball, side by side: the match is one; what both sides believe, two.

`advance` moves a batch by a frame, in place: `robots` (b, n, 6), `ball` (b, 8), `commands` (b, n, 6); it
notes who touched the ball (b, n; 0 at first), how fast pairs of robots ran into each other (b, n, n), and
`notes` (b, 4), of which the last says who counts as the nearer of two that are as near: the last of the
list if it is not 0, else the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.kernels import bare, inner, kernel
from swerve.core.seeding import generator

from .ball import carry_one, free_one
from .duel import handle_all, nearest_to
from .field import GOAL_HEIGHT, Field
from .model import (
    ACCELERATION,
    BALL_COLUMNS,
    BALL_RADIUS,
    BRAKING,
    BVX,
    BVY,
    BVZ,
    COIN,
    DRIBBLE,
    FRAME,
    HEADING,
    KICKER,
    LAST_TOUCH,
    NOTES,
    ROBOT_RADIUS,
    SPEED,
    SPIN,
    SUBSTEPS,
    TOLD_SPIN,
    TOLD_VX,
    TOLD_VY,
    TOP_SPEED,
    TURNING,
    TURNING_ACCELERATION,
    VX,
    VY,
    WALL,
    X,
    Y,
    Z,
)
from .press import hold_off
from .touch import fence, part, stop_at_goal, strike


@bare
def drive(robots: np.ndarray, commands: np.ndarray, b: int, i: int, h: float) -> None:
    """Robot `i` does what it was told, as far as it can within `h` seconds."""
    wx, wy = commands[b, i, TOLD_VX], commands[b, i, TOLD_VY]
    fast = np.hypot(wx, wy)
    if fast > SPEED:
        wx, wy = wx * SPEED / fast, wy * SPEED / fast
    vx, vy = robots[b, i, VX], robots[b, i, VY]
    ax, ay = wx - vx, wy - vy
    most = (BRAKING if ax * vx + ay * vy < 0.0 else ACCELERATION) * h
    share = min(1.0, most / max(np.hypot(ax, ay), 1e-12))
    robots[b, i, VX] += share * ax
    robots[b, i, VY] += share * ay
    robots[b, i, X] += 0.5 * (vx + robots[b, i, VX]) * h
    robots[b, i, Y] += 0.5 * (vy + robots[b, i, VY]) * h
    spin, want = robots[b, i, SPIN], min(max(commands[b, i, TOLD_SPIN], -TURNING), TURNING)
    most = TURNING_ACCELERATION * h
    robots[b, i, SPIN] = spin + min(max(want - spin, -most), most)
    robots[b, i, HEADING] += 0.5 * (spin + robots[b, i, SPIN]) * h


@inner
@bare
def substep(
    robots: np.ndarray,
    ball: np.ndarray,
    balls: np.ndarray,
    commands: np.ndarray,
    b: int,
    field: np.ndarray,
    h: float,
    touched: np.ndarray,
    met: np.ndarray,
    notes: np.ndarray,
) -> None:
    """World `b` after `h` seconds; `balls` is `ball` with an axis for the number of the body."""
    n = robots.shape[1]
    for i in range(n):
        drive(robots, commands, b, i, h)
    for _ in range(4):
        part(robots, b, met)
        for i in range(n):
            fence(robots, b, i, ROBOT_RADIUS, field, VX, 0.0, True)
    held = handle_all(robots, ball, commands, b, h, touched, notes)
    before_x, before_y = ball[b, X], ball[b, Y]
    if held:
        carry_one(ball, b, h)
    else:
        free_one(ball, b, h)
    near = nearest_to(robots, ball, b, notes[b, COIN])
    for k in range(n):  # the nearest comes last, and was the last to touch it
        i = n - 1 if k == near else k
        i = near if k == n - 1 else i
        strike(robots, ball, b, i, commands[b, i, DRIBBLE] > 0.0, touched, notes)
    if ball[b, Z] < field[GOAL_HEIGHT]:
        stop_at_goal(ball, b, before_x, before_y, field)
    fence(balls, b, 0, BALL_RADIUS, field, BVX, WALL, ball[b, Z] < field[GOAL_HEIGHT])
    hold_off(robots, ball, balls, b, field)
    speed = np.sqrt(ball[b, BVX] ** 2 + ball[b, BVY] ** 2 + ball[b, BVZ] ** 2)
    notes[b, TOP_SPEED] = max(notes[b, TOP_SPEED], speed)


@kernel
def advance(
    robots: np.ndarray,
    ball: np.ndarray,
    commands: np.ndarray,
    field: np.ndarray,
    seconds: float,
    substeps: int,
    touched: np.ndarray,
    met: np.ndarray,
    notes: np.ndarray,
) -> None:
    """All worlds of a batch, `seconds` later."""
    balls = ball.reshape(len(ball), 1, ball.shape[1])
    for b in range(len(robots)):
        notes[b, LAST_TOUCH] = notes[b, KICKER] = -1
        notes[b, TOP_SPEED] = 0.0
        for _ in range(substeps):
            substep(robots, ball, balls, commands, b, field, seconds / substeps, touched, met, notes)


@dataclass
class Happened:
    """What a frame brought: `touched` (n,) the ball, `last` to do so or −1, `kicker` or −1, the ball's
    `top_speed` [m/s], and how fast pairs `met` (n, n) [m/s], 0 where they did not; `coin` decides between two
    of whom nothing else tells who was first."""

    touched: np.ndarray
    met: np.ndarray
    last: int
    kicker: int
    top_speed: float
    coin: bool = False


class MatchWorld:
    """One field with robots, blue first, and a ball. A coin, thrown anew every frame, decides ties between
    robots."""

    def __init__(self, field: Field, seed: int = 0):
        n = 2 * field.robots
        self.field, self.row = field, field.row
        self.coins = generator(seed, "ties")
        self.robots = np.zeros((1, n, 6))
        self.ball = np.zeros((1, BALL_COLUMNS))

    def step(self, commands: np.ndarray, seconds: float = FRAME) -> Happened:
        """Do what the commands (n, 6) say for a frame."""
        n = self.robots.shape[1]
        touched, met, notes = np.zeros((1, n), np.uint8), np.zeros((1, n, n)), np.zeros((1, NOTES))
        coin = bool(self.coins.integers(2))
        notes[0, COIN] = coin
        told = np.ascontiguousarray(commands, dtype=float)[None]
        advance(self.robots, self.ball, told, self.row, seconds, SUBSTEPS, touched, met, notes)
        last, top, kicker = notes[0, :COIN]
        return Happened(touched[0] > 0, met[0], int(last), int(kicker), float(top), coin)

    def place_ball(self, x: float, y: float) -> None:
        """Put the ball somewhere, at rest."""
        self.ball[:] = 0.0
        self.ball[0, :2] = x, y
