"""Outlines in three dimensions: do two bodies touch, how deep, and along which way are they pushed apart?

An outline is a box with an attitude or an upright cylinder. Two boxes are apart exactly when one of fifteen
axes separates them: three faces of each and the nine products of their edges.
"""

from __future__ import annotations

import numpy as np

from .kernels import bare, inner, kernel

LEVEL = 1e-3  # [rad] of pitch and roll below which a box stands upright


@bare
def axes_of(yaw: float, pitch: float, roll: float) -> tuple:
    """Forward, left and up of a body in the world, row by row: nine numbers."""
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    cr, sr = np.cos(roll), np.sin(roll)
    # yaw, then the nose up by pitch, then the top to the right by roll
    fx, fy, fz = cy * cp, sy * cp, sp
    lx, ly = -sy, cy
    ux, uy, uz = -cy * sp, -sy * sp, cp
    # leaning to the right turns up towards right: left' = cos·left + sin·up, up' = cos·up − sin·left
    return (
        fx, fy, fz,
        cr * lx + sr * ux, cr * ly + sr * uy, sr * uz,
        cr * ux - sr * lx, cr * uy - sr * ly, cr * uz,
    )  # fmt: skip


@bare
def touching(
    a: np.ndarray, half_a: np.ndarray, round_a: bool, b: np.ndarray, half_b: np.ndarray, round_b: bool
) -> tuple[float, float, float, float]:
    """Depth [m] by which two outlines overlap (negative: apart) and the unit normal from a to b.

    `a`, `b` (6,) are x, y, z, yaw, pitch, roll of the middles, `half` (3,) half length, width and height.
    """
    dx, dy, dz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    if round_a and round_b:
        return _cylinders(dx, dy, dz, half_a, half_b)
    yaw_a, yaw_b = a[3], b[3]
    # a cylinder is a box that faces the other: exact against a face, a little large against a corner
    upright_a = round_a or (abs(a[4]) < LEVEL and abs(a[5]) < LEVEL)
    upright_b = round_b or (abs(b[4]) < LEVEL and abs(b[5]) < LEVEL)
    if upright_a and upright_b:
        if round_a or round_b:
            return _box_and_cylinder(dx, dy, dz, yaw_b if round_a else yaw_a, half_a, half_b, round_a)
        return _upright(dx, dy, dz, yaw_a, half_a, yaw_b, half_b)
    if round_a:
        yaw_a = np.arctan2(dy, dx)
    if round_b:
        yaw_b = np.arctan2(dy, dx)
    return _tilted(
        dx, dy, dz,
        axes_of(yaw_a, 0.0 if round_a else a[4], 0.0 if round_a else a[5]), half_a,
        axes_of(yaw_b, 0.0 if round_b else b[4], 0.0 if round_b else b[5]), half_b,
    )  # fmt: skip


@inner
@bare
def _cylinders(dx: float, dy: float, dz: float, half_a: np.ndarray, half_b: np.ndarray) -> tuple:
    apart = np.hypot(dx, dy)
    depth = half_a[0] + half_b[0] - apart
    high = half_a[2] + half_b[2] - abs(dz)
    if high < depth:
        return high, 0.0, 0.0, 1.0 if dz >= 0 else -1.0
    if apart < 1e-9:
        return depth, 1.0, 0.0, 0.0
    return depth, dx / apart, dy / apart, 0.0


@inner
@bare
def _box_and_cylinder(
    dx: float,
    dy: float,
    dz: float,
    yaw: float,
    half_a: np.ndarray,
    half_b: np.ndarray,
    round_a: bool,
) -> tuple:
    c, s = np.cos(yaw), np.sin(yaw)
    sign = -1.0 if round_a else 1.0  # towards the cylinder, seen from the box
    box, radius = (half_b, half_a[0]) if round_a else (half_a, half_b[0])
    u, v = sign * (c * dx + s * dy), sign * (c * dy - s * dx)
    high = half_a[2] + half_b[2] - abs(dz)
    pu, pv = min(max(u, -box[0]), box[0]), min(max(v, -box[1]), box[1])
    away = np.hypot(u - pu, v - pv)
    if away > 1e-12:
        depth, nu, nv = radius - away, (u - pu) / away, (v - pv) / away
    else:  # the middle of the cylinder is inside the box
        along, aside = box[0] - abs(u), box[1] - abs(v)
        if along < aside:
            depth, nu, nv = radius + along, 1.0 if u >= 0 else -1.0, 0.0
        else:
            depth, nu, nv = radius + aside, 0.0, 1.0 if v >= 0 else -1.0
    if high < depth:
        return high, 0.0, 0.0, 1.0 if dz >= 0 else -1.0
    return depth, sign * (c * nu - s * nv), sign * (s * nu + c * nv), 0.0


