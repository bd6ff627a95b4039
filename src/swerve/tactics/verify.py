"""Motions found on the planar model, made again in the full engine: two fidelities in one tree.

A motion is a series of choices: which skill, with which variables. The engine is given the same choices one
after the other, each until its skill is over there, so that a strike that comes a frame later is still the
same strike. What it does becomes nodes of the same tree, beside those that were found.
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput

from .chains import LONGEST, Chains
from .decide import Decider
from .flat import strange
from .lanes import FAILED, LOST, NONSENSE, OPEN, SOLVED
from .planar import Planar
from .pools import NOBODY
from .problem import Problem
from .scene import Scene
from .tree import Minds, Tree


def planar_of(problem: Problem, t_lod: float = np.inf) -> Planar:
    """The planar model of a problem's world; refuses what it does not know."""
    unknown = strange(problem.world)
    if unknown:
        why = f"{problem.name} has more than discs, upright boxes and one ball: {unknown}"
        raise BadInput("fidelity", "planar", why)
    return Planar(problem.world, t_lod)


class Verifier:
    """Makes motions again, in the full engine or as other `chains` do."""

    def __init__(
        self, problem: Problem, decider: Decider, t_lod: float = np.inf, chains: Chains | None = None
    ):
        self.problem, self.decider = problem, decider
        self.chains = chains or Chains(problem, decider, t_lod=t_lod)
        self.choosing = [i for i, tactic in enumerate(decider.tactics) if tactic.chooses]

    @property
    def seconds(self) -> float:
        """Spent in the engine."""
        return self.chains.seconds

    def retrace(
        self,
        tree: Tree,
        node: int,
        horizon: float,
        to_goal: bool = True,
        onto: Tree | None = None,
        done: int = 0,
    ) -> int:
        """Follow the choices that led to `node` in the engine; the node that they lead to there, of the same
        tree, or of another, from its root. The first `done` steps are as the engine made them.

        `NOBODY` where they lead to something invalid or, if they are `to_goal`, not to the goal.
        """
        way, known = tree.path(node), tree
        free = (~tree.busy[way[:-1]][:, self.choosing].all(axis=1)).nonzero()[0]
        begins = [done + 1, *(k for k in (free + 1).tolist() if k > done + 1)]
        tree = onto or tree
        at = int(way[done]) * (onto is None)
        began = float(tree.rows[0, 0])
        rows, touched, minds = tree.gather(np.array([at]))
        most = len(way) - 1 - done if not to_goal else len(way) - done + LONGEST
        for k in begins:
            minds = self._choice(known, way, k, minds)
            while most > 0:
                skill = self.decider.choose(
                    _scene(self.problem, rows, touched), minds, np.zeros(1, dtype=int)
                )
                run = self.chains.follow(rows, touched, minds, skill, began, horizon, most)
                ended, made = int(run.ends[0]), int(run.steps[0])
                lost = ended in (FAILED, NONSENSE, LOST)
                new = tree.add_chains(
                    np.array([at]),
                    run.steps - lost,
                    np.array([False]),
                    skill,
                    *run[2:],
                    open_=np.array([ended == OPEN]),
                )
                at = int(new[0]) if new[0] != NOBODY else at
                most -= made
                if ended == SOLVED or (most <= 0 and not to_goal and not lost):
                    return at
                if lost:
                    return self._forget(tree, at)
                minds = Minds(skill, run.busy[:, made - 1], run.memory[:, made - 1].copy())
                if ended == OPEN:
                    break
        return self._forget(tree, at) if to_goal else at

    def _choice(self, tree: Tree, way: np.ndarray, k: int, minds: Minds) -> Minds:
        """The minds with what was chosen for step `k` of the way; skills that are busy go on."""
        found, first = Minds(*(part.copy() for part in minds)), self.decider.first
        for i in range(minds.skill.shape[1]):
            if k > 1 and tree.busy[way[k - 1], i]:
                continue
            found.skill[0, i], found.busy[0, i] = tree.skill[way[k], i], True
            mine = slice(first[i], first[i + 1])
            found.memory[0, mine] = tree.memory[way[k], mine]
        return found

    def _forget(self, tree: Tree, at: int) -> int:
        tree.roll_back(np.array([at]))
        return NOBODY


def _scene(problem: Problem, rows: np.ndarray, touched: np.ndarray) -> Scene:
    return Scene(problem.world, rows, touched, np.full((1, 2), np.nan))
