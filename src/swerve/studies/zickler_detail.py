"""Zickler 2010, chapter 9: how often to plan again in hallway and maze, and how far ahead in detail.

Every setting drives past the same obstacles, seed by seed, so that settings are compared drive by drive.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.seeding import generator
from swerve.core.show.figures import ACCENT, GOOD, INK, figure
from swerve.core.sweep import sweep
from swerve.tactics.loop import PlayOptions
from swerve.tactics.loop.play import Score, score_of

from .paired import POINTS, RARE, RATIO, SAMPLES, Spread, at_most, both, more_than, mostly, spread
from .report import Conclusion, Report

HORIZONS = (0.3, 0.5, 0.7, 1.0, 1.5, 2.5, 5.7)  # [s], the last as good as full detail
INTERVALS = (0.25, 0.5, 1.0, 2.0)  # [s]
UNCERTAINTIES = (0.0, 0.25, 0.5, 0.75, 1.0)
QUICKER, HALF = 80.0, 50.0  # [%] of the time of full detail
SAFE = 2.0  # points of collisions more than with it
DRIVES = 5


def figure_9_6(out: Path, seed: int, trials: int | None) -> Report:
    """Uncertainty and the interval between plans, in the hallway with full detail."""
    settings = [(u, i) for u in UNCERTAINTIES for i in INTERVALS]
    done = {
        s: driven("hallway", PlayOptions(uncertainty=s[0], interval=s[1]), seed, trials) for s in settings
    }
    rows = [{"uncertainty": u, "interval [s]": i, **_figures(done[u, i])} for u, i in settings]
    _measure(rows)
    often, rarely = INTERVALS[0], INTERVALS[-1]
    calm = collided_more(done[0.0, rarely], done[0.0, often])
    unsure = collided_more(done[1.0, rarely], done[1.0, often])
    effort = share_of_time(done[0.0, often], done[0.0, rarely])
    best = [max((row for row in rows if row["uncertainty"] == u), key=_performance) for u in (0.0, 1.0)]
    calmest, wildest = (row["interval [s]"] for row in best)
    conclusions = [
        Conclusion(
            "Without uncertainty, long intervals collide as rarely as short ones",
            at_most(calm, SAFE),
            f"{calm.words()} points more in plans every {rarely} s than every {often} s",
        ),
        Conclusion(
            "With uncertainty, long intervals collide more",
            more_than(unsure, 0.0),
            f"{unsure.words()} points",
        ),
        Conclusion(
            "Short intervals cost planning time",
            more_than(effort, 100.0),
            f"{effort.words(' %')} of the time",
        ),
        Conclusion(
            "The best interval is shorter with uncertainty than without",
            _best_shorter(settings, done, generator(seed, "drives drawn")),
            f"{calmest} s at 0, {wildest} s at 1",
        ),
    ]
    return Report("zickler-9.6", "Figure 9.6: uncertainty and replanning", rows, conclusions)


def figure_9_7(out: Path, seed: int, trials: int | None) -> Report:
    """The horizon of detail, in hallway and maze, plans every half second."""
    rows: list[dict[str, Any]] = []
    conclusions = []
    drives = {}
    for game, uncertainty in (("hallway", 0.75), ("maze", 0.5)):
        done = []
        for horizon in HORIZONS:
            options = PlayOptions(uncertainty=uncertainty, interval=0.5, t_lod=horizon)
            done.append(driven(game, options, seed, trials))
        drives[game] = done
        mine = [
            {"game": game, "t_LOD [s]": horizon, **_figures(each), **_beside_full(each, done[-1])}
            for horizon, each in zip(HORIZONS, done, strict=True)
        ]
        _measure(mine)
        shares = _best_shares(done, generator(seed, f"drives drawn, {game}"))
        for row, share in zip(mine, shares, strict=True):
            row["best in % of samples"] = share
        rows += mine
        conclusions.append(_saving(game, done, QUICKER, "a fifth less planning time, and as safe"))
        if game == "hallway":
            conclusions.append(_saving(game, done, HALF, "half the planning time, 2 points more collisions"))
            blind = collided_more(done[0], done[-1])
            said = "hallway: a horizon below the interval collides more than full detail"
            conclusions.append(Conclusion(said, more_than(blind, 0.0), f"{blind.words()} points"))
    report = Report("zickler-9.7", "Figure 9.7: variable level of detail", rows, conclusions)
    report.files.append(_draw(drives, out / "zickler-9.7.png"))
    return report


def _draw(drives: dict[str, list[list[Score]]], path: Path) -> Path:
    """Planning time and collisions by horizon beside those of full detail, with ranges of 95 %."""
    what = {
        "planning time [%]": (share_of_time, 100.0, HALF),
        "collisions, points more": (collided_more, 0.0, SAFE),
    }
    with figure(path, (9.0, 5.6), rows=2, columns=len(drives), sharex=True, sharey="row") as axes:
        for column, (game, done) in zip(axes.T, drives.items(), strict=True):
            for axis, (compare, same, bar) in zip(column, what.values(), strict=True):
                found = [compare(scores, done[-1]) for scores in done[:-1]]
                values = np.array([each.value for each in found])
                reach = np.array([(each.value - each.low, each.high - each.value) for each in found]).T
                axis.axhline(same, color=INK, linewidth=0.8)
                axis.axhline(bar, color=GOOD, linewidth=0.8, linestyle="--")
                reach = np.where(np.isfinite(reach), reach, 0.0)
                axis.errorbar(HORIZONS[:-1], values, reach, color=ACCENT, marker="o", capsize=3)
            column[0].set_title(f"{game}, {len(done[0])} drives each")
            column[-1].set_xlabel("horizon of detail [s]")
            column[-1].set_xscale("log")
            column[-1].set_xticks(HORIZONS[:-1], [f"{horizon:g}" for horizon in HORIZONS[:-1]])
            column[-1].minorticks_off()
        axes[0, 0].set_ylim(bottom=0.0)  # once all is drawn: it ends the scaling
        for axis, words in zip(axes[:, 0], what, strict=True):
            axis.set_ylabel(words)
    return path


def _best_shorter(
    settings: list[tuple[float, float]],
    done: dict[tuple[float, float], list[Score]],
    random: np.random.Generator,
) -> bool | None:
    """Whether the interval that performs best is shorter at uncertainty 1 than at 0: the best of a few drives
    is largely luck."""
    drives = [done[setting] for setting in settings]
    intervals = np.array([interval for _, interval in settings])
    calm, wild = (np.flatnonzero([u == uncertainty for u, _ in settings]) for uncertainty in (0.0, 1.0))

    def shorter(drawn: np.ndarray) -> np.ndarray:
        performance = _performances_of(drives, drawn)
        best = (intervals[some[np.argmax(performance[some], axis=0)]] for some in (calm, wild))
        return np.greater(*best)

    return mostly(shorter, len(drives[0]), random)


def _best_shares(done: list[list[Score]], random: np.random.Generator) -> list[float | None]:
    """In how many of a hundred samples, drawn from the drives with repetition, each setting performs best;
    None where there is one drive, of which all samples are the same."""
    n = len(done[0])
    if n < 2:
        return [None] * len(done)
    best = np.argmax(_performances_of(done, random.integers(n, size=(SAMPLES, n))), axis=0)
    shares: list[float | None] = (100 * np.bincount(best, minlength=len(done)) / SAMPLES).tolist()
    return shares


def _performances_of(drives: list[list[Score]], drawn: np.ndarray) -> np.ndarray:
    """(settings, samples) of samples of drives (samples, drives)."""
    each = [[(s.collided, s.intervals, sum(s.planning)) for s in mine] for mine in drives]
    collided, plans, seconds = np.array(each, dtype=float)[:, drawn].sum(axis=2).transpose(2, 0, 1)
    return performances(collided / np.maximum(plans, 1), seconds)


def driven(game: str, options: PlayOptions, seed: int, trials: int | None) -> list[Score]:
    """What came of drives with seeds from `seed` on."""
    seeds = range(seed, seed + (trials or DRIVES))
    how = ", ".join(f"{name} {value}" for name, value in options.as_dict().items() if name in _NAMED)
    return sweep(partial(score_of, game, options), seeds, f"{game}, {how}")


_NAMED = ("uncertainty", "interval", "t_lod")


def collision_rate(scores: list[Score], which: np.ndarray) -> float:
    """[%] of plans."""
    plans = sum(scores[k].intervals for k in which)
    return 100 * sum(scores[k].collided for k in which) / max(plans, 1)


def collided_more(scores: list[Score], others: list[Score]) -> Spread:
    """By how many points."""
    plans = min(sum(score.intervals for score in each) for each in (scores, others))

    def more(which: np.ndarray) -> float:
        return collision_rate(scores, which) - collision_rate(others, which)

    return spread(more, len(scores), RARE / max(plans, 1), POINTS)


def share_of_time(scores: list[Score], others: list[Score]) -> Spread:
    """Planning time in % of that of others."""
    spent = [np.array([sum(s.planning) for s in each]) for each in (scores, others)]
    return spread(
        lambda k: float(100 * spent[0][k].sum() / max(spent[1][k].sum(), 1e-9)), len(scores), within=RATIO
    )


def _saving(game: str, done: list[list[Score]], most: float, words: str) -> Conclusion:
    """Whether a horizon saves time with hardly more collisions. It is chosen by the drives of even numbers
    and judged by those of odd ones: the best of many is a little better than it is."""
    chosen = [{"t": k, **_figures(scores[::2])} for k, scores in enumerate(done)]
    _measure(chosen)
    best = max(chosen[:-1], key=_performance)["t"]
    mine, full = done[best][1::2] or done[best], done[-1][1::2] or done[-1]
    time, more = share_of_time(mine, full), collided_more(mine, full)
    holds = both(at_most(time, most), at_most(more, SAFE))
    evidence = f"at {HORIZONS[best]} s {time.words(' %')} of the time, {more.words()} points more collisions"
    return Conclusion(f"{game}: {words}", holds, f"{evidence}, {len(mine)} drives")


def _figures(scores: list[Score]) -> dict[str, Any]:
    everyone = np.arange(len(scores))
    return {
        "collision %": collision_rate(scores, everyone),
        "planning [s]": float(np.mean([sum(s.planning) for s in scores])),
        "reached %": 100 * float(np.mean([s.success for s in scores])),
    }


def _beside_full(scores: list[Score], full: list[Score]) -> dict[str, Any]:
    return {
        "points more": collided_more(scores, full).words(),
        "% of the time": share_of_time(scores, full).words(),
    }


def _measure(rows: list[dict[str, Any]]) -> None:
    """The original's measure of performance: (1 - collisions)·(1 - time), both over the greatest."""
    found = performances(*(np.array([row[name] for row in rows]) for name in ("collision %", "planning [s]")))
    for row, value in zip(rows, found.tolist(), strict=True):
        row["performance"] = value


def performances(collisions: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """The same of arrays whose first axis is that of the settings."""
    shares = (values / np.maximum(values.max(axis=0), 1e-9) for values in (collisions, seconds))
    return np.prod([1 - share for share in shares], axis=0)


def _performance(row: dict[str, Any]) -> float:
    return float(row["performance"])
