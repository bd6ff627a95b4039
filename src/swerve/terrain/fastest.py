"""The whole search: grid, smoothing, filtering, local optimisation; the distinct local optima, best first.

routes = fastest_path(terrain, (20, 20), (980, 980), Vehicle())
routes.best.profile.time
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from swerve.core import attitude
from swerve.core.errors import BadInput, require
from swerve.core.plan import Plan
from swerve.core.recording import Recording

from .evaluate import CLOSED_POINTS, TROUBLED, Cost, PathProblem
from .grid import GridSearch
from .path import SurfacePath
from .plans import body_size, motion_plan
from .profile import Profile, speed_profile
from .refine import Method, refine
from .surface import Terrain
from .vehicle import Vehicle


@dataclass(frozen=True)
class Route:
    """A path with its speeds; `cost` in the measure that was asked for."""

    path: SurfacePath
    profile: Profile
    cost: float

    @property
    def feasible(self) -> bool:
        return self.profile.feasible

    def plan(self, vehicle: Vehicle | None = None) -> Plan:
        """Place, attitude, speed and held accelerations; with a vehicle, also its steering."""
        return motion_plan(self.path, self.profile, self.cost, vehicle)

    def recording(
        self, vehicle: Vehicle, meta: dict[str, Any] | None = None, rate: float = 10.0
    ) -> Recording:
        """The drive as a recording, `rate` frames a second, the body standing on the ground."""
        p, clock = self.path, self.profile.clock
        t = np.append(np.arange(0.0, clock[-1], 1.0 / rate), clock[-1])

        def at(values: np.ndarray) -> np.ndarray:
            return np.stack([np.interp(t, clock, column) for column in values.T], axis=1)

        forward = at(p.tangents)
        forward /= np.linalg.norm(forward, axis=1, keepdims=True)
        turn, up = attitude.from_axes(forward, at(p.normals))
        sizes = body_size(vehicle)
        place = at(p.points) + 0.5 * sizes[2] * up
        velocity = np.interp(t, clock, self.profile.speed)[:, None] * forward
        columns: dict[str, Any] = {
            "t": t,
            "id": np.zeros(len(t)),
            "kind": np.full(len(t), "car", dtype=object),
        }
        columns |= dict(zip("xyz", place.T, strict=True))
        columns |= attitude.columns(turn)
        columns |= dict(zip(("vx", "vy", "vz"), velocity.T, strict=True))
        columns |= {n: np.full(len(t), s) for n, s in zip(("length", "width", "height"), sizes, strict=True)}
        columns["steer"] = np.interp(t, clock, p.orientation(vehicle)[1])
        columns["brake"] = np.interp(t, clock, self.profile.drive_force) < 0
        return Recording(columns, meta)


@dataclass(frozen=True)
class Routes:
    """Distinct local optima, feasible ones first and best first. `candidates` are the smoothed grid ways that
    were kept for local optimisation; `stats` counts the effort."""

    found: list[Route]
    candidates: list[Route]
    stats: dict[str, Any]
    reason: str = ""

    @property
    def best(self) -> Route:
        if not self.found:
            raise BadInput("routes", None, self.reason or "none was found")
        return self.found[0]

    @property
    def feasible(self) -> bool:
        return bool(self.found) and self.found[0].feasible


@dataclass(frozen=True)
class PathOptions:
    """How to search for ways.

    The `paths` best ways of the `grid`, and the best through each of its points, are smoothed and judged; of
    those within `tube` [m] of a better one (default a fifth of the map) only the better stays; at most `keep`
    are optimised by `method`. With `must_drive` false, as it is for distance unless asked, only obstacles
    bar the way, not what the vehicle can do: the shortest path may turn out infeasible, and its profile says
    where and why.
    """

    grid: tuple[int, int] = (10, 10)
    paths: int = 240
    tube: float | None = None
    keep: int = 12
    method: Method = "quasi-newton"
    v_start: float = 0.0  # [m/s]
    v_end: float = 0.0  # [m/s]
    samples: int = 1000  # points of a path at which its speeds are found
    clearance: float = 2.0  # [m] kept from obstacles
    must_drive: bool | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        require(self.paths >= 1, "paths", self.paths, "must be at least 1")
        require(self.keep >= 1, "keep", self.keep, "must be at least 1")
        require(self.tube is None or 0.0 < self.tube < math.inf, "tube", self.tube, "must be above zero")


def fastest_path(
    terrain: Terrain,
    start: Sequence[float],
    goal: Sequence[float],
    vehicle: Vehicle,
    cost: Cost = "time",
    options: PathOptions = PathOptions(),
) -> Routes:
    """Ways from `start` to `goal` (x, y) [m] that are each the best of their neighbourhood.

    `cost` is "time", "distance", "energy", "exposure" or a function of (path, profile).
    """
    started = time.perf_counter()
    start, goal = _place(terrain, start, "start"), _place(terrain, goal, "goal")
    require(start != goal, "goal", goal, "must differ from the start")
    x0, y0, x1, y1 = terrain.extent
    tube = 0.2 * min(x1 - x0, y1 - y0) if options.tube is None else options.tube
    must_drive = cost != "distance" if options.must_drive is None else options.must_drive
    ends = options.v_start, options.v_end
    kind = cost if isinstance(cost, str) else "time"
    search = GridSearch(terrain, vehicle, start, goal, options.grid, kind, must_drive)
    problem = PathProblem(terrain, vehicle, cost, *ends, clearance=options.clearance, must_drive=must_drive)
    ways = search.best(options.paths) if vehicle.friction > 0.0 else []
    if not ways:
        return Routes([], [], _stats(started, problem, 0, 0), _unreachable(terrain, vehicle, start, goal))
    distinct = {way.points.tobytes(): way.points for way in [*ways, *search.through_every_point()]}
    smoothed = list(distinct.values())
    costs, troubled = _judge(problem, smoothed)
    problem.scale = float(np.median(costs))
    chosen = _filter(problem, smoothed, costs, troubled, tube)[: options.keep]
    searched = time.perf_counter()

    def improve(i: int) -> np.ndarray:
        return refine(problem, smoothed[i], options.method).controls

    with ThreadPoolExecutor(options.threads or min(4, os.cpu_count() or 1)) as pool:
        improved = list(pool.map(improve, chosen))

    def finish(controls: np.ndarray) -> Route:
        path = SurfacePath.from_controls(terrain, controls, options.samples)
        profile = speed_profile(path, vehicle, *ends)
        value = problem.base(controls[None], problem.measures(controls[None]))[0]
        return Route(path, profile, profile.time if cost == "time" else float(value))

    routes = sorted(
        (finish(c) for c in improved), key=lambda route: (must_drive and not route.feasible, route.cost)
    )
    found = _distinct(routes, 0.25 * tube)
    if must_drive and found[0].feasible:
        found = [route for route in found if route.feasible]
    stats = _stats(started, problem, len(smoothed), len(chosen))
    stats["seconds_global"] = searched - started
    reason = "" if found[0].feasible else found[0].profile.explain()
    return Routes(found, [finish(smoothed[i]) for i in chosen], stats, reason)


def warm_up() -> None:
    """Compile or load the kernels of the search, so that what follows is measured without it."""
    flat = Terrain.from_heights(np.zeros((4, 4)), 10.0)
    fastest_path(flat, (1.0, 1.0), (29.0, 29.0), Vehicle(), options=PathOptions((2, 2), paths=1, samples=20))


def _place(terrain: Terrain, where: Sequence[float], what: str) -> tuple[float, float]:
    try:
        x, y = (float(v) for v in where)
    except (TypeError, ValueError) as error:
        raise BadInput(what, where, "must be two numbers x, y") from error
    x0, y0, x1, y1 = terrain.extent
    if not (math.isfinite(x) and math.isfinite(y)) or not terrain.contains(x, y):
        raise BadInput(what, (x, y), f"lies outside the map, x {x0:g} to {x1:g}, y {y0:g} to {y1:g}")
    if terrain.mobility_at(x, y) <= 0.0:
        raise BadInput(what, (x, y), "lies on an obstacle (mobility zero)")
    return x, y


def _unreachable(
    terrain: Terrain, vehicle: Vehicle, start: tuple[float, float], goal: tuple[float, float]
) -> str:
    """Why the grid holds no way: the friction, the ends, or what lies between them."""
    if vehicle.friction == 0.0:
        return "no way: without friction the vehicle can neither drive nor hold on a slope"
    for what, (x, y) in (("start", start), ("goal", goal)):
        steep = float(np.linalg.norm(terrain.gradient(x, y)))
        hold = vehicle.friction * float(terrain.mobility_at(x, y))
        if steep > hold:
            return f"no way: the {what} lies on a slope of {steep:.2f}, and the tyres hold {hold:.2f}"
    return "no way: obstacles and ground too steep to stand on separate the goal from the start"


def _judge(problem: PathProblem, ways: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Cost with penalty and number of infeasible points of every way; ways of equal length in one batch."""
    costs, troubled = np.empty(len(ways)), np.empty(len(ways))
    sizes = np.array([len(way) for way in ways])
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        batch = np.stack([ways[i] for i in rows])
        measures = problem.measures(batch)
        costs[rows], troubled[rows] = (
            problem.base(batch, measures),
            measures[:, TROUBLED if problem.must_drive else CLOSED_POINTS],
        )
    return costs, troubled


def _filter(
    problem: PathProblem, ways: list[np.ndarray], costs: np.ndarray, troubled: np.ndarray, tube: float
) -> list[int]:
    """Indices of ways that lie in no better way's tube; infeasible ones come after the feasible."""
    order = np.lexsort((costs, troubled > 0))
    lines = [SurfacePath.from_controls(problem.terrain, ways[i], 60).points[:, :2] for i in order]
    kept: list[int] = []
    trees: list[cKDTree] = []
    for place, line in enumerate(lines):
        if all(tree.query(line)[0].max() > tube for tree in trees):
            kept.append(int(order[place]))
            trees.append(cKDTree(line))
    return kept


def _distinct(routes: list[Route], radius: float) -> list[Route]:
    """Routes without those that converged to the same place as a better one."""
    kept: list[Route] = []
    for route in routes:
        line = route.path.points[::10, :2]
        if all(cKDTree(other.path.points[:, :2]).query(line)[0].max() > radius for other in kept):
            kept.append(route)
    return kept


def _stats(started: float, problem: PathProblem, ways: int, kept: int) -> dict[str, Any]:
    return {
        "seconds": time.perf_counter() - started,
        "profiles_evaluated": problem.evaluated,
        "grid_paths": ways,
        "kept": kept,
    }
