"""A ball that has nowhere to go: pressed between robots, or between a robot and a wall, it holds them off.

What a robot runs into throws the ball off (`touch.strike`), robot after robot. Where the ball still reaches
into some of them then, it is put where it fits best, and what is left is the robots' to give: each goes back
by as much, two that press from opposite sides go on together, and at a wall a robot stops.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

from .field import GOAL_HEIGHT
from .model import BALL_RADIUS, BVX, BVY, VX, VY, WALL, X, Y, Z
from .touch import fence, overlap

ROUNDS, FITS = 12, 1e-6  # of making room; [m] that is let go
TOUCHES = -1e-5  # [m] of depth from which on a robot is in touch
OPPOSITE = -0.8  # cosine between the ways out of two robots beyond which the ball does not slip out


@inner
@bare
def hold_off(robots: np.ndarray, ball: np.ndarray, balls: np.ndarray, b: int, field: np.ndarray) -> None:
    """Let a ball that is pressed in world `b` hold off who presses it; `balls` is `ball` with an axis for the
    number of the body. Nothing happens to a ball that is free."""
    n = robots.shape[1]
    for _ in range(ROUNDS):
        pressing, off_x, off_y = 0, 0.0, 0.0
        for i in range(n):
            deep, nx, ny, _ = overlap(robots, ball, b, i)
            if deep > FITS:
                pressing, off_x, off_y = pressing + 1, off_x + deep * nx, off_y + deep * ny
        if pressing == 0:
            return
        share = 1.0 if pressing == 1 else 0.5
        ball[b, X] += share * off_x
        ball[b, Y] += share * off_y
        fence(balls, b, 0, BALL_RADIUS, field, BVX, WALL, ball[b, Z] < field[GOAL_HEIGHT])
    for i in range(n):
        deep, nx, ny, _ = overlap(robots, ball, b, i)
        if deep < TOUCHES:
            continue
        most = 0.0  # at a wall
        for j in range(n):
            other, mx, my, _ = overlap(robots, ball, b, j)
            if j != i and other > TOUCHES and nx * mx + ny * my < OPPOSITE:
                most = 0.5 * (robots[b, i, VX] + robots[b, j, VX]) * nx
                most += 0.5 * (robots[b, i, VY] + robots[b, j, VY]) * ny
                _slow(robots, b, j, -nx, -ny, -most)
        _slow(robots, b, i, nx, ny, most)
    for i in range(n):
        deep, nx, ny, _ = overlap(robots, ball, b, i)
        if deep < TOUCHES:
            continue
        behind = (robots[b, i, VX] - ball[b, BVX]) * nx + (robots[b, i, VY] - ball[b, BVY]) * ny
        if behind > 0.0:
            ball[b, BVX] += behind * nx
            ball[b, BVY] += behind * ny
    for i in range(n):
        deep, nx, ny, _ = overlap(robots, ball, b, i)
        if deep > 0.0:
            robots[b, i, X] -= deep * nx
            robots[b, i, Y] -= deep * ny


@inner
@bare
def _slow(robots: np.ndarray, b: int, i: int, nx: float, ny: float, most: float) -> None:
    """Let robot `i` move no faster than that in a direction."""
    over = robots[b, i, VX] * nx + robots[b, i, VY] * ny - most
    if over > 0.0:
        robots[b, i, VX] -= over * nx
        robots[b, i, VY] -= over * ny
