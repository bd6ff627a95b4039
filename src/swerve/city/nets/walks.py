"""Crosswalks and corners of a network, from its sidewalks.

Other programs draw crossings inside junctions, where turning cars cut the corner. Here a crosswalk lies just
before the junction, from the sidewalk of the edge that leads there to that of the edge that leaves beside it,
and cars stop before it. Corners lead from the end of one sidewalk to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ..ground.mesh_cut import convex_cells
from ..opendrive.lanes import WALKED, lane_borders
from ..opendrive.lines import reference_line
from ..opendrive.records import RoadRecord, Walk
from ..roads.arm import STOP_GAP

NEAR = 0.5  # [m] from the junction to the crosswalk
WIDTHS = (2.0, 4.0)  # [m] narrowest and widest
LEFT = 15.0  # [m] of an edge that must be left
LONGEST = 60.0  # [m] over the road
ASTRAY = 0.6  # [m] by which a corner may leave the place that it stands for
SAME = 0.5  # [m] between places that are one


@dataclass(frozen=True)
class NetWalk:
    """A crosswalk at a node over some edges, `width` [m]; `head` names its light program or is empty."""

    node: str
    edges: tuple[str, ...]
    width: float
    head: str = ""


@dataclass(frozen=True)
class NetArea:
    """A place (k, 2) [m] for people, and the edges whose sidewalks lead into it and out of it."""

    ring: np.ndarray
    into: tuple[str, ...]
    out_of: tuple[str, ...]


def walks_of(walks: Sequence[NetWalk], roads: dict[str, RoadRecord]) -> tuple[tuple[Walk, ...], int]:
    """The crosswalks over roads that have a sidewalk on both sides, and how many have not."""
    found: dict[tuple[str, str], Walk] = {}
    for one in walks:
        walk = _walk(one, roads)
        if walk is not None:
            found.setdefault((walk.into, walk.out), walk)
    taken: set[tuple[str, bool]] = set()
    kept = []
    for walk in found.values():
        ends = {(walk.into, True), (walk.out, False)}
        if not ends & taken:
            taken |= ends
            kept.append(walk)
    return tuple(kept), len(walks) - len(kept)


def paving_of(areas: Sequence[NetArea], roads: dict[str, RoadRecord]) -> np.ndarray:
    """Pieces (q, 4, 2) [m] of the places for people: from sidewalk to sidewalk where that is inside."""
    pieces = [np.zeros((0, 4, 2))]
    for area in areas:
        ends = [_end(roads[name], True) for name in area.into if name in roads]
        ends += [_end(roads[name], False) for name in area.out_of if name in roads]
        edges = [edge for edge in ends if edge is not None]
        if not edges:
            continue
        for ring in _rings(area.ring, edges):
            pieces.append(_quads(ring))
    return np.concatenate(pieces)


def _walk(one: NetWalk, roads: dict[str, RoadRecord]) -> Walk | None:
    known = [roads[name] for name in one.edges if name in roads and _sidewalk(roads[name]) is not None]
    into = [road for road in known if road.after is not None and road.after.id == one.node]
    out = [road for road in known if road.before is not None and road.before.id == one.node]
    if not into or not out:
        return None
    width = float(np.clip(one.width, *WIDTHS))
    far = NEAR + width
    cut = far + STOP_GAP
    if min(into[0].length, out[0].length) < cut + LEFT:
        return None
    right = _kerb(into[0], into[0].length - np.array([NEAR, far]))
    left = _kerb(out[0], np.array([NEAR, far]))
    ring = np.array([left[0], right[0], right[1], left[1]])
    legs = np.roll(ring, -1, axis=0) - ring
    turn = legs[:, 0] * np.roll(legs[:, 1], -1) - legs[:, 1] * np.roll(legs[:, 0], -1)
    if not ((turn > 0).all() or (turn < 0).all()) or np.hypot(*legs.T).max() > LONGEST:
        return None
    return Walk(into[0].id, out[0].id, NEAR, far, cut, ring, one.head)


def _sidewalk(road: RoadRecord) -> int | None:
    """The lane that people walk on, the innermost one at the right."""
    lanes = road.sections[0].lanes
    return max((name for name, lane in lanes.items() if name < 0 and lane.type in WALKED), default=None)


def _kerb(road: RoadRecord, s: np.ndarray) -> np.ndarray:
    """Places (k, 2) [m] on the inner border of the sidewalk of a road."""
    return _borders(road, s)[0]


def _borders(road: RoadRecord, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    name = _sidewalk(road)
    assert name is not None  # looked at before
    order = np.argsort(s)
    line = reference_line(road.geometry, s[order])
    sides = []
    for aside in lane_borders(road, 0, name, s[order]):
        points = np.stack([line.x - aside * np.sin(line.heading), line.y + aside * np.cos(line.heading)], -1)
        sides.append(points[np.argsort(order)])
    return sides[0], sides[1]


def _end(road: RoadRecord, last: bool) -> np.ndarray | None:
    """The edge (2, 2) at which a sidewalk ends or begins."""
    if _sidewalk(road) is None:
        return None
    return np.concatenate(_borders(road, np.array([road.sections[-1].end if last else 0.0])))


def _rings(place: np.ndarray, edges: list[np.ndarray]) -> list[np.ndarray]:
    """Convex rings: one from edge to edge if it does not leave the place, or else the place itself."""
    corners = np.concatenate(edges)
    hull = _hull(corners)
    if hull is not None and len(edges) > 1 and _inside(hull, place):
        return [hull]
    near = np.linalg.norm(place[:, None] - corners[None], axis=-1)
    nearest = near.argmin(axis=1)
    moved = np.where((near.min(axis=1) < SAME)[:, None], corners[nearest], place)
    moved = moved[np.linalg.norm(moved - np.roll(moved, 1, axis=0), axis=1) > 0.02]
    area = 0.5 * float(
        np.sum(moved[:, 0] * np.roll(moved[:, 1], -1) - moved[:, 1] * np.roll(moved[:, 0], -1))
    )
    if len(moved) < 3 or abs(area) < 0.05:
        return []
    try:
        return [np.asarray(cell) for cell in convex_cells(moved if area > 0 else moved[::-1])]
    except ValueError:  # not simple: people do without it
        return []


def _hull(points: np.ndarray) -> np.ndarray | None:
    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except (QhullError, ValueError):
        return None


def _inside(hull: np.ndarray, place: np.ndarray) -> bool:
    """Whether a ring leaves a polygon nowhere by more than a little."""
    at = np.linspace(0.0, 1.0, 9)[:, None, None]
    points = ((1 - at) * hull + at * np.roll(hull, -1, axis=0)).reshape(-1, 2)
    points = np.concatenate([points, hull.mean(axis=0)[None]])
    a, b = place, np.roll(place, -1, axis=0)
    rises = (a[None, :, 1] > points[:, 1:]) != (b[None, :, 1] > points[:, 1:])
    run = np.where(b[:, 1] == a[:, 1], 1e-12, b[:, 1] - a[:, 1])
    x = a[:, 0] + (points[:, 1:] - a[:, 1]) / run * (b[:, 0] - a[:, 0])
    within = (rises & (points[:, :1] < x)).sum(axis=1) % 2 == 1
    d = b - a
    share = np.clip(((points[:, None] - a) * d).sum(-1) / np.maximum((d * d).sum(-1), 1e-12), 0.0, 1.0)
    away = np.linalg.norm(points[:, None] - a - share[..., None] * d, axis=-1).min(axis=1)
    return bool((within | (away < ASTRAY)).all())


def _quads(ring: np.ndarray) -> np.ndarray:
    """Pieces (q, 4, 2) of a convex ring; a triangle has a corner twice."""
    pieces = []
    for k in range(1, len(ring) - 1, 2):
        pieces.append([ring[0], ring[k], ring[k + 1], ring[min(k + 2, len(ring) - 1)]])
    return np.array(pieces).reshape(-1, 4, 2)
