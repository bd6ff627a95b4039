"""A town in two districts against the same town in one, frames of both in turns, the same bytes at the end.

On a machine with two idle cores `speedup` is what the clock on the wall says. Where others work, too, look at
`speedup_by_cpu`: CPU time of a frame in one district by that of the busier of two and of whoever runs them,
which is what the wall would say if nobody else were there and messages took no time.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from swerve.core.errors import SwerveError, require

VEHICLES, SIRENS = 20_000, 50
WARM, TURNS, FRAMES = 20, 8, 10


def run(vehicles: int = VEHICLES, seed: int = 1) -> dict[str, Any]:
    """Figures for so many vehicles on a grid in which they flow."""
    from swerve.city import Simulation, SimulationOptions, grid, suitable_grid
    from swerve.city.districts import Districts, digest

    require(100 <= vehicles <= 200_000, "--vehicles", vehicles, "must be between 100 and 200,000")
    side = suitable_grid(vehicles)
    town, plain = grid(side, side), SimulationOptions(referee=False)
    towns = [
        Simulation(town, vehicles, 0, min(SIRENS, vehicles // 20), seed, options=plain) for _ in range(2)
    ]
    wall, path = np.zeros((2, TURNS)), np.zeros((2, TURNS))
    with Districts(towns[0], 1) as one, Districts(towns[1], 2) as two:
        for some in (one, two):
            for _ in range(WARM):
                some.step()
        for turn in range(TURNS):
            for k, some in enumerate((one, two)):
                began, spent, steps = time.perf_counter(), time.process_time(), len(some.busiest_seconds)
                for _ in range(FRAMES):
                    some.step()
                wall[k, turn] = time.perf_counter() - began
                path[k, turn] = time.process_time() - spent + sum(some.busiest_seconds[steps:])
        one.gather()
        two.gather()
    if digest(towns[0]) != digest(towns[1]):
        raise SwerveError("two districts do not end where one does")
    wall_ms, path_ms = (1e3 * np.median(some, axis=1) / FRAMES for some in (wall, path))
    return {
        "vehicles": vehicles,
        "frame_ms_of_one": wall_ms[0],
        "frame_ms_of_two": wall_ms[1],
        "speedup": float(np.median(wall[0] / wall[1])),
        "cpu_ms_of_one": path_ms[0],
        "cpu_ms_of_two": path_ms[1],
        "speedup_by_cpu": float(np.median(path[0] / path[1])),
        "border_exchanges_per_frame": two.exchanged / two.frames,
        "digest": digest(towns[0]),
    }
