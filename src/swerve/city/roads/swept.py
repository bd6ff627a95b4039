"""What a vehicle sweeps on its way along a strip.

The middle of the front axle keeps to the strip and the rear follows it, dψ/ds = sin(θ - ψ) / L with heading
ψ, the strip's direction θ and wheelbase L. So the rear cuts corners, and the outline reaches further to the
inside of a bend than to the outside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import kernel


class Largest(NamedTuple):
    """The largest vehicle that junctions are laid out for; by default an ambulance. All in metres."""

    length: float = 6.5
    width: float = 2.5
    wheelbase: float = 3.9
    front: float = 1.0  # from its front axle to its bumper
    tightest: float = 6.0  # radius of any turn
    corner: float = 1.0  # radius of kerbs, at least
    aloof: bool = False  # whether it keeps as far from the kerb as its tightest turn allows
    turning: float = 0.0  # width of its ways across junctions, at least
    loop: float = 5.0  # width of the way round a turning loop


USUAL, BUS = Largest(), Largest(11.0, 2.5, 5.6, 2.4, 10.5, 13.0, True, 6.0, 7.0)
SLACK = 0.2  # [m] to each side, for vehicles that do not follow exactly
STEP = 0.25  # [m]


def swept_sides(
    x: np.ndarray, y: np.ndarray, heading: np.ndarray, largest: Largest = USUAL
) -> tuple[np.ndarray, np.ndarray]:
    """How far [m] to the left and to the right of each point the outline reaches, slack included.

    Points (k,) stand `STEP` apart or a little less.
    """
    return _swept_sides(x, y, heading, largest.length, largest.width, largest.wheelbase, largest.front)


@kernel
def _swept_sides(
    x: np.ndarray,
    y: np.ndarray,
    heading: np.ndarray,
    longest: float,
    widest: float,
    wheelbase: float,
    front: float,
) -> tuple[np.ndarray, np.ndarray]:
    n = len(x)
    step = np.hypot(x[1] - x[0], y[1] - y[0])
    left, right = np.full(n, widest / 2), np.full(n, widest / 2)
    body = heading[0]
    beyond = int(longest / step)  # the front goes on straight while the tail is still on the strip
    for i in range(n + beyond):
        k = min(i, n - 1)
        direction = heading[k]
        gx = x[k] + (i - k) * step * np.cos(direction)
        gy = y[k] + (i - k) * step * np.sin(direction)
        c, s = np.cos(body), np.sin(body)
        for m in range(27):
            u = front - longest * m / 26
            for side in (-widest / 2, widest / 2):
                px, py = gx + u * c - side * s, gy + u * s + side * c
                at = i + int(np.round(u / step))
                for _ in range(3):  # to the foot of the perpendicular
                    at = min(max(at, 0), n - 1)
                    h = heading[at]
                    at += int(np.round(((px - x[at]) * np.cos(h) + (py - y[at]) * np.sin(h)) / step))
                if at < 0 or at >= n:
                    continue
                h = heading[at]
                aside = (py - y[at]) * np.cos(h) - (px - x[at]) * np.sin(h)
                left[at] = max(left[at], aside)
                right[at] = max(right[at], -aside)
        body += step * np.sin(direction - body) / wheelbase
    for row in (left, right):
        kept = row.copy()
        for i in range(n):  # points that no sample fell on take what their neighbours have
            for k in range(max(0, i - 2), min(n, i + 3)):
                row[i] = max(row[i], kept[k])
            row[i] += SLACK
    return left, right
