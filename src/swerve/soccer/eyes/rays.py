"""What one ray or all rays of a pixel meet: the top of a robot, its side, the ball, or nothing."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .pattern import BALL_RADIUS, CENTRE_DOT, DOTS, FRONT, ROBOT_HEIGHT, ROBOT_RADIUS, SIDE_DOT
from .scene import DARK

RAYS = 16  # a pixel
SPREAD = 0.375  # of the blur to either side of a pixel's middle, at which its outermost rays start
SLOTS = np.array([0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5])  # moments, mixed over a pixel
DULL = np.float32(0.3)  # share of the carpet's glare that bodies show, too
NOTHING, MIXED = -1, -2
_SQUARES = np.column_stack([DOTS, np.full(4, SIDE_DOT**2)])


@inner
@inlined
def slopes(ground: np.ndarray, v: int, u: int) -> tuple[float, float, float, float]:
    """How far on the ground it is to the next pixel to the right (x, y), and to the one below."""
    t, w = min(max(u, 1), ground.shape[1] - 2), min(max(v, 1), ground.shape[0] - 2)
    return (
        (ground[v, t + 1, 0] - ground[v, t - 1, 0]) / 2,
        (ground[v, t + 1, 1] - ground[v, t - 1, 1]) / 2,
        (ground[w + 1, u, 0] - ground[w - 1, u, 0]) / 2,
        (ground[w + 1, u, 1] - ground[w - 1, u, 1]) / 2,
    )


@inner
@inlined
def away_of(ux: float, uy: float, vx: float, vy: float, blur: float) -> float:
    """How far from its middle rays of a pixel start at most [m]."""
    corner = max((ux + vx) ** 2 + (uy + vy) ** 2, (ux - vx) ** 2 + (uy - vy) ** 2)
    return SPREAD * blur * np.sqrt(corner)


@inner
@inlined
def surely(
    x: float,
    y: float,
    place: np.ndarray,
    robots: np.ndarray,
    dots: np.ndarray,
    ball: np.ndarray,
    near: np.ndarray,
    count: int,
    edge: float,
    slack: np.ndarray,
) -> tuple[int, float]:
    """The paint and shade that all rays of a pixel about (x, y) must meet: NOTHING when they miss everything,
    MIXED when it takes rays to tell."""
    last, middle = len(robots), RAYS // 2
    found, shade = NOTHING, 1.0
    up = ROBOT_HEIGHT / place[2]
    for i in range(count):
        k = near[i]
        off = 1.1 * (edge + slack[k]) + 1e-4
        if k == last:
            along = ball[middle, 2] / place[2]
            dx, dy = (
                x + (place[0] - x) * along - ball[middle, 0],
                y + (place[1] - y) * along - ball[middle, 1],
            )
            if dx * dx + dy * dy < (1.3 * BALL_RADIUS + 2 * off) ** 2:
                return MIXED, 1.0
            continue
        robot = robots[k, middle]
        bx, by = x - robot[0], y - robot[1]
        dx, dy = (place[0] - x) * up, (place[1] - y) * up
        along = min(max(-(bx * dx + by * dy) / max(dx * dx + dy * dy, 1e-12), 0.0), 1.0)
        px, py = bx + along * dx, by + along * dy
        least = np.sqrt(px * px + py * py)
        if least > ROBOT_RADIUS + off:
            continue
        tx, ty = bx + dx, by + dy
        away = np.sqrt(tx * tx + ty * ty)
        a, b = robot[2] * tx + robot[3] * ty, robot[2] * ty - robot[3] * tx
        if away < ROBOT_RADIUS - off and a < FRONT - off:
            paint = DARK
            if abs(away - CENTRE_DOT) < off:
                return MIXED, 1.0
            if away < CENTRE_DOT:
                paint = dots[k, 0]
            for d in range(4):
                gap = np.sqrt((a - DOTS[d, 0]) ** 2 + (b - DOTS[d, 1]) ** 2)
                if abs(gap - SIDE_DOT) < off:
                    return MIXED, 1.0
                if gap < SIDE_DOT:
                    paint = dots[k, 1 + d]
            found, shade = paint, 1.0
        elif (
            (away > ROBOT_RADIUS + off or a > FRONT + off)
            and least < ROBOT_RADIUS - off
            and robot[2] * px + robot[3] * py < FRONT - off
        ):
            if found == NOTHING:
                found, shade = DARK, 1.3
        else:
            return MIXED, 1.0
    return found, shade


@inner
@inlined
def robot_top(x: float, y: float, place: np.ndarray, robot: np.ndarray, dots: np.ndarray) -> int:
    """The paint that a ray meets on top of a robot, −1 if it misses it."""
    up = ROBOT_HEIGHT / place[2]
    dx, dy = x + (place[0] - x) * up - robot[0], y + (place[1] - y) * up - robot[1]
    away = dx * dx + dy * dy
    if away > ROBOT_RADIUS * ROBOT_RADIUS:
        return -1
    a, b = robot[2] * dx + robot[3] * dy, robot[2] * dy - robot[3] * dx
    if a > FRONT:
        return -1
    if away < CENTRE_DOT * CENTRE_DOT:
        return dots[0]
    for d in range(4):
        if (a - _SQUARES[d, 0]) ** 2 + (b - _SQUARES[d, 1]) ** 2 < _SQUARES[d, 2]:
            return dots[1 + d]
    return DARK


@inner
@inlined
def robot_side(x: float, y: float, place: np.ndarray, robot: np.ndarray) -> bool:
    """Whether a ray that passed a robot's top goes through its side before it meets the ground."""
    up = ROBOT_HEIGHT / place[2]
    bx, by = x - robot[0], y - robot[1]
    dx, dy = (place[0] - x) * up, (place[1] - y) * up
    along = min(max(-(bx * dx + by * dy) / max(dx * dx + dy * dy, 1e-12), 0.0), 1.0)
    px, py = bx + along * dx, by + along * dy
    inside = px * px + py * py <= ROBOT_RADIUS * ROBOT_RADIUS
    return inside and robot[2] * px + robot[3] * py <= FRONT


@inner
@inlined
def ball_hit(x: float, y: float, place: np.ndarray, ball: np.ndarray) -> float:
    """How squarely a ray meets the ball, 0 to 1; −1 if it misses it."""
    dx, dy, dz = x - place[0], y - place[1], -place[2]
    bx, by, bz = ball[0] - place[0], ball[1] - place[1], ball[2] - place[2]
    along = (bx * dx + by * dy + bz * dz) / (dx * dx + dy * dy + dz * dz)
    ex, ey, ez = along * dx - bx, along * dy - by, along * dz - bz
    square = 1 - (ex * ex + ey * ey + ez * ez) / (BALL_RADIUS * BALL_RADIUS)
    return np.sqrt(square) if square > 0 else -1.0


@kernel
def farthest(ground: np.ndarray, blur: float) -> float:
    """How far from the middle of their pixel any rays of a picture start [m]."""
    most = 0.0
    for v in range(ground.shape[0]):
        for u in range(ground.shape[1]):
            ux, uy, vx, vy = slopes(ground, v, u)
            most = max(most, away_of(ux, uy, vx, vy, blur))
    return most
