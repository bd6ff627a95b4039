"""What is put right after each of the engine's substeps: friction and restitution of balls on other things
(`friction`), impacts between balls (`impacts`), and how far forces moved a ball. One kernel does all of it.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .bodies import World
from .friction import Rubbing, rub
from .impacts import Impacts, settle


class After:
    """The balls of a world, and all that they may touch."""

    def __init__(self, world: World):
        self.rubbing, self.impacts, self.timestep = Rubbing(world), Impacts(world), world.timestep
        slots = [world.slots[name] for name in world.balls]
        self.places = np.array([(s.qpos, s.dof) for s in slots], dtype=np.int64).reshape(-1, 2)
        # MuJoCo moves by the speed at a substep's end, where half the force's change is due
        self.excess = np.array([0.5 * world.timestep**2 / s.mass for s in slots])

    def apply(self, sensors: np.ndarray, rows: np.ndarray, forces: np.ndarray, touched: np.ndarray) -> None:
        """Put `rows` (b, width) right, after a substep under `forces` (b, nv), and note who `touched`
        (b, watched)."""
        rubbing, impacts = self.rubbing, self.impacts
        after_substep(
            sensors, rows, forces, touched, self.places, self.excess, rubbing.columns, rubbing.numbers,
            impacts.columns, impacts.numbers, impacts.pairs, impacts.values, self.timestep,
        )  # fmt: skip


@kernel
def after_substep(
    sensors: np.ndarray,
    rows: np.ndarray,
    forces: np.ndarray,
    touched: np.ndarray,
    places: np.ndarray,
    excess: np.ndarray,
    rub_columns: np.ndarray,
    rub_numbers: np.ndarray,
    ball_columns: np.ndarray,
    ball_numbers: np.ndarray,
    pairs: np.ndarray,
    values: np.ndarray,
    timestep: float,
) -> None:
    for k in range(len(places)):
        q, dof = places[k]
        for lane in range(len(rows)):
            rows[lane, q] -= excess[k] * forces[lane, dof]
            rows[lane, q + 1] -= excess[k] * forces[lane, dof + 1]
    rub(sensors, rows, touched, rub_columns, rub_numbers, timestep)
    if len(pairs):
        settle(rows, touched, ball_columns, ball_numbers, pairs, values, timestep)
