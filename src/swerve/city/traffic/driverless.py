"""Vehicles whose drivers were taken away: those that nobody places from outside come to stand first."""

from __future__ import annotations

import numpy as np

from ..characters.columns import longer
from ..roads.roads import LANE
from .behaviours import THROUGH
from .fleet import Fleet
from .net import Net


class Driverless:
    """Of all vehicles (n,): who was `placed` since it last drove by itself, and who rolls to a stop."""

    def __init__(self) -> None:
        self.placed = np.zeros(0, bool)
        self.stopping = np.zeros(0, bool)

    def read(self, fleet: Fleet, drives: np.ndarray) -> None:
        """Note who `drives` (n,) no longer: under way they keep to the rules until they stand."""
        self.placed = longer(self.placed, len(fleet), False)
        self.stopping = ~drives & ~self.placed & (fleet.strip >= 0) & (fleet.speed > 0.0)
        fleet.autonomous[self.stopping] = True

    def step(self, net: Net, fleet: Fleet, drives: np.ndarray) -> None:
        """Before all move: slow down, but not to a stop inside a junction."""
        self.placed &= ~drives
        rows = np.flatnonzero(self.stopping)
        if len(rows) == 0:
            return
        on_lane = net.strips["kind"][np.maximum(fleet.strip[rows], 0)] == LANE
        fleet.max_speed[rows] = np.where(on_lane & (fleet.granted[rows] < 0), 0.0, THROUGH)
        done = rows[(fleet.speed[rows] == 0.0) | (fleet.strip[rows] < 0) | ~fleet.autonomous[rows]]
        self.stopping[done] = fleet.autonomous[done] = False
