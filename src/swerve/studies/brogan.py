"""Tables 1 and 2 of Brogan and Hodgins (2002): what a map leaves out, and the tuned weights.

Their riders are not ours: masses, gains and joints differ. Compared are reasons and findings, and the numbers
stand beside each other.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from swerve.core.seeding import generator
from swerve.riders import load_rider
from swerve.riders.maps.dimensions import (
    CLUSTERS,
    PRINCIPAL,
    Chosen,
    best_pair,
    choose_dimensions,
    is_rate,
    plain,
)
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.reduce import Freedom, reduce
from swerve.riders.maps.stored import load_map
from swerve.riders.steering.decide import Navigator
from swerve.riders.steering.tune import (
    SEED_WEIGHTS,
    TASKS,
    TUNING_STARTS,
    load_tuned,
    path_cost,
    shift_cost,
    tune,
)

from .report import Conclusion, Report

BODIES = ("human", "alien")
MOMENTS = 300  # from which the dimensions are chosen that tell the future
TRIES, STARTS = 150, 3  # of annealing, as for the stored weights
# table 1: part of our name, reason of the angle or place, reason of the rate
THEIRS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("steer", "fork"), "f(roll)", "f(roll, yaw rate)"),
    (("rear spin", "front spin", "wheel"), "symmetrical", "constant"),
    (("crank",), "symmetrical", "constant"),
    (("pelvis",), "constant", "constant"),
    (("waist",), "constant", "constant"),
    (("wrist",), "constant", "constant"),
    (("elbow",), "f(fork)", "f(fork rate)"),
    (("shoulder",), "f(fork)", "f(fork rate)"),
    (("hip",), "f(crank)", "f(crank rate)"),
    (("knee",), "f(crank)", "f(crank rate)"),
    (("ankle",), "f(crank)", "f(crank rate)"),
    (("pitch",), "constant", "constant"),
    (("yaw",), "homogeneous world", "not removed"),
    (("roll",), "not removed", "f(roll, yaw rate)"),
)
PLACES = {
    "x": "homogeneous world",
    "y": "homogeneous world",
    "z": "f(roll)",
    "x rate": "homogeneous world",
    "y rate": "homogeneous world",
    "z rate": "f(roll rate)",
}


def table_1(out: Path, seed: int, trials: int | None) -> Report:
    """Every degree of freedom of the human, why it may be left out, and the seed's reason."""
    human = load_rider("human")
    chosen = choose_dimensions(human, generator(seed, "dimensions"), trials or MOMENTS)
    best, any_pair = best_pair(chosen), chosen[-1]
    by = {c.dimensions: c for c in chosen}
    found = reduce(human, best)
    rows = [
        {
            "freedom": freedom.name,
            "here": freedom.reason,
            "evidence": freedom.evidence,
            "paper": theirs(freedom.name),
            "same kind": "–" if theirs(freedom.name) is None else "yes" if same(freedom) else "no",
            "same arguments": "–" if theirs(freedom.name) is None else "yes" if alike(freedom) else "no",
        }
        for freedom in found
    ]
    roll_rate = next(f for f in found if plain(f.name) == "roll" and is_rate(f.name))
    compared = [freedom for freedom in found if theirs(freedom.name) is not None]
    agreeing, wholly = (sum(rule(freedom) for freedom in compared) for rule in (same, alike))
    conclusions = [
        Conclusion(
            "most degrees of freedom may be left out, for one of four reasons",
            sum(f.reason != "not explained" for f in found) > 0.8 * len(found),
            f"{sum(f.reason != 'not explained' for f in found)} of {len(found)} explained; "
            f"{agreeing} of {len(compared)} for the paper's kind of reason, {wholly} with its arguments too",
        ),
        Conclusion(
            "the roll rate is a function of roll and yaw rate",
            roll_rate.reason in ("f(roll)", "f(yaw rate)", "f(roll, yaw rate)"),
            f"{roll_rate.reason}: {roll_rate.evidence}",
        ),
        Conclusion(
            "roll and yaw rate are the two that tell the future",
            _tells_most(by["roll", "yaw_rate"], chosen),
            f"nearest neighbours told by {_told(best)} after 2 s, by {_told(by['roll', 'yaw_rate'])}",
        ),
        Conclusion(
            "(ours) they tell more than the two principal components of all freedoms do",
            best.tells_more_than(by[PRINCIPAL]),
            _told(by[PRINCIPAL]),
        ),
        Conclusion(
            "(ours) they tell more than clusters of all freedoms do (k-means)",
            best.tells_more_than(by[CLUSTERS]),
            _told(by[CLUSTERS]),
        ),
        Conclusion(
            "(ours) no pair of all freedoms tells clearly more than they do",
            best.tells_more_than(any_pair, 1.5),
            f"the best of all pairs, {_told(any_pair)}",
        ),
    ]
    notes = [
        f"Dimensions are judged on {trials or MOMENTS} moments, seed {seed}; in brackets, within which a "
        "median lies in 95 % of resamplings. A verdict that changes with the resampling is undecided: more "
        "moments (`--trials`) may decide it."
    ]
    return Report("brogan-table1", "Degrees of freedom left out of the map", rows, conclusions, notes)


