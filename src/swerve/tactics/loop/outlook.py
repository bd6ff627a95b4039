"""What may come, if the other does as it is expected to: a tree that is kept from frame to frame, and the way
in it that is followed.

What is left of the last frame's tree grows on, from the node that should be reached now; if the world is
elsewhere, a new tree from where everything is, in which the same choices come first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..chains import LONGEST
from ..domains.duel_judge import SHORTEST, Judge
from ..plan import SolveOptions
from ..problem import Problem
from ..search import Search
from ..tree import NOBODY
from ..verify import Verifier
from .proof import Proof

BETTER = 1.1  # times as good that another way must be
APART = {"mine": 0.03, "ball": 0.03, "other": 0.08}  # [m] from the plan at which a new tree is grown
TURNED = 0.25  # [rad] likewise
A_CHAIN = 20  # nodes of one skill, more or less
A_BRANCH = 8  # nodes that take as long as to choose and to begin a branch: it counts no less
VAIN = 0.5  # share of a frame's nodes after which a tree without a plan is given up
ROUNDING = 1e-9  # [s]


class Outlook:
    """`way` are the nodes to follow, from the root on; its `worth` is above 1 if it leads to a shot."""

    def __init__(
        self,
        problem: Problem,
        judge: Judge,
        nodes: int,
        planner: str | None = None,
        options: SolveOptions = SolveOptions(),
        seed: int = 0,
    ):
        self.problem, self.judge = problem, judge
        lanes = max(2, min(problem.lanes, nodes // A_CHAIN))
        self.search = Search(problem, planner, replace(options, lanes=lanes), seed=seed)
        verifier = self.search.verifier
        self.proof = Proof(self.search, verifier, judge) if verifier is not None else None
        self.carry = Verifier(problem, self.search.decider, chains=self.search.chains)
        self.begin = np.array([t.order.index(t.start) for t in self.search.tactics], dtype=np.int16)
        names = {"mine": problem.ego, "ball": "ball"}
        names["other"] = next(t.name for t in problem.tactics["default"][1:])
        self.slots = {what: problem.world.slot(name) for what, name in names.items()}
        self.way, self.worth, self.kept = np.zeros(0, dtype=np.int64), 0.0, False

    def look(self, estimate: np.ndarray, followed: Outlook, nodes: int) -> int:
        """Find a way from here with so many `nodes`; `followed` is the outlook whose way was followed last.
        Returns how many nodes were not tried, because all that were led nowhere."""
        self.kept = followed is self and self._go_on(estimate)
        if not self.kept:
            self._begin_anew(estimate, followed)
        left = self.grow(nodes)
        self.choose()
        return left

    @property
    def rows(self) -> np.ndarray:
        """The states along the way."""
        return self.search.tree.rows[self.way]

    @property
    def seconds(self) -> float:
        """That the way takes, the flight of a shot at its end counted."""
        rows = self.rows
        return float(rows[-1, 0] - rows[0, 0]) + self.judge.flight(rows[-1])

    @property
    def lost(self) -> bool:
        """Whether the way is none to speak of: it is short and leads to no shot."""
        rows = self.rows
        short = rows[-1, 0] - rows[0, 0] < SHORTEST - ROUNDING
        return bool(short and self.judge.opening(rows[-1]) <= 0.0)

    @property
    def engine_seconds(self) -> float:
        """Spent in the full engine, ever."""
        return self.search.engine.seconds

    @property
    def planar_seconds(self) -> float:
        """Spent on the planar model, ever."""
        return self.carry.seconds if self.search.on_plane else 0.0

    def forget(self) -> None:
        """There is no way to follow any more."""
        self.way = self.way[:0]

    def grow(self, nodes: int) -> int:
        """Until as many nodes have been tried as wanted; those of chains that fail count, and a branch as
        `A_BRANCH` at least. Returns how many were not, because nothing that was tried by then got far enough
        to be a plan."""
        search, left, made = self.search, nodes, 1
        while made and left >= search.lanes:
            before = search.effort.iterations
            search.round(min(LONGEST * search.lanes, left))
            made = search.effort.iterations - before
            left = max(left - max(made, A_BRANCH * len(search.active)), 0)
            if left <= (1.0 - VAIN) * nodes and self._vain():
                return left
        return 0

    def _vain(self) -> bool:
        tree = self.search.tree
        living = tree.rows[: tree.count, 0][tree.alive[: tree.count]]
        return bool(living.max() - tree.rows[0, 0] < SHORTEST - ROUNDING)

    def _go_on(self, estimate: np.ndarray) -> bool:
        """Make the node that should be reached now the root, if the world is like it."""
        if len(self.way) < 3 or not self.search.tree.alive[self.way].all():
            return False
        row = self.search.tree.rows[self.way[1]]
        for what, slot in self.slots.items():
            if float(np.hypot(*(row - estimate)[slot.qpos : slot.qpos + 2])) > APART[what]:
                return False
        heading = self.slots["mine"].qpos + 2
        if abs((row - estimate)[heading]) > TURNED:
            return False
        reroot = self.search.reroot if self.proof is None else self.proof.reroot
        self.way = reroot(int(self.way[1]), self.way[1:])
        self.search.tree.open_root(self.begin)
        return True

    def _begin_anew(self, estimate: np.ndarray, followed: Outlook) -> None:
        """A new tree from where everything is; what was to be done is tried first."""
        old, before = followed.search.tree, followed.way
        self.search.restart(estimate)
        if self.proof is not None:
            self.proof.forget()
        self.search.tree.open_root(self.begin)
        self.search.open_all_lanes()
        self.way = self.way[:0]
        if len(before) > 2 and old.alive[before].all():
            horizon = self.problem.horizon
            node = self.carry.retrace(old, int(before[-1]), horizon, to_goal=False, onto=self.search.tree)
            if node != NOBODY:
                self.way = self.search.tree.path(node)

    def choose(self) -> None:
        """The way to the best state, unless the one under way is about as good."""
        tree = self.search.tree
        nodes = np.flatnonzero(tree.alive[: tree.count])
        values = self.judge.values(tree.rows[nodes], float(tree.rows[0, 0]))
        worth = 0.0
        if len(self.way) > 1:
            worth = 1 - float(self.judge.values(tree.rows[self.way[-1:]], float(tree.rows[0, 0]))[0])
        best, found = BETTER * worth, None
        k = int(np.argmin(values))
        if self.proof is not None:
            found, best = self.proof.best(nodes, values, best)
        elif 1 - float(values[k]) > best:
            found, best = int(nodes[k]), 1 - float(values[k])
        if found is None and worth <= 0.0:
            short = tree.rows[nodes, 0] - tree.rows[0, 0] < SHORTEST
            found = int(nodes[np.lexsort((-tree.rows[nodes, 0], values, short))[0]])
        if found is not None:
            self.way, worth = tree.path(found), max(best, 0.0)
        self.worth = worth
