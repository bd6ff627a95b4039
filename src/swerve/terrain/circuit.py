"""The fastest line round a circuit: inside the edges, closed, as a lap that repeats.

    lap = Circuit.read("Monza.csv").fastest_line(Vehicle.racing_car())
    lap.profile.time

The unknowns are offsets from the centre line at knots; a periodic cubic spline runs through the offset
points. The lap time is that of the exact speed profile, its gradient comes from the sweep in reverse
(`slopes`), and a quasi-Newton method with bounds (L-BFGS-B) moves the line, from coarse knots to fine ones.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize
from scipy.spatial import cKDTree

from swerve.core.errors import BadInput, require
from swerve.core.files import existing, write_text

from .limits import POINT
from .path import SurfacePath
from .profile import Profile, speed_profile
from .ribbon import Ribbon
from .slopes import time_slopes
from .sweep import sweep
from .vehicle import Vehicle

SPACING = 2.0  # [m] between the points at which a lap is judged
KNOTS = (24.0, 12.0, 7.0)  # [m] between the unknowns, one refinement after the other
SAFETY = 0.03  # [m] kept from the edges for the curve between knots


@dataclass(frozen=True)
class Lap:
    """A closed line (n, 3) [m] with its speeds; `offset` (n,) to the left of the centre line, and the room
    that is left to the edges for half a car, smallest over the lap."""

    line: np.ndarray
    offset: np.ndarray
    profile: Profile
    least_margin: float
    iterations: int
    seconds: float

    def write(self, path: str | Path) -> Path:
        """CSV with distance, x, y, z, speed and acceleration."""
        p = self.profile
        rows = np.column_stack([p.distance, self.line, p.speed, p.acceleration])
        body = "\n".join(",".join(f"{v:.4f}" for v in row) for row in rows)
        return write_text(path, f"s_m,x_m,y_m,z_m,v_mps,ax_mps2\n{body}\n")


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
        """CSV rows x, y, width to the right, width to the left [m], and perhaps z; `#` starts a comment."""
        rows = _table(path, "circuit", (4, 5))
        if np.allclose(rows[0, :2], rows[-1, :2]):
            rows = rows[:-1]
        z = rows[:, 4] if rows.shape[1] == 5 else np.zeros(len(rows))
        return cls(np.column_stack([rows[:, :2], z]), rows[:, 2], rows[:, 3], Path(path).stem)

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
        """Speeds of a lap along a closed line (n, 2 or 3): a spline through it, judged every `spacing` [m]."""
        return speed_profile(self.path(line, spacing), vehicle)

    def path(self, line: np.ndarray, spacing: float = SPACING) -> SurfacePath:
        """The line as a path; without heights of its own it takes those of the centre line beside it."""
        line = np.asarray(line, dtype=np.float64)
        if line.shape[1] == 2:
            beside = cKDTree(self.centre[:, :2]).query(line)[1]
            line = np.column_stack([line, self.centre[beside, 2]])
        ring = np.vstack([line, line[:1]])
        chords = np.linalg.norm(np.diff(ring, axis=0), axis=1)
        if not (chords > 0).all():
            raise BadInput("line", int(np.argmin(chords)), "two neighbouring points coincide, at row")
        knots = np.concatenate([[0.0], np.cumsum(chords)])
        spline = CubicSpline(knots, ring, bc_type="periodic")
        count = max(16, round(knots[-1] / spacing))
        at = np.linspace(0.0, knots[-1], count, endpoint=False)
        return SurfacePath.from_points(spline(at), _upright(spline(at, 1)), closed=True)

    def fastest_line(self, vehicle: Vehicle, car_width: float = 2.0, rounds: int = 250) -> Lap:
        """The minimum-time line that keeps half a car inside the edges."""
        require(0.0 <= car_width < np.inf, "car_width", car_width, "must be at least 0 m")
        started = time.perf_counter()
        knots, along = self._along
        car, drive = vehicle.packed(), vehicle.drive_table()
        offset_of: CubicSpline | None = None
        iterations = 0
        ribbon: Ribbon | None = None
        offsets = np.zeros(0)
        for spacing in KNOTS:
            at = np.linspace(0.0, knots[-1], max(8, round(knots[-1] / spacing)), endpoint=False)
            place = along(at)
            low = -(place[:, 3] - 0.5 * car_width - SAFETY)
            high = place[:, 4] - 0.5 * car_width - SAFETY
            if (low > high).any():
                narrow = int(np.argmax(low - high))
                width = float(place[narrow, 3] + place[narrow, 4])
                raise BadInput("car_width", car_width, f"does not fit: the circuit is {width:.2f} m wide somewhere")
            ribbon = Ribbon(place[:, :3], along(at, 1)[:, :2], max(2, round(spacing / SPACING)))
            offsets = np.clip(np.zeros(len(at)) if offset_of is None else offset_of(at), low, high)
            offsets, count = _improve(ribbon, offsets, low, high, car, drive, rounds)
            iterations += count
            offset_of = CubicSpline(np.append(at, knots[-1]), np.append(offsets, offsets[:1]), bc_type="periodic")
        assert ribbon is not None
        line = ribbon.points(offsets)
        path = self.path(line)
        margin, side = self.margins(path.points, car_width)
        profile = speed_profile(path, vehicle)
        return Lap(
            path.points, side, profile, float(margin.min()), iterations, time.perf_counter() - started
        )

    def margins(self, line: np.ndarray, car_width: float) -> tuple[np.ndarray, np.ndarray]:
        """Room left beside half a car (n,) [m], and the offset to the left of the centre line, of points."""
        knots, along = self._along
        fine = np.linspace(0.0, knots[-1], 8 * len(self.centre), endpoint=False)
        u = fine[cKDTree(along(fine)[:, :2]).query(line[:, :2])[1]]
        for _ in range(4):  # Newton, to where the connection is at a right angle
            here, ahead = along(u), along(u, 1)[:, :2]
            gap = line[:, :2] - here[:, :2]
            u = u + (gap * ahead).sum(1) / (ahead**2).sum(1)
        here, ahead = along(u % knots[-1]), along(u % knots[-1], 1)[:, :2]
        gap = line[:, :2] - here[:, :2]
        left = (ahead[:, 0] * gap[:, 1] - ahead[:, 1] * gap[:, 0]) / np.linalg.norm(ahead, axis=1)
        room = np.minimum(here[:, 4] - left, here[:, 3] + left) - 0.5 * car_width
        return room, left


def read_line(path: str | Path) -> np.ndarray:
    """A closed line (n, 2) from CSV rows x, y [m]."""
    rows = _table(path, "line", (2, 3, 4, 5, 6))[:, :2]
    if len(rows) < 8:
        raise BadInput(f"line {path}", len(rows), "must have at least eight points")
    return rows[:-1] if np.allclose(rows[0], rows[-1]) else rows


def _improve(
    ribbon: Ribbon,
    offsets: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    rounds: int,
) -> tuple[np.ndarray, int]:
    """L-BFGS-B on the lap time, started afresh when a kink ends a run early."""
    n = ribbon.samples
    points, mark = np.empty((n, POINT)), np.empty(n, np.int8)
    limit, ceiling, x = np.empty(n), np.empty(n), np.empty(n)
    to_bend, to_step = np.empty(n), np.empty(n)

    def lap_time(values: np.ndarray) -> tuple[float, np.ndarray]:
        rows, chain = ribbon.geometry(values)
        sweep(rows, car, drive, 0.0, 0.0, True, points, limit, ceiling, x, mark)
        lap = time_slopes(rows, car, drive, points, limit, ceiling, x, to_bend, to_step)
        return lap, chain(to_bend, to_step)

    done, best = 0, np.inf
    for _ in range(4):
        result: Any = minimize(
            lap_time,
            offsets,
            jac=True,
            method="L-BFGS-B",
            bounds=np.column_stack([low, high]),
            options={"maxiter": rounds, "maxcor": 20, "maxls": 30, "ftol": 1e-8},
        )
        done += int(result.nit)
        if result.fun < best:
            offsets = result.x
        if not result.fun < best - 1e-4 * result.fun:
            break
        best = float(result.fun)
    return offsets, done


def _upright(tangents: np.ndarray) -> np.ndarray:
    """Normals of a road without bank: upright across the way, leaning back along it."""
    t = tangents / np.linalg.norm(tangents, axis=1, keepdims=True)
    return np.array([0.0, 0.0, 1.0]) - t[:, 2:] * t


def _table(path: str | Path, what: str, columns: tuple[int, ...]) -> np.ndarray:
    path = existing(path, what)
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        while lines and not lines[0].lstrip().startswith("#") and any(c.isalpha() for c in lines[0].lower() if c not in "einf"):
            lines = lines[1:]  # a header without the mark of a comment
        rows = np.loadtxt(lines, delimiter=",", comments="#", ndmin=2)
    except (ValueError, UnicodeDecodeError) as error:
        raise BadInput(f"{what} {path}", None, f"is not a table of numbers ({error})") from error
    if rows.shape[0] == 0 or rows.shape[1] not in columns:
        wanted = " or ".join(map(str, columns))
        raise BadInput(f"{what} {path}", rows.shape, f"must have {wanted} columns")
    if not np.isfinite(rows).all():
        bad = int(np.argmin(np.isfinite(rows).all(axis=1)))
        raise BadInput(f"{what} {path} row {bad + 1}", None, "holds a number that is not finite")
    return rows
