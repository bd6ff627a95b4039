"""A smooth curve through points, and what the limits need to know of a curve: compiled, because a path made
from points is often driven once, and its geometry should not take longer than its speeds."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from .limits import C_Q, C_R, K_Q, K_R, K_T, STEP


@kernel
def through(
    points: np.ndarray, closed: bool, knots: np.ndarray, first: np.ndarray, second: np.ndarray
) -> int:
    """Fill knots by chord length, (n,) or (n + 1,) when `closed`, and both derivatives (n, 3) of the cubic
    spline through points (n, 3), n at least four; periodic, or with its outermost pieces joined ("not a
    knot"). Gives the index of a point that coincides with the next, −1 for none.

    The slopes m at the points solve h_i·m_{i−1} + 2·(h_{i−1} + h_i)·m_i + h_{i−1}·m_{i+1} = 3·(h_i·d_{i−1} +
    h_{i−1}·d_i), with the lengths h and the chords' slopes d: one band, the same for all three coordinates.
    """
    n = len(points)
    steps = n if closed else n - 1
    h, d = np.empty(steps), np.empty((steps, 3))
    knots[0] = 0.0
    for i in range(steps):
        j = i + 1 if i + 1 < n else 0
        size = 0.0
        for k in range(3):
            d[i, k] = points[j, k] - points[i, k]
            size += d[i, k] * d[i, k]
        h[i] = np.sqrt(size)
        if h[i] <= 0.0:
            return i
        knots[i + 1] = knots[i] + h[i]
        for k in range(3):
            d[i, k] /= h[i]
    low, middle, high = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        if not closed and (i == 0 or i == n - 1):
            a, b = (0, 1) if i == 0 else (n - 2, n - 3)  # the outer step and its neighbour
            both = h[a] + h[b]
            low[i] = high[i] = both
            middle[i] = h[b]
            for k in range(3):
                first[i, k] = ((h[a] + 2 * both) * h[b] * d[a, k] + h[a] ** 2 * d[b, k]) / both
            continue
        before = i - 1 if i > 0 else n - 1
        low[i], middle[i], high[i] = h[i], 2 * (h[before] + h[i]), h[before]
        for k in range(3):
            first[i, k] = 3 * (h[i] * d[before, k] + h[before] * d[i, k])
    if closed:
        solve_ring(low, middle, high, first)
    else:
        solve_band(low, middle, high, first)
    for i in range(steps):
        j = i + 1 if i + 1 < n else 0
        for k in range(3):
            second[i, k] = (6 * d[i, k] - 4 * first[i, k] - 2 * first[j, k]) / h[i]
    if not closed:
        for k in range(3):
            last = 2 * first[n - 2, k] + 4 * first[n - 1, k] - 6 * d[n - 2, k]
            second[n - 1, k] = last / h[n - 2]
    return -1


@inner
@kernel
def solve_band(low: np.ndarray, middle: np.ndarray, high: np.ndarray, sides: np.ndarray) -> None:
    """Put the solution of a tridiagonal system (n,) in place of its right sides (n, columns)."""
    n, columns = sides.shape
    above = np.empty(n)
    above[0] = high[0] / middle[0]
    for k in range(columns):
        sides[0, k] /= middle[0]
    for i in range(1, n):
        pivot = middle[i] - low[i] * above[i - 1]
        above[i] = high[i] / pivot
        for k in range(columns):
            sides[i, k] = (sides[i, k] - low[i] * sides[i - 1, k]) / pivot
    for i in range(n - 2, -1, -1):
        for k in range(columns):
            sides[i, k] -= above[i] * sides[i + 1, k]


@inner
@kernel
def solve_ring(low: np.ndarray, middle: np.ndarray, high: np.ndarray, sides: np.ndarray) -> None:
    """The same of a system whose first row knows the last unknown by `low` and whose last row knows the first
    by `high`: a band and a correction of rank one (Sherman and Morrison)."""
    n, columns = sides.shape
    pivot = -middle[0]
    corner, far = low[0] / pivot, high[n - 1]
    band = middle.copy()
    band[0] -= pivot
    band[n - 1] -= far * corner
    both = np.zeros((n, columns + 1))
    both[:, :columns] = sides
    both[0, columns], both[n - 1, columns] = pivot, far
    solve_band(low, band, high, both)
    scale = 1.0 + both[0, columns] + corner * both[n - 1, columns]
    for k in range(columns):
        share = (both[0, k] + corner * both[n - 1, k]) / scale
        for i in range(n):
            sides[i, k] = both[i, k] - share * both[i, columns]


@kernel
def see_curve(
    knots: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    normals: np.ndarray,
    tangents: np.ndarray,
    upright: np.ndarray,
    geometry: np.ndarray,
) -> None:
    """Fill unit tangents and surface normals at a right angle to them (n, 3), and the geometry (n, 7) but for
    the mobility, from derivatives of a curve in a parameter whose values are `knots`."""
    n = len(first)
    for i in range(n):
        tx, ty, tz = first[i, 0], first[i, 1], first[i, 2]
        pace = np.sqrt(tx * tx + ty * ty + tz * tz)
        tx, ty, tz = tx / pace, ty / pace, tz / pace
        rx, ry, rz = normals[i, 0], normals[i, 1], normals[i, 2]
        along = rx * tx + ry * ty + rz * tz
        rx, ry, rz = rx - along * tx, ry - along * ty, rz - along * tz
        size = np.sqrt(rx * rx + ry * ry + rz * rz)
        rx, ry, rz = rx / size, ry / size, rz / size
        qx, qy, qz = ry * tz - rz * ty, rz * tx - rx * tz, rx * ty - ry * tx
        sx, sy, sz = second[i, 0], second[i, 1], second[i, 2]
        per = 1.0 / (pace * pace)
        tangents[i, 0], tangents[i, 1], tangents[i, 2] = tx, ty, tz
        upright[i, 0], upright[i, 1], upright[i, 2] = rx, ry, rz
        geometry[i, K_T], geometry[i, K_Q], geometry[i, K_R] = tz, qz, rz
        geometry[i, C_Q] = (sx * qx + sy * qy + sz * qz) * per
        geometry[i, C_R] = (sx * rx + sy * ry + sz * rz) * per
        geometry[i, STEP] = pace
    start = geometry[0, STEP]
    for i in range(len(knots) - 1):
        j = i + 1 if i + 1 < n else 0
        h = knots[i + 1] - knots[i]
        here = geometry[i, STEP]
        there = start if j == 0 else geometry[j, STEP]
        change = 0.0  # of the pace along the curve
        for k in range(3):
            change += second[j, k] * tangents[j, k] - second[i, k] * tangents[i, k]
        geometry[i, STEP] = 0.5 * h * (here + there) - h * h / 12.0 * change
    if len(knots) == n:
        geometry[n - 1, STEP] = geometry[n - 2, STEP]
