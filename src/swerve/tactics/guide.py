"""How far the nodes of a tree are from the goal, where the problem can tell (`Problem.lack`).

Growth prefers nodes that lack less (`guided`). Time that has passed counts as what should have been
done in it, so that who moves about and gets no nearer falls behind. What lacks about as much is of one level;
levels that were picked seldom are preferred at times, lest all growth goes to one dead end. A level
has parts: of what lacks as much to a hair it is counted how many branches were tried, how many led nearer.
"""

from __future__ import annotations

import numpy as np

from .problem import Problem
from .tree import FINER, LEVELS, Tree

SCHEDULE = 1.0  # share of the whole way that is to be done by the horizon
FINE = 0.02  # of what the root lacks, a level


class Guide:
    """Measures nodes; does nothing where the problem cannot tell."""

    def __init__(self, problem: Problem):
        self.problem, self.pace, self.height = problem, 0.0, 1.0

    def begin(self, tree: Tree) -> None:
        """The tree is its root alone: what that lacks sets the pace, and how high a level is."""
        if self.problem.lack is not None:
            whole = abs(float(self.problem.lack(self.problem.scene(tree.rows[:1]))[0]))
            self.pace, self.height = SCHEDULE * whole / self.problem.horizon, max(FINE * whole, 1e-9)
            self.measure(tree, np.zeros(1, dtype=int), tree.rows[:1], tree.touched[:1])

    def measure(self, tree: Tree, nodes: np.ndarray, rows: np.ndarray, touched: np.ndarray) -> None:
        """Keep what nodes (n,) in states (n, width) lack."""
        if self.problem.lack is not None and len(nodes):
            scene = self.problem.scene(rows, touched)
            lack = self.problem.lack(scene)
            tree.lack[nodes] = lack + self.pace * scene.time
            before = tree.level[nodes]
            level = np.clip(np.ceil(lack / self.height * FINER), 0, LEVELS * FINER - 1).astype(np.int32)
            np.add.at(tree.gained, before[level <= before - FINER], 1)
            tree.level[nodes] = level
