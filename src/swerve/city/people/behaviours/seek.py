"""Seek to a place, and wander from place to place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...characters.behaviour import Behaviour
from ...characters.paths import PathState
from .base import Target, Walkers, points_of


@dataclass(kw_only=True)
class SeekTo(Behaviour[Walkers]):
    """Walk along one's path to `target` (2,) or (n, 2) [m], or to what `target(people)` gives.

    `speed` [m/s] or None for everybody's walking speed; within `contact` [m] the target is reached, and then
    one stops (`arrive="stop"`) or walks on (`"pass"`); `slow_into_turns` slows down before corners.
    """

    target: Target | None = None
    speed: float | None = None
    contact: float = 0.5
    arrive: str = "stop"
    slow_into_turns: bool = False

    def velocity(self, people: Walkers) -> np.ndarray:
        self._aim(people)
        return self._along_path(people)

    def _aim(self, people: Walkers) -> None:
        """Tell the path manager about targets that have moved."""
        if self.target is None:
            return
        goal = points_of(self.target, people)
        paths = people.paths
        moved = np.hypot(*(goal - paths.goal).T) > max(0.5 * self.contact, 0.05)
        rows = np.flatnonzero((moved | (paths.state == PathState.IDLE)) & self.holds_for(people))
        if len(rows):
            paths.ask(rows, goal[rows])

    def reached(self, people: Walkers) -> np.ndarray:
        """Who is within `contact` of its goal (n,)."""
        crowd, paths = people.crowd, people.paths
        near = np.hypot(crowd.x - paths.goal[:, 0], crowd.y - paths.goal[:, 1]) < self.contact
        return near & (paths.state == PathState.ENDS_AT_TARGET)

    def _along_path(self, people: Walkers) -> np.ndarray:
        crowd, paths = people.crowd, people.paths
        dx, dy = paths.node[:, 0, 0] - crowd.x, paths.node[:, 0, 1] - crowd.y
        away = np.hypot(dx, dy)
        pace = people.walking_speed if self.speed is None else np.full(len(people), self.speed)
        if self.slow_into_turns:
            pace = np.where(paths.nodes > 1, np.minimum(pace, 0.5 * pace + 0.7 * away), pace)
        share = pace / np.maximum(away, 1e-6)
        wanted = np.stack([share * dx, share * dy], -1)
        wanted[paths.nodes == 0] = 0.0
        if self.arrive == "stop":
            wanted[self.reached(people)] = 0.0
        return wanted


@dataclass(kw_only=True)
class Wander(SeekTo):
    """Seek random points of the mesh, one after another, waiting `min_wait` to `max_wait` [s] between."""

    contact: float = 1.0
    min_wait: float = 0.0
    max_wait: float = 5.0
    most_wait_at_kerb: float = 240.0  # [s] after which another aim is chosen

    def velocity(self, people: Walkers) -> np.ndarray:
        paths = people.paths
        fresh = (paths.state <= PathState.UNKNOWN_TARGET) & self.holds_for(people)
        there = self.reached(people) | ((paths.state == PathState.ENTIRE) & (paths.at >= paths.kept - 1))
        there |= people.desk.waited > self.most_wait_at_kerb
        there &= self.holds_for(people)
        begun = there & np.isnan(people.rest)
        if begun.any():
            people.rest[begun] = people.rng.uniform(self.min_wait, self.max_wait, int(begun.sum()))
            people.arrivals += int(begun.sum())
        ready = np.flatnonzero(fresh | (there & (people.rest <= 0.0)))
        if len(ready):
            paths.ask(ready, people.random_aims(ready))
            people.rest[ready] = np.nan
        return self._along_path(people)
