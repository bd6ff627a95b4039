"""Tactics outside a search: they look at states, as they come, and say what to do.

>>> from swerve.tactics import Runner, load_domain
>>> problem = load_domain("soccer")
>>> runner = Runner(problem.world, problem.tactics["deterministic"], seed=1)
>>> rows, touched = runner.run(problem.start, seconds=0.5)
>>> runner.skills()[0]
('get ball', 'act', 'act', 'act')
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import require
from swerve.core.view import View

from .bodies import World
from .decide import Decider
from .engine import Engine
from .scene import Scene, checked_rows
from .tactic import Tactic
from .tree import NOBODY, Minds
from .troupe import Troupe


class Runner:
    """The tactics of some bodies in `branches` worlds side by side, most often one.

    `act` is called once a planning step, with states that may come from anywhere: an engine, another
    simulator, a tracker. What the tactics sample depends on the seed and on how many steps came before.
    """

    def __init__(self, world: World, tactics: tuple[Tactic, ...], seed: int = 0, branches: int = 1):
        require(branches >= 1, "branches", branches, "must be at least 1")
        self.world, self.tactics, self.branches = world, tactics, branches
        self.decider = Decider(world, tactics, seed)
        self.minds = self.decider.fresh(branches)
        self.steps = 0

    def act(
        self, rows: np.ndarray, touched: np.ndarray | None = None, sample: np.ndarray | None = None
    ) -> np.ndarray:
        """Forces (b, nv) for the next planning step, from states (b, width) and what collided before them."""
        n, pairs = self.branches, len(self.world.watch)
        rows = checked_rows("states", self.world, rows, n)
        touched = np.zeros((n, pairs), dtype=bool) if touched is None else np.ascontiguousarray(touched, bool)
        require(touched.shape == (n, pairs), "touched, shape", touched.shape, f"must be {(n, pairs)};")
        sample = np.full((n, 2), np.nan) if sample is None else np.ascontiguousarray(sample, float)
        require(sample.shape == (n, 2), "sample, shape", sample.shape, f"must be {(n, 2)};")
        scene = Scene(self.world, rows, touched, sample)
        expansions = self.steps * n + np.arange(n)
        self.steps += 1
        skill = self.decider.choose(scene, self.minds, expansions)
        order = self.decider.order(skill)
        if order is None:
            decided = self.decider.decide(scene, self.minds, skill, expansions)
            self.minds = Minds(decided.skill, decided.busy, decided.memory)
            return decided.forces
        minds = Minds(*(part[order] for part in self.minds))
        decided = self.decider.decide(scene.take(order), minds, skill[order], expansions[order])
        back = np.argsort(order)
        self.minds = Minds(decided.skill[back], decided.busy[back], decided.memory[back])
        return decided.forces[back]

    def skills(self) -> list[tuple[str, ...]]:
        """Names of the skills that acted last, of each branch and tactic."""
        return [
            tuple(t.order[k] if k != NOBODY else "" for t, k in zip(self.tactics, row, strict=True))
            for row in self.minds.skill
        ]

    @property
    def busy(self) -> np.ndarray:
        """(b, tactics) whose skills are not done yet."""
        return self.minds.busy

    def run(self, row: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """Step one world of the engine from a state: rows (n, width) and collisions (n, pairs)."""
        require(0 <= seconds < np.inf, "seconds", seconds, "must be zero or more")
        engine = Engine(self.world, lanes=1)
        rows, touched = [np.asarray(row)], [np.zeros(len(self.world.watch), dtype=bool)]
        for _ in range(round(seconds / self.world.step_seconds)):
            forces = self.act(rows[-1][None], touched[-1][None])
            after, touch = engine.step(rows[-1][None], forces)
            rows.append(after[0])
            touched.append(touch[0])
        return np.array(rows), np.array(touched)


class TacticForces:
    """A `Chooser` that moves a troupe by tactics. Within a frame it foresees the troupe by its own engine."""

    def __init__(self, troupe: Troupe, tactics: tuple[Tactic, ...], seed: int = 0):
        self.troupe, self.runner = troupe, Runner(troupe.world, tactics, seed)
        self.engine = Engine(troupe.world, lanes=1)
        self.touched = np.zeros((1, len(troupe.world.watch)), dtype=bool)

    def choose(self, view: View, dt: float) -> np.ndarray:
        row, forces = self.troupe.row[None], []
        for _ in range(max(1, round(dt / self.troupe.world.step_seconds))):
            forces.append(self.runner.act(row, self.touched)[0])
            row, self.touched = self.engine.step(row, forces[-1][None])
        return np.array(forces)
