"""Futures: plans played forward in the compiled world, and what comes of them.

In a future our attacker turns, carries and kicks as it would; their keeper goes where the shot will cross,
whoever can reach the ball's way goes there, and the mate who is passed to comes to meet it.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..match.ball import carry_one, free_one
from ..match.field import AREA_DEPTH, AREA_HALF, GOAL_HALF, GOAL_HEIGHT, HALF_LENGTH, HALF_WIDTH
from ..match.model import (
    BALL_COLUMNS,
    BALL_RADIUS,
    BVX,
    BVY,
    CHIP,
    DRIBBLE,
    HEADING,
    HELD,
    KICK,
    ROBOT_RADIUS,
    SPEED,
    TOLD_SPIN,
    TOLD_VX,
    TOLD_VY,
    VX,
    VY,
    X,
    Y,
    Z,
)
from ..match.touch import handle, strike
from ..match.world import drive
from .frame import (
    AIM_X,
    AIM_Y,
    CARRY_UNTIL,
    CARRY_VX,
    CARRY_VY,
    MATE,
    SPEED_OUT,
    THROUGH_AIR,
    TOLERANCE,
    WORTH,
    has_ball,
    opening,
    turned,
)
from .skills import CARRY_PULL, OUT_OF_GOAL, TURN_WITH_BALL

STEP = 1 / 40  # [s] of a future
NEXT_TO = 0.4  # [m] from the ball within which a robot may touch it in a step
AIMING, HORIZON = 1.0, 1.8  # [s] until the kick at most, and after it
GOAL, LOST, OUT = (
    1.0,
    -0.14,
    -0.1,
)  # what ends are worth: a goal, a ball lost in the middle, one behind their line
FURTHER = 0.06  # that a ball lost at their end is worth more than one in the middle
DANGER, NEAR = 0.8, 2.5  # what a ball lost at our goal costs more, and how near [m] that begins
SAVED = 0.04  # a shot that must be saved is something
PRESSED = 0.4  # [m] from an opponent, where holding the ball is not safe


@bare
def _worth(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """Of having the ball somewhere."""
    angle, _ = opening(robots, field, x, y)
    return 0.04 + 0.25 * min(angle / 0.4, 1.0) + 0.05 * x / field[HALF_LENGTH]


@bare
def _lost(field: np.ndarray, x: float, y: float) -> float:
    """Of their having it there."""
    near = max(0.0, 1 - np.hypot(x + field[HALF_LENGTH], y) / NEAR)
    return LOST + FURTHER * x / field[HALF_LENGTH] - DANGER * near


@inner
@bare
def _towards(
    robots: np.ndarray, told: np.ndarray, i: int, x: float, y: float, ball: np.ndarray, fastest: float
) -> None:
    """Go somewhere facing the ball."""
    dx, dy = x - robots[0, i, X], y - robots[0, i, Y]
    away = max(np.hypot(dx, dy), 1e-9)
    fast = min(fastest, 6.0 * away)
    told[0, i, TOLD_VX], told[0, i, TOLD_VY] = fast * dx / away, fast * dy / away
    face = np.arctan2(ball[0, Y] - robots[0, i, Y], ball[0, X] - robots[0, i, X])
    told[0, i, TOLD_SPIN] = 8.0 * turned(face - robots[0, i, HEADING])
    told[0, i, DRIBBLE] = 1.0


@bare
def _others(
    robots: np.ndarray,
    told: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    who: int,
    mate: int,
    kicked: bool,
) -> None:
    """What everybody else is expected to do next."""
    n = robots.shape[1] // 2
    bx, by, vx, vy = ball[0, X], ball[0, Y], ball[0, BVX], ball[0, BVY]
    speed = np.hypot(vx, vy)
    line = field[HALF_LENGTH] - ROBOT_RADIUS - 0.03
    for i in range(2 * n):
        if i == who:
            continue
        x, y = robots[0, i, X], robots[0, i, Y]
        if i == n:  # their keeper
            dx, dy = field[HALF_LENGTH] - bx, by
            far = max(np.hypot(dx, dy), 1e-6)
            out = min(OUT_OF_GOAL * field[AREA_DEPTH], 0.5 * far)
            to_x, to_y = min(field[HALF_LENGTH] - out * dx / far, line), out * dy / far
            if vx > 0.8:
                cross = by + vy * (line - bx) / vx
                if abs(cross) < field[GOAL_HALF] + 0.2:
                    along = ((x - bx) * vx + (y - by) * vy) / (speed * speed)
                    along = min(max(along, 0.02), max((line - bx) / vx, 0.02))
                    to_x, to_y = bx + along * vx, by + along * vy
            _towards(robots, told, i, to_x, to_y, ball, SPEED)
            continue
        along = 0.0
        if kicked and speed > 0.3:
            along = max(((x - bx) * vx + (y - by) * vy) / speed, 0.0)
        px, py = (bx + along * vx / speed, by + along * vy / speed) if along > 0 else (bx, by)
        away = np.hypot(px - x, py - y)
        theirs = i > n
        if (
            (theirs and away < 1.2)
            or (i == mate and kicked)
            or (i < n and mate < 0 and kicked and away < 0.6)
        ):
            _towards(robots, told, i, px, py, ball, SPEED)
        else:
            told[0, i, TOLD_VX], told[0, i, TOLD_VY] = robots[0, i, VX] * 0.95, robots[0, i, VY] * 0.95
            told[0, i, TOLD_SPIN] = 0.0


@bare
def _attack(
    robots: np.ndarray, told: np.ndarray, ball: np.ndarray, who: int, plan: np.ndarray, miss: float, t: float
) -> None:
    """Carry, turn and kick."""
    told[0, who, DRIBBLE], told[0, who, KICK], told[0, who, CHIP] = 1.0, 0.0, 0.0
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
    if not carrying and plan[SPEED_OUT] > 0 and abs(off) < plan[TOLERANCE]:
        robots[0, who, HEADING] = way
        if plan[THROUGH_AIR] > 0:
            told[0, who, CHIP] = plan[SPEED_OUT]
        else:
            told[0, who, KICK] = plan[SPEED_OUT]


@bare
def _move(
    robots: np.ndarray,
    told: np.ndarray,
    ball: np.ndarray,
    touched: np.ndarray,
    notes: np.ndarray,
    near: np.ndarray,
) -> None:
    """The world half a step later, without contacts between robots, which cost most and matter least here.
    Robots that are not `near` the ball have moved already."""
    n, h = robots.shape[1], 0.5 * STEP
    held = False
    for i in range(n):
        if near[i]:
            drive(robots, told, 0, i, h)
    for i in range(n):
        held = (near[i] and handle(robots, ball, told, 0, i, h, touched, notes)) or held
    if held:
        carry_one(ball, 0, h)
    else:
        free_one(ball, 0, h)
    for i in range(n):
        if near[i]:
            strike(robots, ball, 0, i, told[0, i, DRIBBLE] > 0, touched, notes)


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
    n, mate = robots.shape[1] // 2, int(plan[MATE])
    t, kicked_at = 0.0, np.inf
    while t < AIMING + HORIZON:
        kicked = kicked_at < np.inf
        if not kicked:
            _attack(robots, told, ball, who, plan, miss, t)
        else:
            told[0, who, KICK] = told[0, who, CHIP] = 0.0
            told[0, who, TOLD_VX] = told[0, who, TOLD_VY] = 0.0
        _others(robots, told, ball, field, who, mate, kicked)
        for i in range(2 * n):
            touched[0, i] = 0
            dx, dy = robots[0, i, X] - ball[0, X], robots[0, i, Y] - ball[0, Y]
            near[i] = dx * dx + dy * dy < NEXT_TO * NEXT_TO
            if not near[i]:
                drive(robots, told, 0, i, STEP)
        fires = told[0, who, KICK] > 0 or told[0, who, CHIP] > 0
        for _ in range(2):
            _move(robots, told, ball, touched, notes, near)
            if fires:
                told[0, who, KICK] = told[0, who, CHIP] = 0.0
                told[0, who, DRIBBLE] = 0.0
        t += STEP
        x, y = ball[0, X], ball[0, Y]
        if abs(x) > field[HALF_LENGTH] + BALL_RADIUS:
            inside = abs(y) < field[GOAL_HALF] - 0.01 and ball[0, Z] < field[GOAL_HEIGHT]
            if inside and (plan[THROUGH_AIR] == 0 or x < 0):  # a goal through the air does not count
                return (GOAL - 0.05 * t if x > 0 else -GOAL), t
            return (OUT if x > 0 else _lost(field, x, y)), t
        if not kicked and _foul(robots, field, who):
            return LOST + FURTHER, t
        if abs(y) > field[HALF_WIDTH] + BALL_RADIUS:
            return _lost(field, x, y), t
        for i in range(n, 2 * n):
            if touched[0, i] and ball[0, Z] < 0.1:
                saved = SAVED if i == n and kicked else 0.0
                return _lost(field, x, y) + saved, t
        if kicked:
            for i in range(n):
                if i != who and touched[0, i] and t > kicked_at + 0.1:
                    return 0.8 * _worth(robots[0], field, x, y), t
            if t - kicked_at > HORIZON or np.hypot(ball[0, BVX], ball[0, BVY]) < 0.2:
                break
        elif fires:
            kicked_at = t
        elif plan[SPEED_OUT] == 0 and t >= plan[CARRY_UNTIL]:
            return _held(robots, field, x, y), t
        elif t > AIMING + plan[CARRY_UNTIL] or not has_ball(robots[0], who, x, y):
            return _lost(field, x, y), t
    return _loose(robots, field, ball[0, X], ball[0, Y]), t


@bare
def _foul(robots: np.ndarray, field: np.ndarray, who: int) -> bool:
    """Whether our attacker has got into a defence area with the ball."""
    deep = abs(robots[0, who, X]) > field[HALF_LENGTH] - field[AREA_DEPTH] - ROBOT_RADIUS - 0.01
    return who > 0 and deep and abs(robots[0, who, Y]) < field[AREA_HALF] + ROBOT_RADIUS + 0.01


@bare
def _held(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """A ball that our attacker still has: worth less the nearer an opponent is."""
    n = robots.shape[1] // 2
    nearest = np.inf
    for j in range(n, 2 * n):
        nearest = min(nearest, np.hypot(robots[0, j, X] - x, robots[0, j, Y] - y))
    safe = min(max((nearest - 0.15) / PRESSED, 0.0), 1.0)
    return safe * 0.75 * _worth(robots[0], field, x, y) + (1 - safe) * 0.5 * _lost(field, x, y)


@bare
def _loose(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """A ball that nobody has: whoever is nearer will have it."""
    n = robots.shape[1] // 2
    ours, theirs = np.inf, np.inf
    for i in range(n):
        ours = min(ours, np.hypot(robots[0, i, X] - x, robots[0, i, Y] - y))
        theirs = min(theirs, np.hypot(robots[0, n + i, X] - x, robots[0, n + i, Y] - y))
    share = min(max(0.5 + 0.7 * (theirs - ours), 0.05), 0.9)
    return share * _worth(robots[0], field, x, y) + (1 - share) * _lost(field, x, y)


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
    told, touched, notes = np.zeros((1, m, 6)), np.zeros((1, m), np.uint8), np.zeros((1, 3))
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
