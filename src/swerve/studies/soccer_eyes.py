"""Robot soccer by eyes: does a team that knows only what cameras see score as often as one that knows all?

Whole matches have two or three goals in five minutes and take some four minutes of processor time by eyes
(`matches`), so the same staged attacks are played besides: they score some seven times as often. Shots that
would have gone in, and who has the ball, tell more than as many attacks' goals, which keepers decide, too;
and how far off the ball is believed to be says how much is lost by seeing.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.sweep import sweep
from swerve.soccer import MatchOptions, Sight, load_playbook, play_match
from swerve.soccer.drill import attack
from swerve.soccer.game import Match

from .paired import more_often
from .report import Conclusion, Report
from .soccer import interval

DRILLS, MATCHES = 60, 4
SHARE = 0.9  # of the goals with perfect state
WAYS = {"perfect state": Sight(0.0, 0.0, 0.0, 3), "noisy truth": Sight(), "eyes": Sight()}


def eyes(out: Path, seed: int, trials: int | None, seconds: float = 10.0) -> Report:
    """The same attacks with the true state, with noise on it, and through cameras; all three frames late."""
    seeds = [seed + k for k in range(trials or DRILLS)]
    rows: list[dict[str, Any]] = []
    goals, shots, had, off = {}, {}, {}, {}
    for way in WAYS:
        done = sweep(partial(_attack, way, seconds), seeds, way)
        goals[way] = np.array([one["goals"] for one in done], dtype=float)
        shots[way] = np.array([one["on_goal"] for one in done], dtype=float)
        had[way] = np.array([one["had"] for one in done])
        off[way] = np.concatenate([one["off"] for one in done])
        ends = [one["ended"] for one in done]
        rows.append(
            {
                "known": way,
                "attacks": len(done),
                "goals": int(goals[way].sum()),
                "kicks": sum(one["kicks"] for one in done),
                "shots on goal": int(shots[way].sum()),
                "had the ball %": 100 * float(had[way].mean()),
                "lost": ends.count("lost"),
                "mean seconds": float(np.mean([one["seconds"] for one in done])),
                **_ball_off(off[way]),
            }
        )
    conclusions = [
        _at_least("goals with perfect state are scored", goals, "goals", seed),
        _at_least("shots on goal with perfect state are taken", shots, "shots on goal", seed),
        _at_least("share of the ball with perfect state is had", had, "times the whole ball", seed),
    ]
    seen, known = (goals[way] > 0 for way in ("eyes", "perfect state"))
    only_seen, only_known = int((seen & ~known).sum()), int((known & ~seen).sum())
    notes = [
        f"{only_seen} of {len(seeds)} pairs have a goal by eyes alone, {only_known} by the true state alone: "
        f"by eyes {more_often(seen, known).words()} goals of a hundred attacks more."
    ]
    return Report("soccer-eyes", "The same attacks by eyes and with perfect state", rows, conclusions, notes)


def matches(out: Path, seed: int, trials: int | None, minutes: float = 5.0) -> Report:
    """Whole matches of `swerve` against `reactive`, by the true state and through cameras."""
    seeds = [seed + k for k in range(trials or MATCHES)]
    rows: list[dict[str, Any]] = []
    goals = {}
    for way in ("perfect state", "eyes"):
        done = sweep(partial(_match, way, minutes), seeds, way)
        goals[way] = np.array([one["for"] for one in done], dtype=float)
        rows.append(
            {
                "known": way,
                "matches": len(done),
                "goals": int(goals[way].sum()),
                "their goals": sum(one["against"] for one in done),
                "kicks": sum(one["kicks"] for one in done),
                "passes": sum(one["passes"] for one in done),
                "had the ball %": 100 * float(np.mean([one["had"] for one in done])),
            }
        )
    conclusions = [_at_least("goals with perfect state are scored", goals, "goals", seed)]
    return Report("soccer-eyes-matches", f"Matches of {minutes:g} minutes by eyes", rows, conclusions)


def _match(way: str, minutes: float, seed: int) -> dict[str, Any]:
    ours = seed % 2  # which colour we play
    names = ("swerve", "reactive") if ours == 0 else ("reactive", "swerve")
    played = play_match(*names, MatchOptions(minutes=minutes, sight=WAYS[way], eyes=way == "eyes"), seed)
    score, log = played.referee.score, played.log
    return {
        "for": score[ours],
        "against": score[1 - ours],
        "kicks": log.kicks[ours],
        "passes": log.passes[ours],
        "had": log.possession[ours],
    }


def _at_least(claim: str, counts: dict[str, np.ndarray], word: str, seed: int) -> Conclusion:
    """Whether by eyes there is enough of something, as far as so many can tell."""
    low, high = interval(counts["eyes"], counts["perfect state"], seed)
    seen, known = (float(counts[way].sum()) for way in ("eyes", "perfect state"))
    share = f"{seen / known:.2f}" if known else "none to compare with"
    return Conclusion(
        f"By eyes at least {100 * SHARE:.0f} % of the {claim}",
        True if low >= SHARE else False if high < SHARE else None,
        f"{seen:.4g} against {known:.4g} {word}: {share}, 95 % of the draws from {low:.2f} to {high:.2f}",
    )


def _ball_off(off: np.ndarray) -> dict[str, float]:
    """How far off the ball was believed to be [cm], of rows (k, 3): metres, hidden, height."""
    hidden = off[off[:, 1] > 0, 0]
    return {
        "ball off cm": 100 * float(np.median(off[:, 0])),
        "of 100 one more than": 100 * float(np.percentile(off[:, 0], 99)),
        "frames hidden %": 100 * len(hidden) / len(off),
        "off then, of 20 one": 100 * float(np.percentile(hidden, 95)) if len(hidden) else 0.0,
    }


class Off:
    """How far off blue believes the ball to be: a row of metres, hidden or not, and its height each frame of
    an attack; not the first, in which nobody knows yet who moves."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, float, float]] = []

    def __call__(self, match: Match, robots: np.ndarray, ball: np.ndarray) -> None:
        true, tracker = match.world.ball[0], match.tracker
        if match.log.frames > tracker.sight.latency:
            away = float(np.hypot(*(ball[0, :2] - true[:2])))
            self.rows.append((away, float(tracker.hidden[-1]), float(true[2])))


def _attack(way: str, seconds: float, seed: int) -> dict[str, Any]:
    book, other = load_playbook("swerve"), load_playbook("reactive")
    off = Off()
    done = attack(book, other, seed, seconds=seconds, sight=WAYS[way], eyes=way == "eyes", watch=off)
    return {**asdict(done), "off": np.array(off.rows).reshape(-1, 3)}
