"""Look at something: turns the body and never moves it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...characters.behaviour import Behaviour
from .base import Target, Walkers, points_of


@dataclass(kw_only=True)
class LookAt(Behaviour[Walkers]):
    """Face `target` (2,) or (n, 2) [m], or what `target(people)` gives, while it is within `within` [m]."""

    target: Target
    within: float = 20.0

    def velocity(self, people: Walkers) -> np.ndarray:
        return np.full((len(people), 2), np.nan)

    def facing(self, people: Walkers) -> np.ndarray:
        goal = points_of(self.target, people)
        dx, dy = goal[:, 0] - people.crowd.x, goal[:, 1] - people.crowd.y
        looks = np.hypot(dx, dy) < self.within
        looks &= self.holds_for(people)
        return np.where(looks, np.arctan2(dy, dx), np.nan)
