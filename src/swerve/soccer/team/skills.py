"""What one robot does with the ball or about it: every skill writes the intent of robot `i`."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

from ..match.field import AREA_DEPTH, AREA_HALF, GOAL_HALF, HALF_LENGTH
from ..match.model import (
    BALL_RADIUS,
    BVX,
    BVY,
    CHIP_ANGLE,
    HEADING,
    HELD,
    KICK_SPEED,
    ROBOT_RADIUS,
    SPEED,
    TURNING,
    VX,
    VY,
    X,
    Y,
)
from .frame import (
    AIM_X,
    AIM_Y,
    BALL_GAP,
    CARRY_UNTIL,
    CARRY_VX,
    CARRY_VY,
    CHIP,
    CLOSE,
    DRIBBLE,
    FACE,
    FASTEST,
    IN_AREA,
    KICK,
    SPEED_OUT,
    SPIN_MOST,
    THROUGH_AIR,
    TO_X,
    TO_Y,
    TOLERANCE,
    WITH_VX,
    WITH_VY,
    in_reach,
    turned,
)

TURN_WITH_BALL = 4.5  # [rad/s] at which the dribbler still holds it
CARRY_PULL = 2.5  # [m/s²] at which it does
CARRYING = 2.0  # value of CLOSE that asks for no more
OUT_OF_GOAL = 0.45  # share of the defence area that a keeper comes out of its goal
RUN_UP = 0.07  # [m] behind a resting ball from which it is kicked


@inner
@bare
def go_to(intents: np.ndarray, i: int, x: float, y: float, face: float) -> None:
    """Be somewhere, facing somewhere, as fast as may be."""
    intents[i] = 0.0
    intents[i, TO_X], intents[i, TO_Y], intents[i, FACE] = x, y, face
    intents[i, FASTEST], intents[i, SPIN_MOST], intents[i, DRIBBLE] = SPEED, 8.0, 1.0


@bare
def get_ball(
    intents: np.ndarray, i: int, robots: np.ndarray, ball: np.ndarray, place_x: float, place_y: float
) -> None:
    """Meet the ball with the dribbler, where it will be: at `place`."""
    bx, by = ball[X], ball[Y]
    dx, dy = bx - robots[i, X], by - robots[i, Y]
    gap = max(np.hypot(dx, dy), 1e-6)
    dx, dy = dx / gap, dy / gap
    go_to(intents, i, place_x - dx * (HELD - 0.02), place_y - dy * (HELD - 0.02), np.arctan2(dy, dx))
    intents[i, CLOSE] = 1.0
    speed = np.hypot(ball[BVX], ball[BVY])
    if gap < 0.5 and speed < 2.0:
        intents[i, TO_X] += bx - place_x
        intents[i, TO_Y] += by - place_y
        intents[i, WITH_VX], intents[i, WITH_VY] = ball[BVX], ball[BVY]


@inner
@bare
def aim_and_kick(
    intents: np.ndarray, i: int, robots: np.ndarray, ball: np.ndarray, plan: np.ndarray, t: float
) -> None:
    """With the ball at the front: carry it if that is the plan, turn to the aim, kick or chip. A ball that
    lies before the mouth, out of its reach, is gone up to first."""
    if not in_reach(robots, i, ball[X], ball[Y]):
        get_ball(intents, i, robots, ball, ball[X], ball[Y])
        return
    speed = plan[SPEED_OUT]
    flat = speed * np.cos(CHIP_ANGLE) if plan[THROUGH_AIR] > 0 else speed
    way = np.arctan2(plan[AIM_Y] - ball[Y], plan[AIM_X] - ball[X])
    across = robots[i, VY] * np.cos(way) - robots[i, VX] * np.sin(way)
    face = way - np.arcsin(min(max(across / max(flat, 0.5), -0.5), 0.5))  # its own motion goes into the kick
    go_to(intents, i, robots[i, X], robots[i, Y], face)
    intents[i, CLOSE], intents[i, SPIN_MOST] = CARRYING, TURN_WITH_BALL
    if t < plan[CARRY_UNTIL]:
        intents[i, TO_X] += 0.4 * plan[CARRY_VX]
        intents[i, TO_Y] += 0.4 * plan[CARRY_VY]
        intents[i, FASTEST] = np.hypot(plan[CARRY_VX], plan[CARRY_VY])
        return
    if speed > 0 and abs(turned(face - robots[i, HEADING])) < plan[TOLERANCE]:
        ahead = robots[i, VX] * np.cos(way) + robots[i, VY] * np.sin(way)
        if plan[THROUGH_AIR] > 0:
            intents[i, CHIP] = min(speed, KICK_SPEED - max(ahead, 0.0) - 0.1)
        else:
            intents[i, KICK] = min(speed, KICK_SPEED - max(ahead, 0.0) - 0.1)


@inner
@bare
def first_time(intents: np.ndarray, i: int, robots: np.ndarray, ball: np.ndarray, plan: np.ndarray) -> None:
    """Stand where the ball will be, `ball`, and kick it at the aim as it touches the front."""
    way = np.arctan2(plan[AIM_Y] - ball[Y], plan[AIM_X] - ball[X])
    c, s = np.cos(way), np.sin(way)
    go_to(intents, i, ball[X] - HELD * c, ball[Y] - HELD * s, way)
    ahead = robots[i, VX] * c + robots[i, VY] * s
    intents[i, CLOSE], intents[i, SPIN_MOST] = 1.0, TURNING
    intents[i, KICK] = min(plan[SPEED_OUT], KICK_SPEED - max(ahead, 0.0) - 0.1)


@inner
@bare
def take_kick(
    intents: np.ndarray, i: int, robots: np.ndarray, ball: np.ndarray, plan: np.ndarray, may: bool
) -> None:
    """A ball that rests: stand behind it, then run up and kick it in one touch."""
    way = np.arctan2(plan[AIM_Y] - ball[Y], plan[AIM_X] - ball[X])
    c, s = np.cos(way), np.sin(way)
    back = HELD + (RUN_UP if may else 0.2)
    x, y = ball[X] - back * c, ball[Y] - back * s
    go_to(intents, i, x, y, way)
    intents[i, DRIBBLE] = 0.0  # it would take the ball along on the way round it
    off = abs((robots[i, X] - ball[X]) * s - (robots[i, Y] - ball[Y]) * c)
    behind = (ball[X] - robots[i, X]) * c + (ball[Y] - robots[i, Y]) * s
    lined_up = off < 0.012 and abs(turned(way - robots[i, HEADING])) < 0.03
    if may and lined_up and HELD - 0.02 < behind < back + 0.03:
        intents[i, TO_X], intents[i, TO_Y] = ball[X] - (HELD - 0.03) * c, ball[Y] - (HELD - 0.03) * s
        intents[i, FASTEST], intents[i, CLOSE] = 0.6, 1.0
        if plan[THROUGH_AIR] > 0:
            intents[i, CHIP] = plan[SPEED_OUT]
        else:
            intents[i, KICK] = min(plan[SPEED_OUT], KICK_SPEED - 0.7)
    else:
        intents[i, BALL_GAP] = ROBOT_RADIUS + BALL_RADIUS + 0.015


@bare
def guard_goal(intents: np.ndarray, i: int, robots: np.ndarray, ball: np.ndarray, field: np.ndarray) -> None:
    """Stand between the ball and the goal; throw yourself where a shot will cross the line."""
    end, goal = -field[HALF_LENGTH], field[GOAL_HALF]
    line = end + ROBOT_RADIUS + 0.03
    bx, by, vx, vy = ball[X], ball[Y], ball[BVX], ball[BVY]
    face = np.arctan2(by - robots[i, Y], bx - robots[i, X])
    dx, dy = bx - end, by
    away = max(np.hypot(dx, dy), 1e-6)
    out = min(OUT_OF_GOAL * field[AREA_DEPTH], 0.5 * away)
    x, y = max(end + out * dx / away, line), out * dy / away
    if vx < -0.8:
        cross = by + vy * (line - bx) / vx
        if abs(cross) < goal + 0.15:  # a shot: the nearest point of its way that can still be reached
            along = ((robots[i, X] - bx) * vx + (robots[i, Y] - by) * vy) / (vx * vx + vy * vy)
            latest = (line - bx) / vx
            along = min(max(along, 0.02), latest)
            x, y = max(bx + along * vx, line), by + along * vy
    go_to(intents, i, x, min(max(y, -goal - 0.05), goal + 0.05), face)
    intents[i, IN_AREA], intents[i, CLOSE] = 1.0, 1.0


@bare
def blocking_place(ball: np.ndarray, field: np.ndarray, slot: float) -> tuple[float, float]:
    """Just before our area on the way from the ball to our goal, `slot` robots beside it."""
    end, gap = -field[HALF_LENGTH], ROBOT_RADIUS + 0.05
    dx, dy = max(ball[X] - end, 0.05), ball[Y]
    deep, half = field[AREA_DEPTH] + gap, field[AREA_HALF] + gap
    reach = min(deep / dx, half / max(abs(dy), 1e-6))
    angle = np.arctan2(dy, dx) + slot * (2 * ROBOT_RADIUS + 0.03) / max(reach * np.hypot(dx, dy), 0.3)
    angle = min(max(angle, -1.5), 1.5)
    c, s = np.cos(angle), np.sin(angle)
    reach = min(deep / max(c, 1e-6), half / max(abs(s), 1e-6))
    return end + reach * c, reach * s


@bare
def marking_place(robots: np.ndarray, ball: np.ndarray, field: np.ndarray, rank: int) -> tuple[float, float]:
    """Between our goal and the opponent who is `rank`-th nearest to it, the one at the ball left out."""
    n, end = len(robots) // 2, -field[HALF_LENGTH]
    chaser, least = -1, np.inf
    for j in range(n, 2 * n):
        gap = np.hypot(robots[j, X] - ball[X], robots[j, Y] - ball[Y])
        if gap < least:
            chaser, least = j, gap
    floor, found = -1.0, -1
    for _ in range(rank):
        nearest, found = np.inf, -1
        for j in range(n + 1, 2 * n):
            gap = np.hypot(robots[j, X] - end, robots[j, Y])
            if j != chaser and floor < gap < nearest:
                nearest, found = gap, j
        floor = nearest
    if found < 0:
        return blocking_place(ball, field, 1.0 + rank)
    dx, dy = end - robots[found, X], -robots[found, Y]
    away = max(np.hypot(dx, dy), 1e-6)
    gap = 3.2 * ROBOT_RADIUS
    return robots[found, X] + gap * dx / away, robots[found, Y] + gap * dy / away
