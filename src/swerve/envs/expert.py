"""A driver that looks at observations of `Race-v0` alone: what a learner should come to beat.

It steers along the middle of the track and goes no faster than the bends ahead allow at `SIDEWAYS`.
"""

from __future__ import annotations

import numpy as np

from swerve.race.sight import AHEAD, COLUMNS

SIDEWAYS, BRAKING = 7.0, 4.0  # [m/s²]
WHEELBASE = 2.0  # [m]
FASTEST = 30.0  # [m/s]
OFFSET_GAIN, HEADING_GAIN, PREVIEW = 0.05, 0.7, 0.25  # [rad/m], [1], [s]


def steady(observation: np.ndarray) -> np.ndarray:
    """Actions (..., 2) for observations (..., SIZE)."""
    seen = np.asarray(observation, float)
    speed = 20.0 * seen[..., 0]
    askew = np.arctan2(seen[..., 4], seen[..., 5])
    offset = 5.0 * (seen[..., 7] - seen[..., 6])
    bend = seen[..., len(COLUMNS) :] / 20.0
    soon = np.clip(np.searchsorted(AHEAD, np.maximum(PREVIEW * speed, AHEAD[0])), 0, len(AHEAD) - 1)
    here = np.take_along_axis(bend, soon[..., None], -1)[..., 0]
    steer = np.arctan(WHEELBASE * here) - OFFSET_GAIN * offset - HEADING_GAIN * askew
    there = SIDEWAYS / np.maximum(np.abs(bend), 1e-4)
    allowed = np.sqrt((there + 2.0 * BRAKING * np.maximum(AHEAD - 6.0, 0.0)).min(axis=-1))
    pedal = 0.5 * (np.minimum(allowed, FASTEST) - speed)
    return np.clip(np.stack([steer / 0.6, pedal], -1), -1.0, 1.0).astype(np.float32)
