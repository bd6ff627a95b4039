"""Where two outlines meet: the middle of what they have in common over the ground, and of their heights.

An impulse acts there. A long body that is hit near its end is hit near its end: the middle of its side would
be the wrong place by half its length.
"""

from __future__ import annotations

import numpy as np

from .boxes import axes_of
from .kernels import inner, kernel

ROUND = 12  # corners of a cylinder, seen from above
MOST = 40  # corners that a polygon may have on the way


@inner
@kernel
def meeting_point(
    a: np.ndarray, half_a: np.ndarray, round_a: bool, b: np.ndarray, half_b: np.ndarray, round_b: bool
) -> tuple[float, float, float]:
    """x, y, z [m] in the middle of the overlap of two outlines; half-way between those that only just meet.

    `a`, `b` (6,) are x, y, z, yaw, pitch, roll of the middles, `half` (3,) half length, width and height.
    """
    corners, high_a = _footprint(a, half_a, round_a)
    other, high_b = _footprint(b, half_b, round_b)
    z = 0.5 * (max(a[2] - high_a, b[2] - high_b) + min(a[2] + high_a, b[2] + high_b))
    for k in range(len(other)):
        following = other[(k + 1) % len(other)]
        corners = _clipped(corners, other[k, 0], other[k, 1], following[0], following[1])
        if len(corners) == 0:
            return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), z
    x, y = _middle(corners)
    return x, y, z


@inner
@kernel
def _footprint(body: np.ndarray, half: np.ndarray, is_round: bool) -> tuple[np.ndarray, float]:
    """Corners (m, 2) counter-clockwise of an outline seen from above, and half its height as it stands."""
    if is_round:
        corners = np.empty((ROUND, 2))
        out = half[0] / np.cos(np.pi / ROUND)
        for k in range(ROUND):
            angle = 2.0 * np.pi * k / ROUND
            corners[k, 0], corners[k, 1] = body[0] + out * np.cos(angle), body[1] + out * np.sin(angle)
        return corners, half[2]
    fx, fy, fz, lx, ly, lz, ux, uy, uz = axes_of(body[3], body[4], body[5])
    c, s = np.cos(body[3]), np.sin(body[3])
    ahead = half[0] * abs(fx * c + fy * s) + half[1] * abs(lx * c + ly * s) + half[2] * abs(ux * c + uy * s)
    aside = half[0] * abs(fy * c - fx * s) + half[1] * abs(ly * c - lx * s) + half[2] * abs(uy * c - ux * s)
    corners = np.empty((4, 2))
    for k in range(4):
        u = ahead if k == 0 or k == 3 else -ahead
        v = aside if k < 2 else -aside
        corners[k, 0], corners[k, 1] = body[0] + c * u - s * v, body[1] + s * u + c * v
    return corners, half[0] * abs(fz) + half[1] * abs(lz) + half[2] * abs(uz)


@inner
@kernel
def _clipped(corners: np.ndarray, x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    """What of a polygon lies to the left of the line from (x0, y0) to (x1, y1)."""
    kept, count = np.empty((MOST, 2)), 0
    n = len(corners)
    for k in range(n):
        px, py = corners[k]
        qx, qy = corners[(k + 1) % n]
        p = (x1 - x0) * (py - y0) - (y1 - y0) * (px - x0)
        q = (x1 - x0) * (qy - y0) - (y1 - y0) * (qx - x0)
        if p >= 0.0:
            kept[count, 0], kept[count, 1] = px, py
            count += 1
        if (p > 0.0 and q < 0.0) or (p < 0.0 and q > 0.0):
            share = p / (p - q)
            kept[count, 0], kept[count, 1] = px + share * (qx - px), py + share * (qy - py)
            count += 1
    return kept[:count]


@kernel
def _middle(corners: np.ndarray) -> tuple[float, float]:
    """Of the area of a polygon; of its corners where it has none."""
    area, x, y = 0.0, 0.0, 0.0
    x0, y0 = corners[0]
    for k in range(1, len(corners) - 1):
        px, py = corners[k, 0] - x0, corners[k, 1] - y0
        qx, qy = corners[k + 1, 0] - x0, corners[k + 1, 1] - y0
        part = 0.5 * (px * qy - py * qx)
        area += part
        x += part * (px + qx) / 3.0
        y += part * (py + qy) / 3.0
    if area < 1e-12:
        return corners[:, 0].mean(), corners[:, 1].mean()
    return x0 + x / area, y0 + y / area
