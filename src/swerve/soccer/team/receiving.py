"""How a mate takes a pass: it gets onto the ball's way before the ball does, faces it, and comes towards it
as far as there is time.

Whoever is only near enough to a ball that rolls by does not have it: it must lie before the front. So what
counts is the place behind the ball, seen from where the ball comes from, and the time to be there at rest.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, inner

from ..match.ball import free_one
from ..match.field import HALF_LENGTH, HALF_WIDTH
from ..match.model import BALL_COLUMNS, BVX, BVY, HEADING, HELD, ROBOT_RADIUS, VX, VY, X, Y, Z
from .frame import CLOSE, out_of_area, travel, turned
from .skills import go_to

STEP, STEPS = 0.04, 40  # [s] between the ball's places that are looked at, and how many
SLOWEST, LOW = 0.7, 0.06  # [m/s] below which a ball is fetched instead; [m] of height up to which it is met
TOO_LATE = 3.0  # seconds until it has the ball for each that a robot comes too late to a place
AT_ITS_FRONT = 0.015  # [m] that it may stand beside
TURNING = 8.0  # [rad/s]
KEEP = 0.12  # [s] by which another place must be better than the one that it goes to
LATEST = 0.35  # [s] too late, when it is no use
BEYOND = 0.8  # [m/s] times how late it is, so far beyond it aims, not to brake before the ball is there


@bare
def receive(
    intents: np.ndarray,
    i: int,
    robots: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    t: float,
    met: np.ndarray,
    rolled: np.ndarray,
) -> bool:
    """Meet a pass, if robot `i` can; `met` (1,) keeps when [s] it is to, `rolled` (1, 8) is room to roll the
    ball in."""
    for c in range(BALL_COLUMNS):
        rolled[0, c] = ball[c]
    least, late, to_x, to_y, face, when = np.inf, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(1, STEPS):
        free_one(rolled, 0, STEP)
        x, y, vx, vy = rolled[0, X], rolled[0, Y], rolled[0, BVX], rolled[0, BVY]
        speed = np.hypot(vx, vy)
        if speed < SLOWEST or abs(x) > field[HALF_LENGTH] or abs(y) > field[HALF_WIDTH]:
            break
        if rolled[0, Z] > LOW:
            continue
        at_x, at_y = x + HELD * vx / speed, y + HELD * vy / speed
        dx, dy = at_x - robots[i, X], at_y - robots[i, Y]
        if _through_area(field, at_x, at_y, dx, dy):
            continue
        away = max(np.hypot(dx, dy), 1e-6)
        faces = np.arctan2(-vy, -vx)
        need = travel(max(away - AT_ITS_FRONT, 0.0), (robots[i, VX] * dx + robots[i, VY] * dy) / away)
        need = max(need, abs(turned(faces - robots[i, HEADING])) / TURNING)
        lacks = max(need - k * STEP, 0.0)
        cost = k * STEP + TOO_LATE * lacks - (KEEP if abs(t + k * STEP - met[0]) < 0.75 * STEP else 0.0)
        if cost < least:
            least, late, to_x, to_y, face, when = cost, lacks, at_x, at_y, faces, t + k * STEP
    if least == np.inf or late > LATEST:
        return False
    met[0] = when
    dx, dy = to_x - robots[i, X], to_y - robots[i, Y]
    share = BEYOND * late / max(np.hypot(dx, dy), 0.05)
    go_to(intents, i, to_x + share * dx, to_y + share * dy, face)
    intents[i, CLOSE] = 1.0
    return True


@inner
@bare
def _through_area(field: np.ndarray, to_x: float, to_y: float, dx: float, dy: float) -> bool:
    """Whether the straight way of (dx, dy) to a place leads through a defence area."""
    for k in range(4):
        x, y = to_x - 0.25 * k * dx, to_y - 0.25 * k * dy
        in_x, in_y = out_of_area(field, x, y, ROBOT_RADIUS + 0.02)
        if in_x != x or in_y != y:
            return True
    return False
