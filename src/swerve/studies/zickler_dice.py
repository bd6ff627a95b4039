"""Zickler 2010, the many-dice rows of table 6.1 and figure 6.13(c): dice that fall into a logo.

There is no goal to miss: a tree of a fixed size is grown, and its best state counts. BK-RRT is not run: it
samples places of one body; the thesis's distance over 400 of them is what made it excessive.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from swerve.core.sweep import sweep
from swerve.tactics import SolveOptions, load_domain, solve

from .zickler_means import means

DOMAIN, NODES, TRIALS = "dice", 15_000, 6
TABLE_6_1 = {"rrt": (1278.61, 15_000, 15_000, 100), "bgt": (304.58, 15_000, 15_000, 100)}
QUALITY, QUALITY_NODES, QUALITY_TRIALS = "dice-60", 2000, 3  # of the figure: a tree for each μ
NO_RRT = (
    "Many-dice grows a tree of fixed size and takes its best state: success is that all dice lie; the "
    "distance of a die to its place is in edges. BK-RRT samples places of one body and is not made for 400; "
    "the thesis needed 1,279 s with it, four times as long as with BK-BGT."
)


def trials_of(domain: str, seeds: Iterable[int], options: SolveOptions) -> dict[str, float]:
    """Means over seeds, the success rate [%] and the mean distance of dice to their places [edges]."""
    stats = sweep(partial(trial, domain, options), list(seeds), domain)
    *told, distance = np.array(stats, dtype=float).T
    return {**means(*told), "distance": float(distance.mean())}


def trial(domain: str, options: SolveOptions, seed: int) -> tuple[float, int, int, bool, float]:
    """Seconds, nodes, iterations, whether all dice lie, and how far they are from their places [edges]."""
    stats = (plan := solve(load_domain(domain, seed), "bgt", options, seed=seed)).stats
    far = float(stats["mean_distance_in_edges"])
    return stats["seconds"], stats["nodes"], stats["iterations"], bool(plan.solved), far


def table_rows(seed: int, trials: int, lanes: int | None) -> list[dict[str, Any]]:
    """The rows of table 6.1, keyed as those of the other domains."""
    options = SolveOptions(nodes=NODES, iterations=20 * NODES, lanes=lanes)
    found: dict[str, Any] = trials_of(DOMAIN, range(seed, seed + min(trials, TRIALS)), options)
    rows = []
    for planner, figures in TABLE_6_1.items():
        names = ("seconds", "nodes", "iterations", "success %")
        original = {f"original's {name}": told for name, told in zip(names, figures, strict=True)}
        mine = found if planner == "bgt" else dict.fromkeys(found)
        rows.append({"domain": "many-dice", "planner": planner, **mine, **original})
    return rows


def quality_rows(mus: Iterable[float], seed: int, trials: int) -> list[dict[str, Any]]:
    """The distance over μ."""
    seeds = range(seed, seed + min(trials, QUALITY_TRIALS))
    return [
        {"domain": QUALITY, "varied": "mu", "value": mu}
        | trials_of(QUALITY, seeds, SolveOptions(mu=mu, nodes=QUALITY_NODES))
        for mu in mus
    ]
