"""How the cost of a path changes with its control points: the profile run in reverse, then its geometry.

After a sweep every x = v² is held by one constraint: the limit of its own point, or one constraint at one end
of the step that led to it by driving, or that follows by braking. Each is an equation G(x, f; point) = 0, and
differentiating it passes the influence on to the neighbour and to the point's slopes and curvatures, once
along the path. From the points the chain leads through place, first and second derivative of the B-spline to
its control points. The body's angle is taken as fixed. A gradient costs about as much as two profiles,
whatever the number of unknowns. Speeds that save energy are the
cheapest of their path, so that it counts by what it costs at these speeds.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import NO, YES, bare, inner, kernel

from .costs import DISTANCE, ENERGY, EXPOSURE, PATIENCE, TIME
from .limits import STEP, UNBOUNDED
from .passing import SAME, at_limit, only_one, pass_both, pass_on
from .regions import Ground, between
from .steps import drive_at
from .sweep import FINE, RUNS_AWAY, STALLS, STEERS, grip_along, lacking
from .vehicle import BRAKE, DRAG, FRICTION, GRAVITY, HALF_LENGTH, LEAST_LOAD, MASS, TIP, TOP

HELD = 1e-6  # relative; thrifty speeds nearer to the fastest ones are held by them
TILTED = 20.0  # how bad a metre is that tilts by 1 more than holds, or where g is lacking to climb on
COASTS = 0.05  # [m/s²] by which what pushes the vehicle differs from zero where it coasts


@inner
@kernel
def influence(
    rows: np.ndarray,
    where: np.ndarray,
    points: np.ndarray,
    limit: np.ndarray,
    ceiling: np.ndarray,
    x: np.ndarray,
    mark: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    weights: np.ndarray,
    ground: Ground,
    violation: float,
    least: float,
    to_point: np.ndarray,
    to_step: np.ndarray,
    seconds: np.ndarray,
) -> None:
    """Fill ∂J/∂(g·k_t, g·k_q, c_q, g·k_r, c_r) into columns 0 to 4 of `to_point` (n, 8), ∂J/∂step and the
    time of every step; `violation` weighs what cannot be driven, and no v² counts as less than `least`."""
    n = len(rows)
    exposure, frame = ground.exposure, ground.frame
    to_point[:] = 0.0
    to_x = np.zeros(n)
    for i in range(n - 1):
        length = rows[i, STEP]
        v, w = np.sqrt(max(x[i], least)), np.sqrt(max(x[i + 1], least))
        pace = max(v + w, 1e-9)
        second = price_of_second(i, where, weights, exposure, frame, 0.0)
        took = 2.0 * length / pace
        seconds[i] = took
        to_step[i] = second * took / length + weights[DISTANCE]
        if x[i] >= least:
            to_x[i] -= second * took / pace / (2.0 * max(v, 1e-6))
        if x[i + 1] >= least:
            to_x[i + 1] -= second * took / pace / (2.0 * max(w, 1e-6))
        if weights[ENERGY] > 0.0:
            work_of_step(i, rows, points, x, car, weights[ENERGY] * car[MASS], to_x, to_point, to_step)
        if mark[i] == FINE and mark[i + 1] == STALLS:  # who arrives faster stalls later
            to_x[i] -= 0.5 * violation * TILTED / car[GRAVITY]
    seconds[n - 1] = to_step[n - 1] = 0.0
    in_reverse(rows, points, limit, ceiling, x, mark, car, drive, to_x, to_point, to_step)
    of_trouble(rows, points, mark, car, drive_at(0.0, drive), violation, to_point)


@inner
@bare
def work_of_step(
    i: int,
    rows: np.ndarray,
    points: np.ndarray,
    x: np.ndarray,
    car: np.ndarray,
    price: float,
    to_x: np.ndarray,
    to_point: np.ndarray,
    to_step: np.ndarray,
) -> None:
    """Add how the engine's work over a step, at a `price`, changes with its speeds, points and length."""
    j, length, drag = i + 1, rows[i, STEP], car[DRAG]
    resist = 0.5 * (points[i, 0] + points[j, 0] + drag * (x[i] + x[j]))
    if (x[j] - x[i]) / (2.0 * length) + resist <= 0.0:
        return
    to_x[i] += 0.5 * price * (length * drag - 1.0)
    to_x[j] += 0.5 * price * (length * drag + 1.0)
    to_point[i, 0] += 0.5 * price * length
    to_point[j, 0] += 0.5 * price * length
    to_step[i] += price * resist


