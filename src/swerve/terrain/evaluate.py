"""Judging many candidate paths in one call: lay each on the ground, find its speeds, add up what it costs.

An optimiser asks for the cost of a batch of B-spline control points (paths, m, 2). What it is told is what
a report says of the same points: the same places on the path, the same limits, the same check of the body
against closed ground. Paths that cannot be driven get a penalty: the paper's weight times the number of
infeasible points, or a smooth one that also says how far a path is from being feasible. The best path that
can be driven is kept, whatever an optimiser goes on to try.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.kernels import NO, inner, kernel

from .costs import DISTANCE, ENERGY, EXPOSURE, TIME, parse
from .footprint import KEPT, free_along, mark_ends
from .gradient import influence, to_controls
from .limits import COLUMNS, K_Q, K_R, POINT, STEP
from .path import SurfacePath, lay, stations
from .profile import Profile, speed_profile
from .regions import Ground, between
from .surface import Terrain
from .sweep import BLOCKED, FINE, OUTSIDE, PITCHES, STALLS, STEERS, UNLOADS, sweep
from .thrift import spend
from .vehicle import DRAG, FRICTION, GRAVITY, LEAST_LOAD, MASS, SIN_STEER, TIP, Vehicle

Cost = str | Callable[[SurfacePath, Profile], float]

# columns of what the kernel returns, after those of `costs`
TROUBLED, VIOLATION, CLOSED_POINTS, INTRUSION = range(4, 8)
MEASURES = 8
CLEARANCE = 1.0  # [m] beside the body that is liked
THRIFTY = 4.0  # times as far apart lie the points of a path where energy counts: its speeds take longer


@dataclass
class PathProblem:
    """What is asked of a path. `clearance` [m] beside the body is liked while optimising, not demanded."""

    terrain: Terrain
    vehicle: Vehicle
    cost: Cost = "time"
    v_start: float = 0.0
    v_end: float = 0.0
    clearance: float = CLEARANCE
    must_drive: bool = True  # otherwise only obstacles and the edge of the map count
    scale: float = 1.0  # a typical cost, so that penalties have its unit
    step: float | None = None  # [m] between points of a path; by default as the ground wants it
    _batches: list[int] = field(default_factory=list, repr=False)  # appending is safe between threads
    _best: threading.local = field(default_factory=threading.local, repr=False)

    def __post_init__(self) -> None:
        self.weights = parse("time" if callable(self.cost) else self.cost)
        if self.weights[EXPOSURE] > 0.0 and self.terrain.exposure is None:
            raise BadInput("cost", self.cost, "exposure needs a terrain with an exposure raster")
        if self.step is None:
            self.step = self.terrain.step * (THRIFTY if self.weights[ENERGY] > 0.0 else 1.0)
        self._car, self._drive = self.vehicle.packed(), self.vehicle.drive_table()

    def coarser(self, times: float) -> PathProblem | None:
        """The same with points `times` as far apart, for a first look; None where they lie far apart already,
        because energy counts. What it evaluates is counted here too."""
        if self.step is None or self.weights[ENERGY] > 0.0 or callable(self.cost):
            return None
        return replace(self, step=times * self.step, _best=threading.local())

    def points_along(self, controls: np.ndarray) -> float:
        """About how many points a path of these controls (m, 2) is judged by."""
        step = self.terrain.step if self.step is None else self.step
        return max(1.0, float(np.hypot(*np.diff(controls, axis=0).T).sum()) / step)

    @property
    def speeds(self) -> str:
        """The cost by which speeds are chosen."""
        return "time" if callable(self.cost) else self.cost

    def measures(self, controls: np.ndarray) -> np.ndarray:
        """(paths, 8) time, distance, energy, exposure; infeasible points and how bad they are; points on
        closed ground and how deep they lie in it."""
        controls = np.ascontiguousarray(controls, dtype=np.float64)
        out = np.empty((len(controls), MEASURES))
        measure_many(
            controls,
            self.terrain.step if self.step is None else self.step,
            self.terrain.ground,
            self._car,
            self._drive,
            self.v_start**2,
            self.v_end**2,
            self.weights,
            self.clearance,
            out,
        )
        self._batches.append(len(controls))
        return out

    def base(self, controls: np.ndarray, measures: np.ndarray) -> np.ndarray:
        """(paths,) the cost without penalties."""
        if not callable(self.cost):
            return measures[:, :4] @ self.weights
        return np.array([self.cost(path, profile) for path, profile in map(self.judged, controls)])

    def judged(self, controls: np.ndarray) -> tuple[SurfacePath, Profile]:
        """One path and its speeds, as they are reported."""
        path = SurfacePath.from_controls(self.terrain, controls, step=self.step)
        return path, speed_profile(path, self.vehicle, self.v_start, self.v_end, cost=self.speeds)

    def counted(self, controls: np.ndarray) -> np.ndarray:
        """(paths,) cost plus the paper's penalty J + w·n, n the number of infeasible points."""
        measures = self.measures(controls)
        base = self.base(controls, measures)
        self._keep(controls, base, measures)
        return base + 0.02 * self.scale * measures[:, TROUBLED if self.must_drive else CLOSED_POINTS]

    def smooth(self, controls: np.ndarray) -> np.ndarray:
        """(paths,) cost plus a penalty that grows with how far a path is from feasible."""
        measures = self.measures(controls)
        base = self.base(controls, measures)
        self._keep(controls, base, measures)
        wrong = measures[:, INTRUSION] + (measures[:, VIOLATION] if self.must_drive else 0.0)
        return base + 0.02 * self.scale * wrong

    @property
    def has_slope(self) -> bool:
        """Whether `slope` knows how the cost changes: it does for the fastest speeds of quick hands."""
        quick = math.isinf(self.vehicle.steer_rate)
        return quick and not callable(self.cost) and self.weights[ENERGY] == 0.0

    def slope(self, controls: np.ndarray) -> np.ndarray:
        """∂(smooth cost)/∂controls (m, 2) of one path, by the profile in reverse (see `gradient`)."""
        out = np.empty_like(controls)
        penalty = 0.02 * self.scale * 0.1
        slope_of(
            np.ascontiguousarray(controls, dtype=np.float64),
            self.terrain.step if self.step is None else self.step,
            self.terrain.ground,
            self._car,
            self._drive,
            self.v_start**2,
            self.v_end**2,
            self.weights,
            self.clearance,
            penalty,
            penalty if self.must_drive else 0.0,
            out,
        )
        self._batches.append(4)
        return out

    def start(self) -> None:
        """Forget the best path of this thread, before another is improved."""
        self._best.found = None

    @property
    def best(self) -> tuple[float, np.ndarray] | None:
        """The cost and the controls of the best path that this thread has seen and that can be driven."""
        return getattr(self._best, "found", None)

    def _keep(self, controls: np.ndarray, base: np.ndarray, measures: np.ndarray) -> None:
        wrong = measures[:, TROUBLED if self.must_drive else CLOSED_POINTS]
        cost = np.where(wrong == 0, base, np.inf)
        k = int(np.argmin(cost))
        if np.isfinite(cost[k]) and (self.best is None or cost[k] < self.best[0]):
            self._best.found = float(cost[k]), controls[k].copy()

    @property
    def evaluated(self) -> int:
        """Profiles computed so far."""
        return sum(self._batches)


