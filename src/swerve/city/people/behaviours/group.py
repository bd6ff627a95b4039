"""Group behaviours: go the same way, stay together, keep places in a formation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...characters.behaviour import Behaviour
from ...characters.columns import longer
from .base import Walkers


@dataclass(kw_only=True)
class _OfGroup(Behaviour[Walkers]):
    """`group` (n,) is everybody's group, -1 for none, as newcomers have."""

    group: np.ndarray

    def _mean(self, people: Walkers, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean of `values` (n, 2) over everybody's group, and who has company (n,)."""
        group = longer(np.asarray(self.group), len(people), -1)
        inside = (group >= 0) & people.here
        count = np.bincount(group[inside], minlength=1)
        total = np.stack([np.bincount(group[inside], values[inside, k], minlength=1) for k in (0, 1)], -1)
        mean = (total / np.maximum(count, 1)[:, None])[np.where(inside, group, 0)]
        company = inside & (count[np.where(inside, group, 0)] > 1)
        return mean, company


@dataclass(kw_only=True)
class Align(_OfGroup):
    """Walk with the mean velocity of one's group."""

    def velocity(self, people: Walkers) -> np.ndarray:
        mean, company = self._mean(people, np.stack([people.crowd.vx, people.crowd.vy], -1))
        return np.where(company[:, None], mean, np.nan)


@dataclass(kw_only=True)
class Cohere(_OfGroup):
    """Come back to one's group when further than `within` [m] from its middle."""

    within: float = 2.0

    def velocity(self, people: Walkers) -> np.ndarray:
        here = np.stack([people.crowd.x, people.crowd.y], -1)
        mean, company = self._mean(people, here)
        to = mean - here
        away = np.hypot(to[:, 0], to[:, 1])
        strays = company & (away > self.within)
        pace = np.minimum(people.walking_speed, away - self.within)
        wanted = to * (pace / np.maximum(away, 1e-6))[:, None]
        return np.where(strays[:, None], wanted, np.nan)


@dataclass(kw_only=True)
class KeepFormation(Behaviour[Walkers]):
    """Keep the place `offset` (n, 2) [m] (ahead, left) of one's `leader` (n,), an index or -1."""

    leader: np.ndarray
    offset: np.ndarray
    gain: float = 1.0  # [1/s] of the distance to the place

    def velocity(self, people: Walkers) -> np.ndarray:
        crowd = people.crowd
        leader = longer(np.asarray(self.leader), len(people), -1)
        led = np.where(leader >= 0, leader, 0)
        follows = (leader >= 0) & people.here[led]
        c, s = np.cos(people.heading[led]), np.sin(people.heading[led])
        ahead, left = longer(np.asarray(self.offset, float), len(people), 0.0).T
        x = crowd.x[led] + ahead * c - left * s
        y = crowd.y[led] + ahead * s + left * c
        wanted = np.stack(
            [crowd.vx[led] + self.gain * (x - crowd.x), crowd.vy[led] + self.gain * (y - crowd.y)], -1
        )
        return np.where(follows[:, None], wanted, np.nan)