@inner
@kernel
def influence_of_thrift(
    rows: np.ndarray,
    where: np.ndarray,
    points: np.ndarray,
    limit: np.ndarray,
    ceiling: np.ndarray,
    fastest: np.ndarray,
    x: np.ndarray,
    mark: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    weights: np.ndarray,
    ground: Ground,
    to_point: np.ndarray,
    to_step: np.ndarray,
    seconds: np.ndarray,
) -> None:
    """The same for speeds that save energy, on a path that can be driven. They are the cheapest, so what a
    change of them brings is nothing, and the points count by what they cost at these speeds; but where the
    `fastest` speeds hold them, and these pass on what slower would have cost. Coasting, the engine is about
    to push: by which share, the cheapest speeds tell."""
    n = len(rows)
    exposure, frame = ground.exposure, ground.frame
    to_point[:] = 0.0
    to_x = np.zeros(n)
    worth = 0.0  # of x at the next point, for all that follows
    for i in range(n - 2, -1, -1):
        j, length = i + 1, rows[i, STEP]
        v, w = np.sqrt(x[i]), np.sqrt(x[j])
        pace = max(v + w, 1e-9)
        second = price_of_second(i, where, weights, exposure, frame, car[MASS])
        price = weights[ENERGY] * car[MASS]
        seconds[i] = 2.0 * length / pace
        by_v = -second * seconds[i] / pace / (2.0 * max(v, 1e-3))
        by_w = -second * seconds[i] / pace / (2.0 * max(w, 1e-3))
        a = (x[j] - x[i]) / (2.0 * length)
        here, there = a + points[i, 0] + car[DRAG] * x[i], a + points[j, 0] + car[DRAG] * x[j]
        pushes = 1.0 if 0.5 * (here + there) > 0.0 else 0.0
        held = x[j] >= fastest[j] * (1.0 - HELD)
        if abs(0.5 * (here + there)) < COASTS and not held:
            pushes = min(max(-(worth + by_w) / (0.5 * price * (1.0 + length * car[DRAG])), 0.0), 1.0)
        if held:
            to_x[j] = worth + by_w + 0.5 * price * pushes * (1.0 + length * car[DRAG])
        worth = by_v - 0.5 * price * pushes * (1.0 - length * car[DRAG])
        to_point[i, 0] += 0.5 * price * length * pushes
        to_point[j, 0] += 0.5 * price * length * pushes
        work = 0.5 * price * pushes * (here + there - 2.0 * a)
        to_step[i] = second * seconds[i] / length + work + weights[DISTANCE]
    seconds[n - 1] = to_step[n - 1] = 0.0
    in_reverse(rows, points, limit, ceiling, fastest, mark, car, drive, to_x, to_point, to_step)


@inner
@bare
def price_of_second(
    i: int, where: np.ndarray, weights: np.ndarray, exposure: np.ndarray, frame: np.ndarray, mass: float
) -> float:
    """What a second costs at a point; with a `mass`, as the speeds that save energy are chosen."""
    second = weights[TIME]
    if exposure.size > 1 and weights[EXPOSURE] > 0.0:
        second += weights[EXPOSURE] * between(where[i, 0], where[i, 1], exposure, frame)
    elif second <= 0.0:
        second = weights[ENERGY] * PATIENCE * mass
    return second


@inner
@kernel
def in_reverse(
    rows: np.ndarray,
    points: np.ndarray,
    limit: np.ndarray,
    ceiling: np.ndarray,
    x: np.ndarray,
    mark: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    to_x: np.ndarray,
    to_point: np.ndarray,
    to_step: np.ndarray,
) -> None:
    """Both sweeps in reverse: the weights `to_x` of the fastest speeds pass on to the points and steps."""
    n = len(rows)
    to_x[0] = 0.0 if x[0] < limit[0] else to_x[0]
    for j in range(n - 1, 0, -1):
        below = x[j] < ceiling[j] * (1.0 - SAME) and mark[j] == FINE and mark[j - 1] == FINE
        if below and not only_one(j - 1, limit, ceiling, x):
            pass_on(j - 1, j, YES, rows, points, x, car, drive, to_x, to_point, to_step)
    for i in range(n - 1):
        if mark[i] != FINE or x[i] < ceiling[i] * (1.0 - SAME):
            continue
        if x[i] < limit[i] * (1.0 - SAME):
            if mark[i + 1] == FINE and x[i + 1] < ceiling[i + 1] * (1.0 - SAME):
                pass_both(i, i + 1, rows, points, x, car, drive, to_x, to_point, to_step)
            elif mark[i + 1] == FINE:
                pass_on(i, i + 1, NO, rows, points, x, car, drive, to_x, to_point, to_step)
        elif limit[i] < min(car[TOP], UNBOUNDED) * (1.0 - SAME):
            at_limit(i, limit[i], points, car, drive, to_x[i], to_point)


@inner
@kernel
def of_trouble(
    rows: np.ndarray,
    points: np.ndarray,
    mark: np.ndarray,
    car: np.ndarray,
    push: float,
    violation: float,
    to_point: np.ndarray,
) -> None:
    """Add how the penalty of what cannot be driven changes with the points."""
    hold = min(car[TIP] * (1.0 - car[LEAST_LOAD] / car[GRAVITY]), car[FRICTION])
    for i in range(len(rows)):
        if mark[i] == FINE or points[i, 3] <= 0.0:
            continue
        side = 1.0 if points[i, 1] > 0.0 else -1.0
        tilt = abs(points[i, 1]) / points[i, 3]
        if tilt > hold:
            to_point[i, 1] += violation * rows[i, STEP] * TILTED * side / points[i, 3]
            to_point[i, 3] -= violation * rows[i, STEP] * TILTED * tilt / points[i, 3]
        if mark[i] == STEERS:
            side = 1.0 if points[i, 6] > 0.0 else -1.0
            to_point[i, 2] += violation * rows[i, STEP] * 10.0 * side * car[HALF_LENGTH]
        if lacking(points, i, mark[i], push, car[BRAKE]) > 0.0:
            price = violation * rows[i, STEP] * TILTED / car[GRAVITY]
            down, grip = mark[i] == RUNS_AWAY, grip_along(points, i)
            to_point[i, 0] += -price if down else price
            if 1e-6 < grip < (car[BRAKE] if down else push):
                to_point[i, 1] += price * points[i, 1] / grip
                to_point[i, 3] -= price * points[i, 5] ** 2 * points[i, 3] / grip
