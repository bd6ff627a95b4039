"""Judging many candidate paths in one call: lay each on the ground, sweep its speeds, add up what it costs.

An optimiser asks for the cost of a batch of B-spline control points (paths, m, 2). The built-in costs are
time [s], distance [m], energy [J] of the engine and exposure (∫ exposure dt); a function of a path and its
profile can be given instead. Two penalties exist for paths that cannot be driven: the paper's weight times
the number of infeasible points, and a smooth one that also says how far a path is from being feasible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.kernels import kernel

from .limits import COLUMNS, K_Q, K_R, POINT, STEP
from .path import SurfacePath, lay
from .profile import Profile, speed_profile
from .regions import Ground, between
from .surface import Terrain
from .sweep import BLOCKED, FINE, OUTSIDE, STALLS, STEERS, sweep
from .vehicle import DRAG, FRICTION, MASS, SIN_STEER, TIP, Vehicle

Cost = Literal["time", "distance", "energy", "exposure"] | Callable[[SurfacePath, Profile], float]

# columns of what the kernel returns
TIME, DISTANCE, ENERGY, EXPOSURE, TROUBLED, VIOLATION, CLOSED_POINTS, INTRUSION = range(8)
MEASURES = 8
SAMPLES_PER_SPAN = 12
COSTS = {"time": TIME, "distance": DISTANCE, "energy": ENERGY, "exposure": EXPOSURE}


@dataclass
class PathProblem:
    """What is asked of a path. `clearance` [m] is kept from closed ground while optimising."""

    terrain: Terrain
    vehicle: Vehicle
    cost: Cost = "time"
    v_start: float = 0.0
    v_end: float = 0.0
    samples: int | None = None  # points of a path; by default a dozen for every span of its spline
    clearance: float = 2.0
    must_drive: bool = True  # otherwise only obstacles and the edge of the map count
    scale: float = 1.0  # a typical cost, so that penalties have its unit
    _batches: list[int] = field(default_factory=list, repr=False)  # appending is safe between threads

    def __post_init__(self) -> None:
        if not callable(self.cost) and self.cost not in COSTS:
            raise BadInput("cost", self.cost, f"must be one of {', '.join(COSTS)} or a function")
        if self.cost == "exposure" and self.terrain.exposure is None:
            raise BadInput("cost", "exposure", "needs a terrain with an exposure raster")
        self._car, self._drive = self.vehicle.packed(), self.vehicle.drive_table()

    def measures(self, controls: np.ndarray) -> np.ndarray:
        """(paths, 8) time, distance, energy, exposure; infeasible points and how bad they are; points on
        closed ground and how deep they lie in it."""
        controls = np.ascontiguousarray(controls, dtype=np.float64)
        samples = self.samples or min(max(SAMPLES_PER_SPAN * (controls.shape[1] - 1), 120), 1000)
        out = np.empty((len(controls), MEASURES))
        measure_many(
            controls,
            np.linspace(0.0, controls.shape[1] - 1.0, samples),
            self.terrain.ground,
            self._car,
            self._drive,
            self.v_start**2,
            self.v_end**2,
            self.clearance,
            out,
        )
        self._batches.append(len(controls))
        return out

    def base(self, controls: np.ndarray, measures: np.ndarray) -> np.ndarray:
        """(paths,) the cost without penalties."""
        if not callable(self.cost):
            return measures[:, COSTS[self.cost]]
        paths = [SurfacePath.from_controls(self.terrain, one, self.samples or 240) for one in controls]
        return np.array(
            [self.cost(p, speed_profile(p, self.vehicle, self.v_start, self.v_end)) for p in paths]
        )

    def counted(self, controls: np.ndarray) -> np.ndarray:
        """(paths,) cost plus the paper's penalty J + w·n, n the number of infeasible points."""
        measures = self.measures(controls)
        wrong = measures[:, TROUBLED if self.must_drive else CLOSED_POINTS]
        return self.base(controls, measures) + 0.02 * self.scale * wrong

    def smooth(self, controls: np.ndarray) -> np.ndarray:
        """(paths,) cost plus a penalty that grows with how far a path is from feasible."""
        measures = self.measures(controls)
        wrong = measures[:, INTRUSION] + (measures[:, VIOLATION] if self.must_drive else 0.0)
        return self.base(controls, measures) + 0.02 * self.scale * wrong

    @property
    def evaluated(self) -> int:
        """Profiles computed so far."""
        return sum(self._batches)


