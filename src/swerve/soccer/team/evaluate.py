"""Where a supporter is of most use: a grid of places, each weighed as the seed's team weighed them.

Weights are for: an open angle on the goal, a clear way for the ball, distance from opponents, a good distance
from the ball, nearness to where the supporter was to be before and, beyond the seed's, a goal that can be
shot at with the first touch (the ball comes from before the robot, not from behind it); last, the seed's
fifth, nearness to the robot that supports there. Forward counts a little, too.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from ..match.field import HALF_LENGTH, HALF_WIDTH
from ..match.model import X, Y
from .frame import clearance, opening, out_of_area

WEIGHTS = np.array([1.0, 1.0, 0.4, 0.5, 0.3, 0.5, 0.2])
PASS_LENGTH = 2.2  # [m] that passes are best at
GRID, RIM = 0.3, 0.3  # [m] between places, and of the field that has none
APART = 1.2  # [m] between supporters
FORWARD = 0.3  # worth of the goal line above the middle's


@kernel
def supporters(
    robots: np.ndarray,
    ball: np.ndarray,
    field: np.ndarray,
    weights: np.ndarray,
    who: np.ndarray,
    places: np.ndarray,
) -> None:
    """Replace `places` (k, 2), where supporters were to be, by the best now, apart from each other; `who`
    (k,) supports there, −1 for nobody yet."""
    n = len(robots) // 2
    columns = int(2 * (field[HALF_LENGTH] - RIM) / GRID) + 1
    rows = int(2 * (field[HALF_WIDTH] - RIM) / GRID) + 1
    left, low = -0.5 * GRID * (columns - 1), -0.5 * GRID * (rows - 1)
    worth = np.empty((columns, rows))
    bx, by = ball[X], ball[Y]
    for c in range(columns):
        x = left + GRID * c
        for r in range(rows):
            y = low + GRID * r
            ox, oy = out_of_area(field, x, y, 0.25)
            away = np.hypot(x - bx, y - by)
            if ox != x or oy != y or away < 0.8 or x < bx - 2.5:
                worth[c, r] = -np.inf
                continue
            angle, _ = opening(robots, field, x, y)
            clear = clearance(robots, n, 2 * n, -1, bx, by, x, y)
            nearest = 1.5
            for j in range(n, 2 * n):
                nearest = min(nearest, np.hypot(robots[j, X] - x, robots[j, Y] - y))
            value = weights[0] * min(angle / 0.35, 1.0)
            value += weights[1] * min(max(clear, -0.3), 0.2) / 0.2
            value += weights[2] * nearest / 1.5
            value -= weights[3] * abs(away - PASS_LENGTH) / PASS_LENGTH
            to_x, to_y = field[HALF_LENGTH] - x, -y
            cosine = ((x - bx) * to_x + (y - by) * to_y) / (away * max(np.hypot(to_x, to_y), 1e-6))
            value += weights[5] * min(max(0.4 - cosine, 0.0), 0.8) / 0.8 * min(angle / 0.35, 1.0)
            worth[c, r] = value + FORWARD * x / field[HALF_LENGTH]
    before = places.copy()
    for k in range(len(places)):
        best, found = -np.inf, 0
        for c in range(columns):
            x = left + GRID * c
            for r in range(rows):
                if worth[c, r] <= best:
                    continue
                y = low + GRID * r
                off = np.hypot(x - before[k, 0], y - before[k, 1])
                value = worth[c, r] - weights[4] * min(off, 2.0) / 2.0
                if who[k] >= 0:
                    off = np.hypot(x - robots[who[k], X], y - robots[who[k], Y])
                    value -= weights[6] * min(off, 2.0) / 2.0
                for other in range(k):
                    if np.hypot(x - places[other, 0], y - places[other, 1]) < APART - 1e-9:
                        value = -np.inf
                if value > best:
                    best, found = value, c * rows + r
        if best > -np.inf:
            places[k, 0] = left + GRID * (found // rows)
            places[k, 1] = low + GRID * (found % rows)
