"""A path on the ground: where it goes, how it bends along and across the surface.

Along the distance S the path has a tangent t, the surface a normal r, and q = r × t points to the left. The
curvature vector κn = d²p/dS² has the parts c_q = κn·q (geodesic curvature, what steering does) and
c_r = κn·r (normal curvature, what the ground does). These and the vertical's components on t, q and r are
all that the limits on speed need; they are computed once, here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.kernels import kernel
from swerve.core.way import SPACING, Way

from .lay import lay, stations
from .limits import C_Q, COLUMNS, K_Q, K_T, MOBILITY, STEP, turn_body
from .regions import Ground
from .spline import see_curve, through
from .surface import Terrain
from .vehicle import Vehicle

LEVEL = np.empty((0, 3))  # normals of a surface that is level
SAME_PLACE = 1e-6  # [m] within which a closed path's last point repeats its first


@dataclass(frozen=True)
class SurfacePath:
    """n points along a path. `geometry` (n, 7) holds k_t, k_q, k_r, c_q, c_r, the mobility and the length of
    the step to the next point; a closed path steps from its last point to its first.
    """

    points: np.ndarray  # (n, 3) [m]
    tangents: np.ndarray  # (n, 3) unit
    normals: np.ndarray  # (n, 3) unit, of the surface
    geometry: np.ndarray
    closed: bool = False
    controls: np.ndarray | None = None  # (m, 2) of the B-spline, where there is one
    ground: Ground | None = None  # where the path lies, for the room that a body needs
    distance: np.ndarray = field(init=False)  # (n,) [m]

    def __post_init__(self) -> None:
        distance = np.zeros(len(self.geometry))
        np.cumsum(self.geometry[:-1, STEP], out=distance[1:])
        object.__setattr__(self, "distance", distance)

    @classmethod
    def from_controls(
        cls,
        terrain: Terrain,
        controls: np.ndarray | Sequence[Sequence[float]],
        samples: int | None = None,
        step: float | None = None,
    ) -> SurfacePath:
        """The B-spline with these control points (m, 2) in the plane, laid on the ground.

        The curve starts in the first control point and ends in the last. Its points lie at most `step` [m]
        apart as seen from above (default `Terrain.step`), or are `samples` in number and evenly spaced.
        """
        bars = _controls(controls)
        if not (bars != bars[0]).any():
            raise BadInput("path", bars.tolist(), "has no length")
        if samples is None:
            at = stations(bars, terrain.step if step is None else step)
        else:
            require(samples >= 3, "samples", samples, "must be at least 3")
            at = _even(terrain, bars, samples)
        geometry, frame = np.empty((len(at), COLUMNS)), np.empty((len(at), 9))
        lay(at, bars, terrain.ground, geometry, frame)
        return cls(frame[:, :3], frame[:, 3:6], frame[:, 6:], geometry, False, bars, terrain.ground)

    @classmethod
    def from_points(
        cls,
        points: np.ndarray | Sequence[Sequence[float]],
        normals: np.ndarray | Sequence[Sequence[float]] | None = None,
        mobility: np.ndarray | float = 1.0,
        closed: bool = False,
    ) -> SurfacePath:
        """Through points (n, 2) or (n, 3) with surface normals (n, 3), vertical ones if none are given.

        A cubic spline over the chord length gives tangents and curvatures, so the points should be dense
        where the path bends. A closed path does not repeat its first point at the end.
        """
        given = np.asarray(points, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] not in (2, 3) or len(given) < 4:
            raise BadInput("points", given.shape, "must be at least four rows of x, y or x, y, z")
        if closed and math.dist(given[0].tolist(), given[-1].tolist()) <= SAME_PLACE:
            given = given[:-1]
        p = np.zeros((len(given), 3))
        for k in range(given.shape[1]):
            p[:, k] = given[:, k]
        r = LEVEL if normals is None else _unit(normals, p, closed)
        knots, first, second = np.empty(len(p) + closed), np.empty_like(p), np.empty_like(p)
        broken = through(p, closed, knots, first, second)
        if broken >= 0:
            require(bool(np.isfinite(p).all()), "points", None, "holds a number that is not finite")
            how = "coincide" if (p[broken] == p[(broken + 1) % len(p)]).all() else "lie too far apart"
            raise BadInput("points", broken, f"two neighbouring points {how}, at index")
        return cls.from_curve(knots, p, first, second, r, mobility)

    @classmethod
    def from_curve(
        cls,
        knots: np.ndarray,
        points: np.ndarray,
        first: np.ndarray,
        second: np.ndarray,
        normals: np.ndarray,
        mobility: np.ndarray | float = 1.0,
    ) -> SurfacePath:
        """From points (n, 3) of a curve with its derivatives in a parameter, whose values are `knots`: n of
        them on an open path, n + 1 on a closed one, whose last belongs to the first point again. `normals`
        (n, 3) are of the surface, none (`LEVEL`) of one that is level."""
        closed = len(knots) == len(points) + 1
        tangents, upright, geometry = (
            np.empty_like(first),
            np.empty_like(first),
            np.empty((len(points), COLUMNS)),
        )
        see_curve(knots, first, second, normals, tangents, upright, geometry)
        geometry[:, MOBILITY] = mobility
        return cls(points, tangents, upright, geometry, closed)

    @property
    def length(self) -> float:
        """[m] on the surface."""
        return float(self.distance[-1] + (self.geometry[-1, STEP] if self.closed else 0.0))

    @property
    def geodesic_curvature(self) -> np.ndarray:
        """c_q (n,) [1/m], positive to the left."""
        return self.geometry[:, C_Q]

    def reversed(self) -> SurfacePath:
        """The same way driven from the end to the start."""
        g = self.geometry[::-1].copy()
        g[:, [K_T, K_Q, C_Q]] *= -1.0
        steps = self.geometry[:, STEP][::-1]
        g[:, STEP] = np.roll(steps, -1)
        if not self.closed:
            g[-1, STEP] = g[-2, STEP]
        controls = None if self.controls is None else self.controls[::-1].copy()
        return SurfacePath(
            self.points[::-1].copy(),
            -self.tangents[::-1],
            self.normals[::-1].copy(),
            g,
            self.closed,
            controls,
            self.ground,
        )

    def way(self, speed: np.ndarray | None = None, name: str = "path") -> Way:
        """The path as a `Way` with its heights and, if given, speeds (n,) [m/s], for any car to follow."""
        return as_way(self.points, speed, self.closed, name)

    def facing(self, vehicle: Vehicle) -> np.ndarray:
        """(n, 3) where the body points: its path's tangent turned back by θ within the ground."""
        angle = self.orientation(vehicle)[0][:, None]
        left = np.cross(self.normals, self.tangents)
        result: np.ndarray = np.cos(angle) * self.tangents - np.sin(angle) * left
        return result

    def orientation(self, vehicle: Vehicle) -> tuple[np.ndarray, np.ndarray]:
        """Angle θ from the body to the tangent and steering angle α = atan(2·tan θ), (n,) [rad] each."""
        angle = np.empty(len(self.geometry))
        _turn_along(self.geometry, vehicle.half_length, angle)
        return angle, np.arctan(2.0 * np.tan(angle))


