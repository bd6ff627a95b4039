"""Ways round obstacles: where along a way one can ride, and from where one still gets through.

Obstacles and edges stand still, so everything about them is worked out before the ride. The stretch before and
beside them is cut into cells, by station and offset. Backwards from its end it is noted of every cell how far
one gets from there, if one may move aside by so much a metre: without end, or up to where all is closed. Who
stays on cells without end rides through, whatever lies behind the bend; and who wants to be elsewhere is led as
near to it as that allows.

A body with momentum moves aside the more slowly the faster it is. There are therefore several levels: at the
first riders are as fast as they like and move aside little a metre, at the others they are slower, move aside
more and come nearer. Each rider is at the first level that leads through from where it is. Where none does, it
brakes and stands before what is closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.kernels import kernel
from swerve.core.way import Way

ALONG, ACROSS = 1.0, 0.1  # [m] of a cell
LEAD = 90.0  # [m] before an obstacle from where on it counts
BEHIND = 6.0  # [m] behind it up to which it does
BEYOND = 400.0  # [m] that riders may go on straight behind the end of a way
AHEAD = 45  # cells that a rider looks at
STRAYED = 4  # cells that a rider may be off one that leads through
EDGE = 0.6  # [m] kept from the edges of a way that has a width
MOST = 20_000_000  # cells
SMOOTHED = 3  # cells to either side over which a line is averaged
FREE = np.float32(1e9)  # how far one gets where nothing is in the way


class Level(NamedTuple):
    """Riders that move aside by `cells` a cell ahead, keep `room` [m] between their middle and obstacles, and
    are as fast as a `share` of their usual speed."""

    cells: int
    room: float
    share: float


LEVELS = (Level(1, 1.3, 1.0), Level(2, 1.0, 0.65), Level(4, 0.8, 0.4))


@dataclass(frozen=True)
class Lines:
    """Where riders should go: `offset` (n, AHEAD + 1) [m] every `ALONG` metres from where they are, `slope` the
    same of it; `share` (n,) of their usual speed; `rest` (n,) [m] up to where all is closed, or `FREE`; `near`
    (n,) whether there is anything to ride round at all."""

    offset: np.ndarray
    slope: np.ndarray
    share: np.ndarray
    rest: np.ndarray
    near: np.ndarray


class Gaps:
    """What `obstacles` (k, 3) of places and radii [m] leave free of a `way`, by default towards +x."""

    def __init__(self, way: Way | None, obstacles: np.ndarray):
        self.way, self.obstacles = way, np.asarray(obstacles, dtype=float)
        self.edged = way is not None and bool(way.left.any() or way.right.any())
        self.closed = way is not None and way.closed
        x, y, r = self.obstacles.T
        offset = y if way is None else way.locate(self.obstacles[:, :2])[1]
        if self.edged and way is not None:
            self.low, high = -float(way.right.max()), float(way.left.max())
        else:
            room = r + LEVELS[0].room + 2.0
            self.low, high = float((offset - room).min()), float((offset + room).max())
        self.columns = int(np.ceil((high - self.low) / ACROSS)) + 1
        if way is None:
            self.first, count = float((x - r).min()) - LEAD, int(np.ptp(x) + 2 * r.max() + LEAD + 50)
        elif self.closed:
            self.first, count = 0.0, max(int(way.length / ALONG), 1)
        else:
            self.first, count = -50.0, int(way.length + 50.0 + BEYOND)
        self.step = way.length / count if way is not None and self.closed else ALONG
        self.row_of = self._stretches(count)
        stations = self.first + self.step * np.flatnonzero(self.row_of >= 0)
        self.reach = np.stack([self._reach(level, stations) for level in LEVELS])

    def _stretches(self, count: int) -> np.ndarray:
        """(count,) the row of each station that is near enough to an obstacle to be looked at, else −1."""
        at = self.first + self.step * np.arange(count)
        middle = np.column_stack([at, np.zeros(count)]) if self.way is None else self.way.place(at)[:, :2]
        wide = max(-self.low, self.low + ACROSS * self.columns, 0.0)
        used = np.zeros(count, dtype=bool)
        for x, y, r in self.obstacles:
            if self.way is None:
                beside = np.abs(at - x) < r + LEVELS[0].room + ALONG
            else:
                beside = np.hypot(middle[:, 0] - x, middle[:, 1] - y) < wide + r + LEVELS[0].room
            for k in np.flatnonzero(np.diff(np.concatenate([[False], beside, [False]]).astype(int)) == 1):
                used[max(k - int(LEAD), 0) : k] = True
                if self.closed and k < LEAD:
                    used[k - int(LEAD) :] = True
            for k in np.flatnonzero(beside):
                used[k : k + int(BEHIND)] = True
        row = np.full(count, -1)
        if used.sum() * self.columns * len(LEVELS) > MOST:
            self.columns = max(int(MOST / (used.sum() * len(LEVELS))), 2)
        row[used] = np.arange(used.sum())
        return row

    def _reach(self, level: Level, stations: np.ndarray) -> np.ndarray:
        """(rows, columns) how far [m] one gets from each cell."""
        offset = self.low + ACROSS * np.arange(self.columns)
        free = np.ones((len(stations), self.columns), dtype=bool)
        trees = cKDTree(self.obstacles[:, :2])
        largest = float(self.obstacles[:, 2].max()) + level.room
        for k, s in enumerate(stations):
            across = np.column_stack([np.full(self.columns, s), offset])
            place = across if self.way is None else self.way.place(across[:, 0], across[:, 1])[:, :2]
            middle, half = place[self.columns // 2], ACROSS * self.columns / 2 + ACROSS
            for j in trees.query_ball_point(middle, half + largest):
                x, y, r = self.obstacles[j]
                free[k] &= np.hypot(place[:, 0] - x, place[:, 1] - y) >= r + level.room
            if self.edged and self.way is not None:
                left, right = float(self.way.at(self.way.left, s)), float(self.way.at(self.way.right, s))
                free[k] &= (offset <= max(left - EDGE, 0.0)) & (offset >= -max(right - EDGE, 0.0))
        rows, reach = len(stations), np.full((len(stations), self.columns), FREE, dtype=np.float32)
        follows = self._next_rows()
        for _ in range(2 if self.closed else 1):
            for k in range(rows - 1, -1, -1):
                best = np.full(self.columns, FREE, dtype=np.float32)
                if follows[k] >= 0:
                    best = _widest(reach[follows[k]], level.cells)
                reach[k] = np.where(free[k], np.minimum(best + self.step, FREE), 0.0)
                reach[k][reach[k] > FREE / 2] = FREE
        return reach

    def _next_rows(self) -> np.ndarray:
        """(rows,) the row behind each, or −1 where nothing is in the way there."""
        after = np.roll(self.row_of, -1)
        if not self.closed:
            after[-1] = -1
        return after[self.row_of >= 0]

    def rest(self, station: np.ndarray, offset: np.ndarray) -> np.ndarray:
        """(n,) [m] how far one gets from there, at the level that gets furthest; `FREE` without end."""
        lines = self.lines(station, offset, np.repeat(offset[:, None], AHEAD + 1, axis=1))
        return lines.rest

    def lines(self, station: np.ndarray, offset: np.ndarray, wanted: np.ndarray) -> Lines:
        """Where riders at `station` and `offset` (n,) should go, who want to be at `wanted` (n, AHEAD + 1)."""
        n = len(station)
        line, level = np.array(wanted, dtype=float), np.zeros(n, dtype=np.int64)
        rest, near = np.full(n, float(FREE)), np.zeros(n, dtype=np.bool_)
        cells = np.array([level.cells for level in LEVELS])
        at = (station - self.first) / self.step
        beyond = np.float32(0.0) if self.edged else FREE
        grid = (self.row_of, self.closed, self.reach, cells, self.low, beyond)
        _lead(at, offset, *grid, line, level, rest, near)
        line[near] = _smoothed(line[near])
        share = np.array([level.share for level in LEVELS])[level]
        return Lines(line, np.gradient(line, self.step, axis=1), share, rest, near)


def _widest(reach: np.ndarray, cells: int) -> np.ndarray:
    """The largest of each cell and so many to either side."""
    best = reach.copy()
    for k in range(1, cells + 1):
        np.maximum(best[k:], reach[:-k], out=best[k:])
        np.maximum(best[:-k], reach[k:], out=best[:-k])
    return best


def _smoothed(line: np.ndarray) -> np.ndarray:
    """Running means; before the first cell a line goes on straight."""
    before = line[:, :1] - (line[:, 1:2] - line[:, :1]) * np.arange(SMOOTHED, 0, -1)
    wide = np.hstack([before, line, np.repeat(line[:, -1:], SMOOTHED, axis=1)])
    total = np.cumsum(np.hstack([np.zeros((len(line), 1)), wide]), axis=1)
    across = 2 * SMOOTHED + 1
    mean: np.ndarray = (total[:, across:] - total[:, :-across]) / across
    return mean


@kernel
def _lead(at, offset, row_of, closed, reach, cells, low, beyond, line, level, rest, near):
    """Lead riders at `at` (n,) cells along, cell by cell: as near to `line` as gets them furthest; `beyond` is how
    far one gets beside all columns."""
    count, columns, ahead = len(row_of), reach.shape[2], line.shape[1]
    for i in range(len(at)):
        begin = int(np.floor(at[i]))
        first = -1  # cells ahead to the first that is near an obstacle
        for h in range(ahead):
            k = begin + h
            k = k % count if closed else k
            if 0 <= k < count and row_of[k] >= 0:
                first = h
                break
        if first < 0:
            continue
        near[i] = True
        if first == 0:
            k = begin % count if closed else begin
            row, mine = row_of[k], int(np.round((offset[i] - low) / ACROSS))
            best, where, far = 0, mine, np.float32(-1.0)
            for lev in range(len(cells)):
                found, gets = mine, np.float32(-1.0)
                for strayed in range(STRAYED + 1):
                    for side in range(2):
                        j = mine + strayed if side == 0 else mine - strayed
                        value = beyond
                        if 0 <= j < columns:
                            value = reach[lev, row, j]
                        if value > gets:
                            found, gets = j, value
                    if gets >= FREE:
                        break
                if gets > far:
                    best, where, far = lev, found, gets
                if far >= FREE:
                    break
            level[i], rest[i] = best, far
            here = where * ACROSS + low
            if where == mine:
                here = offset[i]
        else:
            here = offset[i]
        most = cells[level[i]]
        line[i, 0] = here
        for h in range(1, ahead):
            k = begin + h
            k = k % count if closed else k
            goal = min(max(line[i, h], here - most * ACROSS), here + most * ACROSS)
            if 0 <= k < count and row_of[k] >= 0:
                row = row_of[k]
                mid, want = int(np.round((here - low) / ACROSS)), int(np.round((goal - low) / ACROSS))
                picked, gets, off = want, np.float32(-1.0), 1 << 30
                for j in range(mid - most, mid + most + 1):
                    value = beyond
                    if 0 <= j < columns:
                        value = reach[level[i], row, j]
                    away = abs(j - want)
                    if value > gets + 0.5 or (value > gets - 0.5 and away < off):
                        picked, gets, off = j, max(value, gets), away
                if picked != want:
                    goal = picked * ACROSS + low
            here = goal
            line[i, h] = here
