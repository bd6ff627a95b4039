"""Turns that a wheelbase can follow: connecting roads in files may be tighter than any car steers.

Where one is, the lanes before and after it end further out, and the way across becomes one even turn.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..roads.curves import Curve, evenly, join, missing_room
from .pieces import LEAST_LANE, Piece, Shape
from .shifts import Zones

TIGHTEST = 6.0  # [m] radius of a turn
LIMIT = 1.0 / (TIGHTEST - 0.7)  # [1/m]
STEERED = 1.0 / 4.8  # [1/m] that a car can just follow
MOST = 12.0  # [m] that a lane ends further out
LIKE = (0.6, 1.3)  # of a way's length, that of the turn which stands for it
ASTRAY = 4.0  # [m] that such a turn may leave the way
FURTHEST = 9.0  # [m] the same, where no other turn can be driven at all
SHORTEST = 0.4  # of a way's length, that of such a turn
AROUND = (6.0, 9.0, 12.0, 16.0, 20.0)  # [m] before and after a corner that its turn may take
CORNERS = 6  # of one way that are eased apart


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
    return bool(np.abs(curve.curvature).max() > LIMIT)


def eased(shape: Shape, kept: tuple[float, float]) -> Shape:
    """One even turn instead of a tight way, where that is easier and about as long; where it would lead
    elsewhere (over the island of a roundabout), turns for its tight corners. So much [m] is `kept` of its
    beginning and of its end, where crosswalks are and people beside them."""
    if not is_tight(shape.curve):
        return shape
    along = np.linspace(0.0, shape.curve.length, len(shape.curve.x))
    first = int(np.searchsorted(along, kept[0] - 1e-9))
    last = int(np.searchsorted(along, shape.curve.length - kept[1] + 1e-9)) - 1
    whole = _turned(shape, first, last)
    if whole is not None and np.abs(whole.curve.curvature).max() < STEERED:
        return whole
    further = _turned(shape, first, last, LIMIT, (SHORTEST, LIKE[1]), FURTHEST)
    if whole is not None:
        return further or whole
    cornered = shape
    for _ in range(CORNERS):
        turned = _corner_turned(cornered, kept)
        if turned is None:
            break
        cornered = turned
    return (further or cornered) if is_tight(cornered.curve) else cornered


def _corner_turned(shape: Shape, kept: tuple[float, float]) -> Shape | None:
    """With a turn at its tightest corner that a car can drive; None if there is no such corner or turn."""
    if not is_tight(shape.curve):
        return None
    along = np.linspace(0.0, shape.curve.length, len(shape.curve.x))
    sharpest = along[int(np.argmax(np.abs(shape.curve.curvature)))]
    for around in AROUND:
        begin, end = max(kept[0], sharpest - around), min(shape.curve.length - kept[1], sharpest + around)
        first, last = (int(k) for k in np.searchsorted(along, [begin - 1e-9, end + 1e-9]))
        turned = _turned(shape, first, last - 1, LIMIT)
        if turned is not None:
            return turned
    return None


def _turned(
    shape: Shape,
    first: int,
    last: int,
    most: float = np.inf,
    like: tuple[float, float] = LIKE,
    astray: float = ASTRAY,
) -> Shape | None:
    """With one even turn from one of its points to another, if that is easier, bends by at most so much [1/m]
    and leads about the same way."""
    if last - first < 2:
        return None
    curve = shape.curve
    along = np.linspace(0.0, curve.length, len(curve.x))
    start, end = ((curve.x[k], curve.y[k], curve.heading[k]) for k in (first, last))
    turn = join(start, end, 0.0, TIGHTEST)
    own = slice(first, last + 1)
    tight, now = np.abs(curve.curvature[own]).max(), np.abs(turn.curvature).max()
    before = along[last] - along[first]
    if now > min(tight, most) or not like[0] < turn.length / before < like[1]:
        return None
    if cKDTree(np.stack([turn.x, turn.y], -1)).query(np.stack([curve.x, curve.y], -1)[own])[0].max() > astray:
        return None
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
