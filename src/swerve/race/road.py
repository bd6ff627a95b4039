"""Many tracks as flat arrays, and where cars are on them: what a batch of them looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from swerve.core.kernels import inlined, inner, plain
from swerve.core.quick import cosine_sine
from swerve.core.way import Way

from .track import Track

SPACING = 1.0  # [m] between points


class Roads(NamedTuple):
    """Track k owns the points first[k] : first[k + 1], `per_metre[k]` of them a metre; a closed one ends with
    its first point again. The columns of `points` are x, y, heading (unwrapped), curvature, left and right
    widths."""

    points: np.ndarray
    first: np.ndarray
    per_metre: np.ndarray
    closed: np.ndarray
    finish: np.ndarray  # [m]


def lay_out(tracks: Sequence[Track]) -> Roads:
    """The tracks one after another."""
    tables = [_table(track) for track in tracks]
    first = np.concatenate([[0], np.cumsum([len(table) for table in tables])])
    length = np.array([track.length for track in tracks])
    return Roads(
        np.concatenate(tables),
        first,
        (np.diff(first) - 1) / length,
        np.array([track.closed for track in tracks]),
        np.array([track.finish for track in tracks]),
    )


def _table(track: Track) -> np.ndarray:
    way: Way = track.way
    station = np.linspace(0.0, track.length, int(np.ceil(track.length / SPACING)) + 1)
    inside = station % track.length if track.closed else station
    pose = way.place(inside)
    columns = [way.at(values, inside) for values in (way.curvature, way.left, way.right)]
    return np.column_stack([pose[:, 0], pose[:, 1], np.unwrap(pose[:, 2]), *columns])


@inner
@inlined
def spot(roads: Roads, k: int, station: float) -> tuple[int, float]:
    """The point of track k before a station [m], and the share of the way to the next: a closed track begins
    anew, an open one ends."""
    last = roads.first[k + 1] - roads.first[k] - 1
    at = station * roads.per_metre[k]
    if roads.closed[k]:
        if at < 0.0 or at >= last:
            at -= np.floor(at / last) * last
    else:
        at = min(max(at, 0.0), float(last))
    i = min(int(at), last - 1)
    return roads.first[k] + i, at - i


@inner
@inlined
def between(roads: Roads, at: tuple[int, float], column: int) -> float:
    """A column of the points at a `spot`."""
    before = roads.points[at[0], column]
    return before + at[1] * (roads.points[at[0] + 1, column] - before)


@inner
@inlined
def follow(roads: Roads, k: int, x: float, y: float, station: float) -> tuple[float, float, float]:
    """Station, offset to the left [m] and heading of the track for a place whose station was known lately."""
    for _ in range(2):
        at = spot(roads, k, station)
        heading = between(roads, at, plain(2))
        dx, dy = x - between(roads, at, plain(0)), y - between(roads, at, plain(1))
        c, s = cosine_sine(heading)
        along, aside = c * dx + s * dy, c * dy - s * dx
        station += along / max(0.2, 1.0 - aside * between(roads, at, plain(3)))
    at = spot(roads, k, station)
    heading = between(roads, at, plain(2))
    dx, dy = x - between(roads, at, plain(0)), y - between(roads, at, plain(1))
    c, s = cosine_sine(heading)
    return station, c * dy - s * dx, heading
