"""The search tree: nodes in arrays, and pools of leaves and inner nodes from which growth may continue.

A node from which a branch was tried is no leaf any more, whether or not the branch lived. So rolling stale
chains back saves memory and changes nothing else, and a node whose branches all fail is not tried for ever.
Everything a selection needs is kept up to date as nodes come and go, so that picking one takes the same time
in a large tree as in a small one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import pools
from .pools import LEAF, LEAVES, LIVED, NOBODY, TRIED

LEVELS = 256  # of distances to the goal
FINER = 16  # parts of a level, in which there is about as much to gain
NODE_ARRAYS = (
    *("rows", "forces", "touched", "skill", "busy", "memory"),
    *("parent", "depth", "children", "lived", "open", "alive", "place", "lack", "level", "lost"),
)


class Decisions(NamedTuple):
    """Of b branches, those with the same skill beside each other.

    `skill`, `busy` (b, tactics), `memory` (b, variables) and `forces` (b, nv).
    """

    skill: np.ndarray
    busy: np.ndarray
    memory: np.ndarray
    forces: np.ndarray


class Minds(NamedTuple):
    """What the tactics of b branches remember: `skill`, `busy` (b, tactics), `memory` (b, variables)."""

    skill: np.ndarray
    busy: np.ndarray
    memory: np.ndarray


class Tree:
    """Nodes 0 to `count` - 1, of which `alive` have not been rolled back; node 0 is the root.

    `rows` (n, width) states; `forces` (n, nv) the action that led there; `touched` (n, pairs) its collisions;
    `skill` (n, tactics), `busy` (n, tactics), `memory` (n, variables) of the tactics after that action.
    """

    def __init__(self, root: np.ndarray, nv: int, pairs: int, tactics: int, variables: int):
        self.count, self.alive_nodes = 0, 0
        self.rows = np.zeros((1024, len(root)))
        self.forces = np.zeros((1024, nv))
        self.touched = np.zeros((1024, pairs), dtype=bool)
        self.skill = np.full((1024, tactics), NOBODY, dtype=np.int16)
        self.busy = np.zeros((1024, tactics), dtype=bool)
        self.memory = np.zeros((1024, variables))
        self.parent = np.full(1024, NOBODY, dtype=np.int32)
        self.depth = np.zeros(1024, dtype=np.int32)
        self.children = np.zeros(1024, dtype=np.int32)  # also those that failed
        self.lived = np.zeros(1024, dtype=np.int32)  # branches from here that came to a good end
        self.open = np.zeros(1024, dtype=bool)  # may be grown from
        self.alive = np.zeros(1024, dtype=bool)
        self.place = np.full(1024, NOBODY, dtype=np.int32)  # in its pool
        self.lack = np.zeros(1024)  # how far from the goal: as the parent, until somebody tells
        self.level = np.zeros(1024, dtype=np.int32)  # that distance in parts of a level
        self.lost = np.zeros(1024, dtype=bool)  # ends of chains from which the goal cannot be reached
        self.crowd = np.zeros(LEVELS, dtype=np.int64)  # how often nodes of each level were picked
        self.tried = np.zeros(LEVELS * FINER, dtype=np.int64)  # the same, of each part of a level
        self.gained = np.zeros(
            LEVELS * FINER, dtype=np.int64
        )  # from there: branches that came a level nearer
        self.pool = np.zeros((2, 1024), dtype=np.int32)
        self.pooled = np.zeros(2, dtype=np.int64)
        self.sums = np.zeros(6, dtype=np.int64)
        self.rows[0] = root
        self.alive[0] = self.open[0] = True
        self.count = self.alive_nodes = 1
        self.pool[LEAF, 0], self.place[0], self.pooled[LEAF], self.sums[LEAVES] = 0, 0, 1, 1

    def close_root(self) -> None:
        """There is nothing to choose at the root."""
        self.open[0], self.pooled[LEAF] = False, 0

    def open_root(self, skill: np.ndarray) -> None:
        """At the root everything is to be chosen, as after these skills (tactics,)."""
        self.skill[0], self.busy[0], self.open[0] = skill, False, True
        tried = self.sums[TRIED], self.sums[LIVED]
        pools.recount(
            self.count, self.depth, self.children, self.open, self.place, self.pool, self.pooled, self.sums
        )
        self.retire(np.flatnonzero(self.lost[: self.count]))
        self.sums[TRIED], self.sums[LIVED] = tried

    def add(
        self,
        parents: np.ndarray,
        rows: np.ndarray,
        touched: np.ndarray,
        decided: Decisions,
        open_: np.ndarray,
        kept: np.ndarray,
    ) -> np.ndarray:
        """New nodes below `parents` where `kept`; returns their numbers, `NOBODY` elsewhere."""
        return self.add_chains(
            parents, kept.astype(np.int64), ~kept, decided.skill, rows[:, None], touched[:, None],
            decided.busy[:, None], decided.memory[:, None], decided.forces[:, None], open_,
        )  # fmt: skip

    def add_chains(
        self,
        parents: np.ndarray,
        steps: np.ndarray,
        failed: np.ndarray,
        skill: np.ndarray,
        rows: np.ndarray,
        touched: np.ndarray,
        busy: np.ndarray,
        memory: np.ndarray,
        forces: np.ndarray,
        open_: np.ndarray,
    ) -> np.ndarray:
        """New nodes, `steps` (b,) of them one below the other, below `parents`; the last of each may be grown
        from where `open_`. Returns the numbers of the last ones, `NOBODY` where there is none. A chain that
        `failed` counts as tried even if it has no nodes."""
        self._reserve(self.count + int(steps.sum()))
        nodes, count = pools.add(
            self.count, steps, failed, parents, skill, rows, touched, busy, memory, forces, open_,
            self.rows, self.touched, self.skill, self.busy, self.memory, self.forces,
            self.parent, self.depth, self.children, self.lived, self.open, self.alive, self.lack, self.level,
            self.place, self.pool, self.pooled, self.sums,
        )  # fmt: skip
        self.alive_nodes += count - self.count
        self.count = count
        return nodes

    @property
    def table(self) -> tuple[np.ndarray, ...]:
        """All that `joining.join` writes to, the last ones also `joining.close`."""
        return (
            self.rows, self.touched, self.skill, self.busy, self.memory, self.forces,
            self.lack, self.level, self.place, self.pool, self.pooled, *self.links,
        )  # fmt: skip

    @property
    def links(self) -> tuple[np.ndarray, ...]:
        return (
            self.parent, self.depth, self.children, self.lived, self.open, self.alive, self.lost, self.sums,
        )  # fmt: skip

    def reserve(self, more: int) -> None:
        """Have room for so many nodes more."""
        self._reserve(self.count + more)

    def gather(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, Minds]:
        """Copies of the states (b, width), collisions (b, pairs) and minds of some nodes."""
        n, old = len(nodes), (self.rows, self.touched, self.skill, self.busy, self.memory)
        rows, touched, skill, busy, memory = (np.empty((n, part.shape[1]), part.dtype) for part in old)
        pools.gather(nodes, *old, rows, touched, skill, busy, memory)
        return rows, touched, Minds(skill, busy, memory)

    def roll_back(self, nodes: np.ndarray) -> int:
        """Remove stale chains: `nodes` and their ancestors up to the first that may be grown from."""
        removed = pools.roll_back(
            nodes, self.parent, self.depth, self.children, self.open, self.alive, self.sums
        )
        self.alive_nodes -= removed
        return removed

    def tell(self, sources: np.ndarray, lived: np.ndarray) -> None:
        """Branches from `sources` (n,) have come to an end: which of them `lived` (n,)."""
        pools.tell(sources, lived, self.lived, self.sums)

    def retire(self, ends: np.ndarray) -> None:
        """Nothing grows from the chains that end in nodes `ends` (n,) any more: balance leaves them out."""
        self.lost[ends] = True
        pools.retire(ends, self.parent, self.depth, self.children, self.open, self.sums)

    def path(self, node: int) -> np.ndarray:
        """Nodes from the root to `node`."""
        return pools.path(node, self.parent)

    def below(self, root: int) -> np.ndarray:
        """The living nodes of the part below `root`, itself first; parents come before their children."""
        kept = np.zeros(self.count, dtype=bool)
        pools.mark_below(root, self.count, self.parent, self.alive, kept)
        return np.flatnonzero(kept)

    def keep(self, nodes: np.ndarray, number: np.ndarray) -> None:
        """Forget all but some nodes, parents before their children, the first of which becomes the root;
        `number` holds, for every node there was, what it is now, `NOBODY` for those that are gone."""
        lost = np.flatnonzero(self.lost[nodes])
        n = pools.keep(
            nodes, number, self.rows, self.touched, self.skill, self.busy, self.memory, self.forces,
            self.parent, self.depth, self.children, self.lived, self.open, self.alive, self.lack, self.level,
        )  # fmt: skip
        self.count = self.alive_nodes = n
        self.crowd[:], self.tried[:], self.gained[:] = 0, 0, 0
        pools.recount(n, self.depth, self.children, self.open, self.place, self.pool, self.pooled, self.sums)
        self.sums[TRIED] = self.children[:n][self.open[:n]].sum()
        self.sums[LIVED] = self.lived[:n].sum()
        self.lost[:] = False
        self.retire(lost)

    @property
    def widths(self) -> tuple[int, int]:
        """How many tactics and variables there are."""
        return self.skill.shape[1], self.memory.shape[1]

    @property
    def balance(self) -> float:
        """Average depth of the leaves over the average number of children of the others."""
        leaves, depth, inners, edges, *_ = self.sums.tolist()
        return depth / max(leaves, 1) * inners / max(edges, 1)

    def _reserve(self, wanted: int) -> None:
        if wanted <= len(self.rows):
            return
        size = max(wanted, 2 * len(self.rows))
        for name in NODE_ARRAYS:
            old = getattr(self, name)
            new = np.zeros((size, *old.shape[1:]), dtype=old.dtype)
            new[: self.count] = old[: self.count]
            setattr(self, name, new)
        pool = np.zeros((2, size), dtype=np.int32)  # what is never written goes into files, too
        pool[:, : self.pool.shape[1]] = self.pool
        self.pool = pool
