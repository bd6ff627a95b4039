"""Where a ball rolls on a pool table, cushions counted: what a goal asks to know that it is missed.

A ball that slips is slowed, and bent, by the cloth against the velocity at which its surface slips, until it
rolls; a ball that rolls is slowed a little. A smooth cushion gives back a share of the speed towards it and
leaves the spin alone, which then bends the way anew.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from ..friction import surface_velocity

STEP = 1 / 60  # [s]
LENGTH, WIDTH, CORNER, RADIUS, GRIP, SLOWING, BACK = range(7)  # of the numbers of a table


@inner
@kernel
def comes_near(
    row: np.ndarray,
    ball: int,
    velocity: int,
    x: float,
    y: float,
    near: float,
    wide: float,
    seconds: float,
    most: int,
    table: np.ndarray,
) -> bool:
    """Whether the middle of a ball will be within `near` of (x, y), or within `wide` of it after a cushion or
    at `most` so many, in so many seconds, as far as there are no other balls.

    `ball` and `velocity` are where its place and velocity begin. The `table` is from the origin to its
    `LENGTH` and `WIDTH` [m], with a pocket where both are less than `CORNER` [m] away; it has the ball's
    `RADIUS` [m], what slipping (`GRIP`) and rolling (`SLOWING`) accelerate by [m/s²], and what cushions give
    `BACK`.
    """
    length, width, corner = table[LENGTH], table[WIDTH], table[CORNER]
    radius, slowing, back = table[RADIUS], table[SLOWING], table[BACK]
    slip_x, slip_y, _ = surface_velocity(row, ball, velocity, 0.0, 0.0, -radius)
    met = 0
    px, py, vx, vy, far = row[ball], row[ball + 1], row[velocity], row[velocity + 1], near
    for _ in range(int(seconds / STEP)):
        ax, ay = 0.0, 0.0
        slip = np.sqrt(slip_x * slip_x + slip_y * slip_y)
        if slip > 1e-9:
            share = min(table[GRIP], slip / (3.5 * STEP)) / slip
            ax, ay = -share * slip_x, -share * slip_y
            slip_x += 3.5 * ax * STEP
            slip_y += 3.5 * ay * STEP
        speed = np.sqrt(vx * vx + vy * vy)
        if speed < slowing * STEP and slip <= 1e-9:
            return False
        ax -= slowing * vx / (speed + 1e-9)
        ay -= slowing * vy / (speed + 1e-9)
        dx, dy = (vx + 0.5 * ax * STEP) * STEP, (vy + 0.5 * ay * STEP) * STEP
        along = (x - px) * dx + (y - py) * dy
        share = min(max(along / (dx * dx + dy * dy + 1e-18), 0.0), 1.0)
        off_x, off_y = px + share * dx - x, py + share * dy - y
        if off_x * off_x + off_y * off_y < far * far:
            return True
        px, py, vx, vy = px + dx, py + dy, vx + ax * STEP, vy + ay * STEP
        if px > length - corner and py > width - corner:
            return False  # it falls
        low_x, high_x, low_y, high_y = radius, length - radius, radius, width - radius
        if (px < low_x and vx < 0.0) or (px > high_x and vx > 0.0):
            wall = low_x if vx < 0.0 else high_x
            px, slip_x, vx, met = wall - back * (px - wall), slip_x - (1 + back) * vx, -back * vx, met + 1
        if (py < low_y and vy < 0.0) or (py > high_y and vy > 0.0):
            wall = low_y if vy < 0.0 else high_y
            py, slip_y, vy, met = wall - back * (py - wall), slip_y - (1 + back) * vy, -back * vy, met + 1
        if met > most:
            return False
        far = near if met == 0 else wide
    return False
