"""Polylines as roads: their corners become arcs that a car can follow."""

from __future__ import annotations

import numpy as np

from ..opendrive.lines import Line
from ..opendrive.records import Geometry

ASIDE = 0.5  # [m] by which an arc may miss its corner
LEAST_RADIUS = 6.0  # [m] of arcs, where there is room; then they may miss it by more
WIDE = 60.0  # [m] and the radius of an arc that need not be wider
TIGHT = 4.5  # [m] of bends, to the lane on their inside, for which points become one
TURNS = np.radians(2.0)  # [rad] from which on a corner counts
SHARPEST = np.radians(170.0)
MOST_MOVED = 15.0  # [m] that a corner may move when it becomes one with the next
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
    points = _with_room(points, beside)
    legs = np.diff(points, axis=0)
    length = np.hypot(legs[:, 0], legs[:, 1])
    heading, turn, sharp, tangent = _corners(points, beside)
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


def _corners(points: np.ndarray, beside: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Headings of the legs; of the corners their turns, their sharpness and where [m] arcs begin."""
    legs = np.diff(points, axis=0)
    length = np.hypot(legs[:, 0], legs[:, 1])
    heading = np.unwrap(np.arctan2(legs[:, 1], legs[:, 0]))
    turn = np.diff(heading)
    sharp = np.minimum(np.abs(turn), SHARPEST)
    radius = LEAST_RADIUS + np.where(turn < 0, beside, 0.0)
    wide = np.minimum(ASIDE / np.tan(np.maximum(sharp, 1e-6) / 4), WIDE * np.tan(sharp / 2))
    wanted = np.where(sharp < 1e-6, 0.0, np.maximum(wide, radius * np.tan(sharp / 2)))
    padded = np.concatenate([[0.0], wanted, [0.0]])
    share = length / np.maximum(padded[:-1] + padded[1:], 1e-9)  # a leg is shared by what its corners want
    return heading, turn, sharp, wanted * np.minimum(1.0, np.minimum(share[:-1], share[1:]))


def _with_room(points: np.ndarray, beside: float) -> np.ndarray:
    """The polyline with points close to each other made one where a bend would be too tight otherwise."""
    while len(points) > 3:
        _, turn, sharp, tangent = _corners(points, beside)
        radius = tangent / np.maximum(np.tan(sharp / 2), 1e-9)
        least = TIGHT + np.where(turn < 0, beside, 0.0)
        tight = np.where(sharp > TURNS, least - radius, 0.0)
        worst = int(np.argmax(tight))
        if tight[worst] <= 0.0:
            break
        length = np.hypot(*np.diff(points, axis=0).T)
        leg = worst if length[worst] < length[worst + 1] else worst + 1
        if leg in (0, len(length) - 1):  # the ends stay
            points = np.delete(points, 1 if leg == 0 else -2, axis=0)
        else:
            meeting = _crossing(points[leg - 1], points[leg], points[leg + 1], points[leg + 2])
            points = np.vstack([points[:leg], meeting, points[leg + 2 :]])
    return points


def _crossing(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Where the line from a through b meets that from d through c, or else the middle between b and c."""
    one, other = b - a, c - d
    cross = one[0] * other[1] - one[1] * other[0]
    if abs(cross) > 1e-9:
        away = c - b
        u = (away[0] * other[1] - away[1] * other[0]) / cross
        v = (away[0] * one[1] - away[1] * one[0]) / cross
        if u >= 0 and v >= 0 and max(u * np.hypot(*one), v * np.hypot(*other)) < MOST_MOVED:
            return b + u * one
    return (b + c) / 2


def geometry(s: np.ndarray, line: Line) -> Geometry:
    """A reference line through samples."""
    samples = np.stack([s, *line])
    return Geometry(0.0, 0.0, 0.0, 0.0, float(s[-1]), "samples", {}, samples=samples)
