"""Where along a road the points of a line have it beside them.

Where a road crosses over itself, or two stretches of it run side by side, the nearest place may be one of
the other stretch: there it is sought from the neighbours' places on.
"""

from __future__ import annotations

import math

import numpy as np

from swerve.core.kernels import kernel

WIDTHS, MOVES = 4.0, 3.0  # of the road, and of a line's step, that places from point to point may leap by
AHEAD = 2.0  # [m] beyond the nearest place that is found


def followed(
    points: np.ndarray, nearest: np.ndarray, road: np.ndarray, gap: float, wide: float
) -> np.ndarray:
    """Indices (n,) into a road's points (m, 2), `gap` [m] apart, of the places beside a line's points (n, 2),
    which follow each other; `nearest` (n,) of all are right but for those of another stretch. The road is
    `wide` [m] at most, on both sides together."""
    if len(points) < 3:
        return nearest
    moved = np.hypot(*np.diff(points, axis=0).T)
    steps = np.abs(np.diff(nearest))
    steps = np.minimum(steps, len(road) - steps) * gap  # over the seam of a lap
    leaps = np.flatnonzero(steps > WIDTHS * wide + MOVES * moved)
    if not len(leaps):
        return nearest
    ends = np.concatenate([[-1], leaps, [len(points) - 1]])
    longest = int(np.argmax(np.diff(ends)))
    found = nearest.copy()
    _follow(points, road, gap, wide, (ends[longest] + 1 + ends[longest + 1]) // 2, found)
    return found


@kernel
def _follow(
    points: np.ndarray, road: np.ndarray, gap: float, wide: float, known: int, found: np.ndarray
) -> None:
    """Replace places in `found` (n,) by those that follow from the `known` point's on, either way; those that
    are the nearest stay where the line leaves the road."""
    n, m = len(points), len(road)
    for way in (-1, 1):
        i = known
        while 0 <= i + way < n:
            before, i = found[i], i + way
            x, y = points[i, 0], points[i, 1]
            moved = math.hypot(x - points[i - way, 0], y - points[i - way, 1])
            look = int((AHEAD + MOVES * moved) / gap) + 1
            best, least = before, math.hypot(x - road[before, 0], y - road[before, 1])
            for side in (-1, 1):
                k, vain = before, 0
                while vain < look:
                    k = (k + side) % m
                    far = math.hypot(x - road[k, 0], y - road[k, 1])
                    vain += 1
                    if far < least:
                        best, least, vain = k, far, 0
            if least <= math.hypot(x - road[found[i], 0], y - road[found[i], 1]) + wide:
                found[i] = best
