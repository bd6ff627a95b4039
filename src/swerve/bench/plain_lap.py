"""The minimum-time lap by direct collocation in CasADi with IPOPT, as a reference for `terrain.circuit`.

The usual curvilinear point mass: offset n and heading ξ from the centre line, x = v² and the curvature c
of the path at nodes 2 m apart, trapezoidal rule, friction circle at both ends of every step, drive over
speed, drag. Model, car and margins to the edges are those of `Circuit.fastest_line`; nothing else is shared.

A road that rises to z(s) and leans by b(s) has its height z + n·b, whose slopes and bends along and across
the line follow from derivatives of the centre line in its own coordinates.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.terrain import Profile, SurfacePath, Vehicle, speed_profile
from swerve.terrain.circuit import Circuit
from swerve.terrain.limits import C_Q, C_R, COLUMNS, K_Q, K_R, K_T, STEP

GAP = 2.0  # [m] between nodes
NEAR_FOLD = 0.9  # of the centre line's radius, at most, towards its middle
SPEED = 1000.0  # [m²/s²] unit of x
SLOW = 12.0  # [m/s] of the first guess


@dataclass(frozen=True)
class Reference:
    """A closed line (n, 2) [m] with what the limits need to know at every node (n, COLUMNS) and the length of
    the step [m] from it, what IPOPT calls its time [s], and the seconds of building and solving."""

    line: np.ndarray
    rows: np.ndarray
    step: np.ndarray
    time: float
    seconds_to_build: float
    seconds: float
    solved: bool

    def profile(self, vehicle: Vehicle, finer: int = 8) -> Profile:
        """Its speeds by our sweep, on its own curvature, linear between nodes, and its own lengths: a spline
        through its points would bend where they bunch."""
        part = (np.arange(finer) / finer)[:, None]
        rows = (1 - part) * self.rows[:, None] + part * np.roll(self.rows, -1, axis=0)[:, None]
        geometry = rows.reshape(-1, COLUMNS)
        geometry[:, STEP] = np.repeat(self.step / finer, finer)
        points = np.column_stack(
            [np.repeat(self.line, finer, axis=0), np.zeros(len(geometry))]  # only their number counts
        )
        up = np.tile([0.0, 0.0, 1.0], (len(points), 1))
        return speed_profile(SurfacePath(points, points, up, geometry, closed=True), vehicle)


def collocated_line(track: Circuit, vehicle: Vehicle, car_width: float = 2.0) -> Reference:
    """The line that IPOPT finds; needs `casadi` (ImportError without)."""
    import casadi as ca

    started = time.perf_counter()
    at, pace, place, across, bend, low, high = _stations(track, car_width)
    hills = None if track.flat else _hills(track, at)
    count, gap = len(at), float(at[1] - at[0])
    n, xi, x, c = (ca.MX.sym(name, count) for name in ("n", "xi", "x", "c"))

    def after(values: Any) -> Any:
        return ca.vertcat(values[1:], values[0])

    stretch = pace * (1.0 - n * bend) / ca.cos(xi)
    v2 = SPEED * x
    v = ca.sqrt(v2)
    climb, lean, weight, turn, dip, longer = _under(hills, n, xi, c, bend, ca)
    long = stretch * longer
    step = 0.5 * gap * (long + after(long))
    a = (after(v2) - v2) / (2.0 * step)
    drag = vehicle.drag / vehicle.mass
    g, down = vehicle.gravity, vehicle.downforce / vehicle.mass
    grip = vehicle.friction * g
    loads, sides, along = g * weight + (dip + down) * v2, g * lean + turn * v2, g * climb + drag * v2
    lap = ca.sum1(2.0 * step / (v + after(v)))
    slide, twist = stretch * ca.sin(xi), stretch * c - pace * bend
    equal = [
        after(n) - n - 0.5 * gap * (slide + after(slide)),
        after(xi) - xi - 0.5 * gap * (twist + after(twist)),
    ]
    ends = [
        ((a + f) ** 2 + q**2 - (vehicle.friction * r) ** 2) / grip**2
        for f, q, r in ((along, sides, loads), (after(along), after(sides), after(loads)))
    ]
    table = vehicle.drive_table()
    drive = ca.interpolant("drive", "bspline", [np.arange(len(table)) * 0.5], table)
    middle = 0.5 * (v2 + after(v2))
    push = drive(ca.sqrt(middle).T).T - a - 0.5 * (along + after(along))
    problem = {"x": ca.vertcat(n, xi, x, c), "f": lap, "g": ca.vertcat(*equal, *ends, push)}
    options: dict[str, Any] = {
        "ipopt.print_level": 0,
        "print_time": False,
        "ipopt.sb": "yes",
        "ipopt.max_iter": 1000,
    }
    solver = ca.nlpsol("lap", "ipopt", problem, options)
    one = np.ones(count)
    begun = time.perf_counter()
    found = solver(
        x0=np.concatenate([np.clip(0 * one, low, high), 0 * one, SLOW**2 / SPEED * one, bend]),
        lbx=np.concatenate([low, -1.2 * one, 1e-3 * one, -one]),
        ubx=np.concatenate([high, 1.2 * one, vehicle.top_speed**2 / SPEED * one, one]),
        lbg=np.concatenate([np.zeros(2 * count), -np.inf * np.ones(2 * count), np.zeros(count)]),
        ubg=np.concatenate([np.zeros(4 * count), np.inf * one]),
    )
    ended = time.perf_counter()
    offset, heading, _, curvature = np.array(found["x"]).ravel().reshape(4, count)
    climb, lean, weight, turn, dip, longer = _under(hills, offset, heading, curvature, bend, np)
    rows = np.ones((count, COLUMNS))
    rows[:, K_T], rows[:, K_Q], rows[:, K_R], rows[:, C_Q], rows[:, C_R] = climb, lean, weight, turn, dip
    long = longer * pace * (1.0 - offset * bend) / np.cos(heading)
    return Reference(
        place + offset[:, None] * across,
        rows,
        0.5 * gap * (long + np.roll(long, -1)),
        float(found["f"]),
        begun - started,
        ended - begun,
        bool(solver.stats()["success"]),
    )


def _stations(track: Circuit, car_width: float) -> tuple[np.ndarray, ...]:
    """Nodes along the centre line: station, metres per unit, place, left, curvature, both bounds."""
    at, along = track.stations(GAP)
    here, first, second = along(at), along(at, 1)[:, :2], along(at, 2)[:, :2]
    pace = np.linalg.norm(first, axis=1)
    across = np.column_stack([-first[:, 1], first[:, 0]]) / pace[:, None]
    bend = (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / pace**3
    low, high = -(here[:, 3] - 0.5 * car_width), here[:, 4] - 0.5 * car_width
    most = NEAR_FOLD / np.maximum(np.abs(bend), 1e-9)
    low, high = (
        np.where(bend < 0, np.maximum(low, -most), low),
        np.where(bend > 0, np.minimum(high, most), high),
    )
    return at, pace, here[:, :2], across, bend, low, high


def _hills(track: Circuit, at: np.ndarray) -> tuple[np.ndarray, ...]:
    """First and second derivatives of the centre line's height, the lean and its two, and how the centre
    line's curvature changes, by metres along it as seen from above."""
    _, along = track.stations(GAP)
    here, first, second, third = (along(at, k) for k in range(4))
    pace = np.hypot(first[:, 0], first[:, 1])
    faster = (first[:, :2] * second[:, :2]).sum(1) / pace
    bend = (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / pace**3
    more = (first[:, 0] * third[:, 1] - first[:, 1] * third[:, 0]) / pace**3 - 3.0 * bend * faster / pace
    (z1, b1), (z2, b2) = (
        (first[:, k] / pace for k in (2, 5)),
        ((second[:, k] - first[:, k] * faster / pace) / pace**2 for k in (2, 5)),
    )
    return z1, z2, here[:, 5], b1, b2, more / pace


def _under(
    hills: tuple[np.ndarray, ...] | None, n: Any, xi: Any, c: Any, bend: np.ndarray, ca: Any
) -> tuple[Any, ...]:
    """The vertical's components along the line, across and out of the ground, the line's curvature along the
    ground and out of it, and its length over that from above. `ca` is casadi or numpy."""
    if hills is None:
        return 0.0, 0.0, 1.0, c, 0.0, 1.0
    z1, z2, b, b1, b2, more = hills
    inner, cos, sin = 1.0 - n * bend, ca.cos(xi), ca.sin(xi)
    climb = z1 + n * b1
    ahead = climb / inner  # slope along the centre line; b is that across
    ahead_s, ahead_n = (z2 + n * b2) / inner + climb * n * more / inner**2, (b1 + ahead * bend) / inner
    ds = cos / inner
    dip = cos * ((ahead_s - b * bend) * ds + ahead_n * sin) + sin * (ahead * bend + b1) * ds
    rise, lean = ahead * cos + b * sin, b * cos - ahead * sin
    m2 = 1.0 + rise**2
    n2 = m2 + lean**2
    m1, n1 = ca.sqrt(m2), ca.sqrt(n2)
    return rise / m1, lean / (m1 * n1), 1.0 / n1, (c * n2 + dip * lean) / (m2 * m1 * n1), dip / (m2 * n1), m1
