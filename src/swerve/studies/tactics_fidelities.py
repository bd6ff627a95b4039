"""The same games planned in the full engine, on the planar model, and on both.

Games of one seed have the same layout and the same noise, whatever plans are searched on. From the first
plan on they go their own ways, so that pairs differ by luck, too: the table says by how many points.
Soccer is compared frame by frame as well: from what was seen in frames of one game, all three plan anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.sweep import sweep
from swerve.tactics.loop import PlayOptions, soccer
from swerve.tactics.loop.play import Score, score_of
from swerve.tactics.loop.striker import Dribbler
from swerve.tactics.plan import FIDELITIES, SolveOptions

from .paired import POINTS, RARE, RATIO, Spread, at_least, at_most, both, more_often, spread
from .report import Conclusion, Report

GAMES = ("minigolf", "minigolf-one-bounce", "minigolf-two-bounces", "soccer")
WITHIN = 3.0  # points of success
QUARTER = 25.0  # [%] of the full engine's seconds
TRIALS = 10
EVERY = 8  # of a game's frames with a plan, one is planned again


def run(out: Path, seed: int, trials: int | None) -> Report:
    """So many courses of every kind and games of soccer, each three times."""
    rows: list[dict[str, Any]] = []
    putts: dict[str, list[Score]] = {fidelity: [] for fidelity in FIDELITIES}
    soccer = putts
    for game in GAMES:
        done = {fidelity: _played(game, fidelity, seed, trials or TRIALS) for fidelity in FIDELITIES}
        rows += [_row(game, fidelity, each, done["full"]) for fidelity, each in done.items()]
        if game == "soccer":
            soccer = done
        else:
            putts = {fidelity: [*putts[fidelity], *done[fidelity]] for fidelity in FIDELITIES}
    conclusions = []
    for name, done in (("minigolf", putts), ("soccer", soccer)):
        more = won_more(done["both"], done["full"])
        spent = seconds_share(done["both"], done["full"])
        conclusions += [
            Conclusion(
                f"{name}: both fidelities succeed as often as the engine alone, within {WITHIN:g} points",
                both(at_least(more, -WITHIN), at_most(more, WITHIN)),
                f"{more.words()} points more in {len(done['both'])} pairs",
            ),
            Conclusion(
                f"{name}: in a quarter of the seconds or less, those of the planar model counted in",
                at_most(spent, QUARTER),
                f"{spent.words(' %')}",
            ),
        ]
    found = sweep(same_frames, range(seed, seed + (trials or TRIALS)), "soccer, the same frames")
    rows += [_frames_row(fidelity, [each[fidelity] for each in found]) for fidelity in FIDELITIES]
    more = shots_more([each["both"] for each in found], [each["full"] for each in found])
    conclusions.append(
        Conclusion(
            f"soccer: from the same frames both find a way to a shot as often, within {WITHIN:g} points",
            both(at_least(more, -WITHIN), at_most(more, WITHIN)),
            f"{more.words()} points more in {sum(len(each['full'].worth) for each in found)} frames",
        )
    )
    return Report("tactics-fidelities", "Tactics: the same games on two fidelities", rows, conclusions)


@dataclass(frozen=True)
class Frames:
    """Of every frame what the plan is worth, more than 1 if it leads to a shot, and all seconds spent."""

    worth: tuple[float, ...]
    engine: float
    planar: float


def same_frames(seed: int) -> dict[str, Frames]:
    """A game as usual, and what each fidelity plans in some of its frames, by fidelity."""
    played = soccer.trial("soccer", PlayOptions(), seed)
    log = played.log
    planned = [k for k, row in enumerate(log.planned) if row is not None][::EVERY]
    found = {}
    for fidelity in FIDELITIES:
        mind = Dribbler(played.problem, 2 * seed, soccer.DRIVE, SolveOptions(fidelity=fidelity))
        worth = []
        for k in planned:
            mind.forget()
            mind.plan(log.estimate[k])
            worth.append(mind.worth)
        found[fidelity] = Frames(tuple(worth), mind.counts.engine, mind.counts.planar)
    return found


def shots_more(games: list[Frames], others: list[Frames]) -> Spread:
    """By how many points more plans lead to a shot."""
    shots = [[100.0 * (np.array(game.worth) > 1.0) for game in each] for each in (games, others)]
    gain = [mine - theirs for mine, theirs in zip(*shots, strict=True)]
    frames = sum(len(each) for each in gain)
    return spread(
        lambda k: float(np.mean(np.concatenate([gain[i] for i in k]))), len(gain), RARE / frames, POINTS
    )


def won_more(scores: list[Score], others: list[Score]) -> Spread:
    """By how many points."""
    return more_often(*(np.array([s.success for s in each], dtype=bool) for each in (scores, others)))


def seconds_share(scores: list[Score], others: list[Score]) -> Spread:
    """Seconds in the engine and on the planar model, a plan, in % of those of others: games that go on for
    longer have more plans."""

    def a_plan(each: list[Score], which: np.ndarray) -> float:
        spent = sum(each[k].engine_seconds + each[k].planar_seconds for k in which)
        return spent / max(sum(len(each[k].planning) for k in which), 1)

    return spread(
        lambda k: 100 * a_plan(scores, k) / max(a_plan(others, k), 1e-12), len(scores), within=RATIO
    )


def _played(game: str, fidelity: str, seed: int, trials: int) -> list[Score]:
    work = partial(score_of, game, PlayOptions(fidelity=fidelity))
    return sweep(work, range(seed, seed + trials), f"{game}, {fidelity}")


def _row(game: str, fidelity: str, scores: list[Score], full: list[Score]) -> dict[str, Any]:
    plans = max(sum(len(s.planning) for s in scores), 1)
    return {
        "game": game,
        "fidelity": fidelity,
        "success %": 100 * float(np.mean([s.success for s in scores])),
        "points more": won_more(scores, full).words(),
        "plans": plans,
        "engine, a plan [ms]": 1000 * sum(s.engine_seconds for s in scores) / plans,
        "planar, a plan [ms]": 1000 * sum(s.planar_seconds for s in scores) / plans,
        "% of the seconds": seconds_share(scores, full).words(),
    }


def _frames_row(fidelity: str, games: list[Frames]) -> dict[str, Any]:
    worth = np.concatenate([game.worth for game in games])
    return {
        "game": "soccer, the same frames",
        "fidelity": fidelity,
        "success %": 100 * float(np.mean(worth > 1.0)),
        "points more": None,
        "plans": len(worth),
        "engine, a plan [ms]": 1000 * sum(game.engine for game in games) / len(worth),
        "planar, a plan [ms]": 1000 * sum(game.planar for game in games) / len(worth),
        "% of the seconds": None,
    }
