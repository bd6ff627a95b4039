"""The whole search: grid, smoothing, filtering, local optimisation; the distinct local optima, best first.

routes = fastest_path(terrain, (20, 20), (980, 980), Vehicle())
routes.best.profile.time
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.seeding import generator

from .closely import at_close_points, told, told_closely
from .descend import Refined
from .downhill import bend
from .evaluate import CLEARANCE, COARSE, HALVED, Cost, PathProblem
from .measure import CLOSED_POINTS, TROUBLED
from .refine import Method, finish, polish, refine, survey
from .route import Route, Routes
from .surface import Terrain
from .vehicle import Vehicle
from .ways import Candidates, apart, candidates, plane_points, reknotted, strayed, within

KNOTS = (0.7, 1.4, 2.0)  # times the usual number of control points, with which ways are surveyed again
STRAYS, CLOSE = 15, 1.1  # times the best ways are led astray, if they cost at most so many times the best,
DETAIL = 1.3  # times the grid's points along a side, the most control points that are usual for that
IN_VAIN, GAINED = 4, 1e-3  # and until so many times in a row gain less than that share of its cost
CLOSER = 6  # ways more are surveyed that lie in the tube of a better one, but not in its half
BOWS = (-0.4, -0.25, -0.12, 0.0, 0.12, 0.25, 0.4)  # how far the straight way is bent aside, in its lengths
BOW_POINTS = 9  # control points of each
AGAIN, NEARLY = 5, 1.1  # of the best ways are surveyed again, of at most so many times the best cost
WORTH = 1.2  # times the best cost, up to which a way is polished
LOOKED_AT = 200  # places along either side of the map, to say what is there where no way is
CLOSELY, AS_GOOD = 2, 1.01  # of the best ways, if they cost at most so many times the best, are looked around
VALLEY = 0.25  # of the tube, in which of several ways only the best is told


@dataclass(frozen=True)
class PathOptions:
    """How to search for ways.

    The `paths` best ways of the `grid`, and the best through each of its points, are smoothed and judged;
    where none can be driven the grid is made finer. Of those within `tube` [m] of a better one (default a
    fifth of the map) only the better stays; at most `keep` are optimised by `method`. With `must_drive`
    false, as it is for distance unless asked, only obstacles bar the way, not what the vehicle can do: the
    shortest path may turn out infeasible, and its profile says where and why.
    """

    grid: tuple[int, int] = (10, 10)
    paths: int = 240
    tube: float | None = None
    keep: int = 12
    method: Method = "quasi-newton"
    v_start: float = 0.0  # [m/s]
    v_end: float = 0.0  # [m/s]
    step: float | None = None  # [m] between the points of a path; by default as the ground wants it
    clearance: float = CLEARANCE  # [m] beside the body that is liked
    must_drive: bool | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        require(self.paths >= 1, "paths", self.paths, "must be at least 1")
        require(self.keep >= 1, "keep", self.keep, "must be at least 1")
        require(self.tube is None or 0.0 < self.tube < math.inf, "tube", self.tube, "must be above zero")
        require(self.step is None or 0.0 < self.step < math.inf, "step", self.step, "must be above zero")


def fastest_path(
    terrain: Terrain,
    start: Sequence[float],
    goal: Sequence[float],
    vehicle: Vehicle,
    cost: Cost = "time",
    options: PathOptions = PathOptions(),
) -> Routes:
    """Ways from `start` to `goal` (x, y) [m] that are each the best of their neighbourhood.

    `cost` is "time", "distance", "energy", "exposure", a sum such as "time+0.1*energy", or a function of
    (path, profile). The best way is never dearer than the best candidate that could be driven.
    """
    started = time.perf_counter()
    start, goal = _place(terrain, start, "start"), _place(terrain, goal, "goal")
    require(start != goal, "goal", goal, "must differ from the start")
    x0, y0, x1, y1 = terrain.extent
    for what, size in zip(("length", "width"), vehicle.size[:2], strict=True):
        too_large = "is more [m] than half of what the map is wide"
        require(2.0 * size < min(x1 - x0, y1 - y0), f"vehicle, {what}", size, too_large)
    tube = 0.2 * min(x1 - x0, y1 - y0) if options.tube is None else options.tube
    must_drive = cost != "distance" if options.must_drive is None else options.must_drive
    problem = PathProblem(
        *(terrain, vehicle, cost, options.v_start, options.v_end),
        clearance=options.clearance,
        must_drive=must_drive,
        step=options.step,
    )
    found = Candidates([], np.zeros(0), np.zeros(0), None)
    if vehicle.friction > 0.0:
        found = candidates(problem, start, goal, options.grid, options.paths)
    if not found.ways:
        reason = _unreachable(terrain, vehicle, start, goal, found)
        return Routes([], [], _stats(started, problem, 0, 0), reason)
    problem.scale = float(np.median(found.costs))
    chosen = apart(found, tube, options.keep)
    searched = time.perf_counter()

    ways = [found.ways[i] for i in chosen]
    if options.method == "quasi-newton" and problem.has_slope and problem.coarser(COARSE):  # quickly surveyed
        most = options.keep + CLOSER
        closer = [i for i in apart(found, 0.5 * tube, most) if i not in chosen][:CLOSER]
        ways += [found.ways[i] for i in closer] + [_bow(terrain, start, goal, share) for share in BOWS]
    improved = _improved(problem, ways, options, tube)

    asked = options.step is not None  # then that is what ways are told by, too
    routes = [told(problem, way) for way in improved] if asked else told_closely(problem, improved)
    close = problem if asked else at_close_points(problem)
    with ThreadPoolExecutor(options.threads or min(4, os.cpu_count() or 1)) as pool:
        looked_at = list(pool.map(lambda i: told(close, found.ways[i]), chosen))
    least = min((route.cost for route in routes if route.feasible), default=math.inf)
    routes += [route for route in looked_at if route.feasible and route.cost < least]
    routes = sorted(routes, key=lambda route: (must_drive and not route.feasible, route.cost))
    optima = _distinct(routes, VALLEY * tube)
    if must_drive and optima[0].feasible:
        optima = [route for route in optima if route.feasible]
    stats = _stats(started, problem, len(found.ways), len(chosen))
    stats["seconds_global"] = searched - started
    reason = "" if optima[0].feasible else optima[0].profile.explain()
    if reason and must_drive:
        reason += f" (the best of {len(found.ways)} ways that were looked at)"
    return Routes(optima, looked_at, stats, reason)


def _improved(
    problem: PathProblem, ways: list[np.ndarray], options: PathOptions, tube: float
) -> list[np.ndarray]:
    """Control points after local optimisation, of ways that end apart; the first of `ways` is the best.

    That is found by surveys, on few points of each path where these tell enough: of the ways, and of the best
    of what they lead to with fewer and with more control points, and with a part of them drawn aside, which
    leads out of many a small valley. What is nearly as good as the best is then polished, the best of each
    valley to the end, with looks around the very best.
    """
    rough, medium = problem.coarser(COARSE) or problem, problem.coarser(HALVED) or problem
    with ThreadPoolExecutor(options.threads or min(4, os.cpu_count() or 1)) as pool:
        if options.method != "quasi-newton":
            return [r.controls for r in pool.map(lambda way: refine(problem, way, options.method), ways)]

        begun = list(ways)
        ended = list(pool.map(lambda way: survey(rough, way, rough is not problem), begun))
        stuck = [i for i, one in enumerate(ended) if not one.drivable]
        hard = 2 * len(stuck) > len(ended)  # ground: otherwise what got stuck is not worth its looks around
        if hard:
            freed = pool.map(lambda i: survey(rough, begun[i], rough is not problem, True), stuck)
            for i, one in zip(stuck, freed, strict=True):
                ended[i] = one

        def again(near: float, change: Callable[[np.ndarray], np.ndarray], astray: bool) -> bool:
            """Whether the best got better. A few of them are led `astray` several times each."""
            best = best_apart(ended, VALLEY * tube)
            least = ended[best[0]].cost
            chosen = [i for i in best if ended[i].cost <= near * least][:AGAIN]
            chosen = (chosen * AGAIN)[:AGAIN] if astray else chosen
            changed = [change(ended[i].controls) for i in chosen]
            found = list(pool.map(lambda way: survey(rough, way, astray, hard), changed))
            begun.extend(changed)
            ended.extend(found)
            return any(one.cost < (1.0 - GAINED) * least for one in found)

        usual = float(np.median([len(way) for way in ways]))
        for share in KNOTS:
            again(NEARLY, partial(reknotted, count=round(share * usual)), False)
        rng = generator(0, "ways led astray")
        usual = min(usual, DETAIL * max(options.grid))  # ways of finer grids are hard to lead elsewhere
        in_vain = 0
        for _ in range(STRAYS if rough is not problem else 0):
            gained = again(CLOSE, lambda way: strayed(way, usual, problem.terrain.extent, rng), True)
            in_vain = 0 if gained else in_vain + 1
            if in_vain == IN_VAIN:
                break
        kept = best_apart(ended, VALLEY * tube)
        if ended[kept[0]].drivable:
            kept = [i for i in kept if ended[i].drivable]
        if 0 not in kept:
            kept.append(0)
        most = WORTH * ended[kept[0]].cost
        left = [i for i in kept if i > 0 and ended[i].cost > most and _drivable(problem, ended[i])]
        worthy = [i for i in kept if i not in left]
        first = [ended[i] for i in worthy]
        if rough is not problem:
            first = list(pool.map(lambda i: polish(medium, begun[i], ended[i]), worthy))
        best = best_apart(first, VALLEY * tube)
        closely = {k for k in best[:CLOSELY] if first[k].cost <= AS_GOOD * first[best[0]].cost}

        def finished(k: int) -> np.ndarray:
            if rough is problem and k not in closely:
                return first[k].controls
            found = finish(medium, first[k], k in closely)
            return finish(problem, found, False).controls if k in closely else found.controls

        return [*pool.map(finished, best), *(ended[i].controls for i in left)]


def _bow(terrain: Terrain, start: tuple[float, float], goal: tuple[float, float], share: float) -> np.ndarray:
    """Control points of the straight way, bent aside by `share` of its length."""
    x0, y0, x1, y1 = terrain.extent
    along, t = np.subtract(goal, start), np.linspace(0.0, 1.0, BOW_POINTS)[:, None]
    way = start + t * along + share * np.sin(np.pi * t) * np.array([-along[1], along[0]])
    way = np.clip(way, [x0, y0], [x1, y1])
    way[0], way[-1] = start, goal
    return way


def _drivable(problem: PathProblem, refined: Refined) -> bool:
    """Whether a surveyed way can be driven on all of its points."""
    column = TROUBLED if problem.must_drive else CLOSED_POINTS
    return bool(problem.measures(refined.controls[None])[0, column] == 0.0)


def best_apart(ended: list[Refined], radius: float) -> list[int]:
    """Which of the refined ways do not end within `radius` [m] of a better one, best first."""
    kept: list[int] = []
    for i in sorted(range(len(ended)), key=lambda i: (not ended[i].drivable, ended[i].cost)):
        if not any(within(ended[i].line, ended[k].line, radius) for k in kept):
            kept.append(i)
    return kept


def warm_up() -> None:
    """Compile or load the kernels of the search, so that what follows is measured without it."""
    flat = Terrain.from_heights(np.zeros((4, 4)), 10.0)
    problem = PathProblem(flat, Vehicle(), step=2.0)
    way = candidates(problem, (1.0, 1.0), (29.0, 29.0), (2, 2), 1).ways[0]
    problem.slope(way)
    problem.judged(way)
    line = plane_points(way)
    within(line, line, 1.0)
    bend(np.eye(2), np.ones(2), np.ones(2), True)


def _place(terrain: Terrain, where: Sequence[float], what: str) -> tuple[float, float]:
    try:
        x, y = (float(v) for v in where)
    except (TypeError, ValueError) as error:
        raise BadInput(what, where, "must be two numbers x, y") from error
    x0, y0, x1, y1 = terrain.extent
    if not (math.isfinite(x) and math.isfinite(y)) or not terrain.contains(x, y):
        raise BadInput(
            what, (x, y), f"lies outside the map, x {x0:.10g} to {x1:.10g}, y {y0:.10g} to {y1:.10g}"
        )
    if terrain.mobility_at(x, y) <= 0.0:
        raise BadInput(what, (x, y), "lies on an obstacle (mobility zero)")
    return x, y


def _unreachable(
    terrain: Terrain,
    vehicle: Vehicle,
    start: tuple[float, float],
    goal: tuple[float, float],
    found: Candidates,
) -> str:
    """Why no grid holds a way: the friction, the ends, or what lies between them, and where."""
    if vehicle.friction == 0.0:
        return "no way: without friction the vehicle can neither drive nor hold on a slope"
    for what, (x, y) in (("start", start), ("goal", goal)):
        steep = float(np.linalg.norm(terrain.gradient(x, y)))
        hold = vehicle.friction * float(terrain.mobility_at(x, y))
        if steep > hold:
            return f"no way: the {what} lies on a slope of {steep:.2f}, and the tyres hold {hold:.2f}"
    if not vehicle.drive_table().max() > 0.0:
        return "no way: without drive force the vehicle only rolls, and nothing leads down to the goal"
    reason = f"no way: {barriers(terrain, vehicle)} separate the goal from the start"
    if found.closed is not None:
        (ax, ay), (bx, by) = found.closed
        reason += f"; it is closed between ({ax:.0f}, {ay:.0f}) and ({bx:.0f}, {by:.0f})"
    return reason


def barriers(terrain: Terrain, vehicle: Vehicle) -> str:
    """What there is on the map that can close a way: closed ground, slopes that tyres do not hold."""
    x0, y0, x1, y1 = terrain.extent
    x, y = np.meshgrid(np.linspace(x0, x1, LOOKED_AT), np.linspace(y0, y1, LOOKED_AT))
    slopes = np.linalg.norm(terrain.gradient(x, y), axis=-1)
    holds = vehicle.friction * terrain.mobility_at(x, y)
    steep = bool(((slopes > 0.9 * holds) & (holds > 0.0)).any())
    kinds = ["obstacles"] * (len(terrain.ground.edges) > 0) + ["slopes too steep to stand on"] * steep
    return " and ".join(kinds) or "turns too tight for the vehicle"


def _distinct(routes: list[Route], radius: float) -> list[Route]:
    """Routes without those that converged to the same place as a better one."""
    kept: list[Route] = []
    lines: list[np.ndarray] = []
    for route in routes:
        line = np.ascontiguousarray(route.path.points[:, :2])
        if not any(within(line, other, radius) for other in lines):
            kept.append(route)
            lines.append(line)
    return kept


def _stats(started: float, problem: PathProblem, ways: int, kept: int) -> dict[str, Any]:
    return {
        "seconds": time.perf_counter() - started,
        "profiles_evaluated": problem.evaluated,
        "grid_paths": ways,
        "kept": kept,
    }
