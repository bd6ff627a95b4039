"""The fastest line round a circuit: inside the edges, closed, as a lap that repeats.

    lap = Circuit.read("Monza.csv").fastest_line(Vehicle.racing_car())
    lap.profile.time

The unknowns are offsets from the centre line at knots; a periodic cubic spline runs through the offset
points. The lap time is that of the exact speed profile, its gradient comes from the sweep in reverse
(`slopes`), and a quasi-Newton method made for curves (`descent`) moves the line, from the one of least
curvature to the one of least time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.fft import next_fast_len
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d, maximum_filter1d
from scipy.spatial import cKDTree

from swerve.core.circuit_file import HEIGHT, PLACE, WIDTHS, read_table, without_repeat, write_table
from swerve.core.errors import BadInput, require
from swerve.core.plan import Plan
from swerve.core.way import Way

from .descent import Descent, LoopMetric, Objective, descend
from .limits import C_Q, POINT, STEP
from .path import SurfacePath
from .plans import motion_plan
from .profile import Profile, speed_profile
from .ribbon import Ribbon
from .slopes import time_slopes
from .sweep import sweep
from .vehicle import Vehicle

SPACING = 1.0  # [m] between the points at which a lap is judged
KNOT_GAP = (2.0, 6.0)  # [m] between the unknowns, least and most
RADIUS_SHARE = 0.1  # of the centre line's radius between unknowns, within those
SMOOTHING, WAVELENGTH = 6.0, 200.0  # [m] of the metric of steps
STAGES = (
    (1.0, 1e-3, 80),
    (0.3, 1e-4, 140),
    (0.05, 1e-5, 120),
    (0.05, 1e-5, 40),
    (0.05, 1e-5, 20),
)  # steering cost, barrier, iterations
LEAST_BEND = (1e-2, 1e-3, 1e-4, 1e-4)  # barriers on the way to the line of least bend
FINE_SAMPLES = 6  # points from knot to knot at which the edges are checked
WRITTEN = 6  # decimals of a written line
SAFETY = 0.02  # [m] kept from the edges for the curve between knots


@dataclass(frozen=True)
class Lap:
    """A closed path with its speeds; `offset` (n,) to the left of the centre line [m], and the room that is
    left to the edges for half a car, smallest over the lap."""

    path: SurfacePath
    offset: np.ndarray
    profile: Profile
    least_margin: float
    iterations: int
    seconds: float

    @property
    def line(self) -> np.ndarray:
        """(n, 3) [m], closed."""
        return self.path.points

    def plan(self, vehicle: Vehicle | None = None) -> Plan:
        """The lap as a plan that ends where it began; with a vehicle, also its steering."""
        return motion_plan(self.path, self.profile, self.profile.time, vehicle)

    def way(self, name: str = "lap") -> Way:
        """The line as a closed `Way` with its heights and speeds, for any car to follow."""
        return self.path.way(self.profile.speed, name)

    def write(self, path: str | Path) -> Path:
        """CSV with distance, x, y, z, speed and acceleration."""
        p = self.profile
        names = ("s_m", *PLACE, HEIGHT, "v_mps", "ax_mps2")
        columns = (p.distance, *self.line.T, p.speed, p.acceleration)
        return write_table(path, dict(zip(names, columns, strict=True)), mark="")


@dataclass(frozen=True)
class Circuit:
    """A closed centre line (n, 3) [m] and the room to its right and left (n,) [m]."""

    centre: np.ndarray
    right: np.ndarray
    left: np.ndarray
    name: str = "circuit"

    def __post_init__(self) -> None:
        if self.centre.ndim != 2 or self.centre.shape[1] != 3 or len(self.centre) < 8:
            raise BadInput(self.name, self.centre.shape, "must have at least eight points x, y, z")
        sides = np.concatenate([self.right, self.left])
        if not np.isfinite(self.centre).all() or not np.isfinite(sides).all() or (sides < 0).any():
            raise BadInput(self.name, None, "holds a number that is not finite, or a negative width")

    @classmethod
    def read(cls, path: str | Path) -> Circuit:
        """CSV columns x, y, width to the right, to the left [m], and perhaps z (see `core.circuit_file`)."""
        table = read_table(path, "circuit", (*PLACE, *WIDTHS), (HEIGHT,))
        z = table[HEIGHT] if HEIGHT in table else np.zeros(len(table))
        rows = np.column_stack([*(table[name] for name in PLACE), z, *(table[name] for name in WIDTHS)])
        rows = rows[without_repeat(rows)]
        return cls(rows[:, :3], rows[:, 3], rows[:, 4], table.path.stem)

    @cached_property
    def _along(self) -> tuple[np.ndarray, CubicSpline]:
        """Chord-length knots and a periodic spline of x, y, z, right and left over them."""
        ring = np.column_stack([self.centre, self.right, self.left])
        ring = np.vstack([ring, ring[:1]])
        chords = np.linalg.norm(np.diff(ring[:, :3], axis=0), axis=1)
        if not (chords > 0).all():
            raise BadInput(self.name, int(np.argmin(chords)), "two neighbouring points coincide, at row")
        knots = np.concatenate([[0.0], np.cumsum(chords)])
        return knots, CubicSpline(knots, ring, bc_type="periodic")

    def profile(self, line: np.ndarray, vehicle: Vehicle, spacing: float = SPACING) -> Profile:
        """Speeds of a lap along a closed line (n, 2 or 3): a spline through it, judged every `spacing`."""
        return speed_profile(self.path(line, spacing), vehicle)

    def path(self, line: np.ndarray, spacing: float = SPACING) -> SurfacePath:
        """The line as a path; without heights of its own it takes those of the road beside it."""
        line = np.asarray(line, dtype=np.float64)
        if line.shape[1] == 2:
            line = np.column_stack([line, self._along[1](self._beside(line))[:, 2]])
        ring = np.vstack([line, line[:1]])
        chords = np.linalg.norm(np.diff(ring, axis=0), axis=1)
        if not (chords > 0).all():
            raise BadInput("line", int(np.argmin(chords)), "two neighbouring points coincide, at row")
        knots = np.concatenate([[0.0], np.cumsum(chords)])
        spline = CubicSpline(knots, ring, bc_type="periodic")
        at = np.linspace(0.0, knots[-1], max(16, round(knots[-1] / spacing)) + 1)
        here = at[:-1]
        return SurfacePath.from_curve(
            at, spline(here), spline(here, 1), spline(here, 2), _upright(spline(here, 1))
        )

    def fastest_line(self, vehicle: Vehicle, car_width: float = 2.0) -> Lap:
        """The minimum-time line that keeps half a car inside the edges."""
        started = time.perf_counter()
        low, high, ribbon, fine, metric = self._room_for(car_width)
        at_rest = np.clip(np.zeros(len(low)), low + 0.1 * (high - low), high - 0.1 * (high - low))
        state = descend(bending(ribbon), Descent(at_rest), low, high, metric, 1e-2, 80)
        state = Descent(state.x, 1.0, state.iterations)
        patience = min(max(900 / len(low), 1.0), 2.0)  # a short circuit can be given more iterations
        for steering, barrier, rounds in STAGES:
            # between knots the curve may bulge over an edge: draw the bounds in there, and go on
            right, left, _ = self._rooms(fine.points(state.x))
            low = low + _bulges(right - 0.5 * car_width)
            high = high - _bulges(left - 0.5 * car_width)
            state.x = np.clip(state.x, low + 1e-3, high - 1e-3)
            objective = lap_time(ribbon, vehicle, steering)
            state = descend(objective, state, low, high, metric, barrier, round(patience * rounds))
        return self._lap(fine.points(state.x), vehicle, car_width, state.iterations, started)

    def least_bend_line(self, vehicle: Vehicle, car_width: float = 2.0) -> Lap:
        """The line of least ∫ c² ds that keeps half a car inside the edges, at its own best speeds."""
        started = time.perf_counter()
        low, high, ribbon, fine, metric = self._room_for(car_width)
        state = Descent(np.clip(np.zeros(len(low)), low + 0.1 * (high - low), high - 0.1 * (high - low)))
        for barrier in LEAST_BEND:
            state = descend(bending(ribbon), state, low, high, metric, barrier, 200)
            state = Descent(state.x, 1.0, state.iterations)
            right, left, _ = self._rooms(fine.points(state.x))
            low = low + _bulges(right - 0.5 * car_width)
            high = high - _bulges(left - 0.5 * car_width)
            state.x = np.clip(state.x, low + 1e-3, high - 1e-3)
        return self._lap(fine.points(state.x), vehicle, car_width, state.iterations, started)

    def _room_for(self, car_width: float) -> tuple[np.ndarray, np.ndarray, Ribbon, Ribbon, LoopMetric]:
        """Least and largest offset at the knots, the line through them, coarse and fine, and its metric."""
        require(0.0 <= car_width < np.inf, "car_width", car_width, "must be at least 0 m")
        _, along = self._along
        at = self._knots()
        place, ahead = along(at), along(at, 1)[:, :2]
        low = -(place[:, 3] - 0.5 * car_width - SAFETY)
        high = place[:, 4] - 0.5 * car_width - SAFETY
        if (high - low < 0.02).any():
            narrow = int(np.argmin(high - low))
            width = float(place[narrow, 3] + place[narrow, 4])
            raise BadInput(
                "car_width", car_width, f"does not fit: the circuit is {width:.2f} m wide somewhere"
            )
        metric = LoopMetric(len(at), float(np.diff(at).mean()), SMOOTHING, WAVELENGTH)
        coarse, fine = Ribbon(place[:, :3], ahead, 2), Ribbon(place[:, :3], ahead, FINE_SAMPLES)
        return low, high, coarse, fine, metric

    def _lap(
        self, points: np.ndarray, vehicle: Vehicle, car_width: float, iterations: int, started: float
    ) -> Lap:
        path = self.path(np.round(self.path(points).points, WRITTEN))  # what is written is what was judged
        margin, side = self.margins(path.points, car_width)
        profile = speed_profile(path, vehicle)
        seconds = time.perf_counter() - started
        return Lap(path, side, profile, float(margin.min()), iterations, seconds)

    def _knots(self) -> np.ndarray:
        """Where the unknowns stand along the centre line: closer together where it bends."""
        knots, along = self._along
        fine = np.linspace(0.0, knots[-1], max(64, round(knots[-1])), endpoint=False)
        first, second = along(fine, 1)[:, :2], along(fine, 2)[:, :2]
        bend = (
            np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
            / np.linalg.norm(first, axis=1) ** 3
        )
        dense = 1.0 / np.clip(RADIUS_SHARE / np.maximum(bend, 1e-9), *KNOT_GAP)
        dense = gaussian_filter1d(maximum_filter1d(dense, 25, mode="wrap"), 15.0, mode="wrap")
        count = np.concatenate([[0.0], np.cumsum(dense)]) * knots[-1] / len(fine)
        total = next_fast_len(max(16, round(count[-1])), real=True)
        even = np.linspace(0.0, count[-1], total, endpoint=False)
        return np.interp(even, count, np.append(fine, knots[-1]))

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Left and right edge (n, 2) [m], beside evenly spaced points of the centre line."""
        knots, along = self._along
        at = np.linspace(0.0, knots[-1], max(64, round(knots[-1] / 3.0)), endpoint=False)
        here, ahead = along(at), along(at, 1)[:, :2]
        across = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.linalg.norm(ahead, axis=1, keepdims=True)
        return here[:, :2] + here[:, 4:] * across, here[:, :2] - here[:, 3:4] * across

    def margins(self, line: np.ndarray, car_width: float) -> tuple[np.ndarray, np.ndarray]:
        """Room left beside half a car (n,) [m], and the offset to the left of the centre line, of points."""
        right, left, offset = self._rooms(line)
        return np.minimum(right, left) - 0.5 * car_width, offset

    def _rooms(self, line: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distance to the right and to the left edge, and offset to the left of the centre, of points."""
        _, along = self._along
        u = self._beside(line)
        here, ahead = along(u), along(u, 1)[:, :2]
        gap = line[:, :2] - here[:, :2]
        offset = (ahead[:, 0] * gap[:, 1] - ahead[:, 1] * gap[:, 0]) / np.linalg.norm(ahead, axis=1)
        return here[:, 3] + offset, here[:, 4] - offset, offset

    def _beside(self, line: np.ndarray) -> np.ndarray:
        """Where along the centre line (n,) [m] points (n, 2 or 3) have it at a right angle beside them."""
        knots, along = self._along
        fine = np.linspace(0.0, knots[-1], 8 * len(self.centre), endpoint=False)
        u: np.ndarray = fine[cKDTree(along(fine)[:, :2]).query(line[:, :2])[1]]
        for _ in range(4):
            here, ahead = along(u), along(u, 1)[:, :2]
            gap = line[:, :2] - here[:, :2]
            u = (u + (gap * ahead).sum(1) / (ahead**2).sum(1)) % knots[-1]
        return u


def _bulges(room: np.ndarray) -> np.ndarray:
    """How far to draw in a bound at each knot, from the room at the fine points around it."""
    short = np.where(room < 0.0, 0.01 - room, 0.0)
    return maximum_filter1d(short, 2 * FINE_SAMPLES + 1, mode="wrap")[::FINE_SAMPLES]


def read_line(path: str | Path) -> np.ndarray:
    """A closed line (n, 2) from CSV columns x, y [m]."""
    table = read_table(path, "line", PLACE)
    rows = np.column_stack([table[name] for name in PLACE])
    if len(rows) < 8:
        raise BadInput(f"line {path}", len(rows), "must have at least eight points")
    return rows[without_repeat(rows)]


def warm_up() -> None:
    """Compile or load the kernels of a lap, so that what follows is measured without it."""
    a = np.linspace(0.0, 2 * np.pi, 32, endpoint=False)
    track = Circuit(
        np.column_stack([50 * np.cos(a), 50 * np.sin(a), 0 * a]), np.full(32, 5.0), np.full(32, 5.0)
    )
    car = Vehicle.racing_car()
    track.profile(track.centre, car)
    ahead = np.column_stack([-np.sin(a), np.cos(a)])
    lap_time(Ribbon(track.centre, ahead, 2), car, 1.0)(np.zeros(32))


def bending(ribbon: Ribbon) -> Objective:
    """∫ c² ds in thousandths: its minimum, a line of least curvature, is where the search for time starts."""

    def objective(offsets: np.ndarray) -> tuple[float, np.ndarray]:
        rows, chain = ribbon.geometry(offsets)
        bend, step = rows[:, C_Q], rows[:, STEP]
        return 1e3 * float((bend * bend * step).sum()), 1e3 * chain(2 * bend * step, bend * bend)

    return objective


def lap_time(ribbon: Ribbon, vehicle: Vehicle, steering: float) -> Objective:
    """Lap time [s] plus `steering`·∫ (dc/ds)² ds, which keeps the steering calm between the kinks."""
    n = ribbon.samples
    car, drive = vehicle.packed(), vehicle.drive_table()
    points, mark = np.empty((n, POINT)), np.empty(n, np.int8)
    limit, ceiling, x = np.empty(n), np.empty(n), np.empty(n)
    to_bend, to_step = np.empty(n), np.empty(n)

    def objective(offsets: np.ndarray) -> tuple[float, np.ndarray]:
        rows, chain = ribbon.geometry(offsets)
        sweep(rows, car, drive, 0.0, 0.0, True, points, limit, ceiling, x, mark)
        lap = time_slopes(rows, car, drive, points, limit, ceiling, x, to_bend, to_step)
        change = np.roll(rows[:, C_Q], -1) - rows[:, C_Q]
        rate = change / rows[:, STEP]
        calm = steering * float((change * rate).sum())
        slope = chain(to_bend + 2 * steering * (np.roll(rate, 1) - rate), to_step - steering * rate * rate)
        return lap + calm, slope

    return objective


def _upright(tangents: np.ndarray) -> np.ndarray:
    """Normals of a road without bank: upright across the way, leaning back along it."""
    t = tangents / np.linalg.norm(tangents, axis=1, keepdims=True)
    return np.array([0.0, 0.0, 1.0]) - t[:, 2:] * t
