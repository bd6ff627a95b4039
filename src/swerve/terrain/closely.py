"""What a search found, judged on points so close that next to nothing lies between them.

A search that looks at points a tenth of a cell apart learns what it may pass between two of them: the tip of
a side slope, or a crest that throws. So its ways are told by closer points, and where the best of them are
lost there, they are mended, with a little of what holds the vehicle spared.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np

from .evaluate import PathProblem
from .measure import CLOSED_POINTS, TROUBLED
from .refine import mend
from .route import Route
from .vehicle import Vehicle

CLOSER, CLOSEST = (
    4.0,
    16.0,
)  # times as close lie the points that tell a way, and that ask whether it can be driven
LOST = 1.005  # times its cost, that a way may cost on closer points
MOST_MENDED = 4
SPARED = 0.99  # of what holds the vehicle, while a way is mended


def at_close_points(
    problem: PathProblem, times: float = CLOSER, vehicle: Vehicle | None = None
) -> PathProblem:
    """The same question on points so many times as close as the ground's."""
    step = problem.terrain.step / times
    return replace(problem, step=step, vehicle=vehicle or problem.vehicle, _best=threading.local())


def told(problem: PathProblem, way: np.ndarray) -> Route:
    """A way (m, 2) as it is reported."""
    path, profile = problem.judged(way)
    return Route(path, profile, float(problem.base(way[None], problem.measures(way[None]))[0]))


def told_closely(problem: PathProblem, ways: list[np.ndarray]) -> list[Route]:
    """Ways that a search found by `problem`, on closer points; of those that may be the best and are lost
    there, a few are mended."""
    wrong, costs = np.empty(len(ways)), np.empty(len(ways))
    for k, way in enumerate(ways):
        measures = problem.measures(way[None])
        wrong[k] = measures[0, TROUBLED if problem.must_drive else CLOSED_POINTS]
        costs[k] = problem.base(way[None], measures)[0]
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        seen = list(pool.map(partial(_told, problem), ways))
    best, mended, routes = np.inf, 0, []
    for k in np.lexsort((costs, wrong > 0)):
        route = seen[k]
        lost = not route.feasible or route.cost > LOST * costs[k]
        if problem.must_drive and lost and not wrong[k] and costs[k] < best and mended < MOST_MENDED:
            mended += 1
            other = _told(problem, _mended(problem, ways[k]))
            if (not other.feasible, other.cost) < (not route.feasible, route.cost):
                route = other
        if route.feasible:
            best = min(best, route.cost)
        routes.append(route)
    return routes


def _told(problem: PathProblem, way: np.ndarray) -> Route:
    """On the closest points, where only these show that it cannot be driven."""
    route = told(at_close_points(problem), way)
    if route.feasible and problem.must_drive:
        closest = replace(at_close_points(problem, CLOSEST), cost="time")
        if closest.measures(way[None])[0, TROUBLED] > 0.0:
            path, profile = closest.judged(way)
            return Route(path, profile, route.cost)
    return route


def _mended(problem: PathProblem, way: np.ndarray) -> np.ndarray:
    car = problem.vehicle
    spared = replace(
        car, friction=SPARED * car.friction, height_to_half_width=car.height_to_half_width / SPARED
    )
    return mend(at_close_points(problem, vehicle=spared), way).controls
