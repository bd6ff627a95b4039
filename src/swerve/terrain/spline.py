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
    knot"). Gives the index of a point that coincides with the next, or is none, −1 for none.

    The slopes m at the points solve h_i·m_{i−1} + 2·(h_{i−1} + h_i)·m_i + h_{i−1}·m_{i+1} = 3·(h_i·d_{i−1} +
    h_{i−1}·d_i), with the lengths h and the chords' slopes d: one band, the same for all three coordinates.
    """
    n = len(points)
    steps = n if closed else n - 1
    h, d = np.empty(steps), np.empty((steps, 3))
    knots[0] = 0.0
    for i in range(steps):
        j = i + 1 if i + 1 < n else 0
        dx, dy, dz = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1], points[j, 2] - points[i, 2]
        h[i] = np.sqrt(dx * dx + dy * dy + dz * dz)
        if not 0.0 < h[i] < np.inf:
            return i
        knots[i + 1] = knots[i] + h[i]
        per = 1.0 / h[i]
        d[i, 0], d[i, 1], d[i, 2] = dx * per, dy * per, dz * per
    low, middle, high = np.empty(n), np.empty(n), np.empty(n)
    before = n - 1
    for i in range(n):
        if not closed and (i == 0 or i == n - 1):
            a, b = (0, 1) if i == 0 else (n - 2, n - 3)  # the outer step and its neighbour
            both = h[a] + h[b]
            low[i] = high[i] = both
            middle[i] = h[b]
            for k in range(3):
                first[i, k] = ((h[a] + 2 * both) * h[b] * d[a, k] + h[a] ** 2 * d[b, k]) / both
        else:
            here, there = h[before], h[i]
            low[i], middle[i], high[i] = there, 2 * (here + there), here
            for k in range(3):
                first[i, k] = 3 * (there * d[before, k] + here * d[i, k])
        before = i
    corner = np.zeros(n)
    if closed:
        solve_ring(low, middle, high, first, corner)
    else:
        solve_band(low, middle, high, first, corner)
    for i in range(steps):
        j = i + 1 if i + 1 < n else 0
        per = 1.0 / h[i]
        for k in range(3):
            second[i, k] = (6 * d[i, k] - 4 * first[i, k] - 2 * first[j, k]) * per
    if not closed:
        for k in range(3):
            last = 2 * first[n - 2, k] + 4 * first[n - 1, k] - 6 * d[n - 2, k]
            second[n - 1, k] = last / h[n - 2]
    return -1


@inner
@kernel
def solve_band(
    low: np.ndarray, middle: np.ndarray, high: np.ndarray, sides: np.ndarray, corner: np.ndarray
) -> None:
    """Put the solution of a tridiagonal system (n,) in place of its right sides (n, 3) and of a fourth,
    `corner` (n,), and what is left above the diagonal in place of `high`."""
    n = len(sides)
    above = a = b = c = e = 0.0
    for i in range(n):
        per = 1.0 / (middle[i] - low[i] * above) if i > 0 else 1.0 / middle[0]
        a, b = (sides[i, 0] - low[i] * a) * per, (sides[i, 1] - low[i] * b) * per
        c, e = (sides[i, 2] - low[i] * c) * per, (corner[i] - low[i] * e) * per
        above = high[i] * per
        high[i], sides[i, 0], sides[i, 1], sides[i, 2], corner[i] = above, a, b, c, e
    for i in range(n - 2, -1, -1):
        above = high[i]
        a, b = sides[i, 0] - above * a, sides[i, 1] - above * b
        c, e = sides[i, 2] - above * c, corner[i] - above * e
        sides[i, 0], sides[i, 1], sides[i, 2], corner[i] = a, b, c, e


@inner
@kernel
def solve_ring(
    low: np.ndarray, middle: np.ndarray, high: np.ndarray, sides: np.ndarray, corner: np.ndarray
) -> None:
    """The same of a system whose first row knows the last unknown by `low` and whose last row knows the first
    by `high`: a band and a correction of rank one (Sherman and Morrison)."""
    n = len(sides)
    pivot = -middle[0]
    share, far = low[0] / pivot, high[n - 1]
    middle[0] -= pivot
    middle[n - 1] -= far * share
    corner[:] = 0.0
    corner[0], corner[n - 1] = pivot, far
    solve_band(low, middle, high, sides, corner)
    scale = 1.0 / (1.0 + corner[0] + share * corner[n - 1])
    a, b, c = (
        (sides[0, 0] + share * sides[n - 1, 0]) * scale,
        (sides[0, 1] + share * sides[n - 1, 1]) * scale,
        (sides[0, 2] + share * sides[n - 1, 2]) * scale,
    )
    for i in range(n):
        sides[i, 0] -= a * corner[i]
        sides[i, 1] -= b * corner[i]
        sides[i, 2] -= c * corner[i]


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
    the mobility, from derivatives of a curve in a parameter whose values are `knots`. `normals` (n, 3) are of
    the surface, none of one that is level.

    A step's length comes from the pace at both ends and how that changes there (fourth order).
    """
    n = len(first)
    rx, ry, rz, level = 0.0, 0.0, 1.0, len(normals) == 0
    pace0 = change0 = pace_before = change_before = 0.0
    for i in range(n):
        tx, ty, tz = first[i, 0], first[i, 1], first[i, 2]
        pace = np.sqrt(tx * tx + ty * ty + tz * tz)
        per = 1.0 / pace
        tx, ty, tz = tx * per, ty * per, tz * per
        if level:
            rx, ry, rz = 0.0, 0.0, 1.0
        else:
            rx, ry, rz = normals[i, 0], normals[i, 1], normals[i, 2]
        along = rx * tx + ry * ty + rz * tz
        rx, ry, rz = rx - along * tx, ry - along * ty, rz - along * tz
        size = 1.0 / np.sqrt(rx * rx + ry * ry + rz * rz)
        rx, ry, rz = rx * size, ry * size, rz * size
        qx, qy, qz = ry * tz - rz * ty, rz * tx - rx * tz, rx * ty - ry * tx
        sx, sy, sz = second[i, 0], second[i, 1], second[i, 2]
        tangents[i, 0], tangents[i, 1], tangents[i, 2] = tx, ty, tz
        upright[i, 0], upright[i, 1], upright[i, 2] = rx, ry, rz
        geometry[i, K_T], geometry[i, K_Q], geometry[i, K_R] = tz, qz, rz
        geometry[i, C_Q] = (sx * qx + sy * qy + sz * qz) * (per * per)
        geometry[i, C_R] = (sx * rx + sy * ry + sz * rz) * (per * per)
        change = sx * tx + sy * ty + sz * tz  # of the pace along the curve
        if i > 0:
            h = knots[i] - knots[i - 1]
            geometry[i - 1, STEP] = 0.5 * h * (pace_before + pace) - h * h / 12.0 * (change - change_before)
        else:
            pace0, change0 = pace, change
        pace_before, change_before = pace, change
    if len(knots) == n:
        geometry[n - 1, STEP] = geometry[n - 2, STEP]
    else:
        h = knots[n] - knots[n - 1]
        geometry[n - 1, STEP] = 0.5 * h * (pace_before + pace0) - h * h / 12.0 * (change0 - change_before)
