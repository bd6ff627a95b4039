"""Figures 6, 7, 9 and 10 of Brogan and Hodgins (2002): curves and herds, with the map and without."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.sweep import sweep
from swerve.riders import load_rider
from swerve.riders.draw import draw_curve_errors, draw_curves, draw_errors, draw_herd
from swerve.riders.maps.stored import load_map
from swerve.riders.steering.curves import CORNER, PRINTED, TURNS, Course, curve
from swerve.riders.steering.follow import FALL_ERROR, Followed, follow, paces_for, starts_beside
from swerve.riders.steering.herd import herd, scatter
from swerve.riders.steering.herded import Herded
from swerve.riders.steering.simple import Simple
from swerve.riders.steering.tune import MakeRide, load_tuned

from .report import Conclusion, Report

STARTS = 10
HERD_SECONDS = 31.0
SHARP = slice(4, 7)  # curves 5 to 7: high curvature
GENTLE = slice(0, 3)
UNAIMED_SECONDS = 0.8  # of riding: the reach of a simple controller that nobody tuned
THREADS = os.cpu_count() or 1
HERDERS = ("lod", "simple", "straight on")


def figure_6(out: Path, seed: int, trials: int | None, make: MakeRide | None = None) -> Report:
    """The human on seven curves; `make(n)` gives riders, by default in full physics."""
    runs, errors = ride_curves("human", seed, trials or STARTS, make)
    lod, simple, unaimed = (errors[name].mean(axis=1) for name in ("lod", "simple", "unaimed"))
    slope = np.polyfit(np.arange(7), unaimed, 1)
    straight = 1 - np.var(unaimed - np.polyval(slope, np.arange(7))) / np.var(unaimed)
    conclusions = [
        Conclusion(
            "without the map the error grows linearly with the corner",
            slope[0] > 0 and straight > 0.9,
            f"{slope[0]:.2f} m a curve, a line explains {straight:.0%}",
        ),
        Conclusion(
            "with the map the whole range of curves is tracked better",
            bool((lod < unaimed).all()),
            f"{lod.mean():.2f} m against {unaimed.mean():.2f} m on average",
        ),
        Conclusion(
            "(ours) also better than a simple controller tuned to look ahead, on every sharp curve",
            bool((lod[SHARP] < simple[SHARP]).all()),
            ", ".join(f"{a:.2f} against {b:.2f} m" for a, b in zip(lod[SHARP], simple[SHARP], strict=True)),
        ),
        Conclusion(
            "(ours) and on average over all seven",
            lod.mean() <= simple.mean(),
            f"{lod.mean():.3f} m against {simple.mean():.3f} m",
        ),
    ]
    also = ride_otherwise("human", seed, trials or STARTS, make)
    return curve_report("brogan-fig6", "human", out, runs, errors, conclusions, also)


def figure_7(out: Path, seed: int, trials: int | None) -> Report:
    """The alien on seven curves."""
    runs, errors = ride_curves("alien", seed, trials or STARTS)
    lod, simple, unaimed = (errors[name].mean(axis=1) for name in ("lod", "simple", "unaimed"))
    human = ride_curves("human", seed, 1)[1]
    conclusions = [
        Conclusion(
            "both controllers track the curves with much smaller errors than the human",
            lod.mean() < 0.7 * human["lod"].mean() and unaimed.mean() < 0.7 * human["unaimed"].mean(),
            f"with the map {lod.mean():.2f} against {human['lod'].mean():.2f} m, "
            f"without {unaimed.mean():.2f} against {human['unaimed'].mean():.2f} m",
        ),
        Conclusion(
            "the map is worse than the simple controller on curves of low curvature",
            lod[GENTLE].mean() > simple[GENTLE].mean(),
            f"{lod[GENTLE].mean():.2f} against {simple[GENTLE].mean():.2f} m "
            f"(simple without look ahead: {unaimed[GENTLE].mean():.2f} m)",
        ),
        Conclusion(
            "the map is slightly better than the simple controller on curves of high curvature",
            lod[SHARP].mean() < simple[SHARP].mean(),
            f"{lod[SHARP].mean():.2f} against {simple[SHARP].mean():.2f} m "
            f"(simple without look ahead: {unaimed[SHARP].mean():.2f} m)",
        ),
    ]
    also = ride_otherwise("alien", seed, trials or STARTS)
    report = curve_report("brogan-fig7", "alien", out, runs, errors, conclusions, also)
    asked, got = float(TURNS[-1] / CORNER), fastest_turning(runs["lod"])
    report.notes.append(
        f"Curve 7 asks for {asked:.2f} rad/s; with the map the alien turned at {got:.2f} rad/s at most over "
        f"3 s. The map's turns go to {load_map('alien').turns[-1]:.2f} rad, where falls begin by trial; "
        f"simple controllers command at most {load_rider('alien').turns[1]:g} rad."
    )
    return report


def fastest_turning(done: Followed) -> float:
    """The largest yaw rate [rad/s] any rider kept up over 3 s."""
    over = min(30, len(done.t) - 1)
    yaw = done.pose[..., 2]
    return float(np.abs(yaw[over:] - yaw[:-over]).max() / (0.1 * over))


def figure_9(out: Path, seed: int, trials: int | None) -> Report:
    """Sixteen humans form a herd."""
    return herd_report("brogan-fig9", "human", out, seed, trials or STARTS)


def figure_10(out: Path, seed: int, trials: int | None) -> Report:
    """Sixteen aliens form a herd."""
    return herd_report("brogan-fig10", "alien", out, seed, trials or STARTS)


def ride_curves(
    name: str, seed: int, starts: int, make: MakeRide | None = None
) -> tuple[dict[str, Followed], dict[str, np.ndarray]]:
    """Every controller on seven curves from the same starts: the rides, and mean errors (7, starts)."""
    body, map_, tuned = load_rider(name), load_map(name), load_tuned(name)
    ways = seven_curves(body.speed, starts)
    controllers: dict[str, Any] = {
        "lod": tuned.navigator(map_, "path", THREADS),
        "simple": tuned.simple_for(body.turns, "path"),
        "unaimed": Simple(body.turns, UNAIMED_SECONDS * body.speed),
    }
    make, begin = make or partial(body.start, threads=THREADS), starts_beside(ways, seed)
    runs = {key: follow(make(len(ways)), body.speed, ways, one, begin) for key, one in controllers.items()}
    return runs, {key: run.mean_error.reshape(len(TURNS), starts) for key, run in runs.items()}


def ride_otherwise(
    name: str, seed: int, starts: int, make: MakeRide | None = None
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Mean errors [m] and falls (7, starts) with the map, by the seed's own rule and its printed weights, and
    on corners of the length that it prints, as fast as they allow."""
    body, map_, tuned = load_rider(name), load_map(name), load_tuned(name)
    make = make or partial(body.start, threads=THREADS)
    long, printed = seven_curves(body.speed, starts), seven_curves(body.speed, starts, PRINTED[name])
    seeds_rule = tuned.navigator(map_, "path", THREADS, "seed")
    ours, paces = tuned.navigator(map_, "path", THREADS), paces_for(printed, map_)
    runs = {
        "the seed's rule [m]": follow(
            make(len(long)), body.speed, long, seeds_rule, starts_beside(long, seed)
        ),
        f"corners of {PRINTED[name]:g} m as printed, speed planned [m]": follow(
            make(len(printed)), body.speed, printed, ours, starts_beside(printed, seed), paces
        ),
    }
    shape = (len(TURNS), starts)
    return {key: (run.mean_error.reshape(shape), run.fell.reshape(shape)) for key, run in runs.items()}