def as_way(
    points: np.ndarray, speed: np.ndarray | None, closed: bool, name: str, spacing: float = SPACING
) -> Way:
    """A way with points every `spacing` metres in the plane, on a spline through `points` (n, 3)."""
    from scipy.interpolate import CubicSpline

    columns = points if speed is None else np.column_stack([points, speed])
    ring = np.vstack([columns, columns[:1]]) if closed else columns
    knots = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(ring[:, :2], axis=0).T))])
    spline = CubicSpline(knots, ring, bc_type="periodic" if closed else "not-a-knot")
    fine = np.linspace(0.0, knots[-1], 8 * len(ring))
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(spline(fine)[:, :2], axis=0).T))])
    count = max(3, round(along[-1] / spacing))
    even = np.linspace(0.0, along[-1], count + 1)[: count if closed else count + 1]
    at = np.interp(even, along, fine)
    x = spline(at)
    none = np.zeros(len(x))
    # speeds have kinks where braking begins: through those a spline would swing
    pace = None if speed is None else np.interp(at, knots, ring[:, 3])
    return Way(x[:, :2], none, none, x[:, 2], closed, name, pace)


def _even(terrain: Terrain, bars: np.ndarray, samples: int) -> np.ndarray:
    """Parameters (samples,) at even distances on the surface."""
    from scipy.interpolate import CubicSpline

    spans = len(bars) - 1
    fine = np.linspace(0.0, spans, 4 * samples)
    table, frame = np.empty((len(fine), COLUMNS)), np.empty((len(fine), 9))
    lay(fine, bars, terrain.ground, table, frame)
    along = np.concatenate([[0.0], np.cumsum(table[:-1, STEP])])
    inverse = CubicSpline(along, fine) if (np.diff(along) > 0).all() else None
    targets = np.linspace(0.0, along[-1], samples)
    at = inverse(targets) if inverse else np.interp(targets, along, fine)
    return np.clip(at, 0.0, spans)


@kernel
def _turn_along(geometry: np.ndarray, half_length: float, angle: np.ndarray) -> None:
    sine = min(0.99, max(-0.99, half_length * geometry[0, C_Q]))
    cosine = np.sqrt(1.0 - sine * sine)
    for i in range(len(geometry)):
        if i > 0:
            bend = 0.5 * (geometry[i - 1, C_Q] + geometry[i, C_Q])
            sine, cosine = turn_body(sine, cosine, bend, geometry[i - 1, STEP], half_length)
        angle[i] = np.arctan2(sine, cosine)


def _unit(normals: np.ndarray | Sequence[Sequence[float]], points: np.ndarray, closed: bool) -> np.ndarray:
    """Normals for points (n, 3), each of length one; a closed path may repeat the first at its end."""
    r = np.array(normals, dtype=np.float64)
    if closed and len(r) == len(points) + 1:
        r = r[:-1]
    if r.shape != points.shape or not np.isfinite(r).all():
        raise BadInput("normals", r.shape, f"must be finite and of shape {points.shape}")
    size = np.linalg.norm(r, axis=1)
    require(bool((size > 0).all()), "normals", None, "must not be zero")
    result: np.ndarray = r / size[:, None]
    return result


def _controls(controls: np.ndarray | Sequence[Sequence[float]]) -> np.ndarray:
    bars = np.ascontiguousarray(controls, dtype=np.float64)
    if bars.ndim != 2 or bars.shape[1] != 2 or len(bars) < 2 or not np.isfinite(bars).all():
        raise BadInput("control points", bars.shape, "must be at least two finite rows of x, y")
    return bars
