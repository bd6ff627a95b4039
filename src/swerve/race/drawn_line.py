"""Lines through a track as points with even spacing: drawn beside its centre line, or given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d
from scipy.sparse.linalg import spsolve

from swerve.core.errors import require
from swerve.core.geometry import arc_length
from swerve.core.way import Way

from .line import racing_line
from .track import Track

SPACING = 1.0  # [m] between the points of a course
KNOTS = 2  # points of a track between two knots of the line
SHORTEST = 16.0  # [m] waves of a line that are kept, and those that are longer
FINELY = 0.5  # [m] between the points of a given line
TIGHT = 0.18  # [1/m] of bend beyond which a given line is left
LEFT = (4, 8, 16, 32)  # points of the track to either side for which it is left, one after the other
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
    """A smooth line through every few points of the track, each `offset` to its left."""
    n = len(track.centre)
    smooth = gaussian_filter1d(offset, 1.5, mode="wrap" if track.closed else "nearest")
    points = _evened(track.centre + smooth[:, None] * track.normal, track.length / n, track.closed)
    knots = np.arange(0, n, KNOTS)
    if track.closed:
        at, values = np.append(knots, n), np.vstack([points[knots], points[:1]])
        spline = CubicSpline(at, values, bc_type="periodic")
    else:
        at = knots if knots[-1] == n - 1 else np.append(knots, n - 1)
        spline = CubicSpline(at, points[at])
    return _evenly(spline, np.linspace(0, at[-1], 8 * n + 1), track.closed)


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


def least_bent(track: Track, keep_out: np.ndarray, given: np.ndarray | None = None) -> Line:
    """The least bent line that keeps `keep_out` (n, 2) [m] from the edges, beside a line that is `given` (n,)
    as far as a car can turn there: what hugs the inside of a hairpin is left where it bends too much.
    """
    line = draw_line(track, racing_line(track, keep_out=keep_out, given=given))
    if given is None:
        return line
    n, left = len(given), given.copy()
    for around in LEFT:
        tight = np.unique(line.index[np.abs(bend_of(line)) > TIGHT].astype(int))
        near = tight[:, None] + np.arange(-around, around + 1)
        left[near % n if track.closed else np.clip(near, 0, n - 1)] = np.nan
        if len(tight) == 0 or np.isnan(left).all():
            break
        line = draw_line(track, racing_line(track, keep_out=keep_out, given=left))
    return line


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
    found = np.interp(track.s, station[order], offset[order], period=period)
    return np.where(_apart(track.s, station[order], period) < SEEN, found, np.nan)


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


def _evenly(spline: CubicSpline, fine: np.ndarray, closed: bool) -> Line:
    way = arc_length(spline(fine), False)
    count = round(way[-1] / SPACING)
    even = np.linspace(0, way[-1], count + 1)
    index = np.interp(even, way, fine)
    if closed:
        index = index[:-1]
    return Line(spline(index), index, closed)


def bend_of(line: Line) -> np.ndarray:
    return Way(line.points, *(np.zeros(len(line.points)),) * 3, line.closed).curvature