def _told(one: Chosen) -> str:
    low, high = one.interval()
    return f"{' and '.join(one.dimensions)} {one.median_error:.2f} m off ({low:.2f} to {high:.2f})"


def _tells_most(pair: Chosen, chosen: list[Chosen]) -> bool | None:
    """Whether a pair of a map's own dimensions tells more than each of the others."""
    others = [c for c in chosen if len(c.dimensions) == 2 and not c.of_all and c is not pair]
    verdicts = [pair.tells_more_than(other) for other in others]
    return False if False in verdicts else None if None in verdicts else True


def table_2(out: Path, seed: int, trials: int | None) -> Report:
    """Weights by simulated annealing for both tasks and bodies, and what the seed's weights would cost."""
    rows: list[dict[str, Any]] = []
    better = []
    for name in BODIES:
        map_ = load_map(name)
        on_map = partial(Glide, map_)
        found = tune(on_map, map_, trials or TRIES, seed, STARTS)
        for task in TASKS:
            judge = {"path": path_cost, "herd": shift_cost}[task]
            theirs_ = SEED_WEIGHTS[name][task]
            cost = judge(on_map, map_.speed, Navigator(map_, theirs_), seed + TUNING_STARTS, STARTS)
            mine = found.lod[task]
            rows.append(
                {
                    "body": name,
                    "task": task,
                    "t_max [s]": mine.t_max,
                    "paper's t_max [s]": theirs_.t_max,
                    "ratio": mine.ratio,
                    "paper's ratio": theirs_.ratio,
                    "cost": found.cost[f"{task} lod"],
                    "cost, paper's weights": cost,
                    "cost, simple tuned": found.cost[f"{task} simple"],
                }
            )
            better.append(found.cost[f"{task} lod"] < found.cost[f"{task} simple"])
    by = {(row["body"], row["task"]): row for row in rows}
    conclusions = [
        Conclusion(
            "weights differ from body to body and from task to task, so each is tuned",
            len({(row["t_max [s]"], row["ratio"]) for row in rows}) == len(rows),
            ", ".join(f"{r['body']} {r['task']} {r['t_max [s]']:g}/{r['ratio']:g}" for r in rows),
        ),
        Conclusion(
            "herding looks further ahead than following a path",
            all(by[name, "herd"]["t_max [s]"] > by[name, "path"]["t_max [s]"] for name in BODIES),
            ", ".join(
                f"{name} {by[name, 'path']['t_max [s]']:g} and {by[name, 'herd']['t_max [s]']:g} s"
                for name in BODIES
            ),
        ),
        Conclusion(
            "(ours) tuned alike, the map costs less than the simple controller in every task",
            all(better),
            f"{sum(better)} of {len(better)}",
        ),
    ]
    stored = {name: load_tuned(name) for name in BODIES}
    notes = [
        "Riders are judged on their maps, which is far faster than in full; starts "
        "differ from those of figures 6 to 10. The seed weighs plain errors, and ours are squared "
        "then, so ratios are alike in sense but not in size. The weights in use are stored: "
        + "; ".join(f"{name} {t.as_dict()['lod']}, seed {t.seed}" for name, t in stored.items())
        + "."
    ]
    return Report("brogan-table2", "Weights by simulated annealing", rows, conclusions, notes)


def theirs(name: str) -> str | None:
    """The reason the seed's table gives for a freedom like this one."""
    if name in PLACES:
        return PLACES[name]
    for parts, value, rate in THEIRS:
        if any(part in name for part in parts):
            return rate if is_rate(name) else value
    return None


def same(freedom: Freedom) -> bool:
    """Whether the reasons are of one kind: two functions count as the same."""
    reason = theirs(freedom.name) or ""
    return reason[:2] == freedom.reason[:2] if reason.startswith("f(") else reason == freedom.reason


def alike(freedom: Freedom) -> bool:
    """Whether the reasons are the same, those of functions with the same arguments."""
    return _arguments(theirs(freedom.name) or "") == _arguments(freedom.reason)


def _arguments(reason: str) -> set[str]:
    inner = reason.removeprefix("f(").removesuffix(")").replace("_", " ").replace("steer", "fork")
    return set(inner.split(", ")) if reason.startswith("f(") else {reason}
