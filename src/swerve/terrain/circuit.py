"""The fastest line round a circuit, or along an open stage: inside the edges, with its speeds.

    lap = Circuit.read("Monza.csv").fastest_line(Vehicle.racing_car())
    lap.profile.time

Line and speeds are found together, by Newton's method from inside all limits (`interior`); what is reported
is the exact speed profile along the line as it is written.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

from swerve.core.circuit_file import BANK, HEIGHT, PLACE, WIDTHS, read_table, without_repeat
from swerve.core.errors import BadInput, require

from .circuit_checks import chords, must_go_round_once, must_lie_on
from .gentlest import gentlest_line
from .lap import JUDGED, SPACING, Lap, judged_for, spacing_for
from .lap_reference import Road
from .lapline import NoStart, carefully, least_time
from .least_bend import least_bent
from .path import SurfacePath
from .profile import Profile, speed_profile
from .roadway import FINELY, Roadway
from .rounding import unrounded
from .vehicle import Vehicle

WRITTEN = 6  # decimals of a written line
BULGE = 0.02  # [m] over the edges that a line may have
NARROWEST = 0.02  # [m] beside the car, at least


@dataclass(frozen=True)
class Circuit(Roadway):
    """A road and the fastest line along it."""

    v_start: float = 0.0  # [m/s] of an open stage

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0.0 <= self.v_start < math.inf, "v_start", self.v_start, "must be at least 0 m/s")

    @classmethod
    def read(cls, path: str | Path, closed: bool = True) -> Circuit:
        """CSV columns x, y, width to the right, to the left [m], perhaps z and bank (`core.circuit_file`)."""
        table = read_table(path, "circuit", (*PLACE, *WIDTHS), (HEIGHT, BANK))
        require(len(table) >= 8, f"circuit {path}", len(table), "must have at least eight rows")
        z = table[HEIGHT] if HEIGHT in table else np.zeros(len(table))
        rows = np.column_stack([*(table[name] for name in PLACE), z, *(table[name] for name in WIDTHS)])
        bank = table.columns.get(BANK)
        if closed:
            kept = without_repeat(rows)
            rows, bank = rows[kept], None if bank is None else bank[kept]
        rows[:, :3] = unrounded(rows[:, :3], closed)
        return cls(rows[:, :3], rows[:, 3], rows[:, 4], table.path.stem, bank, closed)

    def profile(self, line: np.ndarray, vehicle: Vehicle, spacing: float = SPACING) -> Profile:
        """Speeds along a line (n, 2 or 3), told every `spacing` [m] and found as closely as its bends
        want it, however it is told."""
        judged = judged_for(self.path(line).geodesic_curvature, self.closed)
        finer = max(1, math.ceil(spacing / judged - 1e-9))
        path = self.path(line, spacing, finer)
        if self.closed:
            return speed_profile(path, vehicle).every(finer)
        return speed_profile(path, vehicle, self.v_start, None).every(finer)

    def judged(self, line: np.ndarray, vehicle: Vehicle) -> Profile:
        """Speeds along a line as it would be written: the answer, and what it is compared with."""
        return self.profile(self._written(line), vehicle)

    def _written(self, line: np.ndarray) -> np.ndarray:
        path = self.path(line)
        spacing = spacing_for(path.geodesic_curvature, self.closed)
        return np.round((path if spacing == SPACING else self.path(line, spacing)).points, WRITTEN)

    def path(self, line: np.ndarray, spacing: float = SPACING, finer: int = 1) -> SurfacePath:
        """The line as a path, `finer` points to each `spacing`; without heights of its own it takes those of
        the road beside it."""
        line = np.asarray(line, dtype=np.float64)
        if line.shape[1] == 2:
            line = np.column_stack([line, self._surface(line)[0]])
        ring = np.vstack([line, line[:1]]) if self.closed else line
        knots = chords("line", ring)
        spline = CubicSpline(knots, ring, bc_type="periodic" if self.closed else "not-a-knot")
        at = np.linspace(0.0, knots[-1], max(16, round(knots[-1] / spacing)) * finer + 1)
        here = at[:-1] if self.closed else at
        points, ahead = spline(here), spline(here, 1)
        normals = np.tile([0.0, 0.0, 1.0], (len(here), 1)) if self.flat else self._surface(points)[1]
        return SurfacePath.from_curve(at, points, ahead, spline(here, 2), normals)

    def fastest_line(self, vehicle: Vehicle, car_width: float = 2.0, known: np.ndarray | None = None) -> Lap:
        """The minimum-time line that keeps half a car inside the edges; no slower than the centre line or
        a `known` line (n, 2) that does."""
        started = time.perf_counter()
        self._must_fit(car_width)
        road, middle = self._road

        def seconds(line: np.ndarray) -> float:
            profile = self.judged(line, vehicle)
            return profile.time if profile.feasible else math.inf

        # where none is drivable, the centre line's profile says why
        points, iterations, best = self.centre[:, :2], 0, math.inf
        upright = replace(
            vehicle, height_to_half_width=0.0
        )  # a line for tyres alone is seldom the better one
        for car in (vehicle, upright) if vehicle.tips_first else (vehicle,):
            with suppress(NoStart):
                line, steps = least_time(road, middle, car, 0.5 * car_width)
                iterations += steps
                if (took := seconds(line)) < best:
                    points, best = line, took
        starts = self._starts(road, vehicle, car_width) if best == math.inf else iter(())
        given = [line for line in (known, self.centre[:, :2]) if line is not None]
        better = [line for line in given if self._holds(line, car_width) and seconds(line) < best]
        starts = itertools.chain(starts, better)
        for start in starts:
            found = carefully(road, start, vehicle, 0.5 * car_width, seconds)
            if found is not None and found.seconds < best:
                points, iterations, best = found.line, found.steps, found.seconds
                if known is None:
                    break
        return self._lap(points, vehicle, car_width, iterations, started)

    @property
    def _road(self) -> tuple[Road, np.ndarray]:
        """What a search asks of the circuit, and its centre line (n, 2), every two metres."""
        at, along = self.stations(2.0)
        normals = None if self.flat else self._normals
        road = Road(self.rooms, normals, self.closed, None if self.closed else self.v_start)
        return road, along(at)[:, :2]

    def _starts(self, road: Road, vehicle: Vehicle, car_width: float) -> Iterator[np.ndarray]:
        """Lines (n, 2) from which one may be found where steering binds."""
        middle = self.path(self.centre[:, :2], FINELY).points[:, :2]
        yield middle
        gentle = gentlest_line(road, middle, 0.5 * car_width, vehicle.tightest_bend)
        if self._holds(gentle, car_width):
            yield gentle

    def _holds(self, line: np.ndarray, car_width: float) -> bool:
        return float(self.margins(self.path(line, FINELY).points, car_width)[0].min()) > -BULGE

    def must_hold(self, line: np.ndarray, what: str) -> None:
        """Refuse a line (n, 2 or 3) that lies elsewhere, leaves the road for long, or goes round twice."""
        far = self._table[0].query(line[:, :2])[0] - max(self.right.max(), self.left.max())
        must_lie_on(what, self.name, line[:, :2], far)  # before splines reach for rows that lie anywhere
        points = self.path(line).points[:, :2]
        knots, along = self._along
        u = self._beside(points)
        gap = np.hypot(*(points - along(u)[:, :2]).T)
        room, offset = self.margins(points, 0.0)
        must_lie_on(what, self.name, points, np.maximum(-room, gap - np.abs(offset) - room))
        if self.closed:
            must_go_round_once(what, u, float(knots[-1]))

    def least_bend_line(self, vehicle: Vehicle, car_width: float = 2.0) -> Lap:
        """The line of least ∫ c² ds that keeps half a car inside the edges, at its own best speeds."""
        started = time.perf_counter()
        require(self.closed, "circuit", self.name, "must be closed for the line of least bend")
        self._must_fit(car_width)
        road, middle = self._road
        points, iterations = least_bent(road, middle, 0.5 * car_width)
        return self._lap(points, vehicle, car_width, iterations, started)

    def _must_fit(self, car_width: float) -> None:
        require(0.0 <= car_width < np.inf, "car_width", car_width, "must be at least 0 m")
        at, along = self.stations(2.0)
        width = along(at)[:, 3:5].sum(axis=1).min()
        if width - car_width < NARROWEST:
            raise BadInput(
                "car_width", car_width, f"does not fit: the circuit is {width:.2f} m wide somewhere"
            )

    def _lap(
        self, points: np.ndarray, vehicle: Vehicle, car_width: float, iterations: int, started: float
    ) -> Lap:
        line = self._written(points)  # what is written is what is judged
        along = chords("line", np.vstack([line, line[:1]]) if self.closed else line)
        spacing = float(along[-1]) / (len(along) - 1)
        path, profile = self.path(line, spacing), self.profile(line, vehicle, spacing)
        margin, side = self.margins(self.path(line, JUDGED).points, car_width)
        offset = side[:: max(1, round(len(side) / len(path.points)))][: len(path.points)]
        seconds = time.perf_counter() - started
        return Lap(path, offset, profile, float(margin.min()), iterations, seconds)

    def _normals(self, points: np.ndarray) -> np.ndarray:
        return self._surface(points)[1]


def warm_up() -> None:
    """Compile or load the kernels of a lap, so that what follows is measured without it."""
    a = np.linspace(0.0, 2 * np.pi, 32, endpoint=False)
    ring = np.column_stack([50 * np.cos(a), 50 * np.sin(a), 0 * a])
    Circuit(ring, np.full(32, 5.0), np.full(32, 5.0)).fastest_line(Vehicle.racing_car())
