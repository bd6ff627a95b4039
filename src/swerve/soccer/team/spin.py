"""How a ball spins, from how it has moved: sight tells places and velocities only.

A kick gives no spin: the ball slides, loses two sevenths of its speed within some tenths of a second, and
only then rolls on. Whoever takes it for rolling expects it a quarter of a metre too far on, 0.4 s ahead.

>>> import numpy as np
>>> spin, robots, ball = Spin(), np.full((2, 6), 9.0), np.zeros(8)
>>> ball[3] = 3.0
>>> [round(float(spin.believed(robots, ball)[6]), 2) for _ in range(3)]
[0.0, 0.12, 0.23]
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from ..match.model import (
    BALL_RADIUS,
    BVX,
    BVY,
    FRAME,
    REACH,
    ROBOT_RADIUS,
    SLIDING,
    UX,
    UY,
    X,
    Y,
    Z,
)

HIT = 0.6  # [m/s] that a velocity changes by in a frame when a ball is hit
LATE = 0.2  # [m/s] that a ball which slides seems faster than it is: sight takes it for rolling, and is late
CAUGHT_UP = 0.15  # [s] in which sight has caught up with a ball that rolls
NEAR = ROBOT_RADIUS + BALL_RADIUS + REACH  # [m] from a robot's middle, where a ball may be dribbled


class Spin:
    """What a team keeps of the ball: its velocity a frame ago, and what it would have if it rolled."""

    def __init__(self) -> None:
        self.kept = np.zeros(5)  # velocity, rolling velocity, and how late sight is [m/s]

    def believed(self, robots: np.ndarray, ball: np.ndarray) -> np.ndarray:
        """The ball (8,) a frame later, with its spin and the velocity that goes with it."""
        ball = ball.copy()
        follow(robots, ball, self.kept)
        return ball


@kernel
def follow(robots: np.ndarray, ball: np.ndarray, kept: np.ndarray) -> None:
    """Write the spin into `ball`, take from its velocity what sight is late by, and keep what is next."""
    vx, vy = ball[BVX], ball[BVY]
    was_x, was_y, ux, uy = kept[0], kept[1], kept[2], kept[3]
    kept[0], kept[1] = vx, vy
    near = False
    for i in range(len(robots)):
        dx, dy = robots[i, X] - ball[X], robots[i, Y] - ball[Y]
        near = near or dx * dx + dy * dy < NEAR * NEAR
    if np.hypot(vx - was_x, vy - was_y) > HIT:
        kept[2] = kept[3] = kept[4] = 0.0
        ball[UX] = ball[UY] = 0.0
        return
    sx, sy = vx - ux, vy - uy
    slip = np.hypot(sx, sy)
    if near or ball[Z] > 0.0 or slip < 3.5 * SLIDING * FRAME:
        kept[2], kept[3] = vx, vy
        kept[4] = max(kept[4] - LATE / CAUGHT_UP * FRAME, 0.0)
    else:
        kept[2] += 2.5 * SLIDING * FRAME * sx / slip
        kept[3] += 2.5 * SLIDING * FRAME * sy / slip
        kept[4] = LATE
    fast = np.hypot(vx, vy)
    slower = max(1 - kept[4] / max(fast, 1e-9), 0.0)
    ball[BVX], ball[BVY] = slower * vx, slower * vy
    ball[UX], ball[UY] = slower * kept[2], slower * kept[3]
