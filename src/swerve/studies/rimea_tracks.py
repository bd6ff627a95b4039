"""Where people walked in a RiMEA test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Tracks:
    """Places (frames, n, 2) [m] at `times` (frames,) [s], and the walls (k, 4) around them."""

    times: np.ndarray
    places: np.ndarray
    walls: np.ndarray
    radius: float

    @property
    def speeds(self) -> np.ndarray:
        """(frames - 1, n) [m/s]."""
        steps = np.diff(self.places, axis=0)
        return np.hypot(steps[..., 0], steps[..., 1]) / np.diff(self.times)[:, None]
