"""The ball's filter: it moves as balls do, touches included, and it finds out whether it slides.

Sight tells places only. Taken for rolling, a kicked ball would be expected a quarter of a metre too far on,
0.4 s ahead: it slides, loses two sevenths of its speed within some tenths of a second, and only then rolls
on. A kick leaves it without spin, what throws it back leaves its spin as it was, and with a dribbler it
rolls. Which of them a hit was cannot always be seen at once, so three guesses are followed from there on,
each by the match's own compiled world, and the one is believed that fits best what is seen.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from .model import (
    BALL_RADIUS,
    BVX,
    BVY,
    BVZ,
    DRIBBLE,
    FRAME,
    HEADING,
    KICK_SPEED,
    NOTES,
    ROBOT_RADIUS,
    SPEED,
    UX,
    UY,
    VX,
    X,
    Y,
    Z,
)
from .world import advance

SURPRISE = 4.0  # standard deviations after which a ball must have been hit
UNKNOWN = 25.0  # [m²/s²] variance of a velocity about which nothing is known
FREE, TOUCHED = 0.5, 8.0  # [m/s²] not foreseen of a ball by itself, and of one that a robot may be touching
BY = ROBOT_RADIUS + BALL_RADIUS + 0.05  # [m] from a robot's middle within which it may be
UP = 0.02  # [m] of height above which a ball is in the air
KICKED = 0.6  # [m/s] away from a front, that only a kicker gives …
THROWN = 0.5  # … or so great a share of what it came with
LYING = 0.05  # [m/s] below which a ball lies
FASTEST = KICK_SPEED + SPEED + 1.0  # [m/s] of a ball that was not put there by hand
NO_SPIN, AS_IT_WAS, ROLLS = range(3)  # guesses: after a kick, after a bounce, and as a dribbler leaves it
GUESSES = 3
LIKELY = 6.0  # squared standard deviations by which the others must fit better than the likeliest
FADES = 0.9  # a frame, of how well they fitted


@inner
@bare
def nearest_robot(mean: np.ndarray, within: float) -> int:
    """The robot nearest to the ball, −1 where none is as near as that [m]."""
    ball, found, least = len(mean) - 1, -1, within * within
    for i in range(ball):
        dx, dy = mean[ball, 0, 0] - mean[i, 0, 0], mean[ball, 1, 0] - mean[i, 1, 0]
        if dx * dx + dy * dy < least:
            found, least = i, dx * dx + dy * dy
    return found


@inner
@bare
def best_of(scores: np.ndarray) -> int:
    """The guess that is believed."""
    return int(np.argmin(scores))


@inner
@bare
def keep(mean: np.ndarray, guesses: np.ndarray, best: int) -> None:
    """Believe a guess: `mean` (m, 3, 2) says of the ball, the last body, what it does."""
    ball = mean[len(mean) - 1]
    ball[0, 0], ball[1, 0], ball[2, 0] = guesses[best, X], guesses[best, Y], guesses[best, Z]
    ball[0, 1], ball[1, 1], ball[2, 1] = guesses[best, BVX], guesses[best, BVY], guesses[best, BVZ]


@inner
@bare
def begin_anew(mean: np.ndarray, guesses: np.ndarray, best: int) -> None:
    """Let all guesses begin where somebody else has put the believed ball, if it was."""
    ball = mean[len(mean) - 1]
    off = abs(guesses[best, X] - ball[0, 0]) + abs(guesses[best, Y] - ball[1, 0])
    off += abs(guesses[best, Z] - ball[2, 0]) + abs(guesses[best, BVX] - ball[0, 1])
    off += abs(guesses[best, BVY] - ball[1, 1]) + abs(guesses[best, BVZ] - ball[2, 1])
    if off == 0.0:
        return
    for k in range(GUESSES):
        guesses[k, X], guesses[k, Y], guesses[k, Z] = ball[0, 0], ball[1, 0], ball[2, 0]
        guesses[k, BVX], guesses[k, BVY], guesses[k, BVZ] = ball[0, 1], ball[1, 1], ball[2, 1]


@inner
@kernel
def go_on(mean: np.ndarray, guesses: np.ndarray, field: np.ndarray, h: float) -> bool:
    """Move all guesses `h` seconds on, among robots that go on as they did and dribble; whether one of them
    touched the ball."""
    n = len(mean) - 1
    robots, commands = np.zeros((GUESSES, n, 6)), np.zeros((GUESSES, n, 6))
    touched, met, notes = (
        np.zeros((GUESSES, n), np.uint8),
        np.zeros((GUESSES, n, n)),
        np.zeros((GUESSES, NOTES)),
    )
    height = np.empty((GUESSES, 2))
    for k in range(GUESSES):
        for i in range(n):
            for a in range(3):
                robots[k, i, a], robots[k, i, VX + a] = mean[i, a, 0], mean[i, a, 1]
                commands[k, i, a] = mean[i, a, 1]
            commands[k, i, DRIBBLE] = 1.0
        height[k, 0], height[k, 1] = guesses[k, Z] + h * guesses[k, BVZ], guesses[k, BVZ]
        if guesses[k, Z] < UP:  # how it seems to rise is what sight makes of its noise, or a chip's beginning
            guesses[k, Z] = guesses[k, BVZ] = 0.0
        else:
            height[k, 0] = np.inf
    advance(robots, guesses, commands, field, h, max(2, int(np.rint(2 * h / FRAME))), touched, met, notes)
    for k in range(GUESSES):
        if height[k, 0] < np.inf:
            guesses[k, Z], guesses[k, BVZ] = height[k, 0], height[k, 1]
    return touched.max() > 0


@inner
@bare
def weigh(
    guesses: np.ndarray, scores: np.ndarray, seen: np.ndarray, spread: np.ndarray, noise: np.ndarray
) -> None:
    """Score guesses by where the ball (3,) is seen, in squared standard deviations; what was fades."""
    for k in range(GUESSES):
        scores[k] *= FADES
        for a in range(2):
            gap = seen[a] - guesses[k, a]
            scores[k] += gap * gap / (spread[a, 0, 0] + noise[a] * noise[a])


@inner
@bare
def guess_anew(
    mean: np.ndarray, guesses: np.ndarray, scores: np.ndarray, best: int, near: int, vx: float, vy: float
) -> None:
    """Guess how a ball spins that was hit, near a robot if that is not −1, when it had (`vx`, `vy`): what it
    does is the same in all guesses."""
    ux, uy = guesses[best, UX], guesses[best, UY]
    x, y, z = guesses[best, X], guesses[best, Y], guesses[best, Z]
    wx, wy, wz = guesses[best, BVX], guesses[best, BVY], guesses[best, BVZ]
    if wx * wx + wy * wy + wz * wz > FASTEST * FASTEST:
        wx = wy = wz = ux = uy = 0.0
    for k in range(GUESSES):
        guesses[k, X], guesses[k, Y], guesses[k, Z] = x, y, z
        guesses[k, BVX], guesses[k, BVY], guesses[k, BVZ] = wx, wy, wz
        scores[k] = LIKELY
    guesses[NO_SPIN, UX] = guesses[NO_SPIN, UY] = 0.0
    guesses[AS_IT_WAS, UX], guesses[AS_IT_WAS, UY] = ux, uy
    guesses[ROLLS, UX], guesses[ROLLS, UY] = wx, wy
    if near >= 0:
        likeliest = NO_SPIN if kicked(mean, near, vx, vy) else AS_IT_WAS
    else:
        likeliest = ROLLS if vx * vx + vy * vy < LYING * LYING else AS_IT_WAS
    scores[likeliest] = 0.0


@inner
@bare
def kicked(mean: np.ndarray, near: int, vx: float, vy: float) -> bool:
    """Whether a ball that was hit leaves the front of a robot as a kicked one does; it came with (vx, vy)."""
    ball = len(mean) - 1
    dx, dy = mean[ball, 0, 0] - mean[near, 0, 0], mean[ball, 1, 0] - mean[near, 1, 0]
    c, s = np.cos(mean[near, HEADING, 0]), np.sin(mean[near, HEADING, 0])
    spin = mean[near, HEADING, 1]
    rx, ry = mean[near, 0, 1] - spin * dy, mean[near, 1, 1] + spin * dx
    leaves = c * (mean[ball, 0, 1] - rx) + s * (mean[ball, 1, 1] - ry)
    came = -(c * (vx - rx) + s * (vy - ry))
    return c * dx + s * dy > 0.0 and leaves > max(KICKED, THROWN * came)
