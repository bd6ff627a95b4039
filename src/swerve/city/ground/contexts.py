"""What all navigation contexts share: numbered cells, links between them, and the shortest way over those.

A mesh, a quadtree, a waypoint network and several of them stitched together are contexts alike.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require


class NavigationContext(Protocol):
    """Cells 0 … n - 1 with centres (n, 2) [m]."""

    def __len__(self) -> int: ...

    @property
    def centre(self) -> np.ndarray: ...

    def neighbours(self, cell: int) -> np.ndarray:
        """Cells that can be reached from a cell in one step."""

    def locate(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """The cells in which points (k,) lie; -1 outside."""


class Graph:
    """Directed links between n cells with costs [m], and shortest ways over them."""

    def __init__(self, n: int, start: np.ndarray, end: np.ndarray, cost: np.ndarray):
        self.n, self.start, self.end, self.cost = n, start, end, cost

    @cached_property
    def matrix(self) -> Any:
        from scipy.sparse import csr_matrix

        # a link of no length would count as none
        return csr_matrix((np.maximum(self.cost, 1e-9), (self.start, self.end)), shape=(self.n, self.n))

    def way(self, first: int, last: int) -> list[int]:
        """Cells from the first to the last; empty where there is no way."""
        from scipy.sparse.csgraph import dijkstra

        for cell in (first, last):
            require(0 <= cell < self.n, "cell", cell, f"must be from 0 to {self.n - 1}")
        reached, before = dijkstra(self.matrix, indices=first, return_predecessors=True)
        if not np.isfinite(reached[last]):
            return []
        cells = [last]
        while cells[-1] != first:
            cells.append(int(before[cells[-1]]))
        return cells[::-1]

    def next_towards(self, targets: np.ndarray) -> np.ndarray:
        """For every target (k,) and cell the cell that comes next, int32 (k, n); -1 at the target or without
        a way."""
        from scipy.sparse.csgraph import dijkstra

        _, after = dijkstra(self.matrix.T.tocsr(), indices=np.atleast_1d(targets), return_predecessors=True)
        return np.where(after < 0, -1, after).astype(np.int32)


def graph_of(context: NavigationContext, offset: int = 0, cells: int | None = None) -> Graph:
    """The links of a context, each as long as its centres are apart."""
    start, end = links_of(context)
    centre = np.asarray(context.centre)[:, :2]
    cost = np.hypot(*(centre[start] - centre[end]).T)
    return Graph(len(context) if cells is None else cells, start + offset, end + offset, cost)


def links_of(context: NavigationContext) -> tuple[np.ndarray, np.ndarray]:
    """From and to of every link."""
    lists = [np.asarray(context.neighbours(cell), np.int64) for cell in range(len(context))]
    start = np.repeat(np.arange(len(context)), [len(row) for row in lists])
    return start, np.concatenate([np.zeros(0, np.int64), *lists])
