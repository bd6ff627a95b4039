"""Laws of a robot with a dribbler: getting, holding, leading and kicking a ball.

Their numbers are those of the robot, which is planar, and of the ball, which is free (`Slot.numbers`), the
step [s], and then those that each law names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swerve.core.geometry import wrapped
from swerve.core.kernels import NO, inner, kernel

from ..law import law, views
from ..steering import BASE_X, BASE_Y, DOF, MASS, PLACE, RADIUS, VELOCITY, drive_row, halt_row, turn_row

if TYPE_CHECKING:
    from ..law import Column

GAP = 0.004  # [m] between a robot and the ball in front of it
CAPTURE = 0.03  # [m] from the mouth of a robot, within which its dribbler holds a ball
LEAD = 0.15  # [s] that a robot looks ahead when it goes for a moving ball
ROBOT, THE_BALL = slice(0, 8), slice(8, 16)  # of the numbers
DT, OWN = 16, 17  # of the numbers: the step, and where a law's own begin
SWING = 0.4  # [rad] by which a robot that aims looks ahead on its way round the ball
AIMED, BEHIND = 0.08, 0.03  # [rad], [m] from which a robot may kick


@kernel
def at_mouth(rows: np.ndarray, robot: np.ndarray, ball: np.ndarray) -> np.ndarray:
    held = np.empty(len(rows), dtype=np.bool_)
    for i in range(len(rows)):
        dx, dy = to_mouth(rows[i], robot, ball)
        held[i] = np.hypot(dx, dy) < CAPTURE
    return held


@law
def get_ball(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """`variables`: until when. Numbers: speed, acceleration, the dribbler's force."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    fetch(push, here, about)
    return (
        not hold(push, here, about[ROBOT], about[THE_BALL], about[OWN + 2], about[DT]) and here[0] < mine[0]
    )


