"""What the bodies do next, in many branches at once: which skill follows, what it samples, its forces."""

from __future__ import annotations

import numpy as np

from .chance import Chance
from .problem import Problem, check_skill
from .scene import Action, Scene
from .tactic import Tactic
from .tree import NOBODY, Decisions, Tree

STREAMS = 64  # of randomness that each tactic has, one for transitions and one a skill


class Decider:
    """All tactics of a problem, and where each keeps its variables in a node's memory."""

    def __init__(self, problem: Problem, tactics: tuple[Tactic, ...], seed: int):
        self.world, self.tactics, self.seed = problem.world, tactics, seed
        widths = [max(len(s.variables) for s in t.skills.values()) for t in tactics]
        self.first = np.concatenate([[0], np.cumsum(widths)]).astype(int)
        self.variables = max(int(self.first[-1]), 1)
        self.richest = int(np.argmax([len(t.order) for t in tactics]))  # its skills decide the order
        self.columns = [
            [slice(first, first + len(t.skills[name].variables)) for name in t.order]
            for first, t in zip(self.first.tolist(), tactics, strict=False)
        ]

    def choose(
        self, tree: Tree, nodes: np.ndarray, samples: np.ndarray, expansions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Skills (b, tactics) of the branches that grow from `nodes`, and the order that joins like ones."""
        skill = tree.skill[nodes]
        busy = tree.busy[nodes]
        for i, tactic in enumerate(self.tactics):
            if len(tactic.order) == 1:
                skill[:, i] = 0
                continue
            free = (~busy[:, i]).nonzero()[0]
            if len(free):
                some = nodes[free]
                before = skill[free, i]
                first = before == NOBODY  # at the root, begin with the first
                before[first] = tactic.order.index(tactic.start)
                scene = Scene(self.world, tree.rows[some], tree.touched[some], samples[free])
                chance = Chance(self.seed, expansions[free], STREAMS * (i + 1))
                after = tactic.advance(before, scene, chance)
                skill[free, i] = np.where(first, before, after)
        return skill, np.argsort(skill[:, self.richest], kind="stable")

    def decide(self, tree: Tree, nodes: np.ndarray, scene: Scene, skill: np.ndarray,
               expansions: np.ndarray) -> Decisions:  # fmt: skip
        """What the chosen skills do in the branches that grow from `nodes`, whose states are `scene`."""
        memory, was_busy = tree.memory[nodes], tree.busy[nodes]
        busy = np.zeros_like(was_busy)
        forces = np.zeros((len(nodes), self.world.model.nv))
        whole = Action(scene, forces)
        for i, tactic in enumerate(self.tactics):
            if len(tactic.order) == 1:
                if self.first[i] < self.first[i + 1]:
                    self._act(i, 0, slice(None), scene, expansions, was_busy, busy, memory, forces)
                else:
                    name = tactic.order[0]
                    flags = tactic.skills[name].act(scene, memory[:, :0], whole)
                    busy[:, i] = check_skill(name, tactic.name, flags, whole)
                continue
            counts = np.bincount(skill[:, i])
            at = 0
            for k in counts.nonzero()[0].tolist():
                mine: slice | np.ndarray = slice(at, at + int(counts[k]))
                if i != self.richest and counts[k] < len(nodes):
                    mine = (skill[:, i] == k).nonzero()[0]
                self._act(i, k, mine, scene.take(mine), expansions, was_busy, busy, memory, forces)
                at += int(counts[k])
        if not np.isfinite(forces.sum()):
            self._name_culprit(scene, skill, memory)
        return Decisions(skill, busy, memory, forces)

    def _act(
        self,
        i: int,
        k: int,
        mine: slice | np.ndarray,
        part: Scene,
        expansions: np.ndarray,
        was_busy: np.ndarray,
        busy: np.ndarray,
        memory: np.ndarray,
        forces: np.ndarray,
    ) -> None:
        """Skill `k` of tactic `i` begins or goes on in the branches `mine`, whose states are `part`."""
        tactic = self.tactics[i]
        name = tactic.order[k]
        one = tactic.skills[name]
        columns = self.columns[i][k]
        held = memory[mine, columns]  # views, if `mine` is a slice
        action = Action(part, forces[mine])
        if one.variables:
            fresh = (~was_busy[mine, i]).nonzero()[0]
            if len(fresh):
                chance = Chance(self.seed, expansions[mine][fresh], STREAMS * (i + 1) + 1 + k)
                held[fresh] = one.start(part.take(fresh), chance)
        busy[mine, i] = check_skill(name, tactic.name, one.act(part, held, action), action)
        if not isinstance(mine, slice):
            forces[mine] = action.forces
            memory[mine, columns] = held

    def _name_culprit(self, scene: Scene, skill: np.ndarray, memory: np.ndarray) -> None:
        """Some force is not a number: ask the skills again, one by one."""
        for i, tactic in enumerate(self.tactics):
            for k, name in enumerate(tactic.order):
                mine = (skill[:, i] == k).nonzero()[0]
                one = tactic.skills[name]
                part = scene.take(mine)
                action = Action(part)
                busy = one.act(part, memory[mine, self.columns[i][k]].copy(), action)
                check_skill(name, tactic.name, busy, action, finite=True)
