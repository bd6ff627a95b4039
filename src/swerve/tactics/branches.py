"""The tree of `swerve.plan`: arrays that grow, and compiled kernels that add nodes and index them.

Nodes lie in a k-d tree by their points (Euclidean distances of points are the user's distances of states),
and in cells of the same space: a cell keeps its cheapest node, and the others are not picked any more (after
SST, Li et al. 2016). They also lie in the squares of a coarse grid over a few columns, which tell where the
tree is sparse (after KPIECE, Şucan and Kavraki 2009).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, inlined, kernel, plain

from .chance import uniform

COUNT, BEST, ADDED, DROPPED, LEAVES, DEEP, DEEPEST, SQUARES, INDEXED, BARS = range(10)  # of `tally`
FINER = plain(2)  # cells along a square's side
EARLY = 128  # nodes up to which a tree is not indexed anew
CROWDED = 4.0  # nodes that fall into taken cells for each that does not, beyond which cells become smaller
SMALLER = 0.8  # times as large as before


class Branches(NamedTuple):
    """n nodes of which `tally[COUNT]` are there; a node holds what led to it from its parent."""

    states: np.ndarray  # (n, d)
    points: np.ndarray  # (n, e)
    controls: np.ndarray  # (n, c)
    parent: np.ndarray
    cost: np.ndarray
    steps: np.ndarray  # for which the control was held
    depth: np.ndarray
    children: np.ndarray
    active: np.ndarray  # whether it may be picked
    left: np.ndarray  # of the k-d tree; -1 is nobody
    right: np.ndarray
    keys: np.ndarray  # (m,) of occupied cells, 0 where free: a hash table
    holders: np.ndarray  # (m,) the cheapest node of each
    soon: np.ndarray  # (n, a) where it will be soon along the grid's axes if it goes on as it last did
    older: np.ndarray  # the node that came before it into its square, or -1
    newest: np.ndarray  # (s,) node of each square, or -1
    held: np.ndarray  # (s,) nodes in each
    picked: np.ndarray  # (s,) how often nodes of each were picked
    failed: np.ndarray  # (s,) how much less each is to be picked because branches from it failed
    ahead: np.ndarray  # (s,) how much less each is to be picked because it is far from the goal (`field`)
    barred: np.ndarray  # (s·FINER²,) cells that no branch may enter (`detours`); tally[BARS] if there are any
    squares: np.ndarray  # (s,) those that hold nodes, tally[SQUARES] of them
    axes: np.ndarray  # (a,) coordinates of points that the grid is over
    corner: np.ndarray  # (a,) where it begins
    side: np.ndarray  # (a,) of its squares; along each axis there are as many
    tally: np.ndarray  # nodes, best goal node, added, dropped, leaves, sum of their depths, greatest depth,
    # squares that hold nodes, nodes when it was indexed last, whether cells are barred


class Grid(NamedTuple):
    """Over which coordinates of points, between which bounds, in how many squares along each."""

    axes: np.ndarray
    low: np.ndarray
    high: np.ndarray
    along: int


def sprout(root: np.ndarray, point: np.ndarray, c: int, grid: Grid | None = None, n: int = 2048) -> Branches:
    """A tree of one node, with room for n; without a grid there is one square."""
    d, e = len(root), len(point)
    grid = grid or Grid(np.zeros(1, dtype=np.int64), np.zeros(1), np.ones(1), 1)
    squares = grid.along ** len(grid.axes)
    tree = Branches(
        np.empty((n, d)),
        np.empty((n, e)),
        np.zeros((n, c)),
        np.full(n, -1),
        np.zeros(n),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.bool_),
        np.full(n, -1),
        np.full(n, -1),
        np.zeros(4 * n, dtype=np.int64),
        np.full(4 * n, -1),
        np.zeros((n, len(grid.axes))),
        np.full(n, -1),
        np.full(squares, -1),
        np.zeros(squares, dtype=np.int64),
        np.zeros(squares, dtype=np.int64),
        np.ones(squares),
        np.ones(squares),
        np.zeros(squares * int(FINER) ** len(grid.axes), dtype=np.bool_),
        np.zeros(squares, dtype=np.int64),
        grid.axes,
        grid.low,
        (grid.high - grid.low) / grid.along,
        np.array([1, -1, 0, 0, 1, 0, 0, 0, 1, 0]),
    )
    tree.states[0], tree.points[0], tree.active[0] = root, point, True
    tree.soon[0] = point[grid.axes]
    file(tree, plain(0))
    return tree


def grown(tree: Branches) -> Branches:
    """The same tree with room for twice as many nodes; it is to be indexed anew, as its tally tells."""
    fill = {"parent": -1, "left": -1, "right": -1, "older": -1, "active": False}
    parts = {}
    for name, old in tree._asdict().items():
        if name in ("keys", "holders"):
            continue
        if name in (
            "newest",
            "held",
            "picked",
            "failed",
            "ahead",
            "barred",
            "squares",
            "axes",
            "corner",
            "side",
            "tally",
        ):
            parts[name] = old
            continue
        new = np.full((2 * len(old), *old.shape[1:]), fill.get(name, 0), dtype=old.dtype)
        new[: len(old)] = old
        parts[name] = new
    cells = 2 * len(tree.keys)
    tree.tally[INDEXED] = 0
    return Branches(
        **parts,
        keys=np.zeros(cells, dtype=np.int64),
        holders=np.full(cells, -1),
    )


def lineage(tree: Branches, node: int) -> list[int]:
    """From the first node after the root to this one."""
    way = []
    while node > 0:
        way.append(node)
        node = int(tree.parent[node])
    return way[::-1]


@kernel
def tidy(tree: Branches, cell: np.ndarray, bound: float, chance: np.ndarray) -> None:
    """Index the tree anew where it has doubled; where most new nodes fall into cells (e,) that are taken,
    these become smaller first."""
    tally = tree.tally
    crowded = tally[DROPPED] > max(CROWDED * tally[ADDED], 1000)
    if tally[DROPPED] + tally[ADDED] > 20_000 or crowded:
        tally[DROPPED] = tally[ADDED] = 0
    if crowded:
        for i in range(len(cell)):
            cell[i] *= SMALLER
    if crowded or tally[COUNT] > max(2 * tally[INDEXED], EARLY):
        index(tree, cell, bound, chance)


@kernel
def index(tree: Branches, cell: np.ndarray, bound: float, chance: np.ndarray) -> None:
    """Build the k-d tree of the active nodes anew, in a random order, and enter them into cells and squares.

    Nodes that cost more than the bound are no longer active.
    """
    count = tree.tally[COUNT]
    order = np.arange(count)
    for k in range(count - 1, 0, -1):
        other = int(uniform(chance) * (k + 1))
        order[k], order[other] = order[other], order[k]
    tree.left[:] = -1
    tree.right[:] = -1
    tree.keys[:] = 0
    tree.holders[:] = -1
    for node in order:
        tree.active[node] = tree.active[node] and (tree.cost[node] < bound or node == 0)
        if not tree.active[node]:
            continue
        slot = _slot(tree, node, cell)
        held = tree.holders[slot]
        if held >= 0 and tree.cost[held] <= tree.cost[node]:
            tree.active[node] = node == 0
        else:
            if held >= 0:
                tree.active[held] = held == 0
            tree.holders[slot] = node
    for node in order:
        if tree.active[node] and node != 0:
            _enter(tree, node)
    tree.newest[:] = -1
    tree.held[:] = 0
    tree.tally[SQUARES] = 0
    for node in range(count):
        if tree.active[node]:
            file(tree, node)
    tree.tally[INDEXED] = count


@bare
def add(
    tree: Branches,
    source: int,
    controls: np.ndarray,
    ends: np.ndarray,
    tried: int,
    steps: int,
    dt: float,
    cell: np.ndarray,
    bound: float,
    done: bool,
    point: np.ndarray,
    before: np.ndarray,
    look: float,
) -> None:
    """Add the end of a try, whose point (e,) is given, as is that of the step before; `look` says how many
    such steps further it counts to a square."""
    cost = tree.cost[source] + steps * dt
    tally = tree.tally
    node = tally[COUNT]
    if node == len(tree.parent) or cost >= bound:
        return
    for i in range(len(point)):
        tree.points[node, i] = point[i]
    if tally[BARS] and _barred(tree, source, node):
        return
    for k in range(len(tree.axes)):
        a = tree.axes[k]
        tree.soon[node, k] = point[a] + look * (point[a] - before[a])
    slot = _slot(tree, node, cell)
    held = tree.holders[slot]
    if held >= 0 and tree.cost[held] <= cost and not done:
        tally[DROPPED] += 1
        return
    for i in range(ends.shape[1]):
        tree.states[node, i] = ends[tried, i]
    for i in range(controls.shape[1]):
        tree.controls[node, i] = controls[tried, i]
    tree.parent[node], tree.cost[node], tree.steps[node] = source, cost, steps
    tree.depth[node], tree.children[node] = tree.depth[source] + 1, 0
    tally[COUNT] += 1
    tally[ADDED] += 1
    tally[DEEP] += tree.depth[node]
    tally[DEEPEST] = max(tally[DEEPEST], tree.depth[node])
    if tree.children[source] == 0:
        tally[DEEP] -= tree.depth[source]
    else:
        tally[LEAVES] += 1
    tree.children[source] += 1
    if done:
        if tally[BEST] < 0 or cost < tree.cost[tally[BEST]]:
            tally[BEST] = node
        tree.active[node] = False
        return
    if held > 0:
        tree.active[held] = False
    tree.holders[slot] = node
    tree.active[node] = True
    _enter(tree, node)
    file(tree, node)


@inlined
def _barred(tree: Branches, source: int, node: int) -> bool:
    """Whether the straight way from one node to another meets a barred cell."""
    along = int(np.round(len(tree.barred) ** (1.0 / len(tree.axes))))
    looks = 1
    for k in range(len(tree.axes)):
        a = tree.axes[k]
        cells = abs(tree.points[node, a] - tree.points[source, a]) * FINER / tree.side[k]
        looks = max(looks, int(2.0 * cells) + 1)
    for look in range(1, looks + 1):
        cell = 0
        for k in range(len(tree.axes)):
            a = tree.axes[k]
            place = tree.points[source, a] + look / looks * (tree.points[node, a] - tree.points[source, a])
            cell = cell * along + int(
                min(max((place - tree.corner[k]) * FINER / tree.side[k], 0.0), along - 1.0)
            )
        if tree.barred[cell]:
            return True
    return False


@inlined
def _slot(tree: Branches, node: int, cell: np.ndarray) -> int:
    """Where in the table a node's cell is, or is to be."""
    key = np.uint64(1469598103934665603)
    for i in range(tree.points.shape[1]):
        part = np.uint64(np.int64(np.floor(tree.points[node, i] / cell[i])) + np.int64(1 << 40))
        key = (key ^ part) * np.uint64(1099511628211)
        key ^= key >> np.uint64(29)
    wanted = np.int64(key >> np.uint64(1)) + np.int64(1)
    size = len(tree.keys)
    at = wanted % size
    while tree.keys[at] != 0 and tree.keys[at] != wanted:
        at = (at + 1) % size
    tree.keys[at] = wanted
    return int(at)


@inlined
def _enter(tree: Branches, node: int) -> None:
    """Hang a node into the k-d tree, whose top is the root of the tree."""
    e, at, axis = tree.points.shape[1], 0, 0
    while True:
        side = tree.left if tree.points[node, axis] < tree.points[at, axis] else tree.right
        if side[at] < 0:
            side[at] = node
            return
        at = side[at]
        axis = axis + 1 if axis + 1 < e else 0


@bare
def file(tree: Branches, node: int) -> None:
    """Put a node into its square."""
    square = square_of(tree, node)
    if tree.newest[square] < 0:
        tree.squares[tree.tally[SQUARES]] = square
        tree.tally[SQUARES] += 1
    tree.older[node] = tree.newest[square]
    tree.newest[square] = node
    tree.held[square] += 1


@inlined
def square_of(tree: Branches, node: int) -> int:
    """What lies beyond the grid counts to its edge."""
    along, square = int(np.round(len(tree.newest) ** (1.0 / len(tree.axes)))), 0
    for k in range(len(tree.axes)):
        place = (tree.soon[node, k] - tree.corner[k]) / tree.side[k]
        square = square * along + int(min(max(place, 0.0), along - 1.0))
    return square
