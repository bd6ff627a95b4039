"""Tree growth against the bare engine, and a second-order unicycle maze against OMPL, all in one run.

The bare engine restores the same states, applies the same forces in rounds of the same size, and does nothing
else: no skills, no tree, no validation. OMPL's control RRT plans the same unicycle maze from Python.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from swerve.core.progress import track as show_progress
from swerve.tactics import Engine, load_domain
from swerve.tactics.grow import Growth
from swerve.tactics.plan import choose

from .plain_unicycle import ompl_first_solution, swerve_first_solution

ITERATIONS = 50_000  # the seed's limit
ROUNDS = 3


def run() -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name in ("soccer", "minigolf"):
        result |= {f"{name}_{key}": value for key, value in growth_rates(name).items()}
    result |= unicycle()
    return result


def growth_rates(name: str, iterations: int = ITERATIONS, rounds: int = ROUNDS) -> dict[str, float]:
    """Expansions per second of planning and of the bare engine, one after the other, best of a few."""
    problem = load_domain(name)
    grow(name, 600, 1)  # compiles
    planning, engine, two = [], [], []
    for _ in show_progress(range(rounds), name):
        growth, seconds = grow(name, iterations, 1)
        planning.append(iterations / seconds)
        tree, lanes = growth.tree, problem.lanes
        nodes = np.arange(1, 1 + (tree.count - 1) // lanes * lanes).reshape(-1, lanes)
        bare = Engine(problem.world, lanes)
        began = time.perf_counter()
        for some in nodes:
            bare.step(tree.rows[tree.parent[some]], tree.forces[some])
        engine.append(nodes.size / (time.perf_counter() - began))
        two.append(iterations / grow(name, iterations, 2)[1])
    return {
        "expansions_per_second": max(planning),
        "engine_expansions_per_second": max(engine),
        "ratio_to_engine": float(np.median(np.array(planning) / engine)),
        "two_thread_gain": float(np.median(np.array(two) / planning)),
    }


def grow(name: str, iterations: int, threads: int) -> tuple[Growth, float]:
    """A tree of that many expansions, and the seconds it took. Goals do not end it."""
    problem = load_domain(name)
    selection = choose(problem, "bgt", None, 0.5)
    growth = Growth(problem, problem.tactics_for("default", "bgt"), selection, 0, problem.lanes, threads)
    began = time.perf_counter()
    while growth.effort.iterations < iterations:
        growth.round(iterations - growth.effort.iterations)
    return growth, time.perf_counter() - began


def unicycle(trials: int = 7) -> dict[str, Any]:
    """Milliseconds to the first solution, medians over seeds; OMPL's are absent where it is not installed."""
    swerve_first_solution(0)  # compiles
    ours = float(np.median([swerve_first_solution(seed) for seed in range(1, trials + 1)]))
    theirs = ompl_first_solution(trials)
    return {
        "first_solution_ms": ours,
        "ompl_first_solution_ms": theirs,
        "ratio_to_ompl": None if theirs is None else theirs / ours,
    }
