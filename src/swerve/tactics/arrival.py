"""How soon a body that is moving could stand at a place, if nothing were in its way."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

TURNS = 1024  # parts of a right angle, in which limits are shared out between the axes
COSINES = np.cos(0.5 * np.pi * np.arange(TURNS + 1) / TURNS)


@kernel
def time_to_reach(
    dx: float,
    dy: float,
    vx: float,
    vy: float,
    speed: float,
    acceleration: float,
    within: float,
    enough: float = 0.0,
) -> float:
    """Least time [s] to cover (dx, dy) from velocity (vx, vy) and stand, trapezoidal on either axis.

    The limits on speed and acceleration are shared out between the axes, by the cosine and sine of the angle
    that makes both arrive together. Gives infinity early when it cannot be less than `within`, and early some
    time of at most `enough` where there is one.
    """
    alone = max(_axis_time(dx, vx, speed, acceleration), _axis_time(dy, vy, speed, acceleration))
    if alone >= within:
        return np.inf
    low, high, best = 0, TURNS, np.inf
    while high - low > 1:
        middle = (low + high) // 2
        c, s = COSINES[middle], COSINES[TURNS - middle]
        tx = _axis_time(dx, vx, c * speed, c * acceleration)
        ty = _axis_time(dy, vy, s * speed, s * acceleration)
        best = min(best, max(tx, ty))
        if best <= enough:
            return best
        if min(tx, ty) >= within:  # the least time lies between the two
            return np.inf
        if tx < ty:
            low = middle
        else:
            high = middle
    return best


@inner
@kernel
def _axis_time(distance: float, velocity: float, speed: float, acceleration: float) -> float:
    """Along one axis, from a velocity to a stand."""
    if distance < 0.0:
        distance, velocity = -distance, -velocity
    braking = velocity * velocity / (2 * acceleration)
    if velocity < 0.0:  # turn round first
        return -velocity / acceleration + _rest_time(distance + braking, speed, acceleration)
    if braking > distance:  # overshoot and come back
        return velocity / acceleration + _rest_time(braking - distance, speed, acceleration)
    if velocity >= speed:  # of which it has no more than its share: slow down to that first
        return velocity / acceleration + (distance - braking) / speed
    peak = np.sqrt(acceleration * distance + 0.5 * velocity * velocity)
    if peak <= speed:
        return (2 * peak - velocity) / acceleration
    ramps = (2 * speed * speed - velocity * velocity) / (2 * acceleration)
    return (2 * speed - velocity) / acceleration + (distance - ramps) / speed


@inner
@kernel
def _rest_time(distance: float, speed: float, acceleration: float) -> float:
    """From a stand to a stand."""
    if distance * acceleration <= speed * speed:
        return 2 * np.sqrt(distance / acceleration)
    return distance / speed + speed / acceleration