@kernel
def measure_many(
    controls: np.ndarray,
    step: float,
    ground: Ground,
    car: np.ndarray,
    drive: np.ndarray,
    x_start: float,
    x_end: float,
    weights: np.ndarray,
    clearance: float,
    out: np.ndarray,
) -> None:
    """Fill `out` (paths, 8) for control points (paths, m, 2)."""
    extent, exposure, rough = ground.frame, ground.exposure, ground.clearance
    edges, starts, members, frame = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
    for k in range(len(controls)):
        at = stations(controls[k], step)
        n = len(at)
        rows, where, points = np.empty((n, COLUMNS)), np.empty((n, 9)), np.empty((n, POINT))
        limit, ceiling, x, free = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
        mark = np.empty(n, np.int8)
        lay(at, controls[k], ground, rows, where)
        sweep(rows, car, drive, x_start, x_end, NO, points, limit, ceiling, x, mark)
        if weights[ENERGY] > 0.0:
            spend(rows, where, car, drive, points, ceiling, mark, exposure, extent, weights, x_end, x)
        free_along(rows, where, points, car, edges, starts, members, frame, free)
        mark_ends(mark, free, x, x_end)
        time = distance = energy = exposed = violation = intrusion = 0.0
        troubled = closed = 0
        for i in range(n):
            length = rows[i, STEP]
            if i < n - 1:
                pace = np.sqrt(x[i]) + np.sqrt(x[i + 1])
                took = 2.0 * length / pace if pace > 0.0 else 2.0 * length
                a = (x[i + 1] - x[i]) / (2.0 * length)
                here = a + points[i, 0] + car[DRAG] * x[i]
                there = a + points[i + 1, 0] + car[DRAG] * x[i + 1]
                time += took
                distance += length
                energy += car[MASS] * length * 0.5 * (max(here, 0.0) + max(there, 0.0))
                if exposure.size > 1:
                    exposed += took * between(where[i, 0], where[i, 1], exposure, extent)
            if mark[i] != FINE:
                troubled += 1
            if mark[i] == BLOCKED or mark[i] == OUTSIDE:
                closed += 1
            violation += length * how_bad(i, mark[i], rows, points, car)
            intrusion += length * how_deep(where[i, 0], where[i, 1], free[i], extent, rough, clearance)
        out[k, TIME], out[k, DISTANCE], out[k, ENERGY] = time, distance, energy
        out[k, EXPOSURE], out[k, TROUBLED] = exposed, troubled
        out[k, CLOSED_POINTS] = closed
        out[k, VIOLATION], out[k, INTRUSION] = 0.1 * violation, 0.1 * intrusion


