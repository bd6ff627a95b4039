"""Our traffic on the same grid as SUMO's, for `swerve bench city`: run as a process of its own, prints
JSON.

python -m swerve.bench.plain_city VEHICLES SIDE WARM STEPS SEED
"""

from __future__ import annotations

import json
import resource
import sys
from typing import Any


def measure(vehicles: int, side: int, warm: int, steps: int, seed: int) -> dict[str, Any]:
    """Vehicle updates per CPU-second of `steps` steps after `warm` steps, and the peak of memory [MB]."""
    from swerve.city import Simulation, SimulationOptions, grid

    simulation = Simulation(
        grid(side, side, pavements=False), vehicles, seed=seed, options=SimulationOptions(referee=False)
    )
    simulation.warm_up()
    for _ in range(warm):
        simulation.step()
    simulation.step_seconds.clear()
    for _ in range(steps):
        simulation.step()
    figures = simulation.figures()
    return {
        "updates_per_cpu_second": figures["updates_per_cpu_second"],
        "vehicles": vehicles,
        "cpu_seconds": sum(simulation.step_seconds),
        "step_ms_p99": figures["step_ms_p99"],
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(measure(*(int(word) for word in sys.argv[1:6]))))
