"""Robot soccer: does looking ahead win matches, and does it score more in the same situations?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest, t

from swerve.core.seeding import generator
from swerve.core.sweep import sweep
from swerve.soccer import MatchOptions, load_playbook, play_match
from swerve.soccer.drill import attack

from .report import Conclusion, Report

MATCHES, MINUTES = 10, 5.0
DRILLS = 600
SHARE_WON, RATIO, MOST_CONTACT, MOST_MISSED = 0.8, 1.3, 0.01, 0.001
FEWEST = 10  # goals from which one can tell whether a match is even
FEWEST_MATCHES = 5  # from which possession can
DRAWN = 4000  # times that attacks are drawn anew for an interval
ATTACKERS = ("physics", "reactive", "shoot")
TABLE_7_1 = 85  # % of goals of the planning robot against the reactive one, one against one


def matches(out: Path, seed: int, trials: int | None, minutes: float = MINUTES) -> Report:
    """`swerve` against `reactive` and against itself; teams change ends from match to match."""
    rows: list[dict[str, Any]] = []
    for other in ("reactive", "swerve"):
        played = sweep(
            partial(_match, other, minutes), [seed + k for k in range(trials or MATCHES)], f"against {other}"
        )
        goals = np.array([(one["for"], one["against"]) for one in played])
        rows.append(
            {
                "against": other,
                "matches": len(played),
                "won": int((goals[:, 0] > goals[:, 1]).sum()),
                "drawn": int((goals[:, 0] == goals[:, 1]).sum()),
                "goals": int(goals[:, 0].sum()),
                "their goals": int(goals[:, 1].sum()),
                "blue's goals": sum(one["blue"] for one in played),
                "passes": sum(one["passes"] for one in played),
                "fouls": sum(one["fouls"] for one in played),
                "most contact %": 100 * max(one["contact"] for one in played),
                "frames missed %": 100 * float(np.mean([one["missed"] for one in played])),
            }
        )
    first, even = rows
    held = np.array([one["held"] for one in played])
    contact = max(row["most contact %"] for row in rows)
    conclusions = [
        Conclusion(
            "Eight of ten matches against a reactive team are won",
            first["won"] >= SHARE_WON * first["matches"],
            f"{first['won']} of {first['matches']}, {first['goals']} : {first['their goals']} goals",
        ),
        Conclusion(
            "No pair of robots touches for more than a hundredth of the time",
            contact <= 100 * MOST_CONTACT,
            f"{contact:.2f} % at most",
        ),
        Conclusion("Against itself neither colour has the better of it", *_even(even)),
        Conclusion("Against itself neither colour has the ball more", *_shared(held)),
        Conclusion(
            "60 Hz are held: one decision of a thousand at most takes longer than a frame",
            max(row["frames missed %"] for row in rows) <= 100 * MOST_MISSED,
            f"{max(row['frames missed %'] for row in rows):.4f} % do",
        ),
    ]
    return Report("soccer-matches", f"Matches of {minutes:g} minutes", rows, conclusions)


def _even(row: dict[str, Any]) -> tuple[bool | None, str]:
    """Whether half of the goals are blue's, as far as so many can tell."""
    blue, goals = row["blue's goals"], row["goals"] + row["their goals"]
    if goals < FEWEST:
        return None, f"{goals} goals are too few to tell"
    share = binomtest(blue, goals).proportion_ci()
    within = f"blue scored {blue} of {goals}, 95 % of the draws from {share.low:.2f} to {share.high:.2f}"
    return bool(share.low <= 0.5 <= share.high), within


def _shared(held: np.ndarray) -> tuple[bool | None, str]:
    """Whether blue has the ball half of the time, by its shares of it in matches."""
    if len(held) < FEWEST_MATCHES:
        return None, f"{len(held)} matches are too few to tell"
    middle, off = float(held.mean()), float(t.ppf(0.975, len(held) - 1) * held.std(ddof=1) / len(held) ** 0.5)
    said = f"blue had it {100 * middle:.1f} % of the time, 95 % of the draws within {100 * off:.1f} of that"
    return abs(middle - 0.5) <= off, said


def attacks(out: Path, seed: int, trials: int | None) -> Report:
    """The same plays and situations with three kinds of attacker."""
    rows: list[dict[str, Any]] = []
    scored = {}
    for attacker in ATTACKERS:
        done = sweep(partial(_attack, attacker), [seed + k for k in range(trials or DRILLS)], attacker)
        scored[attacker] = np.array([one["goals"] for one in done], dtype=float)
        rows.append(
            {
                "attacker": attacker,
                "attacks": len(done),
                "goals": sum(one["goals"] for one in done),
                "fouls and time out": sum(
                    one["ended"] in ("time", "dribbled too far", "crash") for one in done
                ),
                "mean seconds": float(np.mean([one["seconds"] for one in done])),
            }
        )
    low, high = interval(scored["physics"], scored["reactive"], seed)
    ours, theirs = (int(scored[attacker].sum()) for attacker in ("physics", "reactive"))
    ratio = f"{ours / theirs:.2f}" if theirs else "none to compare with"
    conclusions = [
        Conclusion(
            "Looking ahead scores at least 1.3 times as often as rules",
            True if low >= RATIO else False if high < RATIO else None,
            f"{ours} against {theirs} goals: {ratio}, 95 % of the draws from {low:.2f} to {high:.2f}",
        )
    ]
    notes = [f"The seed's planner scored {TABLE_7_1} % of the goals one against one (table 7.1)."]
    return Report("soccer-attacks", "Attacks from the same situations", rows, conclusions, notes)


def interval(seen: np.ndarray, known: np.ndarray, seed: int) -> tuple[float, float]:
    """Within which 95 % of the ratios of goals lie when attacks, each with both its results, are drawn anew.

    >>> interval(np.ones(50), np.ones(50), 0)
    (1.0, 1.0)
    """
    picks = generator(seed, "draws").integers(0, len(seen), (DRAWN, len(seen)))
    ratios = seen[picks].sum(axis=1) / np.maximum(known[picks].sum(axis=1), 1.0)
    low, high = np.percentile(ratios, [2.5, 97.5])
    return float(low), float(high)


def _match(other: str, minutes: float, seed: int) -> dict[str, Any]:
    ours = seed % 2  # which colour we play
    names = ("swerve", other) if ours == 0 else (other, "swerve")
    played = play_match(*names, MatchOptions(minutes=minutes), seed)
    score, log = played.referee.score, played.log
    return {
        "for": score[ours],
        "against": score[1 - ours],
        "blue": score[0],
        "held": log.possession[0],
        "passes": log.passes[ours],
        "fouls": sum(played.referee.fouls[ours].values()),
        "contact": log.most_contact,
        "missed": played.missed / max(2 * log.frames, 1),
    }


def _attack(attacker: str, seed: int) -> dict[str, Any]:
    book = load_playbook("swerve").model_copy(update={"attacker": attacker})
    done = attack(book, load_playbook("reactive"), seed)
    return {"goals": done.goals, "ended": done.ended, "seconds": done.seconds}
