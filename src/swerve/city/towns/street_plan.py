"""A town as nodes and streets, and how it becomes roads: the common form of grids, towns and files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from swerve.core.errors import BadInput, require

from ..roads.arm import INNER_GAP, STOP_GAP, Arm
from ..roads.curves import Curve, beside, evenly, line, reverse
from ..roads.draft import RoadsDraft
from ..roads.junctions import build_junction, missing_room_of
from ..roads.lay_bys import WIDTH as BAY_WIDTH
from ..roads.lay_bys import row_along
from ..roads.lights import SignalTimes
from ..roads.mirror import mirror_points, mirror_roads
from ..roads.roads import FREE, STOP, YIELD
from ..roads.swept import BUS, USUAL, Largest
from .pavement import corner_paving, side_paving
from .town import Town

CONTROLS = {"free": FREE, "yield": YIELD, "stop": STOP}
_COLLINEAR = np.radians(150.0)  # [rad] arms further apart than this have no corner between them
_SHORTEST = 12.0  # [m] of street between two stop lines
_LONGEST, _MOST = 1e5, 2e7  # [m] of a street, of all
_FARTHEST = 60.0  # [m] that a stop line may lie from its junction


@dataclass(frozen=True)
class Node:
    """Where streets meet or end: place [m], whether there are lights, and their offset in cycles."""

    x: float
    y: float
    z: float = 0.0
    signal: bool = False
    offset: float = 0.0
    times: SignalTimes | None = None  # its own, where they differ from the plan's
    crossing: bool = False  # a crosswalk between two streets


@dataclass(frozen=True)
class Street:
    """From node `start` to node `end` through the points `via`, with lanes there (`lanes`) and back.

    `sign_start` and `sign_end` (free, yield or stop) bind who arrives at that node. `turns_start` and
    `turns_end` may say for every lane that arrives there, from the kerb, which turns it takes.
    """

    start: int
    end: int
    via: tuple[tuple[float, float], ...] = ()
    lanes: int = 1
    back: int = 1
    width: float = 3.5  # [m] of a lane
    limit: float = 13.9  # [m/s]
    sign_start: str = "free"
    sign_end: str = "free"
    turns_start: tuple[frozenset[int], ...] | None = None
    turns_end: tuple[frozenset[int], ...] | None = None


@dataclass(frozen=True)
class StreetPlan:
    """Nodes and streets, and what they have in common; widths and radii in metres."""

    name: str
    nodes: tuple[Node, ...]
    streets: tuple[Street, ...]
    pavement: float = 3.0
    crosswalk: float = 3.0
    corner: float = 6.0
    times: SignalTimes = field(default_factory=SignalTimes)
    left_hand: bool = False
    buildings: tuple[np.ndarray, ...] = field(default=(), repr=False)
    largest: Largest = USUAL
    bays: bool = False  # to park in, sunk into the pavements

    def for_buses(self) -> StreetPlan:
        """The same streets with junctions and corners that buses get round."""
        return replace(self, largest=BUS, corner=max(self.corner, BUS.corner))

    def with_bays(self) -> StreetPlan:
        """The same streets with bays to park in; pavements are wider by them."""
        return replace(self, bays=True, pavement=self.pavement + BAY_WIDTH if self.pavement else 0.0)

    def without_pavements(self) -> StreetPlan:
        return replace(self, pavement=0.0)

    def with_buildings(self, buildings: tuple[np.ndarray, ...]) -> StreetPlan:
        return replace(self, buildings=buildings)


class ShortStreet(BadInput):
    """A street that is too short for the junctions at its ends."""

    def __init__(self, plan: StreetPlan, street: int, length: float, needed: float):
        self.street = street
        ends = f"from node {plan.streets[street].start} to {plan.streets[street].end}"
        super().__init__(f"street {street} {ends}", round(length, 1), f"must be at least {needed:.1f} m long")


def build_town(plan: StreetPlan) -> Town:
    """The roads, pavements and buildings of a plan."""
    _check(plan)
    draft = RoadsDraft(plan.name, largest=plan.largest)
    ends = _street_ends(plan)
    trimmed = _between_stop_lines(plan, ends)
    paving: list[np.ndarray] = []
    surfaces: list[np.ndarray] = []
    lane_ids: list[tuple[int, int]] = []
    for k, street in enumerate(plan.streets):
        z = (plan.nodes[street.start].z, plan.nodes[street.end].z)
        lane_ids.append(_add_lanes(draft, k, street, trimmed[k], z))
        for right, lanes in ((True, street.lanes), (False, street.back)):
            row = row_along(trimmed[k].length) if plan.bays and lanes else None
            if row is not None:
                draft.add_bays(lane_ids[k][0 if right else 1], *row, of=trimmed[k].length)
            if plan.pavement:
                paving.append(side_paving(trimmed[k], lanes * street.width, plan.pavement, right, row))
    for n, node in enumerate(plan.nodes):
        if not ends[n]:
            continue
        arms, order = _arms(plan, n, ends[n], trimmed)
        into, out_of = _kerb_lanes(order, lane_ids)
        junction = build_junction(arms, node.signal, node.times or plan.times, plan.largest)
        source = np.array(into)[junction.from_arm] + junction.from_lane
        target = np.array(out_of)[junction.to_arm] + junction.to_lane
        cycle = float(junction.lights.cycle[0]) if node.signal else 0.0
        draft.add_junction(junction, source, target, (node.x, node.y, node.z), node.offset * cycle)
        if plan.pavement:
            pieces, ring = corner_paving(arms, plan.pavement, plan.corner, plan.largest)
            paving.append(pieces + np.array([node.x, node.y]))
            surfaces.append(ring + np.array([node.x, node.y]))
    roads = draft.finish()
    pieces = np.concatenate([np.zeros((0, 4, 2)), *paving])
    if not plan.left_hand:
        return Town(plan.name, roads, pieces, obstacles=plan.buildings, surfaces=tuple(surfaces))
    middle = float(roads.y.min() + roads.y.max()) / 2
    buildings = tuple(mirror_points(ring, middle) for ring in plan.buildings)
    rings = tuple(mirror_points(ring, middle) for ring in surfaces)
    pieces, roads = mirror_points(pieces, middle), mirror_roads(roads, middle)
    return Town(plan.name, roads, pieces, obstacles=buildings, surfaces=rings)


def _check(plan: StreetPlan) -> None:
    require(len(plan.nodes) >= 2, "nodes", len(plan.nodes), "must be at least 2")
    require(len(plan.streets) >= 1, "streets", len(plan.streets), "must be at least 1")
    for k, street in enumerate(plan.streets):
        where = f"streets[{k}]"
        for name in ("start", "end"):
            node = getattr(street, name)
            require(0 <= node < len(plan.nodes), f"{where}.{name}", node, "is no node")
        require(street.start != street.end, f"{where}.end", street.end, "must differ from its start")
        require(0 <= street.lanes <= 6 and 0 <= street.back <= 6, f"{where}.lanes", street.lanes, "at most 6")
        require(street.lanes + street.back > 0, f"{where}.lanes", 0, "a street needs a lane")
        require(2.5 <= street.width <= 6.0, f"{where}.width", street.width, "must be from 2.5 to 6 m")
        require(0 < street.limit <= 60, f"{where}.limit", street.limit, "must be above 0 and at most 60 m/s")
        for name in ("sign_start", "sign_end"):
            sign = getattr(street, name)
            require(sign in CONTROLS, f"{where}.{name}", sign, f"must be one of {', '.join(CONTROLS)}")
        for name, lanes in (("turns_start", street.back), ("turns_end", street.lanes)):
            turns = getattr(street, name)
            if turns is not None:
                require(len(turns) == lanes, f"{where}.{name}", len(turns), f"must name {lanes} lanes")
    _check_lengths(plan)


def _check_lengths(plan: StreetPlan) -> None:
    """Points are laid along streets: there must be room for them."""
    total = bent = 0.0
    for k, street in enumerate(plan.streets):
        a, b = plan.nodes[street.start], plan.nodes[street.end]
        points = np.array([(a.x, a.y), *street.via, (b.x, b.y)], float)
        with np.errstate(over="ignore"):
            long = float(np.hypot(*np.diff(points, axis=0).T).sum())
        require(long <= _LONGEST, f"streets[{k}]", long, f"must be at most {_LONGEST:,.0f} m long")
        total, bent = total + long, bent + long * bool(street.via)
    require(total <= _MOST, "streets", round(total), f"must be at most {_MOST:,.0f} m long in all")
    most = _MOST / 10
    require(bent <= most, "streets", round(bent), f"with points between must be at most {most:,.0f} m in all")


def _between_stop_lines(plan: StreetPlan, ends: list[list[tuple[int, int]]]) -> list[Curve]:
    """The dividing line of every street from stop line to stop line.

    Where streets bend, a turn may come out too tight: then stop lines move further back.
    """
    lines = [centre_line(plan, street) for street in plan.streets]
    cuts: dict[tuple[int, int], float] = {}
    for n in range(len(plan.nodes)):
        cuts |= _cut_backs(plan, n, ends[n], lines)
    trimmed = [_trim(plan, k, lines[k], cuts[k, 0], cuts[k, 1]) for k in range(len(lines))]
    busy = [n for n in range(len(plan.nodes)) if len(ends[n]) > 1]
    for _ in range(6):
        moved = set()
        for n in busy:
            arms, order = _arms(plan, n, ends[n], trimmed)
            for end, by in zip(order, missing_room_of(arms, plan.largest), strict=True):
                if by > 1e-6:
                    cuts[end] += by + 0.1
                    moved.add(end[0])
        if not moved:
            break
        for k in moved:
            trimmed[k] = _trim(plan, k, lines[k], cuts[k, 0], cuts[k, 1])
        busy = sorted({n for k in moved for n in (plan.streets[k].start, plan.streets[k].end)} & set(busy))
    return trimmed


def _street_ends(plan: StreetPlan) -> list[list[tuple[int, int]]]:
    """For every node the streets that touch it, as (street, 0 for its start or 1 for its end)."""
    ends: list[list[tuple[int, int]]] = [[] for _ in plan.nodes]
    for k, street in enumerate(plan.streets):
        ends[street.start].append((k, 0))
        ends[street.end].append((k, 1))
    return ends


def centre_line(plan: StreetPlan, street: Street) -> Curve:
    """The dividing line from node to node: straight, or a cubic spline through the points between."""
    a, b = plan.nodes[street.start], plan.nodes[street.end]
    if not street.via:
        return line((a.x, a.y), (b.x, b.y))
    from scipy.interpolate import CubicSpline

    points = np.array([(a.x, a.y), *street.via, (b.x, b.y)], float)
    gaps = np.hypot(*np.diff(points, axis=0).T)
    require(bool((gaps > 1.0).all()), f"street {street.start} to {street.end}", None, "points must differ")
    chord = np.concatenate([[0.0], np.cumsum(gaps)])
    spline = CubicSpline(chord, points, bc_type="natural")
    u = np.linspace(0.0, chord[-1], int(chord[-1] / 0.25) + 2)
    (x, y), (x1, y1), (x2, y2) = spline(u).T, spline(u, 1).T, spline(u, 2).T
    curvature = (x1 * y2 - y1 * x2) / np.hypot(x1, y1) ** 3
    return evenly(x, y, np.unwrap(np.arctan2(y1, x1)), curvature)


def _cut_backs(
    plan: StreetPlan, n: int, ends: list[tuple[int, int]], lines: list[Curve]
) -> dict[tuple[int, int], float]:
    """How far [m] from node n the stop line of every street end lies: kerbs round off before that."""
    if len(ends) == 1:
        return {ends[0]: 0.0}
    out = []
    for k, end in ends:
        heading = lines[k].heading[0] if end == 0 else lines[k].heading[-1] + np.pi
        street = plan.streets[k]
        lanes_in, lanes_out = (street.back, street.lanes) if end == 0 else (street.lanes, street.back)
        out.append((float(heading) % (2 * np.pi), lanes_in * street.width, lanes_out * street.width))
    order = sorted(range(len(out)), key=lambda i: out[i][0])
    walked = _walked(plan, n, ends)
    back = dict.fromkeys(ends, 4.0)
    for i, a in enumerate(order):
        b = order[(i + 1) % len(order)]
        gap = (out[b][0] - out[a][0]) % (2 * np.pi)
        require(
            gap > np.radians(25), f"node {n}", round(np.degrees(gap)), "streets must leave 25° or more apart"
        )
        if gap > _COLLINEAR:
            continue
        left, right = out[a][1], out[b][2]
        fillet = plan.corner / np.tan(gap / 2)
        for which, this, other in ((ends[a], left, right), (ends[b], right, left)):
            back[which] = max(back[which], (this * np.cos(gap) + other) / np.sin(gap) + fillet)
    run = STOP_GAP + plan.crosswalk + INNER_GAP
    return {which: min(distance + run * (which in walked), _FARTHEST) for which, distance in back.items()}


def _walked(plan: StreetPlan, n: int, ends: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The street ends at node n that people cross, if there is a pavement."""
    return ends if len(ends) > 2 else ends[:1] if plan.nodes[n].crossing else []


