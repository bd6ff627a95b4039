"""A network as other programs see it, edges from node to node and turns from lane to lane, and its records.

Every edge becomes a road of one direction and every turn a connecting road, so that all that holds for
OpenDRIVE holds here too: lanes that end lead over, roads that overlap share a junction, open ends are doors.
Traffic keeps to the right.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from swerve.core.errors import require

from ..opendrive.lines import Line
from ..opendrive.records import (
    Connection,
    JunctionRecord,
    Lane,
    OpenDrive,
    Poly,
    Program,
    RoadLink,
    RoadRecord,
    Section,
    Signal,
)
from ..roads.curves import Curve, Pose, join, wrap
from .rounded import geometry, rounded, without_repeats
from .walks import NetArea, NetWalk, paving_of, walks_of

DRIVEN, WALKED, OTHER = "driving", "sidewalk", "none"
TIGHTEST = 6.0  # [m] radius of a turn
LIKE = (0.75, 1.3)  # of the length of a turn in the file, that of the even turn which stands for it
ASTRAY = 2.0  # [m] by which that may leave the file's
FURTHEST = 500.0  # [m] across a junction
ASKEW = np.radians(60.0)  # [rad] by which its line in the file may leave its lanes
BACK = np.radians(150.0)  # [rad] from which on a turn leads back
YIELD_SIGN, STOP_SIGN = "205", "206"


@dataclass(frozen=True)
class NetLane:
    """Width [m], speed limit [m/s] and who uses it."""

    width: float
    limit: float
    kind: str = DRIVEN


@dataclass(frozen=True)
class Edge:
    """A road of one direction: `points` (k, 3) [m] are the middle of its leftmost lane; lanes from there."""

    id: str
    start: str
    end: str
    points: np.ndarray
    lanes: tuple[NetLane, ...]


@dataclass(frozen=True)
class Turn:
    """From a lane of an edge, counted from the left, to one of another; `shape` (k, 3) [m] where it is known.

    `sign` is a type of sign or empty, `head` the name of its light program or empty.
    """

    id: str
    source: str
    lane: int
    target: str
    onto: int
    shape: np.ndarray | None = None
    sign: str = ""
    head: str = ""


@dataclass
class PlainNet:
    """A whole network; `priorities` are pairs of turns, who goes first and who gives way."""

    name: str
    edges: dict[str, Edge]
    turns: list[Turn]
    priorities: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)
    walks: list[NetWalk] = field(default_factory=list)
    areas: list[NetArea] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    reference: str = ""
    offset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


class _Road:
    """An edge with its line, and where its lanes begin and end."""

    def __init__(self, edge: Edge):
        self.edge = edge
        width = [lane.width for lane in edge.lanes]
        self.aside = width[0] / 2 - np.cumsum(width) + np.array(width) / 2  # to the left of the line
        points = without_repeats(edge.points)
        self.s, self.line = rounded(points[:, :2], float(-self.aside[-1]))
        flat = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points[:, :2], axis=0).T))])
        self.heights = _slopes(flat * (self.s[-1] / flat[-1]), points[:, 2])
        self.ends = (float(points[0, 2]), float(points[-1, 2]))

    def pose(self, lane: int, last: bool) -> Pose:
        """The middle of a lane where it ends (`last`) or begins."""
        k = -1 if last else 0
        heading, aside = float(self.line.heading[k]), float(self.aside[lane])
        x, y = float(self.line.x[k]), float(self.line.y[k])
        return x - aside * np.sin(heading), y + aside * np.cos(heading), heading


def records_of(net: PlainNet) -> OpenDrive:
    """The network as OpenDRIVE's records."""
    known = {name: _Road(edge) for name, edge in net.edges.items()}
    roads = {name: _edge_record(road) for name, road in known.items()}
    connections: dict[str, list[Connection]] = {}
    back = 0
    for turn in net.turns:
        one, other = known[turn.source], known[turn.target]
        curve = _turn_line(turn, one, other)
        if curve is None:
            back += 1
            continue
        roads[turn.id] = _turn_record(turn, one, other, curve)
        lanes = ((-1 - turn.lane, -1),)
        node = one.edge.end
        connections.setdefault(node, []).append(Connection(turn.source, turn.id, "start", lanes))
    junctions = {
        node: JunctionRecord(node, tuple(some), (), tuple(net.priorities.get(node, ())))
        for node, some in connections.items()
    }
    walks, left_out = walks_of(net.walks, roads)
    unused = [*net.unused, *([f"turns too tight for a car ({back})"] if back else [])]
    unused += (
        [f"crossings without sidewalks on both sides, or on too short a road ({left_out})"]
        if left_out
        else []
    )
    return OpenDrive(
        net.name,
        roads,
        junctions,
        unused=tuple(unused),
        reference=net.reference,
        offset=net.offset,
        programs=net.programs,
        walks=walks,
        paving=paving_of(net.areas, roads),
    )


