"""A track: a centre line with a width on either side, walls along its edges, a start and a finish.

Everything the planner needs of a place is made here: the walls for collision tests, and a map from any
point of the road to its progress along the centre line.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from swerve.core.broadphase import WallMap
from swerve.core.errors import BadInput, require
from swerve.core.geometry import arc_length, resample
from swerve.core.way import Way

from .bridges import NEAR, Bridge, find_bridges, gap

SPACING = 2.0  # [m] between points of the centre line
RUN_OFF = 40.0  # [m] of road behind the finish of an open track
LONGEST = 100_000.0  # [m] of a track
NARROWEST = 3.0  # [m] a road must be at least this wide for a car of 1.8 m


@dataclass(frozen=True)
class Lane:
    """Cars that drive along the track at a fixed distance left of the centre line."""

    offset: float  # [m] positive left
    speed: float  # [m/s]
    spacing: float  # [m] from car to car
    first: float = 40.0  # [m] progress of the first car
    last: float = np.inf  # [m] no car starts beyond


@dataclass(frozen=True)
class Loop:
    """Cars that go round inside a wide part of the road: up one side, back down another, in a wavy line."""

    up: float  # [m] left of the centre line, on the way forward
    down: float  # [m] and on the way back
    start: float  # [m] progress between which they turn
    stop: float
    speed: float  # [m/s]
    spacing: float  # [m] from car to car
    sway: float = 0.0  # [m] to the left and back
    waves: int = 5  # between start and stop


@dataclass(frozen=True)
class Track:
    """`centre` (n, 2) and widths `right`, `left` (n,) [m], evenly spaced; built by `Track.from_centre`.

    An open track goes on straight for `RUN_OFF` metres behind its finish, so that a car can cross the line
    at speed.
    """

    name: str
    centre: np.ndarray
    right: np.ndarray
    left: np.ndarray
    closed: bool = False
    lanes: tuple[Lane | Loop, ...] = field(default=())
    start: tuple[float, float, float] | None = None  # x, y, heading of whoever does not start along the road
    bridges: tuple[Bridge, ...] = ()

    @classmethod
    def from_centre(
        cls,
        name: str,
        centre: np.ndarray,
        right: float | np.ndarray,
        left: float | np.ndarray,
        closed: bool = False,
        lanes: tuple[Lane | Loop, ...] = (),
        narrowest: float = NARROWEST,
        bridges: bool = False,
    ) -> Track:
        """Check a centre line and its widths and space its points evenly.

        Refuses numbers that are not finite, roads narrower than `narrowest` [m], and tracks that cross
        themselves, unless `bridges` says that they do so on two levels.
        """
        where = f"track {name}"
        centre = np.asarray(centre, dtype=np.float64)
        if centre.ndim != 2 or centre.shape[1] != 2 or len(centre) < 3:
            raise BadInput(where, centre.shape, "centre line needs at least 3 points of x and y; shape")
        table = np.column_stack(
            [centre, np.broadcast_to(right, len(centre)), np.broadcast_to(left, len(centre))]
        )
        bad = ~np.isfinite(table)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise BadInput(
                f"{where}, point {row + 1}, {('x', 'y', 'right width', 'left width')[column]}",
                float(table[row, column]),
                "must be a finite number",
            )
        for column, side in ((2, "right"), (3, "left")):
            if (table[:, column] <= 0).any():
                row = int(np.argmin(table[:, column]))
                raise BadInput(
                    f"{where}, point {row + 1}, {side} width", float(table[row, column]), "must be positive"
                )
        total = table[:, 2] + table[:, 3]
        if total.min() < narrowest:
            row = int(np.argmin(total))
            raise BadInput(
                f"{where}, point {row + 1}, width",
                float(total[row]),
                f"is too narrow; at least {narrowest:g} m",
            )
        if closed and np.hypot(*(table[0, :2] - table[-1, :2])) < 1e-6:
            table = table[:-1]
        steps = np.hypot(*np.diff(table[:, :2], axis=0).T)
        table = table[np.concatenate([[True], steps > 1e-9])]
        length = float(arc_length(table[:, :2], closed)[-1])
        require(length <= LONGEST, where, length, f"is too long; at most {LONGEST:g} m")
        table = resample(table, SPACING, closed)
        if len(table) < 8:
            raise BadInput(where, float(arc_length(table[:, :2], closed)[-1]), "is too short; metres")
        track = cls(name, table[:, :2], table[:, 2], table[:, 3], closed, lanes)
        try:
            track._refuse_crossing()
        except BadInput:
            if not bridges:
                raise
            track = track._with_bridges()
            track._refuse_crossing()
        if min(len(edge) for edge in track.edges) < 3:
            raise BadInput(where, None, "bends more tightly than its road is wide, all the way round")
        return track if closed else track._with_run_off()

    @cached_property
    def way(self) -> Way:
        """The centre line with its widths."""
        return Way(self.centre, self.right, self.left, np.zeros(len(self.centre)), self.closed, self.name)

    @property
    def s(self) -> np.ndarray:
        """Progress (n,) of each point of the centre line [m]."""
        return self.way.station

    @property
    def length(self) -> float:
        return self.way.length

    @property
    def finish(self) -> float:
        """Progress [m] of the finish line: the end of an open track, one lap of a closed one."""
        return self.length if self.closed else self.length - RUN_OFF

    @property
    def tangent(self) -> np.ndarray:
        return self.way.tangent

    @property
    def normal(self) -> np.ndarray:
        """Unit vectors (n, 2) to the left."""
        return self.way.normal

    @property
    def tightest_radius(self) -> float:
        """Of the centre line [m]."""
        return float(1.0 / max(np.abs(self.way.curvature).max(), 1e-9))

    @cached_property
    def _sides(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Right and left wall as polylines (k, 2), and the stations (k,) that their points belong to."""
        sides = []
        for width, line in zip((self.right, self.left), self.way.edges(), strict=True):
            nearest, index = self.way.nearest.query(line)
            kept = nearest > np.minimum(width, width[index]) - 0.35 * SPACING
            for bridge in self.bridges:
                kept |= (self._gap(self.s, bridge.under) < bridge.half) | (
                    self._gap(self.s, bridge.over) < bridge.half
                )
            sides.append((line[kept], self.s[kept]))
        return sides

    @property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Right and left wall as polylines, without the loops that offsetting makes inside tight bends."""
        return self._sides[0][0], self._sides[1][0]

    @cached_property
    def segments(self) -> np.ndarray:
        """All walls (m, 4): both edges, and across both ends of an open track."""
        lines = [np.vstack([e, e[:1]]) if self.closed else e for e in self.edges]
        rows = [np.hstack([line[:-1], line[1:]]) for line in lines]
        if not self.closed:
            for end in (0, -1):
                rows.append(np.hstack([self.edges[0][end], self.edges[1][end]])[None])
        return np.vstack(rows)

    @cached_property
    def walls(self) -> WallMap:
        return WallMap(self.segments)

    @cached_property
    def levels(self) -> tuple[WallMap, WallMap]:
        """The walls for whoever is not on a bridge, and for whoever is; the same where there is none."""
        if not self.bridges:
            return self.walls, self.walls
        ends = [] if self.closed else [self.s[0], self.s[-1]]
        stations = [s if self.closed else s[:-1] for _, s in self._sides]
        station = np.concatenate([*stations, ends])
        other = [np.zeros(len(station), bool), np.zeros(len(station), bool)]
        for bridge in self.bridges:
            other[0] |= self._gap(station, bridge.over) < bridge.half
            other[1] |= self._gap(station, bridge.under) < bridge.half
        return WallMap(self.segments[~other[0]]), WallMap(self.segments[~other[1]])

    def on_bridge(self, s: np.ndarray) -> np.ndarray:
        """Whether a car at progress `s` (...,) is on a bridge or about to be."""
        over = np.zeros(np.shape(s), bool)
        for bridge in self.bridges:
            over |= self._gap(s, bridge.over) < bridge.half + NEAR
        return over

    def pose(self, s: float | np.ndarray, offset: float | np.ndarray = 0.0) -> np.ndarray:
        """Poses (..., 3) along the track at progress `s`, `offset` metres left of the centre line."""
        return self.way.place(s if self.closed else np.clip(s, 0, self.s[-1]), offset)

    def progress(
        self, points: np.ndarray, expected: np.ndarray | float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Progress and distance left of the centre line of `points` (..., 2); the `expected` progress (...,),
        that of a moment ago, tells the levels of a bridge apart.
        """
        return self.way.locate(points, expected if self.bridges else None)

    def progress_in_turn(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same of places (n, 2) that were passed one after the other."""
        along, beside = self.progress(points)
        if not self.bridges:
            return along, beside
        unsure = self.on_bridge(along)
        for bridge in self.bridges:
            unsure |= self._gap(along, bridge.under) < bridge.half + NEAR
        known = int(np.argmin(unsure))
        for k in range(known + 1, len(points)):
            if unsure[k]:
                along[k], beside[k] = self.progress(points[k], along[k - 1])
        for k in range(known - 1, -1, -1):
            along[k], beside[k] = self.progress(points[k], along[k + 1])
        return along, beside

    def _with_run_off(self) -> Track:
        spacing = self.s[1] - self.s[0]
        count = int(np.ceil(RUN_OFF / spacing))
        step = RUN_OFF / count * np.arange(1, count + 1)[:, None] * self.tangent[-1]
        table = np.column_stack([self.centre, self.right, self.left])
        more = np.column_stack(
            [self.centre[-1] + step, np.full(count, self.right[-1]), np.full(count, self.left[-1])]
        )
        table = resample(np.vstack([table, more]), SPACING)
        return Track(
            self.name, table[:, :2], table[:, 2], table[:, 3], False, self.lanes, self.start, self.bridges
        )

    def _gap(self, a: np.ndarray | float, b: np.ndarray | float) -> np.ndarray:
        return gap(a, b, self.length if self.closed else np.inf)

    def _with_bridges(self) -> Track:
        reach = np.maximum(self.right, self.left)
        return replace(self, bridges=find_bridges(self.centre, self.s, reach, self.length, self.closed))

    def _refuse_crossing(self) -> None:
        """Two stretches that are far apart along the road must be apart on the ground."""
        reach = np.maximum(self.right, self.left)
        pairs = self.way.nearest.query_pairs(2 * reach.max(), output_type="ndarray")
        if len(pairs) == 0:
            return
        along = np.abs(self.s[pairs[:, 0]] - self.s[pairs[:, 1]])
        if self.closed:
            along = np.minimum(along, self.length - along)
        d = self.centre[pairs[:, 1]] - self.centre[pairs[:, 0]]
        apart = np.hypot(*d.T)
        a, b = pairs.T
        # the width of each stretch on the side that faces the other
        facing_a = np.where((d * self.normal[a]).sum(1) > 0, self.left[a], self.right[a])
        facing_b = np.where((d * self.normal[b]).sum(1) < 0, self.left[b], self.right[b])
        needed = facing_a + facing_b
        crossing = (apart < needed) & (along > np.pi / 2 * needed + 4 * SPACING)
        for bridge in self.bridges:
            for low, high in ((self.s[a], self.s[b]), (self.s[b], self.s[a])):
                beside = np.maximum(self._gap(low, bridge.under), self._gap(high, bridge.over))
                crossing &= beside > bridge.half
        if crossing.any():
            worst = int(np.argmax(np.where(crossing, needed - apart, -np.inf)))
            s0, s1 = sorted((self.s[a[worst]], self.s[b[worst]]))
            raise BadInput(
                f"track {self.name}",
                None,
                f"crosses or touches itself: the road at {s0:.0f} m runs into the road at {s1:.0f} m",
            )
