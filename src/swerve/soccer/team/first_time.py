"""Shots at first touch: where a ball on its way could be kicked at their goal without being stopped.

The robot stands where the ball will come by, faces its aim, and the kicker fires as the ball touches it; a
shot comes about a second sooner than by stopping, turning and kicking, before keeper and defenders are there.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from ..match.ball import free_one
from ..match.field import GOAL_HALF, HALF_LENGTH, HALF_WIDTH
from ..match.model import BALL_COLUMNS, BVX, BVY, HEADING, HELD, ROBOT_RADIUS, VX, VY, X, Y, Z
from .frame import (
    AIM_X,
    AIM_Y,
    FIRST_AT,
    MATE,
    SHOT,
    SPEED_OUT,
    TOLERANCE,
    WHAT,
    opening,
    out_of_area,
    travel,
    turned,
)
from .reactive import SHOT_SPEED

STEP, STEPS = 0.08, 16  # [s] between the moments that are looked at, and how many
SLOWEST, LOW = 0.8, 0.03  # [m/s] of a ball that is worth it; [m] of height above which it is not kicked
LEAST_OPENING, LEAST_COSINE = (
    0.1,
    0.3,
)  # [rad] of free goal; of the angle between where it comes from and goes to
READY = 0.1  # [s] before the ball by which the robot is there
TURNING = 6.0  # [rad/s]
AIMS = np.array([0.0, 0.5, -0.5])  # shares of half the goal beside the middle of the opening
MOST = 15  # candidates


@kernel
def first_touches(
    robots: np.ndarray, ball: np.ndarray, field: np.ndarray, who: int, plans: np.ndarray
) -> int:
    """Fill `plans` (MOST, 12) with shots at first touch that robot `who` is in time for, and count them."""
    count, goal = 0, field[GOAL_HALF] - 0.07
    rolled = np.empty((1, BALL_COLUMNS))
    rolled[0] = ball
    for k in range(1, STEPS):
        free_one(rolled, 0, STEP)
        x, y, vx, vy = rolled[0, X], rolled[0, Y], rolled[0, BVX], rolled[0, BVY]
        speed = np.hypot(vx, vy)
        out = abs(x) > field[HALF_LENGTH] or abs(y) > field[HALF_WIDTH]
        if out or speed < SLOWEST or count + len(AIMS) > len(plans):
            break
        if k * STEP < READY or rolled[0, Z] > LOW:
            continue
        angle, at = opening(robots, field, x, y)
        if angle < LEAST_OPENING:
            continue
        for a in range(len(AIMS)):
            aim = min(max(at + goal * AIMS[a], -goal), goal)
            dx, dy = field[HALF_LENGTH] - x, aim - y
            far = max(np.hypot(dx, dy), 1e-6)
            if dx * vx + dy * vy > -LEAST_COSINE * far * speed:
                continue
            to_x, to_y = x - HELD * dx / far, y - HELD * dy / far
            in_x, in_y = out_of_area(field, to_x, to_y, ROBOT_RADIUS + 0.02)
            if in_x != to_x or in_y != to_y:
                continue
            mx, my = to_x - robots[who, X], to_y - robots[who, Y]
            gap = max(np.hypot(mx, my), 1e-6)
            there = travel(gap, (robots[who, VX] * mx + robots[who, VY] * my) / gap)
            turn = abs(turned(np.arctan2(dy, dx) - robots[who, HEADING])) / TURNING
            if max(there, turn) + READY > k * STEP:
                continue
            plans[count] = 0.0
            plans[count, WHAT], plans[count, AIM_X], plans[count, AIM_Y] = SHOT, field[HALF_LENGTH], aim
            plans[count, SPEED_OUT], plans[count, MATE], plans[count, TOLERANCE] = SHOT_SPEED, -1, 0.04
            plans[count, FIRST_AT] = k * STEP
            count += 1
    return count