@kernel
def measure_many(
    controls: np.ndarray,
    at: np.ndarray,
    ground: Ground,
    car: np.ndarray,
    drive: np.ndarray,
    x_start: float,
    x_end: float,
    clearance: float,
    out: np.ndarray,
) -> None:
    """Fill `out` (paths, 8) for control points (paths, m, 2)."""
    samples = len(at)
    rows, frame = np.empty((samples, COLUMNS)), np.empty((samples, 9))
    points = np.empty((samples, POINT))
    limit, ceiling, x = np.empty(samples), np.empty(samples), np.empty(samples)
    mark = np.empty(samples, np.int8)
    extent, exposure, distances = ground.frame, ground.exposure, ground.clearance
    for k in range(len(controls)):
        lay(at, controls[k], ground, rows, frame)
        sweep(rows, car, drive, x_start, x_end, False, points, limit, ceiling, x, mark)
        time = distance = energy = exposed = violation = intrusion = 0.0
        troubled = closed = 0
        for i in range(samples):
            step = rows[i, STEP]
            if i < samples - 1:
                pace = np.sqrt(x[i]) + np.sqrt(x[i + 1])
                took = 2.0 * step / pace if pace > 0.0 else 2.0 * step
                a = (x[i + 1] - x[i]) / (2.0 * step)
                force = a + points[i, 0] + car[DRAG] * x[i]
                time += took
                distance += step
                energy += car[MASS] * max(force, 0.0) * step
                if exposure.size > 1:
                    exposed += took * between(frame[i, 0], frame[i, 1], exposure, extent)
            if mark[i] != FINE:
                troubled += 1
            if mark[i] == BLOCKED or mark[i] == OUTSIDE:
                closed += 1
            violation += how_bad(i, mark[i], rows, points, car)
            intrusion += how_deep(frame[i, 0], frame[i, 1], extent, distances, clearance)
        out[k, TIME], out[k, DISTANCE], out[k, ENERGY] = time, distance, energy
        out[k, EXPOSURE], out[k, TROUBLED] = exposed, troubled
        out[k, CLOSED_POINTS] = closed
        out[k, VIOLATION] = violation * distance / (samples * 10.0)
        out[k, INTRUSION] = intrusion * distance / (samples * 10.0)


@kernel
def how_bad(i: int, mark: int, rows: np.ndarray, points: np.ndarray, car: np.ndarray) -> float:
    """How far a point is from allowing motion, zero when it does: continuous, in shares of each limit."""
    bad = 0.0
    if rows[i, K_R] > 0.0 and mark != FINE:
        hold = min(car[TIP], car[FRICTION])
        bad += max(0.0, abs(rows[i, K_Q]) / rows[i, K_R] - hold) * 20.0
    if mark == STEERS:
        bad += 10.0 * (abs(points[i, 6]) - car[SIN_STEER])
    if mark == STALLS:
        bad += 1.0
    return bad


@kernel
def how_deep(x: float, y: float, extent: np.ndarray, distances: np.ndarray, clearance: float) -> float:
    """How far a place lies in closed ground, in its `clearance`, or outside the map, in tenths of metres."""
    deep = max(0.0, clearance - between(x, y, distances, extent))
    out = max(extent[0] - x, x - extent[4], extent[1] - y, y - extent[5], 0.0)
    return 0.1 * (deep + out)
