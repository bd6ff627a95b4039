"""Environments for learning: steps a second with observations, one alone and many in one kernel; HighwayEnv
beside them where it is installed."""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

MANY, FRAMES, ALONE = 4096, 200, 3000
INSTALL = "pip install 'swerve[envs,bench]'"


def run() -> dict[str, Any]:
    """CPU time of `step` alone, actions of the steady driver made beforehand."""
    if importlib.util.find_spec("gymnasium") is None:
        raise BadInput("bench envs", None, f"gymnasium is not installed; {INSTALL}")
    from swerve.envs import RaceEnv, RaceVectorEnv, steady

    many = RaceVectorEnv(MANY)
    seen, _ = many.reset(seed=1)
    spent = 0.0
    for frame in range(FRAMES + 20):
        actions = steady(seen)
        begun = time.process_time()
        seen = many.step(actions)[0]
        spent += time.process_time() - begun if frame >= 20 else 0.0
    one = RaceEnv()
    alone, _ = one.reset(seed=1)
    single = 0.0
    for _ in range(ALONE):
        action = steady(alone)
        begun = time.process_time()
        alone, _, ended, cut, _ = one.step(action)
        single += time.process_time() - begun
        if ended or cut:
            alone, _ = one.reset()
    result: dict[str, Any] = {
        "steps_per_second": {"race": {"single": ALONE / single, "vectorised": MANY * FRAMES / spent}},
        "cars": MANY,
    }
    if importlib.util.find_spec("highway_env") is None:
        return {**result, "highway_env": None, "not_measured": f"HighwayEnv is not installed; {INSTALL}"}
    return {**result, "highway_env": _highway()}


def _highway() -> float:
    """Vehicle updates a CPU-second of HighwayEnv's `highway-fast-v0`."""
    import gymnasium

    env = gymnasium.make("highway_env:highway-fast-v0")
    env.reset(seed=1)
    vehicles = len(env.unwrapped.road.vehicles)  # type: ignore[attr-defined]
    steps, spent = 100, 0.0
    for _ in range(steps):
        begun = time.process_time()
        _, _, ended, cut, _ = env.step(np.int64(1))
        spent += time.process_time() - begun
        if ended or cut:
            env.reset()
    return vehicles * steps / spent
