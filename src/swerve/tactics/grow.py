"""Growing the tree: one loop for all planners, many branches at once.

A round grows every lane by one step. A lane whose skills are busy goes on from its own last node; the others
get nodes from the selection. New states that are valid join the tree; a busy chain that runs into an invalid
state is rolled back. The order of events of a round is the body of `Growth.round`.

Lanes are divided into two teams: while the engine steps one, the next step of the other is decided. The
schedule is the same on one thread, so the tree does not depend on the number of threads.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from .chance import Chance
from .decide import Decider, Decisions
from .engine import Engine
from .problem import Problem
from .scene import Scene
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


@dataclass
class Flight:
    """A step that has been decided: what it grows from and towards, and the engine's answer to come."""

    sources: np.ndarray
    rows: np.ndarray
    samples: np.ndarray
    decided: Decisions
    answer: Future[tuple[np.ndarray, np.ndarray]] | None = None


class Team:
    """Lanes that are stepped together: node (lanes,) each goes on from, and for how long it was busy."""

    def __init__(self, engine: Engine, lanes: int):
        self.engine, self.lanes = engine, lanes
        self.nodes = np.full(lanes, NOBODY)
        self.busy_steps = np.zeros(lanes, dtype=np.int64)
        self.flight: Flight | None = None


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
        self.seed, self.rolls_back = seed, roll_back
        self.world = problem.world
        self.decider = Decider(problem, tactics, seed)
        self.tree = Tree(
            problem.start, self.world.model.nv, len(self.world.watch), len(tactics), self.decider.variables
        )
        sizes = [lanes] if lanes == 1 else [(lanes + 1) // 2, lanes // 2]
        self.teams = [Team(Engine(self.world, size, threads), size) for size in sizes]
        self.turn = 0
        self.stepping = ThreadPoolExecutor(1, "engine") if threads > 1 and len(sizes) > 1 else None
        self.effort = Effort()
        self.solutions: list[int] = []
        self.open_lanes = 0

    @property
    def engine_seconds(self) -> float:
        return sum(team.engine.seconds for team in self.teams)

    def round(self, most: int) -> None:
        """Decide the next step of one team, at most `most` branches, and take in what the other's gave."""
        team = self.teams[self.turn]
        self.turn = (self.turn + 1) % len(self.teams)
        if team.flight is not None:
            self._land(team)
        if most > 0:
            self._launch(team, most)

    def finish(self) -> None:
        """Take in the steps that are still under way."""
        for _ in self.teams:
            self.round(0)
        if self.stepping is not None:
            self.stepping.shutdown()
            self.stepping = None

    def _launch(self, team: Team, most: int) -> None:
        """Choose what to grow and what to do, and hand it to the engine."""
        grown = FIRST_LANES + self.tree.alive_nodes // NODES_A_LANE
        self.open_lanes = max(self.open_lanes, grown)
        n = min(max(1, self.open_lanes // len(self.teams)), team.lanes, most)
        expansions = np.arange(self.effort.iterations, self.effort.iterations + n)
        self.effort.iterations += n
        sources, samples = self._sources(team, n, expansions)
        began = time.perf_counter()
        rows = self.tree.rows[sources]
        decided = self.decider.decide(self.tree, sources, rows, samples, expansions)
        self.effort.skill_seconds += time.perf_counter() - began
        team.flight = Flight(sources, rows, samples, decided)
        if self.stepping is not None:
            team.flight.answer = self.stepping.submit(team.engine.step, rows, decided.forces)

    def _land(self, team: Team) -> None:
        """Let what the engine gave join the tree."""
        flight = team.flight
        assert flight is not None
        team.flight = None
        sources, decided = flight.sources, flight.decided
        if flight.answer is not None:
            rows, touched = flight.answer.result()
        else:
            rows, touched = team.engine.step(flight.rows, decided.forces)
        began = time.perf_counter()
        scene = Scene(self.world, rows, touched, flight.samples)
        valid = self.problem.valid(scene) & (rows[:, 0] < self.problem.horizon)
        done = self.problem.goal(scene) & valid
        all_busy = np.ones(len(rows), dtype=bool)
        for i, tactic in enumerate(self.tactics):
            if not tactic.deterministic:
                all_busy &= decided.busy[:, i]
        nodes = self.tree.add(sources, rows, touched, decided, ~all_busy & ~done, valid)
        self.solutions.extend(nodes[done].tolist())
        self._continue(team, sources, nodes, all_busy & valid & ~done, decided.skill)
        self.effort.skill_seconds += time.perf_counter() - began

    def _sources(self, team: Team, n: int, expansions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Node (n,) each lane grows from, and the sample (n, 2) it grows towards."""
        began = time.perf_counter()
        sources = team.nodes[:n].copy()
        samples = np.full((n, 2), np.nan)
        idle = (sources == NOBODY).nonzero()[0]
        if len(idle):
            chance = Chance(self.seed, expansions[idle], SELECTING)
            sources[idle], samples[idle] = self.selection.pick(self.tree, len(idle), chance)
        self.effort.select_seconds += time.perf_counter() - began
        return sources, samples

    def _continue(
        self, team: Team, sources: np.ndarray, nodes: np.ndarray, goes_on: np.ndarray, skill: np.ndarray
    ) -> None:
        """Busy lanes go on; failed ones are rolled back; those busy for ever are cut off and named."""
        n = len(sources)
        steps = (team.busy_steps[:n] + 1) * goes_on
        if steps.max(initial=0) * self.world.step_seconds > LONGEST_BUSY:
            goes_on &= ~self._cut_off(steps, nodes, skill)
            steps *= goes_on
        if self.rolls_back:
            for lane in ((nodes == NOBODY) & ~self.tree.open[sources]).nonzero()[0]:
                self.effort.rolled_back += self.tree.roll_back(int(sources[lane]))
        team.nodes[:n] = np.where(goes_on, nodes, NOBODY)
        team.busy_steps[:n] = steps

    def _cut_off(self, steps: np.ndarray, nodes: np.ndarray, skill: np.ndarray) -> np.ndarray:
        """(n,) the lanes that have been busy for too long; their skills are named, their chains removed."""
        endless = steps * self.world.step_seconds > LONGEST_BUSY
        for lane in np.flatnonzero(endless):
            for i, tactic in enumerate(self.tactics):
                if not tactic.deterministic:
                    name = f"{tactic.order[skill[lane, i]]} of {tactic.name}"
                    self.effort.cut_off[name] = self.effort.cut_off.get(name, 0) + 1
            if self.rolls_back:
                self.effort.rolled_back += self.tree.roll_back(int(nodes[lane]))
        return endless

    def best(self) -> tuple[int, float]:
        """The node with the least evaluation, and its value; busy nodes may yet run into something."""
        assert self.problem.evaluate is not None
        nodes = np.union1d(np.flatnonzero(self.tree.open[: self.tree.count]), self.solutions).astype(int)
        scene = self.problem.scene(self.tree.rows[nodes], self.tree.touched[nodes])
        values = self.problem.evaluate(scene)
        least = int(np.argmin(values))
        return int(nodes[least]), float(values[least])
