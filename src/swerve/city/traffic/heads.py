"""Traffic lights as rows of a recording: one for every arm and way of a junction and every crosswalk."""

from __future__ import annotations

import numpy as np

from ..roads.roads import CONNECTOR, LIGHT, Roads

HEAD_IDS = 1 << 23  # identities from here on are those of light heads
SIZE, ABOVE = (0.3, 0.3, 0.9), 4.5  # [m] of a head, and its middle above the road
STATES = np.array(["red", "amber", "green"], dtype=object)
WALK_STATES = np.array(["stop", "stop", "walk"], dtype=object)


class LightHeads:
    """Where the lights of a town stand, and what they show."""

    def __init__(self, roads: Roads):
        self.lights = roads.lights
        ways = np.flatnonzero((roads.kind == CONNECTOR) & (roads.control == LIGHT) & (roads.light >= 0))
        lane = roads.before[roads.before_first[ways]]
        _, first = np.unique(np.stack([roads.road[lane], roads.light[ways]]), axis=1, return_index=True)
        ways, lane = ways[first], lane[first]
        x, y, heading = roads.place(lane, roads.length[lane])
        z = roads.height(lane, roads.length[lane])
        walks = np.flatnonzero(np.asarray(roads.crossings.light) >= 0)
        ends = np.asarray(roads.crossings.ends)[walks].reshape(-1, 2, 2)
        across = ends[:, 1] - ends[:, 0]
        under = z[:1] if len(z) else np.zeros(1)
        if len(walks):
            strip, station, _ = roads.nearest(ends[:, 0, 0], ends[:, 0, 1])
            under = roads.height(strip, station)
        self.group = np.concatenate([roads.light[ways], np.asarray(roads.crossings.light)[walks]])
        self.is_walk = np.arange(len(self.group)) >= len(ways)
        n = len(self.group)
        self._place = {
            "id": HEAD_IDS + np.arange(n),
            "kind": np.full(n, "light", dtype=object),
            "x": np.concatenate([x, ends[:, 0, 0]]),
            "y": np.concatenate([y, ends[:, 0, 1]]),
            "z": np.concatenate([z, under[: len(walks)]]) + ABOVE,
            "yaw": np.concatenate([heading, np.arctan2(across[:, 1], across[:, 0])]) + np.pi,
            "vx": np.zeros(n),
            "vy": np.zeros(n),
        } | {name: np.full(n, size) for name, size in zip(("length", "width", "height"), SIZE, strict=True)}

    def __len__(self) -> int:
        return len(self.group)

    def rows(self, t: float) -> dict[str, np.ndarray]:
        """Rows of kind `light` at time t [s]: red, amber, green for drivers, walk and stop for people."""
        now = self.lights.state(t)[self.group]
        return {**self._place, "state": np.where(self.is_walk, WALK_STATES[now], STATES[now])}
