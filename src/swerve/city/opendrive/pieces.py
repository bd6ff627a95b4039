"""Roads cut into pieces: lanes on which one drives freely, and zones whose ways cross, merge or part.

Lanes beside each other are cut at the same places, so that they begin and end abreast. A zone becomes part of
a junction: connecting roads, shifts, crosswalks, stretches where roads overlap, and what is too short for a
lane.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from swerve.core.errors import BadInput

from ..roads.curves import Curve, evenly, reverse
from .joins import Join
from .shifts import Zones
from .surface import beside, lift, spine
from .threads import Thread

LEAST_LANE = 13.0  # [m]: shorter ones cannot hold a car and its gap
LEAST_ZONE = 20.0  # [m] of lane under a limit of its own
_SAME = 0.3  # [m] between cuts that are one
_STEP = 0.25  # [m]
_MARGIN = 2  # points beyond the ends, so that slopes are right there


@dataclass(eq=False)
class Piece:
    """A stretch of a thread, `begin` to `end` [m]; lanes of one `run` lie side by side, -1 in zones."""

    thread: Thread
    begin: float
    end: float
    run: int
    zone: bool
    after: list[Piece] = field(default_factory=list)
    before: list[Piece] = field(default_factory=list)

    @property
    def limit(self) -> float:
        """[m/s]"""
        return self.thread.limit_at((self.begin + self.end) / 2)


@dataclass(frozen=True)
class Shape:
    """The middle of a piece, and at every point its height [m], bank [rad, right side down] and width [m]."""

    curve: Curve
    height: np.ndarray
    bank: np.ndarray
    width: np.ndarray


def cut(threads: list[Thread], joins: list[Join], zones: Zones) -> list[Piece]:
    """The pieces of all threads, linked with each other."""
    by_road: dict[tuple[str, bool], list[Thread]] = {}
    for thread in threads:
        if thread.used:
            by_road.setdefault((thread.road.id, thread.forward), []).append(thread)
    open_ = [t for t in threads if t.road.junction == "-1" and t.shift is None]
    least = min(LEAST_LANE, max((t.end - t.begin for t in open_), default=0.0))  # in the smallest of worlds
    pieces: list[Piece] = []
    runs = 0
    for key, some in by_road.items():
        marks = _marks(some, zones.get(key, []))
        for begin, end in pairwise(marks):
            here = [t for t in some if t.begin < begin + _SAME and t.end > end - _SAME]
            middle = (begin + end) / 2
            zone = some[0].road.junction != "-1" or any(a < middle < b for a, b in zones.get(key, []))
            zone = zone or end - begin < least - _SAME
            for group in _side_by_side(here, middle):
                for thread in group:
                    apart = zone or thread.shift is not None
                    pieces.append(Piece(thread, begin, end, -1 if apart else runs, apart))
                runs += 1
    _link(pieces, joins)
    return pieces


def shape_of(piece: Piece) -> Shape:
    """Where a piece lies."""
    thread, road = piece.thread, piece.thread.road
    low, high = sorted((float(thread.s(piece.begin)), float(thread.s(piece.end))))
    count = max(5, int(np.ceil((high - low) / _STEP)) + 1)
    step = (high - low) / (count - 1)
    s = low + step * np.arange(-_MARGIN, count + _MARGIN)
    inside = (s > -1e-9) & (s < thread.whole + 1e-9)
    s = np.clip(s[inside], 0.0, thread.whole)
    aside, width = thread.lateral(s)
    along = spine(road, s)
    drift = np.gradient(aside, s, edge_order=2)
    x, y, z, heading, _, bank = beside(along, aside, drift, lift(road, s, aside))
    own = (s >= low - 1e-9) & (s <= high + 1e-9)
    chord = np.hypot(np.diff(x), np.diff(y))
    if not chord[own[1:] & own[:-1]].sum() <= 4.0 * (high - low) + 1.0:
        far = float(f"{chord.sum():.4g}")
        raise BadInput(
            f"road {road.id}, lane {thread.exit[2]}", far, f"is far longer than its {high - low:.4g} m"
        )
    gone = np.concatenate([[0.0], np.cumsum(np.maximum(chord, 1e-9))])
    curvature = np.gradient(heading, gone, edge_order=2)
    x, y, heading, curvature, z, bank, wide, gone = (
        v[own] for v in (x, y, heading, curvature, z, bank, width * np.cos(along.bank), gone)
    )
    curve = evenly(x, y, heading, curvature)
    at = np.linspace(gone[0], gone[-1], len(curve.x))
    z, bank, wide = (np.interp(at, gone, v) for v in (z, bank, wide))
    if thread.forward:
        return Shape(curve, z, bank, wide)
    return Shape(reverse(curve), z[::-1], -bank[::-1], wide[::-1])


def _marks(some: list[Thread], zones: list[tuple[float, float]]) -> list[float]:
    """Where a road is cut, ends included."""
    whole = some[0].whole
    marks = [0.0, whole]
    for u in sorted({u for t in some for u in (t.begin, t.end)} | {u for pair in zones for u in pair}):
        if 0.0 < u < whole and min(abs(u - mark) for mark in marks) > _SAME:
            marks.append(u)
    own = {u for thread in some for u in thread.limits_change}
    for u in sorted(own | {s if some[0].forward else whole - s for s, _ in some[0].road.limits}):
        if min(abs(u - mark) for mark in marks) > LEAST_ZONE:
            marks.append(u)
    return sorted(marks)


def _side_by_side(some: list[Thread], u: float) -> list[list[Thread]]:
    """Groups without a gap, each from the kerb to the middle; shifts are alone."""
    ordinary = [t for t in some if t.shift is None]
    names = {id(t): abs(t.lane_at(u).id) for t in ordinary}
    groups: list[list[Thread]] = []
    for thread in sorted(ordinary, key=lambda t: -names[id(t)]):
        if groups and names[id(groups[-1][-1])] - names[id(thread)] == 1:
            groups[-1].append(thread)
        else:
            groups.append([thread])
    return groups + [[t] for t in some if t.shift is not None]


def _link(pieces: list[Piece], joins: list[Join]) -> None:
    own: dict[int, list[Piece]] = {}
    for piece in pieces:
        own.setdefault(id(piece.thread), []).append(piece)
    for some in own.values():
        some.sort(key=lambda p: p.begin)
        for one, other in pairwise(some):
            if abs(one.end - other.begin) < _SAME:
                _connect(one, other)
    for join in joins:
        ends = [p for p in own.get(id(join.one), []) if abs(p.end - join.leaves) < 2 * _SAME]
        starts = [p for p in own.get(id(join.other), []) if abs(p.begin - join.enters) < 2 * _SAME]
        if ends and starts:
            _connect(ends[0], starts[0])


def _connect(one: Piece, other: Piece) -> None:
    if other not in one.after:
        one.after.append(other)
        other.before.append(one)
