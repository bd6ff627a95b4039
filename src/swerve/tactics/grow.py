"""Growing the tree: one loop for all planners, many branches at once.

A round grows every lane by one step. A lane whose skills are busy goes on from its own last node; the others
get nodes from the selection. New states that are valid join the tree; a busy chain that runs into an invalid
state is rolled back. The order of events of a round is the body of `Growth.round`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from .chance import Chance
from .engine import Engine
from .problem import Problem, check_skill
from .scene import Action, Scene
from .select import Selection
from .tactic import Tactic
from .tree import NOBODY, Tree

FIRST_LANES = 4
NODES_A_LANE = 48  # the tree must have that many nodes for each lane beyond the first ones
LONGEST_BUSY = 30.0  # [s] after which a busy chain is cut off
SELECTING = 1 << 40  # selection draws from streams that no skill has


@dataclass
class Effort:
    """What a search did and where its time went [s]."""

    iterations: int = 0
    rolled_back: int = 0
    select_seconds: float = 0.0
    skill_seconds: float = 0.0
    cut_off: dict[str, int] = field(default_factory=dict)


class Growth:
    """A search tree that grows round by round.

    Solutions are node numbers.
    """

    def __init__(
        self,
        problem: Problem,
        tactics: tuple[Tactic, ...],
        selection: Selection,
        seed: int = 0,
        lanes: int = 128,
        threads: int = 1,
        roll_back: bool = True,
    ):
        problem.validate(tactics)
        self.problem, self.tactics, self.selection = problem, tactics, selection
        self.seed, self.lanes, self.rolls_back = seed, lanes, roll_back
        self.world = problem.world
        self.engine = Engine(self.world, lanes, threads)
        widths = [max(len(s.variables) for s in t.skills.values()) for t in tactics]
        self.columns = [slice(sum(widths[:i]), sum(widths[: i + 1])) for i in range(len(tactics))]
        self.tree = Tree(
            problem.start, self.world.model.nv, len(self.world.watch), len(tactics), max(sum(widths), 1)
        )
        self.effort = Effort()
        self.solutions: list[int] = []
        self.open_lanes = 0
        self.lane_nodes = np.full(lanes, NOBODY)
        self.lane_busy_steps = np.zeros(lanes, dtype=np.int64)

    def round(self, most: int) -> None:
        """Grow at most `most` branches by a step."""
        grown = FIRST_LANES + self.tree.alive_nodes // NODES_A_LANE
        self.open_lanes = max(self.open_lanes, min(self.lanes, grown))
        n = min(self.open_lanes, most)
        expansions = np.arange(self.effort.iterations, self.effort.iterations + n)
        sources, samples = self._sources(n, expansions)
        skill, busy, memory, forces = self._decide(sources, samples, expansions)
        rows, touched = self.engine.step(self.tree.rows[sources], forces)
        self.effort.iterations += n

        began = time.perf_counter()
        scene = Scene(self.world, rows, touched, samples)
        valid = self.problem.valid(scene) & (rows[:, 0] < self.problem.horizon)
        done = self.problem.goal(scene) & valid
        all_busy = np.ones(n, dtype=bool)
        for i, tactic in enumerate(self.tactics):
            if not tactic.deterministic:
                all_busy &= busy[:, i]
        kept = np.flatnonzero(valid)
        added = self.tree.add(
            sources[kept],
            rows[kept],
            forces[kept],
            touched[kept],
            skill[kept],
            busy[kept],
            memory[kept],
            ~all_busy[kept] & ~done[kept],
        )
        nodes = np.full(n, NOBODY)
        nodes[kept] = added
        self.solutions.extend(nodes[done].tolist())
        self._continue(sources, nodes, all_busy & valid & ~done, skill)
        self.effort.skill_seconds += time.perf_counter() - began

    def _sources(self, n: int, expansions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Node (n,) each lane grows from, and the sample (n, 2) it grows towards."""
        began = time.perf_counter()
        sources = self.lane_nodes[:n].copy()
        samples = np.full((n, 2), np.nan)
        idle = np.flatnonzero(sources == NOBODY)
        if len(idle):
            chance = Chance(self.seed, expansions[idle], SELECTING)
            sources[idle], samples[idle] = self.selection.pick(self.tree, len(idle), chance)
        self.effort.select_seconds += time.perf_counter() - began
        return sources, samples

    def _decide(
        self, sources: np.ndarray, samples: np.ndarray, expansions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Skill transitions and actions of all tactics: new skill, busy, memory, and the forces."""
        began = time.perf_counter()
        tree, n = self.tree, len(sources)
        scene = Scene(self.world, tree.rows[sources], tree.touched[sources], samples)
        skill, memory = tree.skill[sources], tree.memory[sources]
        was_busy = tree.busy[sources]
        busy = np.zeros_like(was_busy)
        forces = np.zeros((n, self.world.model.nv))
        everybody = np.arange(n)
        for i, tactic in enumerate(self.tactics):
            streams = 64 * (i + 1)
            skill[:, i] = self._transit(tactic, skill[:, i], was_busy[:, i], scene, expansions, streams)
            counts = np.bincount(skill[:, i], minlength=len(tactic.order))
            for k in counts.nonzero()[0]:
                name = tactic.order[k]
                one = tactic.skills[name]
                whole = counts[k] == n
                mine = everybody if whole else (skill[:, i] == k).nonzero()[0]
                part = scene if whole else scene.take(mine)
                first = self.columns[i].start
                held = memory[mine, first : first + len(one.variables)]
                if one.variables:
                    fresh = (~was_busy[mine, i]).nonzero()[0]
                    if len(fresh):
                        chance = Chance(self.seed, expansions[mine[fresh]], streams + 1 + int(k))
                        held[fresh] = one.start(part.take(fresh), chance)
                action = Action(part)
                busy[mine, i] = check_skill(name, tactic.name, one.act(part, held, action), action)
                forces[mine] += action.forces
                if one.variables:
                    memory[mine, first : first + len(one.variables)] = held
        self.effort.skill_seconds += time.perf_counter() - began
        return skill, busy, memory, forces

    def _transit(
        self,
        tactic: Tactic,
        skill: np.ndarray,
        busy: np.ndarray,
        scene: Scene,
        expansions: np.ndarray,
        stream: int,
    ) -> np.ndarray:
        """Where the last skill is no longer busy, draw the next; at the root, begin with the first."""
        if len(tactic.order) == 1:
            return np.zeros_like(skill)
        after = np.where(skill == NOBODY, tactic.order.index(tactic.start), skill)
        free = ~busy & (skill != NOBODY)
        if free.any():
            counts = np.bincount(skill[free], minlength=len(tactic.order))
            for k in np.flatnonzero(counts):
                mine = np.flatnonzero(free & (skill == k))
                chance = Chance(self.seed, expansions[mine], stream)
                after[mine] = tactic.advance(int(k), scene.take(mine), chance)
        return after

    def best(self) -> tuple[int, float]:
        """The node with the least evaluation, and its value; busy nodes may yet run into something."""
        assert self.problem.evaluate is not None
        nodes = np.union1d(np.flatnonzero(self.tree.open[: self.tree.count]), self.solutions).astype(int)
        scene = self.problem.scene(self.tree.rows[nodes], self.tree.touched[nodes])
        values = self.problem.evaluate(scene)
        least = int(np.argmin(values))
        return int(nodes[least]), float(values[least])

    def _continue(
        self, sources: np.ndarray, nodes: np.ndarray, goes_on: np.ndarray, skill: np.ndarray
    ) -> None:
        """Busy lanes go on; failed ones are rolled back; those busy for ever are cut off and named."""
        n = len(sources)
        steps = np.where(goes_on, self.lane_busy_steps[:n] + 1, 0)
        endless = steps * self.world.step_seconds > LONGEST_BUSY
        for lane in np.flatnonzero(endless):
            for i, tactic in enumerate(self.tactics):
                if not tactic.deterministic:
                    name = f"{tactic.order[skill[lane, i]]} of {tactic.name}"
                    self.effort.cut_off[name] = self.effort.cut_off.get(name, 0) + 1
        if self.rolls_back:
            for lane in np.flatnonzero((nodes == NOBODY) & ~self.tree.open[sources]):
                self.effort.rolled_back += self.tree.roll_back(int(sources[lane]))
            for lane in np.flatnonzero(endless):
                self.effort.rolled_back += self.tree.roll_back(int(nodes[lane]))
        goes_on &= ~endless
        self.lane_nodes[:n] = np.where(goes_on, nodes, NOBODY)
        self.lane_busy_steps[:n] = np.where(goes_on, steps, 0)
