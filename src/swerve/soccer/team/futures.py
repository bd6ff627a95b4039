"""Futures: plans played forward in a plainer world than the match's, and what comes of them.

Robots drive, kick, dribble and are hit by the ball as in the match, forty steps a second; but they pass
through each other, there are neither walls nor goal posts, and whoever receives or kicks stands exactly as it
wants to.

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
    BVZ,
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
    UX,
    UY,
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
    FIRST_AT,
    MATE,
    SPEED_OUT,
    THROUGH_AIR,
    TOLERANCE,
    WORTH,
    has_ball,
    in_reach,
    opening,
    travel,
    turned,
)
from .reactive import SHOT_SPEED
from .skills import CARRY_PULL, OUT_OF_GOAL, TURN_WITH_BALL

STEP = 1 / 40  # [s] of a future
NEXT_TO = 0.4  # [m] from the ball within which a robot may touch it in a step
UP_TO_IT = 0.4  # [m/s] at which a ball before the mouth is gone up to
AIMING, HORIZON = 1.0, 1.8  # [s] until the kick at most, and after it
SHOT_SECONDS = 0.8  # that a mate's shot is followed
GOAL, OUT = 1.0, 0.05  # what ends are worth: a goal, a ball behind their line
# What the ball is worth where it is: goals within eight seconds less those of the others, as counted in eight
# matches of five minutes against `reactive`. Having it counts for more than the 0.045 that were counted then:
# a side that knows what it has keeps the ball, and lets it go only for something better.
TERRITORY = 0.27  # share of half the field, over which it turns from theirs to ours
OURS, THEIRS, SIDE = 0.12, 0.0, 0.06  # in the middle, and what either end adds or takes away
FREE_GOAL, FREE_ANGLE = 0.25, 0.25  # and what a free angle of so many [rad] on their goal adds
DANGER, NEAR = 0.3, 2.5  # what a ball lost at our goal costs more, and how near [m] that begins
HURRY = 0.15  # that a goal is worth less each second it takes
SAVED = 0.02  # a shot that must be saved is something
STOPPED = 0.8  # share of passes to a place that are had there
NEAREST_SAFE, PRESSED = 0.2, 0.8  # [m] from an opponent, where holding the ball is not safe
TOO_LATE = 3.0  # seconds until a robot has the ball for each that it comes too late to its way
IN_THE_WAY = 0.3  # [m] from the ball's way, where whoever stands there puts itself into it
FIRST_OPENING = 0.12  # [rad] of free goal that a mate shoots at without stopping the ball
FIRST_ANGLE = 0.35  # least cosine between where the ball comes from and where it goes
FIRST_SHARE = 0.7  # of such shots that go where they are aimed


@bare
def _ground(field: np.ndarray, x: float) -> float:
    """What the place of the ball adds, whoever has it."""
    return SIDE * np.tanh(x / (TERRITORY * field[HALF_LENGTH]))


@bare
def _worth(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """Of having the ball somewhere."""
    angle, _ = opening(robots, field, x, y)
    return OURS + _ground(field, x) + FREE_GOAL * min(angle / FREE_ANGLE, 1.0)


@bare
def _lost(field: np.ndarray, x: float, y: float) -> float:
    """Of their having it there."""
    near = max(0.0, 1 - np.hypot(x + field[HALF_LENGTH], y) / NEAR)
    return THEIRS + _ground(field, x) - DANGER * near


@bare
def _received(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """Of a pass that gets to a mate there, who stops most of them."""
    return STOPPED * _worth(robots, field, x, y) + (1 - STOPPED) * _lost(field, x, y)


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


@inner
@bare
def _chaser(
    robots: np.ndarray, bx: float, by: float, vx: float, vy: float, rolls: float, kicked: bool
) -> int:
    """Who of them goes for the ball, which rolls at so many [m/s] by and by: whoever has it first."""
    n, found, least = robots.shape[1] // 2, -1, np.inf
    speed = np.hypot(vx, vy)
    for i in range(n + 1, 2 * n):
        dx, dy = robots[0, i, X] - bx, robots[0, i, Y] - by
        along = max((dx * vx + dy * vy) / speed, 0.0) if kicked and speed > 0.3 else 0.0
        if along > 0.0:
            dx, dy = dx - along * vx / speed, dy - along * vy / speed
        away = max(np.hypot(dx, dy), 1e-6)
        closing = -(robots[0, i, VX] * dx + robots[0, i, VY] * dy) / away
        comes = along / rolls if along > 0.0 else 0.0
        when = comes + TOO_LATE * max(travel(away - HELD, closing) - comes, 0.0)
        if when < least:
            found, least = i, when
    return found


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
    rolls = max((5 * speed + 2 * np.hypot(ball[0, UX], ball[0, UY])) / 7, 0.3)
    chaser = _chaser(robots, bx, by, vx, vy, rolls, kicked)
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
            (theirs and (i == chaser or away < IN_THE_WAY))
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
    """Carry, turn and kick; go up to the ball first where it is out of reach."""
    told[0, who, DRIBBLE], told[0, who, KICK], told[0, who, CHIP] = 1.0, 0.0, 0.0
    if not in_reach(robots[0], who, ball[0, X], ball[0, Y]):
        _towards(robots, told, who, ball[0, X], ball[0, Y], ball, UP_TO_IT)
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


@bare
def _step(
    robots: np.ndarray,
    ball: np.ndarray,
    told: np.ndarray,
    touched: np.ndarray,
    notes: np.ndarray,
    near: np.ndarray,
    waiting: int,
) -> None:
    """Everybody does as told for a step; kicks last for half of it. Who is `waiting` lets the ball pass."""
    n = robots.shape[1]
    for i in range(n):
        touched[0, i] = 0
        dx, dy = robots[0, i, X] - ball[0, X], robots[0, i, Y] - ball[0, Y]
        near[i] = i != waiting and dx * dx + dy * dy < NEXT_TO * NEXT_TO
        if not near[i]:
            drive(robots, told, 0, i, STEP)
    _move(robots, told, ball, touched, notes, near)
    for i in range(n // 2):
        if told[0, i, KICK] > 0 or told[0, i, CHIP] > 0:
            told[0, i, KICK] = told[0, i, CHIP] = told[0, i, DRIBBLE] = 0.0
    _move(robots, told, ball, touched, notes, near)


@bare
def _ended(
    robots: np.ndarray, ball: np.ndarray, field: np.ndarray, touched: np.ndarray, air: bool, t: float
) -> tuple[bool, float]:
    """Whether it is over, and what that is worth: a goal, the ball out, or theirs."""
    n, x, y = robots.shape[1] // 2, ball[0, X], ball[0, Y]
    if abs(x) > field[HALF_LENGTH] + BALL_RADIUS:
        inside = abs(y) < field[GOAL_HALF] - 0.01 and ball[0, Z] < field[GOAL_HEIGHT]
        if inside and (not air or x < 0):  # a goal through the air does not count
            return True, (GOAL - HURRY * t if x > 0 else -GOAL)
        return True, (OUT if x > 0 else _lost(field, x, y))
    if abs(y) > field[HALF_WIDTH] + BALL_RADIUS:
        return True, _lost(field, x, y)
    for i in range(n, 2 * n):
        if touched[0, i] and ball[0, Z] < 0.1:
            return True, _lost(field, x, y) + (SAVED if i == n else 0.0)
    return False, 0.0


@bare
def _meet(
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
def _at_once(
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
        _others(robots, told, ball, field, who, -1, True)
        _step(robots, ball, told, touched, notes, near, -1)
        over, worth = _ended(robots, ball, field, touched, False, k * STEP)
        if over:
            return worth
    return _loose(robots, field, ball[0, X], ball[0, Y])


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
    while t < AIMING + HORIZON:
        kicked = kicked_at < np.inf
        coming = not kicked and first_at > 0.0
        if coming:
            _meet(robots, told, ball, who, plan, miss, first_at - t)
        elif not kicked:
            _attack(robots, told, ball, who, plan, miss, t)
        else:
            told[0, who] = 0.0
        _others(robots, told, ball, field, who, mate, kicked or coming)
        fires = told[0, who, KICK] > 0 or told[0, who, CHIP] > 0
        vx, vy = ball[0, BVX], ball[0, BVY]
        _step(robots, ball, told, touched, notes, near, who if coming and not fires else -1)
        t += STEP
        if not kicked and not coming and _foul(robots, field, who):
            return _lost(field, ball[0, X], ball[0, Y]), t
        over, worth = _ended(robots, ball, field, touched, plan[THROUGH_AIR] > 0, t)
        if over:
            return worth, t
        x, y = ball[0, X], ball[0, Y]
        if kicked:
            for i in range(n):
                if i != who and touched[0, i] and t > kicked_at + 0.1:
                    stopped = _received(robots[0], field, x, y)
                    if _at_once(robots, ball, field, i, vx, vy, miss):
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
    safe = min(max((nearest - NEAREST_SAFE) / PRESSED, 0.0), 1.0)
    return safe * _worth(robots[0], field, x, y) + (1 - safe) * _lost(field, x, y)


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
def worth_of_having(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """Of stopping the ball somewhere, as in the futures."""
    return _received(robots, field, x, y)


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
