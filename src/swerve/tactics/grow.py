"""Growing the tree: one loop for all planners, many branches at once.

A round grows every lane by one step. A lane whose skills are busy goes on from its own last node; the others
get nodes from the selection. New states that are valid join the tree; a busy chain that runs into an invalid
state is rolled back. The order of events of a round is the body of `Growth.round`.

On several threads the lanes are divided: while the engine steps one half, the other is decided or joins the
tree. Nothing a half does is seen by the other, so the tree does not depend on the number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

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


@dataclass
class Flight:
    """Lanes whose step has been decided, and the engine's answer to come."""

    lanes: slice
    decided: Decisions
    answer: Future[tuple[np.ndarray, np.ndarray]]


class Now(Executor):
    """Does everything at once, in this thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


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
        self.lanes = lanes
        self.engine = Engine(self.world, lanes, threads)
        self.stepping: Executor = ThreadPoolExecutor(1, "engine") if threads > 1 else Now()
        self.parts = 2 if threads > 1 else 1
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
        self.effort.iterations += n
        sources, samples = self._sources(n, expansions)
        rows = self.tree.rows[sources]
        edges = [n * k // self.parts for k in range(self.parts + 1)]
        lanes = [slice(a, b) for a, b in pairwise(edges) if b > a]
        flights = [self._launch(part, sources, rows, samples, expansions) for part in lanes]
        nodes, goes_on = np.full(n, NOBODY), np.zeros(n, dtype=bool)
        for flight in flights:
            nodes[flight.lanes], goes_on[flight.lanes] = self._land(flight, sources, samples)
        skill = np.concatenate([flight.decided.skill for flight in flights])
        self._continue(sources, nodes, goes_on, skill)

    def close(self) -> None:
        """Let the engine's thread go."""
        self.stepping.shutdown()

    def _sources(self, n: int, expansions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Node (n,) each lane grows from, and the sample (n, 2) it grows towards."""
        began = time.perf_counter()
        sources = self.lane_nodes[:n].copy()
        samples = np.full((n, 2), np.nan)
        idle = (sources == NOBODY).nonzero()[0]
        if len(idle):
            chance = Chance(self.seed, expansions[idle], SELECTING)
            sources[idle], samples[idle] = self.selection.pick(self.tree, len(idle), chance)
        self.effort.select_seconds += time.perf_counter() - began
        return sources, samples

    def _launch(
        self, lanes: slice, sources: np.ndarray, rows: np.ndarray, samples: np.ndarray, expansions: np.ndarray
    ) -> Flight:
        """Decide what the lanes do and hand it to the engine."""
        began = time.perf_counter()
        decided = self.decider.decide(
            self.tree, sources[lanes], rows[lanes], samples[lanes], expansions[lanes]
        )
        self.effort.skill_seconds += time.perf_counter() - began
        return Flight(lanes, decided, self.stepping.submit(self.engine.step, rows[lanes], decided.forces))

    def _land(
        self, flight: Flight, sources: np.ndarray, samples: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Let what the engine gave join the tree: the new nodes, and which lanes go on from them."""
        rows, touched = flight.answer.result()
        began = time.perf_counter()
        decided = flight.decided
        scene = Scene(self.world, rows, touched, samples[flight.lanes])
        valid = self.problem.valid(scene) & (rows[:, 0] < self.problem.horizon)
        done = self.problem.goal(scene) & valid
        busy = np.ones(len(rows), dtype=bool)
        for i, tactic in enumerate(self.tactics):
            if not tactic.deterministic:
                busy &= decided.busy[:, i]
        nodes = self.tree.add(sources[flight.lanes], rows, touched, decided, ~(busy | done), valid)
        if done.any():
            self.solutions.extend(nodes[done].tolist())
        self.effort.skill_seconds += time.perf_counter() - began
        return nodes, busy & valid & ~done

    def _continue(
        self, sources: np.ndarray, nodes: np.ndarray, goes_on: np.ndarray, skill: np.ndarray
    ) -> None:
        """Busy lanes go on; failed ones are rolled back; those busy for ever are cut off and named."""
        n = len(sources)
        steps = (self.lane_busy_steps[:n] + 1) * goes_on
        if steps.max(initial=0) * self.world.step_seconds > LONGEST_BUSY:
            goes_on &= ~self._cut_off(steps, nodes, skill)
            steps *= goes_on
        if self.rolls_back:
            for lane in ((nodes == NOBODY) & ~self.tree.open[sources]).nonzero()[0]:
                self.effort.rolled_back += self.tree.roll_back(int(sources[lane]))
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
