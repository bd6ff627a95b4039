"""Which node to grow next: uniform, balanced growth (BK-BGT), or that mixed with BK-RRT (`nearest`).

A selection picks for many branches at once. What the picks of a round will do to the tree counts already
while picking: a leaf that was picked is a leaf no more. So a round of many behaves like as many rounds of
one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.errors import require
from swerve.core.kernels import kernel

from .chance import Chance, drawn_of
from .pools import EDGES, INNER, INNERS, LEAF, LEAF_DEPTH, LEAVES, LIVED, TRIED
from .tree import Tree

SHALLOWEST = 1 / 30  # of the longest branches: the least μ that is drawn where none is given
SKEW = 4  # most draws are near the greatest: depth comes first
LOOKS = 24  # at inner nodes, until one is taken
TRUST = 2  # branches that every node is taken to have had before, with the usual outcome


class Selection:
    """Base: picks open nodes."""

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        """Nodes (n,) to grow from and where to (n, 2), NaN where the selection does not say."""
        raise NotImplementedError

    def tell(self, sources: np.ndarray, lived: np.ndarray) -> None:
        """Branches from `sources` (n,), picked before, have come to an end: which of them `lived` (n,)."""

    def forget(self) -> None:
        """The nodes have got other numbers."""

    def notes(self, tree: Tree) -> dict[str, np.ndarray]:
        """What it has gathered of a tree, to be saved with it."""
        return {}

    def recall(self, tree: Tree, notes: dict[str, np.ndarray]) -> None:
        """Go on with what was gathered of a tree before it was saved."""


class Uniform(Selection):
    """Any open node, equally likely: the basic planner."""

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        drawn = (chance.uniform() * tree.pooled.sum()).astype(np.int64)
        leaf = drawn < tree.pooled[LEAF]
        nodes = np.where(leaf, tree.pool[LEAF, np.where(leaf, drawn, 0)], 0)
        inner = ~leaf
        nodes[inner] = tree.pool[INNER, drawn[inner] - tree.pooled[LEAF]]
        return nodes, np.full((n, 2), np.nan)


@dataclass
class Balanced(Selection):
    """BK-BGT. Grows depth where leaf depth over branching is at most μ, breadth otherwise.

    Without a `mu`, one is drawn for every pick, between a part of and the whole of `deepest`, the steps of
    the longest branch that the problem allows: the deeper the tree has become, the more often it grows in
    breadth, on any scale. An inner node of whose branches fewer lived than is usual in the tree is taken
    less often: what cannot be saved is left alone sooner or later. Branches under way have not lived yet.
    """

    mu: float | None = None
    deepest: float = 1800.0

    def __post_init__(self) -> None:
        require(self.mu is None or 0 < self.mu < np.inf, "mu", self.mu, "must be positive")

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        mu = np.full(n, self.mu) if self.mu is not None else self._drawn(chance)
        nodes = _pick_balanced(
            tree.pool, tree.pooled, tree.sums.copy(), tree.depth, tree.children, tree.lived, mu,
            chance.seed, chance.expansions, chance.count,
        )  # fmt: skip
        return nodes, np.full((n, 2), np.nan)

    def _drawn(self, chance: Chance) -> np.ndarray:
        return np.asarray(self.deepest * SHALLOWEST ** chance.uniform() ** SKEW)


@dataclass
class Hybrid(Selection):
    """Balanced growth with probability `p`, nearest otherwise."""

    balanced: Selection
    nearest: Selection
    p: float = 0.5

    def __post_init__(self) -> None:
        require(0 <= self.p <= 1, "hybrid-p", self.p, "must be a probability")

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        balanced = chance.uniform() < self.p
        nodes, samples = self.nearest.pick(tree, n, chance)
        grown, _ = self.balanced.pick(tree, n, chance)
        return np.where(balanced, grown, nodes), np.where(balanced[:, None], np.nan, samples)

    def tell(self, sources: np.ndarray, lived: np.ndarray) -> None:
        self.nearest.tell(sources, lived)

    def forget(self) -> None:
        self.nearest.forget()

    def notes(self, tree: Tree) -> dict[str, np.ndarray]:
        return self.nearest.notes(tree)

    def recall(self, tree: Tree, notes: dict[str, np.ndarray]) -> None:
        self.nearest.recall(tree, notes)


@kernel
def _pick_balanced(
    pool: np.ndarray,
    pooled: np.ndarray,
    sums: np.ndarray,
    depth: np.ndarray,
    children: np.ndarray,
    lived: np.ndarray,
    mu: np.ndarray,
    seed: np.uint64,
    expansions: np.ndarray,
    count: int,
) -> np.ndarray:
    """Leaves are picked at most once a round; what was picked is an inner node to the picks after it.

    Every look draws twice, with numbers after `count`: where to look for a node, and whether to take it if it
    is an inner one.
    """
    n, where, doubt = len(mu), count + 1, count + 2
    nodes = np.empty(n, dtype=np.int64)
    taken = np.empty(n, dtype=np.int64)  # leaves, at the end of the pool
    gone, inner = 0, pooled[INNER]
    usual = (1 + sums[LIVED]) / (1 + sums[TRIED])
    for i in range(n):
        first = expansions[i] * LOOKS
        ratio = sums[LEAF_DEPTH] / max(sums[LEAVES], 1) * sums[INNERS] / max(sums[EDGES], 1)
        leaves = pooled[LEAF] - gone
        which = INNER if leaves == 0 or (ratio > mu[i] and inner + gone > 0) else LEAF
        sums[EDGES] += 1
        if which == LEAF:
            at, last = int(drawn_of(seed, first, where) * leaves), leaves - 1
            nodes[i] = pool[LEAF, at]
            pool[LEAF, at], pool[LEAF, last] = pool[LEAF, last], pool[LEAF, at]
            taken[gone] = at
            gone += 1
            sums[INNERS] += 1
            sums[LEAF_DEPTH] += 1
        else:
            for look in range(first, first + LOOKS):
                at = int(drawn_of(seed, look, where) * (inner + gone))
                node = pool[INNER, at] if at < inner else pool[LEAF, pooled[LEAF] - 1 - (at - inner)]
                if drawn_of(seed, look, doubt) * (TRUST + children[node]) < TRUST + lived[node] / usual:
                    break
            nodes[i] = node
            sums[LEAVES] += 1
            sums[LEAF_DEPTH] += depth[nodes[i]] + 1
    for k in range(gone - 1, -1, -1):  # put the pool back in order
        at, last = taken[k], pooled[LEAF] - 1 - k
        pool[LEAF, at], pool[LEAF, last] = pool[LEAF, last], pool[LEAF, at]
    return nodes