def _trim(plan: StreetPlan, k: int, centre: Curve, from_start: float, from_end: float) -> Curve:
    left = centre.length - from_start - from_end
    if left < _SHORTEST:
        raise ShortStreet(plan, k, centre.length, from_start + from_end + _SHORTEST)
    if len(centre.x) == 2:
        c, s = np.cos(centre.heading[0]), np.sin(centre.heading[0])
        start = (centre.x[0] + from_start * c, centre.y[0] + from_start * s)
        end = (centre.x[-1] - from_end * c, centre.y[-1] - from_end * s)
        return line(start, end)
    station = np.linspace(0.0, centre.length, len(centre.x))
    at = np.linspace(from_start, centre.length - from_end, int(left / 0.25) + 2)
    return evenly(*(np.interp(at, station, v) for v in centre[:4]))


def _add_lanes(
    draft: RoadsDraft, k: int, street: Street, centre: Curve, z: tuple[float, float]
) -> tuple[int, int]:
    """The street's lanes; gives the ids of the kerb lanes there and back."""
    there = [beside(centre, -(street.lanes - i - 0.5) * street.width) for i in range(street.lanes)]
    turned = reverse(centre)
    back = [beside(turned, -(street.back - i - 0.5) * street.width) for i in range(street.back)]
    first = draft.add_road(there, [street.width] * len(there), street.limit, 2 * k, z)
    second = draft.add_road(back, [street.width] * len(back), street.limit, 2 * k + 1, z[::-1])
    if there and back:
        draft.set_opposite(first + street.lanes - 1, second + street.back - 1)
    return first, second


