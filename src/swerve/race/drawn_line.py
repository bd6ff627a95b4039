"""Lines through a track as points with even spacing: drawn beside its centre line, or given."""

from __future__ import annotations

from dataclasses import dataclass
from math import dist

import numpy as np
from scipy import sparse
from scipy.interpolate import CubicSpline
from scipy.ndimage import minimum_filter1d
from scipy.sparse.linalg import spsolve

from swerve.core.errors import require
from swerve.core.geometry import arc_length
from swerve.core.least_bend import WIDE, Middle, least_bend
from swerve.core.way import Way

from .track import Track

SPACING = 1.0  # [m] between the points of a course
CLOSEST = 0.5  # [m] between points that a line is drawn through
SHORTEST = 16.0  # [m] waves of a line that are kept, and those that are longer
FINELY = 0.5  # [m] between the points of a given line
FOLLOWED = 100.0  # [m] waves of a given line that are kept, and those that are longer
BLENDED = 20.0  # [m] around a place where a given line does not fit that are left to the least bent one
INSIDE = 0.75  # of the radius of the road; further inside a line passes many of its points at once
PART = 60.0  # [m] of a road without a point of its line that make it a line of something else
SEEN = 1.5  # [m] along the road at most to a point of the line that tells where it is


@dataclass(frozen=True)
class Line:
    """Points (m, 2) of a line, evenly spaced, and where each is among the points of the track (m,)."""

    points: np.ndarray
    index: np.ndarray
    closed: bool

    @property
    def spacing(self) -> float:
        return float(np.hypot(*np.diff(self.points[:2], axis=0)[0]))


def draw_line(track: Track, offset: np.ndarray) -> Line:
    """A smooth line through the points of the track, each `offset` to its left. Where it passes many of them
    at once, inside a hairpin, only some count.
    """
    n = len(track.centre)
    points, closed = track.centre + offset[:, None] * track.normal, track.closed
    at = np.arange(n)
    if closed:
        at, points = np.append(at, n), np.vstack([points, points[:1]])
    kept = _spread(points)
    way = arc_length(points[kept], False)
    bounds = "periodic" if closed else "not-a-knot"
    spline = CubicSpline(way, points[kept], bc_type=bounds)
    count = round(way[-1] / SPACING)
    even = np.linspace(0.0, way[-1], count + 1)
    rough = spline(even)
    smooth = _evened(rough[:-1] if closed else rough, way[-1] / count, closed)
    index = np.interp(even, way, at[kept])
    return _evenly(smooth, index[:-1] if closed else index, closed)


def _spread(points: np.ndarray) -> np.ndarray:
    """Numbers of points (n, 2) that are at least `CLOSEST` from each other in turn, both ends among them."""
    rows = points.tolist()
    kept, end = [0], len(rows) - 1
    for k in range(1, end):
        if dist(rows[k], rows[kept[-1]]) >= CLOSEST and dist(rows[k], rows[end]) >= CLOSEST:
            kept.append(k)
    return np.array([*kept, end])


