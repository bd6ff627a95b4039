"""The largest speed of the set of speeds and forces that a point of a path allows (see `limits`)."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inlined, inner

from .limits import STRAIGHT, UNBOUNDED, below, force_range, side_and_normal, speed_range


@inner
@bare
def sliding_range(p: np.ndarray, i: int, top: float) -> tuple[float, float]:
    """The interval of x in which the side force alone stays within friction: |q| ≤ μ·R, two half-lines."""
    mu = p[i, 5]
    low, high = below(p[i, 1] - mu * p[i, 3], p[i, 2] - mu * p[i, 4], 0.0, top)
    low, high = below(-p[i, 1] - mu * p[i, 3], -p[i, 2] - mu * p[i, 4], low, high)
    return below(-p[i, 3], -p[i, 4], low, high)


@inlined
def top_of_set(p: np.ndarray, i: int, drive: float, brake: float, beta: float, top: float) -> float:
    """The largest allowed x = v² at a point over all forces; negative when standing there is impossible."""
    best = top_of_tyres(p, i, drive, brake, beta, top)
    if (p[i, 8] > 0.0 or p[i, 9] > 0.0) and best > 0.0:
        best = top_by_loads(p, i, drive, brake, beta, best)
    return best


@inner
@bare
def top_by_loads(p: np.ndarray, i: int, drive: float, brake: float, beta: float, top: float) -> float:
    """The largest x up to `top` at which some force keeps all axles and wheels loaded: the set is convex, so
    the speeds that have one are an interval."""
    low, high = force_range(top, p, i, drive, brake, beta)
    if low <= high:
        return top
    low, high = force_range(0.0, p, i, drive, brake, beta)
    if low > high:
        return -1.0
    slow, fast = 0.0, top
    for _ in range(50):
        middle = 0.5 * (slow + fast)
        low, high = force_range(middle, p, i, drive, brake, beta)
        if low <= high:
            slow = middle
        else:
            fast = middle
    return slow


@inner
@inlined
def top_of_tyres(p: np.ndarray, i: int, drive: float, brake: float, beta: float, top: float) -> float:
    """The same by tyres and tip-over alone.

    Without tip-over it lies at f = 0. Where tip-over forbids that, it lies on the tip-over line, where this
    meets the friction cone or the range of drive and brakes.
    """
    low, high = sliding_range(p, i, top)
    if low > 1e-9 or high < 0.0:
        return -1.0
    if not beta < 1e6:
        return high
    if abs(p[i, 1] * p[i, 7]) > beta * p[i, 3]:  # tips over standing, unless drive or brakes can help
        force_low, force_high = force_range(0.0, p, i, drive, brake, beta)
        if abs(p[i, 6]) <= STRAIGHT or force_low > force_high:
            return -1.0
    q, r = side_and_normal(high, p, i)
    if abs(q * p[i, 7]) <= beta * r + 1e-9 * p[i, 3]:
        return high
    return top_on_tip_line(p, i, drive, brake, beta, high, 1.0 if q > 0.0 else -1.0)


@inner
@bare
def top_on_tip_line(
    p: np.ndarray, i: int, drive: float, brake: float, beta: float, top: float, sign: float
) -> float:
    """The largest x on f·sin θ + q·cos θ = sign·β·R; negative when tip-over forbids standing."""
    s, c = p[i, 6], p[i, 7]
    without = -1.0  # the limit without help from drive and brakes
    low, high = below(sign * p[i, 1] * c - beta * p[i, 3], sign * p[i, 2] * c - beta * p[i, 4], 0.0, top)
    if low <= 1e-9:
        without = high
    if abs(s) < STRAIGHT:
        return without
    alpha, gamma = (sign * beta * p[i, 3] - p[i, 1] * c) / s, (sign * beta * p[i, 4] - p[i, 2] * c) / s
    low, high = speed_range(alpha, gamma, p, i, drive, brake, np.inf, top)
    force_low, force_high = force_range(0.0, p, i, drive, brake, beta)
    return max(without, high) if low <= high and force_low <= force_high else without


@inner
@bare
def single_limits(
    p: np.ndarray, i: int, drive: float, brake: float, beta: float
) -> tuple[float, float, float]:
    """The paper's separate limits of x: sliding alone, contact alone, tip-over at the best drive force."""
    low, sliding = sliding_range(p, i, UNBOUNDED)
    if low > 1e-9:
        sliding = 0.0
    low, contact = below(-p[i, 3], -p[i, 4], 0.0, UNBOUNDED)
    if low > 1e-9:
        contact = 0.0
    low, tip = 0.0, UNBOUNDED
    if beta < 1e6:
        help_left, help_right = min(drive * p[i, 6], -brake * p[i, 6]), max(drive * p[i, 6], -brake * p[i, 6])
        low, tip = below(
            p[i, 1] * p[i, 7] + help_left - beta * p[i, 3], p[i, 2] * p[i, 7] - beta * p[i, 4], low, tip
        )
        low, tip = below(
            -p[i, 1] * p[i, 7] - help_right - beta * p[i, 3], -p[i, 2] * p[i, 7] - beta * p[i, 4], low, tip
        )
        if low > 1e-9:
            tip = 0.0
    return max(sliding, 0.0), max(contact, 0.0), max(tip, 0.0)
