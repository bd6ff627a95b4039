"""Refiners of drivers' paths, of the same type as those of people: zones in which one drives slowly, roads
that are closed for a while, ways round jams. They run in the order of the list `traffic.paths.refiners`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require

from .fleet import Fleet
from .paths import APART, RoadPaths

SLOWEST = 0.5  # [m/s] that a lane is believed to be driven at least
TRUST = 0.5  # of what is seen now, beside what was believed before


@dataclass
class SlowZones:
    """Inside discs one drives slowly, and brakes in time: `zones` (k, 4) x, y, radius [m], limit [m/s]."""

    zones: ArrayLike

    def __post_init__(self) -> None:
        zones = np.reshape(np.asarray(self.zones, float), (-1, 4))
        good = bool(np.isfinite(zones).all() and (zones[:, 2:] > 0).all())
        require(good, "zones", np.asarray(self.zones).tolist(), "must be x, y, a radius and a limit above 0")
        self.zones = zones

    def refine(self, paths: RoadPaths, fleet: Fleet, rows: np.ndarray) -> None:
        here = np.stack([fleet.x[rows], fleet.y[rows]], -1)[:, None]
        places = np.concatenate([here, paths.node[rows]], axis=1)
        known = np.arange(places.shape[1]) <= paths.nodes[rows][:, None]
        for x, y, radius, limit in np.asarray(self.zones):
            inside = known & (np.hypot(places[..., 0] - x, places[..., 1] - y) < radius)
            ahead = APART * np.maximum(0, inside.argmax(axis=1) - 1)  # a node too early rather than too late
            slow = np.sqrt(limit**2 + 2.0 * 0.5 * fleet.comfort[rows] * ahead)
            paths.speed[rows] = np.where(
                inside.any(axis=1), np.minimum(paths.speed[rows], slow), paths.speed[rows]
            )


@dataclass
class Closures:
    """Roads that are closed from one moment to another: rows of road, begin and end [s]."""

    times: Sequence[tuple[int, float, float]]
    _shut: set[int] = field(default_factory=set, init=False, repr=False)

    def refine(self, paths: RoadPaths, fleet: Fleet, rows: np.ndarray) -> None:
        now = {road for road, begin, end in self.times if begin <= paths.time < end}
        for road in sorted(now ^ self._shut):
            paths.close(road, road in now)
        self._shut = now


@dataclass
class Detours:
    """Every so many seconds drivers hear how fast each lane was driven meanwhile, and take quicker ways."""

    every: float = 30.0
    _at: float = field(default=0.0, init=False, repr=False)
    _seen: np.ndarray | None = field(default=None, init=False, repr=False)  # (2, strips): cars, their speeds

    def __post_init__(self) -> None:
        require(self.every > 0, "every", self.every, "must be above 0 s")

    def refine(self, paths: RoadPaths, fleet: Fleet, rows: np.ndarray) -> None:
        if self._seen is None:
            self._seen = np.zeros((2, len(paths.late)))
        np.add.at(self._seen[0], fleet.strip[rows], 1.0)
        np.add.at(self._seen[1], fleet.strip[rows], fleet.speed[rows])
        if paths.time - self._at < self.every:
            return
        self._at = paths.time
        cars, speeds = self._seen
        length, limit = paths.roads.length, paths.roads.limit
        pace = np.clip(speeds / np.maximum(cars, 1.0), SLOWEST, limit)
        late = np.where(cars > 0, length / pace - length / limit, 0.0)
        paths.set_late((1 - TRUST) * paths.late + TRUST * late)
        self._seen[:] = 0.0