def _evened(points: np.ndarray, spacing: float, closed: bool) -> np.ndarray:
    """Points (n, 2) without what is shorter than `SHORTEST` in them: the corners of a centre line that is
    known by points a few metres apart, which hands would follow. Least Σ|moved|² + λ·Σ|third difference|²,
    so that steady bends stay what they are.
    """
    n = len(points)
    weight = (SHORTEST / (2 * np.pi * spacing)) ** 6
    if closed:
        wave = 2.0 * np.sin(np.pi * np.arange(n // 2 + 1) / n)  # of a difference of neighbours
        return np.fft.irfft(np.fft.rfft(points, axis=0) / (1.0 + weight * wave[:, None] ** 6), n, axis=0)
    third = np.zeros((4, n - 3)) + np.array([[-1.0], [3.0], [-3.0], [1.0]])
    d = sparse.diags_array(list(third), offsets=[0, 1, 2, 3], shape=(n - 3, n))
    system = sparse.eye_array(n) + weight * (d.T @ d)
    return np.asarray(spsolve(system.tocsc(), points))


def least_bent(
    track: Track, keep_out: np.ndarray, given: np.ndarray | None = None, power: float = WIDE
) -> Line:
    """The least bent line that keeps `keep_out` (n, 2) [m] from the edges; of a line that is `given` (n,) it
    keeps what is longer than `FOLLOWED`, where the car fits, and nothing in the middle of a hairpin.
    """
    between = (track.left - keep_out[:, 1] - track.right + keep_out[:, 0]) / 2  # where there is no room
    low = np.minimum(between, keep_out[:, 0] - track.right)
    high = np.maximum(between, track.left - keep_out[:, 1])
    spacing = float(track.s[1] - track.s[0])
    middle = Middle(track.centre, track.normal, spacing, track.closed)
    own, _ = least_bend(middle, low, high, np.zeros(len(low)), power=power)
    if given is None:
        return draw_line(track, own)
    bend = track.way.curvature
    fits = np.isfinite(given) & (bend * np.nan_to_num(given) < INSIDE) & (given > low) & (given < high)
    around = 2 * round(BLENDED / spacing) + 1
    known = minimum_filter1d(fits.astype(int), around, mode="wrap" if track.closed else "nearest") > 0
    pull = np.where(known, (2 * np.pi / FOLLOWED) ** 4, 0.0)
    kept, _ = least_bend(middle, low, high, own, np.where(known, given, 0.0), pull, power)
    return draw_line(track, kept)


def given_line(line: np.ndarray, track: Track) -> np.ndarray:
    """A line from elsewhere, as distances (n,) to the left of the points of the track; nan where none of its
    points is: inside a hairpin a line passes many stations at once.
    """
    points = np.asarray(line, dtype=np.float64)
    where = f"line of {track.name}"
    require(
        points.ndim == 2 and points.shape[1] == 2 and len(points) >= 4, where, points.shape, "needs 4 points"
    )
    station, offset = track.progress_in_turn(points)
    right, left = track.way.at(track.right, station), track.way.at(track.left, station)
    beyond = float(np.maximum(offset - left, -offset - right).max())
    require(beyond < 0.0, where, beyond, "leaves the road; metres beyond the edge")
    station, offset = track.progress_in_turn(_smooth(points, track.closed))
    order = np.argsort(station, kind="stable")
    period = track.length if track.closed else None
    missing = _longest_gap(station[order], track)
    require(missing < PART, where, round(missing, 1), "covers only a part of it; metres without a line")
    found = np.interp(track.s, station[order], offset[order], period=period)
    return np.where(_apart(track.s, station[order], period) < SEEN, found, np.nan)


def _longest_gap(station: np.ndarray, track: Track) -> float:
    """[m] of the road without a point of a line whose `station` (k,) are in order."""
    if track.closed:
        return float(np.diff(np.append(station, station[0] + track.length)).max())
    return float(np.diff(np.concatenate([[0.0], station, [max(track.finish, station[-1])]])).max())


def _apart(wanted: np.ndarray, known: np.ndarray, period: float | None) -> np.ndarray:
    """How far (n,) stations `wanted` (n,) are from the nearest of those that are `known` (k,), in order."""
    if period is not None:
        known = np.concatenate([known[-1:] - period, known, known[:1] + period])
    k = np.clip(np.searchsorted(known, wanted), 1, len(known) - 1)
    return np.minimum(np.abs(wanted - known[k - 1]), np.abs(wanted - known[k]))


def _smooth(points: np.ndarray, closed: bool) -> np.ndarray:
    """A curve through `points` (k, 2), densely: in a hairpin the points of a line near its inner edge are far
    apart along the road.
    """
    apart = np.hypot(*np.diff(points, axis=0).T)
    points = points[np.append(True, apart > 1e-6)]
    gap = float(np.hypot(*(points[0] - points[-1])))
    if closed and 1e-6 < gap < 4 * apart.max():
        points = np.vstack([points, points[:1]])
    at = arc_length(points, False)
    ring = closed and bool((points[0] == points[-1]).all())
    spline = CubicSpline(at, points, bc_type="periodic" if ring else "not-a-knot")
    return spline(np.linspace(0.0, at[-1], int(at[-1] / FINELY) + 2))


def _evenly(points: np.ndarray, index: np.ndarray, closed: bool) -> Line:
    """The same line with points that are `SPACING` apart as nearly as goes."""
    ends = np.vstack([points, points[:1]]) if closed else points
    places = np.append(index, index[0] + 0.0) if closed else index
    way = arc_length(ends, False)
    spline = CubicSpline(way, ends, bc_type="periodic" if closed else "not-a-knot")
    even = np.linspace(0.0, way[-1], round(way[-1] / SPACING) + 1)
    if closed:
        places[-1] = 2 * places[-2] - places[-3]
        even = even[:-1]
    return Line(spline(even), np.interp(even, way, places), closed)


def bend_of(line: Line) -> np.ndarray:
    return Way(line.points, *(np.zeros(len(line.points)),) * 3, line.closed).curvature
