"""The three examples of Shiller and Gwo (1991): shortest, fastest, and fastest among obstacles.

Their terrain is printed only as a picture, so the numbers here belong to the scene `mountain`; what is
compared are the conclusions.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from swerve.terrain import PathOptions, Routes, Vehicle, fastest_path, limit_curves, speed_profile
from swerve.terrain.evaluate import PathProblem
from swerve.terrain.fastest import VALLEY, best_apart, warm_up
from swerve.terrain.ground_picture import draw_ground
from swerve.terrain.pictures import draw_forces, draw_limits, draw_relief
from swerve.terrain.refine import refine
from swerve.terrain.route import Route
from swerve.terrain.scenes import OBSTACLES, Scene, scene

from .report import Conclusion, Report

GRID, PATHS, TUBE = (10, 10), 240, 200.0  # as in the paper, section VII
THEIRS: dict[str, tuple[float, ...]] = {"A": (1460.0,), "B": (53.2, 54.0, 54.6), "C": (57.4, 65.0, 73.9)}
SEED_SECONDS = 3600.0  # "in the order of 1 h"
HELD_BACK = 0.01  # of its time, that a motion must lose to a limit that is said to hold it back


def shortest(out: Path, seed: int, trials: int | None) -> Report:
    """Example A: minimise the distance; the result crosses ground on which the vehicle cannot stand."""
    place, routes, seconds = _solve("mountain", "distance")
    best = routes.best
    first = best.profile.first_trouble
    rows = [
        {
            "path": k,
            "length [m]": route.path.length,
            "original [m]": THEIRS["A"][k - 1] if k <= len(THEIRS["A"]) else None,
            "drivable": "yes" if route.feasible else "no",
            "why": route.profile.explain(),
        }
        for k, route in enumerate(routes.found[:3], 1)
    ]
    conclusions = [
        Conclusion(
            "the shortest path is infeasible: sliding and tip-over on the steep slopes in the middle",
            first is not None,
            best.profile.explain(),
        )
    ]
    files = [
        draw_ground(
            out / "shiller-A-path.png", place.terrain, routes.found[:1], place.start, place.goal, "Fig. 9"
        ),
        draw_limits(
            out / "shiller-A-limits.png", best, place.vehicle, "Fig. 10: limits along the shortest path"
        ),
    ]
    return Report("shiller-A", "Minimum distance path", rows, conclusions, [_effort(routes, seconds)], files)


def fastest(out: Path, seed: int, trials: int | None) -> Report:
    """Example B: the time-optimal paths without obstacles."""
    place, routes, seconds = _solve("mountain", "time")
    times = [route.profile.time for route in routes.found]
    close = [t for t in times if t <= 1.03 * times[0]]
    _, direct, _ = _solve("mountain", "distance")
    optima = _optima_of_kept(place, routes)
    conclusions = [
        Conclusion(
            "several local optima exist whose times lie within 3 % of each other",
            len(close) > 1,
            f"{len(close)} do: "
            + ", ".join(f"{t:.2f} s" for t in close)
            + (f"; the next takes {times[len(close)]:.2f} s" if len(times) > len(close) else ""),
        ),
        Conclusion(
            "the fastest path differs from the shortest and is longer",
            routes.best.path.length > direct.best.path.length,
            f"{routes.best.path.length:.0f} m against {direct.best.path.length:.0f} m",
        ),
        Conclusion(
            "some filtered paths converge to the same optimum",
            optima < len(routes.candidates),
            f"{len(routes.candidates)} kept after filtering end in {optima} distinct drivable optima",
        ),
        _tip_over(routes.best, place.vehicle),
    ]
    files = [
        draw_ground(
            out / "shiller-B-paths.png",
            place.terrain,
            routes.found[:3],
            place.start,
            place.goal,
            "Figs. 11 and 12: kept grid paths (dashed), local optima",
            routes.candidates,
        ),
        draw_relief(out / "shiller-B-relief.png", place.terrain, routes.found[:3], "The three best"),
        draw_limits(out / "shiller-B-limits.png", routes.best, place.vehicle, "Fig. 13: the best path"),
        draw_forces(out / "shiller-B-forces.png", routes.best, place.vehicle, "Forces along the best path"),
    ]
    return Report(
        "shiller-B",
        "Time-optimal motions without obstacles",
        _rows(routes, "B"),
        conclusions,
        [_effort(routes, seconds)],
        files,
    )


def obstacles(out: Path, seed: int, trials: int | None) -> Report:
    """Example C: obstacles block the best paths of example B."""
    place, routes, seconds = _solve("mountain-obstacles", "time")
    _, free, _ = _solve("mountain", "time")
    clear = all(_keeps_clear(place, route) for route in routes.found)
    conclusions = [
        Conclusion(
            "obstacles make the best time longer",
            routes.best.profile.time > free.best.profile.time,
            f"{routes.best.profile.time:.2f} s against {free.best.profile.time:.2f} s",
        ),
        Conclusion("all paths keep clear of the obstacles", clear, f"{len(OBSTACLES)} obstacles"),
    ]
    files = [
        draw_ground(
            out / "shiller-C-paths.png",
            place.terrain,
            routes.found[:3],
            place.start,
            place.goal,
            "Fig. 14: fastest paths among obstacles",
        )
    ]
    return Report(
        "shiller-C",
        "Time-optimal motions with obstacles",
        _rows(routes, "C"),
        conclusions,
        [_effort(routes, seconds)],
        files,
    )


def _solve(name: str, cost: str) -> tuple[Scene, Routes, float]:
    place = scene(name)
    warm_up()
    started = time.perf_counter()
    routes = fastest_path(
        place.terrain,
        place.start,
        place.goal,
        place.vehicle,
        cost=cost,
        options=PathOptions(grid=GRID, paths=PATHS, tube=TUBE),
    )
    return place, routes, time.perf_counter() - started


def _optima_of_kept(place: Scene, routes: Routes) -> int:
    """In how many distinct drivable optima the kept ways of the grid end, each improved by itself."""
    problem = PathProblem(place.terrain, place.vehicle, scale=routes.best.cost)
    ended = [
        refine(problem, kept.path.controls) for kept in routes.candidates if kept.path.controls is not None
    ]
    return len(best_apart([one for one in ended if one.drivable], VALLEY * TUBE))


def _keeps_clear(place: Scene, route: Route) -> bool:
    """Whether the body, seen as a grid of places, stands on open ground all along a way."""
    length, width, _ = place.vehicle.size
    ahead = route.path.facing(place.vehicle)[:, :2]
    ahead = ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
    left = np.column_stack([-ahead[:, 1], ahead[:, 0]])
    return all(
        bool((place.terrain.mobility_at(*(route.path.points[:, :2] + a * ahead + b * left).T) != 0.0).all())
        for a in np.linspace(-0.5 * length, 0.5 * length, 9)
        for b in np.linspace(-0.5 * width, 0.5 * width, 5)
    )


def _rows(routes: Routes, example: str) -> list[dict[str, Any]]:
    theirs = THEIRS[example]
    return [
        {
            "path": k,
            "time [s]": round(route.profile.time, 2),
            "original [s]": theirs[k - 1] if k <= len(theirs) else None,
            "length [m]": round(route.profile.length),
            "top speed [m/s]": round(route.profile.max_speed, 1),
            "friction use": round(route.profile.peak_friction_use, 4),
            "binding": ", ".join(f"{n} {s:.0%}" for n, s in list(route.profile.binding_shares.items())[:3]),
        }
        for k, route in enumerate(routes.found, 1)
    ]


def _tip_over(best: Route, vehicle: Vehicle) -> Conclusion:
    """Tip-over lies below sliding on the curve of limits by the vehicle's table alone, β < μ; so what is
    asked is whether the motion would be faster without it."""
    tip = best.profile.binding_shares.get("tip-over", 0.0)
    saved = best.profile.time - speed_profile(best.path, replace(vehicle, height_to_half_width=0.0)).time
    curves = limit_curves(best.path, vehicle)
    some = best.profile.limit < 100.0
    lowest = float((curves["tip-over"] <= curves["sliding"])[some].mean()) if some.any() else 0.0
    return Conclusion(
        "tip-over dominates the limit curve, and so holds the motion back, because the vehicle is tall",
        saved > HELD_BACK * best.profile.time,
        f"it is the lowest limit on {lowest:.0%} of the length where there is one; it binds on {tip:.0%} of "
        f"the best path, which would take {saved:.3f} s less without it",
    )


def _effort(routes: Routes, seconds: float) -> str:
    s = routes.stats
    return (
        f"{s['grid_paths']} grid paths, {s['kept']} kept and optimised, {s['profiles_evaluated']} profiles, "
        f"{seconds:.2f} s; the original took an hour, {SEED_SECONDS / max(seconds, 1e-9):.0f} times as long."
    )
