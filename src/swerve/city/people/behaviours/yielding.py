"""Yield to emergency vehicles: off the crosswalk at full speed, or wait behind the kerb."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...characters.behaviour import Behaviour
from .base import Walkers


@dataclass(kw_only=True)
class YieldTo(Behaviour[Walkers]):
    """While a siren is within everybody's `yield_distance`, who is on a crosswalk runs, and who is about to
    step on one stands. The seed lets everybody near stand still: `all_stop`.
    """

    priority: int = 10
    all_stop: bool = False
    near_kerb: float = 1.5  # [m] within which a person is about to step onto the crosswalk

    def velocity(self, people: Walkers) -> np.ndarray:
        crowd, paths = people.crowd, people.paths
        wanted = np.full((len(people), 2), np.nan)
        alarmed = people.alarmed
        if not alarmed.any():
            return wanted
        on = people.on_crosswalk
        dx, dy = paths.node[:, 0, 0] - crowd.x, paths.node[:, 0, 1] - crowd.y
        away = np.maximum(np.hypot(dx, dy), 1e-6)
        runs = alarmed & on
        wanted[runs] = (np.stack([dx, dy], -1) * (crowd.max_speed / away)[:, None])[runs]
        stands = alarmed & ~on & (crowd.leave < 0)
        if not self.all_stop:
            stands &= (paths.crossing >= 0) & (paths.to_kerb < self.near_kerb)
        wanted[stands] = 0.0
        return wanted