def _edge_record(road: _Road) -> RoadRecord:
    edge = road.edge
    lanes = {0: Lane(0, "none", (), None, None, None)}
    for k, lane in enumerate(edge.lanes):
        lanes[-1 - k] = Lane(-1 - k, lane.kind, (Poly(0.0, lane.width, 0, 0, 0),), None, None, lane.limit)
    length = float(road.s[-1])
    return RoadRecord(
        edge.id,
        length,
        "-1",
        False,
        (geometry(road.s, road.line),),
        road.heights,
        (Poly(0.0, edge.lanes[0].width / 2, 0, 0, 0),),
        (Section(0.0, length, lanes),),
        RoadLink("junction", edge.start, ""),
        RoadLink("junction", edge.end, ""),
        max(lane.limit for lane in edge.lanes),
        (),
    )


def _turn_record(turn: Turn, one: _Road, other: _Road, found: tuple[np.ndarray, Line]) -> RoadRecord:
    before, after = one.edge.lanes[turn.lane], other.edge.lanes[turn.onto]
    s, line = found
    length = float(s[-1])
    width, limit = min(before.width, after.width), min(before.limit, after.limit)
    lane = Lane(-1, DRIVEN, (Poly(0.0, width, 0, 0, 0),), -1 - turn.lane, -1 - turn.onto, limit)
    signals = []
    if turn.sign:
        signals.append(Signal(turn.id, 0.0, turn.sign, False, True, ()))
    if turn.head:
        signals.append(Signal(turn.head, 0.0, "light", True, True, ()))
    return RoadRecord(
        turn.id,
        length,
        one.edge.end,
        False,
        (geometry(s, line),),
        _slopes(np.array([0.0, length]), np.array([one.ends[1], other.ends[0]])),
        (Poly(0.0, width / 2, 0, 0, 0),),
        (Section(0.0, length, {0: Lane(0, "none", (), None, None, None), -1: lane}),),
        RoadLink("road", turn.source, "end"),
        RoadLink("road", turn.target, "start"),
        limit,
        tuple(signals),
    )


def _turn_line(turn: Turn, one: _Road, other: _Road) -> tuple[np.ndarray, Line] | None:
    """One even turn from lane to lane, or, where that would stray from the file's, the file's with its
    corners rounded, if that leaves and arrives as the lanes lead; none that leads back in less than a car
    needs, or to a lane that begins behind."""
    start, end = one.pose(turn.lane, True), other.pose(turn.onto, False)
    apart = float(np.hypot(end[0] - start[0], end[1] - start[1]))
    where = f"turn from {turn.source} to {turn.target}"
    require(apart < FURTHEST, where, round(apart), f"is longer than {FURTHEST:g} m")
    if abs(wrap(end[2] - start[2])) > BACK and apart < 2 * TIGHTEST:
        return None
    if apart < 0.1:  # the lanes meet: a step that is long enough to have a direction
        end = (start[0] + 0.1 * np.cos(start[2]), start[1] + 0.1 * np.sin(start[2]), end[2])
    curve = join(start, end, 0.0, TIGHTEST)
    if turn.shape is not None and len(turn.shape) > 1:
        points = np.vstack([start[:2], turn.shape[1:-1, :2], end[:2]])
        points = without_repeats(points)
        if len(points) > 1 and not _alike(curve, points) and _leads_on(points, start[2], end[2]):
            return rounded(points)
    turned = abs(wrap(end[2] - start[2]))
    if turned > np.pi / 2 and _steps(curve.x, curve.y).max(initial=0.0) > turned / 2:
        return None  # all at one place
    return np.linspace(0.0, curve.length, len(curve.x)), Line(*curve[:4])


def _steps(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """By how much [rad] a line turns from each of its legs to the next."""
    heading = np.arctan2(np.diff(y), np.diff(x))
    return np.abs((np.diff(heading) + np.pi) % (2 * np.pi) - np.pi)


def _leads_on(points: np.ndarray, first: float, last: float) -> bool:
    """Whether a line begins and ends about in the directions [rad] of its lanes."""
    legs = np.diff(points, axis=0)
    heading = np.arctan2(legs[:, 1], legs[:, 0])
    return bool(max(abs(wrap(heading[0] - first)), abs(wrap(heading[-1] - last))) < ASKEW)


def _alike(curve: Curve, points: np.ndarray) -> bool:
    from scipy.spatial import cKDTree

    legs = np.hypot(*np.diff(points, axis=0).T)
    if not LIKE[0] < curve.length / legs.sum() < LIKE[1]:
        return False
    gone = np.concatenate([[0.0], np.cumsum(legs)])
    at = np.linspace(0.0, gone[-1], max(2, int(gone[-1])))
    dense = np.stack([np.interp(at, gone, points[:, k]) for k in (0, 1)], -1)
    far = cKDTree(dense).query(np.stack([curve.x, curve.y], -1))[0]
    return bool(far.max() < ASTRAY)


def _slopes(s: np.ndarray, z: np.ndarray) -> tuple[Poly, ...]:
    """Heights that rise evenly between places."""
    if not np.any(z):
        return ()
    return tuple(
        Poly(float(a), float(za), float((zb - za) / max(b - a, 1e-6)), 0.0, 0.0)
        for (a, za), (b, zb) in pairwise(zip(s, z, strict=True))
    )
