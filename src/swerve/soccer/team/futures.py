"""Futures: plans played forward, one after another, and what comes of them.

In a future our attacker turns, carries and kicks as it would (`acting`), everybody else does what is expected
(`expected`), all of it in a plain world (`stepping`), and where it ends that is worth something (`worth`).
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..match.model import BALL_COLUMNS, BVX, BVY, CHIP, HEADING, HELD, KICK, NOTES, X, Y
from .acting import at_once, attack, meet
from .expected import others
from .frame import AIM_X, AIM_Y, CARRY_UNTIL, FIRST_AT, MATE, SPEED_OUT, THROUGH_AIR, WORTH, has_ball
from .stepping import STEP, step
from .worth import ended, fouled, held, loose, lost, received

AIMING, HORIZON = 1.0, 1.8  # [s] until the kick at most, and after it
SHOT_SECONDS = 0.8  # that a mate's shot is followed
OFF_AREA = 0.01  # [m] that is kept off defence areas, by who is not that near already
FIRST_SHARE = 0.7  # of such shots that go where they are aimed


@bare
def _shot(
    robots: np.ndarray,
    ball: np.ndarray,
    told: np.ndarray,
    touched: np.ndarray,
    notes: np.ndarray,
    near: np.ndarray,
    field: np.ndarray,
    who: int,
) -> float:
    """What comes of a shot that is on its way."""
    told[0, who] = 0.0
    for k in range(int(SHOT_SECONDS / STEP)):
        others(robots, told, ball, field, who, -1, True, 0.0, 0.0)
        step(robots, ball, told, touched, notes, near, -1)
        over, worth = ended(robots, ball, field, touched, False, k * STEP)
        if over:
            return worth
    return loose(robots, field, ball[0, X], ball[0, Y])


@inner
@bare
def _future(
    robots: np.ndarray,
    ball: np.ndarray,
    told: np.ndarray,
    touched: np.ndarray,
    notes: np.ndarray,
    near: np.ndarray,
    field: np.ndarray,
    who: int,
    plan: np.ndarray,
    miss: float,
) -> tuple[float, float]:
    """What comes of a plan, in a world that may be used up, and after how long [s]."""
    n, mate, first_at = robots.shape[1] // 2, int(plan[MATE]), plan[FIRST_AT]
    t, kicked_at = 0.0, np.inf
    off_area = 0.0 if fouled(robots, field, who, OFF_AREA) else OFF_AREA
    while t < AIMING + HORIZON:
        kicked = kicked_at < np.inf
        coming = not kicked and first_at > 0.0
        if coming:
            meet(robots, told, ball, who, plan, miss, first_at - t)
        elif not kicked:
            attack(robots, told, ball, field, who, plan, miss, t)
        else:
            told[0, who] = 0.0
        others(robots, told, ball, field, who, mate, kicked or coming, plan[AIM_X], plan[AIM_Y])
        fires = told[0, who, KICK] > 0 or told[0, who, CHIP] > 0
        vx, vy = ball[0, BVX], ball[0, BVY]
        step(robots, ball, told, touched, notes, near, who if coming and not fires else -1)
        t += STEP
        if not kicked and not coming and fouled(robots, field, who, off_area):
            return lost(field, ball[0, X], ball[0, Y]), t
        over, worth = ended(robots, ball, field, touched, plan[THROUGH_AIR] > 0, t)
        if over:
            return worth, t
        x, y = ball[0, X], ball[0, Y]
        if kicked:
            for i in range(n):
                if i != who and touched[0, i] and t > kicked_at + 0.1:
                    stopped = received(robots[0], field, x, y)
                    if at_once(robots, ball, field, i, vx, vy, miss):
                        shot = _shot(robots, ball, told, touched, notes, near, field, i)
                        return max(stopped, FIRST_SHARE * shot), t + SHOT_SECONDS
                    return stopped, t
            if t - kicked_at > HORIZON or np.hypot(ball[0, BVX], ball[0, BVY]) < 0.2:
                break
        elif fires:
            kicked_at = t
        elif coming:
            continue
        elif plan[SPEED_OUT] == 0 and t >= plan[CARRY_UNTIL]:
            return held(robots, field, x, y), t
        elif t > AIMING + plan[CARRY_UNTIL] or not has_ball(robots[0], who, x, y):
            return lost(field, x, y), t
    return loose(robots, field, ball[0, X], ball[0, Y]), t


@kernel
def outcomes(
    robots: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    who: int,
    resting: bool,
    plans: np.ndarray,
    count: int,
    errors: np.ndarray,
    most: float,
) -> int:
    """Write what the first `count` plans (·, 11) are worth, as the mean over the `errors` [rad] of a kick; a
    resting ball is kicked from behind it. Futures of `most` seconds in all are played, the last to its end:
    so many plans were looked at."""
    m, spent = len(robots), 0.0
    scratch, rolled = np.empty((1, m, 6)), np.empty((1, BALL_COLUMNS))
    told, touched, notes = np.zeros((1, m, 6)), np.zeros((1, m), np.uint8), np.zeros((1, NOTES))
    near = np.zeros(m, np.bool_)
    for k in range(count):
        if spent >= most:
            return k
        total = 0.0
        for e in range(len(errors)):
            scratch[0], rolled[0] = robots, ball
            told[:] = 0.0
            if resting:
                way = np.arctan2(plans[k, AIM_Y] - ball[Y], plans[k, AIM_X] - ball[X]) + errors[e]
                scratch[0, who] = 0.0
                scratch[0, who, X], scratch[0, who, Y] = (
                    ball[X] - HELD * np.cos(way),
                    ball[Y] - HELD * np.sin(way),
                )
                scratch[0, who, HEADING] = way
            worth, took = _future(
                scratch, rolled, told, touched, notes, near, field, who, plans[k], errors[e]
            )
            total += worth
            spent += took
        plans[k, WORTH] = total / len(errors)
    return count
