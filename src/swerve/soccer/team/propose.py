"""What an attacker could do with the ball: shots, passes on the ground and in the air, carries, clearing."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..match.field import GOAL_HALF, HALF_LENGTH, HALF_WIDTH
from ..match.model import GRAVITY, X, Y
from .frame import (
    AIM_X,
    AIM_Y,
    CARRY,
    CARRY_UNTIL,
    CARRY_VX,
    CARRY_VY,
    CLEAR,
    MATE,
    PASS,
    SHOT,
    SPEED_OUT,
    THROUGH_AIR,
    TOLERANCE,
    WHAT,
    out_of_area,
)
from .reactive import SHOT_SPEED, pass_speed

MOST = 128  # candidates
SHOTS = 9  # places in the goal that are aimed at
NEAREST_MATE, LEAST_CLEAR = 0.9, 1.2  # [m] to a mate that is passed to; of a kick to get rid of the ball
HARD = 1.5  # times the speed that a receiver likes, of passes that are to get through
LEADS = np.array([[0.0, 0.0], [0.6, 0.0], [0.3, 0.5], [0.3, -0.5], [-0.3, 0.0]])  # [m] beside a mate
CARRIES, CARRY_SPEED, CARRY_SECONDS = 8, 1.3, 0.3  # ways to carry the ball, how fast [m/s], for how long
CARRY_AIMS = np.array([-0.7, 0.7])  # shares of the goal that are aimed at after a carry
AIR_SHARE = 0.6  # of a chip's way that is in the air before it first lands


@inner
@bare
def _one(
    plans: np.ndarray,
    k: int,
    what: int,
    x: float,
    y: float,
    speed: float,
    air: float,
    mate: int,
    tolerance: float,
) -> int:
    plans[k] = 0.0
    plans[k, WHAT], plans[k, AIM_X], plans[k, AIM_Y] = what, x, y
    plans[k, SPEED_OUT], plans[k, THROUGH_AIR], plans[k, MATE], plans[k, TOLERANCE] = (
        speed,
        air,
        mate,
        tolerance,
    )
    return k + 1


@kernel
def propose(
    robots: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    who: int,
    keeps: bool,
    may_carry: bool,
    plans: np.ndarray,
) -> int:
    """Fill `plans` (MOST, 11) with what robot `who` could do, one thing at least, and count them. Who `keeps`
    goal neither shoots nor carries; carries end after a while."""
    n, count = len(robots) // 2, 0
    end, goal = field[HALF_LENGTH], field[GOAL_HALF] - 0.07
    bx, by = ball[X], ball[Y]
    far = np.hypot(end - bx, by)
    fine = min(0.06, max(0.015, 0.06 / far))
    if not keeps:
        for k in range(SHOTS):
            y = -goal + 2 * goal * k / (SHOTS - 1)
            count = _one(plans, count, SHOT, end, y, SHOT_SPEED, 0.0, -1, fine)
    for j in range(1, n):
        near = np.hypot(robots[j, X] - bx, robots[j, Y] - by) < NEAREST_MATE
        if j == who or near:
            continue
        for lead in range(len(LEADS)):
            x, y = robots[j, X] + LEADS[lead, 0], robots[j, Y] + LEADS[lead, 1]
            x = min(max(x, 0.2 - end), end - 0.2)
            y = min(max(y, 0.2 - field[HALF_WIDTH]), field[HALF_WIDTH] - 0.2)
            x, y = out_of_area(field, x, y, 0.15)
            away = np.hypot(x - bx, y - by)
            if away < 0.7 or x < bx - (2.0 if bx < 0 else 3.5):
                continue
            count = _one(plans, count, PASS, x, y, pass_speed(away), 0.0, j, 0.04)
            if lead < 3 and away > 1.5:
                count = _one(plans, count, PASS, x, y, min(HARD * pass_speed(away), 6.0), 0.0, j, 0.03)
            if lead < 2 and away > 1.2:
                speed = min(np.sqrt(GRAVITY * AIR_SHARE * away), 6.0)
                count = _one(plans, count, PASS, x, y, speed, 1.0, j, 0.04)
    if may_carry and not keeps:
        for k in range(CARRIES):
            angle = 2 * np.pi * k / CARRIES
            for a in range(len(CARRY_AIMS) + 1):
                kick = SHOT_SPEED if a < len(CARRY_AIMS) else 0.0  # or only hold it
                y = goal * CARRY_AIMS[a] if kick > 0 else 0.0
                count = _one(plans, count, CARRY, end, y, kick, 0.0, -1, fine)
                plans[count - 1, CARRY_VX] = CARRY_SPEED * np.cos(angle)
                plans[count - 1, CARRY_VY] = CARRY_SPEED * np.sin(angle)
                plans[count - 1, CARRY_UNTIL] = CARRY_SECONDS
    for side in (-1.0, 1.0):
        wide = field[HALF_WIDTH] - 0.5
        x, y = min(bx + 3.0, 0.6 * end), side * 0.6 * field[HALF_WIDTH]
        away = np.hypot(x - bx, y - by)
        if away > LEAST_CLEAR:
            count = _one(plans, count, CLEAR, x, y, 3.0, 0.0, -1, 0.1)
            count = _one(plans, count, CLEAR, x, y, min(np.sqrt(0.5 * GRAVITY * away), 5.0), 1.0, -1, 0.1)
        if bx < 0:
            y = min(max(by + side, -wide), wide)
            count = _one(plans, count, CLEAR, bx + 3.0, y, 5.5, 1.0, -1, 0.15)
    if count == 0:  # a keeper far ahead on a small field
        count = _one(plans, count, CLEAR, end, 0.0, SHOT_SPEED, 0.0, -1, 0.1)
    return count
