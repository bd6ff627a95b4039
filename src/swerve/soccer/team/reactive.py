"""Attackers that do not look ahead: shoot at the widest gap, or pass by rule to whoever stands free."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..match.field import GOAL_HALF, HALF_LENGTH
from ..match.model import ROLLING, X, Y
from .frame import (
    AIM_X,
    AIM_Y,
    CLEAR,
    MATE,
    PASS,
    SHOT,
    SPEED_OUT,
    THROUGH_AIR,
    TOLERANCE,
    WHAT,
    WORTH,
    clearance,
    opening,
)

SHOT_SPEED = 6.2  # [m/s]
WIDE_ENOUGH = 0.06  # [rad] of free goal that is worth a shot
ARRIVING = 2.0  # [m/s] that a pass should still have


@inner
@bare
def pass_speed(distance: float) -> float:
    """[m/s] of a kick that arrives after `distance` [m] as fast as a receiver likes it."""
    return min(5.8, 1.4 * np.sqrt(ARRIVING**2 + 2 * ROLLING * distance))


@kernel
def shoot(robots: np.ndarray, ball: np.ndarray, field: np.ndarray, plan: np.ndarray) -> None:
    """Kick at their goal, at its widest gap or, if there is none, at its middle."""
    wide, at = opening(robots, field, ball[X], ball[Y])
    plan[:] = 0.0
    plan[WHAT], plan[SPEED_OUT], plan[MATE] = SHOT, SHOT_SPEED, -1
    plan[AIM_X], plan[AIM_Y] = field[HALF_LENGTH], at if wide > 0 else 0.0
    plan[TOLERANCE] = 0.05
    plan[WORTH] = wide


@kernel
def shoot_or_pass(
    robots: np.ndarray, ball: np.ndarray, field: np.ndarray, attacker: int, plan: np.ndarray
) -> None:
    """A shot if there is a gap; else a pass to the mate with a clear way and the best gap; else away."""
    n = len(robots) // 2
    shoot(robots, ball, field, plan)
    if plan[WORTH] > WIDE_ENOUGH:
        return
    best = 0.05
    for j in range(1, n):
        x, y = robots[j, X], robots[j, Y]
        away = np.hypot(x - ball[X], y - ball[Y])
        if j == attacker or away < 0.6:
            continue
        clear = clearance(robots, n, 2 * n, -1, ball[X], ball[Y], x, y)
        wide, _ = opening(robots, field, x, y)
        worth = 0.1 + wide + 0.05 * (x - ball[X])
        if clear > 0 and worth > best:
            best = worth
            plan[WHAT], plan[AIM_X], plan[AIM_Y], plan[MATE] = PASS, x, y, j
            plan[SPEED_OUT], plan[TOLERANCE], plan[WORTH] = pass_speed(away), 0.05, worth
    if plan[WHAT] == SHOT and ball[X] < -0.3 * field[HALF_LENGTH]:
        plan[WHAT], plan[THROUGH_AIR], plan[SPEED_OUT] = CLEAR, 1.0, 5.0
        plan[AIM_Y] = field[GOAL_HALF] * (1.0 if ball[Y] > 0 else -1.0)
