"""How far a car is from where it should be, as regulators count it."""

from __future__ import annotations

import numpy as np

from swerve.core.clips import body_velocity
from swerve.core.geometry import wrap


def error_of(states: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Error (..., 6): along and across the reference's heading, heading, and body velocities."""
    d = states[..., :2] - reference[..., :2]
    c, s = np.cos(reference[..., 2]), np.sin(reference[..., 2])
    turn = wrap(states[..., 2] - reference[..., 2])
    speed = body_velocity(states) - body_velocity(reference)
    return np.concatenate(
        [
            np.stack([c * d[..., 0] + s * d[..., 1], -s * d[..., 0] + c * d[..., 1], turn], axis=-1),
            speed,
        ],
        axis=-1,
    )
