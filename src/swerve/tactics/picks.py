"""Which nodes of the tree of `swerve.plan` grow next: those near to sampled points, those that balance depth
and breadth, or those where the tree is sparse."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, kernel, plain

from .branches import COUNT, DEEP, DEEPEST, LEADER, LEADS, LEAVES, SEEN, SQUARES, Branches, weigh
from .chance import uniform

STACK = 256  # of branches of the k-d tree still to be looked at
LOOKS, FEW_LOOKS = (
    plain(150),
    plain(50),
)  # nodes at which a search for the nearest is content with what it has
SLACK = 1.5  # the node found is at most so many times as far off as the nearest
DRAWS = 20  # of a node by balanced growth, of squares where the tree is to be sparse
SPARSE = 0.9  # share of picks by squares
FOLLOW, TRUST = 4, 3  # branches of a round that grow from the node that leads; rounds for which one does
BLIND = 0.2  # of these, share that does not look at how far it is from there to the goal


@kernel
def pick_near(tree: Branches, wanted: np.ndarray, sources: np.ndarray) -> None:
    """For every point (b, e) the nearest node."""
    nodes, axes, gaps = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64), np.empty(STACK)
    for k in range(len(wanted)):
        sources[k] = _near(tree, wanted, k, LOOKS, nodes, axes, gaps)


@kernel
def pick_balanced(tree: Branches, mu: float, chance: np.ndarray, sources: np.ndarray) -> None:
    """Balanced growth: a leaf where the tree is too broad, an inner node where it is too deep.

    The mean depth of leaves over the mean number of children of inner nodes is held at μ. Where that is 0,
    every pick has its own, between one and twice the tree's depth, so that growth in depth and in breadth
    both go on.
    """
    count, leaves = tree.tally[COUNT], tree.tally[LEAVES]
    broad = (count - 1) / max(count - leaves, 1)
    deep = tree.tally[DEEP] / max(leaves, 1)
    deepest = 2.0 * max(tree.tally[DEEPEST], 1)
    for k in range(len(sources)):
        leaf = deep < broad * (mu if mu > 0.0 else deepest ** uniform(chance))
        for _ in range(DRAWS):
            node = min(int(uniform(chance) * count), count - 1)
            sources[k] = node
            if (tree.children[node] == 0) == leaf and tree.active[node]:
                break


@kernel
def pick_sparse(tree: Branches, wanted: np.ndarray, chance: np.ndarray, sources: np.ndarray) -> None:
    """A node of the square that has the fewest nodes, was picked the least, failed the least and mostly is
    the nearest to the goal, of some that are drawn; newer nodes more often. At times the nearest to a point
    (b, e) instead: the grid is not over all columns. The first few are the node that leads, if one does."""
    nodes, axes, gaps = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64), np.empty(STACK)
    leader = _leader(tree)
    for k in range(len(sources)):
        if k < FOLLOW and leader > 0:
            sources[k] = leader
            continue
        if uniform(chance) >= SPARSE:
            sources[k] = _near(tree, wanted, k, FEW_LOOKS, nodes, axes, gaps)
            continue
        fewest, chosen, blind = np.inf, 0, uniform(chance) < BLIND
        for _ in range(DRAWS):
            square = tree.squares[int(uniform(chance) * tree.tally[SQUARES])]
            crowd = tree.crowd[square] if blind else tree.crowd[square] * tree.ahead[square]
            if crowd < fewest:
                fewest, chosen = crowd, square
        tree.picked[chosen] += 1
        weigh(tree, chosen)
        sources[k] = _held_by(tree, chosen, uniform(chance))


@inlined
def _leader(tree: Branches) -> int:
    """The node that is nearer to the goal than all before it, the root where none came in the last rounds."""
    tally = tree.tally
    leader, rounds = tally[LEADER], tally[LEADS] - 1
    for node in range(tally[SEEN], tally[COUNT]):
        if tree.active[node] and tree.lack[node] < tree.lack[leader]:
            leader, rounds = node, TRUST
    tally[LEADER], tally[LEADS], tally[SEEN] = leader, max(rounds, 0), tally[COUNT]
    return int(leader) if rounds > 0 and tree.active[leader] else 0


@inlined
def _held_by(tree: Branches, square: int, share: float) -> int:
    """A node of a square that may be picked, the root where there is none."""
    before = int(share * share * tree.held[square])
    node, found = tree.newest[square], 0
    while node >= 0:
        if tree.active[node]:
            found = node
            if before <= 0:
                break
        before -= 1
        node = tree.older[node]
    return int(found)


@inlined
def _near(
    tree: Branches,
    wanted: np.ndarray,
    k: int,
    most: int,
    at_node: np.ndarray,
    at_axis: np.ndarray,
    at_gap: np.ndarray,
) -> int:
    e = wanted.shape[1]
    at_node[0], at_axis[0], at_gap[0], top = 0, 0, 0.0, 1
    nearest, found, looks = np.inf, 0, 0
    slack = 1.0 / (SLACK * SLACK)
    while top > 0 and looks < most:
        top -= 1
        node, axis = at_node[top], at_axis[top]
        if at_gap[top] > slack * nearest:
            continue
        while node >= 0:
            if tree.active[node]:
                off = 0.0
                for i in range(e):
                    off += (wanted[k, i] - tree.points[node, i]) ** 2
                if off < nearest:
                    nearest, found = off, node
            looks += 1
            gap = wanted[k, axis] - tree.points[node, axis]
            after = axis + 1 if axis + 1 < e else 0
            first, second = (
                (tree.left[node], tree.right[node]) if gap < 0.0 else (tree.right[node], tree.left[node])
            )
            if second >= 0 and gap * gap <= slack * nearest and top < STACK:
                at_node[top], at_axis[top], at_gap[top] = second, after, gap * gap
                top += 1
            node, axis = first, after
    return found
