"""How the time of a lap changes with the shape of the path: the sweep run in reverse.

After a sweep every x = v² came from one of three places: the limit of its own point, the step before it
(driving), or the step after it (braking). These links form a forest with its roots at the limits, so the
influence of every point on the time is passed along them once. Each link's own derivatives are differences
of the same step functions that the sweep used. One gradient costs about as much as five profiles, whatever
the number of unknowns.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .limits import STEP, UNBOUNDED, side_and_normal, top_of_set
from .steps import step_ahead, step_back
from .vehicle import BRAKE, DRAG, TIP, TOP

BEND = 2  # column of the geodesic curvature among the points
BEND_SHIFT = 1e-8  # [1/m] for differences
SAME = 1e-9  # relative; closer numbers came from the same place


@kernel
def time_slopes(
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    limit: np.ndarray,
    ceiling: np.ndarray,
    x: np.ndarray,
    to_bend: np.ndarray,
    to_step: np.ndarray,
) -> float:
    """Lap time of a closed path after its sweep; fills ∂T/∂c_q and ∂T/∂step (n,)."""
    n = len(path)
    weight = np.zeros(n)
    time, first = 0.0, 0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        v, w = np.sqrt(x[i]), np.sqrt(x[j])
        took = 2.0 * path[i, STEP] / (v + w)
        time += took
        to_bend[i], to_step[i] = 0.0, took / path[i, STEP]
        weight[i] -= took / (v + w) / (2.0 * v)
        weight[j] -= took / (v + w) / (2.0 * w)
        if limit[i] < limit[first]:
            first = i
    for k in range(n, 0, -1):
        j = (first + k) % n
        i = j - 1 if j > 0 else n - 1
        if x[j] < ceiling[j] * (1.0 - SAME):
            driven(path, car, drive, points, limit, ceiling, x, weight, to_bend, to_step, i, j)
    for k in range(n):
        i = (first + k) % n
        j = i + 1 if i + 1 < n else 0
        if x[i] < ceiling[i] * (1.0 - SAME):
            continue
        if x[i] < limit[i] * (1.0 - SAME):
            braked(path, car, drive, points, limit, x, weight, to_bend, to_step, i, j)
        else:
            to_bend[i] += weight[i] * (limit_after(car, drive, points, i) - limit[i]) / BEND_SHIFT
    return time


@kernel
def limit_after(car: np.ndarray, drive: np.ndarray, points: np.ndarray, i: int) -> float:
    """The limit of a point with its curvature shifted."""
    points[i, BEND] += BEND_SHIFT
    moved = top_of_set(points, i, drive[0], car[BRAKE], car[TIP], min(car[TOP], UNBOUNDED))
    points[i, BEND] -= BEND_SHIFT
    return moved


@kernel
def driven(
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    limit: np.ndarray,
    ceiling: np.ndarray,
    x: np.ndarray,
    weight: np.ndarray,
    to_bend: np.ndarray,
    to_step: np.ndarray,
    i: int,
    j: int,
) -> None:
    """Pass on the weight of x[j] that came from x[i] by driving.

    At its limit a point has no force to spare, and the root in the friction circle has an infinite slope in
    x and in the curvature alone; moved together, as they are, they leave it at the limit.
    """
    two, now, top = 2.0 * path[i, STEP], x[i], ceiling[j]
    base = step_ahead(points, i, j, now, top, two, car, drive)
    moved = step_ahead(points, i, j, now, top, two * (1.0 + 1e-6), car, drive)
    to_step[i] += weight[j] * 2.0 * (moved - base) / (two * 1e-6)
    if grip_to_spare(points, i, j, now, base, two, car):
        shift = 1e-6 * now + 1e-9
        moved = step_ahead(points, i, j, now - shift, top, two, car, drive)
        weight[i] += weight[j] * (base - moved) / shift
        return
    points[j, BEND] += BEND_SHIFT
    moved = step_ahead(points, i, j, now, top, two, car, drive)
    points[j, BEND] -= BEND_SHIFT
    to_bend[j] += weight[j] * (moved - base) / BEND_SHIFT
    start = now
    if now >= limit[i] * (1.0 - SAME):
        start = limit_after(car, drive, points, i)
    else:
        shift = 1e-6 * now + 1e-9
        moved = step_ahead(points, i, j, now - shift, top, two, car, drive)
        weight[i] += weight[j] * (base - moved) / shift
    points[i, BEND] += BEND_SHIFT
    moved = step_ahead(points, i, j, start, top, two, car, drive)
    points[i, BEND] -= BEND_SHIFT
    to_bend[i] += weight[j] * (moved - base) / BEND_SHIFT


@kernel
def grip_to_spare(
    points: np.ndarray, i: int, j: int, now: float, end: float, two: float, car: np.ndarray
) -> bool:
    """Whether neither end of a step is near the limit of the tyres or of tip-over: bends do not matter."""
    a = (end - now) / two
    for place, x in ((i, now), (j, end)):
        q, r = side_and_normal(x, points, place)
        f = a + points[place, 0] + car[DRAG] * x
        grip = 0.999 * points[place, 5] * r
        lean = abs(f * points[place, 6] + q * points[place, 7])
        if f * f + q * q >= grip * grip or lean >= 0.999 * car[TIP] * r:
            return False
    return True


@kernel
def braked(
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    limit: np.ndarray,
    x: np.ndarray,
    weight: np.ndarray,
    to_bend: np.ndarray,
    to_step: np.ndarray,
    i: int,
    j: int,
) -> None:
    """Pass on the weight of x[i] that came from x[j] by braking."""
    two, end, top = 2.0 * path[i, STEP], x[j], limit[i]
    base = step_back(points, i, j, top, end, two, car, drive)
    moved = step_back(points, i, j, top, end, two * (1.0 - 1e-6), car, drive)
    to_step[i] += weight[i] * 2.0 * (base - moved) / (two * 1e-6)
    points[i, BEND] += BEND_SHIFT
    moved = step_back(points, i, j, top, end, two, car, drive)
    points[i, BEND] -= BEND_SHIFT
    to_bend[i] += weight[i] * (moved - base) / BEND_SHIFT
    goal = end
    if end >= limit[j] * (1.0 - SAME):
        goal = limit_after(car, drive, points, j)
    else:
        shift = 1e-6 * end + 1e-9
        moved = step_back(points, i, j, top, end - shift, two, car, drive)
        weight[j] += weight[i] * (base - moved) / shift
    points[j, BEND] += BEND_SHIFT
    moved = step_back(points, i, j, top, goal, two, car, drive)
    points[j, BEND] -= BEND_SHIFT
    to_bend[j] += weight[i] * (moved - base) / BEND_SHIFT
