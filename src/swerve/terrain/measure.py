"""The kernels that judge candidate paths: lay each on the ground, find its speeds, add up what it costs."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import NO, bare, inner, kernel

from .chain import to_controls
from .costs import DISTANCE, ENERGY, EXPOSURE, TIME
from .footprint import KEPT, free_along, mark_ends
from .gradient import TILTED, influence, influence_of_thrift
from .lay import lay, stations
from .limits import COLUMNS, K_Q, K_R, POINT, STEP
from .regions import Ground, between
from .steps import drive_at
from .sweep import (
    BLOCKED,
    CRAWL,
    FINE,
    OUTSIDE,
    PITCHES,
    RUNS_AWAY,
    STALLS,
    STEERS,
    TOO_FAST,
    TOO_SLOW,
    UNLOADS,
    lacking,
    sweep,
)
from .thrift import spend
from .vehicle import BRAKE, DRAG, FRICTION, GRAVITY, LEAST_LOAD, MASS, SIN_STEER, TIP

# columns of what is measured, after those of `costs`
TROUBLED, VIOLATION, CLOSED_POINTS, INTRUSION = range(4, 8)
MEASURES = 8
STUCK = 125.0  # metres as bad as 1, for which counts that a vehicle gets stuck: a quarter of a typical cost


@kernel
def measure_many(
    controls: np.ndarray,
    step: float,
    ground: Ground,
    car: np.ndarray,
    drive: np.ndarray,
    x_start: float,
    x_end: float,
    weights: np.ndarray,
    clearance: float,
    out: np.ndarray,
) -> None:
    """Fill `out` (paths, 8) for control points (paths, m, 2)."""
    extent, exposure = ground.frame, ground.exposure
    edges, starts, members, frame = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
    for k in range(len(controls)):
        at = stations(controls[k], step)
        n = len(at)
        rows, where, points = np.empty((n, COLUMNS)), np.empty((n, 9)), np.empty((n, POINT))
        limit, ceiling, x, free = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
        mark = np.empty(n, np.int8)
        lay(at, controls[k], ground, rows, where)
        sweep(rows, car, drive, x_start, x_end, NO, points, limit, ceiling, x, mark)
        if weights[ENERGY] > 0.0:
            spend(rows, where, car, drive, points, ceiling, mark, exposure, extent, weights, x_end, x)
        free_along(rows, where, points, car, edges, starts, members, frame, free)
        mark_ends(mark, free, x, x_end)
        tally(rows, where, points, x, mark, free, ground, car, drive, clearance, out[k])


@inner
@kernel
def tally(
    rows: np.ndarray,
    where: np.ndarray,
    points: np.ndarray,
    x: np.ndarray,
    mark: np.ndarray,
    free: np.ndarray,
    ground: Ground,
    car: np.ndarray,
    drive: np.ndarray,
    clearance: float,
    out: np.ndarray,
) -> None:
    """Add up what a path with its speeds costs, and what is wrong with it, into `out` (8,)."""
    extent, exposure, rough = ground.frame, ground.exposure, ground.clearance
    n, push, least = len(rows), drive_at(0.0, drive), least_counted(mark)
    time = distance = energy = exposed = violation = intrusion = 0.0
    troubled = closed = 0
    for i in range(n):
        length = rows[i, STEP]
        if i < n - 1:
            pace = np.sqrt(max(x[i], least)) + np.sqrt(max(x[i + 1], least))
            took = 2.0 * length / pace if pace > 0.0 else 2.0 * length
            a = (x[i + 1] - x[i]) / (2.0 * length)
            here = a + points[i, 0] + car[DRAG] * x[i]
            there = a + points[i + 1, 0] + car[DRAG] * x[i + 1]
            time += took
            distance += length
            energy += car[MASS] * length * max(0.5 * (here + there), 0.0)
            if exposure.size > 1:
                exposed += took * between(where[i, 0], where[i, 1], exposure, extent)
        if mark[i] != FINE:
            troubled += 1
        if mark[i] == BLOCKED or mark[i] == OUTSIDE:
            closed += 1
        violation += length * how_bad(i, mark[i], rows, points, car, push)
        intrusion += length * how_deep(where[i, 0], where[i, 1], free[i], extent, rough, clearance)
    violation += STUCK if least > 0.0 else 0.0
    out[TIME], out[DISTANCE], out[ENERGY] = time, distance, energy
    out[EXPOSURE], out[TROUBLED] = exposed, troubled
    out[CLOSED_POINTS] = closed
    out[VIOLATION], out[INTRUSION] = 0.1 * violation, 0.1 * intrusion


@kernel
def slope_of(
    controls: np.ndarray,
    step: float,
    ground: Ground,
    car: np.ndarray,
    drive: np.ndarray,
    x_start: float,
    x_end: float,
    weights: np.ndarray,
    clearance: float,
    intrusion: float,
    violation: float,
    most: float,
    measures: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill `measures` (8,) and, if its cost is below `most`, the slope `out` (m, 2) for one path of controls
    (m, 2)."""
    at = stations(controls, step)
    n = len(at)
    rows, where, points = np.empty((n, COLUMNS)), np.empty((n, 9)), np.empty((n, POINT))
    limit, ceiling, x, free = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    mark, to_point, to_step = np.empty(n, np.int8), np.empty((n, POINT)), np.empty(n)
    seconds = np.empty(n)
    lay(at, controls, ground, rows, where)
    sweep(rows, car, drive, x_start, x_end, NO, points, limit, ceiling, x, mark)
    fences = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
    free_along(rows, where, points, car, fences[0], fences[1], fences[2], fences[3], free)
    fastest, thrifty = x, weights[ENERGY] > 0.0
    if thrifty:
        fastest = x.copy()
        exposure, frame = ground.exposure, ground.frame
        spend(rows, where, car, drive, points, ceiling, mark, exposure, frame, weights, x_end, x)
    judged = mark.copy()
    mark_ends(judged, free, x, x_end)
    tally(rows, where, points, x, judged, free, ground, car, drive, clearance, measures)
    cost = 10.0 * (intrusion * measures[INTRUSION] + violation * measures[VIOLATION])
    for k in range(4):
        cost += weights[k] * measures[k]
    if not cost < most:
        return
    drivable = True
    for i in range(n):
        drivable = drivable and mark[i] == FINE
    if thrifty and drivable:
        influence_of_thrift(
            rows, where, points, limit, ceiling, fastest, x, mark, car, drive, weights, ground,
            to_point, to_step, seconds,
        )  # fmt: skip
    else:
        influence(
            rows, where, points, limit, ceiling, x, mark, car, drive, weights, ground, violation,
            least_counted(judged),
            to_point, to_step, seconds,
        )  # fmt: skip
    to_controls(
        at, controls, rows, free, ground, car, weights, clearance, intrusion, to_point, to_step, seconds, out
    )


