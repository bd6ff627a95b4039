"""Road networks in the making: lanes are added first, then junctions, then all becomes arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .crossings import Crossings, join_crossings, shift_crossings
from .curves import Curve
from .junctions import Junction
from .lay_bys import LayBys
from .lights import Lights, join_lights
from .roads import CONNECTOR, LANE, Roads, grouped
from .swept import USUAL, Largest

_TYPES = {
    **dict.fromkeys(("length", "width", "limit"), np.float64),
    **dict.fromkeys(("kind", "lane", "turn", "control"), np.int8),
    **dict.fromkeys(("road", "junction", "inner", "outer", "opposite", "light"), np.int32),
}


class RoadsDraft:
    """Collects lanes and junctions; `finish` gives the `Roads`."""

    def __init__(self, name: str, left_hand: bool = False, largest: Largest = USUAL):
        self.name, self.left_hand, self.largest = name, left_hand, largest
        self._points: list[tuple[np.ndarray, ...]] = []  # x, y, z, heading, curvature, bank, width
        self._counts: list[int] = []  # points of each strip
        self._lanes: dict[str, list[Any]] = {name: [] for name in _TYPES}
        self._connectors: dict[str, list[np.ndarray]] = {name: [] for name in _TYPES}
        self._links: list[tuple[np.ndarray, np.ndarray]] = []
        self._ends: list[tuple[np.ndarray, int]] = []  # lanes that lead to a junction
        self._conflicts: list[tuple[np.ndarray, ...]] = []
        self._lights: list[Lights] = []
        self._offsets: list[float] = []
        self._crossings: list[Crossings] = []
        self._strips = self._groups = 0
        self._rows: list[tuple[int, float, float]] = []  # of bays: kerb lane, from, to

    def add_road(
        self,
        lanes: list[Curve],
        widths: list[float],
        limit: float,
        road: int,
        heights: list[np.ndarray] | tuple[float, float] = (0.0, 0.0),
        banks: list[np.ndarray] | None = None,
        breadths: list[np.ndarray] | None = None,
    ) -> int:
        """Lanes of one direction from the kerb to the middle; gives the id of the first.

        `heights` [m] are given at the road's ends (it rises smoothly between), or at every point of every
        lane, and so are `banks` [rad] and `breadths` [m] where they vary.
        """
        first, n = self._strips, len(lanes)
        for i, curve in enumerate(lanes):
            if isinstance(heights, list):
                z = heights[i]
            elif heights[0] == heights[1]:
                z = np.full(len(curve.x), heights[0])
            else:
                u = np.linspace(0.0, 1.0, len(curve.x))
                z = heights[0] + (heights[1] - heights[0]) * (3 * u**2 - 2 * u**3)
            bank = np.zeros(len(z)) if banks is None else banks[i]
            wide = np.full(len(z), widths[i]) if breadths is None else breadths[i]
            self._points.append((curve.x, curve.y, z, curve.heading, curve.curvature, bank, wide))
            self._counts.append(len(curve.x))
            row = {
                "length": curve.length,
                "width": widths[i],
                "limit": limit,
                "kind": LANE,
                "road": road,
                "lane": i,
                "junction": -1,
                "turn": 0,
                "opposite": -1,
                "control": 0,
                "light": -1,
                "inner": first + i + 1 if i + 1 < n else -1,
                "outer": first + i - 1 if i else -1,
            }
            for name, value in row.items():
                self._lanes[name].append(value)
        self._strips += n
        return first

    def set_opposite(self, one: int, other: int) -> None:
        """Two innermost lanes of opposite directions lie beside each other."""
        self._lanes["opposite"][one] = other
        self._lanes["opposite"][other] = one

    def add_bays(self, strip: int, start: float, end: float, of: float) -> None:
        """A row of bays beside a kerb lane, from one station to another `of` so many metres."""
        share = self._lanes["length"][strip] / of
        self._rows.append((strip, share * start, share * end))

    def link(self, source: int, target: int) -> None:
        """One lane goes on as another without a junction between."""
        self._links.append((np.array([source]), np.array([target])))

    def add_junction(
        self,
        junction: Junction,
        source: np.ndarray,
        target: np.ndarray,
        at: tuple[float, float, float] = (0.0, 0.0, 0.0),
        offset: float = 0.0,
        heights: np.ndarray | None = None,
        banks: np.ndarray | None = None,
        widths: np.ndarray | None = None,
    ) -> int:
        """A junction at a place, its connectors from lanes `source` to lanes `target`; gives its number.

        `offset` [s] shifts its lights; `heights` [m], `banks` [rad] and `widths` [m] may be given at every
        point.
        """
        first, n, number = self._strips, len(source), len(self._ends)
        z = np.full(len(junction.x), at[2]) if heights is None else heights
        bank = np.zeros(len(z)) if banks is None else banks
        wide = np.repeat(junction.width, np.diff(junction.first)) if widths is None else widths
        x, y = junction.x + at[0], junction.y + at[1]
        self._points.append((x, y, z, junction.heading, junction.curvature, bank, wide))
        self._counts += np.diff(junction.first).tolist()
        none = np.full(n, -1)
        columns = {
            **{name: getattr(junction, name) for name in ("length", "width", "limit", "turn", "control")},
            "road": none,
            "inner": none,
            "outer": none,
            "opposite": none,
            "lane": junction.from_lane,
            "kind": np.full(n, CONNECTOR),
            "junction": np.full(n, number),
            "light": np.where(junction.light < 0, -1, junction.light + self._groups),
        }
        for name, column in columns.items():
            self._connectors[name].append(column)
        ids = first + np.arange(n)
        self._links += [(source, ids), (ids, target)]
        self._ends.append((source, number))
        c = junction.conflicts
        self._conflicts.append(
            (c.strip + first, c.other + first, c.from_, c.to, c.other_from, c.other_to, junction.rank)
        )
        by = np.array(at[:2])
        self._crossings.append(shift_crossings(junction.crossings, by, first, self._groups, number))
        if len(junction.lights):
            self._lights.append(junction.lights)
            self._offsets.append(offset)
            self._groups += len(junction.lights)
        self._strips += n
        return number

    def finish(self) -> Roads:
        n = self._strips
        x, y, z, heading, curvature, bank, breadth = (
            np.concatenate(column) for column in zip(*self._points, strict=True)
        )
        counts = np.array(self._counts)
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        column = {
            name: np.concatenate([np.array(self._lanes[name]), *self._connectors[name]]).astype(kind)
            for name, kind in _TYPES.items()
        }
        for source, number in self._ends:
            column["junction"][source] = number
        rank = np.arange(len(x)) - np.repeat(first[:-1], counts)
        station = rank * np.repeat(column["length"] / (counts - 1), counts)
        start = np.concatenate([np.zeros(0, int), *(a for a, _ in self._links)])
        end = np.concatenate([np.zeros(0, int), *(b for _, b in self._links)])
        after_first, after = grouped(start, end, n)
        before_first, before = grouped(end, start, n)
        touching = [np.concatenate([np.zeros(0), *part]) for part in zip(*self._conflicts, strict=True)]
        if not touching:
            touching = [np.zeros(0)] * 7
        owner = touching[0].astype(np.int32)
        conflict_first = np.zeros(n + 1, np.int32)
        np.cumsum(np.bincount(owner, minlength=n), out=conflict_first[1:])
        return Roads(
            name=self.name,
            left_hand=self.left_hand,
            first=first,
            x=x,
            y=y,
            z=z,
            heading=heading,
            curvature=curvature,
            bank=bank,
            breadth=breadth,
            station=station,
            **column,
            after_first=after_first,
            after=after,
            before_first=before_first,
            before=before,
            conflict_first=conflict_first,
            conflict_with=touching[1].astype(np.int32),
            conflict_from=touching[2],
            conflict_to=touching[3],
            conflict_other_from=touching[4],
            conflict_other_to=touching[5],
            conflict_rank=touching[6].astype(np.int8),
            lights=join_lights(self._lights, self._offsets),
            crossings=join_crossings(self._crossings),
            largest=self.largest,
            lay_bys=_rows_of_bays(self._rows),
        )


def _rows_of_bays(rows: list[tuple[int, float, float]]) -> LayBys:
    strip, start, end = np.reshape(np.array(rows, float), (-1, 3)).T
    return LayBys(strip.astype(np.int32), start, end)
