"""Patches of bicubic B-splines: their derivatives, and the coefficients through given heights."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

SIXTH = 1.0 / 6.0


@inner
@bare
def derivatives_at(
    x: float, y: float, coefficients: np.ndarray, frame: np.ndarray
) -> tuple[float, float, float, float, float, float]:
    """z, z_x, z_y, z_xx, z_xy, z_yy of the spline; outside the map those of the nearest place on its edge."""
    columns, rows = coefficients.shape[1] - 3, coefficients.shape[0] - 3
    u = min(max((x - frame[0]) / frame[2], 0.0), columns * 1.0)
    v = min(max((y - frame[1]) / frame[3], 0.0), rows * 1.0)
    i, j = min(int(u), columns - 1), min(int(v), rows - 1)
    u, v = u - i, v - j
    bu, du, cu = weights(u)
    (bv0, bv1, bv2, bv3), (dv0, dv1, dv2, dv3), (cv0, cv1, cv2, cv3) = weights(v)
    z0, s0, k0 = along_row(coefficients, j, i, bu, du, cu)
    z1, s1, k1 = along_row(coefficients, j + 1, i, bu, du, cu)
    z2, s2, k2 = along_row(coefficients, j + 2, i, bu, du, cu)
    z3, s3, k3 = along_row(coefficients, j + 3, i, bu, du, cu)
    z = bv0 * z0 + bv1 * z1 + bv2 * z2 + bv3 * z3
    zx = bv0 * s0 + bv1 * s1 + bv2 * s2 + bv3 * s3
    zy = dv0 * z0 + dv1 * z1 + dv2 * z2 + dv3 * z3
    zxx = bv0 * k0 + bv1 * k1 + bv2 * k2 + bv3 * k3
    zxy = dv0 * s0 + dv1 * s1 + dv2 * s2 + dv3 * s3
    zyy = cv0 * z0 + cv1 * z1 + cv2 * z2 + cv3 * z3
    dx, dy = frame[2], frame[3]
    return z, zx / dx, zy / dy, zxx / (dx * dx), zxy / (dx * dy), zyy / (dy * dy)


@inner
@bare
def third_derivatives_at(
    x: float, y: float, coefficients: np.ndarray, frame: np.ndarray
) -> tuple[float, float, float, float]:
    """z_xxx, z_xxy, z_xyy, z_yyy of the spline; outside the map those of the nearest place on its edge."""
    columns, rows = coefficients.shape[1] - 3, coefficients.shape[0] - 3
    u = min(max((x - frame[0]) / frame[2], 0.0), columns * 1.0)
    v = min(max((y - frame[1]) / frame[3], 0.0), rows * 1.0)
    i, j = min(int(u), columns - 1), min(int(v), rows - 1)
    bu, du, cu = weights(u - i)
    bv, dv, cv = weights(v - j)
    xxx = xxy = xyy = yyy = 0.0
    for r in range(4):
        c0, c1, c2, c3 = (
            coefficients[j + r, i],
            coefficients[j + r, i + 1],
            coefficients[j + r, i + 2],
            coefficients[j + r, i + 3],
        )
        third = 1.0 if r == 3 else -1.0 if r == 0 else 3.0 if r == 1 else -3.0
        xxx += bv[r] * (c3 - c0 + 3.0 * (c1 - c2))
        xxy += dv[r] * (cu[0] * c0 + cu[1] * c1 + cu[2] * c2 + cu[3] * c3)
        xyy += cv[r] * (du[0] * c0 + du[1] * c1 + du[2] * c2 + du[3] * c3)
        yyy += third * (bu[0] * c0 + bu[1] * c1 + bu[2] * c2 + bu[3] * c3)
    dx, dy = frame[2], frame[3]
    return xxx / (dx * dx * dx), xxy / (dx * dx * dy), xyy / (dx * dy * dy), yyy / (dy * dy * dy)


@inner
@bare
def along_row(
    c: np.ndarray, r: int, i: int, b: tuple[float, ...], d: tuple[float, ...], e: tuple[float, ...]
) -> tuple[float, float, float]:
    """Value, slope and bend along x of four neighbouring coefficients in row r."""
    c0, c1, c2, c3 = c[r, i], c[r, i + 1], c[r, i + 2], c[r, i + 3]
    return (
        b[0] * c0 + b[1] * c1 + b[2] * c2 + b[3] * c3,
        d[0] * c0 + d[1] * c1 + d[2] * c2 + d[3] * c3,
        e[0] * c0 + e[1] * c1 + e[2] * c2 + e[3] * c3,
    )


@kernel
def weights(t: float) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Cubic B-spline weights of four neighbours at 0 ≤ t ≤ 1, with first and second derivatives in t."""
    s = 1.0 - t
    value = (
        s * s * s * SIXTH,
        ((0.5 * t - 1.0) * t * t + 4.0 * SIXTH),
        ((0.5 * s - 1.0) * s * s + 4.0 * SIXTH),
        t * t * t * SIXTH,
    )
    first = (-0.5 * s * s, 1.5 * t * t - 2 * t, -1.5 * s * s + 2 * s, 0.5 * t * t)
    second = (s, 3 * t - 2, 3 * s - 2, t)
    return value, first, second


@kernel
def derivatives_of(
    x: np.ndarray, y: np.ndarray, coefficients: np.ndarray, frame: np.ndarray, out: np.ndarray
) -> None:
    for i in range(len(x)):
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], out[i, 5] = derivatives_at(
            x[i], y[i], coefficients, frame
        )


def interpolating(values: np.ndarray) -> np.ndarray:
    """B-spline coefficients along the first axis whose natural spline passes through `values`."""
    n = len(values)
    result = values.astype(np.float64)  # 6·value = before + 4·here + after, and at the ends value = here
    shares = np.zeros(n)
    for i in range(1, n - 1):
        shares[i] = 1.0 / (4.0 - shares[i - 1])
        result[i] = (6.0 * values[i] - result[i - 1]) * shares[i]
    for i in range(n - 2, 0, -1):
        result[i] -= shares[i] * result[i + 1]
    return result


def extended(values: np.ndarray) -> np.ndarray:
    """One more coefficient at either end, so that the second derivative vanishes there."""
    return np.concatenate([2 * values[:1] - values[1:2], values, 2 * values[-1:] - values[-2:-1]])
