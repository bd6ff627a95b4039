"""A search that lives: grow it for a while, ask for the best, go on, move its root, stop it, save it.

>>> from swerve.tactics import Search, load_domain
>>> search = Search(load_domain("minigolf"), "bgt", seed=1)
>>> few = search.grow(iterations=100).effort.iterations
>>> search.grow(iterations=20_000).plan().solved
True
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from math import ceil
from pathlib import Path
from typing import Any, Self

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.interrupts import deferring_interrupts

from . import saved
from .gains import ENOUGH, Gains
from .grow import Growth
from .plan import SolveOptions, TacticsPlan, choose, result
from .pools import NOBODY
from .problem import Problem
from .scene import checked_rows
from .tree import Tree
from .verify import Verifier, planar_of


class Search(Growth):
    """The tree of a problem, between calls.

    `options` say how to search; their limits are for `solve`, not for this. Everything can be asked at any
    time between two calls of `grow`, and `interrupt` also during one, from another thread.
    """

    def __init__(
        self,
        problem: Problem,
        planner: str | None = None,
        options: SolveOptions = SolveOptions(),
        *,
        seed: int = 0,
        threads: int = 1,
    ):
        require(threads >= 1, "threads", threads, "must be at least 1")
        self.planner = planner or problem.planner
        self.options = options
        self.anytime = problem.anytime if options.anytime is None else options.anytime
        if options.measure == "curvature" and not problem.ego:
            why = f"{problem.name} has no one body whose way could be measured"
            raise BadInput("measure", options.measure, why)
        if self.anytime and problem.evaluate is None:
            raise BadInput("anytime", None, f"{problem.name} has no evaluation to improve")
        super().__init__(
            problem,
            problem.tactics_for(options.tactic, self.planner),
            choose(problem, self.planner, options.mu, options.hybrid_p),
            seed,
            options.lanes or problem.lanes,
            threads,
            options.roll_back,
            planar_of(problem, options.t_lod) if options.fidelity != "full" else None,
            options.t_lod,
        )
        self.verifier = Verifier(problem, self.decider, options.t_lod) if options.fidelity == "both" else None
        self.gains = None if problem.lack is None else Gains(problem, self.decider)
        self.seconds = 0.0  # spent growing
        self.verified = 0  # solutions that the engine confirmed
        self._stop = threading.Event()
        self._whole = True  # no round was left while it changed the tree

    def grow(
        self,
        *,
        nodes: int | None = None,
        iterations: int | None = None,
        seconds: float | None = None,
        solutions: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Self:
        """Grow on, until the tree has so many more `nodes`, so many more `iterations` or `seconds` are
        spent, so many `solutions` are known in all, nothing is left to grow, or somebody calls
        `interrupt`. A limit of zero or less is spent already. Ctrl-C comes between two rounds, and the
        search can go on after it."""
        given = (nodes, iterations, seconds, solutions)
        require(any(g is not None for g in given), "grow", None, "needs a limit")
        self._check_whole()
        if any(limit is not None and not limit > 0 for limit in given[:3]):
            self._stop.clear()
            return self
        with deferring_interrupts() as come:
            self._grow(nodes, iterations, seconds, solutions, progress, come)
        return self

    def _grow(
        self,
        nodes: int | None,
        iterations: int | None,
        seconds: float | None,
        solutions: int | None,
        progress: Callable[[float], None] | None,
        come: Callable[[], None],
    ) -> None:
        """Round by round; interrupts `come` between two rounds, when the tree is whole."""
        began, first, size = time.perf_counter(), self.effort.iterations, self.tree.alive_nodes
        try:
            while not self.exhausted and not self._stop.is_set():
                used = 0.0  # share of the limit that is nearest
                if nodes is not None:
                    used = (self.tree.alive_nodes - size) / nodes
                if iterations is not None:
                    used = max(used, (self.effort.iterations - first) / iterations)
                if seconds is not None:
                    used = max(used, (time.perf_counter() - began) / seconds)
                if used >= 1 or (solutions is not None and len(self.solutions) >= solutions):
                    break
                left = 1 << 30 if iterations is None else ceil(iterations) - self.effort.iterations + first
                if nodes is not None:
                    left = min(left, ceil(nodes) - self.tree.alive_nodes + size)
                self.round(left)
                if self.verifier is not None:
                    self._verify(self.verifier)
                if progress is not None:
                    progress(used)
                come()
        finally:
            self._stop.clear()
            self.seconds += time.perf_counter() - began

    def _join(self, *branches: Any) -> None:
        """As it is told, and noted if something comes in between."""
        self._whole = False
        super()._join(*branches)
        self._whole = True

    def _check_whole(self) -> None:
        require(self._whole, "search", None, "was left in the middle of a round: restart it or load one")

    def _note(self, nodes: np.ndarray, expansions: np.ndarray) -> None:
        """Learn of new nodes, where the problem tells how far they are from the goal."""
        if self.gains is None or self.decider.noted is not self.gains.noted:
            super()._note(nodes, expansions)
        if self.gains is not None:
            self.gains.note(self.tree, nodes, expansions, ENOUGH * self.guide.height)

    def _verify(self, verifier: Verifier) -> None:
        """Of the solutions found on the planar model keep those that the engine confirms, as it moves."""
        before = verifier.seconds
        while len(self.solutions) > self.verified:
            planned = self.solutions.pop(self.verified)
            confirmed = verifier.retrace(self.tree, planned, self.problem.horizon)
            if confirmed != NOBODY:
                self.solutions.insert(self.verified, confirmed)
                self.verified += 1
        self.engine.seconds += verifier.seconds - before

    def interrupt(self) -> None:
        """End `grow` after the round under way, or the next `grow` at once."""
        self._stop.set()

    def plan(self, measure: str | None = None) -> TacticsPlan:
        """The best motion known so far, by a `measure` of `SolveOptions` or another."""
        asked = self.options if measure is None else replace(self.options, measure=measure)
        return result(self, self.seconds, asked.measure, self.anytime)

    def restart(self, start: np.ndarray) -> None:
        """Forget the tree and begin another from a state. Randomness goes on."""
        (start,) = checked_rows("restart, start", self.world, np.asarray(start)[None], 1)
        old, self._whole = self.tree, True
        self.tree = Tree(start, old.forces.shape[1], old.touched.shape[1], *old.widths)
        self.begin_at_root()
        self.solutions, self.verified = [], 0
        self.open_lanes, self.deepest, self.root_tried = 1, 0, False
        self.begun = self.effort.iterations
        if self.gains is not None:
            self.gains.drawn.clear()
        self.forget_lanes()
        self.selection.forget()

    def reroot(self, node: int, nodes: np.ndarray | None = None) -> np.ndarray:
        """Make a living node the root: what lies below it stays, with its solutions; the rest is forgotten.

        Nodes get other numbers; those of `nodes` are given back, -1 where they are gone. Times stay as they
        are; the horizon counts from the new root.
        """
        self._check_whole()
        known = isinstance(node, int | np.integer) and 0 <= node < self.tree.count
        known = known and bool(self.tree.alive[node])
        require(known, "node", node, "must be a living node of the tree")
        kept = self.tree.below(node)
        number = np.full(self.tree.count + 1, -1)
        number[kept] = np.arange(len(kept))
        self.tree.keep(kept, number)
        if self.gains is not None:
            self.gains.renumber(number)
        self.guide.measure(self.tree, np.zeros(1, dtype=int), self.tree.rows[:1], self.tree.touched[:1])
        self.solutions = [int(n) for n in number[self.solutions] if n >= 0]
        lanes = number[self.lane_nodes]
        self.lane_steps[lanes < 0] = 0
        self.lane_nodes, self.lane_sources = lanes, np.maximum(number[self.lane_sources], 0)
        self.idle = int((lanes[: self.open_lanes] < 0).sum())
        self.deepest = max(int(self.tree.depth[: self.tree.count].max()), 1)
        self.root_tried = bool(self.tree.children[0])
        self.verified = len(self.solutions) if self.verifier is not None else 0
        self.selection.forget()
        return number[nodes] if nodes is not None else number[[node]]

    def save(self, path: str | Path) -> Path:
        """Write the tree, its solutions and all that is needed to go on, as NPZ."""
        self._check_whole()
        more: dict[str, Any] = {"planner": self.planner, "options": asdict(self.options)}
        more |= {"seconds": self.seconds, "verified": self.verified}
        return saved.write(self, path, more, None if self.gains is None else self.gains.notes())

    @classmethod
    def load(cls, path: str | Path, problem: Problem, threads: int = 1) -> Search:
        """The search that was saved, on the problem it was made for; it goes on as if nothing had happened.

        Refused where the problem's name, world, start, skills or their constants are others, or its goal is
        not where the solutions end.
        """
        with saved.reading(path) as (held, about):
            saved.check(path, held, about, problem)
            options = SolveOptions(**about["options"])
            search = cls(problem, about["planner"], options, seed=about["seed"], threads=threads)
            saved.restore(search, held, about)
            if search.gains is not None:
                search.gains.recall(saved.noted(held, saved.GAIN))
            search.seconds, search.verified = about["seconds"], about["verified"]
        return search


def solve(
    problem: Problem,
    planner: str | None = None,
    options: SolveOptions = SolveOptions(),
    *,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
) -> TacticsPlan:
    """Plan until a limit of `options` is reached and give the best motion found.

    The result depends on the seed and the options, not on `threads` (unless a `budget` ends it). `progress`
    is told, round by round, what share of the limit that is nearest has been used.

    >>> from swerve.tactics import SolveOptions, load_domain, solve
    >>> plan = solve(load_domain("pool"), "bgt", SolveOptions(nodes=20_000), seed=1)
    >>> plan.solved
    True
    """
    search = Search(problem, planner, options, seed=seed, threads=threads)
    search.grow(
        nodes=max((options.nodes or problem.nodes) - 1, 1),
        iterations=options.iterations or problem.iterations,
        seconds=options.budget,
        solutions=None if search.anytime else options.solutions,
        progress=progress,
    )
    if not search.anytime and len(search.solutions) >= options.solutions:
        search.settle()
    return search.plan()
