"""Many tracks as flat arrays, and where cars are on them: what a batch of them looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, inner
from swerve.core.way import Way

from .track import Track

SPACING = 1.0  # [m] between points


class Roads(NamedTuple):
    """Track k owns the points first[k] : first[k + 1], `gap[k]` [m] apart; a closed one ends with its first
    point again. The columns of `points` are x, y, heading (unwrapped), curvature, left and right widths."""

    points: np.ndarray
    first: np.ndarray
    gap: np.ndarray
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
        length / (np.diff(first) - 1),
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
@bare
def wrapped_station(roads: Roads, k: int, station: float) -> float:
    """The station [m] on the track itself: a closed one begins anew, an open one ends."""
    length = roads.gap[k] * (roads.first[k + 1] - roads.first[k] - 1)
    if roads.closed[k]:
        return station - np.floor(station / length) * length
    return min(max(station, 0.0), length)


@inner
@bare
def value_at(roads: Roads, k: int, column: int, station: float) -> float:
    """A column of the points of track k at a station [m]."""
    at = wrapped_station(roads, k, station) / roads.gap[k]
    i = min(int(at), roads.first[k + 1] - roads.first[k] - 2)
    share = at - i
    i += roads.first[k]
    return roads.points[i, column] + share * (roads.points[i + 1, column] - roads.points[i, column])


@bare
def follow(roads: Roads, k: int, x: float, y: float, station: float) -> tuple[float, float, float]:
    """Station, offset to the left [m] and heading of the track for a place whose station was known lately."""
    for _ in range(2):
        heading = value_at(roads, k, 2, station)
        dx, dy = x - value_at(roads, k, 0, station), y - value_at(roads, k, 1, station)
        c, s = np.cos(heading), np.sin(heading)
        along, aside = c * dx + s * dy, c * dy - s * dx
        station += along / max(0.2, 1.0 - aside * value_at(roads, k, 3, station))
    heading = value_at(roads, k, 2, station)
    dx, dy = x - value_at(roads, k, 0, station), y - value_at(roads, k, 1, station)
    return station, np.cos(heading) * dy - np.sin(heading) * dx, heading
