"""Pavements as convex pieces with four corners that meet edge to edge."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..roads.arm import STOP_GAP, Arm
from ..roads.curves import Curve, join, turning_loop
from ..roads.junctions import loop_radius
from ..roads.swept import USUAL, Largest

_PIECE = 8.0  # [m] of pavement along bends
_FACETS = 6  # of a rounded corner
_COLLINEAR = np.radians(150.0)


def side_paving(centre: Curve, kerb: float, width: float, right: bool) -> np.ndarray:
    """Pieces (q, 4, 2) along one side of a street whose kerb lies `kerb` [m] from its dividing line."""
    if len(centre.x) == 2:
        pick = np.array([0, 1])
    else:
        pick = np.unique(
            np.linspace(0, len(centre.x) - 1, max(2, int(centre.length / _PIECE) + 1)).astype(int)
        )
    side = -1.0 if right else 1.0
    near = _offset(centre, pick, side * kerb)
    far = _offset(centre, pick, side * (kerb + width))
    return _between(near, far)


@lru_cache(maxsize=512)
def corner_paving(
    arms: tuple[Arm, ...], width: float, corner: float, largest: Largest = USUAL
) -> tuple[np.ndarray, np.ndarray]:
    """Pieces of pavement round a junction, from stop line to stop line, and the ring of its kerbs.

    Arms come counter-clockwise; everything is in the junction's own frame.
    """
    if len(arms) == 1:
        near, far = _loop_kerb(arms[0], width, largest)
        return _between(near, far), near
    rows = [_kerb(a, arms[(i + 1) % len(arms)], width, corner, largest) for i, a in enumerate(arms)]
    return np.concatenate([_between(*row) for row in rows]), np.concatenate([near for near, _ in rows])


def _kerb(a: Arm, b: Arm, width: float, corner: float, largest: Largest) -> tuple[np.ndarray, np.ndarray]:
    """Kerb points and the points `width` behind them, from the left of arm `a` to the right of arm `b`."""
    out_a, out_b = _out(a), _out(b)
    left_a, left_b = np.array([-out_a[1], out_a[0]]), np.array([-out_b[1], out_b[0]])
    start = np.array([a.x, a.y]) + a.lanes_in * a.width * left_a
    end = np.array([b.x, b.y]) - b.lanes_out * b.width * left_b
    marks_a, marks_b = np.array(_marks(a))[:, None], np.array(_marks(b)[::-1])[:, None]
    gap = (b.angle - a.angle) % (2 * np.pi)
    if gap < _COLLINEAR:
        near, far = _round_corner(a, b, start, end, width, corner)
    else:
        near, far = _along_kerb_lane(a, b, width, largest)
    kerb = np.concatenate([start - marks_a * out_a, near, end - marks_b * out_b])
    behind = np.concatenate(
        [start - marks_a * out_a + width * left_a, far, end - marks_b * out_b - width * left_b]
    )
    return kerb, behind


def _along_kerb_lane(a: Arm, b: Arm, width: float, largest: Largest) -> tuple[np.ndarray, np.ndarray]:
    """Beside the connector of the kerb lane, where the kerb runs on or bends outwards."""
    way = join(a.entering(0), b.leaving(0), max(a.run, b.run), largest.tightest)
    count = max(2, int((way.length - a.run - b.run) / 4.0) + 1)
    station = np.linspace(a.run, way.length - b.run, count)
    points = np.linspace(0.0, way.length, len(way.x))
    x, y, heading = (np.interp(station, points, v) for v in way[:3])
    edge = np.linspace(a.width / 2, b.width / 2, count)
    right = np.stack([np.sin(heading), -np.cos(heading)], -1)
    kerb = np.stack([x, y], -1) + edge[:, None] * right
    return kerb, kerb + width * right


def _round_corner(
    a: Arm, b: Arm, start: np.ndarray, end: np.ndarray, width: float, corner: float
) -> tuple[np.ndarray, np.ndarray]:
    """An arc where the kerbs of two arms would meet."""
    out_a, out_b = _out(a), _out(b)
    gap = (b.angle - a.angle) % (2 * np.pi)
    between = end - start
    along = (between[0] * out_b[1] - between[1] * out_b[0]) / (out_a[0] * out_b[1] - out_a[1] * out_b[0])
    meet = start + along * out_a
    room = min((start - meet) @ out_a - a.run, (end - meet) @ out_b - b.run)
    radius = min(corner, max(room, 0.5) * np.tan(gap / 2))
    inner = max(radius - width, 0.3)
    middle = meet + radius / np.tan(gap / 2) * out_a + radius * np.array([-out_a[1], out_a[0]])
    angles = a.angle - np.pi / 2 - np.linspace(0.0, np.pi - gap, _FACETS + 1)
    rays = np.stack([np.cos(angles), np.sin(angles)], -1)
    return middle + radius * rays, middle + inner * rays


def _loop_kerb(arm: Arm, width: float, largest: Largest) -> tuple[np.ndarray, np.ndarray]:
    """Round the turning loop of a dead end."""
    if not (arm.lanes_in and arm.lanes_out):
        return np.zeros((0, 2)), np.zeros((0, 2))
    start, end = arm.entering(0), arm.leaving(0)
    aside = float(np.hypot(end[0] - start[0], end[1] - start[1]))
    radius = loop_radius(arm.lanes_in - 1, arm.width, largest)
    loop = turning_loop(start, aside, radius)
    pick = np.unique(np.linspace(0, len(loop.x) - 1, int(loop.length / 3.0)).astype(int))
    widened = np.minimum(1.0, np.abs(loop.curvature[pick]) * radius)
    edge = (arm.width + widened * (largest.loop - arm.width)) / 2
    return _offset(loop, pick, -edge), _offset(loop, pick, -edge - width)


def _marks(arm: Arm) -> list[float]:
    """Depths [m] inside the stop line at which pavements are cut: there, and at the crosswalk's sides."""
    return [0.0, STOP_GAP, STOP_GAP + arm.crosswalk] if arm.crosswalk else [0.0]


def _out(arm: Arm) -> np.ndarray:
    return np.array([np.cos(arm.angle), np.sin(arm.angle)])


def _offset(curve: Curve, pick: np.ndarray, by: np.ndarray | float) -> np.ndarray:
    """Points (k, 2) to the left of some points of a curve."""
    heading = curve.heading[pick]
    return np.stack([curve.x[pick] - by * np.sin(heading), curve.y[pick] + by * np.cos(heading)], -1)


def _between(near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Quadrilaterals between two rows of points; those without area are left out."""
    quads = np.stack([near[:-1], near[1:], far[1:], far[:-1]], axis=1)
    step = np.maximum(np.hypot(*(near[1:] - near[:-1]).T), np.hypot(*(far[1:] - far[:-1]).T))
    return quads[step > 1e-3]
