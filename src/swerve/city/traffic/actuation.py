"""Lights that look: green ends early where nobody comes any more and somebody waits.

A controller puts its clock forward to its next change, so the order of its phases, yellow, all red and the
time that people need to finish stay what they are.
"""

from __future__ import annotations

import numpy as np

from ..roads.lights import GREEN, RED, YELLOW
from ..roads.roads import LANE, Roads
from .crosswalks import Crosswalks
from .fleet import Fleet
from .net import Net

LEAST_GREEN = 6.0  # [s] unless said otherwise
EASY, SPARE, LOOK = 1.7, 10.0, 60.0  # [m/s²] braking for a stop, [m] more than it takes, [m] seen of a queue


class Actuation:
    """The controllers of a town; its lights must be a copy of their own."""

    def __init__(self, roads: Roads):
        self.roads, self.lights = roads, roads.lights
        self.count = int(self.lights.controller.max(initial=-1)) + 1
        self.for_cars = np.zeros(len(self.lights), bool)
        self.for_cars[np.unique(roads.light[roads.light >= 0])] = True
        self.shown = np.full(len(self.lights), -1, np.int8)
        self.since = np.zeros(self.count)  # [s] when lights for cars last changed
        self.skips = 0

    def step(self, net: Net, fleet: Fleet, crosswalks: Crosswalks, now: float) -> None:
        """Look who comes, and put forward the clocks of those that may change."""
        lights, n = self.lights, self.count
        state = lights.state(now)
        changed = self._any(self.for_cars & (state != self.shown))
        self.since[changed] = now
        self.shown = state
        comes, waits = self._demand(net, fleet, state)
        green = self._any(self.for_cars & (state == GREEN))
        busy = self._any(self.for_cars & (state == YELLOW))
        of = self.roads.crossings.light
        held = (of >= 0) & (crosswalks.taken > 0)
        finishing = np.zeros(len(lights), bool)
        finishing[of[held]] = state[of[held]] != RED
        least = np.full(n, np.inf)
        np.minimum.at(least, lights.controller, np.where(self.for_cars, lights.least, np.inf))
        ready = green & waits & ~comes & ~busy & ~self._any(finishing) & (now - self.since >= least)
        if ready.any():
            self.skips += int(ready.sum())
            lights.skip(np.flatnonzero(ready), now)

    def _demand(self, net: Net, fleet: Fleet, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Controllers at which somebody comes to a green light, and at which somebody waits for one (n,)."""
        rows = np.flatnonzero(fleet.driving & (fleet.next >= 0))
        light = net.strips["light"][fleet.next[rows]]
        rows = rows[(light >= 0) & (net.strips["kind"][fleet.strip[rows]] == LANE)]
        group = net.strips["light"][fleet.next[rows]]
        way = net.strips["length"][fleet.strip[rows]] - fleet.station[rows] - fleet.overhang[rows]
        speed = fleet.speed[rows]
        near = way < speed**2 / (2.0 * EASY) + 2.0 * speed + SPARE
        found = []
        for some in (near & (state[group] == GREEN), (way < LOOK) & (state[group] == RED)):
            found.append(np.bincount(self.lights.controller[group[some]], minlength=self.count) > 0)
        return found[0], found[1]

    def _any(self, groups: np.ndarray) -> np.ndarray:
        """Controllers of which some group is marked (n,)."""
        return np.bincount(self.lights.controller[groups], minlength=self.count) > 0
