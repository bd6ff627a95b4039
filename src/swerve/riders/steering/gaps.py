"""Ways round obstacles: where along a way one can ride, and from where one still gets through.

Obstacles and edges stand still, so all about them is worked out before the ride. The stretch before and
beside them is cut into cells, by station and offset. A body with momentum moves aside the more slowly the
faster it is. There are therefore several levels: at the first riders are as fast as they like and move aside
little a metre, at the others they are slower, move aside more and come nearer. Backwards from the end of the
stretch it is noted of every cell how long it takes from there, each cell at the quickest level that will do.
Who is led along the quickest cells rides through, whatever lies behind the bend, and moves aside early rather
than steeply; of cells that are as quick it takes those nearest to where it wants to be.

Where no level leads through, riders are led as far as one gets, brake, and stand before what is closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.errors import require
from swerve.core.progress import track
from swerve.core.way import Way

from .lead import ACROSS, lead, smoothed

ALONG = 1.0  # [m] of a cell
LEAD = 90.0  # [m] before an obstacle from where on it counts
BEHIND = 6.0  # [m] behind it up to which it does
BEYOND = 400.0  # [m] that riders may go on straight behind the end of a way
AHEAD = 45  # cells that a rider looks at
CREEP = 3.0  # [m/s] below which nobody is told to be who is to get through
EDGE = 0.6  # [m] kept from the edges of a way that has a width
MOST = 20_000_000  # cells
WIDE, FURTHEST = 100.0, 1_000_000.0  # [m] aside of a way without edges, and along, that are looked at
STOPPING, STOPS = 1.2, 2.0  # [s] until riders brake who start before something, and [m/s²] by how much
GRIP, SLOWEST = 2.8, 0.6  # [m/s²]; share of a level's speed that is kept in the bends of lines
RIDER, SKEW = (1.8, 0.6), 0.15  # [m] length and width of a cyclist; slope that makes long ones wide
FREE = np.float32(1e9)  # how far one gets where nothing is in the way


class Level(NamedTuple):
    """Riders that move aside by `cells` a cell ahead, keep `room` [m] between their middle and obstacles, and
    are as fast as a `share` of their usual speed."""

    cells: int
    room: float
    share: float


# who turns cuts the corner, the more the faster it is and the more it turns
LEVELS = (
    Level(1, 1.3, 1.0),
    Level(2, 1.15, 0.65),
    Level(1, 0.85, 0.4),
    Level(4, 1.15, 0.4),
    Level(6, 1.15, 0.3),
)
ROOMS = np.unique([level.room for level in LEVELS])[::-1]  # [m] the widest first
SHUT = len(ROOMS)  # the room of cells that nobody rides on
STEEPEST = max(level.cells for level in LEVELS)
SHARES = np.array(
    [
        [
            max((one.share for one in LEVELS if one.room <= room and one.cells >= aside), default=0.0)
            for aside in range(STEEPEST + 1)
        ]
        for room in ROOMS
    ]
)  # of the usual speed, by room and by cells moved aside; 0 where nobody does
ONSET, EASING = 0.7, 1.4  # [s] until riders slow down for a slower level, and [m/s²] by how much


@dataclass(frozen=True)
class Lines:
    """Where riders should go: `offset` (n, AHEAD + 1) [m] every `ALONG` metres from where they are, and its
    `slope`; `share` (n, AHEAD + 1) of their usual speed there; `rest` (n,) [m] up to where all is closed, or
    `FREE`; `near` (n,) whether there is anything to ride round at all; `bend` (n, AHEAD + 1) [1/m] how much
    riders have to turn, beside what the way asks of them, with `grip` [m/s²]; `stretch` (n,) metres of
    way a metre that they ride: more inside a bend; `round_trip` [m] is the length of a closed way, of others
    infinite."""

    offset: np.ndarray
    slope: np.ndarray
    share: np.ndarray
    rest: np.ndarray
    near: np.ndarray
    bend: np.ndarray
    stretch: np.ndarray
    grip: float
    round_trip: float

    def speed(self, usual: np.ndarray, now: np.ndarray) -> np.ndarray:
        """(n,) [m/s] how fast riders may be, who are as fast as `now` and ride at `usual` (n,) elsewhere."""
        later = self.share * usual[:, None]
        later *= np.clip(np.sqrt(self.grip / np.maximum(self.bend, 1e-6)) / later.clip(1e-6), SLOWEST, 1.0)
        later = np.maximum(later, np.minimum(CREEP, usual)[:, None])
        far = np.maximum(ALONG * np.arange(AHEAD + 1) - ONSET * now[:, None], 0.0)
        least: np.ndarray = np.sqrt(np.min(later**2 + 2 * EASING * far, axis=1))
        return np.minimum(least, usual)


class Gaps:
    """What `obstacles` (k, 3) of places and radii [m] leave free of a `way`, by default towards +x; `grip`
    [m/s²] is what riders spend on turning round them, `size` their length and width [m]."""

    def __init__(
        self,
        way: Way | None,
        obstacles: np.ndarray,
        grip: float = GRIP,
        size: tuple[float, float] = RIDER,
    ):
        self.way, self.grip = way, grip
        # [m] more than the cyclists need whom the rooms are made for
        self.more = max((size[1] - RIDER[1]) / 2 + SKEW * (size[0] - RIDER[0]) / 2, 0.0)
        self.edged = way is not None and bool(way.left.any() or way.right.any())
        self.closed = way is not None and way.closed
        obstacles = np.unique(np.asarray(obstacles, dtype=float).reshape(-1, 3), axis=0)
        offset = obstacles[:, 1] if way is None else way.locate(obstacles[:, :2])[1]
        if way is not None:  # what stands further off is in nobody's way
            wide = max(way.left.max(), way.right.max()) or WIDE
            kept = np.abs(offset) - obstacles[:, 2] < wide + ROOMS[0]
            obstacles, offset = obstacles[kept], offset[kept]
        self.obstacles = obstacles
        x, _, r = obstacles.T
        room = r + ROOMS[0] + self.more + 2.0
        self.low = float(np.min(offset - room, initial=0.0))
        high = float(np.max(offset + room, initial=0.0))
        if way is not None:
            self.low, high = max(self.low, -WIDE), min(high, WIDE)
        if way is not None and self.edged:
            self.low, high = -float(way.right.max()), float(way.left.max())
        self.columns = int(np.ceil((high - self.low) / ACROSS)) + 1
        if not len(obstacles):
            self.first, count = 0.0, 1
        elif way is None:
            span = float(np.ptp(x) + 2 * r.max() + LEAD)
            require(span < FURTHEST, "obstacles", f"{span:.0f} m", f"must lie within {FURTHEST:.0f} m;")
            self.first, count = float((x - r).min()) - LEAD, int(span) + 50
        elif self.closed:
            self.first, count = 0.0, max(int(way.length / ALONG), 1)
        else:
            self.first, count = -50.0, int(way.length + 50.0 + BEYOND)
        self.step = way.length / count if way is not None and self.closed else ALONG
        self.row_of = self._stretches(count)
        stations = self.first + self.step * np.flatnonzero(self.row_of >= 0)
        self.room = self._rooms(stations)
        self.time, self.reach = self._back()

    def _stretches(self, count: int) -> np.ndarray:
        """(count,) the row of each station that is near enough to an obstacle to be looked at, else −1."""
        at = self.first + self.step * np.arange(count)
        middle = np.column_stack([at, np.zeros(count)]) if self.way is None else self.way.place(at)[:, :2]
        wide = max(-self.low, self.low + ACROSS * self.columns, 0.0)
        beside, used = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        for x, y, r in self.obstacles:
            if self.way is None:
                beside |= np.abs(at - x) < r + ROOMS[0] + self.more + ALONG
            else:
                beside |= np.hypot(middle[:, 0] - x, middle[:, 1] - y) < wide + r + ROOMS[0] + self.more
        for k in np.flatnonzero(np.diff(np.concatenate([[False], beside, [False]]).astype(int)) == 1):
            used[max(k - int(LEAD), 0) : k] = True
            if self.closed and k < LEAD:
                used[k - int(LEAD) :] = True
        for k in np.flatnonzero(beside):
            used[k : k + int(BEHIND)] = True
        row = np.full(count, -1)
        field = int(used.sum()) * self.columns
        require(field < MOST, "obstacles", len(self.obstacles), "take too large a field to be ridden round;")
        row[used] = np.arange(used.sum())
        return row

    def _rooms(self, stations: np.ndarray) -> np.ndarray:
        """(rows, columns) which of `ROOMS` each cell leaves, or `SHUT`."""
        offset = self.low + ACROSS * np.arange(self.columns)
        rooms = np.zeros((len(stations), self.columns), dtype=np.int8)
        tree, steps = cKDTree(self.obstacles[:, :2]), ROOMS[::-1]
        largest = float(self.obstacles[:, 2].max(initial=0.0)) + ROOMS[0] + self.more
        for k, s in track(list(enumerate(stations)), "obstacles"):
            across = np.column_stack([np.full(self.columns, s), offset])
            place = across if self.way is None else self.way.place(across[:, 0], across[:, 1])[:, :2]
            middle, half = place[self.columns // 2], ACROSS * self.columns / 2 + ACROSS
            near = self.obstacles[tree.query_ball_point(middle, half + largest)]
            if len(near):
                room = (np.hypot(*(place[:, None] - near[:, :2]).transpose(2, 0, 1)) - near[:, 2]).min(axis=1)
                rooms[k] = SHUT - np.searchsorted(steps, room - self.more, side="right")
            if self.edged and self.way is not None:
                left, right = float(self.way.at(self.way.left, s)), float(self.way.at(self.way.right, s))
                edge = EDGE + self.more
                inside = (offset <= max(left - edge, 0.0)) & (offset >= -max(right - edge, 0.0))
                rooms[k][~inside] = SHUT
        return rooms

    def _back(self) -> tuple[np.ndarray, np.ndarray]:
        """(rows, columns) how long it takes through from each cell, in cells at the usual speed, infinite
        where nobody gets through; and how far [m] one gets."""
        shape, follows = self.room.shape, self._next_rows()
        time, reach = np.zeros(shape, dtype=np.float32), np.full(shape, FREE, dtype=np.float32)
        for _ in range(2 if self.closed else 1):
            for k in range(shape[0] - 1, -1, -1):
                after = follows[k]
                left = time[after] if after >= 0 else np.zeros(shape[1], dtype=np.float32)
                quickest = np.full(shape[1], np.inf, dtype=np.float32)
                for level in LEVELS:
                    takes = np.float32(1 / level.share) - _widest(-left, level.cells)
                    enough = self.room[k] <= np.flatnonzero(level.room <= ROOMS)[-1]
                    quickest = np.where(enough, np.minimum(quickest, takes), quickest)
                far = _widest(reach[after], 1) if after >= 0 else FREE
                time[k] = quickest
                reach[k] = np.where(self.room[k] < SHUT, np.minimum(far + self.step, FREE), 0.0)
                reach[k][reach[k] > FREE / 2] = FREE
        return time, reach

    def _next_rows(self) -> np.ndarray:
        """(rows,) the row behind each, or −1 where nothing is in the way there."""
        after = np.roll(self.row_of, -1)
        if not self.closed:
            after[-1] = -1
        return after[self.row_of >= 0]

    def safe(self, station: np.ndarray, offset: np.ndarray, speed: float) -> np.ndarray:
        """(n,) whether riders there at `speed` [m/s] get through as they are, or can brake for what comes."""
        lines = self.lines(station, offset, np.repeat(offset[:, None], AHEAD + 1, axis=1))
        usual = np.full(len(station), speed)
        stops = lines.rest > STOPPING * speed + speed**2 / (2 * STOPS)
        return ~lines.near | (stops & (lines.speed(usual, usual) >= 0.99 * speed))

    def closed_behind(self, station: float) -> float | None:
        """Station [m], behind that one, where nobody gets any further, however slow, or None."""
        stations = self.first + self.step * np.flatnonzero(self.row_of >= 0)
        rest = self.reach.max(axis=1)
        shut = np.flatnonzero(np.isinf(self.time.min(axis=1)) & (stations + rest >= station))
        return float(stations[shut[0]] + rest[shut[0]]) if len(shut) else None

    def lines(self, station: np.ndarray, offset: np.ndarray, wanted: np.ndarray) -> Lines:
        """Where riders at `station` and `offset` (n,) should go who want to be at `wanted` (n, AHEAD + 1)."""
        n = len(station)
        line, share = np.array(wanted, dtype=float), np.ones((n, AHEAD + 1))
        rest, near = np.full(n, float(FREE)), np.zeros(n, dtype=np.bool_)
        grid = (self.row_of, self.closed, self.room, self.time, self.reach, self.low, self.edged, SHARES)
        lead((station - self.first) / self.step, offset, *grid, line, share, rest, near)
        line[near] = smoothed(line[near])
        trip = self.way.length if self.way is not None and self.closed else np.inf
        slope = np.gradient(line, self.step, axis=1)
        bend, stretch = np.abs(np.gradient(slope, self.step, axis=1)), np.ones(n)
        if self.way is not None:
            ahead = station[:, None] + self.step * np.arange(AHEAD + 1)
            bend += np.abs(self.way.at(self.way.curvature, ahead)) * (bend > 0.005)
            stretch = 1 / np.maximum(1 - self.way.at(self.way.curvature, station) * offset, 0.4)
        return Lines(line, slope, share, rest, near, bend, stretch, self.grip, trip)


def _widest(reach: np.ndarray, cells: int) -> np.ndarray:
    """The largest of each cell and so many to either side."""
    best = reach.copy()
    for k in range(1, cells + 1):
        np.maximum(best[k:], reach[:-k], out=best[k:])
        np.maximum(best[:-k], reach[k:], out=best[:-k])
    return best
