"""Laws of a robot that is told what to do, step by step: its `variables` are the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swerve.core.kernels import inner, kernel

from ..law import law, views
from ..steering import DOF, INERTIA, MASS, PLACE, VELOCITY
from .handling import DT, OWN, ROBOT, THE_BALL, hold

if TYPE_CHECKING:
    from ..law import Column


@law
def drive_at(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """`variables`: velocity wanted, x and y [m/s]. Numbers as of `handling`, then the acceleration."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    _drive(push, here, about[ROBOT], mine[0], mine[1], about[OWN], about[DT])
    return True


@law
def play_ball(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """`variables`: velocity wanted, x and y [m/s], and rate [rad/s]; level and upward speed of a kick [m/s],
    0 for none, with which a ball that is held leaves straight ahead. Numbers as of `handling`, then
    acceleration, turning acceleration, the dribbler's force."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    robot, ball, dt = about[ROBOT], about[THE_BALL], about[DT]
    own, own_v, most = int(robot[PLACE]), int(robot[VELOCITY]), about[OWN + 1] * dt
    _drive(push, here, robot, mine[0], mine[1], about[OWN], dt)
    change = min(max(mine[2] - here[own_v + 2], -most), most)
    push[int(robot[DOF]) + 2] += change * robot[INERTIA] / dt
    held = hold(push, here, robot, ball, about[OWN + 2], dt)
    if held and mine[3] > 0.0:
        v, dof, share = int(ball[VELOCITY]), int(ball[DOF]), ball[MASS] / dt
        push[dof] = (mine[3] * np.cos(here[own + 2]) - here[v]) * share
        push[dof + 1] = (mine[3] * np.sin(here[own + 2]) - here[v + 1]) * share
        push[dof + 2] = (mine[4] - here[v + 2]) * share
    return held


@inner
@kernel
def _drive(
    push: np.ndarray, row: np.ndarray, robot: np.ndarray, wx: float, wy: float, acceleration: float, dt: float
) -> None:
    v, dof = int(robot[VELOCITY]), int(robot[DOF])
    cx, cy = wx - row[v], wy - row[v + 1]
    share = min(1.0, acceleration * dt / max(np.hypot(cx, cy), 1e-12)) * robot[MASS] / dt
    push[dof] += cx * share
    push[dof + 1] += cy * share
