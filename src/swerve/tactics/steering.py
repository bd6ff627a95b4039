"""Kernels that steer bodies: forces that drive one to a place, or turn it to a heading.

`*_row` acts on one branch, for skills that are kernels themselves; the others on a batch. `forces` (nv,) and
`row` (width,) belong to one branch; `slot` is `Slot.numbers` of the body, indexed by the names below.
"""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import wrapped
from swerve.core.kernels import inner, kernel

PLACE, VELOCITY, DOF = 0, 1, 2  # where a body's place and velocity begin in a row, and its forces
BASE_X, BASE_Y = 3, 4  # [m] what a planar body's place counts from
MASS, INERTIA, RADIUS = 5, 6, 7  # [kg], [kg·m²] about the vertical, [m]


@inner
@kernel
def drive_row(
    forces: np.ndarray,
    row: np.ndarray,
    slot: np.ndarray,
    x: float,
    y: float,
    speed: float,
    acceleration: float,
    dt: float,
    through: bool,
) -> None:
    """Towards (x, y), braking in time to stop there; `through` keeps full speed."""
    q, v, dof = int(slot[PLACE]), int(slot[VELOCITY]), int(slot[DOF])
    dx, dy = x - row[q] - slot[BASE_X], y - row[q + 1] - slot[BASE_Y]
    distance = np.hypot(dx, dy)
    wanted = speed
    if not through:  # the speed from which it can stop there, and no overshoot within a step
        wanted = min(speed, np.sqrt(2 * 0.8 * acceleration * distance), distance / dt)
    scale = wanted / max(distance, 1e-12)
    cx, cy = dx * scale - row[v], dy * scale - row[v + 1]
    change = np.hypot(cx, cy)
    share = min(1.0, acceleration * dt / max(change, 1e-12)) * slot[MASS] / dt
    forces[dof] += cx * share
    forces[dof + 1] += cy * share


@inner
@kernel
def turn_row(
    forces: np.ndarray,
    row: np.ndarray,
    slot: np.ndarray,
    heading: float,
    rate: float,
    acceleration: float,
    dt: float,
) -> None:
    """A planar body towards a heading, the shorter way round, braking in time."""
    left = wrapped(heading - row[int(slot[PLACE]) + 2])
    wanted = min(rate, np.sqrt(2 * 0.8 * acceleration * abs(left)), abs(left) / dt)
    change = np.sign(left) * wanted - row[int(slot[VELOCITY]) + 2]
    most = acceleration * dt
    forces[int(slot[DOF]) + 2] += min(max(change, -most), most) * slot[INERTIA] / dt


@kernel
def drive(
    forces: np.ndarray,
    rows: np.ndarray,
    slot: np.ndarray,
    target: np.ndarray,
    speed: float,
    acceleration: float,
    dt: float,
    through: bool,
) -> None:
    for i in range(len(rows)):
        x, y = target[i, 0], target[i, 1]
        drive_row(forces[i], rows[i], slot, x, y, speed, acceleration, dt, through)


@kernel
def turn(
    forces: np.ndarray,
    rows: np.ndarray,
    slot: np.ndarray,
    heading: np.ndarray,
    rate: float,
    acceleration: float,
    dt: float,
) -> None:
    for i in range(len(rows)):
        turn_row(forces[i], rows[i], slot, heading[i], rate, acceleration, dt)


@kernel
def twist(forces: np.ndarray, rows: np.ndarray, slot: np.ndarray, torque: np.ndarray) -> None:
    for i in range(len(rows)):
        twist_row(forces[i], rows[i], slot, torque[i, 0], torque[i, 1], torque[i, 2])


@inner
@kernel
def halt_row(forces: np.ndarray, row: np.ndarray, slot: np.ndarray, acceleration: float, dt: float) -> None:
    """Brake to a stand."""
    v, dof = int(slot[VELOCITY]), int(slot[DOF])
    vx, vy = row[v], row[v + 1]
    share = min(1.0, acceleration * dt / max(np.hypot(vx, vy), 1e-12)) * slot[MASS] / dt
    forces[dof] -= vx * share
    forces[dof + 1] -= vy * share


@inner
@kernel
def twist_row(forces: np.ndarray, row: np.ndarray, slot: np.ndarray, x: float, y: float, z: float) -> None:
    """A torque in the world's axes on a free body, whose own axes its forces are in."""
    q, dof = int(slot[PLACE]), int(slot[DOF])
    w, a, b, c = row[q + 3], -row[q + 4], -row[q + 5], -row[q + 6]
    tx, ty, tz = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    forces[dof + 3] += x + w * tx + b * tz - c * ty
    forces[dof + 4] += y + w * ty + c * tx - a * tz
    forces[dof + 5] += z + w * tz + a * ty - b * tx


@kernel
def halt(forces: np.ndarray, rows: np.ndarray, slot: np.ndarray, acceleration: float, dt: float) -> None:
    for i in range(len(rows)):
        halt_row(forces[i], rows[i], slot, acceleration, dt)
