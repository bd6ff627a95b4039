"""Which node to grow next where the problem tells how far states are from its goal (`Problem.lack`).

Three ways of picking take turns, by chance, since none of them is right everywhere:

- what lacks least of so many nodes drawn at random, from one to all of them, any order of magnitude as
  often: the best node, the ten best, the hundred best are picked about equally often, however large the tree
  is. A node lacks the more, the more branches it has had: where nothing comes of the best, others are next.
  So do nodes that lack just as much as each other, such as all that wait beside a puck that lies out of
  reach, the more of their branches together came no nearer.
- what is of the level that was picked least (`guide`), that not all growth goes to one dead end.
- balanced growth, which does not ask what is lacking: for goals that seem as far off until they are reached.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.kernels import inner, kernel

from .chance import Chance
from .guide import FINE
from .pools import INNER, LEAF
from .select import Balanced, Selection
from .tree import FINER, Tree

BALANCED, SELDOM = 0.1, 0.2  # shares of the picks; the rest goes by what lacks least
PATIENCE = 8.0  # branches with which a node is taken to lack twice as much
VAIN = 8.0  # branches of those that lack as much, of which one should lead nearer
FACTOR, MASK = 25214903917, (1 << 48) - 1  # of the numbers by which nodes are drawn (drand48's)


@dataclass
class Guided(Selection):
    """Picks by what is lacking, and at times as `balanced` does."""

    balanced: Balanced

    def pick(self, tree: Tree, n: int, chance: Chance) -> tuple[np.ndarray, np.ndarray]:
        nodes, aims = self.balanced.pick(tree, n, chance)
        way, among = chance.uniform(), chance.uniform()
        drawn = (chance.uniform() * 2**48).astype(np.int64)
        least = max(FINE * abs(float(tree.lack[0])), 1e-9)
        none = min(float(tree.lack[: tree.count].min()), 0.0)  # evaluations may be less than zero
        _pick_guided(
            nodes, tree.pool, tree.pooled, tree.lack, tree.children, tree.level, tree.crowd, tree.tried,
            tree.gained, least - none, way < 1.0 - BALANCED, way < SELDOM, among, drawn,
        )  # fmt: skip
        return nodes, aims


@kernel
def _pick_guided(
    nodes: np.ndarray,
    pool: np.ndarray,
    pooled: np.ndarray,
    lack: np.ndarray,
    children: np.ndarray,
    level: np.ndarray,
    crowd: np.ndarray,
    tried: np.ndarray,
    gained: np.ndarray,
    least: float,
    guided: np.ndarray,
    seldom: np.ndarray,
    among: np.ndarray,
    drawn: np.ndarray,
) -> None:
    """Put other `nodes` (n,) where picks are `guided`: the one whose level was picked least where they are
    `seldom`, else the one that lacks least. Picks count as branches for those after them in the round.

    `among` (n,), uniform, says how many nodes compete, `drawn` (n,) which. `level`s are in parts, of which
    `FINER` make one that is `crowd`ed; of each part, so many branches were `tried` and `gained` a level.
    """
    leaves, count = pooled[LEAF], pooled[LEAF] + pooled[INNER]
    for i in range(len(nodes)):
        if guided[i] and count > 0:
            many, number = min(int(count ** among[i] + 0.5), count), drawn[i]
            chosen, best = nodes[i], np.inf
            for look in range(many):
                at = look
                if many < count:
                    number = (number * FACTOR + 11) & MASK
                    at = (number >> 17) % count
                node = pool[LEAF, at] if at < leaves else pool[INNER, at - leaves]
                score = (lack[node] + least) * (1.0 + children[node] / PATIENCE)
                score *= _vain(tried[level[node]], gained[level[node]])
                if seldom[i]:
                    score = float(crowd[level[node] // FINER])
                if score < best:
                    chosen, best = node, score
            nodes[i] = chosen
        crowd[level[nodes[i]] // FINER] += 1
        tried[level[nodes[i]]] += 1
        children[nodes[i]] += 1
    for i in range(len(nodes)):
        children[nodes[i]] -= 1


@inner
@kernel
def _vain(tried: int, gained: int) -> float:
    """How many times as much nodes are taken to lack of which so many branches were tried, and so many of
    these led nearer."""
    return float(max(1.0, (VAIN + tried) / (VAIN * (1.0 + gained))) ** 2)
