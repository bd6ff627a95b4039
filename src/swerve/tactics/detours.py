"""Other ways round: where a motion goes through a gap, is there another one?

Mending keeps to the side of each obstacle on which a motion passes it. So of every way that is known the
narrowest passage is barred, from obstacle to obstacle, and the next tree (`seek`) looks for a motion that
crosses no bar, guided by how far it is to the goal past the bars (`field`). When no way is left, or none that
could be quick enough, the bars of one way are lifted, mostly of the best motion's, and trees look for other
motions there. Where the goal is no state, or the grid not over two columns that do not turn, nothing is known
of gaps and no bar is laid.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from swerve.core.kernels import inner, kernel

from . import field
from .branches import BARS, FINER, Branches
from .growth import Rules

Array = np.ndarray
MIDDLE = (0.1, 0.9)  # share of a motion in which its narrowest passage is looked for
AHEAD = 3  # states before and after one that tell which way it goes


class Detours:
    """Which cells (n, n) are `free`, and the `bars` across ways that are known; `blind` where nothing can be
    told: trees are then planted without any."""

    def __init__(self, free: Array | None, sprout: Callable[[], Branches], rules: Rules):
        self.free = np.zeros((0, 0), dtype=bool) if free is None else free
        self.sprout, self.rules, self.blind = sprout, rules, free is None
        self.bars: list[Array] = []
        self.ways: list[Array] = []  # states of the motion that each bar is across
        self.exhausted = False  # no other way is left
        self.planted = 0  # trees on ways that are known

    def found(self, states: Array) -> None:
        """A motion through states (m, d) was found: if it takes another way than those known, close the
        narrowest passage of it, if it has one."""
        if self.blind or self.exhausted:
            return
        tree = self.sprout()
        self.free[self._cells(tree, states)] = True  # whatever it seemed
        columns = field.columns_of(tree.axes, self.rules.weights, self.rules.turning)
        places = states[:, columns] * self.rules.weights[columns]
        closed = narrowest(self.free, places, tree.corner, tree.side / FINER)
        if closed.any():
            self.bars.append(closed)
            self.ways.append(states)
        else:
            self.exhausted = True

    def fruitless(self) -> None:
        """A tree that looked for another way grew large and found none."""
        self.exhausted = True

    def set_out(self, states: Array, cost: float) -> Branches:
        """A tree that is to find another way than all that are barred, if there may be one that costs less
        than the best motion, which goes through states (m, d). Else it is to find another motion on a way
        that is known, every second time on that one."""
        tree = self.sprout()
        if self.blind:
            return tree
        closed = self._closed(self.bars)
        far = field.guide(tree, self.rules, self.free & ~closed)
        self.exhausted = self.exhausted or far / self.rules.rate[0] >= cost
        if self.exhausted:
            turn, other = divmod(self.planted, 2)
            if other and self.ways:
                states = self.ways[turn % len(self.ways)]
            self.planted += 1
            cells = self._cells(tree, states)
            closed = self._closed([bar for bar in self.bars if not bar[cells].any()])
            field.guide(tree, self.rules, self.free & ~closed)
        tree.barred[:], tree.tally[BARS] = closed.ravel(), closed.any()
        return tree

    def _closed(self, bars: list[Array]) -> Array:
        return np.logical_or.reduce([np.zeros_like(self.free), *bars])

    def _cells(self, tree: Branches, states: Array) -> tuple[Array, Array]:
        columns = field.columns_of(tree.axes, self.rules.weights, self.rules.turning)
        places = states[:, columns] * self.rules.weights[columns]
        cells = np.clip((places - tree.corner) * FINER / tree.side, 0, len(self.free) - 1).astype(int)
        return cells[:, 0], cells[:, 1]


@kernel
def narrowest(free: Array, places: Array, low: Array, side: Array) -> Array:
    """(n, n) the cells across the narrowest passage of a motion through places (m, 2), and those beside them;
    none where a bar would hold the motion's beginning or its end."""
    n, m = len(free), len(places)
    least, best, none = np.inf, np.zeros((n, n), dtype=np.bool_), np.zeros((n, n), dtype=np.bool_)
    for k in range(int(MIDDLE[0] * m), int(MIDDLE[1] * m)):
        before, after = places[max(k - AHEAD, 0)], places[min(k + AHEAD, m - 1)]
        dx, dy = (after[0] - before[0]) / side[0], (after[1] - before[1]) / side[1]
        size = np.hypot(dx, dy)
        if size < 1e-9:
            continue
        bar, length = none.copy(), 0.0
        for sense in (-1.0, 1.0):
            i, j = (places[k, 0] - low[0]) / side[0], (places[k, 1] - low[1]) / side[1]
            while 0.0 <= i < n and 0.0 <= j < n and free[int(i), int(j)]:
                bar[int(i), int(j)] = True
                i -= 0.5 * sense * dy / size
                j += 0.5 * sense * dx / size
                length += 0.5
        if length >= least:
            continue
        bar = _wider(bar)
        ends = False
        for end in (places[0], places[m - 1]):
            ends |= bar[field.cell(end[0], n, low[0], side[0]), field.cell(end[1], n, low[1], side[1])]
        if not ends:
            least, best = length, bar
    return best


@inner
@kernel
def _wider(bar: Array) -> Array:
    """The same cells, and all beside them."""
    wide = bar.copy()
    for i in range(len(bar)):
        for j in range(len(bar)):
            if bar[i, j]:
                for a in range(max(i - 1, 0), min(i + 2, len(bar))):
                    for b in range(max(j - 1, 0), min(j + 2, len(bar))):
                        wide[a, b] = True
    return wide
