"""Bends so tight that vehicles on lanes beside each other need each other's lane: one after the other there.

A long vehicle swings out in front and cuts the corner behind, by half its wheelbase squared over the radius.
Such a stretch of a road becomes a junction of its own, whose conflicts are what vehicles sweep.
"""

from __future__ import annotations

import numpy as np

from .overlaps import Stretch
from .pieces import Piece, Shape
from .shifts import Zones

TIGHT = 12.0  # [m] radius of a lane's middle, below which vehicles may need the lane beside it
AROUND = 9.0  # [m] before and behind, that a vehicle takes to get straight


def tight_bends(pieces: list[Piece], shapes: list[Shape]) -> tuple[Zones, list[list[Stretch]]]:
    """Stretches of lanes beside each other in such bends, and which of them belong together."""
    zones: Zones = {}
    together: list[list[Stretch]] = []
    beside: dict[str, int] = {}
    for piece in pieces:
        if not piece.zone:
            beside[piece.thread.road.id] = beside.get(piece.thread.road.id, 0) + 1
    for piece, shape in zip(pieces, shapes, strict=True):
        name, whole = piece.thread.road.id, piece.thread.whole
        if piece.zone or beside[name] < 2:
            continue
        tight = np.flatnonzero(np.abs(shape.curve.curvature) > 1.0 / TIGHT)
        if len(tight) == 0:
            continue
        at = piece.begin + tight * (piece.end - piece.begin) / (len(shape.curve.x) - 1)
        for part in np.split(at, np.flatnonzero(np.diff(at) > 2 * AROUND) + 1):
            begin, end = max(0.0, float(part[0]) - AROUND), min(whole, float(part[-1]) + AROUND)
            both = [((name, piece.thread.forward), begin, end)]
            both.append(((name, not piece.thread.forward), whole - end, whole - begin))
            for key, low, high in both:
                zones.setdefault(key, []).append((low, high))
            together.append(both)
    return zones, together