def seven_curves(speed: float, starts: int, length: float | None = None) -> list[Course]:
    """The seven curves, each as often as there are `starts`."""
    seven = [curve(k, speed, length) for k in range(1, len(TURNS) + 1)]
    return [way for way in seven for _ in range(starts)]


def curve_report(
    study: str,
    name: str,
    out: Path,
    runs: dict[str, Followed],
    errors: dict[str, np.ndarray],
    conclusions: list[Conclusion],
    also: dict[str, tuple[np.ndarray, np.ndarray]],
) -> Report:
    rows: list[dict[str, Any]] = [
        {
            "curve": k + 1,
            "turns by [°]": round(float(np.degrees(TURNS[k]))),
            "with the map [m]": float(errors["lod"][k].mean()),
            "simple, tuned [m]": float(errors["simple"][k].mean()),
            "simple, no look ahead [m]": float(errors["unaimed"][k].mean()),
            **{title: float(error[k].mean()) for title, (error, _) in also.items()},
            "falls": int(
                sum(run.fell.reshape(len(TURNS), -1)[k].sum() for run in runs.values())
                + sum(fell[k].sum() for _, fell in also.values())
            ),
        }
        for k in range(len(TURNS))
    ]
    seven = list({way.name: way for way in runs["lod"].ways}.values())
    files = [
        draw_curve_errors(out / f"{study}.png", errors, f"The {name} on seven curves"),
        draw_curves(out / f"{study}-tracks.png", runs, seven, f"The {name} on seven curves"),
    ]
    starts = errors["lod"].shape[1]
    notes = [
        f"Mean distance between the centre of mass and the path within the corner, {starts} starts a curve; "
        f"a fall counts as {FALL_ERROR:g} m. Corners take 7 s, as the seed says, where none is given; "
        "those that it prints are shorter. "
        "The seed's simple controller is not printed; ours comes in two kinds: one that steers by its "
        "present error alone, and one that aims ahead and is tuned by annealing like the map's weights."
    ]
    return Report(study, f"The {name} on seven curves", rows, conclusions, notes, files)