@kernel
def slope_of(
    controls: np.ndarray,
    step: float,
    ground: Ground,
    car: np.ndarray,
    drive: np.ndarray,
    x_start: float,
    x_end: float,
    weights: np.ndarray,
    clearance: float,
    intrusion: float,
    violation: float,
    out: np.ndarray,
) -> None:
    """Fill `out` (m, 2) for one path of controls (m, 2)."""
    at = stations(controls, step)
    n = len(at)
    rows, where, points = np.empty((n, COLUMNS)), np.empty((n, 9)), np.empty((n, POINT))
    limit, ceiling, x, free = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    mark, to_point, to_step = np.empty(n, np.int8), np.empty((n, POINT)), np.empty(n)
    seconds = np.empty(n)
    lay(at, controls, ground, rows, where)
    sweep(rows, car, drive, x_start, x_end, NO, points, limit, ceiling, x, mark)
    fences = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
    free_along(rows, where, points, car, fences[0], fences[1], fences[2], fences[3], free)
    influence(
        rows, where, points, limit, ceiling, x, mark, car, drive, weights, ground, violation,
        to_point, to_step, seconds,
    )  # fmt: skip
    to_controls(
        at, controls, rows, free, ground, car, weights, clearance, intrusion, to_point, to_step, seconds, out
    )


@inner
@kernel
def how_bad(i: int, mark: int, rows: np.ndarray, points: np.ndarray, car: np.ndarray) -> float:
    """How far a point is from allowing motion, zero when it does: continuous, in shares of each limit."""
    bad = 0.0
    if rows[i, K_R] > 0.0 and mark != FINE:
        hold = min(car[TIP] * (1.0 - car[LEAST_LOAD] / car[GRAVITY]), car[FRICTION])
        bad += max(0.0, abs(rows[i, K_Q]) / rows[i, K_R] - hold) * 20.0
    if mark == STEERS:
        bad += 10.0 * (abs(points[i, 6]) - car[SIN_STEER]) + 0.1
    if mark in (STALLS, PITCHES, UNLOADS):
        bad += 1.0
    return bad


@inner
@kernel
def how_deep(
    x: float, y: float, free: float, extent: np.ndarray, rough: np.ndarray, clearance: float
) -> float:
    """How far a body stands in closed ground, in its `clearance`, or outside the map, in tenths of metres.

    Beside closed ground the exact room counts; deep inside, only the rough field tells which way is out.
    """
    inside = -min(between(x, y, rough, extent), 0.0)
    deep = max(0.0, clearance - free) * 0.2 + max(0.0, KEPT - free) + inside
    out_by = max(extent[0] - x, x - extent[4], extent[1] - y, y - extent[5], 0.0)
    return 0.1 * (deep + out_by)
