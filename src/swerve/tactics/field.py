"""How far it is to the goal past what stands in the way, for a point that can move in any direction.

A fine grid lies over the two coordinates of `swerve.plan` that reach furthest. A cell is free where the
user's own test of states holds in its middle with the other columns as at the start, as at the goal, or as
drawn. Ways through free cells are followed from the goal on; all of it costs as much as testing some
thousands of states. Momentum, turning circles and what the other columns forbid are not in it, so it is a
hint where to grow first (`picks.pick_sparse`) and never a reason to leave something out.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, kernel

from .branches import ALONG, FINER, Branches
from .chance import uniform
from .growth import Rules, Test

Array = np.ndarray
DRAWN = 4  # draws of the other columns for cells that seem taken
SAMPLE = 128  # of these, that tell whether other columns matter at all
AT_ONCE = 1024  # cells that are tested
NOWHERE = 3.0  # times as far off as the root seem squares from which no way leads to the goal
TAKEN = -1.0  # the length of a way from a cell that is taken
NEAREST = 0.1  # squares are picked the less by the fourth power of this and the share of the whole way left


def look(fine: Test, tree: Branches, rules: Rules) -> Array | None:
    """Tell a tree of the root alone how far its squares are from the goal, if that can be told: the goal must
    be a state, and the grid over two columns that do not turn. Gives the free cells (n, n)."""
    columns = columns_of(tree.axes, rules.weights, rules.turning)
    if len(rules.goal) == 0 or len(columns) != 2:
        return None
    root, side = tree.states[0], tree.side / FINER
    n = int(tree.tally[ALONG] * FINER)
    cells, scale = np.arange(n * n), rules.weights[columns]
    grid = (n, columns, scale, tree.corner, side)
    free = np.concatenate([fine(_probes(some, root[None], *grid)) for some in _portions(cells)])
    taken = np.flatnonzero(~free)
    if len(taken):
        others = _others(root, rules.goal, rules.low, rules.high, rules.chance)
        if fine(_probes(taken[:: -(-len(taken) // SAMPLE)], others, *grid)).any():
            for some in _portions(taken):
                again = fine(_probes(some, others, *grid))
                free[some] = again.reshape(len(others), len(some)).any(axis=0)
    free = free.reshape(n, n)
    guide(tree, rules, free, lead=True)
    return free


def _portions(cells: Array) -> list[Array]:
    """Cells in as many parts as are tested one after the other."""
    return [cells[k : k + AT_ONCE] for k in range(0, len(cells), AT_ONCE)]


def guide(tree: Branches, rules: Rules, free: Array, lead: bool = False) -> float:
    """Tell a tree of the root alone how far its squares are from the goal through free cells (n, n); gives
    how far the root is, infinite where there is no way. Where single nodes are to `lead`, cells are told."""
    columns = columns_of(tree.axes, rules.weights, rules.turning)
    goal = rules.goal[columns] * rules.weights[columns]
    far = spread(free, goal, tree.corner, tree.side / FINER)
    _tell(far, tree.soon[0], tree.corner, tree.side, tree.ahead)
    i, j = (cell(tree.soon[0][k], len(free), tree.corner[k], tree.side[k] / FINER) for k in (0, 1))
    if lead:
        tree.far[:], tree.lack[0] = far.ravel(), far[i, j]
    return float(far[i, j])


@kernel
def columns_of(axes: Array, weights: Array, turning: Array) -> Array:
    """Columns of states that are these coordinates of points; fewer where one turns."""
    columns = np.empty(len(axes), dtype=np.int64)
    found = 0
    for axis in axes:
        e = 0
        for i in range(len(weights)):
            if weights[i] == 0.0:
                continue
            if e == axis and not turning[i]:
                columns[found] = i
                found += 1
            e += 2 if turning[i] else 1
    return columns[:found]


@kernel
def _others(root: Array, goal: Array, low: Array, high: Array, chance: Array) -> Array:
    """States (m, d): first the goal, where it says nothing the root, then some that are drawn."""
    others = np.empty((1 + DRAWN, len(root)))
    for i in range(len(root)):
        others[0, i] = root[i] if np.isnan(goal[i]) else goal[i]
        for k in range(1, len(others)):
            others[k, i] = low[i] + uniform(chance) * (high[i] - low[i])
    return others


@kernel
def _probes(
    cells: Array, others: Array, n: int, columns: Array, scale: Array, low: Array, side: Array
) -> Array:
    """States (m·cells, d) in the middles of cells of a grid n wide, elsewhere like each of m `others`."""
    states = np.empty((len(others) * len(cells), others.shape[1]))
    for k in range(len(others)):
        for c in range(len(cells)):
            row = k * len(cells) + c
            for i in range(others.shape[1]):
                states[row, i] = others[k, i]
            states[row, columns[0]] = (low[0] + (cells[c] // n + 0.5) * side[0]) / scale[0]
            states[row, columns[1]] = (low[1] + (cells[c] % n + 0.5) * side[1]) / scale[1]
    return states


@kernel
def _tell(far: Array, root: Array, low: Array, side: Array, ahead: Array) -> None:
    """By the lengths of ways from cells (n, n), how much less squares are to be picked."""
    along, least = len(far) // FINER, np.full(len(ahead), np.inf)
    for i in range(len(far)):
        for j in range(len(far)):
            square = i // FINER * along + j // FINER
            least[square] = min(least[square], far[i, j])
    at = cell(root[0], along, low[0], side[0]) * along + cell(root[1], along, low[1], side[1])
    here = least[at]
    if 0.0 < here < np.inf:
        for square in range(len(least)):
            share = NEAREST + min(least[square] / here, NOWHERE)
            ahead[square] = share * share * share * share


@kernel
def spread(free: Array, to: Array, low: Array, side: Array) -> Array:
    """(n, n) lengths of the shortest ways from cells to those that hold the place `to` (2,), not a number
    along an axis that does not matter; infinite where there is none. Ways go to all eight neighbours,
    through free cells, and not between two that are taken and touch with their corners."""
    n = len(free)
    wide = n + 2  # with a rim, which like cells that are taken is so near that no way seems shorter
    diagonal = np.sqrt(side[0] ** 2 + side[1] ** 2)
    beside = (-wide, wide, -1, 1, -wide - 1, -wide + 1, wide - 1, wide + 1)
    lengths = (side[0], side[0], side[1], side[1], diagonal, diagonal, diagonal, diagonal)
    far, waits = np.full(wide * wide, TAKEN), np.zeros(wide * wide, dtype=np.bool_)
    queue, first, last = np.empty(n * n + 1, dtype=np.int64), 0, 0
    for i in range(n):
        for j in range(n):
            at = (i + 1) * wide + j + 1
            if free[i, j]:
                far[at] = np.inf
            on_x = np.isnan(to[0]) or i == cell(to[0], n, low[0], side[0])
            on_y = np.isnan(to[1]) or j == cell(to[1], n, low[1], side[1])
            if on_x and on_y:
                far[at], queue[last], waits[at] = 0.0, at, True
                last += 1
    while first != last:
        at = queue[first]
        first = first + 1 if first < n * n else 0
        waits[at] = False
        for k in range(8):
            there, length = at + beside[k], far[at] + lengths[k]
            if length >= far[there] - 1e-12:
                continue
            if k >= 4 and far[at + beside[k // 6]] == TAKEN and far[at + beside[2 + k % 2]] == TAKEN:
                continue
            far[there] = length
            if not waits[there]:
                queue[last], waits[there] = there, True
                last = last + 1 if last < n * n else 0
    result = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            length = far[(i + 1) * wide + j + 1]
            result[i, j] = np.inf if length == TAKEN else length
    return result


@bare
def cell(place: float, n: int, low: float, side: float) -> int:
    """Which of n cells along an axis holds a place; what lies beyond counts to the edge."""
    return int(min(max((place - low) / side, 0.0), n - 1.0))
