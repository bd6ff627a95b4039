"""How a robot and a ball go on within a frame, as a tracker believes and as reality has it: compiled, because
every frame of a game asks for it many times."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from ..steering import DOF, INERTIA, MASS, VELOCITY

SLOWING = 0.4  # [m/s²] of a ball that rolls
REBOUND = 0.65  # of a ball at a wall


@kernel
def rolled_on(
    place: np.ndarray, velocity: np.ndarray, frames: int, dt: float, low: np.ndarray, high: np.ndarray
) -> None:
    """A ball (2,) rolls on for some frames of `dt` seconds, slower and slower, and is thrown back by walls:
    boxes from `low` to `high` (n, 2) in which its middle cannot be. In place."""
    for _ in range(frames):
        speed = max(np.hypot(velocity[0], velocity[1]), 1e-9)
        share = max(0.0, 1.0 - SLOWING * dt / speed)
        for axis in range(2):
            velocity[axis] *= share
            place[axis] += dt * velocity[axis]
        for k in range(len(low)):
            if not (low[k, 0] < place[0] < high[k, 0] and low[k, 1] < place[1] < high[k, 1]):
                continue
            least, axis, sign = np.inf, 0, 1.0
            for side in range(4):
                at = side % 2
                depth = place[at] - low[k, at] if side < 2 else high[k, at] - place[at]
                if depth < least:
                    least, axis, sign = depth, at, -1.0 if side < 2 else 1.0
            if velocity[axis] * sign < 0:
                place[axis] += 2 * sign * least
                velocity[axis] *= -REBOUND


@kernel
def obeyed(velocity: np.ndarray, wanted: np.ndarray, limits: np.ndarray, dt: float) -> np.ndarray:
    """By how much a robot's velocity (3,) changes in `dt` seconds in which it is told another. Limits: gain
    [1/s], acceleration [m/s²], turning [rad/s²]."""
    change = (1.0 - np.exp(-limits[0] * dt)) * (wanted - velocity)
    share = min(1.0, limits[1] * dt / max(np.hypot(change[0], change[1]), 1e-9))
    change[0] *= share
    change[1] *= share
    change[2] = min(max(change[2], -limits[2] * dt), limits[2] * dt)
    return change


@kernel
def pushed(
    forces: np.ndarray, row: np.ndarray, slot: np.ndarray, wanted: np.ndarray, limits: np.ndarray
) -> None:
    """Forces (nv,) with which a robot follows the velocity (3,) that it is told; `limits` as in `obeyed`."""
    v, dof = int(slot[VELOCITY]), int(slot[DOF])
    x, y = limits[0] * (wanted[0] - row[v]), limits[0] * (wanted[1] - row[v + 1])
    share = slot[MASS] * min(1.0, limits[1] / max(np.hypot(x, y), 1e-9))
    turn = min(max(limits[0] * (wanted[2] - row[v + 2]), -limits[2]), limits[2])
    forces[dof] += share * x
    forces[dof + 1] += share * y
    forces[dof + 2] += slot[INERTIA] * turn


@kernel
def gone_on(x: np.ndarray, p: np.ndarray, h: float, q: np.ndarray) -> None:
    """Filters of axes, `x` (n, 2) and `p` (n, 2, 2), `h` seconds later, in place."""
    for k in range(len(x)):
        x[k, 0] += h * x[k, 1]
        p[k, 0, 0] += h * (p[k, 0, 1] + p[k, 1, 0]) + h**2 * p[k, 1, 1] + 0.25 * h**4 * q[k]
        p[k, 0, 1] += h * p[k, 1, 1] + 0.5 * h**3 * q[k]
        p[k, 1, 0] = p[k, 0, 1]
        p[k, 1, 1] += h**2 * q[k]


@kernel
def taken_in(x: np.ndarray, p: np.ndarray, seen: np.ndarray, r: np.ndarray) -> None:
    """What was seen (n,), with variances `r`, in place."""
    for k in range(len(x)):
        gap = seen[k] - x[k, 0]
        place, rate = p[k, 0, 0] / (p[k, 0, 0] + r[k]), p[k, 1, 0] / (p[k, 0, 0] + r[k])
        x[k, 0] += place * gap
        x[k, 1] += rate * gap
        p[k, 1, 1] -= rate * p[k, 0, 1]
        p[k, 1, 0] -= rate * p[k, 0, 0]
        p[k, 0, 1] = p[k, 1, 0]
        p[k, 0, 0] -= place * p[k, 0, 0]
