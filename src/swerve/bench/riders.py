"""How fast riders decide and move: on maps, in full physics, and beside ORCA, all in one run.

ORCA (pyrvo) steers discs that can change their velocity at once: it knows no bodies and is here as a measure
of speed, not of skill. Its agents have as many neighbours as our riders mind. Times are the best of a few.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from swerve.core.motion import Motion
from swerve.core.seeding import generator
from swerve.riders import load_rider
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map, prediction_errors, unseen
from swerve.riders.steering.curves import curve
from swerve.riders.steering.herd import HerdOptions, herd, scatter
from swerve.riders.steering.neighbours import NEIGHBOURS
from swerve.riders.steering.tune import load_tuned
from swerve.riders.steering.ways import Ways

RIDERS = 10_000
HERD_SECONDS = 2.0
UNSEEN = 200


def run() -> dict[str, Any]:
    """One run of all; a peer that is not installed is reported as such."""
    body, map_ = load_rider("human"), load_map("human")
    tuned = load_tuned("human")
    cores = os.cpu_count() or 1
    result: dict[str, Any] = {"riders": RIDERS, "cores": cores}

    navigator = tuned.navigator(map_, "path")
    motion, ways = _riders_on_ways(map_.speed)
    seconds = best_of(lambda: navigator.turns(motion, ways.ahead(map_.speed, navigator.ticks)), 5)
    result["decisions_per_second"] = RIDERS / seconds

    ride = body.start(1)
    seconds = best_of(lambda: ride.advance(np.zeros(1), np.full(1, body.speed), 2.0), 3)
    result["full_rider_realtime_factor"] = 2.0 / seconds

    both = tuned.navigator(map_, "herd", threads=cores)
    light = Glide(map_, RIDERS, threads=cores)
    starts = scatter(RIDERS, 0)
    options = HerdOptions(threads=cores, frame=1.0)
    done = [herd(light, map_.speed, both, starts, HERD_SECONDS, options) for _ in range(3)]
    factor = max(one.realtime_factor for one in done)
    result[f"realtime_factor_{RIDERS}"] = factor
    result["riders_realtime_on_maps"] = int(RIDERS * factor)

    states, turns, tracks = unseen(body, map_, UNSEEN, generator(0, "bench"))
    errors = prediction_errors(map_, states, turns, tracks)
    result["map_error_2s_median"] = float(np.median(errors))
    nearest = prediction_errors(map_, states, turns, tracks, corrected=False)
    result["map_error_2s_median_nearest_only"] = float(np.median(nearest))
    result["unseen_states"] = len(errors)

    try:
        result["orca_steps_per_second"] = _orca()
        result["decisions_to_orca_steps"] = result["decisions_per_second"] / result["orca_steps_per_second"]
    except ImportError:
        result["orca_steps_per_second"] = None
        result["not_measured"] = "ORCA: pyrvo is not installed; pip install 'swerve[bench]'"
    return result


def best_of(action: Callable[[], Any], times: int) -> float:
    """Shortest of several runs after one that compiles [s]."""
    action()
    best = np.inf
    for _ in range(times):
        started = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - started)
    return float(best)


def _riders_on_ways(speed: float) -> tuple[Motion, Ways]:
    """Riders all over the seven curves, in states as they occur there."""
    rng = generator(0, "riders on ways")
    seven = [curve(k, speed) for k in range(1, 8)]
    ways = Ways([seven[k] for k in rng.integers(7, size=RIDERS)])
    ways.at[:] = ways.first + rng.uniform(0, 1, RIDERS) * (ways.last - ways.first)
    at = ways.points[ways.at.astype(int)] + rng.normal(0, (0.5, 0.5, 0.1), (RIDERS, 3))
    lean = rng.normal(0, (0.15, 0.15, 0.2), (RIDERS, 3))
    zero = np.zeros(RIDERS)
    vx, vy = speed * np.cos(at[:, 2]), speed * np.sin(at[:, 2])
    roll, yaw_rate, roll_rate = lean.T
    motion = Motion.planar(
        at[:, 0], at[:, 1], at[:, 2], vx, vy, yaw_rate, roll=roll, roll_rate=roll_rate, fell=zero > 1
    )
    return motion, ways


def _orca() -> float:
    """Steps of one agent a second, on one thread, for as many agents as riders."""
    import pyrvo

    agents = RIDERS
    simulator = pyrvo.RVOSimulator(0.1, 10.0, NEIGHBOURS, 2.0, 2.0, 0.9, 14.0)
    for x, y, _ in scatter(agents, 0):
        one = simulator.add_agent((float(x), float(y)))
        simulator.set_agent_pref_velocity(one, (12.0, 0.0))
    return agents / best_of(simulator.do_step, 5)
