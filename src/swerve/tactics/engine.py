"""The engine as a black box: many branches at once from state rows and forces to state rows and collisions.

A branch is a state row (`bodies.World`). Stepping copies rows into the engine, applies the forces for one
planning step of several substeps, and gives the new rows and the collision list back. The same rows and
forces give the same bits, whatever the order, the number of branches or the number of threads.
"""

from __future__ import annotations

import time

import numpy as np
from mujoco.batch import Batch

from swerve.core.errors import require

from .after import After
from .bodies import World


class Engine:
    """Steps up to `lanes` branches of a world at once.

    >>> from swerve.tactics.domains import load_domain
    >>> problem = load_domain("navigation")
    >>> engine = Engine(problem.world, lanes=2)
    >>> rows, touched = engine.step(np.tile(problem.start, (2, 1)), np.zeros((2, problem.world.model.nv)))
    >>> rows.shape == (2, problem.world.width), float(rows[0, 0]) == problem.world.step_seconds
    (True, True)
    """

    def __init__(self, world: World, lanes: int = 1, threads: int = 1):
        self.world, self.lanes, self.threads = world, lanes, threads
        self.after = After(world)
        self.bare: dict[int, _Bare] = {}  # by the number of branches
        self.seconds = 0.0  # spent stepping, of the processor's time where one thread does it
        self.clock = time.thread_time if threads == 1 else time.perf_counter

    def init(self) -> np.ndarray:
        """The state row of the world at rest, as its MJCF describes it."""
        return self.world.initial.copy()

    def step(self, rows: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One planning step of every branch.

        `rows` (b, width), `forces` (b, nv) generalised, b at most `lanes`. Returns the new rows (b, width)
        and the collision list as (b, watched pairs) booleans: who touched at any substep.
        """
        began = self.clock()
        n = len(rows)
        bare = self.bare.get(n) or self._bare(n)
        bare.rows[:] = rows
        bare.forces[:] = forces
        touched = np.zeros((n, len(self.world.watch)), dtype=bool)
        for _ in range(self.world.substeps):
            bare.batch.step()
            self.after.apply(bare.sensors, bare.rows, bare.forces, touched)
        result = bare.rows.copy()
        self.seconds += self.clock() - began
        return result, touched

    def _bare(self, n: int) -> _Bare:
        require(n <= self.lanes, "engine, branches", n, f"must be at most {self.lanes}")
        self.bare[n] = _Bare(self.world, n, self.threads)
        return self.bare[n]


class _Bare:
    """MuJoCo's own simulations of n branches, and views of what goes in and comes out."""

    def __init__(self, world: World, n: int, threads: int):
        self.batch = Batch(world.model, n, threads)
        self.rows = self.batch.state[:, : world.width]
        self.forces = self.batch.bind("qfrc_applied")
        self.sensors = self.batch.bind("sensordata")
