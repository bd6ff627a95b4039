"""Zickler 2010, section 7.3: one against one, and what planning in every frame comes to."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.sweep import sweep
from swerve.tactics.loop import PlayOptions
from swerve.tactics.loop.play import Score, score_of, summary

from .report import Conclusion, Report

TABLE_7_1 = {"reactive": 55, "dribble": 85}  # robot A's share of the goals [%]
TABLE_7_2 = {"nodes": (87.9, 4.59, 87, 64, 101), "steps": (10.7, 3.13, 13, 6, 13)}
BUDGETS = (100, 300, 1000)  # nodes a frame
FIGURES = ("mean", "deviation", "median", "least", "most")
LEAST = 0.3  # [s] that a plan should be long
STEP = 1 / 60  # [s]


def table_7_1(out: Path, seed: int, trials: int | None) -> Report:
    """Who scores: both reactive, then one that plans, with more and more nodes a frame. Ours changes sides
    from game to game."""
    games, rows = trials or 20, []
    cases: list[tuple[str, int | None]] = [("reactive", None), *(("dribble", nodes) for nodes in BUDGETS)]
    for attacker, nodes in cases:
        scores = _games(PlayOptions(attacker=attacker, nodes=nodes), seed, games, attacker)
        rows.append(_row(attacker, nodes, scores))
    baseline, planned = rows[0], rows[-2]
    goals = max(baseline["won"] + baseline["lost"], 1)
    share = 100 * baseline["won"] / goals
    conclusions = [
        Conclusion("Two reactive attackers are even", abs(share - 50) <= 10, f"{share:.0f} % of the goals"),
        Conclusion(
            "Planning beats the reactive attacker",
            planned["won %"] >= 75,
            f"{planned['won %']:.0f} % of the games; the original {TABLE_7_1['dribble']} % of the goals",
        ),
    ]
    return Report("zickler-7.1", "Table 7.1: one against one", rows, conclusions)


def table_7_2(out: Path, seed: int, trials: int | None) -> Report:
    """Size of trees and length of plans, over all frames in which there was one."""
    scores = _games(PlayOptions(), seed, trials or 10, "dribble")
    nodes = np.concatenate([s.nodes for s in scores])
    seconds = np.concatenate([s.lengths for s in scores])
    rows: list[dict[str, Any]] = []
    for name, values, key in (("nodes", nodes, "nodes"), ("steps of the plan", seconds / STEP, "steps")):
        found = (values.mean(), values.std(), np.median(values), values.min(), values.max())
        rows.append({"of a frame": name, **dict(zip(FIGURES, map(float, found), strict=True))})
        original = dict(zip(FIGURES, map(float, TABLE_7_2[key]), strict=True))
        rows.append({"of a frame": f"{name}, original", **original})
    long = 100 * float(np.mean(seconds >= LEAST - 1e-9))
    missed, frames = sum(s.missed for s in scores), sum(s.frames for s in scores)
    conclusions = [
        Conclusion("Plans are 0.3 s or longer in 99 % of frames", long >= 99, f"{long:.1f} % as searched"),
        Conclusion("Few frames miss 10 ms", missed < 0.01 * frames, f"{missed} of {frames}"),
    ]
    return Report("zickler-7.2", "Table 7.2: plans of a frame", rows, conclusions)


def _games(options: PlayOptions, seed: int, games: int, name: str) -> list[Score]:
    return sweep(partial(score_of, "soccer", options), range(seed, seed + games), f"soccer, {name}")


def _row(attacker: str, nodes: int | None, scores: list[Score]) -> dict[str, Any]:
    played = summary(scores, None)
    won, lost = played.successes, played.conceded
    low, high = played.interval_95
    return {
        "attacker": attacker,
        "nodes a frame": nodes,
        "won": won,
        "lost": lost,
        "neither": len(scores) - won - lost,
        "won %": 100 * played.success_rate,
        "of the goals %": 100 * won / max(won + lost, 1),
        "95 %": f"{100 * low:.0f}-{100 * high:.0f}",
        "original's %": TABLE_7_1[attacker],
        "frames missed %": 100 * played.frames_missed / max(played.frames, 1),
    }
