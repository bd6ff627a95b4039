"""A lap, or a stage: its line with its speeds, as a plan, as a way and as a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import minimum_filter1d

from swerve.core.circuit_file import HEIGHT, PLACE, write_table
from swerve.core.plan import Plan
from swerve.core.way import Way

from .path import SurfacePath
from .plans import motion_plan
from .profile import Profile
from .vehicle import Vehicle

SPACING = 1.0  # [m] between the points of a lap
JUDGED, CLOSEST = 0.25, 0.1  # [m] between the points at which its speeds are found, most and least
JUDGED_PER_RADIUS = 50.0  # of them to the radius of a bend, between those
PER_RADIUS = 20.0  # points to the radius of a bend, at least: through fewer, a spline bends more at them
HELD = 3  # points in a row that a bend lasts, to be one


def spacing_for(bends: np.ndarray, closed: bool) -> float:
    """How far apart [m] points of a line are told whose bends (n,) [1/m] at every `SPACING` are these."""
    return float(np.clip(1.0 / max(PER_RADIUS * tightest(bends, closed), 1e-9), JUDGED, SPACING))


def judged_for(bends: np.ndarray, closed: bool) -> float:
    """How far apart [m] the points lie at which the speeds of a line with these bends are found."""
    return float(np.clip(1.0 / max(JUDGED_PER_RADIUS * tightest(bends, closed), 1e-9), CLOSEST, JUDGED))


def tightest(bends: np.ndarray, closed: bool) -> float:
    """The largest bend [1/m] that lasts, of bends (n,) at even distances."""
    held = minimum_filter1d(np.abs(bends), HELD, mode="wrap" if closed else "nearest")
    return float(held.max())


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
