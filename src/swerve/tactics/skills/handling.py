"""Kernels of a robot with a dribbler: getting, holding, leading and kicking a ball, branch by branch.

`robot` and `ball` are `Slot.numbers`; the robot is planar, the ball free. All give (b,) busy flags.
"""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import wrapped
from swerve.core.kernels import inner, kernel

from ..steering import BASE_X, BASE_Y, DOF, MASS, PLACE, RADIUS, VELOCITY, drive_row, turn_row

GAP = 0.004  # [m] between a robot and the ball in front of it
CAPTURE = 0.03  # [m] from the mouth of a robot, within which its dribbler holds a ball
LEAD = 0.15  # [s] that a robot looks ahead when it goes for a moving ball
AIMED, BEHIND = 0.08, 0.03  # [rad], [m] from which a robot may kick


@kernel
def at_mouth(rows: np.ndarray, robot: np.ndarray, ball: np.ndarray) -> np.ndarray:
    held = np.empty(len(rows), dtype=np.bool_)
    for i in range(len(rows)):
        dx, dy = _to_mouth(rows[i], robot, ball)
        held[i] = np.hypot(dx, dy) < CAPTURE
    return held


@kernel
def get_ball(
    forces: np.ndarray,
    rows: np.ndarray,
    robot: np.ndarray,
    ball: np.ndarray,
    variables: np.ndarray,
    speed: float,
    acceleration: float,
    force: float,
    dt: float,
) -> np.ndarray:
    """`variables`: until when."""
    busy = np.empty(len(rows), dtype=np.bool_)
    q, v, own = int(ball[PLACE]), int(ball[VELOCITY]), int(robot[PLACE])
    reach = robot[RADIUS] + ball[RADIUS]
    for i in range(len(rows)):
        row = rows[i]
        dx, dy = row[q] - row[own] - robot[BASE_X], row[q + 1] - row[own + 1] - robot[BASE_Y]
        back = reach / max(np.hypot(dx, dy), 1e-12)
        x, y = row[q] + LEAD * row[v] - back * dx, row[q + 1] + LEAD * row[v + 1] - back * dy
        drive_row(forces[i], row, robot, x, y, speed, acceleration, dt, False)
        turn_row(forces[i], row, robot, np.arctan2(dy, dx), 12.0, 60.0, dt)
        busy[i] = not hold(forces[i], row, robot, ball, force, dt) and row[0] < variables[i, 0]
    return busy


@kernel
def dribble(
    forces: np.ndarray,
    rows: np.ndarray,
    robot: np.ndarray,
    ball: np.ndarray,
    variables: np.ndarray,
    speed: float,
    acceleration: float,
    force: float,
    dt: float,
) -> np.ndarray:
    """`variables`: x and y of the place to go to, until when."""
    busy = np.empty(len(rows), dtype=np.bool_)
    own = int(robot[PLACE])
    for i in range(len(rows)):
        x, y = variables[i, 0], variables[i, 1]
        dx, dy = x - rows[i, own] - robot[BASE_X], y - rows[i, own + 1] - robot[BASE_Y]
        drive_row(forces[i], rows[i], robot, x, y, speed, acceleration, dt, False)
        turn_row(forces[i], rows[i], robot, np.arctan2(dy, dx), 4.0, 20.0, dt)
        busy[i] = hold(forces[i], rows[i], robot, ball, force, dt) and rows[i, 0] < variables[i, 2]
    return busy


@kernel
def kick(
    forces: np.ndarray,
    rows: np.ndarray,
    robot: np.ndarray,
    ball: np.ndarray,
    variables: np.ndarray,
    lift: np.ndarray,
    speed: float,
    acceleration: float,
    force: float,
    dt: float,
) -> np.ndarray:
    """`variables`: x and y of the target, the ball's speed, until when. `lift` (b,) is the upward speed over
    the level one."""
    busy = np.empty(len(rows), dtype=np.bool_)
    q, v, dof, own = int(ball[PLACE]), int(ball[VELOCITY]), int(ball[DOF]), int(robot[PLACE])
    reach = robot[RADIUS] + ball[RADIUS] + GAP
    for i in range(len(rows)):
        row = rows[i]
        dx, dy = variables[i, 0] - row[q], variables[i, 1] - row[q + 1]
        away = max(np.hypot(dx, dy), 1e-12)
        dx, dy = dx / away, dy / away
        x, y = row[q] - reach * dx, row[q + 1] - reach * dy
        heading = np.arctan2(dy, dx)
        drive_row(forces[i], row, robot, x, y, speed, acceleration, dt, False)
        turn_row(forces[i], row, robot, heading, 12.0, 60.0, dt)
        off = wrapped(heading - row[own + 2])
        aside = np.hypot(row[own] + robot[BASE_X] - x, row[own + 1] + robot[BASE_Y] - y)
        ready = hold(forces[i], row, robot, ball, force, dt) and abs(off) < AIMED and aside < BEHIND
        if ready:
            push, strength = ball[MASS] / dt, variables[i, 2]
            forces[i, dof] = (strength * dx - row[v]) * push
            forces[i, dof + 1] = (strength * dy - row[v + 1]) * push
            forces[i, dof + 2] = (strength * lift[i] - row[v + 2]) * push
        busy[i] = not ready and row[0] < variables[i, 3]
    return busy


