"""The others on the road while a car is driven, frame by frame."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from .others import Others
from .traffic import Traffic


class Scene(Protocol):
    """Others on the road: `poses` (n, frames, 3) as they were so far, moved on by `step`."""

    def step(self, ego: np.ndarray) -> None: ...

    def foresee(self, frames: int) -> Others: ...

    def traffic(self) -> Traffic: ...


class Scripted:
    """Others whose whole run is known beforehand."""

    def __init__(self, traffic: Traffic):
        self._traffic, self._others, self._now = traffic, traffic.others(), 0

    def step(self, ego: np.ndarray) -> None:
        self._now += 1

    def foresee(self, frames: int) -> Others:
        o = self._others
        now = min(self._now, o.poses.shape[1] - 1)
        return Others(o.poses[:, now : now + frames + 1], o.sizes, np.zeros(len(o.sizes)))

    def traffic(self) -> Traffic:
        return self._traffic
