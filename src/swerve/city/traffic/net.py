"""The road network as the traffic's kernels see it: the strips' arrays, and what follows from them once.

A strip is a lane between junctions or a connector across one. Besides the geometry a driver needs to know
how fast a bend can be taken, which way a connector turns, which pairs of connectors part from one lane, and
which crosswalks lie on a strip.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, inner, kernel

from ..roads.abreast import OPPOSITE, places_abreast
from ..roads.roads import CONNECTOR, LANE, Roads
from .rings import next_in_ring

SIDE_ACCELERATION = 2.2  # [m/s²] for which `pace` is made; a driver scales it
EASY_BRAKING = 1.8  # [m/s²] with which bends are approached
FASTEST = 60.0  # [m/s]
ABREAST = 1.5  # [m] by which places beside each other may differ along two ways that part from one lane
TURN_DOT = np.cos(np.radians(30.0))  # directions less alike than this are a turn


STRIP = np.dtype(
    [
        ("first", np.int32),  # of its points
        ("after_first", np.int32),
        ("conflict_first", np.int32),
        ("walk_first", np.int32),
        ("length", np.float64),
        ("width", np.float64),
        ("limit", np.float64),
        ("part", np.float64),  # where a connector has parted from all that leave the same lane
        ("road", np.int32),
        ("junction", np.int32),
        ("inner", np.int32),
        ("outer", np.int32),
        ("opposite", np.int32),
        ("light", np.int32),
        ("follows", np.int32),  # the lane that leads straight into a lane, without a junction, or -1
        ("ring", np.int32),  # the next lane of the ring that a lane is in, or -1
        ("kind", np.int8),
        ("lane", np.int8),
        ("control", np.int8),
        ("signal", np.int8),  # indicator of a connector, -1 right, 1 left
        ("open", np.bool_),  # a lane that leads out of the world
    ],
    align=True,
)
POINT = np.dtype([(name, np.float64) for name in ("x", "y", "heading", "station", "pace")])
CONFLICT = np.dtype(
    [
        ("begin", np.float64),  # own stretch
        ("end", np.float64),
        ("other_begin", np.float64),
        ("other_end", np.float64),
        ("other", np.int32),
        ("rank", np.int8),
        ("parting", np.bool_),  # both leave the same lane side by side, so that lane's order rules
    ],
    align=True,
)
WALK = np.dtype([("begin", np.float64), ("end", np.float64), ("crosswalk", np.int32)], align=True)


class Net(NamedTuple):
    """Records of strips (one more than there are, for the ends of their lists), points, conflicts,
    crosswalks.

    Metres, metres a second, radians. `pace` is the speed from which every bend ahead in the strip is taken
    at ease.
    """

    strips: np.ndarray
    points: np.ndarray
    after: np.ndarray  # int32: successors
    conflicts: np.ndarray
    walks: np.ndarray
    left_hand: bool
    abreast: np.ndarray  # (points, 3) [m] on the lanes at the inside, the outside and opposite


def build_net(roads: Roads, ways_out: np.ndarray | None = None) -> Net:
    """From `Roads`; done once a scene. `ways_out` (strips) says which lanes lead out of the world."""
    n = len(roads.length)
    before = np.full(n, -1, np.int32)
    has = np.diff(roads.before_first) > 0
    before[has] = roads.before[roads.before_first[:-1][has]]
    own = np.repeat(np.arange(n, dtype=np.int32), np.diff(roads.conflict_first))
    conflicts = np.zeros(len(own), CONFLICT)
    for field, column in (
        ("begin", "from"),
        ("end", "to"),
        ("other_begin", "other_from"),
        ("other_end", "other_to"),
        ("other", "with"),
        ("rank", "rank"),
    ):
        conflicts[field] = getattr(roads, f"conflict_{column}")
    other = conflicts["other"]
    parting = (before[own] == before[other]) & (before[own] >= 0) & (roads.kind[own] == CONNECTOR)
    parting &= np.abs(conflicts["end"] - conflicts["other_end"]) < ABREAST
    conflicts["parting"] = parting
    strips = np.zeros(n + 1, STRIP)
    for field in ("first", "after_first", "conflict_first"):
        strips[field] = getattr(roads, field)
    for field in (
        "length",
        "width",
        "limit",
        "road",
        "junction",
        "inner",
        "outer",
        "opposite",
        "light",
        "kind",
    ):
        strips[field][:n] = getattr(roads, field)
    for field in ("lane", "control"):
        strips[field][:n] = getattr(roads, field)
    strips["signal"][:n] = _signals(roads)
    strips["ring"][:n] = next_in_ring(roads)
    onto = (before >= 0) & (roads.kind == LANE)
    strips["follows"] = -1
    strips["follows"][:n] = np.where(onto & (roads.kind[before] == LANE), before, -1)
    if ways_out is not None:
        strips["open"][:n] = ways_out
    np.maximum.at(strips["part"], own[parting], conflicts["end"][parting])
    strips["walk_first"], walks = _crosswalks(roads, n)
    points = np.zeros(len(roads.x), POINT)
    for field in ("x", "y", "heading", "station"):
        points[field] = getattr(roads, field)
    points["pace"] = _paces(
        np.asarray(roads.first), points["station"].copy(), np.asarray(roads.curvature, float)
    )
    after, abreast = np.asarray(roads.after, np.int32), places_abreast(roads)
    return Net(strips, points, after, conflicts, walks, bool(roads.left_hand), abreast)


@inner
@bare
def across(net: Net, strip: int, station: float, side: int) -> float:
    """Station [m] on the lane at a `side` of a strip, abreast of a station; straight on beyond the ends."""
    first, length = net.strips[strip].first, net.strips[strip].length
    gaps = net.strips[strip + 1].first - first - 1
    at = station / length * gaps
    k = min(gaps - 1, max(0, int(at)))
    share = min(1.0, max(0.0, at - k))
    a, b = net.abreast[first + k, side], net.abreast[first + k + 1, side]
    beyond = min(0.0, station) + max(0.0, station - length)
    return a + share * (b - a) + (-beyond if side == OPPOSITE else beyond)


def _signals(roads: Roads) -> np.ndarray:
    """Which indicator a connector needs, from the directions before and after it.

    Their dot product says whether it is a turn, the sign of their cross product to which side.
    """
    a = roads.heading[roads.first[:-1]]
    b = roads.heading[roads.first[1:] - 1]
    dot, cross = np.cos(b - a), np.sin(b - a)
    side = np.where(np.abs(cross) < 0.02, np.sign(b - a), np.sign(cross))  # a U-turn has no cross product
    return np.where((roads.kind == CONNECTOR) & (dot < TURN_DOT), side, 0).astype(np.int8)


def _crosswalks(roads: Roads, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The stretches of crosswalks sorted by the strip they lie on and along it, and where a strip's
    begin."""
    crossings = roads.crossings
    crossing = np.repeat(np.arange(len(crossings.strip_first) - 1), np.diff(crossings.strip_first))
    order = np.lexsort((crossings.from_, crossings.strip))
    walks = np.zeros(len(order), WALK)
    walks["begin"], walks["end"] = np.asarray(crossings.from_)[order], np.asarray(crossings.to)[order]
    walks["crosswalk"] = crossing[order]
    return np.searchsorted(np.asarray(crossings.strip)[order], np.arange(n + 1)).astype(np.int32), walks


@kernel
def _paces(first: np.ndarray, station: np.ndarray, curvature: np.ndarray) -> np.ndarray:
    """Largest speed at every point: v² ≤ a/κ there, and braking at ease suffices for the points ahead."""
    pace = np.empty(len(station))
    for i in range(len(first) - 1):
        later = FASTEST
        for p in range(first[i + 1] - 1, first[i] - 1, -1):
            here = min(FASTEST, np.sqrt(SIDE_ACCELERATION / max(abs(curvature[p]), 1e-6)))
            if p + 1 < first[i + 1]:
                step = station[p + 1] - station[p]
                here = min(here, np.sqrt(later * later + 2.0 * EASY_BRAKING * step))
            pace[p] = here
            later = here
    return pace
