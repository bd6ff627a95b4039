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

from .costs import ENERGY, EXPOSURE, parse
from .downhill import along
from .measure import CLOSED_POINTS, INTRUSION, MEASURES, TROUBLED, VIOLATION, measure_many
from .path import SurfacePath
from .profile import Profile, speed_profile
from .surface import Terrain
from .vehicle import Vehicle

Cost = str | Callable[[SurfacePath, Profile], float]

CLEARANCE = 1.0  # [m] beside the body that is liked
COARSE, HALVED = 5.0, 2.0  # times as far apart lie the points of a path at a first look, and at a second
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
        return self._with_penalty(controls, self.measures(controls))

    def _with_penalty(self, controls: np.ndarray, measures: np.ndarray) -> np.ndarray:
        base = self.base(controls, measures)
        self._keep(controls, base, measures)
        wrong = measures[:, INTRUSION] + (measures[:, VIOLATION] if self.must_drive else 0.0)
        return base + 0.02 * self.scale * wrong

    @property
    def has_slope(self) -> bool:
        """Whether `slope` knows how the cost changes: it does for quick hands."""
        return math.isinf(self.vehicle.steer_rate) and not callable(self.cost)

    def slope(self, controls: np.ndarray, most: float = math.inf) -> tuple[float, np.ndarray]:
        """The smooth cost of one path and ∂(smooth cost)/∂controls (m, 2), by the profile in reverse (see
        `gradient`); if it costs less than `most`, otherwise the cost is infinite."""
        cost, _, slope = self.along(controls, np.zeros(np.shape(controls)), most, 0.0, 1)
        return cost, slope

    def along(
        self, controls: np.ndarray, move: np.ndarray, cost: float, falls: float, bisections: int
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """A path cheaper than `cost` along a `move` of `controls` (m, 2): its smooth cost, infinite if there
        is none, its controls and its slope. See `downhill.along`."""
        controls = np.ascontiguousarray(controls, dtype=np.float64)
        there, slope, kept = np.empty_like(controls), np.empty_like(controls), np.empty_like(controls)
        before = math.inf if self.best is None else self.best[0]
        best = np.array([before])
        found, judged, sloped = along(
            controls,
            move,
            cost,
            falls,
            bisections,
            self.terrain.step if self.step is None else self.step,
            self.terrain.ground,
            self._car,
            self._drive,
            self.v_start**2,
            self.v_end**2,
            self.weights,
            self.clearance,
            0.02 * self.scale * 0.1,
            self.must_drive,
            there,
            slope,
            best,
            kept,
        )
        if best[0] < before:
            self._best.found = float(best[0]), kept
        self._batches.append(judged + 2 * sloped)
        return found, there, slope

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
