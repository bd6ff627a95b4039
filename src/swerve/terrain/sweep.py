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

from swerve.core.kernels import kernel

from .limits import (
    C_Q,
    C_R,
    K_Q,
    K_R,
    K_T,
    MOBILITY,
    STEP,
    UNBOUNDED,
    allowed,
    force_range,
    speed_range,
    top_of_set,
)
from .limits import turn_body as _turn_body
from .vehicle import (
    BRAKE,
    DOWNFORCE,
    DRAG,
    FORCE_TABLE_STEP,
    FRICTION,
    GRAVITY,
    HALF_LENGTH,
    SIN_STEER,
    TIP,
    TOP,
)

CRAWL = 4.0  # [m²/s²] v² at places that allow no motion
TIGHT = 1e-9  # relative slack for round-off when two intervals only touch

# marks of a point
FINE, SLIDES, TIPS, LIFTS, BLOCKED, STEERS, STALLS, RUNS_AWAY, OUTSIDE, TOO_FAST = range(10)


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
    if not closed:
        ceiling[n - 1] = min(x_end, limit[n - 1])
        back(path, car, drive, points, limit, ceiling, mark, 0, n - 1)
        x[0] = min(x_start, ceiling[0])
        if x_start > ceiling[0] * (1.0 + TIGHT) and mark[0] == FINE:
            mark[0] = TOO_FAST
        ahead(path, car, drive, points, ceiling, x, mark, 0, n - 1)
        return
    first = 0
    for i in range(n):
        if limit[i] < limit[first]:
            first = i
    ceiling[first] = max(limit[first], CRAWL)
    for _ in range(20):
        before = ceiling[first]
        back(path, car, drive, points, limit, ceiling, mark, first, n)
        if abs(ceiling[first] - before) <= 1e-9 * before:
            break
        ceiling[first] = min(ceiling[first], before)
    x[first] = ceiling[first]
    for _ in range(20):
        before = x[first]
        ahead(path, car, drive, points, ceiling, x, mark, first, n)
        if abs(x[first] - before) <= 1e-9 * before:
            break


@kernel
def see_points(path: np.ndarray, car: np.ndarray, closed: bool, points: np.ndarray, mark: np.ndarray) -> None:
    """Fill `points` with what the limits need, turning the body along the way, and mark closed ground."""
    n = len(path)
    g = car[GRAVITY]
    knows_body = car[TIP] < 1e6 or car[SIN_STEER] < 0.999
    sine, cosine = 0.0, 1.0
    if knows_body:
        d = car[HALF_LENGTH]
        sine = min(0.99, max(-0.99, d * path[0, C_Q]))
        cosine = np.sqrt(1.0 - sine * sine)
    for i in range(n):
        if i > 0 and knows_body:
            bend = 0.5 * (path[i - 1, C_Q] + path[i, C_Q])
            sine, cosine = _turn_body(sine, cosine, bend, path[i - 1, STEP], car[HALF_LENGTH])
        points[i, 0], points[i, 1], points[i, 2] = g * path[i, K_T], g * path[i, K_Q], path[i, C_Q]
        points[i, 3], points[i, 4] = g * path[i, K_R], path[i, C_R] + car[DOWNFORCE]
        points[i, 5] = car[FRICTION] * path[i, MOBILITY]
        points[i, 6], points[i, 7] = sine, cosine
        mark[i] = FINE
        if path[i, MOBILITY] < 0.0:
            mark[i] = OUTSIDE
        elif path[i, MOBILITY] == 0.0:
            mark[i] = BLOCKED
        elif abs(sine) > car[SIN_STEER] * (1.0 + 1e-9) or cosine <= 0.0:
            mark[i] = STEERS


@kernel
def why_not(p: np.ndarray, i: int, beta: float) -> int:
    """Which constraint forbids standing at a point."""
    if p[i, 3] <= 0.0:
        return LIFTS
    if abs(p[i, 1]) >= p[i, 5] * p[i, 3]:
        return SLIDES
    if abs(p[i, 1]) >= beta * p[i, 3] * 0.999:
        return TIPS
    return SLIDES


@kernel
def drive_at(x: float, drive: np.ndarray) -> float:
    """Largest drive force over mass at v² = x."""
    if len(drive) == 1:
        return drive[0]
    at = np.sqrt(x) / FORCE_TABLE_STEP
    i = int(at)
    if i >= len(drive) - 1:
        return drive[-1]
    return drive[i] + (at - i) * (drive[i + 1] - drive[i])


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
    brake, beta, drag = car[BRAKE], car[TIP], car[DRAG]
    i = (first + steps) % n
    for _ in range(steps):
        i, j = (i - 1 if i > 0 else n - 1), i
        end, two = ceiling[j], 2.0 * path[i, STEP]
        if mark[i] != FINE or mark[j] != FINE:
            reach = end + two * (brake + points[i, 0])
            ceiling[i] = max(CRAWL, min(limit[i], reach)) if limit[i] > 0.0 else CRAWL
            continue
        # most often: brake as hard as the end of the step allows, or start at the limit
        low, high = force_range(end, points, j, drive_at(end, drive), brake, beta)
        resist = points[j, 0] + drag * end
        most = end - two * (low - resist)
        best = min(most, limit[i])
        force = points[i, 0] + drag * best + (end - best) / two
        least = end - two * (high - resist)
        if best >= least and allowed(best, force, points, i, drive_at(best, drive), brake, beta):
            ceiling[i] = best
            continue
        ceiling[i] = start_below(points, i, j, limit[i], end, most, least, two, car, drive)
        if ceiling[i] < 0.0:
            mark[i] = RUNS_AWAY
            ceiling[i] = CRAWL


