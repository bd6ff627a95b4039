"""The minimum-time lap by direct collocation in CasADi with IPOPT, as a reference for `terrain.circuit`.

The usual curvilinear point mass: offset n and heading ξ from the centre line, x = v² and the curvature c
of the path at nodes 2 m apart, trapezoidal rule, friction circle at both ends of every step, drive over
speed, drag. Model, car and margins to the edges are those of `Circuit.fastest_line`; nothing else is shared.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.terrain import Profile, SurfacePath, Vehicle, speed_profile
from swerve.terrain.circuit import Circuit
from swerve.terrain.limits import C_Q, COLUMNS, K_R, MOBILITY, STEP

GAP = 2.0  # [m] between nodes
NEAR_FOLD = 0.9  # of the centre line's radius, at most, towards its middle
SPEED = 1000.0  # [m²/s²] unit of x
SLOW = 12.0  # [m/s] of the first guess


@dataclass(frozen=True)
class Reference:
    """A closed line (n, 2) [m] with the curvature [1/m] and the length of the step [m] at every node, what
    IPOPT calls its time [s], and the seconds of building and solving."""

    line: np.ndarray
    bend: np.ndarray
    step: np.ndarray
    time: float
    seconds_to_build: float
    seconds: float
    solved: bool

    def profile(self, vehicle: Vehicle, finer: int = 8) -> Profile:
        """Its speeds by our sweep, on its own curvature, linear between nodes, and its own lengths: a spline
        through its points would bend where they bunch."""
        part = np.arange(finer) / finer
        bend = ((1 - part) * self.bend[:, None] + part * np.roll(self.bend, -1)[:, None]).ravel()
        geometry = np.zeros((len(bend), COLUMNS))
        geometry[:, K_R] = geometry[:, MOBILITY] = 1.0
        geometry[:, C_Q], geometry[:, STEP] = bend, np.repeat(self.step / finer, finer)
        points = np.column_stack(
            [np.repeat(self.line, finer, axis=0), np.zeros(len(bend))]  # only their number counts
        )
        up = np.tile([0.0, 0.0, 1.0], (len(bend), 1))
        return speed_profile(SurfacePath(points, points, up, geometry, closed=True), vehicle)


def collocated_line(track: Circuit, vehicle: Vehicle, car_width: float = 2.0) -> Reference:
    """The line that IPOPT finds; needs `casadi` (ImportError without)."""
    import casadi as ca

    started = time.perf_counter()
    at, pace, place, across, bend, low, high = _stations(track, car_width)
    count, gap = len(at), float(at[1] - at[0])
    n, xi, x, c = (ca.MX.sym(name, count) for name in ("n", "xi", "x", "c"))

    def after(values: Any) -> Any:
        return ca.vertcat(values[1:], values[0])

    stretch = pace * (1.0 - n * bend) / ca.cos(xi)
    v2 = SPEED * x
    v = ca.sqrt(v2)
    step = 0.5 * gap * (stretch + after(stretch))
    a = (after(v2) - v2) / (2.0 * step)
    drag = vehicle.drag / vehicle.mass
    grip = vehicle.friction * vehicle.gravity
    lap = ca.sum1(2.0 * step / (v + after(v)))
    slide, turn = stretch * ca.sin(xi), stretch * c - pace * bend
    equal = [
        after(n) - n - 0.5 * gap * (slide + after(slide)),
        after(xi) - xi - 0.5 * gap * (turn + after(turn)),
    ]
    ends = [((a + drag * w) ** 2 + (k * w) ** 2) / grip**2 for w, k in ((v2, c), (after(v2), after(c)))]
    table = vehicle.drive_table()
    drive = ca.interpolant("drive", "bspline", [np.arange(len(table)) * 0.5], table)
    middle = 0.5 * (v2 + after(v2))
    push = drive(ca.sqrt(middle).T).T - a - drag * middle
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
        ubg=np.concatenate([np.zeros(2 * count), np.ones(2 * count), np.inf * one]),
    )
    ended = time.perf_counter()
    offset, heading, _, curvature = np.array(found["x"]).ravel().reshape(4, count)
    long = pace * (1.0 - offset * bend) / np.cos(heading)
    return Reference(
        place + offset[:, None] * across,
        curvature,
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
