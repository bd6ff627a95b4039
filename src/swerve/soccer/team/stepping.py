"""A step of a future, in a plainer world than the match's.

Robots drive, kick, dribble and are hit by the ball as in the match; but they pass through each other, and
there are neither walls nor goal posts.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare

from ..match.ball import carry_one, free_one
from ..match.model import CHIP, DRIBBLE, KICK, X, Y
from ..match.touch import handle, strike
from ..match.world import drive

STEP = 1 / 40  # [s] of a future
NEXT_TO = 0.4  # [m] from the ball within which a robot may touch it in a step


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
def step(
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
