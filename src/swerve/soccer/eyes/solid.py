"""Bodies in a picture, ray by ray.

Sixteen rays a pixel each start at their own spot of the pixel's blur and at their own moment of the exposure,
so that edges, lens blur and motion blur come from one loop. A ray is known by where it meets the ground,
since at height z it is at `ground + (camera − ground)·z/height of the camera`.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .carpet import level
from .pattern import ROBOT_HEIGHT
from .rays import (
    DULL,
    NOTHING,
    RAYS,
    SLOTS,
    SPREAD,
    away_of,
    ball_hit,
    robot_side,
    robot_top,
    slopes,
    surely,
)
from .scene import CARPET, DARK, ORANGE, WHITE


@kernel
def paint_bodies(
    picture: np.ndarray,
    dimmed: np.ndarray,
    strips: np.ndarray,
    first: int,
    step: int,
    ground: np.ndarray,
    bright: np.ndarray,
    glare: np.ndarray,
    white: np.ndarray,
    paints: np.ndarray,
    noise: np.ndarray,
    where: np.ndarray,
    strength: np.float32,
    blur: float,
    place: np.ndarray,
    robots: np.ndarray,
    dots: np.ndarray,
    ball: np.ndarray,
    boxes: np.ndarray,
    slack: np.ndarray,
    seen: np.ndarray,
) -> None:
    """Paint bodies in strips (row, first, after) of a `picture`, whose pixel i, and that of `dimmed`, is the
    pixel `first + step·i` of all else. `seen` (2,) counts rays that would meet the ball and those that do."""
    close, near = np.empty(len(boxes), dtype=np.int64), np.empty(len(boxes), dtype=np.int64)
    rgb = np.empty(3)
    last = len(boxes) - 1
    for k in range(len(strips)):
        v = first + step * strips[k, 0]
        a, b = first + step * strips[k, 1], first + step * (strips[k, 2] - 1)
        many = 0
        for j in range(len(boxes)):
            if boxes[j, 2] <= v <= boxes[j, 3] and boxes[j, 0] <= b and boxes[j, 1] >= a:
                close[many] = j
                many += 1
        if many == 0:
            continue
        for i in range(strips[k, 1], strips[k, 2]):
            u = first + step * i
            count = 0
            for j in range(many):
                if boxes[close[j], 0] <= u <= boxes[close[j], 1]:
                    near[count] = close[j]
                    count += 1
            if count == 0:
                continue
            x, y = ground[v, u, 0], ground[v, u, 1]
            ux, uy, vx, vy = slopes(ground, v, u)
            edge = away_of(ux, uy, vx, vy, blur)
            paint, shade = surely(x, y, place, robots, dots, ball, near, count, edge, slack)
            if paint == NOTHING:
                continue
            if paint >= 0:
                for c in range(3):
                    value = np.float32(shade * paints[paint, c]) * bright[v, u] + DULL * glare[v, u]
                    picture[strips[k, 0], i, c] = level(value, noise[where[v] + 3 * u + c], strength)
                continue
            shift = (u * 7 + v * 13) % RAYS
            rgb[:] = 0.0
            carpet, dim = 0, dimmed[strips[k, 0], i] / bright[v, u]
            for s in range(RAYS):
                du, dv = blur * ((s % 4) / 4 - SPREAD), blur * ((s // 4) / 4 - SPREAD)
                moment = (SLOTS[s] + shift) % RAYS
                at = x + du * ux + dv * vx, y + du * uy + dv * vy
                paint, shade = _met(
                    at[0], at[1], moment, place, robots, dots, ball, near, count, last, dim, seen
                )
                if paint < 0:
                    share = white[v, u]
                    carpet += 1
                    for c in range(3):
                        rgb[c] += dim * (paints[CARPET, c] + share * (paints[WHITE, c] - paints[CARPET, c]))
                else:
                    for c in range(3):
                        rgb[c] += shade * paints[paint, c]
            shine = (DULL + (np.float32(1) - DULL) * np.float32(carpet / RAYS)) * glare[v, u]
            for c in range(3):
                value = np.float32(rgb[c] / RAYS) * bright[v, u] + shine
                picture[strips[k, 0], i, c] = level(value, noise[where[v] + 3 * u + c], strength)


@inner
@inlined
def _met(
    x: float,
    y: float,
    moment: int,
    place: np.ndarray,
    robots: np.ndarray,
    dots: np.ndarray,
    ball: np.ndarray,
    near: np.ndarray,
    count: int,
    last: int,
    dim: float,
    seen: np.ndarray,
) -> tuple[int, float]:
    """The paint and shade that one ray meets, −1 where it meets the carpet."""
    paint, shade = -1, 1.0
    for i in range(count):
        if near[i] < last and paint < 0:
            paint = robot_top(x, y, place, robots[near[i], moment], dots[near[i]])
    if paint < 0:
        for i in range(count):
            if near[i] < last and paint < 0 and robot_side(x, y, place, robots[near[i], moment]):
                paint, shade = DARK, 1.3
    if near[count - 1] == last:
        glow = ball_hit(x, y, place, ball[moment])
        if glow > 0:
            seen[0] += 1
            if paint < 0 or ball[moment, 2] > ROBOT_HEIGHT:
                seen[1] += 1
                paint, shade = ORANGE, 0.7 + 0.3 * glow
                if ball[moment, 2] < ROBOT_HEIGHT:
                    shade *= dim
    return paint, shade
