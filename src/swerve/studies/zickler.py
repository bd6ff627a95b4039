"""Zickler 2010, section 6.2: BK-RRT against BK-BGT, rollback, unconstrained and deterministic tactics.

The original's planning was limited to 25,000 nodes or 50,000 iterations, and so is ours. Its times are from
another machine; what can be compared are success rates, nodes, and which planner wins. `lanes` limits how
many branches grow side by side; `planner` is one more to hold against them in tables 6.1 and 6.3, and the one
that is used instead of BGT in 6.2 and 6.4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.sweep import sweep
from swerve.tactics import SolveOptions, load_domain, solve

from . import zickler_dice
from .report import Conclusion, Report
from .zickler_means import means

DOMAINS = ("navigation", "minigolf", "soccer", "pool")
NODES, ITERATIONS = 25_000, 50_000  # the original's limits
# time [s], nodes, iterations, success [%] of tables 6.1 and 6.3
TABLE_6_1 = {
    ("navigation", "rrt"): (0.18, 1086, 1733, 100),
    ("navigation", "bgt"): (3.14, 13713, 36873, 53),
    ("minigolf", "rrt"): (4.28, 16898, 16898, 41),
    ("minigolf", "bgt"): (0.33, 3484, 3485, 99),
    ("soccer", "rrt"): (5.34, 21757, 22484, 20),
    ("soccer", "bgt"): (0.55, 1723, 2338, 100),
    ("pool", "rrt"): (1.76, 3887, 15033, 100),
    ("pool", "bgt"): (0.21, 1284, 1653, 100),
}
TABLE_6_3 = {
    ("minigolf", "rrt"): (2.74, 22192, 22488, 13),
    ("minigolf", "bgt"): (2.48, 20854, 20944, 18),
    ("soccer", "rrt"): (5.95, 21416, 22362, 25),
    ("soccer", "bgt"): (1.56, 4340, 6113, 100),
}
TABLE_6_2 = {  # nodes without and with rollback, success without and with [%]
    "navigation": (23556, 13713, 14, 53),
    "minigolf": (3847, 3484, 100, 99),
    "soccer": (2683, 1723, 100, 100),
    "pool": (1654, 1284, 100, 100),
}
TABLE_6_4 = {1000: 25, 2500: 40, 5000: 55, 10_000: 60}  # tree size: success [%]
REACTIVE_6_4 = 30  # [%] of the deterministic tactic


def trials_of(
    domain: str, planner: str, seeds: Iterable[int], options: SolveOptions = SolveOptions()
) -> dict[str, float]:
    """Means over seeds, each with its own layout, and the success rate [%]."""
    work = partial(trial, domain, planner, options)
    stats = sweep(work, list(seeds), f"{domain} {planner}")
    return means(*np.array(stats, dtype=float).T)


def trial(domain: str, planner: str, options: SolveOptions, seed: int) -> tuple[float, int, int, bool]:
    """Seconds, nodes, iterations, and whether it was solved; within the original's limits unless told."""
    options = replace(options, nodes=options.nodes or NODES, iterations=options.iterations or ITERATIONS)
    plan = solve(load_domain(domain, seed), planner, options, seed=seed)
    return plan.stats["seconds"], plan.stats["nodes"], plan.stats["iterations"], bool(plan.solved)


def table_6_1(
    out: Path, seed: int, trials: int | None, lanes: int | None = None, planner: str | None = None
) -> Report:
    """BK-RRT against BK-BGT in four domains, and BK-BGT in many-dice."""
    rows = _compared(TABLE_6_1, planner, seed, trials or 100, SolveOptions(lanes=lanes))
    rows = [{**row, "distance": None} for row in rows] + zickler_dice.table_rows(seed, trials or 100, lanes)
    by = {(row["domain"], row["planner"]): row for row in rows}
    conclusions = []
    for domain in DOMAINS:
        winner = "rrt" if domain == "navigation" else "bgt"
        loser = "bgt" if winner == "rrt" else "rrt"
        a, b = by[domain, winner], by[domain, loser]
        wins = (a["success %"], -a["iterations"]) > (b["success %"], -b["iterations"])
        conclusions.append(
            Conclusion(
                f"{winner.upper()} beats {loser.upper()} in {domain}",
                bool(wins),
                f"{a['success %']:.0f} % in {a['iterations']:.0f} iterations against "
                f"{b['success %']:.0f} % in {b['iterations']:.0f}",
            )
        )
    excessive = "BK-RRT takes excessive time in many-dice"
    conclusions.append(Conclusion(excessive, None, "not run: it samples places of one body"))
    notes = [zickler_dice.NO_RRT]
    return Report("zickler-6.1", "Table 6.1: BK-RRT and BK-BGT", rows, conclusions, notes)


