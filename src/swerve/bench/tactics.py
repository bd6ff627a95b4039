"""The search of the games against the bare engine and against one branch at a time, and OMPL on a unicycle.

Of each domain, medians over seeds, each with its own layout: nodes to the first solution with the default
lanes and with one; CPU seconds to it; `overhead`, those seconds over what MuJoCo alone takes for as many
expansions in full rounds (restore, step, read; no skills, no tree, none of our friction). An expansion that
fails or is rolled back was made all the same, so `expansions` are more than the nodes that are left;
`overhead_by_nodes` is over those alone. MuJoCo alone is MuJoCo as it comes, which reads a clock at every
stage of a step; our searches stop that clock (`sound.stop_clock`), and `overhead_by_nodes_without_clock` is
against MuJoCo with it stopped. `round8_overhead` is what eight branches side by side take beside as
many bare expansions, over these. `two_thread_gain` is in wall time, with all lanes open.
"""

from __future__ import annotations

import time
from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch

from swerve.core.progress import track
from swerve.tactics import Problem, Search, SolveOptions, load_domain
from swerve.tactics.sound import stop_clock

from .plain_unicycle import against_ompl

DOMAINS = ("navigation", "minigolf", "soccer", "pool")
FIRST, SEEDS = 20_000, 15
ITERATIONS = 6_000  # of the rounds of eight and the full ones
TRIALS = 7  # of each planner on the unicycle, and of each setting of it in the sweep


def run() -> dict[str, Any]:
    result: dict[str, Any] = {name: of_domain(name) for name in DOMAINS}
    result["round8_overhead"] = max(result[name]["round8_overhead"] for name in DOMAINS)
    result["two_thread_gain"] = float(np.median([result[name]["two_thread_gain"] for name in DOMAINS]))
    result["ompl"] = against_ompl(TRIALS)
    return result


def of_domain(name: str) -> dict[str, float]:
    """The figures of one domain."""
    first_solution(load_domain(name, 1), None, 1)  # compiles
    grown(name, 8)
    found = []
    for seed in track(range(FIRST, FIRST + SEEDS), name):
        problem = load_domain(name, seed)
        single, _ = first_solution(problem, 1, seed)
        search, seconds = first_solution(problem, None, seed)
        nodes, expansions = search.tree.alive_nodes, search.effort.iterations
        bare, without_clock = bare_expansion(search), bare_expansion(search, clock=False)
        solved = bool(search.solutions and single.solutions)
        overheads = (
            seconds / (expansions * bare),
            seconds / (nodes * bare),
            seconds / (nodes * without_clock),
        )
        found.append((nodes, single.tree.alive_nodes, expansions, seconds, *overheads, solved))
    medians = np.median(np.array(found, float), axis=0)
    eight, taken = grown(name, 8)
    one, two = grown(name, 64)[0], grown(name, 64, threads=2)[0]
    return {
        "nodes_default": float(medians[0]),
        "nodes_one_lane": float(medians[1]),
        "expansions": float(medians[2]),
        "seconds_to_first": float(medians[3]),
        "overhead": float(medians[4]),
        "overhead_by_nodes": float(medians[5]),
        "overhead_by_nodes_without_clock": float(medians[6]),
        "round8_overhead": taken / (eight.effort.iterations * bare_expansion(eight)) - 1.0,
        "two_thread_gain": one.seconds / two.seconds,
        "success": float(np.mean([row[-1] for row in found])),
    }


def first_solution(problem: Problem, lanes: int | None, seed: int) -> tuple[Search, float]:
    """A search up to its first solution or the problem's limits, and its CPU seconds."""
    search = Search(problem, options=SolveOptions(lanes=lanes), seed=seed)
    began = time.process_time()
    search.grow(nodes=problem.nodes, iterations=problem.iterations, solutions=1)
    seconds = time.process_time() - began
    search.settle()
    return search, seconds


def bare_expansion(search: Search, seconds: float = 0.1, clock: bool = True) -> float:
    """CPU seconds of MuJoCo alone for one expansion, by the states and forces of a search, in full rounds;
    with its own `clock`, as it comes, or without."""
    if clock:
        mujoco.set_mjcb_time(None)  # its own again
    try:
        return _bare_expansion(search, seconds)
    finally:
        stop_clock()


def _bare_expansion(search: Search, seconds: float) -> float:
    problem, tree = search.problem, search.tree
    lanes = problem.lanes
    nodes = np.resize(np.arange(1, tree.count), (max(tree.count // lanes, 1), lanes))
    rounds = [(tree.rows[tree.parent[some]], tree.forces[some]) for some in nodes]
    batch = Batch(problem.world.model, lanes, 1)
    rows, applied = batch.state[:, : problem.world.width], batch.bind("qfrc_applied")
    made, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        for before, forces in rounds:
            rows[:], applied[:] = before, forces
            batch.step(nstep=problem.world.substeps)
            rows.copy()
            made += lanes
    return (time.process_time() - began) / made


def grown(name: str, lanes: int, threads: int = 1) -> tuple[Search, float]:
    """A search of so many lanes from the beginning, which goals do not end, and its CPU seconds."""
    search = Search(load_domain(name), options=SolveOptions(lanes=lanes), seed=1, threads=threads)
    search.open_all_lanes()
    began = time.process_time()
    search.grow(iterations=ITERATIONS)
    return search, time.process_time() - began
