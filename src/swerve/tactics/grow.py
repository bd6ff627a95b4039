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
from .decide import Decider
from .engine import Engine
from .problem import Problem
from .scene import Scene
from .select import Selection
from .tactic import Tactic
from .tree import NOBODY, Decisions, Tree

NODES_A_LANE = 64  # the tree must have that many nodes for each lane beyond the first ones
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
        lanes: int = 512,
        threads: int = 1,
        roll_back: bool = True,
    ):
        problem.validate(tactics)
        self.problem, self.tactics, self.selection = problem, tactics, selection
        self.seed, self.rolls_back = seed, roll_back
        self.world = problem.world
        self.decider = Decider(problem, tactics, seed)
        self.tree = Tree(
            problem.start, self.world.model.nv, len(self.world.watch), len(tactics), self.decider.variables
        )
        self.lanes = lanes
        self.engine = Engine(self.world, lanes, threads)
        self.effort = Effort()
        self.solutions: list[int] = []
        self.open_lanes = 0
        self.lane_nodes = np.full(lanes, NOBODY)
        self.lane_busy_steps = np.zeros(lanes, dtype=np.int64)

    def round(self, most: int) -> None:
        """Grow at most `most` branches by a step."""
        grown = self.problem.first_lanes + self.tree.alive_nodes // NODES_A_LANE
        self.open_lanes = max(self.open_lanes, min(self.lanes, grown))
        n = min(self.open_lanes, most)
        expansions = np.arange(self.effort.iterations, self.effort.iterations + n)
        self.effort.iterations += n
        began = time.perf_counter()
        sources, samples = self._sources(expansions)
        selected = time.perf_counter()
        skill, order = self.decider.choose(self.tree, sources, samples, expansions)
        sources, samples, skill = sources[order], samples[order], skill[order]
        scene = Scene(self.world, self.tree.rows[sources], self.tree.touched[sources], samples)
        decided = self.decider.decide(self.tree, sources, scene, skill, expansions[order])
        ready = time.perf_counter()
        rows, touched = self.engine.step(scene.rows, decided.forces)
        stepped = time.perf_counter()
        nodes, goes_on = self._join(sources, Scene(self.world, rows, touched, samples), decided)
        self._continue(order, sources, nodes, goes_on, skill)
        self.effort.select_seconds += selected - began
        self.effort.skill_seconds += ready - selected + time.perf_counter() - stepped

    def _sources(self, expansions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Node (n,) each lane grows from, and the sample (n, 2) it grows towards."""
        n = len(expansions)
        sources = self.lane_nodes[:n].copy()
        samples = np.full((n, 2), np.nan)
        idle = (sources == NOBODY).nonzero()[0]
        if len(idle):
            chance = Chance(self.seed, expansions[idle], SELECTING)
            sources[idle], samples[idle] = self.selection.pick(self.tree, len(idle), chance)
        return sources, samples

    def _join(self, sources: np.ndarray, scene: Scene, decided: Decisions) -> tuple[np.ndarray, np.ndarray]:
        """Let what the engine gave join the tree: the new nodes, and which lanes go on from them."""
        valid = self.problem.valid(scene) & (scene.rows[:, 0] < self.problem.horizon)
        done = self.problem.goal(scene) & valid
        busy = np.ones(len(sources), dtype=bool)
        for i, tactic in enumerate(self.tactics):
            if not tactic.deterministic:
                busy &= decided.busy[:, i]
        nodes = self.tree.add(sources, scene.rows, scene.touched, decided, ~(busy | done), valid)
        if done.any():
            self.solutions.extend(nodes[done].tolist())
        return nodes, busy & valid & ~done

    def _continue(
        self,
        order: np.ndarray,
        sources: np.ndarray,
        nodes: np.ndarray,
        goes_on: np.ndarray,
        skill: np.ndarray,
    ) -> None:
        """Busy lanes go on; failed ones are rolled back; those busy for ever are cut off and named."""
        n = len(sources)
        steps = (self.lane_busy_steps[order] + 1) * goes_on
        if steps.max() * self.world.step_seconds > LONGEST_BUSY:
            goes_on &= ~self._cut_off(steps, nodes, skill)
            steps *= goes_on
        if self.rolls_back:
            failed = (nodes == NOBODY) & ~self.tree.open[sources]
            if failed.any():
                self.effort.rolled_back += self.tree.roll_back(sources[failed])
        self.lane_nodes[:n] = np.where(goes_on, nodes, NOBODY)
        self.lane_busy_steps[:n] = steps

    def _cut_off(self, steps: np.ndarray, nodes: np.ndarray, skill: np.ndarray) -> np.ndarray:
        """(n,) the lanes that have been busy for too long; their skills are named, their chains removed."""
        endless = steps * self.world.step_seconds > LONGEST_BUSY
        for lane in np.flatnonzero(endless):
            for i, tactic in enumerate(self.tactics):
                if not tactic.deterministic:
                    name = f"{tactic.order[skill[lane, i]]} of {tactic.name}"
                    self.effort.cut_off[name] = self.effort.cut_off.get(name, 0) + 1
        if self.rolls_back:
            self.effort.rolled_back += self.tree.roll_back(nodes[endless])
        return endless

    def best(self) -> tuple[int, float]:
        """The node with the least evaluation, and its value; busy nodes may yet run into something."""
        assert self.problem.evaluate is not None
        nodes = np.union1d(np.flatnonzero(self.tree.open[: self.tree.count]), self.solutions).astype(int)
        scene = self.problem.scene(self.tree.rows[nodes], self.tree.touched[nodes])
        values = self.problem.evaluate(scene)
        least = int(np.argmin(values))
        return int(nodes[least]), float(values[least])
