"""What a team's kernels share: columns of arrays, and small questions about robots, ball and field.

A team always attacks towards +x: the other side's world is turned round before it is looked at. `robots`
(2n, 6) are ours first; `situation` says what the referee wants; `intents` (n, 13) what our robots are to do.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

from ..match.field import AREA_DEPTH, AREA_HALF, GOAL_HALF, HALF_LENGTH
from ..match.model import (
    ACCELERATION,
    BALL_RADIUS,
    BRAKING,
    FRONT,
    HEADING,
    HELD,
    MOUTH,
    REACH,
    ROBOT_RADIUS,
    SPEED,
    X,
    Y,
)

# columns of a situation; KIND is a referee's state
KIND, MINE, SPOT_X, SPOT_Y, STOPPED, LEAD, CLOCK = range(7)
# columns of an intent: where to, which way to face, what limits, what to do with the ball, where not to go
TO_X, TO_Y, FACE, FASTEST, SPIN_MOST, DRIBBLE, KICK, CHIP, BALL_GAP, IN_AREA, CLOSE, WITH_VX, WITH_VY = range(
    13
)
INTENT_COLUMNS = 13
# columns of an attacker's plan: what, where to, how fast, whether through the air, where to carry it first;
# FIRST_AT [s] is when a ball on its way is kicked without being stopped, 0 for one that is had
WHAT, AIM_X, AIM_Y, SPEED_OUT, THROUGH_AIR, CARRY_VX, CARRY_VY, CARRY_UNTIL, MATE, WORTH, TOLERANCE = range(
    11
)
FIRST_AT = 11
PLAN_COLUMNS = 12
NOTHING, SHOT, PASS, CARRY, CLEAR = range(5)
CONTROL = 0.03  # [m] beyond the front within which a ball counts as ours
AREA_GAP = ROBOT_RADIUS + 0.015  # [m] kept from defence areas by the middle of a robot
GENTLE = 0.8  # share of the braking that is planned with
SURELY = 0.003  # [m] by which it may lie elsewhere than one thinks


@inner
@bare
def travel(distance: float, along: float) -> float:
    """[s] for a robot to go so far and stop there, when it moves that way with `along` [m/s]."""
    extra = 0.0
    if along < 0.0:
        extra = -along / BRAKING
        distance += along * along / (2 * BRAKING)
        along = 0.0
    if distance <= 0.0:
        return extra
    peak = np.sqrt(
        (2 * distance * ACCELERATION * BRAKING + BRAKING * along * along) / (ACCELERATION + BRAKING)
    )
    if peak <= along:
        return extra + distance / max(along, 0.1) + along / (2 * BRAKING)
    if peak <= SPEED:
        return extra + (peak - along) / ACCELERATION + peak / BRAKING
    used = (SPEED * SPEED - along * along) / (2 * ACCELERATION) + SPEED * SPEED / (2 * BRAKING)
    return extra + (SPEED - along) / ACCELERATION + SPEED / BRAKING + (distance - used) / SPEED


@inner
@bare
def _before(robots: np.ndarray, i: int, bx: float, by: float) -> tuple[float, float]:
    """How far [m] a ball lies ahead of the middle of a robot, and beside it."""
    dx, dy = bx - robots[i, X], by - robots[i, Y]
    c, s = np.cos(robots[i, HEADING]), np.sin(robots[i, HEADING])
    return c * dx + s * dy, c * dy - s * dx


@bare
def has_ball(robots: np.ndarray, i: int, bx: float, by: float) -> bool:
    """Whether a ball on the ground is at the front of a robot."""
    ahead, aside = _before(robots, i, bx, by)
    return FRONT < ahead < HELD + CONTROL and abs(aside) < 0.045


@inner
@bare
def in_reach(robots: np.ndarray, i: int, bx: float, by: float) -> bool:
    """Whether its dribbler and kicker act on it there, for certain."""
    ahead, aside = _before(robots, i, bx, by)
    return FRONT < ahead < HELD + REACH - SURELY and abs(aside) < MOUTH - SURELY


@bare
def clearance(
    robots: np.ndarray, first: int, last: int, skip: int, ax: float, ay: float, bx: float, by: float
) -> float:
    """[m] that a ball going from a to b passes beside robots `first` to `last`, less the more time each has
    to come; `skip` is not looked at."""
    dx, dy = bx - ax, by - ay
    length = max(np.hypot(dx, dy), 1e-6)
    dx, dy = dx / length, dy / length
    least = 1.0
    for j in range(first, last):
        if j == skip:
            continue
        px, py = robots[j, X] - ax, robots[j, Y] - ay
        along = px * dx + py * dy
        if along < -0.05 or along > length + 0.1:
            continue
        aside = abs(px * dy - py * dx) - ROBOT_RADIUS - BALL_RADIUS - 0.12 * max(along, 0.0)
        least = min(least, aside)
    return least


@bare
def opening(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> tuple[float, float]:
    """The widest free angle [rad] from a place to their goal, and the y at the goal line in its middle."""
    n, steps = len(robots) // 2, 16
    goal, end = field[GOAL_HALF] - 0.03, field[HALF_LENGTH]
    free, best, at, run = 0, 0, 0.0, -1
    for k in range(steps + 1):
        ty = -goal + 2 * goal * (k + 0.5) / steps
        open_here = k < steps
        if open_here:
            dx, dy = end - x, ty - y
            length = max(np.hypot(dx, dy), 1e-6)
            for j in range(n, 2 * n):
                px, py = robots[j, X] - x, robots[j, Y] - y
                along = (px * dx + py * dy) / length
                if -0.05 < along < length + 0.1:
                    aside = abs(px * dy - py * dx) / length
                    if aside < ROBOT_RADIUS + BALL_RADIUS + 0.06 * along:
                        open_here = False
                        break
        if open_here:
            run = k if run < 0 else run
            free += 1
        else:
            if free > best:
                best, at = free, -goal + 2 * goal * (run + 0.5 * free) / steps
            free, run = 0, -1
    wide = 2 * goal * best / steps
    dx, dy = end - x, at - y
    square = max(dx * dx + dy * dy, 1e-4)
    return wide * abs(dx) / square, at


@bare
def out_of_area(field: np.ndarray, x: float, y: float, gap: float) -> tuple[float, float]:
    """The nearest place that is at least `gap` outside both defence areas."""
    front, half = field[HALF_LENGTH] - field[AREA_DEPTH] - gap, field[AREA_HALF] + gap
    if abs(x) <= front or abs(y) >= half:
        return x, y
    if abs(x) - front < half - abs(y):
        return (front if x > 0 else -front), y
    return x, (half if y > 0 else -half)


@bare
def kept_out(field: np.ndarray, x: float, y: float, vx: float, vy: float) -> tuple[float, float]:
    """A velocity without what would take a robot further into a defence area than it can brake before."""
    deep = field[HALF_LENGTH] - field[AREA_DEPTH] - AREA_GAP - abs(x)
    beside = abs(y) - field[AREA_HALF] - AREA_GAP
    if deep >= 0.0 and beside >= 0.0:
        return vx, vy
    most = np.sqrt(2 * GENTLE * BRAKING * max(deep, beside, 0.0))
    if deep > beside:
        return (min(vx, most) if x > 0 else max(vx, -most)), vy
    return vx, (max(vy, -most) if y > 0 else min(vy, most))


@bare
def turned(angle: float) -> float:
    """An angle within ±π."""
    return angle - 2 * np.pi * np.round(angle / (2 * np.pi))
