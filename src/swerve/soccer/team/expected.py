"""What everybody but our attacker is expected to do in a future: their keeper goes where the shot will cross,
whoever can reach the ball's way goes there, and the mate who is passed to comes to meet it."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

from ..match.field import AREA_DEPTH, GOAL_HALF, HALF_LENGTH
from ..match.model import (
    BVX,
    BVY,
    DRIBBLE,
    HEADING,
    HELD,
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
)
from .frame import travel, turned
from .skills import OUT_OF_GOAL

TOO_LATE = 3.0  # seconds until a robot has the ball for each that it comes too late to its way
IN_THE_WAY = 0.3  # [m] from the ball's way, where whoever stands there puts itself into it


@inner
@bare
def towards(
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
def others(
    robots: np.ndarray,
    told: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    who: int,
    mate: int,
    kicked: bool,
    aim_x: float,
    aim_y: float,
) -> None:
    """What everybody else is expected to do next; a mate who will be passed to goes to the aim."""
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
            towards(robots, told, i, to_x, to_y, ball, SPEED)
            continue
        if i == mate and not kicked:
            towards(robots, told, i, aim_x, aim_y, ball, SPEED)
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
            towards(robots, told, i, px, py, ball, SPEED)
        else:
            told[0, i, TOLD_VX], told[0, i, TOLD_VY] = robots[0, i, VX] * 0.95, robots[0, i, VY] * 0.95
            told[0, i, TOLD_SPIN] = 0.0
