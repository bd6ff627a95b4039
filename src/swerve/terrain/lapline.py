"""From a road to the line of least time: reference lines, the room beside them, and stages of `interior`.

Offsets from a centre line bunch inside a hairpin, where its normals meet. So the first, coarse stage keeps
away from there; each later one starts from the line found before, as its own reference, with knots that are
even along it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import solve_banded
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from .interior import LapProblem, minimise
from .lap import tightest
from .lap_terms import (
    C_BEND,
    C_TOP,
    DRIVE_STEP,
    FRICTION_HERE,
    G_Q,
    G_R,
    G_T,
    GROUND_BEND,
    LIMITS,
    RISE,
    TO_LOAD,
    TO_SIDE,
)
from .limits import C_Q, C_R, COLUMNS, K_Q, K_R, K_T, MOBILITY, POINT, STEP
from .path import SurfacePath
from .steps import drive_at
from .sweep import sweep
from .vehicle import Vehicle

# knots [m], barriers from and to, and the share of the steering that a stage uses, if it can start with that:
# what bends as much as the wheels turn, bends more between other knots
STAGES = ((4.0, 1e-2, 1e-4, 0.85), (2.0, 1e-3, 1e-5, 0.93), (2.0, 1e-4, 1e-6, 1.0))
SMOOTHINGS = (0.0, 0.5, 1.0, 2.0)  # knots over which a line is smoothed, where it cannot be started from
PER_RADIUS = 6.0  # knots to the radius of the tightest bend, at least,
MOST_FINER = 4.0  # unless they are so many times as many
MORE_THAN_START = 1.03  # times the bend that a stage starts with, it may bend at least
SAFETY = 0.002  # [m] kept from the edges
INWARD = 0.6  # of a reference's radius that a stage may go towards its middle
MOST_LOST = 0.5  # [m] between knots, that the edges are drawn in for
TRIES = 21  # places across the road at which its edges are looked for
SPREAD = 5  # knots over which a push off an edge is smoothed
LEAST_KNOTS = 96  # of a line, however short: fewer bend unevenly between them
FINE, HALF = 8, 4  # points from knot to knot, and half-way, where edges are looked at
STARTS = (0.95, 0.85, 0.6, 0.3)  # of the fastest v² along a line: what a stage may start from
TOP = 120.0**2  # [m²/s²] where nothing else limits the speed

Rooms = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
Paths = Callable[[np.ndarray, np.ndarray], SurfacePath]


@dataclass(frozen=True)
class Road:
    """What the search asks of a road. `rooms(points)`: distance to the right and to the left edge (n,) [m].
    `lay(knots, points)`: a line on the road's surface."""

    rooms: Rooms
    lay: Paths
    closed: bool
    v_start: float | None = None  # [m/s] on an open road; None: free
    v_end: float | None = None


@dataclass(frozen=True)
class Reference:
    """Points (n, 2) at even distances, the direction to the left there and half-way to the next (n, 2, 2),
    and the least and largest offset at both (n, 4)."""

    points: np.ndarray
    across: np.ndarray
    room: np.ndarray


def least_time(road: Road, points: np.ndarray, vehicle: Vehicle, half_width: float) -> tuple[np.ndarray, int]:
    """Dense points (m, 2) of the fastest line, from a line (n, 2) in the middle of the road; steps taken."""
    line, steps = points, 0
    for stage, (gap, first, last, share) in enumerate(STAGES):
        for smoothing in SMOOTHINGS if stage > 0 else (0.0,):
            reference = _reference(road, _smoothed(line, smoothing, road.closed), gap, half_width, stage > 0)
            problem = _problem(road, reference, vehicle)
            try:
                d, x = _start(problem, reference, vehicle, road, share)
            except NoStart:
                continue
            found = minimise(problem, d, x, first, last)
            line = dense(problem.line(found.d), FINE, road.closed)
            steps += found.iterations
            break
        else:
            if stage == 0:
                raise NoStart
    return line, steps


