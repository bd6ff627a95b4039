"""Turns that a wheelbase can follow: connecting roads in files may be tighter than any car steers.

Where one is, the lanes before and after it end further out, and the way across becomes one even turn.
"""

from __future__ import annotations

import numpy as np

from ..roads.curves import Curve, evenly, join, missing_room
from .pieces import LEAST_LANE, Piece, Shape
from .shifts import Zones

TIGHTEST = 6.0  # [m] radius of a turn
MOST = 12.0  # [m] that a lane ends further out
LIKE = (0.6, 1.3)  # of a way's length, that of the turn which stands for it


def room_for_turns(pieces: list[Piece], shapes: list[Shape]) -> Zones:
    """What the lanes before and after tight connecting roads have to give to the junction."""
    number = {id(p): i for i, p in enumerate(pieces)}
    zones: Zones = {}
    for i, piece in enumerate(pieces):
        if piece.thread.road.junction == "-1" or not is_tight(shapes[i].curve):
            continue
        for before in piece.before:
            for after in piece.after:
                if before.zone or after.zone:
                    continue
                one, other = shapes[number[id(before)]].curve, shapes[number[id(after)]].curve
                start = (one.x[-1], one.y[-1], one.heading[-1])
                end = (other.x[0], other.y[0], other.heading[0])
                more = min(missing_room(start, end, TIGHTEST) + 0.5, MOST)
                far, near = (p.end - p.begin - LEAST_LANE for p in (before, after))
                if more <= 0.5 or min(far, near) < more:
                    continue
                _add(zones, before, (before.end - more, before.end))
                _add(zones, after, (after.begin, after.begin + more))
    return zones


def is_tight(curve: Curve) -> bool:
    return bool(np.abs(curve.curvature).max() > 1.0 / (TIGHTEST - 0.7))


def eased(shape: Shape, kept: tuple[float, float]) -> Shape:
    """One even turn instead of a tight way, where that is easier and about as long. So much [m] is `kept` of
    its beginning and of its end, where crosswalks are and people beside them."""
    if not is_tight(shape.curve):
        return shape
    curve, length = shape.curve, shape.curve.length
    along = np.linspace(0.0, length, len(curve.x))
    first = int(np.searchsorted(along, kept[0] - 1e-9))
    last = int(np.searchsorted(along, length - kept[1] + 1e-9)) - 1
    if last - first < 2:
        return shape
    start, end = ((curve.x[k], curve.y[k], curve.heading[k]) for k in (first, last))
    turn = join(start, end, 0.0, TIGHTEST)
    tight, now = (np.abs(c.curvature).max() for c in (curve, turn))
    before = along[last] - along[first]
    if now > tight or not LIKE[0] < turn.length / before < LIKE[1]:
        return shape
    whole = _with_ends(curve, turn, first, last)
    gone = np.linspace(along[first], along[last], len(turn.x))
    at = np.concatenate([along[:first], gone, along[last + 1 :]])
    at = np.interp(np.linspace(0.0, 1.0, len(whole.x)), np.linspace(0.0, 1.0, len(at)), at)
    return Shape(whole, *(np.interp(at, along, v) for v in (shape.height, shape.bank, shape.width)))


def _with_ends(curve: Curve, turn: Curve, first: int, last: int) -> Curve:
    """A turn in the middle of a curve, from one of its points to another."""
    if first == 0 and last == len(curve.x) - 1:
        return turn
    turned = 2 * np.pi * np.round((curve.heading[first] - turn.heading[0]) / (2 * np.pi))
    middle = turn._replace(heading=turn.heading + turned)
    after = 2 * np.pi * np.round((middle.heading[-1] - curve.heading[last]) / (2 * np.pi))
    parts = [
        np.concatenate([getattr(curve, n)[:first], getattr(middle, n), getattr(curve, n)[last + 1 :] + more])
        for n, more in (("x", 0.0), ("y", 0.0), ("heading", after), ("curvature", 0.0))
    ]
    keep = np.concatenate([[True], np.hypot(np.diff(parts[0]), np.diff(parts[1])) > 1e-3])
    return evenly(*(part[keep] for part in parts))


def _add(zones: Zones, piece: Piece, stretch: tuple[float, float]) -> None:
    zones.setdefault((piece.thread.road.id, piece.thread.forward), []).append(stretch)
