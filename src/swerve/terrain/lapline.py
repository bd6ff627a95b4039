"""From a road to the line of least time: reference lines, the room beside them, and stages of `interior`.

Offsets from a centre line bunch inside a hairpin, where its normals meet. So the first, coarse stage keeps
away from there; each later one starts from the line found before, as its own reference, with knots that are
even along it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from .gentlest import gentlest_line
from .interior import Inside, LapProblem, minimise
from .lap_ground import hills_beside
from .lap_reference import (
    FINE,
    Reference,
    Road,
    coefficients_of,
    dense,
    reference_along,
    smoothed,
    stencils,
)
from .lap_terms import B_Q, B_R, BEND, C_BEND, C_DOWN, C_TOP, DRIVE_STEP, G_Q, G_R, G_T, LIMITS, LONG
from .limits import C_Q, C_R, COLUMNS, K_Q, K_R, K_T, MOBILITY, POINT, STEP
from .steps import drive_at
from .sweep import sweep
from .vehicle import Vehicle

# knots [m], barriers from and to, and the share of the steering that a stage uses, if it can start with that:
# what bends as much as the wheels turn, bends more between other knots
STAGES = ((4.0, 1e-2, 1e-4, 0.85), (2.0, 1e-3, 1e-5, 0.93), (2.0, 1e-4, 1e-6, 1.0))
SMOOTHINGS = (0.5, 1.0, 2.0)  # knots over which a line is smoothed, where it cannot be started from
MORE_THAN_START = 1.03  # times the bend that a stage starts with, it may bend at least
SPREAD = 5  # knots over which a push off an edge is smoothed
STARTS = (0.95, 0.85, 0.6, 0.3)  # of the fastest v² along a line: what a stage may start from
# shares of the steering, one after the other, on roads where it binds
SPARE_STEER = (0.93, 0.97, 0.985, 0.992, 0.996, 0.998, 0.999, 1.0)
TOP = 120.0**2  # [m²/s²] where nothing else limits the speed


def least_time(
    road: Road, points: np.ndarray, vehicle: Vehicle, half_width: float, mended: bool = False
) -> tuple[np.ndarray, int]:
    """Dense points (m, 2) of the fastest line, and the steps taken, from a line (n, 2) of the road. Where a
    stage cannot start from what was found before, that is smoothed, or `mended` to the gentlest nearby."""
    line, steps = points, 0
    for stage, knots in enumerate(STAGES):
        for begun in _begun(road, line, vehicle, half_width, stage > 0, mended):
            try:
                problem, found = _staged(road, begun, vehicle, half_width, knots, stage > 0)
            except NoStart:
                continue
            line = dense(problem.line(found.d), FINE, road.closed)
            steps += found.iterations
            break
        else:
            if stage == 0:
                raise NoStart
    return line, steps


def _staged(
    road: Road,
    line: np.ndarray,
    vehicle: Vehicle,
    half_width: float,
    stage: tuple[float, float, float, float],
    found: bool,
) -> tuple[LapProblem, Inside]:
    """A stage from a line (n, 2), `found` before or given: the problem, and where it ends."""
    gap, first, last, share = stage
    reference = reference_along(road, line, gap, half_width, found)
    problem = _problem(road, reference, vehicle)
    d, x = _start(problem, reference, vehicle, road, share)
    return problem, minimise(problem, d, x, first, last)


def _begun(
    road: Road, line: np.ndarray, vehicle: Vehicle, half_width: float, found: bool, mended: bool
) -> Iterator[np.ndarray]:
    """Lines that a stage may start from."""
    yield line
    for smoothing in SMOOTHINGS if found or mended else ():
        yield smoothed(line, smoothing, road.closed)
    if found and mended:
        yield gentlest_line(road, line, half_width, vehicle.tightest_bend)


@dataclass(frozen=True)
class Drivable:
    """A line (n, 2) that can be driven in so many seconds, and the steps it took to find it."""

    line: np.ndarray
    seconds: float
    steps: int


def carefully(
    road: Road,
    line: np.ndarray,
    vehicle: Vehicle,
    half_width: float,
    seconds: Callable[[np.ndarray], float],
) -> Drivable | None:
    """The same where steering binds, with some of it spared for what lies between knots, from a line (n, 2)
    that can be driven: in `seconds`, infinite where it cannot; then None."""
    best, steps = seconds(line), 0
    if best == np.inf:
        return None
    for share in SPARE_STEER:
        careful = replace(vehicle, max_steer=share * vehicle.max_steer)
        try:
            points, more = least_time(road, line, careful, half_width, True)
        except NoStart:
            continue
        found, steps = seconds(points), steps + more
        if found < best:
            line, best = points, found
    return Drivable(line, best, steps)


def _problem(road: Road, reference: Reference, vehicle: Vehicle) -> LapProblem:
    n = len(reference.points)
    stencil, edge = stencils(reference, road.closed)
    base = coefficients_of(reference.points, road.closed)
    held = np.zeros(n, bool)
    if not road.closed:
        held[0], held[-1] = road.v_start is not None, road.v_end is not None
    g, brakes = vehicle.gravity, vehicle.brake_force / vehicle.mass
    tips = (
        vehicle.tips_first and vehicle.least_wheel_load == 0.0
    )  # as a body would that stands along its path
    car = np.array(
        [
            vehicle.drag / vehicle.mass,
            min(brakes, g / vehicle.pitch_ratio) if tips else brakes,
            (max(vehicle.friction, 1e-3) * g) ** 2,
            min(vehicle.top_speed**2, TOP),
            vehicle.tightest_bend,
            vehicle.bend_rate,
            vehicle.friction**2,
            g,
            vehicle.downforce / vehicle.mass,
            vehicle.height_to_half_width if tips else 0.0,
        ]
    )
    return LapProblem(
        base,
        np.ascontiguousarray(reference.across[:, 0]),
        stencil,
        edge,
        hills_beside(road, reference),
        reference.room,
        car,
        _drive(vehicle, float(car[C_TOP])),
        road.closed,
        held,
    )


def _drive(vehicle: Vehicle, top: float) -> np.ndarray:
    """Largest drive over mass at v² = 0, DRIVE_STEP, …"""
    table = vehicle.drive_table()
    return np.array([drive_at(x, table) for x in np.arange(0.0, top + 4 * DRIVE_STEP, DRIVE_STEP)])


def _start(
    problem: LapProblem, reference: Reference, vehicle: Vehicle, road: Road, share_of_steering: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """The reference moved inside its edges, and speeds a little below the fastest along it; the problem's
    steering becomes its share, or what this line needs."""
    n = len(reference.points)
    low, high = reference.bounds
    share = 0.02 * np.maximum(high - low, 0.0)
    pushed = np.clip(np.zeros(n), low + share, high - share)
    d = _spread(np.maximum(pushed, 0.0), road.closed) - _spread(np.maximum(-pushed, 0.0), road.closed)
    rows = np.empty((n, COLUMNS))
    known = problem.known(d, problem.offset(d))
    needed = MORE_THAN_START * float(np.abs(known[:, BEND]).max())
    problem.car[C_BEND] = min(problem.car[C_BEND], max(share_of_steering * problem.car[C_BEND], needed))
    g = vehicle.gravity
    rows[:, K_T], rows[:, K_Q], rows[:, K_R] = (known[:, k] / g for k in (G_T, G_Q, G_R))
    rows[:, C_Q], rows[:, C_R] = known[:, B_Q], known[:, B_R] - problem.car[C_DOWN]
    rows[:, MOBILITY] = 1.0
    rows[:, STEP] = 0.5 * (known[:, LONG] + np.roll(known[:, LONG], -1))
    x, limit, ceiling = np.empty(n), np.empty(n), np.empty(n)
    v_start, v_end = (0.0 if v is None else float(v) for v in (road.v_start, road.v_end))
    ends = (v_start**2, TOP if road.v_end is None else v_end**2)
    sweep(
        *(rows, vehicle.packed(), vehicle.drive_table(), *ends, road.closed),
        *(np.empty((n, POINT)), limit, ceiling, x, np.empty(n, np.int8)),
    )
    slack = np.empty((n, LIMITS))
    for share_of in STARTS:
        slower = np.where(problem.held, x, share_of * x)
        if problem.slacks(d, slower, slack) > 0.0:
            return d, slower
    raise NoStart


def _spread(push: np.ndarray, closed: bool) -> np.ndarray:
    """A smooth curve (n,) that is nowhere below `push`."""
    mode = "wrap" if closed else "nearest"
    wide = maximum_filter1d(push, 2 * SPREAD + 1, mode=mode)
    result: np.ndarray = gaussian_filter1d(wide, SPREAD / 2.5, mode=mode, radius=SPREAD)
    return result


class NoStart(ValueError):
    """No speed along the first line lies inside all limits: the road cannot be driven."""