def ride_herds(name: str, seed: int, starts: int) -> dict[str, list[Herded]]:
    """Sixteen riders from the same random places with every controller, in full physics."""
    todo = [(name, key, seed + k) for key in HERDERS for k in range(starts)]
    done = sweep(ride_herd, todo, f"herds of {name}")
    return {key: done[i * starts : (i + 1) * starts] for i, key in enumerate(HERDERS)}


def ride_herd(item: tuple[str, str, int]) -> Herded:
    """One herd of a body with a controller, from the places of a seed."""
    name, controller, seed = item
    body, map_, tuned = load_rider(name), load_map(name), load_tuned(name)
    simple = tuned.simple_for(body.turns, "herd")
    controllers: dict[str, Any] = {
        "lod": tuned.navigator(map_, "herd"),
        "simple": simple,
        "straight on": replace(simple, foreseeing=True),
    }
    start = body.start(16, THREADS)
    return herd(start, body.speed, controllers[controller], scatter(16, seed, body.radius), HERD_SECONDS)


def herd_report(study: str, name: str, out: Path, seed: int, starts: int) -> Report:
    runs = ride_herds(name, seed, starts)
    error = {key: np.array([one.position_error for one in all_]) for key, all_ in runs.items()}
    rows: list[dict[str, Any]] = [
        {
            "controller": key,
            **{f"error at {t} s [m]": float(error[key][:, 10 * t].mean()) for t in (0, 5, 10, 20, 30)},
            "mean over 30 s [m]": float(error[key][:, :300].mean()),
            "settled after [s]": _mean_or_none([one.settling_time for one in all_]),
            "swing after 10 s [m]": swing_after(error[key]),
            "falls": int(sum(one.fell.sum() for one in all_)),
        }
        for key, all_ in runs.items()
    ]
    at = {row["controller"]: row for row in rows}
    lod, simple, straight = at["lod"], at["simple"], at["straight on"]
    conclusions = [
        Conclusion(
            "with the map the herd forms more quickly",
            lod["mean over 30 s [m]"] < simple["mean over 30 s [m]"],
            f"mean error over 30 s {lod['mean over 30 s [m]']:.3f} against "
            f"{simple['mean over 30 s [m]']:.3f} m; after 5 s {lod['error at 5 s [m]']:.2f} against "
            f"{simple['error at 5 s [m]']:.2f} m",
        ),
        Conclusion(
            "after 30 s the mean position error with the map is lower than without",
            lod["error at 30 s [m]"] < simple["error at 30 s [m]"],
            f"{lod['error at 30 s [m]']:.3f} against {simple['error at 30 s [m]']:.3f} m",
        ),
        Conclusion(
            "simple riders overshoot and swing about their places while settling",
            simple["swing after 10 s [m]"] > 1.2 * lod["swing after 10 s [m]"],
            f"{simple['swing after 10 s [m]']:.4f} against {lod['swing after 10 s [m]']:.4f} m",
        ),
        Conclusion(
            "(ours) also better than simple riders that foresee others going straight on: on the whole",
            lod["mean over 30 s [m]"] < straight["mean over 30 s [m]"],
            f"mean error over 30 s {lod['mean over 30 s [m]']:.3f} against "
            f"{straight['mean over 30 s [m]']:.3f} m; after 10 s {lod['error at 10 s [m]']:.3f} against "
            f"{straight['error at 10 s [m]']:.3f} m",
        ),
        Conclusion(
            "(ours) and after 30 s, when both have settled",
            lod["error at 30 s [m]"] < straight["error at 30 s [m]"],
            f"{lod['error at 30 s [m]']:.3f} against {straight['error at 30 s [m]']:.3f} m",
        ),
        Conclusion("(ours) nobody falls", all(row["falls"] == 0 for row in rows), f"{starts} starts"),
    ]
    title = f"Sixteen {name} riders form a herd"
    radius = load_rider(name).radius
    files = [
        draw_errors(out / f"{study}.png", runs, title),
        draw_herd(out / f"{study}-herd.png", runs["lod"][0], radius, title),
    ]
    notes = [
        f"{starts} starts, {HERD_SECONDS:g} s each; the seed rode one start for 120 s (human) and 60 s "
        "(alien). Along the direction of travel all controllers correct by the same law of speed. Riders "
        "with the map aim at where their places will be, foreseen by it; simple ones at where they are now; "
        "the third kind is simple, but takes its neighbours to go straight on."
    ]
    return Report(study, title, rows, conclusions, notes, files)


def swing_after(error: np.ndarray) -> float:
    """How much the mean error still goes up and down after 10 s [m]: its deviation off a slow mean."""
    late = error[:, 100:]
    width = 50
    kernel = np.ones(width) / width
    slow = np.array([np.convolve(row, kernel, mode="valid") for row in late])
    return float((late[:, width // 2 : width // 2 + slow.shape[1]] - slow).std(axis=1).mean())


def _mean_or_none(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None
