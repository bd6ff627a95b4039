"""Robot soccer by eyes: does a team that knows only what cameras see score as often as one that knows all?

Whole matches have two or three goals in five minutes and take ten minutes of processor time by eyes, so the
same staged attacks are played instead: they score some seven times as often in the same time.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.sweep import sweep
from swerve.soccer import Sight, load_playbook
from swerve.soccer.drill import attack

from .report import Conclusion, Report
from .soccer import interval

DRILLS = 60
SHARE = 0.9  # of the goals with perfect state
WAYS = {"perfect state": Sight(0.0, 0.0, 0.0, 3), "noisy truth": Sight(), "eyes": Sight()}


def eyes(out: Path, seed: int, trials: int | None, seconds: float = 10.0) -> Report:
    """The same attacks with the true state, with noise on it, and through cameras; all three frames late."""
    seeds = [seed + k for k in range(trials or DRILLS)]
    rows: list[dict[str, Any]] = []
    goals = {}
    for way in WAYS:
        done = sweep(partial(_attack, way, seconds), seeds, way)
        goals[way] = np.array([one["goals"] for one in done], dtype=float)
        ends = [one["ended"] for one in done]
        rows.append(
            {
                "known": way,
                "attacks": len(done),
                "goals": int(goals[way].sum()),
                "lost": ends.count("lost"),
                "mean seconds": float(np.mean([one["seconds"] for one in done])),
            }
        )
    low, high = interval(goals["eyes"], goals["perfect state"], seed)
    seen, known = (int(goals[way].sum()) for way in ("eyes", "perfect state"))
    share = f"{seen / known:.2f}" if known else "none to compare with"
    holds = True if low >= SHARE else False if high < SHARE else None
    conclusions = [
        Conclusion(
            f"By eyes at least {100 * SHARE:.0f} % of the goals with perfect state are scored",
            holds,
            f"{seen} against {known} goals: {share}, 95 % of the draws from {low:.2f} to {high:.2f}",
        )
    ]
    return Report("soccer-eyes", "The same attacks by eyes and with perfect state", rows, conclusions)


def _attack(way: str, seconds: float, seed: int) -> dict[str, Any]:
    book, other = load_playbook("swerve"), load_playbook("reactive")
    done = attack(book, other, seed, seconds=seconds, sight=WAYS[way], eyes=way == "eyes")
    return {"goals": done.goals, "ended": done.ended, "seconds": done.seconds}
