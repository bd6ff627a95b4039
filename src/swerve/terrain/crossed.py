"""The worst ground between two neighbouring points of a path: ice or mud narrower than its steps."""

from __future__ import annotations

import math

import numpy as np

from swerve.core.kernels import bare, inner

from .regions import SQUARES, square_of


@inner
@bare
def worst_between(
    ax: float,
    ay: float,
    bx: float,
    by: float,
    known: float,
    frame: np.ndarray,
    mobility: np.ndarray,
    corners: np.ndarray,
    starts: np.ndarray,
    factors: np.ndarray,
    reach_starts: np.ndarray,
    reaching: np.ndarray,
) -> float:
    """The lowest mobility on the straight way from a to b, as far as it is lower than what is `known` of both
    ends. Closed ground does not count: the body is held against that anyway."""
    worst = known
    if mobility.size > 1:
        worst = _worst_cell(ax, ay, bx, by, worst, frame, mobility)
    if len(reaching) == 0:
        return worst
    west, east = square_of(min(ax, bx), frame[0], frame[4]), square_of(max(ax, bx), frame[0], frame[4])
    south, north = square_of(min(ay, by), frame[1], frame[5]), square_of(max(ay, by), frame[1], frame[5])
    for j in range(south, north + 1):
        for i in range(west, east + 1):
            c = j * SQUARES + i
            for m in range(reach_starts[c], reach_starts[c + 1]):
                k = reaching[m]
                if 0.0 < factors[k] < worst and _crosses(ax, ay, bx, by, corners, starts[k], starts[k + 1]):
                    worst = factors[k]
    return worst


@inner
@bare
def _worst_cell(
    ax: float, ay: float, bx: float, by: float, worst: float, frame: np.ndarray, raster: np.ndarray
) -> float:
    """Cell by cell along the way: cells change where either coordinate passes a half."""
    rows, columns = raster.shape
    across, up = (columns - 1.0) / (frame[4] - frame[0]), (rows - 1.0) / (frame[5] - frame[1])
    u, v = (ax - frame[0]) * across + 0.5, (ay - frame[1]) * up + 0.5
    du, dv = (bx - ax) * across, (by - ay) * up
    i, j = math.floor(u), math.floor(v)
    last_i, last_j = math.floor(u + du), math.floor(v + dv)
    left = abs(last_i - i) + abs(last_j - j)
    while left > 1:  # the last is where the way ends, which is known
        left -= 1
        to_i = (((i + 1 if du > 0.0 else i) - u) / du) if i != last_i else np.inf
        to_j = (((j + 1 if dv > 0.0 else j) - v) / dv) if j != last_j else np.inf
        if to_i < to_j:
            i += 1 if du > 0.0 else -1
        else:
            j += 1 if dv > 0.0 else -1
        here = raster[min(max(j, 0), rows - 1), min(max(i, 0), columns - 1)]
        if 0.0 < here < worst:
            worst = here
    return worst


@inner
@bare
def _crosses(ax: float, ay: float, bx: float, by: float, corners: np.ndarray, start: int, stop: int) -> bool:
    """Whether the way from a to b meets an edge of the polygon `corners[start:stop]`, as `inside` has it."""
    wx, wy = bx - ax, by - ay
    j = stop - 1
    for i in range(start, stop):
        px, py = corners[j, 0] - ax, corners[j, 1] - ay
        qx, qy = corners[i, 0] - ax, corners[i, 1] - ay
        j = i
        left, right = wx * py - wy * px, wx * qy - wy * qx
        if (left > 0.0) == (right > 0.0):
            continue
        along = (px + (qx - px) * left / (left - right)) * wx + (py + (qy - py) * left / (left - right)) * wy
        if 0.0 <= along <= wx * wx + wy * wy:
            return True
    return False
