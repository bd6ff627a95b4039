"""From what the points of a path are worth to what its control points are: the chain through the ground.

A point's row depends on its place and on the first and second derivative of the curve there; these are sums
of four control points. The ground enters by its slopes and curvatures, and by how they change with the place:
the third derivatives of its spline. All of it is exact but for exposure and closed ground: differences.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .costs import EXPOSURE
from .fences import distance_at, to_end_of_map
from .limits import STEP
from .patches import derivatives_at, third_derivatives_at
from .patches import weights as spline_weights
from .regions import Ground, between
from .vehicle import GRAVITY

APART = 1e-4  # [m] between the places of a difference


@inner
@kernel
def to_controls(
    at: np.ndarray,
    controls: np.ndarray,
    rows: np.ndarray,
    free: np.ndarray,
    ground: Ground,
    car: np.ndarray,
    weights: np.ndarray,
    clearance: float,
    intrusion: float,
    to_point: np.ndarray,
    to_step: np.ndarray,
    seconds: np.ndarray,
    out: np.ndarray,
) -> None:
    """From ∂J/∂points and ∂J/∂step to ∂J/∂controls (m, 2), with what lies in the way of the body."""
    n, m = len(at), len(controls)
    g = car[GRAVITY]
    coefficients, extent, exposure = ground.coefficients, ground.frame, ground.exposure
    edges, starts, members, frame = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
    out[:] = 0.0
    for i in range(n):
        k = min(int(at[i]), m - 2)
        b, e, c = spline_weights(at[i] - k)
        ax, ay = controls[k, 0], controls[k, 1]
        bx, by = controls[k + 1, 0], controls[k + 1, 1]
        lx, ly = (controls[k - 1, 0], controls[k - 1, 1]) if k > 0 else (2 * ax - bx, 2 * ay - by)
        hx, hy = (controls[k + 2, 0], controls[k + 2, 1]) if k + 2 < m else (2 * bx - ax, 2 * by - ay)
        x, y = b[0] * lx + b[1] * ax + b[2] * bx + b[3] * hx, b[0] * ly + b[1] * ay + b[2] * by + b[3] * hy
        x1, y1 = e[0] * lx + e[1] * ax + e[2] * bx + e[3] * hx, e[0] * ly + e[1] * ay + e[2] * by + e[3] * hy
        x2, y2 = c[0] * lx + c[1] * ax + c[2] * bx + c[3] * hx, c[0] * ly + c[1] * ay + c[2] * by + c[3] * hy
        before = at[i] - at[i - 1] if i > 0 else 0.0
        after = at[i + 1] - at[i] if i < n - 1 else 0.0
        back = to_step[i - 1] if i > 0 else 0.0
        on = to_step[i] if i < n - 1 else 0.0
        to_pace = 0.5 * (back * before + on * after)
        to_stretch = (on * after * after - back * before * before) / 12.0
        to_x, to_y, to_x1, to_y1, to_x2, to_y2 = row_in_reverse(
            x, y, x1, y1, x2, y2, coefficients, extent,
            g * to_point[i, 0], g * to_point[i, 1], g * to_point[i, 3], to_point[i, 2], to_point[i, 4],
            to_pace, to_stretch,
        )  # fmt: skip
        if weights[EXPOSURE] > 0.0 and exposure.size > 1:
            price = weights[EXPOSURE] * seconds[i] / APART
            seen = between(x, y, exposure, extent)
            to_x += price * (between(x + APART, y, exposure, extent) - seen)
            to_y += price * (between(x, y + APART, exposure, extent) - seen)
        if free[i] < clearance:
            price = intrusion * rows[i, STEP] * (0.02 if free[i] > 0.05 else 0.12) / APART
            gap = room_at(x, y, edges, starts, members, frame)
            to_x -= price * (room_at(x + APART, y, edges, starts, members, frame) - gap)
            to_y -= price * (room_at(x, y + APART, edges, starts, members, frame) - gap)
        for t in range(4):
            weigh_x = to_x * b[t] + to_x1 * e[t] + to_x2 * c[t]
            weigh_y = to_y * b[t] + to_y1 * e[t] + to_y2 * c[t]
            row = k - 1 + t
            if row < 0:  # 2·first − second
                out[0, 0] += 2 * weigh_x
                out[0, 1] += 2 * weigh_y
                out[1, 0] -= weigh_x
                out[1, 1] -= weigh_y
            elif row >= m:
                out[m - 1, 0] += 2 * weigh_x
                out[m - 1, 1] += 2 * weigh_y
                out[m - 2, 0] -= weigh_x
                out[m - 2, 1] -= weigh_y
            else:
                out[row, 0] += weigh_x
                out[row, 1] += weigh_y


@inner
@inlined
def room_at(
    x: float, y: float, edges: np.ndarray, starts: np.ndarray, members: np.ndarray, frame: np.ndarray
) -> float:
    """Distance [m] to closed ground or to the nearest side of the map."""
    return min(distance_at(x, y, edges, starts, members, frame), to_end_of_map(x, y, 0.0, 0.0, frame))


@inlined
def row_in_reverse(
    x: float,
    y: float,
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    coefficients: np.ndarray,
    extent: np.ndarray,
    to_kt: float,
    to_kq: float,
    to_kr: float,
    to_cq: float,
    to_cr: float,
    to_pace: float,
    to_stretch: float,
) -> tuple[float, float, float, float, float, float]:
    """How a sum of k_t, k_q, k_r, c_q, c_r, |P'| and |P'|' (see `lay.row_at`), each with its weight, changes
    with the place and with both derivatives of the curve: `lay.row_at` in reverse."""
    _, zx, zy, zxx, zxy, zyy = derivatives_at(x, y, coefficients, extent)
    zxxx, zxxy, zxyy, zyyy = third_derivatives_at(x, y, coefficients, extent)
    bend = zxx * x1 * x1 + 2.0 * zxy * x1 * y1 + zyy * y1 * y1
    z1, z2 = zx * x1 + zy * y1, zx * x2 + zy * y2 + bend
    per = 1.0 / max(np.sqrt(x1 * x1 + y1 * y1 + z1 * z1), 1e-9)
    size = 1.0 / np.sqrt(1.0 + zx * zx + zy * zy)
    across = zy * x1 - zx * y1
    turn = y2 * (x1 + zx * z1) - x2 * (y1 + zy * z1) + z2 * across
    speeding = x2 * x1 + y2 * y1 + z2 * z1
    to_turn, to_bend = to_cq * size * per * per * per, to_cr * size * per * per
    to_size = to_kr + per * (to_kq * across + per * (to_cr * bend + per * to_cq * turn))
    to_speeding = to_stretch * per
    lost = to_kt * z1 + to_kq * size * across + to_stretch * speeding
    shrinks = to_pace - per * (per * lost + 2.0 * to_bend * bend + 3.0 * to_turn * turn)
    to_z2 = to_turn * across + to_speeding * z1
    to_across = to_kq * size * per + to_turn * z2
    to_z1 = to_kt * per + to_turn * (zx * y2 - zy * x2) + to_speeding * z2 + shrinks * z1 * per
    to_bend += to_z2
    cubed = to_size * size * size * size
    to_zx = x1 * to_z1 + x2 * to_z2 - y1 * to_across + to_turn * y2 * z1 - zx * cubed
    to_zy = y1 * to_z1 + y2 * to_z2 + x1 * to_across - to_turn * x2 * z1 - zy * cubed
    to_zxx, to_zxy, to_zyy = to_bend * x1 * x1, to_bend * 2.0 * x1 * y1, to_bend * y1 * y1
    to_x = to_zx * zxx + to_zy * zxy + to_zxx * zxxx + to_zxy * zxxy + to_zyy * zxyy
    to_y = to_zx * zxy + to_zy * zyy + to_zxx * zxxy + to_zxy * zxyy + to_zyy * zyyy
    return (
        to_x if extent[0] < x < extent[4] else 0.0,  # beyond its edge the ground goes on as it is there
        to_y if extent[1] < y < extent[5] else 0.0,
        zy * to_across
        + to_turn * y2
        + to_speeding * x2
        + to_bend * 2.0 * (zxx * x1 + zxy * y1)
        + zx * to_z1
        + shrinks * x1 * per,
        -zx * to_across
        - to_turn * x2
        + to_speeding * y2
        + to_bend * 2.0 * (zxy * x1 + zyy * y1)
        + zy * to_z1
        + shrinks * y1 * per,
        zx * to_z2 - to_turn * (y1 + zy * z1) + to_speeding * x1,
        zy * to_z2 + to_turn * (x1 + zx * z1) + to_speeding * y1,
    )