def _smoothed(line: np.ndarray, knots: float, closed: bool) -> np.ndarray:
    if knots == 0.0:
        return line
    smooth: np.ndarray = gaussian_filter1d(line, knots * FINE, axis=0, mode="wrap" if closed else "nearest")
    if not closed:
        smooth[[0, -1]] = line[[0, -1]]
    return smooth


def dense(coefficients: np.ndarray, per_knot: int, closed: bool) -> np.ndarray:
    """Points (m, 2) of the B-spline with these coefficients (n, 2)."""
    t = np.arange(per_knot) / per_knot
    s = 1.0 - t
    weights = np.column_stack(
        [s**3 / 6, (3 * t**3 - 6 * t**2 + 4) / 6, (3 * s**3 - 6 * s**2 + 4) / 6, t**3 / 6]
    )
    if closed:
        q = np.vstack([coefficients[-1:], coefficients, coefficients[:2]])
    else:
        q = np.vstack(
            [2 * coefficients[0] - coefficients[1], coefficients, 2 * coefficients[-1] - coefficients[-2]]
        )
    spans = np.stack([q[k : len(q) - 3 + k] for k in range(4)], axis=1)
    points = np.einsum("kw,mwc->mkc", weights, spans).reshape(-1, 2)
    return points if closed else np.vstack([points, coefficients[-1:]])


def _reference(road: Road, line: np.ndarray, gap: float, half_width: float, bulges: bool) -> Reference:
    """A line resampled at even distances, with the room beside it."""
    ring = np.vstack([line, line[:1]]) if road.closed else line
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(ring, axis=0).T))])
    spline = CubicSpline(along, ring, bc_type="periodic" if road.closed else "not-a-knot")
    at = np.linspace(0.0, along[-1], max(16, round(along[-1])))
    tight = tightest(_bend(spline(at, 1), spline(at, 2)), road.closed)
    gap = float(np.clip(1.0 / max(PER_RADIUS * tight, 1e-9), gap / MOST_FINER, gap))
    n = max(LEAST_KNOTS, round(along[-1] / gap))
    at = np.linspace(0.0, along[-1], n * FINE + 1)
    at = at[:-1] if road.closed else at
    fine = spline(at)
    ahead, turn = spline(at[::HALF], 1), spline(at[::HALF], 2)
    across = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.linalg.norm(ahead, axis=1, keepdims=True)
    rooms = road.rooms(fine)
    kept = [
        half_width
        + SAFETY
        + (np.minimum(_bulges(room, road.closed), MOST_LOST) if bulges else 0.0 * room[::HALF])
        for room in rooms
    ]
    low, high = _free(road, fine[::HALF], across, [room[::HALF] for room in rooms], kept)
    bend = _bend(ahead, turn)
    reach, middle = INWARD / np.maximum(np.abs(bend), 1e-6), 0.5 * (low + high)
    low = np.where(bend < 0, np.minimum(np.maximum(low, -reach), middle), low)
    high = np.where(bend > 0, np.maximum(np.minimum(high, reach), middle), high)
    if not road.closed:  # half-way after the last point is nowhere
        across, low, high = (np.concatenate([v, v[-1:]]) for v in (across, low, high))
    room = np.column_stack([low[0::2], high[0::2], low[1::2], high[1::2]])
    return Reference(fine[::FINE], across.reshape(-1, 2, 2), room)