def _arms(
    plan: StreetPlan, n: int, ends: list[tuple[int, int]], centres: list[Curve]
) -> tuple[tuple[Arm, ...], list[tuple[int, int]]]:
    """The arms of node n counter-clockwise, and which street ends they are."""
    node, walked = plan.nodes[n], _walked(plan, n, ends)
    found = []
    for k, end in ends:
        street, centre = plan.streets[k], centres[k]
        at = 0 if end == 0 else -1
        angle = float(centre.heading[at] + (np.pi if end else 0.0)) % (2 * np.pi)
        lanes_in, lanes_out = (street.back, street.lanes) if end == 0 else (street.lanes, street.back)
        sign = street.sign_start if end == 0 else street.sign_end
        arm = Arm(
            round(float(centre.x[at]) - node.x, 7),
            round(float(centre.y[at]) - node.y, 7),
            round(angle, 9),
            lanes_in,
            lanes_out,
            street.width,
            street.limit,
            CONTROLS[sign] if len(ends) > 2 else FREE,
            plan.crosswalk if (k, end) in walked and plan.pavement else 0.0,
            street.turns_start if end == 0 else street.turns_end,
        )
        found.append((arm, (k, end)))
    found.sort(key=lambda item: item[0].angle)
    return tuple(arm for arm, _ in found), [end for _, end in found]


def _kerb_lanes(order: list[tuple[int, int]], lane_ids: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Ids of the kerb lanes that lead into and out of the junction by each street end."""
    into = [lane_ids[k][0 if end else 1] for k, end in order]
    out_of = [lane_ids[k][1 if end else 0] for k, end in order]
    return into, out_of
