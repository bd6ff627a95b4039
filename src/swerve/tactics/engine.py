"""The engine as a black box: many branches at once from state rows and forces to state rows and collisions.

A branch is a state row (`bodies.World`). Stepping copies rows into the engine, applies the forces for one
planning step of several substeps, and gives the new rows and the collision list back. The same rows and
forces give the same bits, whatever the order, the number of branches or the number of threads.
"""

from __future__ import annotations

import time

import numpy as np
from mujoco.batch import Batch

from .bodies import World
from .friction import Rubbing
from .impacts import Impacts


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
        self.world, self.lanes = world, lanes
        self.batch = Batch(world.model, lanes, threads)
        self.rows = self.batch.state[:, : world.width]
        self.forces = self.batch.bind("qfrc_applied")
        self.sensors = self.batch.bind("sensordata")
        self.ids = np.arange(lanes, dtype=np.int32)
        self.rubbing, self.impacts = Rubbing(world), Impacts(world)
        slots = [world.slots[name] for name in world.balls]
        self.ball_places = np.array([s.qpos + k for s in slots for k in range(2)], dtype=np.int64)
        self.ball_dofs = np.array([s.dof + k for s in slots for k in range(2)], dtype=np.int64)
        self.half_moves = np.array([0.5 * world.timestep**2 / s.mass for s in slots for _ in range(2)])
        self.seconds = 0.0  # spent stepping

    def init(self) -> np.ndarray:
        """The state row of the world at rest, as its MJCF describes it."""
        return self.world.initial.copy()

    def step(self, rows: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One planning step of every branch.

        `rows` (b, width), `forces` (b, nv) generalised, b at most `lanes`. Returns the new rows (b, width)
        and the collision list as (b, watched pairs) booleans: who touched at any substep.
        """
        began = time.perf_counter()
        n = len(rows)
        ids = None if n == self.lanes else self.ids[:n]
        self.rows[:n] = rows
        self.forces[:n] = forces
        touched = np.zeros((n, len(self.world.watch)), dtype=bool)
        after = self.rows[:n]
        excess = forces[:, self.ball_dofs] * self.half_moves  # MuJoCo moves by the speed at a substep's end
        pushed = bool(excess.any())
        for _ in range(self.world.substeps):
            self.batch.step(ids)
            if pushed:
                after[:, self.ball_places] -= excess
            self.rubbing.apply(self.sensors, after, touched)
            self.impacts.apply(after, touched)
        result = after.copy()
        self.seconds += time.perf_counter() - began
        return result, touched
