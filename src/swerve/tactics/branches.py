"""The tree of `swerve.plan`: arrays that grow, and compiled kernels that add nodes and index them.

Nodes lie in a k-d tree by their points (Euclidean distances of points are the user's distances of states),
and in cells of the same space: a cell keeps its cheapest node, and the others are not picked any more (after
SST, Li et al. 2016). They also lie in the squares of a coarse grid over a few columns, which tell where the
tree is sparse (after KPIECE, Şucan and Kavraki 2009).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import inlined, kernel, plain

COUNT, BEST, ADDED, DROPPED, LEAVES, DEEP, DEEPEST, SQUARES, INDEXED, BARS, ALONG = range(11)  # of `tally`
LEADER, LEADS, SEEN = range(11, 14)  # likewise
FINER = plain(2)  # cells along a square's side
CELLS = 4  # entries of the table of cells for each node that there is room for


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
    lack: np.ndarray  # (n,) how far it is from there to the goal (`field`)
    older: np.ndarray  # the node that came before it into its square, or -1
    newest: np.ndarray  # (s,) node of each square, or -1
    held: np.ndarray  # (s,) nodes in each
    picked: np.ndarray  # (s,) how often nodes of each were picked
    failed: np.ndarray  # (s,) how much less each is to be picked because branches from it failed
    crowd: np.ndarray  # (s,) the product of these: one more than picked, held and failed
    ahead: np.ndarray  # (s,) how much less each is to be picked because it is far from the goal (`field`)
    far: np.ndarray  # (s·FINER²,) how far cells are from the goal (`field`), 0 where no node is to lead
    barred: np.ndarray  # (s·FINER²,) cells that no branch may enter (`detours`); tally[BARS] if there are any
    squares: np.ndarray  # (s,) those that hold nodes, tally[SQUARES] of them
    axes: np.ndarray  # (a,) coordinates of points that the grid is over
    corner: np.ndarray  # (a,) where it begins
    side: np.ndarray  # (a,) of its squares; along each axis there are as many
    tally: np.ndarray  # nodes, best goal node, added, dropped, leaves, sum of their depths, greatest depth,
    # squares that hold nodes, nodes when it was indexed last, whether cells are barred, squares along an one;
    # the node that leads (`picks`), for how many rounds it still does, nodes that were looked at for it


class Grid(NamedTuple):
    """Over which coordinates of points, between which bounds, in how many squares along each."""

    axes: np.ndarray
    low: np.ndarray
    high: np.ndarray
    along: int


_BY_NODE = {  # arrays with an entry a node, and what stands there before it comes
    **dict.fromkeys(("states", "points", "controls", "cost", "steps", "depth", "children"), 0),
    **dict.fromkeys(("soon", "lack"), 0),
    **dict.fromkeys(("parent", "left", "right", "older"), -1),
    "active": False,
}


def sprout(root: np.ndarray, point: np.ndarray, c: int, grid: Grid | None = None, n: int = 1024) -> Branches:
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
        np.zeros(CELLS * n, dtype=np.int64),
        np.full(CELLS * n, -1),
        np.zeros((n, len(grid.axes))),
        np.zeros(n),
        np.full(n, -1),
        np.full(squares, -1),
        np.zeros(squares, dtype=np.int64),
        np.zeros(squares, dtype=np.int64),
        np.ones(squares),
        np.zeros(squares),
        np.ones(squares),
        np.zeros(squares * int(FINER) ** len(grid.axes)),
        np.zeros(squares * int(FINER) ** len(grid.axes), dtype=np.bool_),
        np.zeros(squares, dtype=np.int64),
        grid.axes,
        grid.low,
        (grid.high - grid.low) / grid.along,
        np.array([1, -1, 0, 0, 1, 0, 0, 0, 1, 0, grid.along, 0, 0, 1]),
    )
    tree.states[0], tree.points[0], tree.active[0] = root, point, True
    tree.soon[0] = point[grid.axes]
    file(tree, plain(0))
    return tree


def grown(tree: Branches) -> Branches:
    """The same tree with room for twice as many nodes."""
    n, parts = len(tree.parent), tree._asdict()
    for name, nothing in _BY_NODE.items():
        old = parts[name]
        parts[name] = np.full((2 * n, *old.shape[1:]), nothing, dtype=old.dtype)
        parts[name][:n] = old
    parts["keys"] = np.zeros(2 * len(tree.keys), dtype=np.int64)
    parts["holders"] = np.full(2 * len(tree.keys), -1)
    _entered(tree.keys, tree.holders, parts["keys"], parts["holders"])
    return Branches(**parts)


@kernel
def _entered(old: np.ndarray, held: np.ndarray, keys: np.ndarray, holders: np.ndarray) -> None:
    """Enter the cells of one table, with their nodes, into an empty one."""
    for k in range(len(old)):
        if old[k] != 0:
            at = place(keys, old[k])
            keys[at], holders[at] = old[k], held[k]


def lineage(tree: Branches, node: int) -> list[int]:
    """From the first node after the root to this one."""
    way = []
    while node > 0:
        way.append(node)
        node = int(tree.parent[node])
    return way[::-1]


@inlined
def file(tree: Branches, node: int) -> None:
    """Put a node into its square."""
    square = square_of(tree, node)
    if tree.newest[square] < 0:
        tree.squares[tree.tally[SQUARES]] = square
        tree.tally[SQUARES] += 1
    tree.older[node] = tree.newest[square]
    tree.newest[square] = node
    tree.held[square] += 1
    weigh(tree, square)


@inlined
def square_of(tree: Branches, node: int) -> int:
    """What lies beyond the grid counts to its edge."""
    along, square = tree.tally[ALONG], 0
    for k in range(len(tree.axes)):
        place = (tree.soon[node, k] - tree.corner[k]) / tree.side[k]
        square = square * along + int(min(max(place, 0.0), along - 1.0))
    return square


@inlined
def lacking(tree: Branches, node: int) -> float:
    """How far it is to the goal from where a node will be soon."""
    along, cell = tree.tally[ALONG] * FINER, 0
    for k in range(len(tree.axes)):
        place = (tree.soon[node, k] - tree.corner[k]) * FINER / tree.side[k]
        cell = cell * along + int(min(max(place, 0.0), along - 1.0))
    return float(tree.far[cell])


@inlined
def weigh(tree: Branches, square: int) -> None:
    """Something about a square has changed: how crowded it is now."""
    tree.crowd[square] = (1.0 + tree.picked[square]) * tree.held[square] * tree.failed[square]


@inlined
def place(keys: np.ndarray, wanted: int) -> int:
    """Where in a table of cells one is, or is to be."""
    at = wanted % len(keys)
    while keys[at] != 0 and keys[at] != wanted:
        at = (at + 1) % len(keys)
    return int(at)
