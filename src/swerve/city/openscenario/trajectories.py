"""Trajectories of a storyboard as lines by distance: polylines, clothoids, NURBS, with or without times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.geometry import wrap

from .nodes import Node

STEP = 0.25  # [m] along curves

Pose = tuple[float, float, float, float]  # x, y, z [m], heading [rad]
Located = Callable[[Node | None], Pose]  # of a Position; of none where the entity is now


@dataclass
class Trajectory:
    """Points (k, 3) [m], distances along them (k,), headings (k,), and times (k,) [s] where there are any.

    One who looks the other way where it begins (`opposed`) and goes backwards follows it tail first.
    """

    points: np.ndarray
    heading: np.ndarray
    times: np.ndarray | None
    gone: float = 0.0  # [m] along it
    clock: float = 0.0  # [s]
    opposed: bool = False
    reversing: bool = False
    _way: float = 0.0  # [m] of the last step, along the line

    def __post_init__(self) -> None:
        steps = np.hypot(*np.diff(self.points[:, :2], axis=0).T)
        self.along = np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def finished(self) -> bool:
        if self.times is not None:
            return self.clock >= self.times[-1] - 1e-9
        if self._way < 0.0:
            return self.gone <= 1e-9
        return self.gone >= self.along[-1] - 1e-9

    def advance(self, way: float, dt: float) -> tuple[float, float, float, float, float | None]:
        """Go on by `way` [m], or with times by dt [s]: x, y, z, heading and, with times, the speed."""
        speed = None
        if self.times is not None:
            self.clock += dt
            before = self.gone
            self.gone = float(np.interp(self.clock, self.times, self.along))
            speed = (self.gone - before) / dt
        else:
            self.reversing |= self.opposed and way < 0.0 and self.gone == 0.0
            self._way = -way if self.reversing else way
            self.gone = float(np.clip(self.gone + self._way, 0.0, self.along[-1]))
        x, y, z = (float(np.interp(self.gone, self.along, column)) for column in self.points.T)
        heading = float(np.interp(self.gone, self.along, self.heading))
        turned = self.reversing or (self.opposed and self.gone == 0.0)
        return x, y, z, wrap(heading + np.pi) if turned else heading, speed


def trajectory_of(node: Node, timed: bool, shift: float, scale: float, locate: Located) -> Trajectory:
    """The trajectory of a `Trajectory` node; its times count from now + shift [s], times scale."""
    shape = node.need("Shape").first()
    makers = {
        "Polyline": _polyline, "Clothoid": _clothoid, "ClothoidSpline": _clothoids, "Nurbs": _nurbs,
    }  # fmt: skip
    if shape.tag not in makers:
        raise BadInput(f"{shape.where}, Shape", shape.tag, f"must be one of {', '.join(makers)}")
    points, times = makers[shape.tag](shape, locate)
    steps = np.hypot(*np.diff(points[:, :2], axis=0).T)
    moved = np.concatenate([[True], steps > 1e-6])
    if times is None or not timed:
        points, times = points[moved], None
    else:
        times = times * scale + shift
    require(len(points) >= 2, f"{shape.where}, {shape.tag}", len(points), "must be two places at least")
    return Trajectory(points, _headings(points), times)


def _headings(points: np.ndarray) -> np.ndarray:
    """Along the line; of corners halfway."""
    steps = np.diff(points[:, :2], axis=0)
    along = np.arctan2(steps[:, 1], steps[:, 0])
    still = np.hypot(*steps.T) < 1e-6
    for k in np.flatnonzero(still):  # who stands looks where it went
        along[k] = along[k - 1] if k else along[np.argmax(~still)]
    along = np.unwrap(along)
    return np.concatenate([along[:1], (along[1:] + along[:-1]) / 2, along[-1:]])


def _polyline(shape: Node, locate: Located) -> tuple[np.ndarray, np.ndarray | None]:
    vertices = shape.all("Vertex")
    require(len(vertices) >= 2, f"{shape.where}, Polyline", len(vertices), "must have two vertices at least")
    points = np.array([locate(v.need("Position"))[:3] for v in vertices])
    times = np.array([v.number("time", 0.0) for v in vertices])
    return points, times if (np.diff(times) >= 0).all() and times[-1] > times[0] else None


def _clothoid(shape: Node, locate: Located) -> tuple[np.ndarray, np.ndarray | None]:
    change = shape.number("curvaturePrime", shape.number("curvatureDot", 0.0))
    x, y, z, heading = locate(shape.need("Position"))
    bend, length = shape.number("curvature"), shape.number("length", least=0.0)
    points = _bent(x, y, z, heading, bend, bend + change * length, length)[0]
    return points, _span(shape, "startTime", "stopTime", points)


def _clothoids(shape: Node, locate: Located) -> tuple[np.ndarray, np.ndarray | None]:
    segments = shape.all("ClothoidSplineSegment")
    require(bool(segments), f"{shape.where}, ClothoidSpline", 0, "must have a segment at least")
    x, y, z, heading = locate(segments[0].find("PositionStart"))
    parts, times = [], []
    for k, one in enumerate(segments):
        if k and one.find("PositionStart") is not None:
            x, y, z, heading = locate(one.need("PositionStart"))
        heading += one.number("hOffset", 0.0)
        length = one.number("length", least=0.0)
        some, heading = _bent(
            x, y, z, heading, one.number("curvatureStart"), one.number("curvatureEnd"), length
        )
        x, y = some[-1, :2]
        begin = one.number("timeStart", np.nan)
        ends = segments[k + 1].number("timeStart", np.nan) if k + 1 < len(segments) else np.nan
        ends = shape.number("timeEnd", np.nan) if k + 1 == len(segments) else ends
        parts.append(some)
        times.append(np.linspace(begin, ends, len(some)))
    clock = np.concatenate(times)
    return np.concatenate(parts), clock if np.isfinite(clock).all() else None


def _nurbs(shape: Node, locate: Located) -> tuple[np.ndarray, np.ndarray | None]:
    controls, order = shape.all("ControlPoint"), int(shape.number("order", least=1))
    knots = np.array([one.number("value") for one in shape.all("Knot")])
    wanted = len(controls) + order
    require(len(knots) == wanted, f"{shape.where}, Knot", len(knots), f"must be {wanted}")
    places = np.array([locate(c.need("Position"))[:3] for c in controls])
    weights = np.array([c.number("weight", 1.0) for c in controls])
    clock = np.array([c.number("time", np.nan) for c in controls])
    rough = np.hypot(*np.diff(places[:, :2], axis=0).T).sum()
    u = np.linspace(knots[order - 1], knots[len(controls)] - 1e-9, max(32, int(rough / STEP)))
    basis = _basis(knots, order, len(controls), u) * weights
    basis /= basis.sum(axis=1, keepdims=True)
    return basis @ places, basis @ clock if np.isfinite(clock).all() and clock[-1] > clock[0] else None


def _basis(knots: np.ndarray, order: int, count: int, u: np.ndarray) -> np.ndarray:
    """Cox and de Boor's functions (k, count) of a B-spline of that order."""
    rows = ((knots[:-1] <= u[:, None]) & (u[:, None] < knots[1:])).astype(float)
    for degree in range(1, order):
        wide = rows.shape[1] - 1
        low = knots[degree : degree + wide] - knots[:wide]
        high = knots[degree + 1 : degree + 1 + wide] - knots[1 : 1 + wide]
        up = np.divide(u[:, None] - knots[:wide], low, out=np.zeros((len(u), wide)), where=low > 0)
        down = np.divide(
            knots[degree + 1 : degree + 1 + wide] - u[:, None], high,
            out=np.zeros((len(u), wide)), where=high > 0,
        )  # fmt: skip
        rows = up * rows[:, :-1] + down * rows[:, 1:]
    return rows[:, :count]


def _bent(
    x: float, y: float, z: float, heading: float, first: float, last: float, length: float
) -> tuple[np.ndarray, float]:
    """Points (k, 3) of a clothoid and its heading at the end."""
    s = np.linspace(0.0, length, max(2, int(length / STEP) + 1))
    slope = (last - first) / max(length, 1e-9)
    turned = heading + first * s + slope * s**2 / 2
    middle = (turned[1:] + turned[:-1]) / 2
    step = np.diff(s)
    along = np.concatenate([[x], x + np.cumsum(step * np.cos(middle))])
    aside = np.concatenate([[y], y + np.cumsum(step * np.sin(middle))])
    return np.column_stack([along, aside, np.full(len(s), z)]), float(turned[-1])


def _span(shape: Node, begin: str, end: str, points: np.ndarray) -> np.ndarray | None:
    first, last = shape.number(begin, np.nan), shape.number(end, np.nan)
    return np.linspace(first, last, len(points)) if last > first else None
