"""A ball in the mouths of several robots at once: what they do to it adds up, whatever their order.

Kicks give the ball the mean of the kickers' own velocities and the sum of what each adds, at most what one
kicker can; of dribblers each pulls as if it were alone. Whose kick or touch it was: the stronger kick's, of
the same the nearer robot's, of as near ones whose the coin says.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

from .model import (
    BVX,
    BVY,
    BVZ,
    CHIP,
    COIN,
    KICK,
    KICK_SPEED,
    KICKER,
    LAST_TOUCH,
    UX,
    UY,
    VX,
    VY,
    X,
    Y,
)
from .touch import KICKED, handle, in_mouth

EVEN = 1e-9  # [m²] by which squares of distances may differ and be the same


@inner
@bare
def nearest_to(robots: np.ndarray, ball: np.ndarray, b: int, coin: float) -> int:
    """The robot whose middle is nearest to the ball; of several as near the last if `coin` is not 0."""
    found, least = -1, np.inf
    for i in range(robots.shape[1]):
        dx, dy = ball[b, X] - robots[b, i, X], ball[b, Y] - robots[b, i, Y]
        square = dx * dx + dy * dy
        if square < least - EVEN or (coin != 0.0 and square < least + EVEN):
            found, least = i, square
    return found


@bare
def handle_all(
    robots: np.ndarray,
    ball: np.ndarray,
    commands: np.ndarray,
    b: int,
    h: float,
    touched: np.ndarray,
    notes: np.ndarray,
) -> bool:
    """Kick, chip or dribble the ball by all that have it in their mouths; whether dribblers hold it."""
    have, last = 0, -1
    for i in range(robots.shape[1]):
        if in_mouth(robots, b, i, ball):
            have, last = have + 1, i
    if have == 0:
        return False
    if have == 1:
        return handle(robots, ball, commands, b, last, h, touched, notes)
    return _together(robots, ball, commands, b, h, touched, notes)


@inner
@bare
def _together(
    robots: np.ndarray,
    ball: np.ndarray,
    commands: np.ndarray,
    b: int,
    h: float,
    touched: np.ndarray,
    notes: np.ndarray,
) -> bool:
    vx, vy, vz, ux, uy = ball[b, BVX], ball[b, BVY], ball[b, BVZ], ball[b, UX], ball[b, UY]
    strongest, kicker, kicks = 0.0, -1, 0
    own_x, own_y, sum_x, sum_y, sum_z = 0.0, 0.0, 0.0, 0.0, 0.0
    pull_x, pull_y, pulled = 0.0, 0.0, False
    near = nearest_to(robots, ball, b, notes[b, COIN])
    for i in range(robots.shape[1]):
        if not in_mouth(robots, b, i, ball):
            continue
        hit = max(commands[b, i, KICK], commands[b, i, CHIP])
        fires = hit > 0.0 and touched[b, i] != KICKED
        held = handle(robots, ball, commands, b, i, h, touched, notes)
        if fires:
            kicks += 1
            own_x, own_y = own_x + robots[b, i, VX], own_y + robots[b, i, VY]
            sum_x += ball[b, BVX] - robots[b, i, VX]
            sum_y += ball[b, BVY] - robots[b, i, VY]
            sum_z += ball[b, BVZ]
            tied = hit == strongest and (i == near or (kicker != near and notes[b, COIN] != 0.0))
            if hit > strongest or tied:
                strongest, kicker = hit, i
        elif held:
            pull_x, pull_y, pulled = pull_x + ball[b, BVX] - vx, pull_y + ball[b, BVY] - vy, True
        ball[b, BVX], ball[b, BVY], ball[b, BVZ], ball[b, UX], ball[b, UY] = vx, vy, vz, ux, uy
    if kicks > 0:
        size = np.sqrt(sum_x * sum_x + sum_y * sum_y + sum_z * sum_z)
        share = min(1.0, KICK_SPEED / max(size, 1e-9))
        ball[b, BVX], ball[b, BVY] = own_x / kicks + share * sum_x, own_y / kicks + share * sum_y
        ball[b, BVZ] = share * sum_z
        ball[b, UX] = ball[b, UY] = 0.0
        notes[b, LAST_TOUCH] = notes[b, KICKER] = kicker
        return False
    if pulled:
        ball[b, BVX], ball[b, BVY] = vx + pull_x, vy + pull_y
        ball[b, UX], ball[b, UY] = ball[b, BVX], ball[b, BVY]
        if touched[b, near] > 0:
            notes[b, LAST_TOUCH] = near
    return pulled
