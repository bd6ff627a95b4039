"""Which stored state is the nearest: asked for every rider several times a tenth of a second.

The states' dimensions are cut into cells. Of every cell it is known which states can be the nearest of a
place in it: few, mostly one to four. A place outside all cells is held against all states of its speed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

CELLS = {1: 64, 2: 48, 3: 10}  # along each of so many dimensions
MARGIN = 0.25  # of the range of the states that cells go beyond it, on both sides
ONLY = 1.1  # times its speed that is ridden on a map of one speed, at most


class Index(NamedTuple):
    """Scaled states `points` (s, d), where each speed's begin `begins` (k + 1,), which `columns` (d,) of a
    state they are and by what `scale` (d,). Cells begin at `origin` (d,), `per` (d,) to a unit, `counts` (d,)
    along each dimension; `starts` (k·c + 1,) tells where the candidates of each cell begin in `members`."""

    points: np.ndarray
    begins: np.ndarray
    columns: np.ndarray
    scale: np.ndarray
    origin: np.ndarray
    per: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    members: np.ndarray


def index_states(states: np.ndarray, begins: np.ndarray, columns: np.ndarray, scale: np.ndarray) -> Index:
    """What `nearest_of` searches, for `states` (s, 4) that are sorted by speed."""
    points = np.ascontiguousarray(states[:, columns] * scale)
    d = points.shape[1]
    counts = np.full(d, CELLS.get(d, 1), dtype=np.int64)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = MARGIN * np.maximum(high - low, 1e-6)
    origin, size = low - margin, (high - low + 2 * margin) / counts
    at = np.stack(np.meshgrid(*[np.arange(n) for n in counts], indexing="ij"), axis=-1).reshape(-1, d)
    middle = origin + (at + 0.5) * size
    starts, members = [np.zeros(1, dtype=np.int64)], []
    for begin, end in pairwise(begins):
        off = np.abs(middle[:, None] - points[begin:end])
        least = np.square(np.maximum(off - size / 2, 0.0)).sum(axis=-1)
        most = np.square(off + size / 2).sum(axis=-1)
        can_be = least <= most.min(axis=1, keepdims=True) + 1e-12
        starts.append(starts[-1][-1] + np.cumsum(can_be.sum(axis=1)))
        members.append(begin + np.nonzero(can_be)[1])
    cells = (origin, 1 / size, counts, np.concatenate(starts), np.concatenate(members))
    return Index(points, begins, columns, scale, *cells)


@kernel
def find_nearest(states, level, index, out):
    """The nearest state of the map for every row of `states`, among those of its speed `level` (n,)."""
    points, begins, columns, scale, origin, per, counts, starts, members = index
    asked = np.empty(len(columns))
    for i in range(len(out)):
        for k in range(len(columns)):
            asked[k] = states[i, columns[k]] * scale[k]
        out[i] = nearest_of(asked, level[i], points, begins, origin, per, counts, starts, members)


@kernel
def find_beside(states, speeds, index, out):
    """The nearest states (n, 2) of the map's speeds below and above that of every row of `states`."""
    points, begins, columns, scale, origin, per, counts, starts, members = index
    asked = np.empty(len(columns))
    for i in range(len(out)):
        low, _ = speed_below(speeds, states[i, 3])
        for k in range(len(columns)):
            asked[k] = states[i, columns[k]] * scale[k]
        for side in range(2):
            level = min(low + side, len(speeds) - 1)
            out[i, side] = nearest_of(asked, level, points, begins, origin, per, counts, starts, members)


@inner
@inlined
def nearest_of(asked, level, points, begins, origin, per, counts, starts, members):
    """The nearest of `points` to `asked` (d,) among those of a speed; of two as near the first."""
    cell, inside = level, True
    for k in range(len(asked)):
        along = (asked[k] - origin[k]) * per[k]
        inside = inside and along >= 0.0 and along < counts[k]
        cell = cell * counts[k] + (int(along) if inside else 0)
    begin = starts[cell] if inside else begins[level]
    end = starts[cell + 1] if inside else begins[level + 1]
    found, best = begin, np.inf
    for m in range(begin, end):
        j = members[m] if inside else m
        far = 0.0
        for k in range(len(asked)):
            far += (points[j, k] - asked[k]) ** 2
        if far < best:
            found, best = j, far
    return found


@inner
@inlined
def speed_below(speeds, speed):
    """The map's speed below `speed`, never the last of several, and the share of the one above."""
    if len(speeds) == 1:
        return 0, 0.0
    low = 0
    while low < len(speeds) - 2 and speeds[low + 1] <= speed:
        low += 1
    return low, min(max((speed - speeds[low]) / (speeds[low + 1] - speeds[low]), 0.0), 1.0)


@inner
@inlined
def fastest(speeds):
    """[m/s] that bodies on a map ride at most: its last speed, or a little more than its only one."""
    return speeds[len(speeds) - 1] * (1.0 if len(speeds) > 1 else ONLY)


@inner
@inlined
def turn_below(turns, turn):
    """The action below `turn`, never the last one, and the share of the one above."""
    turn = min(max(turn, turns[0]), turns[len(turns) - 1])
    action = 0
    while action < len(turns) - 2 and turns[action + 1] <= turn:
        action += 1
    return action, (turn - turns[action]) / (turns[action + 1] - turns[action])
