"""Who gets to the ball first, and where: the ball rolled forward, and robots' times to its places."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from ..match.ball import free_one
from ..match.field import HALF_LENGTH, HALF_WIDTH, MARGIN
from ..match.model import HELD, ROBOT_HEIGHT, VX, VY, X, Y, Z
from .frame import has_ball, travel

STEP, STEPS = 0.05, 60  # [s] between the ball's places that are looked at, and how many


@kernel
def intercepts(
    robots: np.ndarray, ball: np.ndarray, field: np.ndarray, times: np.ndarray, places: np.ndarray
) -> None:
    """`times` (m,) [s] at which each robot can have the ball, and `places` (m, 2) where it then is. Who has
    it at its front needs no time, however fast both go."""
    m = len(robots)
    rolled = ball.copy().reshape(1, len(ball))
    times[:] = np.inf
    for i in range(m):
        if ball[Z] < ROBOT_HEIGHT and has_ball(robots, i, ball[X], ball[Y]):
            times[i], places[i, 0], places[i, 1] = 0.0, ball[X], ball[Y]
    end, side = field[HALF_LENGTH] + field[MARGIN], field[HALF_WIDTH] + field[MARGIN]
    for k in range(STEPS):
        low = rolled[0, Z] < ROBOT_HEIGHT
        x, y = rolled[0, X], rolled[0, Y]
        if abs(x) > end or abs(y) > side:
            break
        for i in range(m):
            if times[i] < np.inf or not low:
                continue
            dx, dy = x - robots[i, X], y - robots[i, Y]
            gap = max(np.hypot(dx, dy), 1e-6)
            along = (robots[i, VX] * dx + robots[i, VY] * dy) / gap
            if travel(gap - HELD, along) <= k * STEP:
                times[i] = k * STEP
                places[i, 0], places[i, 1] = x, y
        free_one(rolled, 0, STEP)
    for i in range(m):
        if times[i] == np.inf:
            x = min(max(rolled[0, X], -end), end)
            y = min(max(rolled[0, Y], -side), side)
            places[i, 0], places[i, 1] = x, y
            dx, dy = x - robots[i, X], y - robots[i, Y]
            times[i] = STEP * STEPS + travel(np.hypot(dx, dy), 0.0)
