"""Rows of a table from drives, and fair comparisons between two of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import require

from .adam_cases import CASES
from .adam_pictures import times
from .adam_runs import Case, Outcome, run_cases
from .report import Conclusion, Report

TRIALS = 10
CLEARLY = 0.2  # share of the trials by which one setting must finish more often to be called better
SLOWER = 0.2  # [s] by which a drive must take longer to count as slower
THEIR_SECONDS_A_FRAME = 5.0  # [s] of planning, as the original reports for its final track

Runs = dict[str, list[Outcome]]


def drives(study: str, seed: int, trials: int | None) -> Runs:
    """All drives of a study, by the name of the row."""
    trials = TRIALS if trials is None else trials
    require(trials >= 1, "trials", trials, "must be at least 1")
    cases = CASES[study]
    done = run_cases(list(cases.values()), seed, trials, study)
    return {name: done[case] for name, case in cases.items()}


def rows(runs: Mapping[str, Sequence[Outcome]], survival: bool = False) -> list[dict[str, Any]]:
    """A row a case. Times are of drives that got through; of all drives when `survival` counts."""
    return [_row(outcomes[0].case, outcomes, survival) for outcomes in runs.values()]


def _row(case: Case, outcomes: Sequence[Outcome], survival: bool) -> dict[str, Any]:
    frames = sum(len(o.states) - 1 for o in outcomes)
    got_through = [o for o in outcomes if (o.survived if survival else o.finished)]
    seconds = np.array([o.seconds for o in (outcomes if survival else got_through)])
    spread = float(seconds.std(ddof=1)) if len(seconds) > 1 else None
    traffic = "evenly spaced" if case.even else "own"
    return {
        "tree": case.tree,
        "look-ahead [frames]": case.horizon,
        "clips": case.clips,
        "node limit": case.nodes,
        "method": "our guide" if case.guided else "the original's",
        "cars": f"{outcomes[0].cars} {traffic}" if outcomes[0].cars else "none",
        "the original's result": case.theirs,
        "survived" if survival else "finished": f"{len(got_through)} of {len(outcomes)}",
        "mean [s]": float(seconds.mean()) if len(seconds) else None,
        "spread [s]": spread,
        "least [s]": float(seconds.min()) if len(seconds) else None,
        "most [s]": float(seconds.max()) if len(seconds) else None,
        "crashes at [s]": ", ".join(f"{o.seconds:.0f}" for o in outcomes if o.crashed) or None,
        "skid [s]": float(np.mean([o.skid_seconds for o in outcomes])),
        "nodes a plan": round(float(np.mean([o.nodes_kept for o in outcomes]))),
        "planning [ms/frame]": 1e3 * sum(o.plan_seconds for o in outcomes) / max(frames, 1),
        "contacts unseen": sum(o.unseen_contact for o in outcomes),
    }


def timed(name: str, title: str, out: Path, runs: Runs, found: list[Conclusion], why: str) -> Report:
    """The report of a study whose rows are times to the finish; `why` it came out as it did."""
    picture = times(out / f"{name}.png", {o[0].case: o for o in runs.values()}, title)
    return Report(name, title, rows(runs), found, [why, planning_note(runs)], [picture])


def finished(outcomes: Sequence[Outcome]) -> int:
    return sum(o.finished for o in outcomes)


def mean(outcomes: Sequence[Outcome]) -> float:
    """Mean time of the drives that finished [s]."""
    done = [o.seconds for o in outcomes if o.finished]
    return float(np.mean(done)) if done else float("nan")


def told(outcomes: Sequence[Outcome]) -> str:
    """`44.3 s (10 of 10)`: mean time and how many finished."""
    share = f"{finished(outcomes)} of {len(outcomes)}"
    return f"{mean(outcomes):.1f} s ({share})" if finished(outcomes) else f"none of {len(outcomes)}"


def survivors(outcomes: Sequence[Outcome]) -> str:
    """`9 of 10`: how many did not crash."""
    return f"{sum(o.survived for o in outcomes)} of {len(outcomes)}"


def better(a: Sequence[Outcome], b: Sequence[Outcome]) -> tuple[bool, str]:
    """Whether `a` is better than `b`, trial by trial, and the figures.

    Better is to finish clearly more often; or, finishing about as often, to be faster by more than twice
    the standard error of the difference over the trials that both finished.
    """
    more = finished(a) - finished(b)
    if abs(more) >= max(1.0, CLEARLY * len(a)):
        return more > 0, f"{told(a)} against {told(b)}"
    gain = np.array([y.seconds - x.seconds for x, y in zip(a, b, strict=True) if x.finished and y.finished])
    if len(gain) == 0:
        return False, "no trial in which both finish"
    error = float(gain.std(ddof=1) / np.sqrt(len(gain))) if len(gain) > 1 else 0.0
    text = f"{told(a)} against {told(b)}: {gain.mean():+.2f} ± {error:.2f} s gained a trial"
    return bool(gain.mean() > 2 * error and gain.mean() > 0), text


OFTEN = 0.2  # of the trials


def not_always(text: str, pairs: Sequence[tuple[str, Sequence[Outcome], Sequence[Outcome]]]) -> Conclusion:
    """More of something does not always help: how often the larger search was slower, or crashed.

    One trial in many proves little: it holds where at least `OFTEN` of them got worse. The evidence says
    how many did.
    """
    worse, total, told_pairs = 0, 0, []
    for name, less, more in pairs:
        for small, large in zip(less, more, strict=True):
            if small.finished:
                total += 1
                worse += not large.finished or large.seconds > small.seconds + SLOWER
        told_pairs.append(f"{name} {told(less)} to {told(more)}")
    evidence = f"worse in {worse} of {total} trials; " + "; ".join(told_pairs)
    return Conclusion(text, worse > 0 and worse >= OFTEN * total, evidence)


def planning_note(runs: Mapping[str, Sequence[Outcome]]) -> str:
    """Planning time a frame against the original's."""
    table = {
        name: sum(o.plan_seconds for o in outcomes) / max(1, sum(len(o.states) - 1 for o in outcomes))
        for name, outcomes in runs.items()
    }
    least, most = min(table, key=table.__getitem__), max(table, key=table.__getitem__)
    longest = max(max(o.plan_seconds for o in outcomes) for outcomes in runs.values())
    unseen = sum(o.unseen_contact for outcomes in runs.values() for o in outcomes)
    total = sum(len(outcomes) for outcomes in runs.values())
    return (
        f"Planning took {1e3 * table[least]:.2g} ({runs[least][0].case.label}) to {1e3 * table[most]:.3g} ms "
        f"({runs[most][0].case.label}) a frame of 40 ms, and {longest:.1f} s for the longest drive; the "
        f"original reports about {THEIR_SECONDS_A_FRAME:g} s a frame, minutes to hours in all, on the "
        f"machines of its day. An independent check of every frame found {unseen} of {total} drives to touch "
        f"anything that the planner had not seen."
    )
