"""The fastest speeds along a path: a sweep backwards, a sweep forwards, no search for switching points.

Over each step the acceleration is constant, so x = v² is linear in distance, and it must be allowed at both
ends: (x_i, a) at point i and (x_{i+1}, a) at point i+1. Both sets are convex (see `limits`), so the pairs
(x_i, x_{i+1}) of a step are convex too. Going backwards, `ceiling[i]` is the largest x_i from which the rest
of the path can still be driven; going forwards, the largest x_{i+1} under its ceiling is taken. Switching
points, singular points and arcs where the limit can only be followed from below need no case of their own.

Where no motion is allowed at all, the sweep goes on at a crawl and leaves a mark, so that an infeasible path
still has a limit curve to look at and a cost that shrinks as the path gets better.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import YES, bare, inner, kernel, plain

from .limits import C_Q, C_R, K_Q, K_R, K_T, MOBILITY, STEP, UNBOUNDED, force_range, turn_body
from .steps import TIGHT, drive_at, step_ahead, step_back
from .topmost import top_of_set
from .vehicle import (
    BEND_RATE,
    BRAKE,
    DOWNFORCE,
    FRICTION,
    GRAVITY,
    HALF_LENGTH,
    LEAST_LOAD,
    PITCH,
    SIN_STEER,
    TIP,
    TOP,
)

CRAWL = 4.0  # [m²/s²] v² at places that allow no motion

# marks of a point
FINE, SLIDES, TIPS, LIFTS, BLOCKED, STEERS, STALLS, RUNS_AWAY, OUTSIDE, TOO_FAST, TOO_SLOW = range(11)
PITCHES, UNLOADS = 11, 12
LAPS = 20  # at most, until a lap ends as it began


@kernel
def sweep(
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    x_start: float,
    x_end: float,
    closed: bool,
    points: np.ndarray,
    limit: np.ndarray,
    ceiling: np.ndarray,
    x: np.ndarray,
    mark: np.ndarray,
) -> None:
    """Fill `limit`, `ceiling`, `x` (n,) [m²/s²], `mark` (n,) and `points` (n, 8) from `path` (n, 7)."""
    n = len(path)
    see_points(path, car, closed, points, mark)
    top = min(car[TOP], UNBOUNDED)
    for i in range(n):
        limit[i] = 0.0
        if mark[i] == FINE:
            best = top_of_set(points, i, drive[0], car[BRAKE], car[TIP], top)
            if best > 0.0:
                limit[i] = best
            else:
                mark[i] = why_not(points, i, car[TIP])
    if car[BEND_RATE] < UNBOUNDED:
        turn_in_time(path, car[BEND_RATE], closed, limit)
    first, steps = plain(0), n - 1
    if closed:
        steps = n
        for i in range(n):
            if limit[i] < limit[first]:
                first = i
        ceiling[first] = max(limit[first], CRAWL)
    else:
        ceiling[n - 1] = min(x_end, limit[n - 1])
    for _ in range(LAPS):
        before = ceiling[first]
        back(path, car, drive, points, limit, ceiling, mark, first, steps)
        if not closed or abs(ceiling[first] - before) <= 1e-9 * before:
            break
        ceiling[first] = min(ceiling[first], before)
    x[first] = ceiling[first] if closed else min(x_start, ceiling[first])
    if not closed and x_start > ceiling[0] * (1.0 + TIGHT) and mark[0] == FINE:
        mark[0] = TOO_FAST
    for _ in range(LAPS):
        before = x[first]
        ahead(path, car, drive, points, ceiling, x, mark, first, steps)
        if not closed or abs(x[first] - before) <= 1e-9 * before:
            break


@inner
@kernel
def turn_in_time(path: np.ndarray, rate: float, closed: bool, limit: np.ndarray) -> None:
    """Lower the limit (n,) of v² to where the steering can follow: |dc/ds|·v ≤ `rate`."""
    n = len(path)
    for i in range(n if closed else n - 1):
        j = i + 1 if i + 1 < n else 0
        change = abs(path[j, C_Q] - path[i, C_Q])
        if change > 0.0:
            most = (rate * path[i, STEP] / change) ** 2
            limit[i], limit[j] = min(limit[i], most), min(limit[j], most)


@kernel
def see_points(path: np.ndarray, car: np.ndarray, closed: bool, points: np.ndarray, mark: np.ndarray) -> None:
    """Fill `points` with what the limits need, turning the body along the way, and mark closed ground."""
    n = len(path)
    g = car[GRAVITY]
    knows_body = car[TIP] < 1e6 or car[SIN_STEER] < 0.999
    least = car[LEAST_LOAD]
    pitch = car[PITCH] if least > 0.0 or car[FRICTION] * car[PITCH] > 1.0 else 0.0
    sine, cosine = 0.0, 1.0
    if knows_body:
        d = car[HALF_LENGTH]
        sine = min(0.99, max(-0.99, d * path[0, C_Q]))
        cosine = np.sqrt(1.0 - sine * sine)
    for i in range(n):
        if i > 0 and knows_body:
            bend = 0.5 * (path[i - 1, C_Q] + path[i, C_Q])
            sine, cosine = turn_body(sine, cosine, bend, path[i - 1, STEP], car[HALF_LENGTH])
        points[i, 0], points[i, 1], points[i, 2] = g * path[i, K_T], g * path[i, K_Q], path[i, C_Q]
        points[i, 3], points[i, 4] = g * path[i, K_R], path[i, C_R] + car[DOWNFORCE]
        points[i, 5] = car[FRICTION] * path[i, MOBILITY]
        points[i, 6], points[i, 7] = sine, cosine
        points[i, 8], points[i, 9] = pitch, least
        mark[i] = FINE
        if path[i, MOBILITY] < 0.0:
            mark[i] = OUTSIDE
        elif path[i, MOBILITY] == 0.0:
            mark[i] = BLOCKED
        elif abs(sine) > car[SIN_STEER] * (1.0 + 1e-9) or cosine <= 0.0:
            mark[i] = STEERS


@inner
@bare
def why_not(p: np.ndarray, i: int, beta: float) -> int:
    """Which constraint forbids standing at a point."""
    if p[i, 3] <= 0.0:
        return LIFTS
    if abs(p[i, 1]) >= p[i, 5] * p[i, 3]:
        return SLIDES
    if abs(p[i, 1]) >= beta * p[i, 3] * 0.999:
        return TIPS
    return UNLOADS if p[i, 9] > 0.0 else SLIDES


@inner
@bare
def why_stuck(p: np.ndarray, i: int, drive: float, brake: float, stops: bool) -> int:
    """Which constraint stops a vehicle on a climb, or lets it run away on the way down: pitch-over or wheel
    loads where tyres, drive and brakes could give more."""
    force = min(p[i, 5] * p[i, 3], drive if stops else brake)
    if p[i, 8] * force > p[i, 3] - p[i, 9]:
        return PITCHES if p[i, 9] == 0.0 else UNLOADS
    return STALLS if stops else RUNS_AWAY


@inner
@bare
def lacking(p: np.ndarray, i: int, mark: int, drive: float, brake: float) -> float:
    """Force over mass [m/s²] that a stuck vehicle lacks to climb on, or to hold back on the way down."""
    if mark in (STALLS, PITCHES, UNLOADS):
        return max(0.0, p[i, 0] - min(drive, grip_along(p, i)))
    if mark == RUNS_AWAY:
        return max(0.0, -p[i, 0] - min(brake, grip_along(p, i)))
    return 0.0


@inner
@bare
def grip_along(p: np.ndarray, i: int) -> float:
    """What tyres hold along the path of a standing vehicle, over its mass [m/s²]."""
    return np.sqrt(max((p[i, 5] * p[i, 3]) ** 2 - p[i, 1] ** 2, 0.0))


@kernel
def back(
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    limit: np.ndarray,
    ceiling: np.ndarray,
    mark: np.ndarray,
    first: int,
    steps: int,
) -> None:
    """Largest x at every point from which the rest can be driven; `steps` steps that end at first + steps."""
    n = len(path)
    i = (first + steps) % n
    for _ in range(steps):
        i, j = (i - 1 if i > 0 else n - 1), i
        end, two = ceiling[j], 2.0 * path[i, STEP]
        if mark[i] != FINE or mark[j] != FINE:
            reach = end + two * (car[BRAKE] + points[i, 0])
            ceiling[i] = max(CRAWL, min(limit[i], reach)) if limit[i] > 0.0 else CRAWL
            continue
        ceiling[i] = step_back(points, i, j, limit[i], end, two, car, drive)
        if ceiling[i] < 0.0:
            _, high = force_range(limit[i], points, i, drive_at(limit[i], drive), car[BRAKE], car[TIP])
            stops = limit[i] + two * (high - points[i, 0]) <= end
            mark[i] = why_stuck(points, i, drive_at(0.0, drive), car[BRAKE], stops)
            ceiling[i] = CRAWL


@kernel
def ahead(
    path: np.ndarray,
    car: np.ndarray,
    drive: np.ndarray,
    points: np.ndarray,
    ceiling: np.ndarray,
    x: np.ndarray,
    mark: np.ndarray,
    first: int,
    steps: int,
) -> None:
    """From x[first], the largest x under the ceiling at every next point; marks where the engine gives up."""
    n = len(path)
    j = first
    for _ in range(steps):
        i, j = j, (j + 1 if j + 1 < n else 0)
        two = 2.0 * path[i, STEP]
        if not (goes_on(mark[i]) and goes_on(mark[j])):
            reach = x[i] + two * (drive_at(x[i], drive) - points[i, 0])
            x[j] = max(CRAWL, min(ceiling[j], reach))
            continue
        best = step_ahead(points, i, j, x[i], ceiling[j], two, car, drive)
        if best > 0.0 or ceiling[j] <= 0.0:
            x[j] = max(best, 0.0)
        else:
            mark[j] = why_stuck(points, j, drive_at(0.0, drive), car[BRAKE], YES)
            x[j] = min(CRAWL, ceiling[j])


@inner
@kernel
def goes_on(mark: int) -> bool:
    """Whether a motion that starts faster could pass a point so marked."""
    return mark in (FINE, STALLS, PITCHES)
