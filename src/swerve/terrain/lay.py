"""The kernels that lay a B-spline on the ground: its places, and what the limits need to know at each.

Beside the rows of `limits` a path has, at every place, its point, its tangent and the normal of the ground.
What lies between two places counts, too: the worst ground, and corners on top of a control point.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, kernel

from .crossed import worst_between
from .limits import C_Q, C_R, K_Q, K_R, K_T, MOBILITY, STEP
from .patches import derivatives_at, weights
from .regions import Ground, mobility_at

# cosine of a turn between two points that is a corner if it bends more [1/m]; a span [m] without direction
KINK, SHARP, STILL = 0.5, 1.0, 1e-6
PER_SPAN = 4  # points of a B-spline from one control point to the next, at least


@kernel
def stations(controls: np.ndarray, step: float) -> np.ndarray:
    """Parameters from 0 to m − 1 whose points lie at most `step` [m] apart, and `PER_SPAN` in every span.

    The pace of a span is a mean of the three legs around it, so the longest of them bounds it.
    """
    m = len(controls)
    counts = np.empty(m - 1, np.int64)
    for k in range(m - 1):
        longest = 0.0
        for j in range(max(k - 1, 0), min(k + 2, m - 1)):
            leg = np.hypot(controls[j + 1, 0] - controls[j, 0], controls[j + 1, 1] - controls[j, 1])
            longest = max(longest, leg)
        counts[k] = max(PER_SPAN, int(np.ceil(longest / step)))
    at = np.empty(counts.sum() + 1)
    i = 0
    for k in range(m - 1):
        for j in range(counts[k]):
            at[i] = k + j / counts[k]
            i += 1
    at[i] = m - 1.0
    return at


@kernel
def lay(at: np.ndarray, controls: np.ndarray, ground: Ground, rows: np.ndarray, frame: np.ndarray) -> None:
    """Fill the geometry rows (n, 7) of a B-spline on the ground at parameters `at` (n,) from 0 to m − 1.

    `frame` (n, 9) receives point, tangent and normal, or is of length zero. The plane curve (x, y)(u) has
    P' = (x', y', z_x·x' + z_y·y') and P'' likewise with the second derivatives of the ground; lengths of
    steps come from |P'| at both ends with its derivative as a correction (fourth order).
    """
    n, m = len(at), len(controls)
    coefficients, extent, mobility = ground.coefficients, ground.frame, ground.mobility
    corners, starts, factors = ground.corners, ground.starts, ground.factors
    squares, reaching = ground.reach_starts, ground.reaching
    pace_before = stretch_before = 0.0
    x_before = y_before = tx_before = ty_before = tz_before = 0.0
    directed, patchy = False, mobility.size > 1 or len(reaching) > 0
    for i in range(n):
        k = min(int(at[i]), m - 2)
        b, d, c = weights(at[i] - k)
        ax, ay = controls[k, 0], controls[k, 1]
        bx, by = controls[k + 1, 0], controls[k + 1, 1]
        lx, ly = (controls[k - 1, 0], controls[k - 1, 1]) if k > 0 else (2 * ax - bx, 2 * ay - by)
        hx, hy = (controls[k + 2, 0], controls[k + 2, 1]) if k + 2 < m else (2 * bx - ax, 2 * by - ay)
        x = b[0] * lx + b[1] * ax + b[2] * bx + b[3] * hx
        y = b[0] * ly + b[1] * ay + b[2] * by + b[3] * hy
        x1 = d[0] * lx + d[1] * ax + d[2] * bx + d[3] * hx
        y1 = d[0] * ly + d[1] * ay + d[2] * by + d[3] * hy
        x2 = c[0] * lx + c[1] * ax + c[2] * bx + c[3] * hx
        y2 = c[0] * ly + c[1] * ay + c[2] * by + c[3] * hy
        kt, kq, kr, cq, cr, pace, stretch, z, tx, ty, tz, rx, ry, rz = row_at(
            x, y, x1, y1, x2, y2, coefficients, extent
        )
        rows[i, K_T], rows[i, K_Q], rows[i, K_R] = kt, kq, kr
        rows[i, C_Q], rows[i, C_R] = cq, cr
        rows[i, MOBILITY] = mobility_at(x, y, extent, mobility, corners, starts, factors, squares, reaching)
        if i > 0:
            h = at[i] - at[i - 1]
            step = 0.5 * h * (pace + pace_before) - h * h / 12.0 * (stretch - stretch_before)
            rows[i - 1, STEP] = max(step, 1e-9)
            least = min(rows[i - 1, MOBILITY], rows[i, MOBILITY])
            if patchy and least > 0.0:
                worst = worst_between(
                    x_before, y_before, x, y, least,
                    extent, mobility, corners, starts, factors, squares, reaching,
                )  # fmt: skip
                if worst < least:
                    rows[i - 1, MOBILITY] = rows[i, MOBILITY] = worst
            straight = tx * tx_before + ty * ty_before + tz * tz_before
            if straight < KINK and directed and pace > STILL:  # control points on top of each other
                bend = np.arccos(max(straight, -1.0)) / rows[i - 1, STEP]
                if bend > SHARP:
                    rows[i - 1, C_Q] = rows[i, C_Q] = bend
        if pace > STILL:
            tx_before, ty_before, tz_before, directed = tx, ty, tz, True
        x_before, y_before = x, y
        pace_before, stretch_before = pace, stretch
        if len(frame):
            frame[i, 0], frame[i, 1], frame[i, 2] = x, y, z
            frame[i, 3], frame[i, 4], frame[i, 5] = tx, ty, tz
            frame[i, 6], frame[i, 7], frame[i, 8] = rx, ry, rz
    rows[n - 1, STEP] = rows[n - 2, STEP]


@inlined
def row_at(
    x: float,
    y: float,
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    coefficients: np.ndarray,
    extent: np.ndarray,
) -> tuple[float, ...]:
    """k_t, k_q, k_r, c_q, c_r, |P'|, |P'|', height, tangent and normal, of a place and two derivatives."""
    z, zx, zy, zxx, zxy, zyy = derivatives_at(x, y, coefficients, extent)
    z1 = zx * x1 + zy * y1
    z2 = zx * x2 + zy * y2 + zxx * x1 * x1 + 2 * zxy * x1 * y1 + zyy * y1 * y1
    pace = max(np.sqrt(x1 * x1 + y1 * y1 + z1 * z1), 1e-9)
    tx, ty, tz = x1 / pace, y1 / pace, z1 / pace
    size = 1.0 / np.sqrt(1.0 + zx * zx + zy * zy)
    rx, ry, rz = -zx * size, -zy * size, size
    qx, qy, qz = ry * tz - rz * ty, rz * tx - rx * tz, rx * ty - ry * tx
    per = 1.0 / (pace * pace)
    cq, cr = (x2 * qx + y2 * qy + z2 * qz) * per, (x2 * rx + y2 * ry + z2 * rz) * per
    return tz, qz, rz, cq, cr, pace, x2 * tx + y2 * ty + z2 * tz, z, tx, ty, tz, rx, ry, rz
