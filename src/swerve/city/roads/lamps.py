"""The lamps of traffic lights, for recordings: where each hangs, where it looks, and what it shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.recording import LIGHT

from .roads import Roads

IDS = 1 << 23  # identities from here on are those of lights
LANE_HEIGHT, WALK_HEIGHT = 5.0, 2.4  # [m] of the lamps over a lane, and of those for people
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
        self.columns: dict[str, Any] = {
            "id": IDS + np.arange(len(self.group)),
            "kind": LIGHT,
            "x": np.concatenate([roads.x[start], *ends[..., 0].T]),
            "y": np.concatenate([roads.y[start], *ends[..., 1].T]),
            "z": np.concatenate([roads.z[start] + LANE_HEIGHT, np.full(2 * len(walks), WALK_HEIGHT)]),
            "yaw": np.concatenate([roads.heading[start] + np.pi, across, across + np.pi]),
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