@kernel
def start_below(
    p: np.ndarray,
    i: int,
    j: int,
    limit: float,
    end: float,
    most: float,
    least: float,
    two: float,
    car: np.ndarray,
    drive: np.ndarray,
) -> float:
    """Largest x at point i from which some x ≤ `end` at point j can be reached; negative if none.

    `two` is twice the length of the step; point j allows starts from `least` to `most` that reach `end`.
    """
    brake, beta, drag = car[BRAKE], car[TIP], car[DRAG]
    push = drive_at(end, drive)
    if limit <= end and starts_at_limit(p, i, j, limit, end, two, push, drive, car):
        return limit
    from_low, from_high = speed_range(
        p[i, 0] + end / two, drag - 1.0 / two, p, i, drive_at(min(limit, most), drive), brake, beta, limit
    )
    best = min(most, from_high)
    if best >= max(least, from_low) - TIGHT * end:
        return best
    if limit > end and starts_at_limit(p, i, j, limit, end, two, push, drive, car):
        return limit
    return widest_start(p, i, j, limit, end, two, push, brake, beta, drag)


@kernel
def starts_at_limit(
    p: np.ndarray,
    i: int,
    j: int,
    limit: float,
    end: float,
    two: float,
    push: float,
    drive: np.ndarray,
    car: np.ndarray,
) -> bool:
    """Whether the limit at point i, left with what force it allows, leads to some x ≤ `end` at point j."""
    brake, beta, drag = car[BRAKE], car[TIP], car[DRAG]
    low, high = force_range(limit, p, i, drive_at(limit, drive), brake, beta)
    resist = p[i, 0] + drag * limit
    least, most = limit + two * (low - resist), limit + two * (high - resist)
    end_low, end_high = speed_range(p[j, 0] - limit / two, 1.0 / two + drag, p, j, push, brake, beta, end)
    return max(least, end_low) <= min(most, end_high) + TIGHT * limit


@kernel
def widest_start(
    p: np.ndarray,
    i: int,
    j: int,
    limit: float,
    end: float,
    two: float,
    push: float,
    brake: float,
    beta: float,
    drag: float,
) -> float:
    """The same when `end` itself cannot be reached: maximise over the acceleration, a concave problem.

    For acceleration a the start may be X_p(a) and the end min(end, X_q(a)), so the start is at most
    min(X_p(a), min(end, X_q(a)) − 2·step·a), concave in a as both sets are convex; golden section.
    """
    grip_p = p[i, 5] * (p[i, 3] + max(p[i, 4], 0.0) * limit)
    grip_q = p[j, 5] * (p[j, 3] + max(p[j, 4], 0.0) * end)
    left = max(-min(brake, grip_p) - p[i, 0] - drag * limit, -min(brake, grip_q) - p[j, 0] - drag * end)
    right = min(min(push, grip_p) - p[i, 0], min(push, grip_q) - p[j, 0])
    ratio = 0.6180339887498949
    a, b = right - ratio * (right - left), left + ratio * (right - left)
    at_a = start_with(a, p, i, j, limit, end, two, push, brake, beta, drag)
    at_b = start_with(b, p, i, j, limit, end, two, push, brake, beta, drag)
    best = max(at_a, at_b)
    for _ in range(20):
        if at_a >= at_b:
            right, b, at_b = b, a, at_a
            a = right - ratio * (right - left)
            at_a = start_with(a, p, i, j, limit, end, two, push, brake, beta, drag)
        else:
            left, a, at_a = a, b, at_b
            b = left + ratio * (right - left)
            at_b = start_with(b, p, i, j, limit, end, two, push, brake, beta, drag)
        best = max(best, at_a, at_b)
    return best


@kernel
def start_with(
    a: float,
    p: np.ndarray,
    i: int,
    j: int,
    limit: float,
    end: float,
    two: float,
    push: float,
    brake: float,
    beta: float,
    drag: float,
) -> float:
    """Largest start for one acceleration; below zero, and by how much, where it is not allowed."""
    low, high = speed_range(p[i, 0] + a, drag, p, i, push, brake, beta, limit)
    end_low, end_high = speed_range(p[j, 0] + a, drag, p, j, push, brake, beta, end)
    low, high = max(low, end_low - two * a), min(high, end_high - two * a)
    return high if high >= low else min(high - low, -1e-12)


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
    brake, beta, drag = car[BRAKE], car[TIP], car[DRAG]
    j = first
    for _ in range(steps):
        i, j = j, (j + 1 if j + 1 < n else 0)
        now = x[i]
        two = 2.0 * path[i, STEP]
        push = drive_at(now, drive)
        if (mark[i] != FINE and mark[i] != STALLS) or (mark[j] != FINE and mark[j] != STALLS):
            x[j] = max(CRAWL, min(ceiling[j], now + two * (push - points[i, 0])))
            continue
        low, high = force_range(now, points, i, push, brake, beta)
        reach = now + two * (high - points[i, 0] - drag * now)
        push = min(push, drive_at(max(reach, 0.0), drive))
        high = min(reach, ceiling[j])
        force = points[j, 0] + drag * high + (high - now) / two
        if high > 0.0 and allowed(high, force, points, j, push, brake, beta):
            x[j] = high
            continue
        low, high = speed_range(
            points[j, 0] - now / two,
            1.0 / two + drag,
            points,
            j,
            push,
            brake,
            beta,
            min(ceiling[j], max(reach, 0.0)),
        )
        if reach <= 0.0 or high <= 0.0 or high < low - TIGHT * now - 1e-12:
            if ceiling[j] > 0.0:
                mark[j] = STALLS
                x[j] = min(CRAWL, ceiling[j])
            else:
                x[j] = 0.0
        else:
            x[j] = high
