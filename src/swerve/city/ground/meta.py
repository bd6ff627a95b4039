"""Meta-connections: several navigation contexts stitched into one.

A meta-connection joins a place in one context with a place in another. The two cells there are linked, and
so are all cells of the two contexts whose borders touch: from then on they are one context whose cells are
numbered through.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require

from .contexts import Graph, NavigationContext, links_of

TOUCHING = 0.05  # [m] between borders that count as one


class MetaConnection(NamedTuple):
    """From a place (x, y) [m] in context number `first` to one in context number `second`, both ways."""

    first: int
    here: tuple[float, float]
    second: int
    there: tuple[float, float]


class MetaNetwork:
    """Contexts and the connections between them, as one context."""

    def __init__(self, contexts: Sequence[NavigationContext], connections: Sequence[MetaConnection]):
        self.contexts = tuple(contexts)
        require(len(self.contexts) > 0, "contexts", 0, "must be at least 1")
        self.first = np.concatenate([[0], np.cumsum([len(c) for c in self.contexts])]).astype(np.int64)
        self.connections = tuple(connections)
        self._stitches = self._stitched()

    def __len__(self) -> int:
        return int(self.first[-1])

    @cached_property
    def centre(self) -> np.ndarray:
        return np.concatenate([np.asarray(c.centre)[:, :2] for c in self.contexts])

    def owner(self, cell: int) -> tuple[int, int]:
        """The context that a cell belongs to, and its number there."""
        which = int(np.searchsorted(self.first, cell, side="right")) - 1
        return which, int(cell - self.first[which])

    def neighbours(self, cell: int) -> np.ndarray:
        return self.graph.end[self.graph.start == cell]

    def locate(self, x: ArrayLike, y: ArrayLike) -> np.ndarray:
        """Cells in which points (k,) lie, in the first context that has one there; -1 outside all."""
        x, y = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
        found = np.full(len(x), -1, np.int64)
        for context, first in zip(self.contexts, self.first, strict=False):
            here = np.asarray(context.locate(x, y))
            found = np.where((found < 0) & (here >= 0), here + first, found)
        return found

    def way(self, start: tuple[float, float], goal: tuple[float, float]) -> list[int]:
        """Cells from a place to another, through as many contexts as needed; empty without a way."""
        first, last = self.locate([start[0], goal[0]], [start[1], goal[1]])
        return [] if first < 0 or last < 0 else self.graph.way(int(first), int(last))

    @cached_property
    def graph(self) -> Graph:
        pairs = [np.column_stack(links_of(c)) + f for c, f in zip(self.contexts, self.first, strict=False)]
        links = np.unique(np.concatenate([*pairs, self._stitches, self._stitches[:, ::-1]]), axis=0)
        a, b = links.T
        return Graph(len(self), a, b, np.hypot(*(self.centre[a] - self.centre[b]).T))

    def _stitched(self) -> np.ndarray:
        """Pairs (k, 2) of cells that the connections link."""
        pairs = [np.zeros((0, 2), np.int64)]
        for k, c in enumerate(self.connections):
            ends = []
            for number, (x, y) in ((c.first, c.here), (c.second, c.there)):
                known = 0 <= number < len(self.contexts)
                require(known, f"connection {k}, context", number, f"must be 0 to {len(self.contexts) - 1}")
                cell = int(np.asarray(self.contexts[number].locate([x], [y]))[0])
                require(cell >= 0, f"connection {k}, context {number}", (x, y), "lies in no cell")
                ends.append(cell + self.first[number])
            require(c.first != c.second, f"connection {k}", c.first, "must join two contexts")
            pairs.append(np.array([ends], np.int64))
            border = _touching_cells(self.contexts[c.first], self.contexts[c.second])
            pairs.append(border + np.array([self.first[c.first], self.first[c.second]]))
        return np.unique(np.concatenate(pairs), axis=0)


def _touching_cells(one: NavigationContext, other: NavigationContext) -> np.ndarray:
    """Pairs of cells with sides that lie on each other; none where a context has no rings."""
    if not (hasattr(one, "ring") and hasattr(other, "ring")):
        return np.zeros((0, 2), np.int64)
    sides = [_sides(context) for context in (one, other)]
    (a, own), (b, foreign) = sides
    pairs = []
    for i in range(len(a)):
        start, end = a[i, :2], a[i, 2:]
        length = np.hypot(*(end - start))
        along = (end - start) / length
        across = np.array([-along[1], along[0]])
        ends = b.reshape(-1, 2, 2) - start
        off = np.abs(ends @ across).max(axis=1)
        reach = ends @ along
        shared = np.minimum(reach.max(axis=1), length) - np.maximum(reach.min(axis=1), 0.0)
        pairs += [(own[i], foreign[j]) for j in np.flatnonzero((off < TOUCHING) & (shared > TOUCHING))]
    return np.array(pairs, np.int64).reshape(-1, 2)


def _sides(context: Any) -> tuple[np.ndarray, np.ndarray]:
    """Sides (k, 4) of all cells, and the cell of each."""
    rings = [np.asarray(context.ring(cell), float)[:, :2] for cell in range(len(context))]
    sides = [np.hstack([ring, np.roll(ring, -1, axis=0)]) for ring in rings]
    cells = np.repeat(np.arange(len(rings)), [len(s) for s in sides])
    return np.concatenate(sides), cells
