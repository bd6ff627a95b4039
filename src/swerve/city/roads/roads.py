"""A road network as flat arrays, ready for kernels.

A *strip* is one directed lane between junctions, or one connector across a junction. A lane ends at the
stop line; its connectors cross the crosswalk, the junction, and the crosswalk of the arm they leave by.
Strips meet end to end without a jump in place or heading.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .crossings import Crossings
from .lay_bys import TAPER, WIDTH, LayBys
from .lights import Lights
from .swept import USUAL, Largest

LANE, CONNECTOR = 0, 1
RIGHT, STRAIGHT, LEFT, U_TURN = -1, 0, 1, 2
FREE, YIELD, STOP, LIGHT = 0, 1, 2, 3
_SEARCH_SPACING = 3.0  # [m] between the samples that `nearest` looks up


@dataclass(frozen=True)
class Roads:
    """Strip i owns the points first[i] : first[i + 1], at even distances of at most about a metre; a straight
    strip may have only its two ends. So the place at station s lies at s / length · (points - 1) of the way.

    Lanes of one direction beside each other share a `road`, start and end abreast; which places between lie
    abreast says `abreast.places_abreast`.
    """

    name: str
    left_hand: bool
    # points
    first: np.ndarray  # int32 (n + 1)
    x: np.ndarray  # [m]
    y: np.ndarray  # [m]
    z: np.ndarray  # [m]
    heading: np.ndarray  # [rad] unwrapped within a strip
    curvature: np.ndarray  # [1/m] positive to the left
    bank: np.ndarray  # [rad] positive where the right side is down
    breadth: np.ndarray  # [m] of the strip there
    station: np.ndarray  # [m] from the strip's start
    # strips
    length: np.ndarray  # [m]
    width: np.ndarray  # [m] where it is narrowest
    limit: np.ndarray  # [m/s]
    kind: np.ndarray  # int8: LANE or CONNECTOR
    road: np.ndarray  # int32; connectors -1
    lane: np.ndarray  # int8: 0 at the kerb, counted towards the middle
    junction: np.ndarray  # int32: connector: its own; lane: the one it leads to, or -1
    turn: np.ndarray  # int8: RIGHT, STRAIGHT, LEFT, U_TURN
    inner: np.ndarray  # int32: neighbour of the same direction towards the middle, or -1
    outer: np.ndarray  # int32: neighbour towards the kerb, or -1
    opposite: np.ndarray  # int32: innermost lane: the innermost one of the road beside it, or -1
    control: np.ndarray  # int8: FREE, YIELD, STOP, LIGHT
    light: np.ndarray  # int32: light group of a connector under LIGHT, else -1
    # links
    after_first: np.ndarray  # int32 (n + 1)
    after: np.ndarray
    before_first: np.ndarray
    before: np.ndarray
    # conflicts of connectors: stretches [m] in which outlines of vehicles up to the largest may touch
    conflict_first: np.ndarray  # int32 (n + 1)
    conflict_with: np.ndarray  # int32 (c)
    conflict_from: np.ndarray
    conflict_to: np.ndarray
    conflict_other_from: np.ndarray
    conflict_other_to: np.ndarray
    conflict_rank: np.ndarray  # int8: 1 this one goes first, -1 the other does, 0 first come
    lights: Lights
    crossings: Crossings
    largest: Largest = USUAL
    lay_bys: LayBys = field(default_factory=LayBys)

    def __len__(self) -> int:
        return len(self.length)

    @property
    def junctions(self) -> int:
        """How many junctions there are; they are numbered from 0."""
        return int(self.junction.max(initial=-1)) + 1

    def place(
        self, strip: np.ndarray, station: np.ndarray, lateral: np.ndarray | float = 0.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """x, y [m] and heading [rad] of places on strips; `lateral` [m] counts to the left.

        Stations before the start and beyond the end go on straight.
        """
        i, share = self._between(strip, station)
        x = self.x[i] + share * (self.x[i + 1] - self.x[i])
        y = self.y[i] + share * (self.y[i + 1] - self.y[i])
        inside = np.clip(share, 0.0, 1.0)
        heading = self.heading[i] + inside * (self.heading[i + 1] - self.heading[i])
        return x - lateral * np.sin(heading), y + lateral * np.cos(heading), heading

    def height(self, strip: np.ndarray, station: np.ndarray, lateral: np.ndarray | float = 0.0) -> np.ndarray:
        """z [m] of the ground on strips, and beside them as they bank; `lateral` [m] counts to the left."""
        i, share = self._between(strip, station)
        middle = self.z[i] + np.clip(share, 0.0, 1.0) * (self.z[i + 1] - self.z[i])
        return middle + lateral * np.tan(self.bank_at(strip, station))

    def breadth_at(self, strip: np.ndarray, station: np.ndarray) -> np.ndarray:
        """Width [m] at places on strips."""
        i, share = self._between(strip, station)
        return self.breadth[i] + np.clip(share, 0.0, 1.0) * (self.breadth[i + 1] - self.breadth[i])

    def bank_at(self, strip: np.ndarray, station: np.ndarray) -> np.ndarray:
        """Bank [rad] at places on strips, positive where the right side is down."""
        i, share = self._between(strip, station)
        return self.bank[i] + np.clip(share, 0.0, 1.0) * (self.bank[i + 1] - self.bank[i])

    def bend(self, strip: np.ndarray, station: np.ndarray) -> np.ndarray:
        """Curvature [1/m] at places on strips."""
        i, share = self._between(strip, station)
        return self.curvature[i] + np.clip(share, 0.0, 1.0) * (self.curvature[i + 1] - self.curvature[i])

    def lay_by_rings(self) -> list[np.ndarray]:
        """The outline (k, 2) [m] of every row of bays."""
        side, rings = 1.0 if self.left_hand else -1.0, []
        for strip, start, end in zip(self.lay_bys.strip, self.lay_bys.start, self.lay_bys.end, strict=True):
            inside = np.linspace(start, end, 2 + int((end - start) / 4.0))
            along = np.concatenate([[start - TAPER], inside, [end + TAPER]])
            lane = np.full(len(along), strip)
            kerb = side * self.breadth_at(lane, along) / 2
            deep = side * WIDTH * np.pad(np.ones(len(inside)), 1)
            near, far = (np.stack(self.place(lane, along, kerb + by)[:2], -1) for by in (0.0 * deep, deep))
            rings.append(np.vstack([near, far[::-1]]))
        return rings

    def nearest(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Strip, station and lateral [m] of the nearest place on any strip, for points (k,).

        Nearest is whose edge is nearest, or who is furthest inside: between a wide and a narrow lane the line
        between them decides.
        """
        tree, strips, stations = self._search
        points = np.stack(np.broadcast_arrays(np.atleast_1d(x), np.atleast_1d(y)), -1).astype(float)
        near = tree.query(points, k=min(8, tree.n))[1].reshape(len(points), -1)
        strip, station = strips[near], stations[near]
        px, py = points[:, :1], points[:, 1:]
        for _ in range(2):  # Newton's steps towards the foot of the perpendicular
            fx, fy, heading = self.place(strip, station)
            station = station + (px - fx) * np.cos(heading) + (py - fy) * np.sin(heading)
            station = np.clip(station, 0.0, self.length[strip])
        fx, fy, heading = self.place(strip, station)
        best = np.argmin(np.hypot(px - fx, py - fy) - self.breadth_at(strip, station) / 2, axis=1)
        rows = np.arange(len(points))
        dx, dy = points[:, 0] - fx[rows, best], points[:, 1] - fy[rows, best]
        h = heading[rows, best]
        return strip[rows, best], station[rows, best], dy * np.cos(h) - dx * np.sin(h)

    def near(self, x: float, y: float, reach: float) -> tuple[np.ndarray, np.ndarray]:
        """Strips, ascending, of which a part may lie within `reach` [m] of a point, and a station [m] of each
        near it."""
        tree, strips, stations = self._search
        found = np.array(tree.query_ball_point((x, y), reach + _SEARCH_SPACING), dtype=int)
        if len(found) == 0:
            return np.zeros(0, int), np.zeros(0)
        distance = np.hypot(tree.data[found, 0] - x, tree.data[found, 1] - y)
        found = found[np.lexsort((distance, strips[found]))]
        unique, first = np.unique(strips[found], return_index=True)
        return unique.astype(int), stations[found][first]

    def under(
        self, x: float, y: float, reach: float = 6.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Strips (k,) that pass within `reach` [m] of a point, beside which it lies; its station and lateral
        [m] there, and their headings [rad]."""
        found, station = self.near(x, y, reach)
        for _ in range(3):
            px, py, heading = self.place(found, station)
            station = station + (x - px) * np.cos(heading) + (y - py) * np.sin(heading)
        px, py, heading = self.place(found, station)
        lateral = (y - py) * np.cos(heading) - (x - px) * np.sin(heading)
        on = (station >= 0.0) & (station <= self.length[found])
        return found[on], station[on], lateral[on], heading[on]

    def _between(self, strip: np.ndarray, station: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        strip = np.asarray(strip)
        gaps = self.first[strip + 1] - self.first[strip] - 1
        at = np.asarray(station) / self.length[strip] * gaps
        i = np.clip(at.astype(np.int64), 0, gaps - 1)
        return self.first[strip] + i, at - i

    @cached_property
    def _search(self) -> tuple[Any, np.ndarray, np.ndarray]:
        from scipy.spatial import cKDTree

        counts = np.ceil(self.length / _SEARCH_SPACING).astype(np.int64) + 1
        strips = np.repeat(np.arange(len(self), dtype=np.int32), counts)
        rank = np.arange(len(strips)) - np.repeat(np.cumsum(counts) - counts, counts)
        stations = rank / (counts - 1)[strips] * self.length[strips]
        x, y, _ = self.place(strips, stations)
        return cKDTree(np.stack([x, y], -1)), strips, stations


def grouped(owner: np.ndarray, value: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Values listed by owner: first (n + 1) and values, int32; the order within an owner is kept."""
    order = np.argsort(owner, kind="stable")
    first = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(owner, minlength=n), out=first[1:])
    return first, np.asarray(value)[order].astype(np.int32)
