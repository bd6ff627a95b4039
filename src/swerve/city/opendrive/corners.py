"""Turns that a wheelbase can follow: connecting roads in files may be tighter than any car steers.

Where one is, the lanes before and after it end further out, and the way across becomes one even turn.
"""

from __future__ import annotations

import numpy as np

from ..roads.curves import Curve, join, missing_room
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


def eased(shape: Shape, source: Curve, target: Curve) -> Shape:
    """One even turn instead of a tight way, where that is easier and about as long."""
    if not is_tight(shape.curve):
        return shape
    start = (source.x[-1], source.y[-1], source.heading[-1])
    turn = join(start, (target.x[0], target.y[0], target.heading[0]), 0.0, TIGHTEST)
    tight, now = (np.abs(c.curvature).max() for c in (shape.curve, turn))
    if now > tight or not LIKE[0] < turn.length / shape.curve.length < LIKE[1]:
        return shape
    at = np.linspace(0.0, len(shape.height) - 1.0, len(turn.x))
    known = np.arange(len(shape.height))
    return Shape(turn, *(np.interp(at, known, v) for v in (shape.height, shape.bank, shape.width)))


def _add(zones: Zones, piece: Piece, stretch: tuple[float, float]) -> None:
    zones.setdefault((piece.thread.road.id, piece.thread.forward), []).append(stretch)
