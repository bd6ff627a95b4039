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

from .limits import C_Q, C_R, K_Q, K_R, K_T, MOBILITY, STEP, UNBOUNDED, force_range, speed_range, top_of_set
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

CRAWL = 0.25  # [m²/s²] v² at places that allow no motion
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
    """Fill `limit`, `ceiling`, `x` (n,) [m²/s²] and `mark` (n,) from `path` (n, 7); `points` (n, 8) is scratch."""
    n = len(path)
    see_points(path, car, closed, points, mark)
    top = min(car[TOP], UNBOUNDED)
    for i in range(n):
        limit[i] = 0.0
        if mark[i] == FINE:
            best = top_of_set(points[i], drive[0], car[BRAKE], car[TIP], top)
            if best > 0.0:
                limit[i] = best
            else:
                mark[i] = why_not(points[i], car[TIP])
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
        p, row = points[i], path[i]
        if i > 0 and knows_body:
            bend = 0.5 * (path[i - 1, C_Q] + row[C_Q])
            sine, cosine = _turn_body(sine, cosine, bend, path[i - 1, STEP], car[HALF_LENGTH])
        p[0], p[1], p[2] = g * row[K_T], g * row[K_Q], row[C_Q]
        p[3], p[4] = g * row[K_R], row[C_R] + car[DOWNFORCE]
        p[5] = car[FRICTION] * row[MOBILITY]
        p[6], p[7] = sine, cosine
        mark[i] = FINE
        if row[MOBILITY] < 0.0:
            mark[i] = OUTSIDE
        elif row[MOBILITY] == 0.0:
            mark[i] = BLOCKED
        elif abs(sine) > car[SIN_STEER] * (1.0 + 1e-9) or cosine <= 0.0:
            mark[i] = STEERS


@kernel
def why_not(p: np.ndarray, beta: float) -> int:
    """Which constraint forbids standing at a point."""
    if p[3] <= 0.0:
        return LIFTS
    if abs(p[1]) >= p[5] * p[3]:
        return SLIDES
    if abs(p[1]) >= beta * p[3] * 0.999:
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
    for k in range(steps - 1, -1, -1):
        i, j = (first + k) % n, (first + k + 1) % n
        ceiling[i] = start_below(
            points[i], points[j], limit[i], ceiling[j], path[i, STEP], car, drive, mark[i] | mark[j]
        )
        if ceiling[i] < 0.0:
            if mark[i] == FINE:
                mark[i] = RUNS_AWAY
            ceiling[i] = CRAWL


@kernel
def start_below(
    p: np.ndarray,
    q: np.ndarray,
    limit: float,
    end: float,
    step: float,
    car: np.ndarray,
    drive: np.ndarray,
    forbidden: int,
) -> float:
    """Largest x at `p` from which some x ≤ `end` at `q`, a `step` on, can be reached; negative if none."""
    brake, beta, drag = car[BRAKE], car[TIP], car[DRAG]
    two = 2.0 * step
    if forbidden:
        reach = end + two * (brake + p[0])
        return max(CRAWL, min(limit, reach)) if limit > 0.0 else CRAWL
    push = drive_at(end, drive)
    low, high = force_range(end, q, push, brake, beta)
    resist = q[0] + drag * end
    most, least = end - two * (low - resist), end - two * (high - resist)
    from_low, from_high = speed_range(
        p[0] + end / two, drag - 1.0 / two, p, drive_at(min(limit, most), drive), brake, beta, limit
    )
    best = min(most, from_high)
    if low <= high and best >= max(least, from_low) - TIGHT * end:
        return best
    # `end` is out of reach; often the limit itself, left with what force it allows, leads below `end`
    low, high = force_range(limit, p, drive_at(limit, drive), brake, beta)
    resist = p[0] + drag * limit
    least, most = limit + two * (low - resist), limit + two * (high - resist)
    end_low, end_high = speed_range(q[0] - limit / two, 1.0 / two + drag, q, push, brake, beta, end)
    if max(least, end_low) <= min(most, end_high):
        return limit
    return widest_start(p, q, limit, end, two, push, brake, beta, drag)


@kernel
def widest_start(
    p: np.ndarray,
    q: np.ndarray,
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
    grip_p = p[5] * (p[3] + max(p[4], 0.0) * limit)
    grip_q = q[5] * (q[3] + max(q[4], 0.0) * end)
    left = max(-min(brake, grip_p) - p[0] - drag * limit, -min(brake, grip_q) - q[0] - drag * end)
    right = min(min(push, grip_p) - p[0], min(push, grip_q) - q[0])
    ratio = 0.6180339887498949
    a, b = right - ratio * (right - left), left + ratio * (right - left)
    at_a = start_with(a, p, q, limit, end, two, push, brake, beta, drag)
    at_b = start_with(b, p, q, limit, end, two, push, brake, beta, drag)
    best = max(at_a, at_b)
    for _ in range(40):
        if at_a >= at_b:
            right, b, at_b = b, a, at_a
            a = right - ratio * (right - left)
            at_a = start_with(a, p, q, limit, end, two, push, brake, beta, drag)
        else:
            left, a, at_a = a, b, at_b
            b = left + ratio * (right - left)
            at_b = start_with(b, p, q, limit, end, two, push, brake, beta, drag)
        best = max(best, at_a, at_b)
    return best


@kernel
def start_with(
    a: float,
    p: np.ndarray,
    q: np.ndarray,
    limit: float,
    end: float,
    two: float,
    push: float,
    brake: float,
    beta: float,
    drag: float,
) -> float:
    """Largest start for one acceleration; below zero, and by how much, where it is not allowed."""
    low, high = speed_range(p[0] + a, drag, p, push, brake, beta, limit)
    end_low, end_high = speed_range(q[0] + a, drag, q, push, brake, beta, end)
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
    for k in range(steps):
        i, j = (first + k) % n, (first + k + 1) % n
        p, q, now = points[i], points[j], x[i]
        two = 2.0 * path[i, STEP]
        push = drive_at(now, drive)
        if mark[i] not in (FINE, STALLS) or mark[j] not in (FINE, STALLS):
            x[j] = max(CRAWL, min(ceiling[j], now + two * (push - p[0])))
            continue
        low, high = force_range(now, p, push, brake, beta)
        reach = now + two * (high - p[0] - drag * now)
        push = min(push, drive_at(max(reach, 0.0), drive))
        low, high = speed_range(
            q[0] - now / two, 1.0 / two + drag, q, push, brake, beta, min(ceiling[j], max(reach, 0.0))
        )
        if reach <= 0.0 or high <= 0.0 or high < low - TIGHT * now - 1e-12:
            if ceiling[j] > 0.0:
                mark[j] = STALLS
                x[j] = min(CRAWL, ceiling[j])
            else:
                x[j] = 0.0
        else:
            x[j] = high
