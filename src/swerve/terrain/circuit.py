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
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial import cKDTree

from swerve.core.circuit_file import BANK, HEIGHT, PLACE, WIDTHS, read_table, without_repeat
from swerve.core.errors import BadInput, require

from .beside import followed
from .circuit_checks import LONGEST, chords, must_go_round_once, must_lead_on, must_lie_on
from .gentlest import gentlest_line
from .lap import JUDGED, SPACING, Lap, judged_for, spacing_for
from .lap_reference import Road
from .lapline import NoStart, carefully, least_time
from .least_bend import least_bent
from .path import SurfacePath
from .profile import Profile, speed_profile
from .rounding import unrounded
from .vehicle import Vehicle

WRITTEN = 6  # decimals of a written line
FINELY = 0.25  # [m] between places of the centre line that are kept
BULGE = 0.02  # [m] over the edges that a line may have
NARROWEST = 0.02  # [m] beside the car, at least


@dataclass(frozen=True)
class Circuit:
    """A centre line (n, 3) [m], the room to its right and left (n,) [m], and how far the road leans to the
    right (n,) [rad], its left side being the higher; closed, or an open stage from first point to last."""

    centre: np.ndarray
    right: np.ndarray
    left: np.ndarray
    name: str = "circuit"
    bank: np.ndarray | None = None
    closed: bool = True
    v_start: float = 0.0  # [m/s] of an open stage

    def __post_init__(self) -> None:
        if self.centre.ndim != 2 or self.centre.shape[1] != 3 or len(self.centre) < 8:
            raise BadInput(self.name, self.centre.shape, "must have at least eight points x, y, z")
        sides = np.concatenate([self.right, self.left])
        if not np.isfinite(self.centre).all() or not np.isfinite(sides).all() or (sides < 0).any():
            raise BadInput(self.name, None, "holds a number that is not finite, or a negative width")
        require(sides.max() <= LONGEST, self.name, float(sides.max()), "must not be as wide [m] as")
        if self.bank is not None and not (np.abs(self.bank) < 1.2).all():
            raise BadInput(self.name, float(np.abs(self.bank).max()), "must not lean by 1.2 rad or more")
        require(0.0 <= self.v_start < math.inf, "v_start", self.v_start, "must be at least 0 m/s")
        must_lead_on(self.name, self.centre, self.closed)

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

    @cached_property
    def _along(self) -> tuple[np.ndarray, CubicSpline]:
        """Chord-length knots and a spline of x, y, z, right, left and the bank's slope over them."""
        lean = np.zeros(len(self.centre)) if self.bank is None else np.tan(self.bank)
        ring = np.column_stack([self.centre, self.right, self.left, lean])
        ring = np.vstack([ring, ring[:1]]) if self.closed else ring
        knots = chords(self.name, ring[:, :3])
        return knots, CubicSpline(knots, ring, bc_type="periodic" if self.closed else "not-a-knot")

    @cached_property
    def _flat(self) -> bool:
        return self.bank is None and not np.ptp(self.centre[:, 2]) > 0.0

    def stations(self, gap: float) -> tuple[np.ndarray, CubicSpline]:
        """Even places along the centre line, about `gap` [m] apart, and the spline of x, y, z, right and left
        over them."""
        knots, along = self._along
        count = max(16, round(knots[-1] / gap))
        at = np.linspace(0.0, knots[-1], count + 1)
        return at[:-1] if self.closed else at, along

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
        normals = np.tile([0.0, 0.0, 1.0], (len(here), 1)) if self._flat else self._surface(points)[1]
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

        points, iterations, best = (
            self.centre[:, :2],
            0,
            math.inf,
        )  # where none is drivable, its profile says why
        try:
            points, iterations = least_time(road, middle, vehicle, 0.5 * car_width)
            best = seconds(points)
        except NoStart:
            pass
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
        if best == math.inf:
            points = self.centre[:, :2]  # its profile says why
        return self._lap(points, vehicle, car_width, iterations, started)

    @property
    def _road(self) -> tuple[Road, np.ndarray]:
        """What a search asks of the circuit, and its centre line (n, 2), every two metres."""
        at, along = self.stations(2.0)
        road = Road(self.rooms, self._laid, self.closed, None if self.closed else self.v_start)
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

    def _laid(self, knots: np.ndarray, points: np.ndarray) -> SurfacePath:
        """Points (n, 2) as a path on the road."""
        heights, normals = self._surface(points)
        return SurfacePath.from_points(np.column_stack([points, heights]), normals, closed=self.closed)

    def _surface(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height (n,) and normal (n, 3) of the road at points (n, 2 or 3): it is straight across."""
        _, along = self._along
        u = self._beside(points)
        here, ahead, turn = along(u), along(u, 1), along(u, 2)
        pace = np.linalg.norm(ahead[:, :2], axis=1)
        across = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / pace[:, None]
        offset = ((points[:, :2] - here[:, :2]) * across).sum(1)
        bend = (ahead[:, 0] * turn[:, 1] - ahead[:, 1] * turn[:, 0]) / pace**3
        shrink = np.maximum(1.0 - offset * bend, 0.05)
        forward = np.column_stack([ahead[:, :2] * shrink[:, None], ahead[:, 2] + offset * ahead[:, 5]])
        normal = np.cross(forward, np.column_stack([across, here[:, 5]]))
        return here[:, 2] + offset * here[:, 5], normal / np.linalg.norm(normal, axis=1, keepdims=True)

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Left and right edge (n, 2) [m], beside evenly spaced points of the centre line."""
        at, along = self.stations(3.0)
        here, ahead = along(at), along(at, 1)[:, :2]
        across = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.linalg.norm(ahead, axis=1, keepdims=True)
        return here[:, :2] + here[:, 4:5] * across, here[:, :2] - here[:, 3:4] * across

    def margins(self, line: np.ndarray, car_width: float) -> tuple[np.ndarray, np.ndarray]:
        """Room left beside half a car (n,) [m], and the offset to the left of the centre line, of points."""
        _, along = self._along
        u = self._beside(line)
        here, ahead = along(u), along(u, 1)[:, :2]
        gap = line[:, :2] - here[:, :2]
        offset = (ahead[:, 0] * gap[:, 1] - ahead[:, 1] * gap[:, 0]) / np.linalg.norm(ahead, axis=1)
        return np.minimum(here[:, 3] + offset, here[:, 4] - offset) - 0.5 * car_width, offset

    @cached_property
    def _table(self) -> tuple[cKDTree, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The centre line, finely: a tree of its points, station, points, direction, widths and how they
        change."""
        at, along = self.stations(FINELY)
        here, ahead = along(at), along(at, 1)
        pace = np.linalg.norm(ahead[:, :2], axis=1, keepdims=True)
        tree = cKDTree(here[:, :2])
        return tree, at, here[:, :2], ahead[:, :2] / pace, here[:, 3:5], ahead[:, 3:5] / pace

    def rooms(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distance to the right and to the left edge (n,) [m] of points (n, 2), to about a millimetre."""
        _, _, centre, ahead, widths, change = self._table
        i = self._places(points)
        gap, t = points - centre[i], ahead[i]
        along, offset = (gap * t).sum(1), t[:, 0] * gap[:, 1] - t[:, 1] * gap[:, 0]
        here = widths[i] + change[i] * along[:, None]
        return here[:, 0] + offset, here[:, 1] - offset

    def _places(self, line: np.ndarray) -> np.ndarray:
        """Rows of the table (n,) beside a line's points (n, 2)."""
        tree, _, centre, *_ = self._table
        wide = float(self.right.max() + self.left.max())
        return followed(np.ascontiguousarray(line), tree.query(line)[1], centre, FINELY, wide)

    def _beside(self, line: np.ndarray) -> np.ndarray:
        """Where along the centre line (n,) [m] points (n, 2 or 3) have it at a right angle beside them."""
        knots, along = self._along
        u: np.ndarray = self._table[1][self._places(line[:, :2])]
        for _ in range(4):
            here, ahead, turn = (along(u, k)[:, :2] for k in range(3))
            gap = line[:, :2] - here
            falls = np.maximum((ahead**2).sum(1) - (gap * turn).sum(1), 0.05 * (ahead**2).sum(1))
            u = u + np.clip((gap * ahead).sum(1) / falls, -FINELY, FINELY)
            u = u % knots[-1] if self.closed else np.clip(u, 0.0, knots[-1])
        return u


def warm_up() -> None:
    """Compile or load the kernels of a lap, so that what follows is measured without it."""
    a = np.linspace(0.0, 2 * np.pi, 32, endpoint=False)
    ring = np.column_stack([50 * np.cos(a), 50 * np.sin(a), 0 * a])
    Circuit(ring, np.full(32, 5.0), np.full(32, 5.0)).fastest_line(Vehicle.racing_car())