def table_6_2(
    out: Path, seed: int, trials: int | None, lanes: int | None = None, planner: str | None = None
) -> Report:
    """BK-BGT without and with rollback."""
    seeds = range(seed, seed + (trials or 100))
    rows: list[dict[str, Any]] = []
    options = SolveOptions(lanes=lanes)
    for domain, (nodes, rolled, success, better) in TABLE_6_2.items():
        without = trials_of(domain, planner or "bgt", seeds, replace(options, roll_back=False))
        having = trials_of(domain, planner or "bgt", seeds, options)
        rows.append(
            {
                "domain": domain,
                "nodes without": without["nodes"],
                "nodes with": having["nodes"],
                "success % without": without["success %"],
                "success % with": having["success %"],
                "original's nodes": f"{nodes} → {rolled}",
                "original's success %": f"{success} → {better}",
            }
        )
    smaller = [row["domain"] for row in rows if row["nodes with"] < row["nodes without"]]
    raised = rows[0]["success % with"] - rows[0]["success % without"]
    conclusions = [
        Conclusion("Rollback makes trees smaller in every domain", len(smaller) == 4, ", ".join(smaller)),
        Conclusion("Rollback raises success in navigation", raised > 0, f"by {raised:.0f} points"),
    ]
    return Report("zickler-6.2", "Table 6.2: the rollback function", rows, conclusions)


def table_6_3(
    out: Path, seed: int, trials: int | None, lanes: int | None = None, planner: str | None = None
) -> Report:
    """Tactics without order between their skills."""
    options = SolveOptions(tactic="unconstrained", lanes=lanes)
    rows = _compared(TABLE_6_3, planner, seed, trials or 100, options)
    by = {(row["domain"], row["planner"]): row for row in rows}
    golf = [by["minigolf", planner]["success %"] for planner in ("rrt", "bgt")]
    soccer = by["soccer", "bgt"]["success %"]
    conclusions = [
        Conclusion("Minigolf needs the order of its tactic", max(golf) < 50, f"{max(golf):.0f} % at best"),
        Conclusion("Soccer is solved by BGT without it", soccer >= 95, f"{soccer:.0f} %"),
    ]
    return Report("zickler-6.3", "Table 6.3: unconstrained tactics", rows, conclusions)


def table_6_4(
    out: Path, seed: int, trials: int | None, lanes: int | None = None, planner: str | None = None
) -> Report:
    """Planning against the reactive tactic, one attacker and two defenders."""
    seeds, domain = range(seed, seed + (trials or 20)), "soccer-two-defenders"
    reactive = trials_of(
        domain, "bgt", seeds, SolveOptions(tactic="deterministic", mu=1e9, nodes=900, lanes=1)
    )
    rows: list[dict[str, Any]] = [
        {
            "method": "deterministic tactic",
            "tree size": None,
            "success %": reactive["success %"],
            "original's success %": REACTIVE_6_4,
        }
    ]
    for size, success in TABLE_6_4.items():
        found = trials_of(domain, planner or "bgt", seeds, SolveOptions(nodes=size, lanes=lanes))
        rows.append(
            {
                "method": (planner or "bgt").upper(),
                "tree size": size,
                "success %": found["success %"],
                "original's success %": success,
            }
        )
    small, best = rows[1]["success %"], rows[-1]["success %"]
    conclusions = [
        Conclusion(
            "Planning scores more often than the reactive tactic",
            best > rows[0]["success %"],
            f"{best:.0f} % against {rows[0]['success %']:.0f} %",
        ),
        Conclusion(
            "It does so with relatively small trees",
            small > rows[0]["success %"],
            f"{small:.0f} % with {rows[1]['tree size']} nodes against {rows[0]['success %']:.0f} %",
        ),
    ]
    return Report("zickler-6.4", "Table 6.4: planning against reacting", rows, conclusions)


def _compared(
    table: dict[tuple[str, str], tuple[float, int, int, int]],
    planner: str | None,
    seed: int,
    trials: int,
    options: SolveOptions,
) -> list[dict[str, Any]]:
    """The planners of a table, and one more in the same domains, if one is given."""
    cases: dict[tuple[str, str], tuple[Any, ...]] = {}
    for (domain, name), figures in table.items():
        cases[domain, name] = figures
        if planner is not None and (domain, planner) not in table:
            cases.setdefault((domain, planner), (None,) * 4)
    rows = []
    for (domain, name), (seconds, nodes, iterations, success) in cases.items():
        found = trials_of(domain, name, range(seed, seed + trials), options)
        rows.append(
            {
                "domain": domain,
                "planner": name,
                **found,
                "original's seconds": seconds,
                "original's nodes": nodes,
                "original's iterations": iterations,
                "original's success %": success,
            }
        )
    return rows
