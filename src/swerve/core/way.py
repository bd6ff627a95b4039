"""A way: a line over the ground with station, offset, heading, curvature, widths and heights.

A track, a lane, a route through a town, a path over a mountain and a rider's curve are ways. Places on a way
are told by station [m] along it and offset [m] to its left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .errors import BadInput, require
from .geometry import arc_length, directions, resample, wrap
from .kernels import inlined, inner, kernel

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

SPACING = 1.0  # [m] between the points of a way, unless asked for otherwise
FEET = 2  # steps towards the foot of a place on a way
MOST_POINTS = 5_000_000  # of a way
BACK = -0.9999  # cosine between two legs of a way, from which on it turns back
STRAY = 6.0  # [m] along the way that somebody may be from where they were expected, and 3 times as far ahead


def check_course(name: str, points: np.ndarray, spacing: float, closed: bool) -> None:
    """Refuse what is too long to hold, and what turns back on the spot: it has no direction there."""
    length = float(arc_length(points, closed)[-1])
    longest = MOST_POINTS * spacing
    require(length <= longest, f"{name}, length", length, f"must be at most {longest:g} m")
    legs = np.diff(np.vstack([points, points[:2]]) if closed else points, axis=0)
    legs /= np.hypot(*legs.T)[:, None]
    back = np.flatnonzero((legs[:-1] * legs[1:]).sum(axis=1) < BACK)
    if len(back):
        at = points[(back[0] + 1) % len(points)].tolist()
        raise BadInput(
            f"{name}, point {back[0] + 2}", at, "is where it turns back on the spot; a bend is needed, at"
        )


@dataclass(frozen=True)
class Way:
    """`points` (m, 2) evenly spaced [m]; `right`, `left` (m,) widths to either side; `z` (m,) heights;
    `speed` (m,) [m/s] to go at, where somebody has worked it out.

    A closed way leads from its last point to its first. Make one with `Way.through`.

    >>> way = Way.through([[0, 0], [30, 0], [30, 40]], left=4.0)
    >>> float(way.length), way.place(35.0, 1.0).round(2).tolist()
    (70.0, [29.0, 5.0, 1.57])
    >>> [float(v) for v in way.locate([[31.0, 10.0]])[0].round(1)]
    [40.0]
    """

    points: np.ndarray
    right: np.ndarray
    left: np.ndarray
    z: np.ndarray
    closed: bool = False
    name: str = field(default="way")
    speed: np.ndarray | None = None

    @classmethod
    def through(
        cls,
        points: np.ndarray | list[list[float]],
        right: float | np.ndarray = 0.0,
        left: float | np.ndarray = 0.0,
        z: float | np.ndarray = 0.0,
        closed: bool = False,
        spacing: float = SPACING,
        name: str = "way",
        speed: float | np.ndarray | None = None,
    ) -> Way:
        """Points (k, 2) and what is known at each of them, spaced evenly."""
        points = np.asarray(points, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            raise BadInput(f"{name}, points", points.shape, "must be at least two of x and y; shape")
        known = (right, left, z) if speed is None else (right, left, z, speed)
        table = np.column_stack([points, *(np.broadcast_to(v, len(points)) for v in known)])
        if not np.isfinite(table).all():
            row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
            raise BadInput(f"{name}, point {row + 1}", table[row].tolist(), "must be finite")
        require(
            bool((table[:, 2:4] >= 0).all()), f"{name}, widths", table[:, 2:4].min(), "must not be negative"
        )
        kept = np.concatenate([[True], np.hypot(*np.diff(table[:, :2], axis=0).T) > 1e-9])
        table = table[kept]
        if closed and np.hypot(*(table[0, :2] - table[-1, :2])) < 1e-6:
            table = table[:-1]
        require(len(table) >= 2, f"{name}, points", len(table), "must lie apart from each other; apart are")
        check_course(name, table[:, :2], spacing, closed)
        table = resample(table, spacing, closed)
        pace = None if speed is None else table[:, 5]
        return cls(table[:, :2], table[:, 2], table[:, 3], table[:, 4], closed, name, pace)

    @cached_property
    def station(self) -> np.ndarray:
        """(m,) [m] of every point."""
        return arc_length(self.points, self.closed)[: len(self.points)]

    @cached_property
    def length(self) -> float:
        """[m]; of a closed way, once round."""
        return float(arc_length(self.points, self.closed)[-1])

    @cached_property
    def tangent(self) -> np.ndarray:
        """Unit vectors (m, 2) along the way."""
        return directions(self.points, self.closed)

    @cached_property
    def normal(self) -> np.ndarray:
        """Unit vectors (m, 2) to the left."""
        return np.stack([-self.tangent[:, 1], self.tangent[:, 0]], axis=1)

    @cached_property
    def heading(self) -> np.ndarray:
        """(m,) [rad], unwrapped."""
        return np.unwrap(np.arctan2(self.tangent[:, 1], self.tangent[:, 0]))

    @cached_property
    def curvature(self) -> np.ndarray:
        """(m,) [1/m], positive to the left."""
        if not self.closed:
            return np.gradient(self.heading, self.station)
        turn = wrap(np.roll(self.heading, -1) - np.roll(self.heading, 1))
        return turn * len(self.points) / (2 * self.length)

    @cached_property
    def grade(self) -> np.ndarray:
        """(m,) slope along the way, metres up a metre."""
        if not self.closed:
            return np.gradient(self.z, self.station)
        return (np.roll(self.z, -1) - np.roll(self.z, 1)) * len(self.points) / (2 * self.length)

    def place(self, station: float | np.ndarray, offset: float | np.ndarray = 0.0) -> np.ndarray:
        """Poses (..., 3) x, y, heading; stations beyond the ends of an open way go on straight."""
        i, j, share = self._between(station)
        share = share[..., None]
        inside = np.clip(share, 0.0, 1.0)
        point = self.points[i] + share * (self.points[j] - self.points[i])
        tangent = (1 - inside) * self.tangent[i] + inside * self.tangent[j]
        tangent = tangent / np.linalg.norm(tangent, axis=-1, keepdims=True)
        aside = np.stack([-tangent[..., 1], tangent[..., 0]], axis=-1)
        point = point + np.asarray(offset, dtype=np.float64)[..., None] * aside
        return np.concatenate([point, np.arctan2(tangent[..., 1], tangent[..., 0])[..., None]], axis=-1)

    def at(self, values: np.ndarray, station: float | np.ndarray) -> np.ndarray:
        """What `values` (m,) at the points are at stations, as in `way.at(way.z, s)`."""
        i, j, share = self._between(station)
        return values[i] + np.clip(share, 0.0, 1.0) * (values[j] - values[i])

    def locate(
        self, places: np.ndarray | list[list[float]], expected: float | np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Station and offset (...,) of `places` (..., 2).

        Where a way comes near itself the nearest point may be of another stretch: `expected` stations, those
        of a moment ago, say which is meant.
        """
        places = np.array(places, dtype=np.float64, order="C")
        if expected is None:
            i = self.nearest.query(places)[1]
        else:
            i = self._near_station(places, np.asarray(expected, dtype=np.float64))
        shape = places.shape[:-1]
        first = np.array(np.broadcast_to(i, shape), dtype=np.int64).reshape(-1)
        feet = _feet(places.reshape(-1, 2), first, self._rows, self.length, self.closed)
        return feet[0].reshape(shape)[()], feet[1].reshape(shape)[()]

    @cached_property
    def _rows(self) -> np.ndarray:
        """(m, 6): points, tangents, curvatures and stations, as the kernel takes them."""
        return np.column_stack([self.points, self.tangent, self.curvature, self.station])

    def part(self, first: float, last: float) -> Way:
        """The stretch between two stations, as an open way."""
        count = max(2, round((last - first) / (self.length / len(self.points))) + 1)
        s = np.linspace(first, last, count)
        right, left, z = (self.at(values, s) for values in (self.right, self.left, self.z))
        speed = None if self.speed is None else self.at(self.speed, s)
        return Way(self.place(s)[:, :2], right, left, z, False, self.name, speed)

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Right and left edge (m, 2) [m]."""
        return self.points - self.right[:, None] * self.normal, self.points + self.left[:, None] * self.normal

    @cached_property
    def nearest(self) -> cKDTree:
        """The points, to be searched by place."""
        from scipy.spatial import cKDTree

        return cKDTree(self.points)

    def _between(self, station: float | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The points before and behind stations, and how far they are from the one to the other."""
        s = np.asarray(station, dtype=np.float64)
        n = len(self.points)
        at = (s % self.length if self.closed else s) / (self.length / (n if self.closed else n - 1))
        i = np.clip(np.floor(at).astype(np.int64), 0, n - (1 if self.closed else 2))
        return i, (i + 1) % n, at - i

    def _near_station(self, places: np.ndarray, expected: np.ndarray) -> np.ndarray:
        n = len(self.points)
        step = self.length / n
        window = np.arange(-round(STRAY / step), round(3 * STRAY / step) + 1)
        k = np.round(np.asarray(expected) / step).astype(np.int64)[..., None] + window
        k = k % n if self.closed else np.clip(k, 0, n - 1)
        d = self.points[k] - places[..., None, :]
        best = np.argmin((d * d).sum(-1), axis=-1)
        return np.take_along_axis(k, best[..., None], axis=-1)[..., 0]