@kernel
def putt(
    forces: np.ndarray,
    rows: np.ndarray,
    robot: np.ndarray,
    ball: np.ndarray,
    variables: np.ndarray,
    touching: np.ndarray,
    acceleration: float,
    still: float,
    dt: float,
) -> np.ndarray:
    """`variables`: unit vector of the way, the robot's speed, whether the ball was struck, until when."""
    busy = np.empty(len(rows), dtype=np.bool_)
    q, v = int(ball[PLACE]), int(ball[VELOCITY])
    own, own_v, dof = int(robot[PLACE]), int(robot[VELOCITY]), int(robot[DOF])
    for i in range(len(rows)):
        row, ax, ay = rows[i], variables[i, 0], variables[i, 1]
        if touching[i]:
            variables[i, 3] = 1.0
        struck = variables[i, 3] > 0.0
        dx, dy = row[q] - row[own] - robot[BASE_X], row[q + 1] - row[own + 1] - robot[BASE_Y]
        ahead = dx * ax + dy * ay
        wx, wy = 0.0, 0.0
        if not struck:  # the robot first comes onto the line through the ball
            wx = variables[i, 2] * ax + min(max(6.0 * (dx - ahead * ax), -1.5), 1.5)
            wy = variables[i, 2] * ay + min(max(6.0 * (dy - ahead * ay), -1.5), 1.5)
        cx, cy = wx - row[own_v], wy - row[own_v + 1]
        share = min(1.0, acceleration * dt / max(np.hypot(cx, cy), 1e-12)) * robot[MASS] / dt
        forces[i, dof] += cx * share
        forces[i, dof + 1] += cy * share
        turn_row(forces[i], row, robot, np.arctan2(ay, ax), 12.0, 60.0, dt)
        rolling = np.sqrt(row[v] ** 2 + row[v + 1] ** 2 + row[v + 2] ** 2) > still
        busy[i] = rolling if struck else row[0] < variables[i, 4]
    return busy


@inner
@kernel
def _to_mouth(row: np.ndarray, robot: np.ndarray, ball: np.ndarray) -> tuple[float, float]:
    """From the ball's middle to where the dribbler holds it."""
    own, q = int(robot[PLACE]), int(ball[PLACE])
    reach = robot[RADIUS] + ball[RADIUS] + GAP
    x = row[own] + robot[BASE_X] + reach * np.cos(row[own + 2])
    y = row[own + 1] + robot[BASE_Y] + reach * np.sin(row[own + 2])
    return x - row[q], y - row[q + 1]


@kernel
def hold(
    forces: np.ndarray, row: np.ndarray, robot: np.ndarray, ball: np.ndarray, most: float, dt: float
) -> bool:
    """The dribbler: draws the ball to the mouth with at most `most` [N], and the robot to the ball.

    Returns whether the ball is held.
    """
    dx, dy = _to_mouth(row, robot, ball)
    if np.hypot(dx, dy) >= CAPTURE:
        return False
    own, own_v, own_dof = int(robot[PLACE]), int(robot[VELOCITY]), int(robot[DOF])
    v, dof = int(ball[VELOCITY]), int(ball[DOF])
    turn = (robot[RADIUS] + ball[RADIUS] + GAP) * row[own_v + 2]
    push = ball[MASS] / dt
    fx = (0.3 * dx / dt + row[own_v] - turn * np.sin(row[own + 2]) - row[v]) * push
    fy = (0.3 * dy / dt + row[own_v + 1] + turn * np.cos(row[own + 2]) - row[v + 1]) * push
    share = min(1.0, most / max(np.hypot(fx, fy), 1e-9))
    forces[dof] += share * fx
    forces[dof + 1] += share * fy
    forces[own_dof] -= share * fx
    forces[own_dof + 1] -= share * fy
    return True
