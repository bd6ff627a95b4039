"""How a body stands in the world: yaw, pitch and roll, and the quaternions that recordings hold.

Axes: x forward, y left, z up. The turns follow each other about the body's own axes, first z, then y, then x:

    R = Rz(yaw) · Ry(−pitch) · Rx(roll)

`yaw` is positive to the left, `pitch` positive with the nose up, `roll` positive leaning to the right. (A
positive mathematical turn about y, which points left, would tip the nose down: hence the minus.) Quaternions
are (..., 4) with w first; every function takes batches.
"""

from __future__ import annotations

import numpy as np

COLUMNS = ("qw", "qx", "qy", "qz")  # in a recording
Angles = np.ndarray | float


def quaternion(yaw: Angles, pitch: Angles = 0.0, roll: Angles = 0.0) -> np.ndarray:
    """(..., 4) from angles [rad] that broadcast.

    >>> quaternion(np.pi).round(6).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    yaw, pitch, roll = np.broadcast_arrays(yaw, pitch, roll)
    cy, sy = np.cos(yaw / 2), np.sin(yaw / 2)
    cp, sp = np.cos(pitch / 2), -np.sin(pitch / 2)
    cr, sr = np.cos(roll / 2), np.sin(roll / 2)
    return np.stack(
        [
            cy * cp * cr + sy * sp * sr,
            cy * cp * sr - sy * sp * cr,
            cy * sp * cr + sy * cp * sr,
            sy * cp * cr - cy * sp * sr,
        ],
        axis=-1,
    )


def angles(quaternions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Yaw and roll within ±π and pitch within ±π/2 [rad], each (...,), of unit `quaternions` (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternions, float), -1, 0)
    pitch = np.arcsin(np.clip(2 * (x * z - w * y), -1.0, 1.0))
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    return yaw_of(quaternions), pitch, roll


def yaw_of(quaternions: np.ndarray) -> np.ndarray:
    """The heading (...,) [rad] of `quaternions` (..., 4): where the nose points, seen from above."""
    w, x, y, z = np.moveaxis(np.asarray(quaternions, float), -1, 0)
    return np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def from_axes(forward: np.ndarray, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Quaternions (n, 4) of bodies that look along `forward` (n, 3) with `up` (n, 3) as nearly up as can be,
    and the unit vectors (n, 3) that are up then. Neither needs unit length."""
    ahead = forward / np.linalg.norm(forward, axis=1, keepdims=True)
    left = np.cross(up, ahead)
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    up = np.cross(ahead, left)
    return _of_frames(ahead, left, up), up


def _of_frames(ahead: np.ndarray, left: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) of orthonormal axes (n, 3) each: from the largest of their parts, which is exact."""
    (xx, yx, zx), (xy, yy, zy), (xz, yz, zz) = ahead.T, left.T, up.T
    doubled = np.array(  # rows of 4·(w, x, y, z) times w, x, y and z
        [
            [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz],
        ]
    )
    largest = np.argmax(np.einsum("iin->in", doubled), axis=0)
    chosen = doubled[largest, :, np.arange(doubled.shape[2])]
    unit: np.ndarray = chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
    return unit


def multiply(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(..., 4): `second` in the frame of `first`; turns the body `second` by `first` in the world."""
    w, x, y, z = np.moveaxis(np.asarray(first, float), -1, 0)
    a, i, j, k = np.moveaxis(np.asarray(second, float), -1, 0)
    return np.stack(
        [
            w * a - x * i - y * j - z * k,
            w * i + x * a + y * k - z * j,
            w * j - x * k + y * a + z * i,
            w * k + x * j - y * i + z * a,
        ],
        axis=-1,
    )


def turned(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """`vectors` (..., 3) of the body's frame as the world sees them, by `quaternions` (..., 4)."""
    w, axis = quaternions[..., :1], quaternions[..., 1:]
    across = np.cross(axis, vectors)
    return vectors + 2 * (w * across + np.cross(axis, across))


def columns(quaternions: np.ndarray) -> dict[str, np.ndarray]:
    """Quaternions (n, 4) as the four columns of a recording."""
    return dict(zip(COLUMNS, np.asarray(quaternions).T, strict=True))
