"""The ball's filter: between touches it moves as balls do, and it knows whether it slides.

Sight tells places only. Taken for rolling, a kicked ball would be expected a quarter of a metre too far on,
0.4 s ahead: it slides, loses two sevenths of its speed within some tenths of a second, and only then rolls
on. So the filter keeps what the ball would have if it rolled, too. A kick leaves it without spin, what
throws it back leaves its spin as it was, and in a robot's mouth it rolls with the dribbler.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

from .ball import free_one
from .model import (
    BALL_RADIUS,
    BVX,
    BVY,
    BVZ,
    FRONT,
    HEADING,
    HELD,
    KICK_SPEED,
    MOUTH,
    REACH,
    ROBOT_RADIUS,
    SPEED,
    UX,
    UY,
    X,
    Y,
    Z,
)

SURPRISE = 4.0  # standard deviations after which a ball must have been hit
UNKNOWN = 25.0  # [m²/s²] variance of a velocity about which nothing is known
FREE, TOUCHED = 0.5, 8.0  # [m/s²] not foreseen of a ball by itself, and of one that a robot may be touching
BY = ROBOT_RADIUS + BALL_RADIUS + 0.05  # [m] from a robot's middle within which it may be
UP = 0.02  # [m] of height above which a ball is in the air
KICKED = 0.6  # [m/s] away from a front, that only a kicker gives …
THROWN = 0.5  # … or so great a share of what it came with
SLACK = 0.006  # [m] by which a ball may lie beside a mouth
WITH = 0.6  # [m/s] from a robot's velocity, within which a ball in its mouth goes with it
LYING = 0.05  # [m/s] below which a ball lies
FASTEST = KICK_SPEED + SPEED + 1.0  # [m/s] of a ball that was not put there by hand


@inner
@bare
def _beside(mean: np.ndarray, i: int) -> tuple[float, float, float, float]:
    """How far ahead and aside of robot `i` the ball is, and the robot's velocity there."""
    ball = len(mean) - 1
    dx, dy = mean[ball, 0, 0] - mean[i, 0, 0], mean[ball, 1, 0] - mean[i, 1, 0]
    c, s = np.cos(mean[i, HEADING, 0]), np.sin(mean[i, HEADING, 0])
    spin = mean[i, HEADING, 1]
    return c * dx + s * dy, c * dy - s * dx, mean[i, 0, 1] - spin * dy, mean[i, 1, 1] + spin * dx


@inner
@bare
def nearest_robot(mean: np.ndarray, within: float) -> int:
    """The robot nearest to the ball, −1 where none is as near as that [m]."""
    ball, found, least = len(mean) - 1, -1, within * within
    for i in range(ball):
        dx, dy = mean[ball, 0, 0] - mean[i, 0, 0], mean[ball, 1, 0] - mean[i, 1, 0]
        if dx * dx + dy * dy < least:
            found, least = i, dx * dx + dy * dy
    return found


@inner
@bare
def go_on(mean: np.ndarray, rolls: np.ndarray, row: np.ndarray, h: float) -> None:
    """Move the believed ball `h` seconds on; `row` (1, 8) is room to work in."""
    ball = mean[len(mean) - 1]
    high = ball[2, 0] > UP
    row[0, X], row[0, Y], row[0, Z] = ball[0, 0], ball[1, 0], ball[2, 0] if high else 0.0
    row[0, BVX], row[0, BVY], row[0, BVZ] = ball[0, 1], ball[1, 1], ball[2, 1] if high else 0.0
    row[0, UX], row[0, UY] = rolls[0], rolls[1]
    free_one(row, 0, h)
    ball[0, 0], ball[1, 0], ball[0, 1], ball[1, 1] = row[0, X], row[0, Y], row[0, BVX], row[0, BVY]
    if high:
        ball[2, 0], ball[2, 1] = row[0, Z], row[0, BVZ]
    else:
        ball[2, 0] += h * ball[2, 1]
    rolls[0], rolls[1] = row[0, UX], row[0, UY]


@inner
@bare
def spun(mean: np.ndarray, rolls: np.ndarray, near: int, hit: bool, vx: float, vy: float) -> None:
    """What the ball would have if it rolled, after it was seen where it is; before it had (`vx`, `vy`)."""
    ball = mean[len(mean) - 1]
    if hit and ball[0, 1] ** 2 + ball[1, 1] ** 2 + ball[2, 1] ** 2 > FASTEST * FASTEST:
        ball[0, 1] = ball[1, 1] = ball[2, 1] = rolls[0] = rolls[1] = 0.0
        return
    if near < 0:
        if hit and vx * vx + vy * vy < LYING * LYING:  # set going by nobody that is seen
            rolls[0], rolls[1] = ball[0, 1], ball[1, 1]
        return
    ahead, aside, rx, ry = _beside(mean, near)
    c, s = np.cos(mean[near, HEADING, 0]), np.sin(mean[near, HEADING, 0])
    ox, oy = ball[0, 1] - rx, ball[1, 1] - ry
    if hit:
        came = -(c * (vx - rx) + s * (vy - ry))
        if ahead > 0.0 and c * ox + s * oy > max(KICKED, THROWN * came):
            rolls[0] = rolls[1] = 0.0
        return
    in_mouth = FRONT - SLACK < ahead < HELD + REACH + SLACK and abs(aside) < MOUTH + SLACK
    if in_mouth and ball[2, 0] < UP and ox * ox + oy * oy < WITH * WITH:
        rolls[0], rolls[1] = ball[0, 1], ball[1, 1]