@inner
@bare
def _upright(
    dx: float, dy: float, dz: float, yaw_a: float, half_a: np.ndarray, yaw_b: float, half_b: np.ndarray
) -> tuple:
    high = half_a[2] + half_b[2] - abs(dz)
    depth, nx, ny, nz = high, 0.0, 0.0, 1.0 if dz >= 0 else -1.0
    ca, sa, cb, sb = np.cos(yaw_a), np.sin(yaw_a), np.cos(yaw_b), np.sin(yaw_b)
    c, s = abs(ca * cb + sa * sb), abs(ca * sb - sa * cb)
    for k in range(4):
        if k == 0:
            ax, ay, reach = ca, sa, half_a[0] + c * half_b[0] + s * half_b[1]
        elif k == 1:
            ax, ay, reach = -sa, ca, half_a[1] + s * half_b[0] + c * half_b[1]
        elif k == 2:
            ax, ay, reach = cb, sb, half_b[0] + c * half_a[0] + s * half_a[1]
        else:
            ax, ay, reach = -sb, cb, half_b[1] + s * half_a[0] + c * half_a[1]
        along = ax * dx + ay * dy
        if reach - abs(along) < depth:
            sign = 1.0 if along >= 0 else -1.0
            depth, nx, ny, nz = reach - abs(along), sign * ax, sign * ay, 0.0
    return depth, nx, ny, nz


@inner
@bare
def _tilted(
    dx: float, dy: float, dz: float, axes_a: tuple, half_a: np.ndarray, axes_b: tuple, half_b: np.ndarray
) -> tuple:
    depth, nx, ny, nz = np.inf, 1.0, 0.0, 0.0
    for k in range(15):
        if k < 3:
            x, y, z = _axis(axes_a, k)
        elif k < 6:
            x, y, z = _axis(axes_b, k - 3)
        else:
            px, py, pz = _axis(axes_a, (k - 6) // 3)
            qx, qy, qz = _axis(axes_b, (k - 6) % 3)
            x, y, z = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
            size = np.sqrt(x * x + y * y + z * z)
            if size < 1e-6:
                continue
            x, y, z = x / size, y / size, z / size
        reach = 0.0
        for e in range(3):
            ax, ay, az = _axis(axes_a, e)
            bx, by, bz = _axis(axes_b, e)
            reach += half_a[e] * abs(ax * x + ay * y + az * z) + half_b[e] * abs(bx * x + by * y + bz * z)
        along = x * dx + y * dy + z * dz
        if reach - abs(along) < depth:
            sign = 1.0 if along >= 0 else -1.0
            depth, nx, ny, nz = reach - abs(along), sign * x, sign * y, sign * z
    return depth, nx, ny, nz


@inner
@bare
def _axis(axes: tuple, k: int) -> tuple[float, float, float]:
    if k == 0:
        return axes[0], axes[1], axes[2]
    if k == 1:
        return axes[3], axes[4], axes[5]
    return axes[6], axes[7], axes[8]


@kernel
def gap_between(
    a: np.ndarray, half_a: np.ndarray, round_a: bool, b: np.ndarray, half_b: np.ndarray, round_b: bool
) -> float:
    """Distance [m] over the ground between two outlines, 0 where they touch; upright boxes and cylinders."""
    best = np.inf
    for swap in range(2):
        first, half_1, is_1 = (a, half_a, round_a) if swap == 0 else (b, half_b, round_b)
        second, half_2, is_2 = (b, half_b, round_b) if swap == 0 else (a, half_a, round_a)
        c, s = np.cos(first[3]), np.sin(first[3])
        co, so = np.cos(second[3]), np.sin(second[3])
        for corner in range(1 if is_2 else 4):
            px, py = second[0], second[1]
            if not is_2:
                ahead = half_2[0] if corner < 2 else -half_2[0]
                aside = half_2[1] if corner % 2 == 0 else -half_2[1]
                px, py = px + co * ahead - so * aside, py + so * ahead + co * aside
            dx, dy = px - first[0], py - first[1]
            if is_1:
                away = max(0.0, np.hypot(dx, dy) - half_1[0])
            else:
                u, v = abs(c * dx + s * dy) - half_1[0], abs(c * dy - s * dx) - half_1[1]
                away = np.hypot(max(u, 0.0), max(v, 0.0))
            if is_2:
                away = max(0.0, away - half_2[0])
            best = min(best, away)
    if best > 0.0 and touching(a, half_a, round_a, b, half_b, round_b)[0] > 0.0:
        return 0.0  # crossed like a plus sign: no corner of either lies within the other
    high = abs(a[2] - b[2]) - half_a[2] - half_b[2]
    return float(np.hypot(best, max(high, 0.0)))
