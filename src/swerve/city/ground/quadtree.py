"""Quadtrees: open ground as squares, large where there is room and small near obstacles.

A square that an obstacle reaches into is cut into four, until it is free or as small as allowed; what is
still touched then is closed. Wide open ground needs few cells, at the price of paths that turn at the middles
of shared sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require
from swerve.core.geometry import box_hits_segment
from swerve.core.kernels import kernel

from .contexts import Graph

_MOST_LEVELS = 20


class QuadTree:
    """Free squares of an area x0, y0, x1, y1 [m] with obstacles (rings (k, 2)), none smaller than
    `smallest` [m]. Cells are numbered by row of their lower left corner.

    >>> tree = QuadTree((0, 0, 64, 64), [np.array([[30, 30], [34, 30], [34, 34], [30, 34]])], smallest=2)
    >>> len(tree) < 32 * 32, int(tree.locate(32, 32)[0]), bool(tree.locate(1, 1)[0] >= 0)
    (True, -1, True)
    """

    def __init__(
        self, area: tuple[float, float, float, float], obstacles: Sequence[np.ndarray], smallest: float = 2.0
    ):
        x0, y0, x1, y1 = (float(v) for v in area)
        require(x1 > x0 and y1 > y0, "area", area, "must have its lower left corner first")
        require(smallest > 0, "smallest", smallest, "must be positive")
        self.low = np.array([x0, y0])
        self.side = max(x1 - x0, y1 - y0)
        self.levels = min(_MOST_LEVELS, max(0, int(np.ceil(np.log2(self.side / smallest)))))
        self._limit = np.array([x1, y1])
        segments, first = _segments(obstacles)
        cells, free = np.zeros((1, 2), np.int64), []
        for level in range(self.levels + 1):
            size = self.side / 2**level
            corner = self.low + cells * size
            touched = _touched(corner, size, segments, first)
            outside = (corner >= self._limit - 1e-9).any(axis=1)
            sticks_out = (corner + size > self._limit + 1e-9).any(axis=1)
            split = (touched | sticks_out) & ~outside
            done = cells[~split & ~outside]
            free.append(np.column_stack([done, np.full(len(done), level)]))
            quarters = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
            cells = (2 * cells[split][:, None] + quarters).reshape(-1, 2)
        found = np.concatenate(free)
        size = self.side / 2.0 ** found[:, 2]
        corner = self.low + found[:, :2] * size[:, None]
        order = np.lexsort((corner[:, 0], corner[:, 1]))
        self.corner, self.size, self.level = corner[order], size[order], found[order, 2]
        require(len(order) > 0, "obstacles", len(obstacles), "leave no free square")

    def __len__(self) -> int:
        return len(self.size)

    @property
    def centre(self) -> np.ndarray:
        return self.corner + self.size[:, None] / 2

    def ring(self, cell: int) -> np.ndarray:
        """Corners (4, 2) of a cell."""
        return self.corner[cell] + self.size[cell] * np.array([[0, 0], [1, 0], [1, 1], [0, 1]])

    def neighbours(self, cell: int) -> np.ndarray:
        return self.graph.end[self._first[cell] : self._first[cell + 1]]

    def locate(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Cells in which points (k,) lie, -1 outside."""
        x, y = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
        found = np.full(len(x), -1)
        for level in np.unique(self.level):
            size = self.side / 2**level
            i, j = np.floor((x - self.low[0]) / size), np.floor((y - self.low[1]) / size)
            known = self._index[int(level)]
            for k in np.flatnonzero(found < 0):
                found[k] = known.get((int(i[k]), int(j[k])), -1)
        return found

    def path(self, start: tuple[float, float], goal: tuple[float, float]) -> np.ndarray:
        """Points (m, 2) from start to goal through the middles of shared sides; empty without a way."""
        first, last = self.locate([start[0], goal[0]], [start[1], goal[1]])
        if first < 0 or last < 0:
            return np.zeros((0, 2))
        way = self.graph.way(int(first), int(last))
        if not way:
            return np.zeros((0, 2))
        doors = [self.door(a, b) for a, b in pairwise(way)]
        return np.array([start, *doors, goal], float)

    def door(self, a: int, b: int) -> tuple[float, float]:
        """The middle of the side that two cells share."""
        low = np.maximum(self.corner[a], self.corner[b])
        high = np.minimum(self.corner[a] + self.size[a], self.corner[b] + self.size[b])
        return tuple(float(v) for v in (low + high) / 2)  # type: ignore[return-value]

    @cached_property
    def graph(self) -> Graph:
        low, high = self.corner, self.corner + self.size[:, None]
        pairs = []
        for axis in (0, 1):
            # cells that begin where others end: sort both by that line, then compare within it
            ends = np.round((high[:, axis] - self.low[axis]) / self.side * 2**_MOST_LEVELS).astype(np.int64)
            starts = np.round((low[:, axis] - self.low[axis]) / self.side * 2**_MOST_LEVELS).astype(np.int64)
            for line in np.intersect1d(ends, starts):
                a, b = np.flatnonzero(ends == line), np.flatnonzero(starts == line)
                other = 1 - axis
                shared = np.minimum(high[a, other][:, None], high[b, other]) - np.maximum(
                    low[a, other][:, None], low[b, other]
                )
                i, j = np.nonzero(shared > 1e-9)
                pairs.append(np.column_stack([a[i], b[j]]))
        both = np.concatenate([np.zeros((0, 2), np.int64), *pairs])
        both = np.concatenate([both, both[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        cost = np.hypot(*(self.centre[both[:, 0]] - self.centre[both[:, 1]]).T)
        return Graph(len(self), both[:, 0], both[:, 1], cost)

    @cached_property
    def _first(self) -> np.ndarray:
        return np.searchsorted(self.graph.start, np.arange(len(self) + 1))

    @cached_property
    def _index(self) -> dict[int, dict[tuple[int, int], int]]:
        known: dict[int, dict[tuple[int, int], int]] = {int(level): {} for level in np.unique(self.level)}
        at = np.round((self.corner - self.low) / self.size[:, None]).astype(int)
        for cell, (level, (i, j)) in enumerate(zip(self.level, at, strict=True)):
            known[int(level)][int(i), int(j)] = cell
        return known


def _segments(rings: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Sides (k, 4) of all rings, and where each ring's begin (n + 1)."""
    rings = [np.asarray(ring, float).reshape(-1, 2) for ring in rings]
    sides = [np.hstack([ring, np.roll(ring, -1, axis=0)]) for ring in rings]
    first = np.concatenate([[0], np.cumsum([len(s) for s in sides], dtype=np.int64)]).astype(np.int64)
    return np.concatenate([np.zeros((0, 4)), *sides]), first


@kernel
def _touched(corner: np.ndarray, size: float, segments: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Whether squares (n,) meet any ring: a side crosses them, or their middle lies inside."""
    out = np.zeros(len(corner), np.bool_)
    half = size / 2 - 1e-9
    for i in range(len(corner)):
        x, y = corner[i, 0] + size / 2, corner[i, 1] + size / 2
        for ring in range(len(first) - 1):
            inside = False
            for k in range(first[ring], first[ring + 1]):
                x0, y0, x1, y1 = segments[k, 0], segments[k, 1], segments[k, 2], segments[k, 3]
                if box_hits_segment(x, y, 1.0, 0.0, half, half, x0, y0, x1, y1):
                    out[i] = True
                    break
                if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
                    inside = not inside
            if out[i] or inside:
                out[i] = True
                break
    return out
