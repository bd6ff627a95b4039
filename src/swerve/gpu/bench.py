"""How fast a device is, and whether it agrees with the CPU: needs NumPy, JAX and a file of arrays, no more.

    python -m swerve.gpu.bench --arrays arrays.npz --json

A car step is a frame of `Race-v0`: four steps of the physics, the place on the track, the reward, the
observation written to memory, and the steady driver's next action; cars that leave the road start anew.
Times are the best of some calls after one that compiles; nothing is copied to or from the device in a call.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from .agree import BOUNDS, beyond, device_name, differences
from .arrays import CarCase, Cases, LaneCase, RiderCase, load, on_device
from .cars import Cars
from .drivers import begin, drive_steadily
from .fused import drive_fused, fits
from .lanes import Drivers, Lanes, Traffic, flow
from .riders import Riders
from .ways import Rides, ride

T = TypeVar("T")
CALLS = 4


class Sizes(NamedTuple):
    """How many there are, and for how many frames, decisions and steps a call goes on."""

    cars: int
    riders: int
    vehicles: int
    frames: int = 100
    decisions: int = 20
    steps: int = 200


GPU = Sizes(4_194_304, 1_000_000, 1_000_000)
CPU = Sizes(2_000, 2_000, 10_000, 25, 10, 50)  # enough to see that it works


def measure(cases: Cases, sizes: Sizes | None = None, double: bool = True) -> dict[str, Any]:
    """All figures of this device in single precision, and what it differs from the CPU by."""
    platform = jax.devices()[0].platform
    chosen = sizes or (CPU if platform == "cpu" else GPU)
    result: dict[str, Any] = {"device": device_name(), "platform": platform, "jax": jax.__version__}
    result["differences"] = {"float32": differences(cases, "float32")}
    if double:
        with jax.enable_x64():
            result["differences"]["float64"] = differences(cases, "float64")
    result["bounds"] = BOUNDS
    result["agrees"] = not any(beyond(found, kind) for kind, found in result["differences"].items())
    result["cars"] = cars_of(cases.cars, chosen.cars, chosen.frames)
    if result["cars"]["fused"]:
        result["cars by xla alone"] = cars_of(cases.cars, chosen.cars, chosen.frames, fused=False)
    result["riders"] = riders_of(cases.riders, chosen.riders, chosen.decisions)
    result["lanes"] = lanes_of(cases.rings, chosen.vehicles, chosen.steps)
    return result


def cars_of(case: CarCase, count: int, frames: int, fused: bool = True) -> dict[str, Any]:
    """Car steps a second with observations; `fused` in one kernel, where there can be one."""
    fused = fused and fits(count)
    drive = drive_fused if fused else drive_steadily
    roads, starts = on_device(case.roads), on_device(case.starts)
    cars = spread(case.cars, count)
    draw = jnp.arange(count, dtype=jnp.uint32) * jnp.uint32(2654435761)
    first = begin(roads, cars._replace(draw=draw), case.numbers)

    def go(now: tuple[Any, ...]) -> tuple[Any, ...]:
        return drive(roads, starts, *now, frames, case.numbers)

    seconds, last, compiled = timed(go, first)
    steps = count * frames / seconds
    return {
        "count": count,
        "fused": fused,
        "frames": frames,
        "seconds": seconds,
        "steps_per_second": steps,
        "physics_steps_per_second": steps * case.numbers.substeps,
        "reward_per_step": float(jnp.mean(last[2].reward)) / (frames * (CALLS + 1)),
        "ends_per_car": float(jnp.mean(last[2].ends.astype(jnp.float32))),
        "compile_seconds": compiled,
    }


def riders_of(case: RiderCase, count: int, ticks: int) -> dict[str, Any]:
    """Decisions a second, and how many times faster than real time."""
    map_, ways = on_device(case.map), on_device(case.ways)
    row = rows(len(case.way), count)
    zero = jnp.zeros(count)
    riders = Riders(*(column[row] for column in on_device(case.riders)))
    first = Rides(riders, jnp.asarray(case.way)[row], zero, zero > 0, jnp.copy(riders.yaw))
    seconds, last, compiled = timed(lambda now: ride(map_, ways, now, ticks), first)
    return {
        "count": count,
        "decisions": ticks,
        "seconds": seconds,
        "decisions_per_second": count * ticks / seconds,
        "realtime_factor": 0.1 * ticks / seconds,
        "fell": int(jnp.sum(last.riders.fell)),
        "lost": int(jnp.sum(last.lost)),
        "compile_seconds": compiled,
    }


def lanes_of(case: LaneCase, count: int, steps: int) -> dict[str, Any]:
    """Updates a second and how many times faster than real time, on rings of which each is as in the case."""
    lanes, each = case.traffic.speed.shape
    row = np.arange(max(1, count // each)) % lanes
    roads = on_device(Lanes(*(column[row] for column in case.lanes)))
    drivers = on_device(Drivers(*(column[row] for column in case.drivers)))
    first = on_device(Traffic(*(column[row] for column in case.traffic)))
    cars = len(row) * each
    seconds, last, compiled = timed(lambda now: flow(roads, drivers, now, steps, 0.1, case.rules), first)
    return {
        "count": cars,
        "steps": steps,
        "seconds": seconds,
        "updates_per_second": cars * steps / seconds,
        "realtime_factor": 0.1 * steps / seconds,
        "mean_speed": float(jnp.mean(last.speed)),
        "compile_seconds": compiled,
    }


def timed(go: Callable[[T], T], first: T) -> tuple[float, T, float]:
    """The shortest call [s], what came of all, and what compiling took [s]."""
    begun = time.perf_counter()
    now = jax.block_until_ready(go(first))
    compiled, best = time.perf_counter() - begun, np.inf
    for _ in range(CALLS):
        begun = time.perf_counter()
        now = jax.block_until_ready(go(now))
        best = min(best, time.perf_counter() - begun)
    return float(best), now, compiled


def spread(cars: Cars, count: int) -> Cars:
    """`count` cars at the places of a few, in no order."""
    row = rows(len(cars.x), count)
    return Cars(*(column[row] for column in on_device(cars)))


def rows(few: int, count: int) -> jax.Array:
    """(count,) each one of the few, scattered."""
    return (jnp.arange(count, dtype=jnp.uint32) * jnp.uint32(2654435761) >> 8) % jnp.uint32(few)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m swerve.gpu.bench", description=__doc__)
    parser.add_argument("--arrays", required=True, help="what python -m swerve.gpu.cases wrote")
    parser.add_argument("--json", action="store_true", help="one JSON object and nothing else")
    for name in Sizes._fields:
        parser.add_argument(f"--{name}", type=int, help="how many")
    given = parser.parse_args()
    base = CPU if jax.devices()[0].platform == "cpu" else GPU
    asked = {name: getattr(given, name) for name in Sizes._fields if getattr(given, name) is not None}
    result = measure(load(given.arrays), base._replace(**asked))
    print(json.dumps(result) if given.json else json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
