"""What the bodies do next, in many branches at once: which skill follows, what it samples, its forces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .chance import Chance
from .problem import Problem, check_skill
from .scene import Action, Scene
from .tactic import Tactic
from .tree import NOBODY, Tree

STREAMS = 64  # of randomness that each tactic has, one for transitions and one a skill


class Decisions(NamedTuple):
    """Of b branches: `skill`, `busy` (b, tactics), `memory` (b, variables) and `forces` (b, nv)."""

    skill: np.ndarray
    busy: np.ndarray
    memory: np.ndarray
    forces: np.ndarray


class Decider:
    """All tactics of a problem, and where each keeps its variables in a node's memory."""

    def __init__(self, problem: Problem, tactics: tuple[Tactic, ...], seed: int):
        self.world, self.tactics, self.seed = problem.world, tactics, seed
        widths = [max(len(s.variables) for s in t.skills.values()) for t in tactics]
        self.first = np.concatenate([[0], np.cumsum(widths)]).astype(int)
        self.variables = max(int(self.first[-1]), 1)

    def decide(self, tree: Tree, nodes: np.ndarray, rows: np.ndarray, samples: np.ndarray,
               expansions: np.ndarray) -> Decisions:  # fmt: skip
        """Decisions in the branches that grow from `nodes`, whose states are `rows`."""
        scene = Scene(self.world, rows, tree.touched[nodes], samples)
        skill, memory, was_busy = tree.skill[nodes], tree.memory[nodes], tree.busy[nodes]
        busy = np.zeros_like(was_busy)
        forces = np.zeros((len(nodes), self.world.model.nv))
        for i, tactic in enumerate(self.tactics):
            present = [0]
            if len(tactic.order) == 1:
                skill[:, i] = 0
            else:
                skill[:, i] = self._transit(i, skill[:, i], was_busy[:, i], scene, expansions)
                present = np.bincount(skill[:, i]).nonzero()[0].tolist()
            for k in present:
                mine = None if len(present) == 1 else (skill[:, i] == k).nonzero()[0]
                self._act(i, k, mine, scene, expansions, was_busy, busy, memory, forces)
        if not np.isfinite(forces.sum()):
            self._name_culprit(scene, skill, memory)
        return Decisions(skill, busy, memory, forces)

    def _transit(
        self, i: int, skill: np.ndarray, busy: np.ndarray, scene: Scene, expansions: np.ndarray
    ) -> np.ndarray:
        """Where the last skill is no longer busy, draw the next; at the root, begin with the first."""
        tactic = self.tactics[i]
        after = np.where(skill == NOBODY, tactic.order.index(tactic.start), skill)
        free = (~busy & (skill != NOBODY)).nonzero()[0]
        if len(free):
            chance = Chance(self.seed, expansions[free], STREAMS * (i + 1))
            after[free] = tactic.advance(skill[free], scene.take(free), chance)
        return after

    def _act(
        self,
        i: int,
        k: int,
        mine: np.ndarray | None,
        scene: Scene,
        expansions: np.ndarray,
        was_busy: np.ndarray,
        busy: np.ndarray,
        memory: np.ndarray,
        forces: np.ndarray,
    ) -> None:
        """Skill `k` of tactic `i` begins or goes on in the branches `mine`, or in all of them."""
        tactic = self.tactics[i]
        name = tactic.order[k]
        one = tactic.skills[name]
        everywhere = slice(None) if mine is None else mine
        part = scene if mine is None else scene.take(mine)
        columns = slice(self.first[i], self.first[i] + len(one.variables))
        held = memory[everywhere, columns]  # a view of the memory when it is everywhere
        if one.variables:
            fresh = (~was_busy[everywhere, i]).nonzero()[0]
            if len(fresh):
                numbers = expansions[fresh] if mine is None else expansions[mine[fresh]]
                held[fresh] = one.start(
                    part.take(fresh), Chance(self.seed, numbers, STREAMS * (i + 1) + 1 + k)
                )
        action = Action(part, forces if mine is None else forces[mine])
        busy[everywhere, i] = check_skill(name, tactic.name, one.act(part, held, action), action)
        if mine is not None:
            forces[mine] = action.forces
            if one.variables:
                memory[mine, columns] = held

    def _name_culprit(self, scene: Scene, skill: np.ndarray, memory: np.ndarray) -> None:
        """Some force is not a number: ask the skills again, one by one."""
        for i, tactic in enumerate(self.tactics):
            for k, name in enumerate(tactic.order):
                mine = (skill[:, i] == k).nonzero()[0]
                one = tactic.skills[name]
                part = scene.take(mine)
                action = Action(part)
                columns = slice(self.first[i], self.first[i] + len(one.variables))
                busy = one.act(part, memory[mine, columns].copy(), action)
                check_skill(name, tactic.name, busy, action, finite=True)
