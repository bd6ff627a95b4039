"""Where the paths of vehicles across a junction may touch, from the outlines they sweep.

What the widest and longest vehicle sweeps along a connector is covered by thin slices across it. Two
connectors conflict on the stretches whose slices touch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.geometry import box_gap
from swerve.core.kernels import kernel

from .swept import STEP, USUAL, Largest, swept_sides

OVER = 3.0  # [m] of height from which on one way passes over another
PAD = 1.0  # [m] added at both ends of a stretch: in a bend corners lie ahead of the bumper's middle


class Conflicts(NamedTuple):
    """Pairs of strips in both directions: the stretch [m] of `strip` in which it may touch `other`."""

    strip: np.ndarray
    other: np.ndarray
    from_: np.ndarray
    to: np.ndarray
    other_from: np.ndarray
    other_to: np.ndarray


def find_conflicts(
    first: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    heading: np.ndarray,
    length: np.ndarray,
    heights: np.ndarray | None = None,
    largest: Largest = USUAL,
) -> Conflicts:
    """Conflicts among strips given by points at even distances, as in `Roads`; symmetric.

    Ways that pass over each other, by `heights` [m] of the points, do not touch; `largest` is what comes.
    """
    n = len(length)
    counts = np.ceil(length / STEP).astype(np.int64) + 1
    start = np.concatenate([[0], np.cumsum(counts)])
    strip = np.repeat(np.arange(n), counts)
    station = (np.arange(start[-1]) - start[strip]) * (length / (counts - 1))[strip]
    gaps = (first[1:] - first[:-1] - 1)[strip]
    at = station / length[strip] * gaps
    i = np.minimum(at.astype(np.int64), gaps - 1)
    share = at - i
    i += first[strip]
    z = np.zeros(len(x)) if heights is None else heights
    sx, sy, h, sz = (values[i] + share * (values[i + 1] - values[i]) for values in (x, y, heading, z))
    left, right = np.empty(len(sx)), np.empty(len(sx))
    for k in range(n):
        own = slice(start[k], start[k + 1])
        left[own], right[own] = swept_sides(sx[own], sy[own], h[own], largest)
    c, s, aside = np.cos(h), np.sin(h), (left - right) / 2
    found = _touching(start, sx - aside * s, sy + aside * c, sz, c, s, (left + right) / 2, station)
    a, b = found[:, 0].astype(np.int32), found[:, 1].astype(np.int32)
    a_from, a_to = np.maximum(found[:, 2] - PAD, 0.0), np.minimum(found[:, 3] + PAD, length[a])
    b_from, b_to = np.maximum(found[:, 4] - PAD, 0.0), np.minimum(found[:, 5] + PAD, length[b])
    both = Conflicts(
        np.concatenate([a, b]),
        np.concatenate([b, a]),
        np.concatenate([a_from, b_from]),
        np.concatenate([a_to, b_to]),
        np.concatenate([b_from, a_from]),
        np.concatenate([b_to, a_to]),
    )
    order = np.lexsort((both.other, both.strip))
    return Conflicts(*(column[order] for column in both))


@kernel
def _touching(
    start: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    c: np.ndarray,
    s: np.ndarray,
    half: np.ndarray,
    station: np.ndarray,
) -> np.ndarray:
    """Rows (first strip, second, from and to on the first, from and to on the second) of those that touch."""
    n = len(start) - 1
    rows = np.zeros((n * (n - 1) // 2, 6))
    count = 0
    along = STEP / 2 + 0.02
    for a in range(n):
        for b in range(a + 1, n):
            a0, a1, b0, b1 = 1e9, -1.0, 1e9, -1.0
            widest = half[start[b] : start[b + 1]].max()
            for i in range(start[a], start[a + 1]):
                j = start[b] - 1
                step = 1
                while j + step < start[b + 1]:
                    j += step
                    dx, dy = x[j] - x[i], y[j] - y[i]
                    away = np.sqrt(dx * dx + dy * dy) - (half[i] + widest + 2 * along)
                    # slices come nearer by less than two steps' length each, so some can be passed over
                    step = max(1, int(away / (2 * STEP)))
                    if away > 0.0 or abs(z[i] - z[j]) > OVER:
                        continue
                    gap = box_gap(
                        x[i], y[i], c[i], s[i], along, half[i], x[j], y[j], c[j], s[j], along, half[j]
                    )
                    if gap <= 0.0:
                        a0, a1 = min(a0, station[i]), max(a1, station[i])
                        b0, b1 = min(b0, station[j]), max(b1, station[j])
            if a1 >= 0.0:
                rows[count, 0], rows[count, 1] = a, b
                rows[count, 2], rows[count, 3] = a0 - along, a1 + along
                rows[count, 4], rows[count, 5] = b0 - along, b1 + along
                count += 1
    return rows[:count]
