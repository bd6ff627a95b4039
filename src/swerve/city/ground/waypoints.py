"""Waypoint networks: places with a radius, joined by edges.

A character goes to the nearest waypoint, along edges to the one nearest to its target, and from there
straight to the target. It may leave an edge to walk round something; the waypoint it heads for stays the same
until it has come within the waypoint's radius.

>>> square = WaypointNetwork([[0, 0], [10, 0], [10, 10], [0, 10]], [(0, 1), (1, 2), (2, 3)])
>>> square.path((0, -2), (-1, 10)).tolist()
[[0.0, -2.0], [0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0], [-1.0, 10.0]]
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require

from .contexts import Graph


class WaypointNetwork:
    """Waypoints (n, 2) [m] with `radius` [m], and edges (k, 2) from one to another, both ways unless
    `one_way`."""

    def __init__(self, points: ArrayLike, edges: ArrayLike, radius: ArrayLike = 1.0, one_way: bool = False):
        self.points = np.asarray(points, float).reshape(-1, 2)
        n = len(self.points)
        require(n > 0, "waypoints", n, "must be at least 1")
        require(bool(np.isfinite(self.points).all()), "waypoints", None, "must be finite")
        self.radius = np.broadcast_to(np.asarray(radius, float), n).copy()
        require(bool((self.radius > 0).all()), "radius", float(self.radius.min()), "must be positive")
        edges = np.asarray(edges, np.int64).reshape(-1, 2)
        for edge in edges:
            require(
                bool(((edge >= 0) & (edge < n)).all()), "edge", edge.tolist(), f"waypoints are 0 to {n - 1}"
            )
        self.edges = edges if one_way else np.concatenate([edges, edges[:, ::-1]])

    def __len__(self) -> int:
        return len(self.points)

    @property
    def centre(self) -> np.ndarray:
        return self.points

    def neighbours(self, cell: int) -> np.ndarray:
        return self.edges[self.edges[:, 0] == cell, 1]

    def locate(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """The waypoints within whose radius points (k,) lie, -1 outside all."""
        near, distance = self._nearest(x, y)
        return np.where(distance <= self.radius[near], near, -1)

    def nearest(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """The nearest waypoints to points (k,)."""
        return self._nearest(x, y)[0]

    def path(self, start: tuple[float, float], goal: tuple[float, float]) -> np.ndarray:
        """Points (m, 2) from start to goal over the network; only the two where no edges lead there."""
        first, last = self.nearest([start[0], goal[0]], [start[1], goal[1]])
        way = self.graph.way(int(first), int(last))
        return np.concatenate([[start], self.points[way].reshape(-1, 2), [goal]]).astype(float)

    def head_for(
        self, x: np.ndarray, y: np.ndarray, current: np.ndarray, target: np.ndarray, table: np.ndarray
    ) -> np.ndarray:
        """The waypoint each character (k,) heads for next.

        `current` is the one it headed for so far (-1: none yet), `target` the row of `table`, which comes
        from `graph.next_towards`. At the last waypoint it stays.
        """
        current = np.where(current < 0, self.nearest(x, y), current)
        px, py = self.points[current].T
        arrived = np.hypot(px - x, py - y) <= self.radius[current]
        onward = table[target, current]
        return np.where(arrived & (onward >= 0), onward, current)

    @cached_property
    def graph(self) -> Graph:
        a, b = self.edges.T
        return Graph(len(self), a, b, np.hypot(*(self.points[a] - self.points[b]).T))

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.points)

    def _nearest(self, x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        distance, near = self._tree.query(np.stack([np.atleast_1d(x), np.atleast_1d(y)], -1).astype(float))
        return near, distance
