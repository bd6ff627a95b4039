"""Environments for learning: steps a CPU-second with observations, one body alone and many in a batch; and
HighwayEnv beside them where it is installed.

A step is one agent in one step of its environment. Of traffic, an update is one vehicle in one step of the
simulation: HighwayEnv makes several of those in a step of the environment, and all of them count. The best of
`TURNS` counts: on a shared machine the same work takes up to twice as long from one minute to the next.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

CARS, FRAMES, ALONE = 4096, 200, 2000
RIDERS, DRIVERS, TICKS = 1024, 2000, 50
BALLS, CHASERS = 1024, 16
TURNS = 3
INSTALL = "pip install 'swerve[envs,bench]'"


def run() -> dict[str, Any]:
    """CPU time of `step` alone; actions are made beforehand."""
    if importlib.util.find_spec("gymnasium") is None:
        raise BadInput("bench envs", None, f"gymnasium is not installed; {INSTALL}")
    from swerve.city import grid, suitable_grid
    from swerve.envs import (
        ChaseBatch,
        CityBatch,
        HerdBatch,
        MinigolfEnv,
        MinigolfVectorEnv,
        RaceEnv,
        RaceVectorEnv,
        RideEnv,
        RideVectorEnv,
        SoccerEnv,
        SoccerVectorEnv,
        own_way,
        steady,
    )

    side = suitable_grid(DRIVERS)
    town = CityBatch(grid(side, side, pavements=False), DRIVERS, seconds=3600.0)
    herd, riders = HerdBatch(RIDERS, seconds=3600.0), RideVectorEnv(RIDERS)

    def idle(seen: np.ndarray) -> np.ndarray:
        return np.zeros((*seen.shape[:-1], 2))

    def watching(seen: np.ndarray) -> np.ndarray:
        return np.zeros((*seen.shape[:-1], 5))

    steps = {
        "race": {
            "single": _best(RaceEnv(), steady, 1, ALONE),
            "vectorised": _best(RaceVectorEnv(CARS), steady, CARS, FRAMES),
        },
        "ride": {
            "single": _best(RideEnv(), idle, 1, ALONE // 4),
            "vectorised": _best(riders, idle, RIDERS, TICKS),
        },
        "minigolf": {
            "single": _best(MinigolfEnv(), idle, 1, ALONE // 4),
            "vectorised": _best(MinigolfVectorEnv(BALLS), idle, BALLS, TICKS),
        },
        "soccer": {
            "single": _best(SoccerEnv(), watching, 1, ALONE // 4),
            "vectorised": _best(SoccerVectorEnv(BALLS), watching, BALLS, TICKS),
        },
        "herd": {"vectorised": _best(herd, idle, RIDERS, TICKS)},
        "city": {"vectorised": _best(town, own_way, DRIVERS, TICKS)},
        "chase": {
            "single": _best(ChaseBatch(1), idle, 1, TICKS),
            "vectorised": _best(ChaseBatch(CHASERS), idle, CHASERS, TICKS),
        },
    }
    result: dict[str, Any] = {
        "steps_per_second": steps,
        "agents": {
            "race": CARS,
            "ride": RIDERS,
            "minigolf": BALLS,
            "soccer": BALLS,
            "herd": RIDERS,
            "city": DRIVERS,
            "chase": CHASERS,
        },
    }
    if importlib.util.find_spec("highway_env") is None:
        missing = f"HighwayEnv is not installed; {INSTALL}"
        return {**result, "highway_env": None, "traffic_over_highway_env": None, "not_measured": missing}
    theirs = _highway()
    return {
        **result,
        "highway_env": theirs,
        "traffic_over_highway_env": steps["city"]["vectorised"] / theirs,
    }


def _best(env: Any, act: Callable[[np.ndarray], np.ndarray], bodies: int, frames: int) -> float:
    """Steps a CPU-second, in the best of some turns."""
    first = env.reset(seed=1)
    seen = first[0] if isinstance(first, tuple) else first
    rates = []
    for turn in range(TURNS + 1):
        spent = 0.0
        for _ in range(frames if turn else 20):
            actions = act(seen)
            begun = time.process_time()
            seen, _, ended, *_ = env.step(actions)
            spent += time.process_time() - begun
            if bodies == 1 and np.all(ended):
                again = env.reset()
                seen = again[0] if isinstance(again, tuple) else again
        rates.append(bodies * frames / spent if turn else 0.0)
    return max(rates)


def _highway() -> float:
    """Vehicle updates a CPU-second of HighwayEnv's `highway-fast-v0`."""
    import gymnasium

    env = gymnasium.make("highway_env:highway-fast-v0")
    env.reset(seed=1)
    inner: Any = env.unwrapped
    updates = len(inner.road.vehicles) * (
        inner.config["simulation_frequency"] // inner.config["policy_frequency"]
    )
    steps, spent = 100, 0.0
    for _ in range(steps):
        begun = time.process_time()
        _, _, ended, cut, _ = env.step(np.int64(1))
        spent += time.process_time() - begun
        if ended or cut:
            env.reset()
    return updates * steps / spent
