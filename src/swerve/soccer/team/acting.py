"""What our attacker does in a future: go up to the ball, carry, turn and kick, or kick at first touch; and
the mate that shoots at once. Whoever kicks or receives at first touch stands exactly as it wants to."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare

from ..match.field import HALF_LENGTH
from ..match.model import (
    BVX,
    BVY,
    BVZ,
    CHIP,
    DRIBBLE,
    HEADING,
    HELD,
    KICK,
    TOLD_SPIN,
    TOLD_VX,
    TOLD_VY,
    UX,
    UY,
    VX,
    VY,
    X,
    Y,
    Z,
)
from .expected import towards
from .frame import (
    AIM_X,
    AIM_Y,
    CARRY_UNTIL,
    CARRY_VX,
    CARRY_VY,
    SPEED_OUT,
    THROUGH_AIR,
    TOLERANCE,
    in_reach,
    kept_out,
    opening,
    turned,
)
from .reactive import SHOT_SPEED
from .skills import CARRY_PULL, TURN_WITH_BALL
from .stepping import STEP

UP_TO_IT = 0.4  # [m/s] at which a ball before the mouth is gone up to
FIRST_OPENING = 0.12  # [rad] of free goal that a mate shoots at without stopping the ball
FIRST_ANGLE = 0.35  # least cosine between where the ball comes from and where it goes


@bare
def _keep_out(robots: np.ndarray, told: np.ndarray, field: np.ndarray, who: int) -> None:
    """Only the keeper goes into an area."""
    if who > 0:
        told[0, who, TOLD_VX], told[0, who, TOLD_VY] = kept_out(
            field, robots[0, who, X], robots[0, who, Y], told[0, who, TOLD_VX], told[0, who, TOLD_VY]
        )


@bare
def attack(
    robots: np.ndarray,
    told: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    who: int,
    plan: np.ndarray,
    miss: float,
    t: float,
) -> None:
    """Carry, turn and kick; go up to the ball first where it is out of reach."""
    told[0, who, DRIBBLE], told[0, who, KICK], told[0, who, CHIP] = 1.0, 0.0, 0.0
    if not in_reach(robots[0], who, ball[0, X], ball[0, Y]):
        towards(robots, told, who, ball[0, X], ball[0, Y], ball, UP_TO_IT)
        _keep_out(robots, told, field, who)
        return
    way = np.arctan2(plan[AIM_Y] - ball[0, Y], plan[AIM_X] - ball[0, X]) + miss
    off = turned(way - robots[0, who, HEADING])
    spin = min(TURN_WITH_BALL, np.sqrt(60.0 * abs(off)), 12.0 * abs(off))
    told[0, who, TOLD_SPIN] = spin if off > 0 else -spin
    carrying = t < plan[CARRY_UNTIL]
    dx = (plan[CARRY_VX] if carrying else 0.0) - robots[0, who, VX]
    dy = (plan[CARRY_VY] if carrying else 0.0) - robots[0, who, VY]
    share = min(1.0, CARRY_PULL * STEP / max(np.hypot(dx, dy), 1e-9))
    told[0, who, TOLD_VX] = robots[0, who, VX] + share * dx
    told[0, who, TOLD_VY] = robots[0, who, VY] + share * dy
    _keep_out(robots, told, field, who)
    if not carrying and plan[SPEED_OUT] > 0 and abs(off) < plan[TOLERANCE]:
        robots[0, who, HEADING] = way
        if plan[THROUGH_AIR] > 0:
            told[0, who, CHIP] = plan[SPEED_OUT]
        else:
            told[0, who, KICK] = plan[SPEED_OUT]


@bare
def meet(
    robots: np.ndarray,
    told: np.ndarray,
    ball: np.ndarray,
    who: int,
    plan: np.ndarray,
    miss: float,
    left: float,
) -> None:
    """Stand where the ball will come by in `left` seconds, and kick it then."""
    way = np.arctan2(plan[AIM_Y] - ball[0, Y], plan[AIM_X] - ball[0, X]) + miss
    c, s = np.cos(way), np.sin(way)
    to_x, to_y = ball[0, X] - HELD * c, ball[0, Y] - HELD * s
    told[0, who] = 0.0
    if left > STEP / 2:
        to_x, to_y = to_x + left * ball[0, BVX], to_y + left * ball[0, BVY]
        told[0, who, TOLD_VX] = (to_x - robots[0, who, X]) / left
        told[0, who, TOLD_VY] = (to_y - robots[0, who, Y]) / left
        return
    robots[0, who] = 0.0
    robots[0, who, X], robots[0, who, Y], robots[0, who, HEADING] = to_x, to_y, way
    told[0, who, KICK] = plan[SPEED_OUT]


@bare
def at_once(
    robots: np.ndarray, ball: np.ndarray, field: np.ndarray, i: int, vx: float, vy: float, miss: float
) -> bool:
    """A mate kicks the ball that came with (vx, vy) at their goal as it arrives, if that can be done."""
    angle, at = opening(robots[0], field, ball[0, X], ball[0, Y])
    dx, dy = field[HALF_LENGTH] - ball[0, X], at - ball[0, Y]
    if (
        i == 0
        or angle < FIRST_OPENING
        or dx * vx + dy * vy > -FIRST_ANGLE * np.hypot(dx, dy) * np.hypot(vx, vy)
    ):
        return False
    way = np.arctan2(dy, dx) + miss
    c, s = np.cos(way), np.sin(way)
    robots[0, i] = 0.0
    robots[0, i, X], robots[0, i, Y], robots[0, i, HEADING] = (
        ball[0, X] - (HELD + 0.01) * c,
        ball[0, Y] - (HELD + 0.01) * s,
        way,
    )
    ball[0, Z] = ball[0, BVZ] = ball[0, UX] = ball[0, UY] = 0.0
    ball[0, BVX], ball[0, BVY] = SHOT_SPEED * c, SHOT_SPEED * s
    return True
