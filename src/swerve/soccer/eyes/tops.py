"""The tops of robots in a picture, of which most of what detection needs is made.

All rays of a pixel on a top meet one paint, or the edge of one dot; then it is only to be counted how many of
them meet the dot, in a loop that compiles to instructions for many rays. The rays are those of `solid`.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .carpet import level
from .pattern import CENTRE_DOT, FRONT, ROBOT_HEIGHT, ROBOT_RADIUS, SIDE_DOT
from .rays import DULL, RAYS, SLOTS, SPREAD, slopes
from .scene import DARK

_RADII = np.array([CENTRE_DOT, SIDE_DOT, SIDE_DOT, SIDE_DOT, SIDE_DOT])
_RIGHT, _BELOW = np.empty((RAYS, RAYS)), np.empty((RAYS, RAYS))  # where rays start, by shift and moment
for _shift in range(RAYS):
    for _ray in range(RAYS):
        _at = _shift, (SLOTS[_ray] + _shift) % RAYS
        _RIGHT[_at], _BELOW[_at] = _ray % 4 / 4 - SPREAD, _ray // 4 / 4 - SPREAD


@kernel
def paint_tops(
    picture: np.ndarray,
    strips: np.ndarray,
    ground: np.ndarray,
    bright: np.ndarray,
    glare: np.ndarray,
    paints: np.ndarray,
    noise: np.ndarray,
    where: np.ndarray,
    strength: np.float32,
    blur: float,
    place: np.ndarray,
    robots: np.ndarray,
    spots: np.ndarray,
    dots: np.ndarray,
    boxes: np.ndarray,
    slack: np.ndarray,
    away: float,
) -> np.ndarray:
    """Paint them in strips (row, first, after), and say in which strips something else is to be painted. No
    ray starts farther `away` [m] from the middle of its pixel."""
    close = np.empty(len(boxes), dtype=np.int64)
    left, count = np.empty((len(strips) + 64, 3), dtype=np.int64), 0
    up = ROBOT_HEIGHT / place[2]
    rgb = np.empty(3)
    for k in range(len(strips)):
        v, a, b = strips[k]
        many = 0
        for j in range(len(boxes)):
            if boxes[j, 2] <= v <= boxes[j, 3] and boxes[j, 0] < b and boxes[j, 1] >= a:
                close[many] = j
                many += 1
        begins = a  # of what is not painted yet
        for u in range(a, b):
            x = ground[v, u, 0] + (place[0] - ground[v, u, 0]) * up
            y = ground[v, u, 1] + (place[1] - ground[v, u, 1]) * up
            robot = _on(x, y, u, away, close, many, robots, boxes, slack)
            if robot < 0:
                continue
            paint, edge = _dot(x, y, 1.1 * (away + slack[robot]) + 1e-4, spots[robot], dots[robot])
            if paint < 0:
                continue
            hit = RAYS
            if edge >= 0:
                ux, uy, vx, vy = slopes(ground, v, u)
                spot, shift, far = spots[robot, edge], (u * 7 + v * 13) % RAYS, blur * (1 - up)
                hit = _rays(x, y, far * ux, far * uy, far * vx, far * vy, shift, spot, _RADII[edge])
            for c in range(3):
                rgb[c] = hit * paints[paint, c] + (RAYS - hit) * paints[DARK, c]
                value = np.float32(rgb[c] / RAYS) * bright[v, u] + DULL * glare[v, u]
                picture[v, u, c] = level(value, noise[where[v] + 3 * u + c], strength)
            if begins < u:
                left, count = _add(left, count, v, begins, u)
            begins = u + 1
        if begins < b:
            left, count = _add(left, count, v, begins, b)
    return left[:count]


@inner
@kernel
def _add(left: np.ndarray, count: int, v: int, first: int, after: int) -> tuple[np.ndarray, int]:
    if count == len(left):
        left = np.vstack((left, np.empty_like(left)))
    left[count, 0], left[count, 1], left[count, 2] = v, first, after
    return left, count + 1


@inner
@inlined
def _on(
    x: float,
    y: float,
    u: int,
    away: float,
    close: np.ndarray,
    many: int,
    robots: np.ndarray,
    boxes: np.ndarray,
    slack: np.ndarray,
) -> int:
    """The robot on whose top all rays of a pixel surely end, −1 if there is none or the ball may be there."""
    found = -1
    for i in range(many):
        k = close[i]
        if u < boxes[k, 0] or u > boxes[k, 1]:
            continue
        if k == len(robots):
            return -1
        off = 1.1 * (away + slack[k]) + 1e-4
        dx, dy = x - robots[k, RAYS // 2, 0], y - robots[k, RAYS // 2, 1]
        square, most, least = dx * dx + dy * dy, ROBOT_RADIUS + off, ROBOT_RADIUS - off
        if square > most * most:
            continue
        ahead = robots[k, RAYS // 2, 2] * dx + robots[k, RAYS // 2, 3] * dy
        if found >= 0 or least <= 0 or square >= least * least or ahead >= FRONT - off:
            return -1
        found = k
    return found


@inner
@inlined
def _dot(x: float, y: float, off: float, spots: np.ndarray, dots: np.ndarray) -> tuple[int, int]:
    """The paint there, and which dot's edge it may be (−1: none's); paint −1 where several dots' may be."""
    paint, edge = DARK, -1
    for d in range(len(spots)):
        dx, dy = x - spots[d, 0, RAYS // 2], y - spots[d, 1, RAYS // 2]
        square, most, least = dx * dx + dy * dy, _RADII[d] + off, _RADII[d] - off
        if square > most * most:
            continue
        if paint != DARK:
            return -1, -1
        paint = dots[d]
        if least <= 0 or square >= least * least:
            edge = d
    return paint, edge


@inner
@inlined
def _rays(
    x: float,
    y: float,
    ux: float,
    uy: float,
    vx: float,
    vy: float,
    shift: int,
    spot: np.ndarray,
    radius: float,
) -> int:
    """How many rays of a pixel meet a dot."""
    hit = 0
    for m in range(RAYS):
        dx = x + _RIGHT[shift, m] * ux + _BELOW[shift, m] * vx - spot[0, m]
        dy = y + _RIGHT[shift, m] * uy + _BELOW[shift, m] * vy - spot[1, m]
        hit += 1 if dx * dx + dy * dy < radius * radius else 0
    return hit
