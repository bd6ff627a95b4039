"""The tree of `swerve.plan`: arrays that grow, and compiled kernels that pick nodes, try controls, add nodes.

Nodes lie in a k-d tree by their points (Euclidean distances of points are the user's distances of states),
and in cells of the same space: a cell keeps its cheapest node, and the others are not picked any more (after
SST, Li et al. 2016). Whatever is random is passed in as uniform numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import NO, YES, kernel

from .points import embed

COUNT, BEST, ADDED, DROPPED, LEAVES, DEEP = range(6)  # of `tally`: nodes, best goal node, counts
STACK = 256  # of branches of the k-d tree still to be looked at
LOOKS = 150  # nodes at which a search for the nearest is content with what it has
SLACK = 1.5  # the node found is at most so many times as far off as the nearest


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
    tally: np.ndarray


def sprout(root: np.ndarray, point: np.ndarray, c: int, n: int = 4096) -> Branches:
    """A tree of one node, with room for n."""
    d, e = len(root), len(point)
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
        np.array([1, -1, 0, 0, 1, 0]),
    )
    tree.states[0], tree.points[0], tree.active[0] = root, point, True
    return tree


def grown(tree: Branches) -> Branches:
    """The same tree with room for twice as many nodes; its cells must be entered anew."""
    fill = {"parent": -1, "left": -1, "right": -1, "active": False}
    parts = {}
    for name, old in tree._asdict().items():
        if name in ("keys", "holders", "tally"):
            continue
        new = np.full((2 * len(old), *old.shape[1:]), fill.get(name, 0), dtype=old.dtype)
        new[: len(old)] = old
        parts[name] = new
    cells = 2 * len(tree.keys)
    return Branches(
        **parts,
        keys=np.zeros(cells, dtype=np.int64),
        holders=np.full(cells, -1),
        tally=tree.tally,
    )


def lineage(tree: Branches, node: int) -> list[int]:
    """From the first node after the root to this one."""
    way = []
    while node > 0:
        way.append(node)
        node = int(tree.parent[node])
    return way[::-1]


@kernel
def index(tree: Branches, order: np.ndarray, cell: np.ndarray, bound: float) -> None:
    """Build the k-d tree of the active nodes anew, in this order, and enter them into cells of sizes (e,).

    Nodes that cost more than the bound are no longer active.
    """
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


@kernel
def pick_near(tree: Branches, wanted: np.ndarray, radius: float, sources: np.ndarray) -> None:
    """For every point (b, e): the cheapest node within the radius, or where there is none the nearest."""
    nodes, axes, gaps = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64), np.empty(STACK)
    for k in range(len(wanted)):
        sources[k] = _near(tree, wanted[k], radius, nodes, axes, gaps)


@kernel
def pick_balanced(tree: Branches, uniform: np.ndarray, mu: np.ndarray, sources: np.ndarray) -> None:
    """Balanced growth: a leaf where the tree is too broad, an inner node where it is too deep.

    The mean depth of leaves over the mean number of children of inner nodes is held at μ (b,). `uniform`
    (b, k) are draws until a node of the kind is found.
    """
    count, leaves = tree.tally[COUNT], tree.tally[LEAVES]
    broad = (count - 1) / max(count - leaves, 1)
    deep = tree.tally[DEEP] / max(leaves, 1)
    for k in range(len(uniform)):
        leaf = deep < mu[k] * broad
        for draw in uniform[k]:
            node = min(int(draw * count), count - 1)
            sources[k] = node
            if (tree.children[node] == 0) == leaf and tree.active[node]:
                break


@kernel
def begin(
    tree: Branches,
    sources: np.ndarray,
    uniform: np.ndarray,
    limits: np.ndarray,
    hold: tuple[int, int],
    now: np.ndarray,
    given: np.ndarray,
    lengths: np.ndarray,
) -> None:
    """What the tries start with: states, controls (a third of them at a limit) and numbers of steps."""
    tries = len(now) // len(sources)
    c = limits.shape[0]
    for k in range(len(now)):
        now[k] = tree.states[sources[k // tries]]
        for i in range(c):
            share = min(max(1.5 * uniform[k, i] - 0.25, 0.0), 1.0)
            given[k, i] = limits[i, 0] + share * (limits[i, 1] - limits[i, 0])
        lengths[k] = hold[0] + int(uniform[k, c] * (hold[1] - hold[0] + 1))


@kernel
def advance(
    after: np.ndarray,
    fine: np.ndarray,
    there: np.ndarray,
    now: np.ndarray,
    given: np.ndarray,
    who: np.ndarray,
    lengths: np.ndarray,
    ends: np.ndarray,
    taken: np.ndarray,
    outcome: np.ndarray,
) -> int:
    """Take one step's results in: keep those that go on at the front of now, given, who; gives their number.

    `ends` (b, d), `taken` (b,), `outcome` (b,) are by try: -1 ran into something, 0 lived, 1 is at the goal.
    What runs into something in the second half of its time ends at the first half's end.
    """
    going = 0
    for k in range(len(after)):
        tried = who[k]
        good = fine[k]
        for i in range(after.shape[1]):
            good = good and np.isfinite(after[k, i])
        half = lengths[tried] // 2
        if not good:
            outcome[tried] = 0 if taken[tried] >= half > 0 else -1
            taken[tried] = min(taken[tried], half)
            continue
        taken[tried] += 1
        if there[k] or taken[tried] <= half or lengths[tried] == taken[tried]:
            ends[tried] = after[k]
        if there[k]:
            outcome[tried] = 1
        elif taken[tried] < lengths[tried]:
            now[going] = after[k]
            given[going] = given[k]
            who[going] = tried
            going += 1
    return going


@kernel
def settle(
    tree: Branches,
    sources: np.ndarray,
    wanted: np.ndarray,
    controls: np.ndarray,
    ends: np.ndarray,
    taken: np.ndarray,
    outcome: np.ndarray,
    dt: float,
    cell: np.ndarray,
    bound: float,
    aim: np.ndarray,
    rate: np.ndarray,
    weights: np.ndarray,
    turning: np.ndarray,
) -> None:
    """Add of each source's tries the one that came nearest to what was wanted, and all that reached the goal.

    Dropped are nodes whose cell holds a cheaper one, and those that cannot beat `bound` [s]: the aim is
    further off than what is left of it allows at `rate` (1,), the fastest that any state was seen to change.
    """
    tries = len(ends) // len(sources)
    point, e = np.empty(wanted.shape[1]), wanted.shape[1]
    for b in range(len(sources)):
        nearest, chosen = np.inf, -1
        for t in range(b * tries, (b + 1) * tries):
            if outcome[t] < 0:
                continue
            if outcome[t] == 1:
                _add(
                    tree,
                    sources[b],
                    controls[t],
                    ends[t],
                    taken[t],
                    dt,
                    cell,
                    bound,
                    YES,
                    weights,
                    turning,
                    point,
                )
                continue
            embed(ends[t], weights, turning, point)
            off = moved = 0.0
            for i in range(e):
                off += (point[i] - wanted[b, i]) ** 2
                moved += (point[i] - tree.points[sources[b], i]) ** 2
            rate[0] = max(rate[0], np.sqrt(moved) / (taken[t] * dt))
            if off < nearest:
                nearest, chosen = off, t
        if chosen < 0:
            continue
        left = 0.0
        if bound < np.inf and len(aim):
            embed(ends[chosen], weights, turning, point)
            for i in range(e):
                left += 0.0 if np.isnan(aim[i]) else (point[i] - aim[i]) ** 2
            left = np.sqrt(left) / rate[0]
        if tree.cost[sources[b]] + taken[chosen] * dt + left < bound:
            _add(
                tree, sources[b], controls[chosen], ends[chosen], taken[chosen], dt, cell, bound, NO,
                weights, turning, point,
            )  # fmt: skip


@kernel
def _add(
    tree: Branches,
    source: int,
    control: np.ndarray,
    state: np.ndarray,
    steps: int,
    dt: float,
    cell: np.ndarray,
    bound: float,
    done: bool,
    weights: np.ndarray,
    turning: np.ndarray,
    point: np.ndarray,
) -> None:
    cost = tree.cost[source] + steps * dt
    tally = tree.tally
    node = tally[COUNT]
    if node == len(tree.parent) or cost >= bound:
        return
    embed(state, weights, turning, point)
    tree.points[node] = point
    slot = _slot(tree, node, cell)
    held = tree.holders[slot]
    if held >= 0 and tree.cost[held] <= cost and not done:
        tally[DROPPED] += 1
        return
    tree.states[node], tree.controls[node] = state, control
    tree.parent[node], tree.cost[node], tree.steps[node] = source, cost, steps
    tree.depth[node], tree.children[node] = tree.depth[source] + 1, 0
    tally[COUNT] += 1
    tally[ADDED] += 1
    tally[DEEP] += tree.depth[node]
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


@kernel
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


@kernel
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


@kernel
def _near(
    tree: Branches,
    point: np.ndarray,
    radius: float,
    at_node: np.ndarray,
    at_axis: np.ndarray,
    at_gap: np.ndarray,
) -> int:
    e = len(point)
    at_node[0], at_axis[0], at_gap[0], top = 0, 0, 0.0, 1
    nearest, found, looks = np.inf, 0, 0
    cheapest, cheap = np.inf, -1
    within, slack = radius * radius, 1.0 / (SLACK * SLACK)
    while top > 0 and looks < LOOKS:
        top -= 1
        node, axis = at_node[top], at_axis[top]
        if at_gap[top] > max(slack * nearest, within):
            continue
        while node >= 0:
            if tree.active[node]:
                off = 0.0
                for i in range(e):
                    off += (point[i] - tree.points[node, i]) ** 2
                if off < nearest:
                    nearest, found = off, node
                if off <= within and tree.cost[node] < cheapest:
                    cheapest, cheap = tree.cost[node], node
            looks += 1
            gap = point[axis] - tree.points[node, axis]
            after = axis + 1 if axis + 1 < e else 0
            first, second = (
                (tree.left[node], tree.right[node]) if gap < 0.0 else (tree.right[node], tree.left[node])
            )
            if second >= 0 and gap * gap <= max(slack * nearest, within) and top < STACK:
                at_node[top], at_axis[top], at_gap[top] = second, after, gap * gap
                top += 1
            node, axis = first, after
    return cheap if cheap >= 0 else found
