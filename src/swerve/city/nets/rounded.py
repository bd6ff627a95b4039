"""Polylines as roads: their corners become arcs that a car can follow."""

from __future__ import annotations

import numpy as np

from ..opendrive.lines import Line
from ..opendrive.records import Geometry

ASIDE = 0.5  # [m] by which an arc may miss its corner
LEAST_RADIUS = 8.0  # [m] of arcs, where there is room; then they may miss it by more
_SAME = 0.05  # [m] between points that are one
_ARC_STEP = 0.5  # [m] between samples of arcs


def without_repeats(points: np.ndarray) -> np.ndarray:
    """Points (k, 2 or 3) of a polyline, those left out that lie on the one before."""
    kept = [points[0]]
    for point in points[1:]:
        if np.hypot(*(point[:2] - kept[-1][:2])) > _SAME:
            kept.append(point)
    if len(kept) > 1:
        kept[-1] = points[-1]
    return np.array(kept)


def rounded(points: np.ndarray, beside: float = 0.0) -> tuple[np.ndarray, Line]:
    """Distances [m] along a polyline (k, 2) with its corners rounded, and the line there.

    To its right lie lanes up to `beside` [m] away: bends to the right are as much wider.
    """
    legs = np.diff(points, axis=0)
    length = np.hypot(legs[:, 0], legs[:, 1])
    heading = np.unwrap(np.arctan2(legs[:, 1], legs[:, 0]))
    turn = np.diff(heading)
    sharp = np.minimum(np.abs(turn), np.radians(170.0))
    radius = LEAST_RADIUS + np.where(turn < 0, beside, 0.0)
    wanted = np.maximum(ASIDE / np.tan(np.maximum(sharp, 1e-6) / 4), radius * np.tan(sharp / 2))
    tangent = np.minimum(wanted, np.minimum(length[:-1], length[1:]) / 2)
    tangent = np.where(sharp < 1e-6, 0.0, tangent)
    rows = [(0.0, points[0, 0], points[0, 1], heading[0], 0.0)]
    s = gone = 0.0  # along the line, and along the present leg
    for i in range(len(turn)):
        begin = points[i + 1] - tangent[i] * legs[i] / length[i]
        s += length[i] - tangent[i] - gone
        rows.append((s, begin[0], begin[1], heading[i], 0.0))
        gone = tangent[i]
        if tangent[i] == 0.0:
            continue
        bend = np.tan(sharp[i] / 2) / tangent[i] * np.sign(turn[i])
        arc = turn[i] / bend
        for u in np.linspace(0.0, arc, max(4, int(np.ceil(arc / _ARC_STEP))) + 1)[1:]:
            chord, half = 2.0 / bend * np.sin(bend * u / 2), heading[i] + bend * u / 2
            x, y = begin[0] + chord * np.cos(half), begin[1] + chord * np.sin(half)
            rows.append((s + u, x, y, heading[i] + bend * u, bend))
        s += arc
    s += length[-1] - gone
    rows.append((s, points[-1, 0], points[-1, 1], heading[-1], 0.0))
    table = np.array(rows)
    table = table[np.concatenate([[True], np.diff(table[:, 0]) > 1e-9])]
    return table[:, 0], Line(*table[:, 1:].T)


def geometry(s: np.ndarray, line: Line) -> Geometry:
    """A reference line through samples."""
    samples = np.stack([s, *line])
    return Geometry(0.0, 0.0, 0.0, 0.0, float(s[-1]), "samples", {}, samples=samples)