@law
def dribble(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """`variables`: x and y of the place to go to, until when. Numbers: speed, acceleration, the dribbler's
    force, turning rate and its acceleration, 1 to get the ball again where it is lost, or 0 to end there."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    return _lead(push, here, about, mine[0], mine[1], mine[0], mine[1]) and here[0] < mine[2]


@law
def sidle(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """As `dribble`, facing a place; `variables`: x and y of where to go and of what to face, until when."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    return _lead(push, here, about, mine[0], mine[1], mine[2], mine[3]) and here[0] < mine[4]


@inner
@kernel
def fetch(push: np.ndarray, here: np.ndarray, about: np.ndarray) -> None:
    """Drive to the ball and face it."""
    robot, ball, dt = about[ROBOT], about[THE_BALL], about[DT]
    q, v, own = int(ball[PLACE]), int(ball[VELOCITY]), int(robot[PLACE])
    dx, dy = here[q] - here[own] - robot[BASE_X], here[q + 1] - here[own + 1] - robot[BASE_Y]
    back = (robot[RADIUS] + ball[RADIUS]) / max(np.hypot(dx, dy), 1e-12)
    x, y = here[q] + LEAD * here[v] - back * dx, here[q + 1] + LEAD * here[v + 1] - back * dy
    drive_row(push, here, robot, x, y, about[OWN], about[OWN + 1], dt, NO)
    turn_row(push, here, robot, np.arctan2(dy, dx), 12.0, 60.0, dt)


@inner
@kernel
def _lead(
    push: np.ndarray, here: np.ndarray, about: np.ndarray, x: float, y: float, to_x: float, to_y: float
) -> bool:
    """Drive with the ball to a place, turned to another; gives whether to go on."""
    robot, dt, own = about[ROBOT], about[DT], int(about[PLACE])
    held = hold(push, here, robot, about[THE_BALL], about[OWN + 2], dt)
    if not held and about[OWN + 5] > 0.0:
        fetch(push, here, about)
        return True
    dx, dy = to_x - here[own] - robot[BASE_X], to_y - here[own + 1] - robot[BASE_Y]
    drive_row(push, here, robot, x, y, about[OWN], about[OWN + 1], dt, NO)
    turn_row(push, here, robot, np.arctan2(dy, dx), about[OWN + 3], about[OWN + 4], dt)
    return held


@law
def kick(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """`variables`: x and y of the target, the ball's speed, until when. Numbers: speed, acceleration, the
    dribbler's force, the upward speed over the level one."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    return kick_at(push, here, about, mine[0], mine[1], mine[2], about[OWN + 3], mine[3])


@law
def chip(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """As a kick; `variables`: x and y of the target, level and upward speed of the ball, until when."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    return kick_at(push, here, about, mine[0], mine[1], mine[2], mine[3] / mine[2], mine[4])


@inner
@kernel
def kick_at(
    forces: np.ndarray,
    row: np.ndarray,
    about: np.ndarray,
    target_x: float,
    target_y: float,
    strength: float,
    lift: float,
    until: float,
) -> bool:
    """Aim at a place and kick the ball there; with a `strength` of 0 only aim. Gives whether to go on."""
    robot, ball, dt = about[ROBOT], about[THE_BALL], about[DT]
    q, v, dof, own = int(ball[PLACE]), int(ball[VELOCITY]), int(ball[DOF]), int(robot[PLACE])
    reach = robot[RADIUS] + ball[RADIUS] + GAP
    dx, dy = target_x - row[q], target_y - row[q + 1]
    away = max(np.hypot(dx, dy), 1e-12)
    dx, dy = dx / away, dy / away
    x, y = row[q] - reach * dx, row[q + 1] - reach * dy
    heading = np.arctan2(dy, dx)
    now = np.arctan2(row[q + 1] - row[own + 1] - robot[BASE_Y], row[q] - row[own] - robot[BASE_X])
    facing = now + min(max(wrapped(heading - now), -SWING), SWING)  # round the ball, not through it
    near_x, near_y = row[q] - reach * np.cos(facing), row[q + 1] - reach * np.sin(facing)
    drive_row(forces, row, robot, near_x, near_y, about[OWN], about[OWN + 1], dt, NO)
    turn_row(forces, row, robot, facing, 12.0, 60.0, dt)
    off = wrapped(heading - row[own + 2])
    aside = np.hypot(row[own] + robot[BASE_X] - x, row[own + 1] + robot[BASE_Y] - y)
    held = hold(forces, row, robot, ball, about[OWN + 2], dt)
    ready = held and abs(off) < AIMED and aside < BEHIND
    if ready and strength > 0.0:
        push = ball[MASS] / dt
        forces[dof] = (strength * dx - row[v]) * push
        forces[dof + 1] = (strength * dy - row[v + 1]) * push
        forces[dof + 2] = (strength * lift - row[v + 2]) * push
    return not ready and row[0] < until


@law
def watch(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """`variables`: until when. Numbers: acceleration, x and y of the place, the least speed towards it."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    q, v = int(about[8 + PLACE]), int(about[8 + VELOCITY])
    halt_row(push, here, about[ROBOT], about[OWN], about[DT])
    dx, dy = about[OWN + 1] - here[q], about[OWN + 2] - here[q + 1]
    nearing = (dx * here[v] + dy * here[v + 1]) / max(np.hypot(dx, dy), 1e-12)
    return nearing > about[OWN + 3] and here[0] < mine[0]


@law
def putt(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """`variables`: unit vector of the way, the robot's speed, whether the ball was struck, until when.
    Numbers: acceleration, the speed that counts as lying, the column of their collisions."""
    push, here, touch, mine, about = views(forces, row, touched, variables, numbers)
    robot, ball, dt = about[ROBOT], about[THE_BALL], about[DT]
    q, v = int(ball[PLACE]), int(ball[VELOCITY])
    own, own_v, dof = int(robot[PLACE]), int(robot[VELOCITY]), int(robot[DOF])
    ax, ay = mine[0], mine[1]
    if touch[int(about[OWN + 2])]:
        mine[3] = 1.0
    struck = mine[3] > 0.0
    dx, dy = here[q] - here[own] - robot[BASE_X], here[q + 1] - here[own + 1] - robot[BASE_Y]
    ahead = dx * ax + dy * ay
    wx, wy = 0.0, 0.0
    if not struck:  # the robot first comes onto the line through the ball
        wx = mine[2] * ax + min(max(6.0 * (dx - ahead * ax), -1.5), 1.5)
        wy = mine[2] * ay + min(max(6.0 * (dy - ahead * ay), -1.5), 1.5)
    cx, cy = wx - here[own_v], wy - here[own_v + 1]
    share = min(1.0, about[OWN] * dt / max(np.hypot(cx, cy), 1e-12)) * robot[MASS] / dt
    push[dof] += cx * share
    push[dof + 1] += cy * share
    turn_row(push, here, robot, np.arctan2(ay, ax), 12.0, 60.0, dt)
    rolling = np.sqrt(here[v] ** 2 + here[v + 1] ** 2 + here[v + 2] ** 2) > about[OWN + 1]
    return rolling if struck else here[0] < mine[4]


@inner
@kernel
def to_mouth(row: np.ndarray, robot: np.ndarray, ball: np.ndarray) -> tuple[float, float]:
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
    dx, dy = to_mouth(row, robot, ball)
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
