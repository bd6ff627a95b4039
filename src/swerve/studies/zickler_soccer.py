"""Zickler 2010, section 7.3: one against one, and what planning in every frame comes to."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.sweep import sweep
from swerve.tactics.loop import PlayOptions
from swerve.tactics.loop.play import Score, score_of, summary

from .paired import RARE, SHARE, Spread, at_least, at_most, both, rate, spread
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
    share = rate(baseline["won"], baseline["won"] + baseline["lost"])
    won = rate(planned["won"], games)
    conclusions = [
        Conclusion(
            "Two reactive attackers are even, within 10 points",
            both(at_least(share, 40.0), at_most(share, 60.0)),
            f"{share.words(' %')} of the goals",
        ),
        Conclusion(
            "Planning beats the reactive attacker in three of four games",
            at_least(won, 75.0),
            f"{won.words(' %')} of the games; the original {TABLE_7_1['dribble']} % of the goals",
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
    plans = np.array([len(s.lengths) for s in scores])
    long = _share([sum(length >= LEAST - 1e-9 for length in s.lengths) for s in scores], plans)
    late = _share([s.missed for s in scores], np.array([s.frames for s in scores]))
    conclusions = [
        Conclusion(
            "Plans are 0.3 s or longer in 99 % of frames",
            at_least(long, 99.0),
            f"{long.words(' %')} of {plans.sum()} as searched",
        ),
        Conclusion("At most one frame in a hundred misses 10 ms", at_most(late, 1.0), late.words(" %")),
    ]
    unless = _share([s.unless for s in scores], plans)
    notes = [
        f"In {unless.words(' %')} of these frames all that was tried ends in a shot at our goal; "
        "the plan is for that the other does not shoot."
    ]
    return Report("zickler-7.2", "Table 7.2: plans of a frame", rows, conclusions, notes)


def _share(some: list[int], of: np.ndarray) -> Spread:
    """How many [%] of all frames, game by game: frames of one game are much alike."""
    counts = np.array(some)
    return spread(
        lambda k: float(100 * counts[k].sum() / max(of[k].sum(), 1)), len(of), RARE / max(of.sum(), 1), SHARE
    )


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
