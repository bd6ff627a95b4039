"""Zickler 2010, figures 6.11 to 6.13: where the time goes, and what μ and the hybrid probability do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.progress import track
from swerve.core.show.figures import PALETTE, figure
from swerve.tactics import SolveOptions, load_domain
from swerve.tactics.grow import Growth
from swerve.tactics.plan import choose

from .report import Conclusion, Report
from .zickler import DOMAINS, trials_of
from .zickler_dice import NO_RRT, QUALITY, quality_rows

SIZES = (1000, 2000, 4000, 8000, 16_000, 24_000)
MUS = (1.0, 10.0, 100.0, 1000.0)
PS = (0.0, 0.25, 0.5, 0.75, 1.0)


def timings(domain: str, planner: str, seed: int) -> list[dict[str, float]]:
    """Accumulated seconds in selection, physics and tactics at growing tree sizes."""
    problem = load_domain(domain, seed)
    growth = Growth(
        problem,
        problem.tactics_for("default", planner),
        choose(problem, planner, None, 0.5),
        seed,
        problem.lanes,
        roll_back=False,
    )
    rows = []
    for size in track(SIZES, f"{domain} {planner}"):
        while growth.tree.alive_nodes < size:
            growth.round(1 << 30)
        rows.append(
            {
                "nodes": float(size),
                "selection s": growth.effort.select_seconds,
                "physics s": growth.engine.seconds,
                "tactics s": growth.effort.skill_seconds,
            }
        )
    return rows


def figure_6_11(out: Path, seed: int, trials: int | None) -> Report:
    """Where BK-RRT spends its time as the tree grows."""
    timings("navigation", "rrt", seed)  # compiles
    rows = timings("navigation", "rrt", seed)
    path = out / "zickler-6.11.png"
    with figure(path) as axes:
        nodes = [row["nodes"] for row in rows]
        for key, colour in zip(("selection s", "physics s", "tactics s"), PALETTE, strict=False):
            axes.plot(nodes, [row[key] for row in rows], "o-", color=colour, label=key[:-2])
        axes.set_xlabel("nodes in the tree")
        axes.set_ylabel("accumulated time [s]")
        axes.set_title("Where BK-RRT spends its time (navigation)")
        axes.legend()
    growth = np.log(rows[-1]["selection s"] / rows[0]["selection s"]) / np.log(SIZES[-1] / SIZES[0])
    conclusions = [
        Conclusion(
            "Node selection grows quadratically and becomes the bottleneck",
            bool(growth > 1.8 and rows[-1]["selection s"] > rows[-1]["physics s"]),
            f"its time grows with the tree to the power {growth:.2f}: the indexed search avoids the square",
        )
    ]
    return Report("zickler-6.11", "Figure 6.11: BK-RRT's time", rows, conclusions, files=[path])


def figure_6_12(out: Path, seed: int, trials: int | None) -> Report:
    """Selection time of both planners over tree size."""
    for planner in ("rrt", "bgt"):
        timings("soccer", planner, seed)  # compiles
    both = {planner: timings("soccer", planner, seed) for planner in ("rrt", "bgt")}
    rows = [
        {"nodes": a["nodes"], "rrt s": a["selection s"], "bgt s": b["selection s"]}
        for a, b in zip(both["rrt"], both["bgt"], strict=True)
    ]
    path = out / "zickler-6.12.png"
    with figure(path) as axes:
        for key, colour in zip(("rrt s", "bgt s"), PALETTE, strict=False):
            axes.plot(
                [row["nodes"] for row in rows], [row[key] for row in rows], "o-", color=colour, label=key
            )
        axes.set_yscale("log")
        axes.set_xlabel("nodes in the tree")
        axes.set_ylabel("accumulated selection time [s]")
        axes.set_title("Node selection (soccer)")
        axes.legend()
    cheaper = rows[-1]["rrt s"] / rows[-1]["bgt s"]
    conclusions = [Conclusion("BGT selects faster than RRT", cheaper > 1, f"{cheaper:.1f} times")]
    return Report("zickler-6.12", "Figure 6.12: selection time", rows, conclusions, files=[path])


def figure_6_13(out: Path, seed: int, trials: int | None) -> Report:
    """Time and success over μ, the quality of fallen dice over μ, and time, tree size and success over the
    probability of balanced growth in the hybrid."""
    seeds = range(seed, seed + (trials or 20))
    rows: list[dict[str, Any]] = []
    for domain in DOMAINS:
        for mu in MUS:
            found = trials_of(domain, "bgt", seeds, SolveOptions(mu=mu))
            rows.append({"domain": domain, "varied": "mu", "value": mu, **found})
        for p in PS:
            found = trials_of(domain, "hybrid", seeds, SolveOptions(hybrid_p=p))
            rows.append({"domain": domain, "varied": "hybrid p", "value": p, **found})
    quality = quality_rows(MUS, seed, trials or 20)
    path = _draw_6_13([*rows, *quality], out / "zickler-6.13.png")
    small = [row["success %"] for row in rows if row["varied"] == "mu" and row["value"] == MUS[0]]
    large = [row["success %"] for row in rows if row["varied"] == "mu" and row["value"] == MUS[-1]]
    worst = [
        min(_at(rows, domain, 0.0), _at(rows, domain, 1.0)) <= _at(rows, domain, 0.5) + 5
        for domain in DOMAINS
    ]
    conclusions = [
        Conclusion(
            "A small μ lowers success",
            sum(small) < sum(large),
            f"{np.mean(small):.0f} % to {np.mean(large):.0f} %",
        ),
        Conclusion("The hybrid is no worse than the wrong choice", all(worst), f"{sum(worst)} of 4 domains"),
    ]
    rows = [{**row, "distance": None} for row in rows] + quality
    return Report("zickler-6.13", "Figure 6.13: μ and the hybrid", rows, conclusions, [NO_RRT], files=[path])


PANELS_6_13 = (  # in the thesis's order: varied, column, its name
    ("mu", "seconds", "time [s]"),
    ("mu", "success %", "success [%]"),
    ("mu", "distance", f"{QUALITY}: distance [edges]"),
    ("hybrid p", "seconds", "time [s]"),
    ("hybrid p", "nodes", "nodes"),
    ("hybrid p", "success %", "success [%]"),
)


def _draw_6_13(rows: list[dict[str, Any]], path: Path) -> Path:
    with figure(path, (13.0, 8.0), columns=3, rows=2) as axes:
        for axis, letter, (varied, column, name) in zip(axes.flat, "abcdef", PANELS_6_13, strict=True):
            domains = (QUALITY,) if column == "distance" else DOMAINS
            for k, (domain, colour) in enumerate(zip(domains, PALETTE, strict=False)):
                mine = [row for row in rows if row["domain"] == domain and row["varied"] == varied]
                axis.plot(
                    [row["value"] for row in mine],
                    [row[column] for row in mine],
                    "o-",
                    color=colour,
                    label=domain,
                    lw=6 - 1.4 * k,  # lines that coincide lie within each other
                    ms=12 - 2.4 * k,
                )
            axis.set_title(f"({letter}) {'BGT alone' if varied == 'mu' else 'BGT and RRT mixed'}")
            axis.set_xlabel("μ" if varied == "mu" else "probability of balanced growth")
            axis.set_ylabel(name)
            if varied == "mu":
                axis.set_xscale("log")
        axes[0, 0].legend()
    return path


def _at(rows: list[dict[str, Any]], domain: str, p: float) -> float:
    return next(
        float(row["success %"])
        for row in rows
        if row["domain"] == domain and row["varied"] == "hybrid p" and row["value"] == p
    )
