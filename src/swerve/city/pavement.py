"""Pavements as convex pieces with four corners that meet edge to edge."""

from __future__ import annotations

import numpy as np

from .navigation.curves import Curve, turning_loop
from .navigation.junctions import INNER_GAP, STOP_GAP, Arm
from .navigation.swept import LONGEST

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


def corner_paving(arms: tuple[Arm, ...], width: float, corner: float) -> np.ndarray:
    """Pieces round a junction, from stop line to stop line, in its own frame."""
    if len(arms) == 1:
        return _loop_paving(arms[0], width)
    pieces = [np.zeros((0, 4, 2))]
    for i, a in enumerate(arms):
        b = arms[(i + 1) % len(arms)]
        near, far = _kerb(a, b, width, corner)
        pieces.append(_between(near, far))
    return np.concatenate(pieces)


def _kerb(a: Arm, b: Arm, width: float, corner: float) -> tuple[np.ndarray, np.ndarray]:
    """Kerb points and the points `width` behind them, from the left of arm `a` to the right of arm `b`."""
    out_a, out_b = _out(a), _out(b)
    left_a, left_b = np.array([-out_a[1], out_a[0]]), np.array([-out_b[1], out_b[0]])
    start = np.array([a.x, a.y]) + a.lanes_in * a.width * left_a
    end = np.array([b.x, b.y]) - b.lanes_out * b.width * left_b
    near, far = [start], [start + width * left_a]
    for depth in _marks(a):
        near.append(start - depth * out_a)
        far.append(near[-1] + width * left_a)
    gap = (b.angle - a.angle) % (2 * np.pi)
    if gap < _COLLINEAR:
        # where the kerbs would meet, and the arc that rounds them off
        between = end - start
        along = (between[0] * out_b[1] - between[1] * out_b[0]) / (out_a[0] * out_b[1] - out_a[1] * out_b[0])
        meet = start + along * out_a
        room = min(-(meet - start) @ out_a - a.run, -(meet - end) @ out_b - b.run)
        radius = min(corner, max(room, 0.5) * np.tan(gap / 2))
        inner = max(radius - width, 0.3)
        middle = meet + radius / np.tan(gap / 2) * out_a + radius * left_a
        turn = np.pi - gap
        for share in np.linspace(0.0, 1.0, _FACETS + 1):
            angle = a.angle - np.pi / 2 + share * turn
            ray = np.array([np.cos(angle), np.sin(angle)])
            near.append(middle + radius * ray)
            far.append(middle + inner * ray)
    for depth in reversed(_marks(b)):
        near.append(end - depth * out_b)
        far.append(near[-1] - width * left_b)
    near.append(end)
    far.append(end - width * left_b)
    return np.array(near), np.array(far)


def _loop_paving(arm: Arm, width: float) -> np.ndarray:
    """Round the turning loop of a dead end."""
    if not (arm.lanes_in and arm.lanes_out):
        return np.zeros((0, 4, 2))
    start, end = arm.entering(0), arm.leaving(0)
    loop = turning_loop(start, float(np.hypot(end[0] - start[0], end[1] - start[1])))
    pick = np.unique(np.linspace(0, len(loop.x) - 1, int(loop.length / 3.0)).astype(int))
    swing = np.abs(loop.curvature[pick]) * LONGEST**2 / 8
    near = _offset(loop, pick, -(arm.width / 2 + swing))
    far = _offset(loop, pick, -(arm.width / 2 + swing + width))
    return _between(near, far)


def _marks(arm: Arm) -> list[float]:
    """Depths [m] behind the stop line at which a crosswalk begins and ends, and where kerbs begin to bend."""
    if not arm.crosswalk:
        return []
    return [STOP_GAP, STOP_GAP + arm.crosswalk, STOP_GAP + arm.crosswalk + INNER_GAP]


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
