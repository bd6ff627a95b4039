"""Nodes come into the tree of `swerve.plan`: the end of a branch is added, or dropped where its cell holds
a cheaper one; now and then everything is indexed anew, and cells become smaller as the space fills."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, kernel

from .branches import (
    ADDED,
    ALONG,
    BARS,
    BEST,
    COUNT,
    DEEP,
    DEEPEST,
    DROPPED,
    FINER,
    INDEXED,
    LEAVES,
    SQUARES,
    Branches,
    file,
    lacking,
    place,
)
from .chance import uniform

EARLY = 512  # nodes up to which a tree is not indexed anew
CROWDED = 4.0  # nodes that fall into taken cells for each that does not, beyond which cells become smaller
SMALLER = 0.8  # times as large as before


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
    tree.crowd[:] = 0.0
    tree.tally[SQUARES] = 0
    for node in range(count):
        if tree.active[node]:
            file(tree, node)
    tree.tally[INDEXED] = count


@inlined
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
    tree.lack[node] = lacking(tree, node)
    tree.holders[slot] = node
    tree.active[node] = True
    _enter(tree, node)
    file(tree, node)


@inlined
def _barred(tree: Branches, source: int, node: int) -> bool:
    """Whether the straight way from one node to another meets a barred cell."""
    along = tree.tally[ALONG] * FINER
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
    at = place(tree.keys, int(wanted))
    tree.keys[at] = wanted
    return at


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
