"""How a frame stands in the world: yaw, then roll, then pitch, so that roll is the lean at any heading."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Attitude(NamedTuple):
    """Angles [rad] and their rates [rad/s]; roll is positive to the right, yaw to the left, pitch down."""

    roll: np.ndarray
    pitch: np.ndarray
    yaw: np.ndarray  # within ±π
    roll_rate: np.ndarray
    pitch_rate: np.ndarray
    yaw_rate: np.ndarray


def attitude(quaternion: np.ndarray, spin: np.ndarray) -> Attitude:
    """From a quaternion (..., 4), w first, and the angular velocity in the frame's own axes (..., 3).

    >>> lean = attitude(np.array([np.cos(0.1), np.sin(0.1), 0.0, 0.0]), np.array([0.5, 0.0, 0.0]))
    >>> round(float(lean.roll), 6), round(float(lean.roll_rate), 6), float(lean.yaw)
    (0.2, 0.5, 0.0)
    """
    w, x, y, z = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    p, q, r = np.moveaxis(np.asarray(spin, float), -1, 0)
    sine = np.clip(2 * (y * z + w * x), -1.0, 1.0)
    cosine = np.maximum(np.sqrt(1 - sine * sine), 1e-9)
    down, up = 2 * (x * z - w * y), 1 - 2 * (x * x + y * y)  # z components of the frame's x and z axes
    yaw_rate = (up * r + down * p) / cosine**2
    return Attitude(
        roll=np.arcsin(sine),
        pitch=np.arctan2(-down, up),
        yaw=np.arctan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)),
        roll_rate=(up * p - down * r) / cosine,
        pitch_rate=q - yaw_rate * sine,
        yaw_rate=yaw_rate,
    )
