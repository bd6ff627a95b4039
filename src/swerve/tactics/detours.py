"""Other ways round: where a motion goes through a gap, is there another one?

A tree that improves a motion grows best where that motion is, and mending keeps to the side of each obstacle
on which a motion passes it. So of every way that is known the narrowest passage is barred, from obstacle to
obstacle, and a tree of its own (`kinodynamic`) looks for a motion that crosses no bar, guided by how far it
is to the goal past the bars (`field`). When no way is left, or none that could be quick enough, the bars of
the best motion's own way are lifted, and trees look for other motions there. Where the goal is no state, or
the grid not over two columns that do not turn, nothing is known of gaps and nothing is done.
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
SHARE = 0.3  # of all steps of the model that are made to find other ways
LARGEST = 60_000  # nodes of a tree that has found none, when it is given up


class Detours:
    """Which cells (n, n) are `free`, the `bars` across ways that are known, and the `tree` that looks for
    another motion; it is `over` where nothing can be told. `steps` of the model were taken for it."""

    def __init__(self, free: Array | None, sprout: Callable[[], Branches], rules: Rules):
        self.free = np.zeros((0, 0), dtype=bool) if free is None else free
        self.sprout, self.rules, self.over = sprout, rules, free is None
        self.bars: list[Array] = []
        self.exhausted = False  # no other way is left
        self.tree: Branches | None = None
        self.steps = 0

    def bar(self, states: Array) -> None:
        """Close the narrowest passage of a motion through states (m, d), if it has one."""
        tree = self.sprout()
        i, j = self._cells(tree, states)
        self.free[i, j] = True  # whatever it seemed
        columns = field.columns_of(tree.axes, self.rules.weights, self.rules.turning)
        places = states[:, columns] * self.rules.weights[columns]
        closed = narrowest(self.free, places, tree.corner, tree.side / FINER)
        if closed.any():
            self.bars.append(closed)
        else:
            self.exhausted = True

    def set_out(self, states: Array, cost: float) -> Branches:
        """Plant a tree that is to find another way than all that are barred, if there may be one that costs
        less, else another motion on the way of the best one, through states (m, d)."""
        self.tree = tree = self.sprout()
        closed = np.logical_or.reduce([np.zeros_like(self.free), *self.bars])
        far = field.guide(tree, self.rules, self.free & ~closed)
        self.exhausted = self.exhausted or far / self.rules.rate[0] >= cost
        if self.exhausted:
            cells = self._cells(tree, states)
            others = [bar for bar in self.bars if not bar[cells].any()]
            closed = np.logical_or.reduce([np.zeros_like(self.free), *others])
            field.guide(tree, self.rules, self.free & ~closed)
        tree.barred[:], tree.tally[BARS] = closed.ravel(), closed.any()
        return tree

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
