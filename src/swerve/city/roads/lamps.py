"""The lamps of traffic lights, for recordings: where each hangs, where it looks, and what it shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.recording import LIGHT

from .roads import Roads

IDS = 1 << 23  # identities from here on are those of lights
LANE_HEIGHT, WALK_HEIGHT = 5.0, 2.4  # [m] of the lamps over a lane, and of those for people
SIDE_BY_SIDE = 0.5  # [m] between two lamps of a lane
_DRIVERS = np.array(["red", "amber", "green"], dtype=object)
_WALKERS = np.array(["stop", "stop", "walk"], dtype=object)


class Lamps:
    """One lamp where each lane stops for a group of lights, one at either end of each crosswalk that has
    some. They face who must heed them; `columns` are what never changes of their rows."""

    def __init__(self, roads: Roads):
        self.roads = roads
        under = np.flatnonzero(roads.light >= 0)
        start = roads.first[under]
        place = np.column_stack([roads.light[under], roads.x[start].round(2), roads.y[start].round(2)])
        some = under[np.sort(np.unique(place, axis=0, return_index=True)[1])]
        start = roads.first[some]
        walks = np.flatnonzero(roads.crossings.light >= 0)
        ends = roads.crossings.ends[walks]
        across = np.arctan2(ends[:, 1, 1] - ends[:, 0, 1], ends[:, 1, 0] - ends[:, 0, 0])
        self.group = np.concatenate([roads.light[some], np.tile(roads.crossings.light[walks], 2)])
        self.walking = np.arange(len(self.group)) >= len(some)
        aside = SIDE_BY_SIDE * _number_at(roads.x[start].round(2), roads.y[start].round(2))  # to the left
        ahead = roads.heading[start]
        self.columns: dict[str, Any] = {
            "id": IDS + np.arange(len(self.group)),
            "kind": LIGHT,
            "x": np.concatenate([roads.x[start] - aside * np.sin(ahead), *ends[..., 0].T]),
            "y": np.concatenate([roads.y[start] + aside * np.cos(ahead), *ends[..., 1].T]),
            "z": np.concatenate([roads.z[start] + LANE_HEIGHT, np.full(2 * len(walks), WALK_HEIGHT)]),
            "yaw": np.concatenate([ahead + np.pi, across, across + np.pi]),
            "vx": 0.0,
            "vy": 0.0,
            "length": 0.2,
            "width": 0.3,
            "height": 0.9,
        }

    def __len__(self) -> int:
        return len(self.group)

    def rows(self, t: float) -> dict[str, Any]:
        """Their rows at time `t` [s]; `state` is red, amber or green, for people walk or stop."""
        now = self.roads.lights.state(t)[self.group]
        return {**self.columns, "state": np.where(self.walking, _WALKERS[now], _DRIVERS[now])}


def _number_at(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(n,) the how manieth each is of those at its place, from 0."""
    order = np.lexsort((y, x))
    new = np.concatenate([[True], (np.diff(x[order]) != 0) | (np.diff(y[order]) != 0)])[: len(x)]
    first = np.maximum.accumulate(np.where(new, np.arange(len(x)), 0))
    number = np.empty(len(x))
    number[order] = np.arange(len(x)) - first
    return number