@inner
@kernel
def least_counted(mark: np.ndarray) -> float:
    """The least v² that times are counted with: where a vehicle gets stuck, what crawls up to there must not
    cost more than to be stuck, or no descent would lead out."""
    for i in range(len(mark)):
        if mark[i] != FINE and mark[i] not in (BLOCKED, OUTSIDE, TOO_FAST, TOO_SLOW):
            return CRAWL
    return 0.0


@inner
@bare
def how_bad(i: int, mark: int, rows: np.ndarray, points: np.ndarray, car: np.ndarray, push: float) -> float:
    """How far a point is from allowing motion, zero when it does: continuous, in shares of each limit; `push`
    is what the engine gives standing, over the mass."""
    bad = 0.0
    if rows[i, K_R] > 0.0 and mark != FINE:
        hold = min(car[TIP] * (1.0 - car[LEAST_LOAD] / car[GRAVITY]), car[FRICTION])
        bad += max(0.0, abs(rows[i, K_Q]) / rows[i, K_R] - hold) * TILTED
    if mark == STEERS:
        bad += 10.0 * (abs(points[i, 6]) - car[SIN_STEER]) + 0.1
    if mark in (STALLS, PITCHES, UNLOADS, RUNS_AWAY):
        bad += 0.1 + TILTED / car[GRAVITY] * lacking(points, i, mark, push, car[BRAKE])
    return bad


@inner
@bare
def how_deep(
    x: float, y: float, free: float, extent: np.ndarray, rough: np.ndarray, clearance: float
) -> float:
    """How far a body stands in closed ground, in its `clearance`, or outside the map, in tenths of metres.

    Beside closed ground the exact room counts; deep inside, only the rough field tells which way is out.
    """
    inside = -min(between(x, y, rough, extent), 0.0)
    deep = max(0.0, clearance - free) * 0.2 + max(0.0, KEPT - free) + inside
    out_by = max(extent[0] - x, x - extent[4], extent[1] - y, y - extent[5], 0.0)
    return 0.1 * (deep + out_by)
