"""The line a driver would take: the least curved way between the edges of a track."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

from swerve.core.kernels import inlined, kernel

from .car import WIDTH
from .track import Track

EDGE = 0.8  # [m] kept between the side of the car and the edge
LEVELS = (16, 8, 4, 2, 1)  # strides of the points that are moved, coarse to fine
SWEEPS = 400


def racing_line(
    track: Track,
    width: float = WIDTH,
    keep_out: np.ndarray | None = None,
) -> np.ndarray:
    """Distance left of the centre line (n,) that minimises the summed squared bend of the line.

    It keeps half the width of the car and `EDGE` from the edges, or `keep_out` (n, 2) [m] to the right and
    left.

    Coordinate descent on every 16th point, then every 8th, and so on: long bends settle on the coarse
    levels, where a sweep carries far.
    """
    n = len(track.centre)
    out = np.full((n, 2), width / 2 + EDGE) if keep_out is None else np.broadcast_to(keep_out.T, (2, n)).T
    middle = (track.left - out[:, 1] - track.right + out[:, 0]) / 2  # where there is no room at all
    tight = track.left + track.right < out.sum(axis=1)
    high = np.where(tight, middle, track.left - out[:, 1])
    low = np.where(tight, middle, out[:, 0] - track.right)
    offset = np.clip(np.zeros(n), low, high)
    table = np.column_stack([track.centre, track.normal, low, high])
    for stride in LEVELS:
        count = round(n / stride) if track.closed else round((n - 1) / stride) + 1
        if count < 8:
            continue
        # evenly spaced, so that second differences of neighbours can be compared
        at = np.linspace(0, n if track.closed else n - 1, count, endpoint=not track.closed)
        part = _at(np.column_stack([table, offset]), at, track.closed)
        moved = np.clip(part[:, 6], part[:, 4], part[:, 5])
        _relax(part[:, :2], part[:, 2:4], part[:, 4], part[:, 5], moved, track.closed, SWEEPS)
        offset = np.clip(_smoothly(moved, at, n, track.closed), low, high)
    return offset


def _at(values: np.ndarray, at: np.ndarray, closed: bool) -> np.ndarray:
    """Rows of `values` (n, k) at fractional places `at` (m,) of them."""
    n = len(values)
    i = at.astype(int)
    j = (i + 1) % n if closed else np.minimum(i + 1, n - 1)
    share = (at - i)[:, None]
    return np.ascontiguousarray((1 - share) * values[i % n] + share * values[j])


def _smoothly(values: np.ndarray, at: np.ndarray, n: int, closed: bool) -> np.ndarray:
    """Values (m,) known at places `at` (m,) at every one of n places, without kinks."""
    if closed:
        return CubicSpline(np.append(at, n), np.append(values, values[0]), bc_type="periodic")(np.arange(n))
    return CubicSpline(at, values)(np.arange(n))


@inlined
def _round(i: int, n: int) -> int:
    """The index `i`, at most n outside, of a ring of n."""
    return i + n if i < 0 else (i - n if i >= n else i)


@kernel
def _relax(
    centre: np.ndarray,
    normal: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    offset: np.ndarray,
    closed: bool,
    sweeps: int,
) -> None:
    """Minimise Σ|p₍ᵢ₋₁₎ − 2pᵢ + p₍ᵢ₊₁₎|² over pᵢ = centreᵢ + offsetᵢ·normalᵢ within [low, high]."""
    n = offset.shape[0]
    p = centre + offset.reshape(-1, 1) * normal
    for _ in range(sweeps):
        for i in range(0 if closed else 1, n if closed else n - 1):
            # gradient of the three second differences that hold point i, along its normal
            slope, curve = 0.0, 0.0
            for k in (-1, 0, 1):
                j = i + k
                if not closed and (j < 1 or j > n - 2):
                    continue
                weight = -2.0 if k == 0 else 1.0
                a, b, d = _round(j - 1, n), _round(j, n), _round(j + 1, n)
                bend_x, bend_y = p[a, 0] - 2 * p[b, 0] + p[d, 0], p[a, 1] - 2 * p[b, 1] + p[d, 1]
                slope += weight * (bend_x * normal[i, 0] + bend_y * normal[i, 1])
                curve += weight * weight
            new = min(high[i], max(low[i], offset[i] - slope / curve))
            offset[i] = new
            p[i, 0] = centre[i, 0] + new * normal[i, 0]
            p[i, 1] = centre[i, 1] + new * normal[i, 1]
