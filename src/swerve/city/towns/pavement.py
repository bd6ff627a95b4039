"""Pavements as convex pieces with four corners that meet edge to edge."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..roads.arm import STOP_GAP, Arm
from ..roads.curves import Curve, join, turning_loop
from ..roads.junctions import loop_radius
from ..roads.lay_bys import TAPER, WIDTH
from ..roads.swept import USUAL, Largest

_PIECE = 8.0  # [m] of pavement along bends
_FACETS = 6  # of a rounded corner
_TRIES = 12  # to make pieces convex
_POINTED = 0.05  # [m] radius of what is no longer round behind one
_COLLINEAR = np.radians(150.0)
_BESIDE, _FURTHEST_OUT = 2.0, 15.0  # [m] along and across, where another way is looked for
_OVER = 0.5  # [m] that a corner may lie inside the lane round it, which is wider than a car


def side_paving(
    centre: Curve, kerb: float, width: float, right: bool, row: tuple[float, float] | None = None
) -> np.ndarray:
    """Pieces (q, 4, 2) along one side of a street whose kerb lies `kerb` [m] from its dividing line.

    Into it a `row` of bays is sunk, from one place to another [m] in the direction of those who drive there.
    """
    if row is not None:
        return _round_bays(centre, kerb, width, right, row)
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


def _round_bays(
    centre: Curve, kerb: float, width: float, right: bool, row: tuple[float, float]
) -> np.ndarray:
    """Pieces along a side with bays: as wide as ever before and behind them, and narrow beside them."""
    start, end = row if right else (centre.length - row[1], centre.length - row[0])
    marks = np.array([0.0, start - TAPER, start, end, end + TAPER, centre.length])
    if len(centre.x) > 2:
        marks = np.union1d(marks, np.linspace(0.0, centre.length, max(2, int(centre.length / _PIECE) + 1)))
        marks = marks[np.append(np.diff(marks) > 0.3, True)]
    sunk = WIDTH * np.clip(np.minimum(marks - start + TAPER, end + TAPER - marks) / TAPER, 0.0, 1.0)
    x, y, heading, _ = (
        np.interp(marks, np.linspace(0.0, centre.length, len(centre.x)), v) for v in centre[:4]
    )
    side = -1.0 if right else 1.0
    aside = side * np.stack([-np.sin(heading), np.cos(heading)], -1)
    middle = np.stack([x, y], -1)
    return _between(middle + (kerb + sunk)[:, None] * aside, middle + (kerb + width) * aside)


@lru_cache(maxsize=512)
def corner_paving(
    arms: tuple[Arm, ...], width: float, corner: float, largest: Largest = USUAL
) -> tuple[np.ndarray, np.ndarray]:
    """Pieces of pavement round a junction, from stop line to stop line, and the ring of its kerbs.

    Arms come counter-clockwise; everything is in the junction's own frame.
    """
    if len(arms) == 1:
        near, far = _loop_kerb(arms[0], width, largest)
        return _between(near, _unfolded(near, far)), near
    rows = []
    for i, a in enumerate(arms):
        b = arms[(i + 1) % len(arms)]
        others = [join(c.entering(0), b.leaving(0), max(c.run, b.run), largest.tightest)
                  for c in arms if c not in (a, b) and c.lanes_in and b.lanes_out]  # fmt: skip
        others += [join(a.entering(0), c.leaving(0), max(a.run, c.run), largest.tightest)
                   for c in arms if c not in (a, b) and a.lanes_in and c.lanes_out]  # fmt: skip
        rows.append(_kerb(a, b, width, corner, largest, others))
    pieces = [_between(near, _unfolded(near, far)) for near, far in rows]
    return np.concatenate(pieces), np.concatenate([near for near, _ in rows])


def _kerb(
    a: Arm, b: Arm, width: float, corner: float, largest: Largest, others: list[Curve]
) -> tuple[np.ndarray, np.ndarray]:
    """Kerb points and the points `width` behind them, from the left of arm `a` to the right of arm `b`.

    `others` are the ways of kerb lanes to and from other arms, over which it must not lie.
    """
    out_a, out_b = _out(a), _out(b)
    left_a, left_b = np.array([-out_a[1], out_a[0]]), np.array([-out_b[1], out_b[0]])
    start = np.array([a.x, a.y]) + a.lanes_in * a.width * left_a
    end = np.array([b.x, b.y]) - b.lanes_out * b.width * left_b
    marks_a, marks_b = np.array(_marks(a))[:, None], np.array(_marks(b)[::-1])[:, None]
    gap = (b.angle - a.angle) % (2 * np.pi)
    near, far = _along_kerb_lane(a, b, width, largest, others)
    if gap < _COLLINEAR:
        round_near, round_far = _round_corner(a, b, start, end, width, corner)
        row = np.concatenate([start - marks_a[-1:] * out_a, round_near, end - marks_b[:1] * out_b])
        if _clear_of(row, near):
            near, far = round_near, round_far
    kerb = np.concatenate([start - marks_a * out_a, near, end - marks_b * out_b])
    behind = np.concatenate(
        [start - marks_a * out_a + width * left_a, far, end - marks_b * out_b - width * left_b]
    )
    return kerb, behind


def _clear_of(row: np.ndarray, kerb: np.ndarray) -> bool:
    """Whether a row of points (k, 2) keeps to the right of the kerb of a turn: nobody drives over it."""
    share = np.linspace(0.0, 1.0, 12)[:, None, None]
    points = (row[:-1] + share * np.diff(row, axis=0)).reshape(-1, 2)
    along = np.diff(kerb, axis=0)
    long = np.maximum(np.hypot(*along.T), 1e-9)
    away = points[:, None] - kerb[None, :-1]
    at = np.clip((away * along).sum(-1) / long**2, 0.0, 1.0)
    off = away - at[..., None] * along
    nearest = np.argmin(np.hypot(off[..., 0], off[..., 1]), axis=1)
    rows = np.arange(len(points))
    off, along, long = off[rows, nearest], along[nearest], long[nearest]
    right = (off[:, 0] * along[:, 1] - off[:, 1] * along[:, 0]) / long
    return bool((right > -_OVER).all())


def _along_kerb_lane(
    a: Arm, b: Arm, width: float, largest: Largest, others: list[Curve]
) -> tuple[np.ndarray, np.ndarray]:
    """Beside the connector of the kerb lane, where the kerb runs on or bends outwards, and beside whatever
    other way lies further out there."""
    way = join(a.entering(0), b.leaving(0), max(a.run, b.run), largest.tightest)
    count = max(2, int((way.length - a.run - b.run) / 4.0) + 1)
    station = np.linspace(a.run, way.length - b.run, count)
    points = np.linspace(0.0, way.length, len(way.x))
    x, y, heading = (np.interp(station, points, v) for v in way[:3])
    edge = np.linspace(a.width / 2, b.width / 2, count)
    right = np.stack([np.sin(heading), -np.cos(heading)], -1)
    middle = np.stack([x, y], -1)
    for other in others:
        away = np.stack([other.x, other.y], -1)[None] - middle[:, None]
        along = np.abs(away[..., 0] * np.cos(heading)[:, None] + away[..., 1] * np.sin(heading)[:, None])
        aside = (away * right[:, None]).sum(-1)
        beside = (along < _BESIDE) & (np.abs(aside) < _FURTHEST_OUT)
        out = np.where(beside, aside, -np.inf).max(axis=1) + (a.width + b.width) / 4
        edge = np.where(out > edge + _OVER, out, edge)
    kerb = middle + edge[:, None] * right
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
    most = max(room, 0.5) * np.tan(gap / 2)
    radius, width = min(corner, most), min(width, most)
    middle = meet + radius / np.tan(gap / 2) * out_a + radius * np.array([-out_a[1], out_a[0]])
    angles = a.angle - np.pi / 2 - np.linspace(0.0, np.pi - gap, _FACETS + 1)
    rays = np.stack([np.cos(angles), np.sin(angles)], -1)
    if radius > width + _POINTED:
        return middle + radius * rays, middle + (radius - width) * rays
    behind = meet + width / np.tan(gap / 2) * out_a + width * np.array([-out_a[1], out_a[0]])
    return middle + radius * rays, behind + _POINTED * rays


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


def _unfolded(near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """The points behind a kerb, nearer to it where a bend leaves less room: pieces stay convex."""
    far = far.copy()
    for _ in range(_TRIES):
        quads = np.stack([near[:-1], near[1:], far[1:], far[:-1]], axis=1)
        side = np.roll(quads, -1, axis=1) - quads
        after = np.roll(side, -1, axis=1)
        turn = side[..., 0] * after[..., 1] - side[..., 1] * after[..., 0]
        folded = np.flatnonzero((turn.max(axis=1) > 1e-9) & (turn.min(axis=1) < -1e-9))
        if len(folded) == 0:
            break
        some = np.union1d(folded, folded + 1)
        far[some] = near[some] + 0.7 * (far[some] - near[some])
    return far


def _between(near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Quadrilaterals between two rows of points; those without area are left out."""
    quads = np.stack([near[:-1], near[1:], far[1:], far[:-1]], axis=1)
    step = np.maximum(np.hypot(*(near[1:] - near[:-1]).T), np.hypot(*(far[1:] - far[:-1]).T))
    return quads[step > 1e-3]
