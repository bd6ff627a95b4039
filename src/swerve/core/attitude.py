"""How a body stands in the world: yaw to the left, then pitch (nose up), then roll (leaning to the right)."""

from __future__ import annotations

from typing import Any

import numpy as np


def quaternion(yaw: Any, pitch: Any = 0.0, roll: Any = 0.0) -> np.ndarray:
    """(..., 4) w, x, y, z of angles [rad] that broadcast: turned about z, then the new y, then the new x.

    >>> quaternion(0.0, roll=0.2).round(4).tolist()
    [0.995, 0.0998, 0.0, 0.0]
    """
    half = [np.asarray(angle, dtype=np.float64) / 2 for angle in (yaw, pitch, roll)]
    (cy, cp, cr), (sy, sp, sr) = ([f(a) for a in half] for f in (np.cos, np.sin))
    sp = -sp  # about +y, left, the nose goes down
    parts = (
        cy * cp * cr + sy * sp * sr,
        cy * cp * sr - sy * sp * cr,
        cy * sp * cr + sy * cp * sr,
        sy * cp * cr - cy * sp * sr,
    )
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def angles(q: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Yaw, pitch and roll (...,) [rad] of quaternions (..., 4), w first; yaw and roll within ±π."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=np.float64), -1, 0)
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    pitch = -np.arcsin(np.clip(2 * (w * y - x * z), -1.0, 1.0))
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    return yaw, pitch, roll


def turned(q: Any, vector: Any) -> np.ndarray:
    """(..., 3) a vector of the body's own axes (x ahead, y left, z up) as it lies in the world."""
    q, vector = np.asarray(q, dtype=np.float64), np.asarray(vector, dtype=np.float64)
    w, axis = q[..., :1], q[..., 1:]
    across = np.cross(axis, vector)
    return vector + 2 * (w * across + np.cross(axis, across))
