"""What the bodies do next, in many branches at once: which skill follows, what it samples, its forces.

`Minds` is what tactics remember from step to step. A search keeps one in every node, a `Runner` one in all.
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput, require

from .bodies import Role, World
from .chance import Chance, number_of
from .habits import Habits, situation
from .problem import check_skill
from .scene import Action, Scene
from .skill import Skill
from .tactic import Tactic
from .tree import NOBODY, Decisions, Minds

STREAMS = 64  # of randomness that each tactic has, one for transitions and one a skill


class Decider:
    """All tactics of a problem, and where each keeps its variables in a mind's memory.

    `forced` (tactics, skills + 1) tells after which skills nothing is left to choose: one skill follows,
    and it samples nothing. The last column is for the beginning, when there was no skill.
    """

    def __init__(self, world: World, tactics: tuple[Tactic, ...], seed: int):
        self.world, self.tactics, self.seed = world, tactics, number_of(seed)
        # by expansion and tactic: the situation in which a skill began and what it drew, if they are wanted
        self.noted: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] | None = None
        widths = [max(len(s.variables) for s in t.skills.values()) for t in tactics]
        self.first = np.concatenate([[0], np.cumsum(widths)]).astype(int)
        self.variables = max(int(self.first[-1]), 1)
        self.richest = int(np.argmax([len(t.order) for t in tactics]))  # its skills decide the order
        self.columns = [
            [slice(first, first + len(t.skills[name].variables)) for name in t.order]
            for first, t in zip(self.first.tolist(), tactics, strict=False)
        ]
        self.habits = [dict(t.habits) for t in tactics]
        self.barred = [[_barred(world, t.skills[name]) for name in t.order] for t in tactics]
        self.single = np.array([len(t.order) == 1 for t in tactics])
        self.plural = [i for i, t in enumerate(tactics) if len(t.order) > 1]
        self.forced = np.ones((len(tactics), 1 + max(len(t.order) for t in tactics)), dtype=bool)
        for i, tactic in enumerate(tactics):
            self.forced[i, : len(tactic.order)] = tactic.forced
            self.forced[i, -1] = tactic.skills[tactic.start].deterministic

    def fresh(self, n: int) -> Minds:
        """Minds of n branches before their first step."""
        shape = (n, len(self.tactics))
        skill = np.full(shape, NOBODY, dtype=np.int16)
        return Minds(skill, np.zeros(shape, dtype=bool), np.zeros((n, self.variables)))

    def accustom(self, tactic: int, skill: int, habits: Habits) -> None:
        """Let a skill follow habits, unless it was given to the search with some of its own."""
        one, name = self.tactics[tactic], self.tactics[tactic].order[skill]
        if name not in one.habits:
            self.habits[tactic][name] = habits

    def choose(self, scene: Scene, minds: Minds, expansions: np.ndarray) -> np.ndarray:
        """Skills (b, tactics) that act next."""
        if not self.plural:
            return np.zeros(minds.skill.shape, dtype=np.int16)
        skill = np.where(self.single, np.int16(0), minds.skill)
        for i in self.plural:
            free = (~minds.busy[:, i]).nonzero()[0]
            if len(free):
                tactic = self.tactics[i]
                before = skill[free, i]
                first = before == NOBODY  # at the root, begin with the first
                if first.any():
                    before[first] = tactic.order.index(tactic.start)
                chance = Chance(self.seed, expansions[free], STREAMS * (i + 1))
                part = scene if len(free) == len(scene) else scene.take(free)
                after = tactic.advance(before, part, chance)
                skill[free, i] = np.where(first, before, after)
        return skill

    def order(self, skill: np.ndarray) -> np.ndarray | None:
        """What brings branches with like skills together; None where they are."""
        if not self.plural or len(skill) == 1:
            return None
        key = skill[:, self.richest]
        return None if (key[1:] >= key[:-1]).all() else np.argsort(key, kind="stable")

    def begin(self, scene: Scene, minds: Minds, skill: np.ndarray, expansions: np.ndarray) -> None:
        """Let the chosen skills that begin draw their variables, into the memory of `minds`."""
        for i, tactic in enumerate(self.tactics):
            if self.first[i] == self.first[i + 1]:
                continue
            fresh = (~minds.busy[:, i]).nonzero()[0]
            if not len(fresh):
                continue
            chosen = skill[fresh, i]
            for k in {int(chosen[0])} if len(chosen) == 1 else set(chosen.tolist()):
                one = tactic.skills[tactic.order[k]]
                if not one.variables:
                    continue
                mine = fresh[chosen == k]
                part = scene if len(mine) == len(scene) else scene.take(mine)
                chance = Chance(self.seed, expansions[mine], STREAMS * (i + 1) + 1 + k)
                habits = self.habits[i].get(tactic.order[k])
                if habits is not None:
                    chance.habits = habits.propose(part, chance.aside())
                chance.drawn = None if self.noted is None else []
                drawn, shape = one.start(part, chance), (len(mine), len(one.variables))
                if np.shape(drawn) != shape or (one.law is None and np.isnan(drawn).any()):
                    where = f"skill {tactic.order[k]} of tactic {tactic.name}, start"
                    why = f"must return numbers ({len(mine)}, {shape[1]}), one of each variable a branch"
                    raise BadInput(where, np.shape(drawn) if np.shape(drawn) != shape else np.nan, why)
                minds.memory[mine, self.columns[i][k]] = drawn
                made = chance.count - chance.first
                if habits is not None and tactic.order[k] in tactic.habits:
                    held = habits.shares.shape[1]
                    where = f"learned tactic {tactic.name}, skill {tactic.order[k]}, shares"
                    require(made == held, where, held, f"must be {made} in a row, one for each draw")
                if self.noted is not None and chance.drawn and len(chance.drawn) == made:
                    shares, seen = np.stack(chance.drawn, axis=-1), situation(part)
                    for row, number in enumerate(expansions[mine].tolist()):
                        self.noted[number, i] = (seen[row], shares[row])

    def decide(self, scene: Scene, minds: Minds, skill: np.ndarray, expansions: np.ndarray) -> Decisions:
        """What the chosen skills do. Branches must be in `order`; the memory of `minds` is written to."""
        self.begin(scene, minds, skill, expansions)
        memory, busy = minds.memory, np.zeros_like(minds.busy)
        forces = np.zeros((len(scene), self.world.model.nv))
        whole = Action(scene, forces)
        for i, tactic in enumerate(self.tactics):
            if len(tactic.order) == 1:
                if self.first[i] < self.first[i + 1]:
                    self._act(i, 0, slice(None), scene, busy, memory, forces)
                else:
                    busy[:, i] = self._ask(i, 0, scene, memory[:, :0], whole)
                continue
            if len(scene) == 1 or (skill[:, i] == skill[0, i]).all():
                k = int(skill[0, i])
                self._act(i, k, slice(None), scene, busy, memory, forces)
                continue
            counts = np.bincount(skill[:, i])
            at = 0
            for k in counts.nonzero()[0].tolist():
                mine: slice | np.ndarray = slice(at, at + int(counts[k]))
                if i != self.richest and counts[k] < len(scene):
                    mine = (skill[:, i] == k).nonzero()[0]
                part = scene if counts[k] == len(scene) else scene.take(mine)
                self._act(i, k, mine, part, busy, memory, forces)
                at += int(counts[k])
        if not np.isfinite(forces.sum()):
            self.name_culprit(scene, skill, memory)
        return Decisions(skill, busy, memory, forces)

    def _act(
        self,
        i: int,
        k: int,
        mine: slice | np.ndarray,
        part: Scene,
        busy: np.ndarray,
        memory: np.ndarray,
        forces: np.ndarray,
    ) -> None:
        """Skill `k` of tactic `i` acts in the branches `mine`, whose states are `part`."""
        columns = self.columns[i][k]
        held = memory[mine, columns]  # views, if `mine` is a slice
        action = Action(part, forces[mine])
        busy[mine, i] = self._ask(i, k, part, held, action)
        if not isinstance(mine, slice):
            forces[mine] = action.forces
            memory[mine, columns] = held

    def _ask(
        self, i: int, k: int, part: Scene, held: np.ndarray, action: Action, finite: bool = False
    ) -> np.ndarray:
        """The busy flags of skill `k` of tactic `i` that acts, and may not push what is passive."""
        tactic, name, barred = self.tactics[i], self.tactics[i].order[k], self.barred[i][k]
        before = action.forces[:, barred]
        flags = check_skill(name, tactic.name, tactic.skills[name].act(part, held, action), action, finite)
        if len(barred) and (action.forces[:, barred] != before).any():
            where = f"skill {name} of tactic {tactic.name}"
            raise BadInput(where, None, "puts forces on a passive body, which only collisions move")
        return flags

    def name_culprit(self, scene: Scene, skill: np.ndarray, memory: np.ndarray) -> None:
        """Some force is not a number, or acts on what is passive: ask the skills again, one by one."""
        for i, tactic in enumerate(self.tactics):
            for k in range(len(tactic.order)):
                mine = (skill[:, i] == k).nonzero()[0]
                part = scene.take(mine)
                self._ask(i, k, part, memory[mine, self.columns[i][k]].copy(), Action(part), finite=True)


def _barred(world: World, skill: Skill) -> np.ndarray:
    """Degrees of freedom on which a skill may put no forces: of passive bodies that it does not handle."""
    for field in skill.handles:
        where = f"{type(skill).__name__}, handles"
        require(hasattr(skill, field), where, skill.handles, 'must be fields of the skill, as ("ball",)')
    handled = {getattr(skill, field) for field in skill.handles}
    passive = [b.name for b in world.bodies if b.role is Role.PASSIVE and b.name not in handled]
    slots = [world.slots[name] for name in passive]
    return np.array([slot.dof + k for slot in slots for k in range(slot.dofs)], dtype=np.int64)
