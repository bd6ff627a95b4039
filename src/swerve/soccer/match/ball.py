"""A ball by itself: it slides until it rolls, rolls until it stands, flies and bounces. Exact for any step.

A ball that slides loses `SLIDING` of speed a second and gains 5/2 as much of rolling, so a ball kicked
without spin at v rolls from 5/7·v on, after v²·(1 − (5/7)²)/(2·SLIDING) metres.

>>> import numpy as np
>>> ball = np.zeros((1, 8)); ball[0, 3] = 2.0
>>> free(ball, 60.0)
>>> bool(abs(ball[0, 0] - stopping_distance(2.0)) < 1e-9)
True
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from .model import (
    BOUNCE,
    BOUNCE_FRICTION,
    BVX,
    BVY,
    BVZ,
    GRAVITY,
    ROLLING,
    SLIDING,
    SLOWEST_BOUNCE,
    UX,
    UY,
    X,
    Y,
    Z,
)


@inner
@bare
def free_one(ball: np.ndarray, b: int, seconds: float) -> None:
    """Move ball `b` of a batch, as if nothing were in its way."""
    left = seconds
    while left > 1e-12:
        if ball[b, Z] > 0.0 or ball[b, BVZ] > 0.0:
            left -= _fly(ball, b, left)
        else:
            left -= _roll(ball, b, left)


@inner
@bare
def _fly(ball: np.ndarray, b: int, left: float) -> float:
    vz = ball[b, BVZ]
    lands = (vz + np.sqrt(vz * vz + 2 * GRAVITY * ball[b, Z])) / GRAVITY
    h = min(lands, left)
    ball[b, X] += ball[b, BVX] * h
    ball[b, Y] += ball[b, BVY] * h
    ball[b, Z] = max(0.0, ball[b, Z] + vz * h - 0.5 * GRAVITY * h * h)
    ball[b, BVZ] = vz - GRAVITY * h
    if lands > left:
        return h
    hit = -ball[b, BVZ]
    ball[b, Z] = 0.0
    ball[b, BVZ] = BOUNCE * hit if BOUNCE * hit > SLOWEST_BOUNCE else 0.0
    sx, sy = ball[b, BVX] - ball[b, UX], ball[b, BVY] - ball[b, UY]
    slip = np.hypot(sx, sy)
    if slip > 1e-12:
        lost = min(BOUNCE_FRICTION * (hit + ball[b, BVZ]), slip * 2 / 7)
        ball[b, BVX] -= lost * sx / slip
        ball[b, BVY] -= lost * sy / slip
        ball[b, UX] += 2.5 * lost * sx / slip
        ball[b, UY] += 2.5 * lost * sy / slip
    return max(h, 1e-9)


@inner
@bare
def carry_one(ball: np.ndarray, b: int, h: float) -> None:
    """Move ball `b` as the dribbler that holds it does; what is in the air falls all the same."""
    ball[b, X] += ball[b, BVX] * h
    ball[b, Y] += ball[b, BVY] * h
    if ball[b, Z] > 0.0:
        ball[b, Z] += ball[b, BVZ] * h - 0.5 * GRAVITY * h * h
        ball[b, BVZ] -= GRAVITY * h
        if ball[b, Z] <= 0.0:
            ball[b, Z] = ball[b, BVZ] = 0.0


@bare
def _roll(ball: np.ndarray, b: int, left: float) -> float:
    sx, sy = ball[b, BVX] - ball[b, UX], ball[b, BVY] - ball[b, UY]
    slip = np.hypot(sx, sy)
    if slip > 1e-9:
        ends = slip / (3.5 * SLIDING)
        h = min(ends, left)
        ax, ay = -SLIDING * sx / slip, -SLIDING * sy / slip
    else:
        speed = np.hypot(ball[b, BVX], ball[b, BVY])
        if speed < 1e-9:
            ball[b, BVX] = ball[b, BVY] = ball[b, UX] = ball[b, UY] = 0.0
            return left
        ends = speed / ROLLING
        h = min(ends, left)
        ax, ay = -ROLLING * ball[b, BVX] / speed, -ROLLING * ball[b, BVY] / speed
    ball[b, X] += (ball[b, BVX] + 0.5 * ax * h) * h
    ball[b, Y] += (ball[b, BVY] + 0.5 * ay * h) * h
    ball[b, BVX] += ax * h
    ball[b, BVY] += ay * h
    if slip > 1e-9 and h < ends:
        ball[b, UX] -= 2.5 * ax * h
        ball[b, UY] -= 2.5 * ay * h
    else:
        if slip <= 1e-9 and h >= ends:
            ball[b, BVX] = ball[b, BVY] = 0.0
        ball[b, UX], ball[b, UY] = ball[b, BVX], ball[b, BVY]
    return max(h, 1e-12)


@kernel
def free(ball: np.ndarray, seconds: float) -> None:
    """Move balls (b, 8) by themselves."""
    for b in range(len(ball)):
        free_one(ball, b, seconds)


def stopping_distance(speed: float) -> float:
    """[m] that a ball goes that is kicked flat, without spin."""
    rolls = speed * 5 / 7
    return (speed**2 - rolls**2) / (2 * SLIDING) + rolls**2 / (2 * ROLLING)
