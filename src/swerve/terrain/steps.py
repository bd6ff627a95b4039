"""One step of a path: the largest speed at its start or end, limits held at both ends.

The acceleration a over a step of length δ is constant, so x' = x + 2·δ·a for x = v². `step_ahead` takes x to
the largest x'; `step_back` takes x' to the largest x from which some speed up to x' can be reached. `two` is
2·δ throughout.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inlined, inner

from .limits import allowed, cone_top, force_range, most_force, speed_range
from .vehicle import BRAKE, DRAG, FORCE_TABLE_STEP, TIP

TIGHT = 1e-9  # relative slack for round-off when two intervals only touch


@inlined
def step_ahead(
    points: np.ndarray, i: int, j: int, now: float, top: float, two: float, car: np.ndarray, drive: np.ndarray
) -> float:
    """Largest x' ≤ `top` at point j from x = `now` at point i; not above zero when the vehicle stops."""
    brake, beta, drag = car[BRAKE], car[TIP], car[DRAG]
    push = drive_at(now, drive)
    high = most_force(now, points, i, push, brake, beta)
    resist = points[i, 0] + drag * now
    reach = now + two * (high - resist)
    over_step = drive_between(now, reach, drive)
    if over_step < high:  # the engine gives less the faster it gets: as much as it does on the way there
        low = now + two * (over_step - resist)
        start = max(low, 0.0)
        under = now + two * (min(high, drive_between(now, start, drive)) - resist) - start
        share = max(under, 0.0) / max(max(under, 0.0) + reach - low, 1e-300)
        at = start + share * (reach - start)
        over_step = drive_between(now, at, drive)
        reach = min(at, now + two * (min(high, over_step) - resist))
        over_step = drive_between(now, reach, drive)
    push = min(push, over_step)
    best = min(reach, top)
    per = 1.0 / two
    force = points[j, 0] + drag * best + (best - now) * per
    if best > 0.0 and not allowed(best, force, points, j, push, brake, beta):
        # most often the tyres at the end decide
        alpha, gamma = points[j, 0] - now * per, per + drag
        edge = cone_top(alpha, gamma, points, j)
        if 0.0 < edge < best and allowed(edge, alpha + gamma * edge, points, j, push, brake, beta):
            return edge
        low, best = speed_range(alpha, gamma, points, j, push, brake, beta, best)
        if best < low - TIGHT * now - 1e-12:
            best = -1.0
    return best


@inner
@inlined
def step_back(
    points: np.ndarray,
    i: int,
    j: int,
    limit: float,
    end: float,
    two: float,
    car: np.ndarray,
    drive: np.ndarray,
) -> float:
    """Largest x ≤ `limit` at point i from which some x' ≤ `end` at point j is reached; negative if none."""
    brake, beta, drag = car[BRAKE], car[TIP], car[DRAG]
    # most often: brake as hard as the end of the step allows, or start at the limit
    low, high = force_range(end, points, j, drive_at(end, drive), brake, beta)
    resist = points[j, 0] + drag * end
    most, least = end - two * (low - resist), end - two * (high - resist)
    best = min(most, limit)
    per = 1.0 / two
    force = points[i, 0] + drag * best + (end - best) * per
    if best < least or not allowed(best, force, points, i, drive_at(best, drive), brake, beta):
        # most often the tyres at the start decide
        alpha, gamma = points[i, 0] + end * per, drag - per
        edge = cone_top(alpha, gamma, points, i)
        if max(least, 0.0) <= edge < best and allowed(
            edge, alpha + gamma * edge, points, i, drive_at(edge, drive), brake, beta
        ):
            return edge
        best = start_below(points, i, j, limit, end, most, least, two, car, drive)
    return best


@inner
@bare
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


@inner
@bare
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
    at = min(most, end)  # most often with all the force there is
    force = p[j, 0] + drag * at + (at - limit) / two
    if at >= max(least, 0.0) and allowed(at, force, p, j, push, brake, beta):
        return True
    end_low, end_high = speed_range(p[j, 0] - limit / two, 1.0 / two + drag, p, j, push, brake, beta, end)
    return max(least, end_low) <= min(most, end_high) + TIGHT * limit


@inner
@bare
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


@inner
@bare
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


@bare
def drive_between(one: float, two: float, drive: np.ndarray) -> float:
    """Largest drive force over mass over a step from v² = `one` to `two`: at its mean speed, so that power
    does its work."""
    if len(drive) == 1:
        return drive[0]
    mean = 0.5 * (np.sqrt(one) + np.sqrt(max(two, 0.0)))
    return drive_at(mean * mean, drive)


@bare
def drive_at(x: float, drive: np.ndarray) -> float:
    """Largest drive force over mass at v² = x."""
    if len(drive) == 1:
        return drive[0]
    at = np.sqrt(x) / FORCE_TABLE_STEP
    i = int(at)
    if i >= len(drive) - 1:
        return drive[-1]
    return drive[i] + (at - i) * (drive[i + 1] - drive[i])