def _bend(ahead: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Curvature (n,) [1/m] from first and second derivatives (n, 2)."""
    bend: np.ndarray = (ahead[:, 0] * turn[:, 1] - ahead[:, 1] * turn[:, 0]) / np.hypot(*ahead.T) ** 3
    return bend


def _bulges(room: np.ndarray, closed: bool) -> np.ndarray:
    """How much less room there is between the places that are checked than on straight lines."""
    here = room[::HALF]
    after = np.append(here[1:], here[:1]) if closed else here[1:]
    part = np.arange(HALF) / HALF
    straight = ((1 - part) * here[: len(after), None] + part * after[:, None]).ravel()
    lost = np.maximum(straight - room[: len(straight)], 0.0).reshape(-1, HALF).max(axis=1)
    before = np.roll(lost, 1) if closed else np.append(0.0, lost)
    result: np.ndarray = np.maximum(before, lost if closed else np.append(lost, 0.0))
    return result


def _free(
    road: Road, points: np.ndarray, across: np.ndarray, rooms: list[np.ndarray], kept: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The least and largest offset (n,) [m] along `across` that leave `kept` to the right and left edge.

    `rooms` are the distances to the edges now, right and left. From the nearest place on the ray that is free
    of both edges, outwards either way, to the first that is not.
    """
    share = np.linspace(-1.0, 1.0, TRIES)[:, None]
    far = np.where(share < 0, *(1.3 * np.abs(r - k) + 0.5 for r, k in zip(rooms, kept, strict=True)))
    reach = far * np.sign(share) * np.abs(share) ** 2.5
    spare = np.full((TRIES, len(points)), np.inf)
    for k, row in enumerate(reach):
        there = road.rooms(points + row[:, None] * across)
        spare[k] = np.minimum(there[0] - kept[0], there[1] - kept[1])
    free = spare >= 0.0
    order = np.argsort(np.abs(np.arange(TRIES) - TRIES // 2), kind="stable")
    first = order[np.argmax(free[order], axis=0)]
    index, column = np.arange(TRIES)[:, None], np.arange(len(points))
    ends: list[np.ndarray] = []
    for beyond in (index < first, index > first):
        shut = ~free & beyond
        nearest = np.where(shut, np.abs(index - first), TRIES).argmin(axis=0)
        found = shut.any(axis=0)
        inner = nearest + np.sign(first - nearest)
        a, b = spare[inner, column], spare[nearest, column]
        part = np.clip(a / np.maximum(a - b, 1e-9), 0.0, 1.0)
        at = reach[inner, column] + part * (reach[nearest, column] - reach[inner, column])
        end = reach[0] if len(ends) == 0 else reach[-1]
        ends.append(np.where(found, at, end))
    return ends[0], ends[1]


def _problem(road: Road, reference: Reference, vehicle: Vehicle) -> LapProblem:
    n = len(reference.points)
    stencil = np.tile([-0.5, 0.0, 0.5, 1.0, -2.0, 1.0], (n, 1))
    value = np.tile([[1 / 6, 4 / 6, 1 / 6, 0.0], [1 / 48, 23 / 48, 23 / 48, 1 / 48]], (n, 1, 1))
    if not road.closed:
        stencil[0], stencil[-1] = (0, -1, 1, 0, 0, 0), (-1, 1, 0, 0, 0, 0)
        value[0], value[-1] = [(0, 1, 0, 0), (0, 0.5, 23 / 48, 1 / 48)], [(0, 1, 0, 0), (0, 0, 0, 0)]
        value[-2, 1] = 1 / 48, 23 / 48, 0.5, 0
    base = _coefficients(reference.points, road.closed)
    tilt = reference.across
    near = np.stack([np.roll(tilt[:, 0], k, 0) for k in (1, 0, -1, -2)], axis=1)
    edge = np.einsum("nhc,nkc->nhk", tilt, near) * value
    held = np.zeros(n, bool)
    if not road.closed:
        held[0], held[-1] = road.v_start is not None, road.v_end is not None
    g = vehicle.gravity
    sine = vehicle.packed()[8]
    car = np.array(
        [
            vehicle.drag / vehicle.mass,
            vehicle.brake_force / vehicle.mass,
            (max(vehicle.friction, 1e-3) * g) ** 2,
            min(vehicle.top_speed**2, TOP),
            sine / vehicle.half_length if sine < 0.999 else 1e3,
            vehicle.bend_rate,
        ]
    )
    return LapProblem(
        base,
        np.ascontiguousarray(tilt[:, 0]),
        stencil,
        edge,
        _surface(road, reference.points, vehicle),
        reference.room,
        car,
        _drive(vehicle, float(car[C_TOP])),
        road.closed,
        held,
    )


def _coefficients(points: np.ndarray, closed: bool) -> np.ndarray:
    """Of the B-spline through points (n, 2) at its knots."""
    n = len(points)
    if closed:
        spectrum = (4.0 + 2.0 * np.cos(2 * np.pi * np.fft.rfftfreq(n))) / 6.0
        return np.fft.irfft(np.fft.rfft(points, axis=0) / spectrum[:, None], n=n, axis=0)
    band = np.tile(np.array([[1 / 6], [4 / 6], [1 / 6]]), (1, n))
    band[1, [0, -1]], band[0, 1], band[2, -2] = 1.0, 0.0, 0.0
    result: np.ndarray = solve_banded((1, 1), band, points)
    return result


def _surface(road: Road, points: np.ndarray, vehicle: Vehicle) -> np.ndarray:
    """How the road lies under a line: rows as `lap_terms` has them."""
    path = _laid(road, points)
    g, k = vehicle.gravity, path.geometry
    t, r = path.tangents, path.normals
    flat = np.hypot(t[:, 0], t[:, 1])
    left = np.column_stack([-t[:, 1], t[:, 0], np.zeros(len(t))]) / flat[:, None]
    q = np.cross(r, t)
    rows = np.empty((len(points), 8))
    rows[:, G_T], rows[:, G_Q], rows[:, G_R] = g * k[:, K_T], g * k[:, K_Q], g * k[:, K_R]
    rows[:, TO_SIDE], rows[:, TO_LOAD] = flat**2 * (left * q).sum(1), flat**2 * (left * r).sum(1)
    seen = k[:, C_Q] / rows[:, TO_SIDE]  # the line's bend from above
    rows[:, GROUND_BEND] = k[:, C_R] - rows[:, TO_LOAD] * seen + vehicle.downforce / vehicle.mass
    rows[:, RISE] = 1.0 / flat
    rows[:, FRICTION_HERE] = vehicle.friction * k[:, MOBILITY]
    return rows


def _laid(road: Road, points: np.ndarray) -> SurfacePath:
    ring = np.vstack([points, points[:1]]) if road.closed else points
    knots = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(ring, axis=0).T))])
    return road.lay(knots, points)


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
    low, high = np.maximum(*reference.room[:, 0::2].T), np.minimum(*reference.room[:, 1::2].T)
    before = np.roll(reference.room, 1, axis=0)[:, 2:]
    low, high = np.maximum(low, before[:, 0]), np.minimum(high, before[:, 1])
    share = 0.02 * np.maximum(high - low, 0.0)
    pushed = np.clip(np.zeros(n), low + share, high - share)
    d = _spread(np.maximum(pushed, 0.0), road.closed) - _spread(np.maximum(-pushed, 0.0), road.closed)
    q, road_rows = problem.line(d), problem.road
    rows = np.empty((n, COLUMNS))
    before, after = np.roll(q, 1, 0), np.roll(q, -1, 0)
    if not road.closed:
        before[0], after[-1] = 2 * q[0] - q[1], 2 * q[-1] - q[-2]
    u, s = 0.5 * (after - before), before - 2 * q + after
    pace, bend = np.hypot(u[:, 0], u[:, 1]), _bend(u, s)
    needed = MORE_THAN_START * float(np.abs(bend).max())
    problem.car[C_BEND] = min(problem.car[C_BEND], max(share_of_steering * problem.car[C_BEND], needed))
    g = vehicle.gravity
    rows[:, K_T], rows[:, K_Q], rows[:, K_R] = (road_rows[:, k] / g for k in (G_T, G_Q, G_R))
    rows[:, C_Q] = road_rows[:, TO_SIDE] * bend
    rows[:, C_R] = road_rows[:, GROUND_BEND] + road_rows[:, TO_LOAD] * bend - vehicle.downforce / vehicle.mass
    rows[:, MOBILITY] = 1.0
    long = pace * road_rows[:, RISE]
    rows[:, STEP] = 0.5 * (long + np.roll(long, -1))
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
