"""Roads cut into districts: which owns a strip, and which must know who is on it.

What a driver decides in a step depends on others only through the lanes it is on, the junction that these
lead to, and the lanes beyond. So a town falls into *cells*, a junction with the lanes that lead to it, which
are never cut through. To decide exactly for its cells a district must know everybody in them, in the cells
next to them (who is let into the lanes between is decided there), and on the lanes that leave those.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from swerve.core.errors import require

from ..roads.roads import CONNECTOR, LANE, Roads

MOST = 60  # districts: each is a bit of a number


@dataclass(frozen=True)
class Cut:
    """`owner` (strips,) the district of each strip, `interest` (strips,) a bit for each district that must
    know who is on it, `walk_owner` (crosswalks,) the district that says which crosswalks cars have taken."""

    count: int
    owner: np.ndarray  # int32
    interest: np.ndarray  # int64
    walk_owner: np.ndarray  # int32


def check_count(roads: Roads, count: int, called: str = "districts") -> None:
    """Refuse a number of districts that these roads cannot be cut into."""
    require(1 <= count <= MOST, called, count, f"must be between 1 and {MOST}")
    cells = int(cells_of(roads).max(initial=-1)) + 1
    require(
        count <= cells, called, count, f"must be at most {cells}, the pieces that these roads can be cut into"
    )


def cut(roads: Roads, count: int) -> Cut:
    """Into `count` districts of about the same length of lane, each in one piece as far as that goes."""
    check_count(roads, count)
    cell = cells_of(roads)
    cells = int(cell.max(initial=-1)) + 1
    lane = roads.kind == LANE
    weight = np.bincount(cell, np.where(lane, roads.length, 0.0), cells)
    points = np.bincount(cell, minlength=cells)
    middle = (roads.first[:-1] + roads.first[1:]) // 2
    at = np.stack([np.bincount(cell, line[middle], cells) / points for line in (roads.x, roads.y)], -1)
    district = np.zeros(cells, np.int32)
    _share_out(at, weight, np.arange(cells), np.arange(count, dtype=np.int32), district)
    walks = roads.crossings
    first = np.minimum(walks.strip_first[:-1], max(0, len(walks.strip) - 1))
    owner = district[cell]
    nobody = np.zeros(len(walks), np.int32)
    walk_owner = owner[walks.strip[first]] if len(walks.strip) else nobody
    return Cut(count, owner, _interest(roads, cell, district, count), walk_owner.astype(np.int32))


def cells_of(roads: Roads) -> np.ndarray:
    """(strips,) the number of the cell that each belongs to."""
    n = len(roads)
    every = np.arange(n)
    start = np.repeat(every, np.diff(roads.after_first))
    within = (roads.kind[start] == LANE) | (roads.kind[roads.after] == CONNECTOR)
    end = np.repeat(every, np.diff(roads.before_first))
    walks = roads.crossings
    crossing = np.repeat(np.arange(len(walks)), np.diff(walks.strip_first))
    driven = roads.kind[walks.strip] == CONNECTOR
    inside = roads.junction >= 0
    ties = [
        (start[within], roads.after[within]),
        (every[roads.inner >= 0], roads.inner[roads.inner >= 0]),
        (every[roads.outer >= 0], roads.outer[roads.outer >= 0]),
        (np.repeat(every, np.diff(roads.conflict_first)), roads.conflict_with),
        _alike(every[inside], roads.junction[inside]),
        _alike(walks.strip[driven], crossing[driven]),
        _alike(roads.before, end, roads.kind[roads.before] == CONNECTOR),
    ]
    a, b = (np.concatenate([tie[side] for tie in ties]) for side in (0, 1))
    graph = coo_array((np.ones(len(a), bool), (a, b)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], np.int32)


def _alike(
    strips: np.ndarray, of: np.ndarray, where: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Ties of all strips that share a number to the first that has it."""
    if where is not None:
        strips, of = strips[where], of[where]
    _, first, which = np.unique(of, return_index=True, return_inverse=True)
    return strips, strips[first[which]]


def _interest(roads: Roads, cell: np.ndarray, district: np.ndarray, count: int) -> np.ndarray:
    start = np.repeat(np.arange(len(roads)), np.diff(roads.after_first))
    beside = np.flatnonzero(roads.opposite >= 0)
    a = np.concatenate([cell[start], cell[beside]])
    b = np.concatenate([cell[roads.after], cell[roads.opposite[beside]]])
    interest = np.zeros(len(roads), np.int64)
    for k in range(count):
        known = district == k
        near = known.copy()
        near[b[known[a]]] = True
        near[a[known[b]]] = True
        mine = near[cell]
        leaving = mine[start] & (roads.kind[start] == CONNECTOR)
        mine[roads.after[leaving]] = True
        interest[mine] |= np.int64(1) << np.int64(k)
    return interest


def _share_out(
    at: np.ndarray, weight: np.ndarray, rows: np.ndarray, names: np.ndarray, district: np.ndarray
) -> None:
    """Halve the cells across their longer side, and again, by shares of the weight."""
    if len(names) == 1:
        district[rows] = names[0]
        return
    half = len(names) // 2
    spread = np.ptp(at[rows], axis=0)
    axis = int(spread[1] > spread[0])
    rows = rows[np.lexsort((at[rows, 1 - axis], at[rows, axis].round(3)))]
    done = np.cumsum(weight[rows])
    place = int(np.searchsorted(done, done[-1] * half / len(names), side="left")) + 1
    place = min(max(place, half), len(rows) - (len(names) - half))
    _share_out(at, weight, rows[:place], names[:half], district)
    _share_out(at, weight, rows[place:], names[half:], district)
