"""One simulation of MuJoCo's, stepped from kernels: its functions are called by their addresses."""

from __future__ import annotations

import ctypes
import time
from functools import cache
from pathlib import Path

import mujoco
import numpy as np

from swerve.core.kernels import kernel
from swerve.core.native import address_of, call

from .after import After, after_substep
from .bodies import World

STATE = int(
    mujoco.mjtState.mjSTATE_TIME
    | mujoco.mjtState.mjSTATE_QPOS
    | mujoco.mjtState.mjSTATE_QVEL
    | mujoco.mjtState.mjSTATE_WARMSTART
)  # in the order of a state row


class Machine:
    """A simulation, where it lies, and views of what goes in and comes out."""

    def __init__(self, model: mujoco.MjModel):
        self.data, self.model = mujoco.MjData(model), model
        self.forces, self.sensors = self.data.qfrc_applied[None], self.data.sensordata[None]
        functions = functions_of_mujoco()
        assert functions is not None
        self.addresses = np.array([*functions, self.model._address, self.data._address], dtype=np.int64)
        self.seconds = 0.0


class OneEngine:
    """`engine.Engine` for a single branch, several times as fast; bit for bit the same."""

    def __init__(self, world: World):
        self.world, self.machine, self.after, self.seconds = world, Machine(world.model), After(world), 0.0

    def step(self, rows: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One planning step: rows (1, width) and forces (1, nv) to new rows and collisions (1, pairs)."""
        began = time.thread_time()
        machine, after = self.machine, self.after
        rubbing, impacts = after.rubbing, after.impacts
        new, touched = np.array(rows, dtype=float), np.zeros((1, len(self.world.watch)), dtype=bool)
        machine.forces[:] = forces
        step_row(
            new, touched, machine.addresses, machine.forces, machine.sensors, self.world.substeps,
            after.places, after.excess, rubbing.columns, rubbing.numbers,
            impacts.columns, impacts.numbers, impacts.pairs, impacts.values, after.timestep,
        )  # fmt: skip
        self.seconds += time.thread_time() - began
        return new, touched


@cache
def functions_of_mujoco() -> tuple[int, int, int] | None:
    """Addresses of mj_setState, mj_step and mj_getState; none where MuJoCo's library is not found."""
    for path in sorted(Path(mujoco.__file__).parent.glob("libmujoco*")):
        try:
            library = ctypes.CDLL(str(path))
            names = ("mj_setState", "mj_step", "mj_getState")
            found = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in names]
        except (OSError, AttributeError):
            continue
        return (found[0] or 0, found[1] or 0, found[2] or 0)
    return None


@kernel
def step_row(
    rows: np.ndarray,
    touched: np.ndarray,
    machine: np.ndarray,
    applied: np.ndarray,
    sensors: np.ndarray,
    substeps: int,
    ball_places: np.ndarray,
    excess: np.ndarray,
    rub_columns: np.ndarray,
    rub_numbers: np.ndarray,
    ball_columns: np.ndarray,
    ball_numbers: np.ndarray,
    pairs: np.ndarray,
    values: np.ndarray,
    timestep: float,
) -> None:
    """Substeps of the state in `rows` (1, width) under the forces `applied` (1, nv)."""
    set_state, step, get_state, model, data = machine
    row = address_of(rows)
    if len(ball_places) == 0:  # nothing is to be put right between substeps
        call(set_state, (model, data, row, STATE))
        for _ in range(substeps):
            call(step, (model, data))
            for pair in range(touched.shape[1]):
                touched[0, pair] |= sensors[0, pair] > 0.0
        call(get_state, (model, data, row, STATE))
        return
    for _ in range(substeps):
        call(set_state, (model, data, row, STATE))
        call(step, (model, data))
        call(get_state, (model, data, row, STATE))
        after_substep(
            sensors, rows, applied, touched, ball_places, excess, rub_columns, rub_numbers, ball_columns,
            ball_numbers, pairs, values, timestep,
        )  # fmt: skip
