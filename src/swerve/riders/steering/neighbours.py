"""Who is nearest to whom in a herd, and who hangs together: riders are sorted into cells, and each looks at
those round its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.kernels import inlined, inner, kernel

from ..bodies.threads import in_slices

NEIGHBOURS = 6  # that a rider minds
PER_CELL = 3.0  # riders, were they spread evenly: the six nearest are then mostly within one cell around
CROWDED = 40  # riders in one cell from which on a tree is quicker
MOST_CELLS = 2048  # along a side


class Cells(NamedTuple):
    """Riders sorted by cells of `size` [m], (rows, columns) of which are `shape` and begin at `low`: their
    `places` (n, 2), who they are `order` (n,), their cells `at` (n, 2), where cells begin `starts`."""

    places: np.ndarray
    order: np.ndarray
    at: np.ndarray
    starts: np.ndarray
    shape: np.ndarray
    low: np.ndarray
    size: float


def into_cells(x: np.ndarray, y: np.ndarray, size: float) -> Cells:
    """Riders at x, y (n,) sorted into cells of `size` [m], or larger ones where there would be too many."""
    places = np.column_stack([x, y])
    low, wide = places.min(axis=0), np.ptp(places, axis=0)
    size = max(size, float(wide.max()) / MOST_CELLS, 1e-3)
    shape = (wide / size).astype(np.int64) + 1
    starts = np.zeros(int(shape.prod()) + 1, dtype=np.int64)
    order, at, sorted_places = (
        np.empty(len(x), np.int64),
        np.empty((len(x), 2), np.int64),
        np.empty((len(x), 2)),
    )
    _sort_into_cells(places, low, size, shape, starts, order, at, sorted_places)
    return Cells(sorted_places, order, at, starts, shape, low, size)


@kernel
def _sort_into_cells(
    places: np.ndarray,
    low: np.ndarray,
    size: float,
    shape: np.ndarray,
    starts: np.ndarray,
    order: np.ndarray,
    at: np.ndarray,
    sorted_places: np.ndarray,
) -> None:
    """Count, then deal out: riders of one cell stay in their order."""
    n = len(places)
    where = np.empty(n, dtype=np.int64)
    for i in range(n):
        a = min(int((places[i, 0] - low[0]) / size), shape[0] - 1)
        b = min(int((places[i, 1] - low[1]) / size), shape[1] - 1)
        where[i] = a * shape[1] + b
        starts[where[i] + 1] += 1
    for k in range(1, len(starts)):
        starts[k] += starts[k - 1]
    free = starts[:-1].copy()
    for i in range(n):
        cell = where[i]
        k = free[cell]
        free[cell] += 1
        order[k] = i
        at[k, 0], at[k, 1] = cell // shape[1], cell % shape[1]
        sorted_places[k, 0], sorted_places[k, 1] = places[i, 0], places[i, 1]


def find_neighbours(x: np.ndarray, y: np.ndarray, threads: int = 1) -> np.ndarray:
    """(n, k) the nearest others of every rider, the nearest first, of two as near the first; fewer than
    `NEIGHBOURS` in a small herd."""
    count = min(NEIGHBOURS, len(x) - 1)
    if count < 1:
        return np.empty((len(x), 0), dtype=np.int64)
    room = max(float(np.ptp(x)), 1.0) * max(float(np.ptp(y)), 1.0) / len(x)
    cells = into_cells(x, y, float(np.sqrt(PER_CELL * room)))
    if np.diff(cells.starts).max() > CROWDED:
        return _by_tree(np.column_stack([x, y]), count, threads)
    out = np.empty((len(x), count), dtype=np.int64)
    in_slices(lambda rows: _nearest_others(rows.start, rows.stop, cells, out), len(x), threads)
    return out


def _by_tree(places: np.ndarray, count: int, threads: int) -> np.ndarray:
    found: np.ndarray = cKDTree(places, balanced_tree=False).query(places, k=count + 1, workers=threads)[1]
    mine = found == np.arange(len(places))[:, None]
    mine[:, -1] |= ~mine.any(axis=1)  # more than so many on one spot
    return np.ascontiguousarray(found[~mine].reshape(len(places), count))


@kernel
def _nearest_others(first, stop, cells, out):
    places, order, at, starts, shape, low, cell = cells
    count = out.shape[1]
    far, who = np.empty(count), np.empty(count, np.int64)
    for i in range(first, stop):
        x, y, me = places[i, 0], places[i, 1], order[i]
        row, column = at[i, 0], at[i, 1]
        left, below = x - low[0] - row * cell, y - low[1] - column * cell
        inner = max(min(left, cell - left, below, cell - below), 0.0)  # [m] to the nearest side of its cell
        far[:], who[:] = np.inf, -1
        ring = 0
        while ring <= max(shape[0], shape[1]):
            for r in range(max(row - ring, 0), min(row + ring, shape[0] - 1) + 1):
                whole = ring == 0 or r == row - ring or r == row + ring
                for c in range(column - ring, column + ring + 1, 1 if whole else 2 * ring):
                    if c < 0 or c >= shape[1]:
                        continue
                    for m in range(starts[r * shape[1] + c], starts[r * shape[1] + c + 1]):
                        square = (places[m, 0] - x) ** 2 + (places[m, 1] - y) ** 2
                        if square <= far[count - 1] and order[m] != me:
                            _put_in(square, order[m], far, who)
            if far[count - 1] < (inner + ring * cell) ** 2:  # nobody further out is nearer
                break
            ring += 1
        out[me] = who


@inner
@inlined
def _put_in(square, other, far, who):
    """Put somebody among the nearest, who are sorted; the last one goes."""
    k = len(far) - 1
    if square == far[k] and other > who[k]:
        return
    while k > 0 and (square < far[k - 1] or (square == far[k - 1] and other < who[k - 1])):
        far[k], who[k] = far[k - 1], who[k - 1]
        k -= 1
    far[k], who[k] = square, other


def count_groups(x: np.ndarray, y: np.ndarray, link: float) -> int:
    """How many groups there are: chains of riders within `link` [m] of each other."""
    group = np.arange(len(x))
    return int(_join_cells(into_cells(x, y, link), link * link, group))


@kernel
def _join_cells(cells, square, group):
    places, _, at, starts, shape, _, _ = cells
    groups = len(group)
    for i in range(len(group)):
        for r in range(at[i, 0], min(at[i, 0] + 1, shape[0] - 1) + 1):
            for c in range(max(at[i, 1] - 1, 0), min(at[i, 1] + 1, shape[1] - 1) + 1):
                for m in range(max(starts[r * shape[1] + c], i + 1), starts[r * shape[1] + c + 1]):
                    if (places[m, 0] - places[i, 0]) ** 2 + (places[m, 1] - places[i, 1]) ** 2 > square:
                        continue
                    a, b = first_of(group, i), first_of(group, m)
                    if a != b:
                        group[max(a, b)] = min(a, b)
                        groups -= 1
    return groups


@inner
@inlined
def first_of(group, i):
    """The first member of a rider's group, by whom it is told; ways there are shortened."""
    while group[i] != i:
        group[i] = group[group[i]]
        i = group[i]
    return i