@inner
@inlined
def _on(rows: np.ndarray, length: float, closed: bool, s: float) -> tuple[float, float, float, float, float]:
    """Place, unit tangent and curvature at station `s`; see `Way.place` and `Way.at`."""
    n = rows.shape[0]
    at = (s % length) / (length / n) if closed else s / (length / (n - 1))
    i = min(max(math.floor(at), 0), n - 1 if closed else n - 2)
    j = i + 1 if i + 1 < n else 0
    share = at - i
    inside = min(max(share, 0.0), 1.0)
    tx = (1.0 - inside) * rows[i, 2] + inside * rows[j, 2]
    ty = (1.0 - inside) * rows[i, 3] + inside * rows[j, 3]
    norm = math.sqrt(tx * tx + ty * ty)
    return (
        rows[i, 0] + share * (rows[j, 0] - rows[i, 0]),
        rows[i, 1] + share * (rows[j, 1] - rows[i, 1]),
        tx / norm,
        ty / norm,
        rows[i, 4] + inside * (rows[j, 4] - rows[i, 4]),
    )


@kernel
def _feet(
    places: np.ndarray, first: np.ndarray, rows: np.ndarray, length: float, closed: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Station and offset of places (k, 2), from points (k,) of the way close by: what `place` takes back."""
    step = length / rows.shape[0]
    station, offset = np.empty(len(places)), np.empty(len(places))
    for k in range(len(places)):
        px, py = places[k, 0], places[k, 1]
        at = rows[first[k]]
        s = at[5] + (px - at[0]) * at[2] + (py - at[1]) * at[3]
        for _ in range(FEET):
            x, y, c, d, bend = _on(rows, length, closed, s)
            stretch = min(max(1.0 - (c * (py - y) - d * (px - x)) * bend, 0.3), 3.0)
            s += min(max((c * (px - x) + d * (py - y)) / stretch, -step), step)
        x, y, c, d, _ = _on(rows, length, closed, s)
        station[k], offset[k] = s, c * (py - y) - d * (px - x)
    return station, offset
