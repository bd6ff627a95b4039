"""What an OpenDRIVE file holds: roads, lane sections, links, junctions, signals and controllers.

Lengths are in metres, angles in radians. Ids are kept as the text they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np


@dataclass(frozen=True)
class Poly:
    """a + b u + c u² + d u³ with u = s - start."""

    start: float
    a: float
    b: float
    c: float
    d: float


@dataclass(frozen=True)
class Geometry:
    """One piece of a reference line; `values` are those of its shape.

    The shape `samples` is given by distances [m] along it and x, y, heading and curvature there, (5, k).
    """

    s: float
    x: float
    y: float
    heading: float
    length: float
    shape: str
    values: dict[str, float]
    normalized: bool = False
    samples: np.ndarray | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Lane:
    """`before` and `after` are ids of the lanes it is linked with at its start and end in s."""

    id: int
    type: str
    widths: tuple[Poly, ...]
    before: int | None
    after: int | None
    limit: float | None
    borders: tuple[Poly, ...] = ()  # outer border from the reference line, where there are no widths
    heights: tuple[tuple[float, float, float], ...] = ()  # from sOffset on, of its inner and outer border [m]
    limits: tuple[tuple[float, float | None], ...] = ()  # sOffset [m] from where on another limit [m/s] holds

    def limit_at(self, offset: float) -> float | None:
        """[m/s] so far behind the start of its section; None where that of the road holds."""
        return next((limit for start, limit in reversed(self.limits) if start <= offset), self.limit)


@dataclass(frozen=True)
class Section:
    start: float
    end: float
    lanes: dict[int, Lane]


@dataclass(frozen=True)
class RoadLink:
    type: str  # road or junction
    id: str
    contact: str  # start or end; empty for junctions


@dataclass(frozen=True)
class Signal:
    """`forward`: whether it stands for traffic along s; None for both directions."""

    id: str
    s: float
    type: str
    dynamic: bool
    forward: bool | None
    lanes: tuple[tuple[int, int], ...]  # validity; empty for all


@dataclass(frozen=True)
class Profile:
    """How the ground bends across a road: its fall [rad] to either side, positive outwards, and `shapes`, by
    station the cubics of t that give heights there; `turned` for a road that is reflected in its line."""

    left: tuple[Poly, ...] = ()
    right: tuple[Poly, ...] = ()
    shapes: tuple[tuple[float, tuple[Poly, ...]], ...] = ()
    turned: bool = False

    @property
    def straight(self) -> bool:
        """Whether it does not bend the ground at all."""
        return not (self.left or self.right or self.shapes)


@dataclass(frozen=True)
class RoadRecord:
    id: str
    length: float
    junction: str
    left_hand: bool
    geometry: tuple[Geometry, ...]
    elevation: tuple[Poly, ...]
    offset: tuple[Poly, ...]
    sections: tuple[Section, ...]
    before: RoadLink | None
    after: RoadLink | None
    limit: float
    signals: tuple[Signal, ...]
    crosswalks: tuple[tuple[float, float], ...] = ()  # s and width
    superelevation: tuple[Poly, ...] = ()  # [rad] positive: the left side is up
    profile: Profile = field(default_factory=Profile)
    limits: tuple[tuple[float, float], ...] = ()  # s [m] from where on another limit [m/s] holds

    def limit_at(self, s: float) -> float:
        """[m/s]"""
        return next((limit for start, limit in reversed(self.limits) if start <= s), self.limit)


@dataclass(frozen=True)
class Connection:
    """`connecting` is the road across the junction; of a direct junction the road that goes on."""

    incoming: str
    connecting: str
    contact: str
    lanes: tuple[tuple[int, int], ...]  # from, to


@dataclass(frozen=True)
class JunctionRecord:
    id: str
    connections: tuple[Connection, ...]
    controllers: tuple[str, ...]
    priorities: tuple[tuple[str, str], ...]  # connecting roads: high, low
    direct: bool = False  # roads meet without connecting roads


@dataclass(frozen=True)
class Program:
    """When in its `cycle` [s] a light takes which state (`roads.lights`); `offset` [s] as there."""

    cycle: float
    offset: float
    switch_at: tuple[float, ...]
    switch_to: tuple[int, ...]


@dataclass(frozen=True)
class Walk:
    """A crosswalk over the end of one road and the start of another beside it: how far [m] from there its
    sides and the stop line are, its `ring` (4, 2), and the name of its light program or empty."""

    into: str
    out: str
    near: float
    far: float
    cut: float
    ring: np.ndarray
    head: str = ""


@dataclass(frozen=True)
class OpenDrive:
    """A whole file."""

    name: str
    roads: dict[str, RoadRecord]
    junctions: dict[str, JunctionRecord]
    controllers: dict[str, tuple[str, ...]] = field(default_factory=dict)  # controller to its signals
    unused: tuple[str, ...] = ()  # what the file holds and nobody reads, in words
    reference: str = ""  # projection of its metres, as PROJ or WKT
    offset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # x, y, z [m], heading [rad] to that
    programs: dict[str, Program] = field(default_factory=dict)  # of signals, where it is known
    walks: tuple[Walk, ...] = ()
    paving: np.ndarray = field(default_factory=lambda: np.zeros((0, 4, 2)))  # [m] besides that of the roads


def mirrored(drive: OpenDrive) -> OpenDrive:
    """The same network reflected in the x axis: what was on the left is on the right."""
    junctions = {
        name: replace(
            junction,
            connections=tuple(
                replace(c, lanes=tuple((-a, -b) for a, b in c.lanes)) for c in junction.connections
            ),
        )
        for name, junction in drive.junctions.items()
    }
    roads = {name: _mirrored_road(road) for name, road in drive.roads.items()}
    return replace(drive, roads=roads, junctions=junctions)


def _mirrored_road(road: RoadRecord) -> RoadRecord:
    geometry = []
    for g in road.geometry:
        turned = {
            name: value if name in ("aU", "bU", "cU", "dU") else -value for name, value in g.values.items()
        }
        geometry.append(replace(g, y=-g.y, heading=-g.heading, values=turned))
    return replace(
        road,
        geometry=tuple(geometry),
        offset=_negative(road.offset),
        superelevation=_negative(road.superelevation),
        profile=replace(road.profile, turned=not road.profile.turned),
        sections=tuple(_mirrored_section(section) for section in road.sections),
        signals=tuple(
            replace(signal, lanes=tuple((-b, -a) for a, b in signal.lanes)) for signal in road.signals
        ),
    )


def _negative(polys: tuple[Poly, ...]) -> tuple[Poly, ...]:
    return tuple(replace(p, a=-p.a, b=-p.b, c=-p.c, d=-p.d) for p in polys)


def _mirrored_section(section: Section) -> Section:
    def other(lane: int | None) -> int | None:
        return None if lane is None else -lane

    lanes = {
        -name: replace(
            lane,
            id=-name,
            before=other(lane.before),
            after=other(lane.after),
            borders=_negative(lane.borders),
        )
        for name, lane in section.lanes.items()
    }
    return replace(section, lanes=lanes)
