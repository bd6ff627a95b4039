"""OpenDRIVE files as records, every attribute checked; what links refer to is checked by `opendrive`."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from swerve.core.errors import BadInput, require

from .lines import evaluate
from .records import (
    Connection,
    Geometry,
    JunctionRecord,
    Lane,
    OpenDrive,
    Poly,
    Profile,
    RoadLink,
    RoadRecord,
    Section,
    Signal,
)
from .unused import UNCONNECTED, unused
from .xml import number, read_xml, text, whole

SPEEDS = {"m/s": 1.0, "km/h": 1 / 3.6, "mph": 0.44704}
TOWN_LIMIT = 50 / 3.6  # [m/s] where a file says nothing
LIMITS = {"motorway": 130 / 3.6, "rural": 100 / 3.6, "lowSpeed": 30 / 3.6, "townExpressway": 70 / 3.6}
_SIGNALS = ("signal", "signalReference")
CROSSWALKS = (2.5, 6.0)  # [m] narrowest and widest
LONGEST = 200_000.0  # [m] of a road
SIDES = ("left", "right", "both")
SHAPES = ("line", "arc", "spiral", "poly3", "paramPoly3")


def read_opendrive(path: str | Path) -> OpenDrive:
    """The records of a file, with every number finite and no lane of negative width."""
    root = read_xml(path)
    require(root.tag == "OpenDRIVE", f"{path}, root element", root.tag, "must be OpenDRIVE")
    where = str(path)
    roads = [_road(element, where) for element in root.findall("road")]
    require(bool(roads), where, None, "has no road")
    by_id = {road.id: road for road in roads}
    require(len(by_id) == len(roads), where, None, "two roads have the same id")
    junctions = [_junction(element, where) for element in root.findall("junction")]
    controllers = {
        text(one, "id", where): tuple(text(c, "signalId", where) for c in one.findall("control"))
        for one in root.findall("controller")
    }
    by_name = {junction.id: junction for junction in junctions}
    reference = (root.findtext("header/geoReference") or "").strip()
    shift = root.find("header/offset")
    offset = [0.0 if shift is None else number(shift, name, where, 0.0) for name in ("x", "y", "z", "hdg")]
    return OpenDrive(
        Path(path).stem,
        by_id,
        by_name,
        controllers,
        unused(root),
        reference,
        tuple(offset),  # type: ignore[arg-type]
    )


def _road(element: Element, file: str) -> RoadRecord:
    name = text(element, "id", file)
    where = f"{file}, road {name}"
    length = number(element, "length", where, least=0.0)
    require(length <= LONGEST, f"{where}, length", length, f"must be at most {LONGEST:g} m")
    geometry = tuple(sorted((_geometry(g, where) for g in element.findall("planView/geometry")), key=_place))
    require(bool(geometry), f"{where}, planView", None, "has no geometry")
    limits = sorted(
        (number(kind, "s", where, 0.0, least=0.0), _limit_of(kind, where)) for kind in element.findall("type")
    )
    starts = [number(s, "s", where, least=0.0) for s in element.findall("lanes/laneSection")]
    require(bool(starts), f"{where}, lanes", None, "has no laneSection")
    require(starts == sorted(starts), f"{where}, laneSection s", starts, "must not go back")
    ends = [*starts[1:], max(length, starts[-1])]
    sections = tuple(
        _section(s, start, end, f"{where}, laneSection {k}")
        for k, (s, start, end) in enumerate(
            zip(element.findall("lanes/laneSection"), starts, ends, strict=True)
        )
    )
    return RoadRecord(
        name,
        length,
        text(element, "junction", where, "-1"),
        element.get("rule", "RHT") == "LHT",
        geometry,
        _polys(element, "elevationProfile/elevation", "s", where),
        _polys(element, "lanes/laneOffset", "s", where),
        sections,
        _road_link(element.find("link/predecessor"), where),
        _road_link(element.find("link/successor"), where),
        limits[0][1] if limits else TOWN_LIMIT,
        tuple(_signal(s, where) for s in element.findall("signals/*") if s.tag in _SIGNALS),
        tuple(
            _crosswalk(one, where)
            for one in element.findall("objects/object")
            if one.get("type") == "crosswalk"
        ),
        _polys(element, "lateralProfile/superelevation", "s", where),
        _profile(element, where),
        tuple(limits[1:]),
    )


def _limit_of(kind: Element, where: str) -> float:
    return _speed(kind.find("speed"), where) or LIMITS.get(kind.get("type", ""), TOWN_LIMIT)


def _profile(element: Element, where: str) -> Profile:
    falls = [(e.get("side", "both"), e) for e in element.findall("lateralProfile/crossfall")]
    for side, _ in falls:
        require(side in SIDES, f"{where}, crossfall side", side, f"must be one of {', '.join(SIDES)}")
    left, right = (
        tuple(sorted((_poly(e, "s", where) for side, e in falls if side in (own, "both")), key=_place))
        for own in SIDES[:2]
    )
    shapes: dict[float, list[Poly]] = {}
    for e in element.findall("lateralProfile/shape"):
        across = Poly(number(e, "t", where), *(number(e, name, where, 0.0) for name in "abcd"))
        shapes.setdefault(number(e, "s", where, least=0.0), []).append(across)
    ordered = sorted((s, tuple(sorted(some, key=_place))) for s, some in shapes.items())
    return Profile(left, right, tuple(ordered))


def _geometry(element: Element, road: str) -> Geometry:
    where = f"{road}, geometry"
    shapes = [child for child in element if child.tag in SHAPES]
    if len(shapes) != 1:
        raise BadInput(where, [child.tag for child in element], f"must be one of {', '.join(SHAPES)}")
    shape = shapes[0]
    wanted = {
        "line": (),
        "arc": ("curvature",),
        "spiral": ("curvStart", "curvEnd"),
        "poly3": ("a", "b", "c", "d"),
        "paramPoly3": ("aU", "bU", "cU", "dU", "aV", "bV", "cV", "dV"),
    }[shape.tag]
    return Geometry(
        number(element, "s", where, least=0.0),
        number(element, "x", where),
        number(element, "y", where),
        number(element, "hdg", where),
        number(element, "length", where, least=0.0),
        shape.tag,
        {name: number(shape, name, where) for name in wanted},
        shape.get("pRange", "normalized") == "normalized",
    )


def _polys(element: Element, path: str, start: str, where: str) -> tuple[Poly, ...]:
    """Cubics in the order of their places, whatever theirs is in the file."""
    return tuple(sorted((_poly(e, start, where) for e in element.findall(path)), key=_place))


def _place(one: Poly | Geometry) -> float:
    return one.start if isinstance(one, Poly) else one.s


def _poly(element: Element, start: str, where: str) -> Poly:
    return Poly(
        number(element, start, where, least=0.0), *(number(element, name, where, 0.0) for name in "abcd")
    )


def _section(element: Element, start: float, end: float, where: str) -> Section:
    lanes = {}
    for side in ("left", "center", "right"):
        for child in element.findall(f"{side}/lane"):
            lane = _lane(child, end - start, where)
            sign = {"left": 1, "center": 0, "right": -1}[side]
            require(
                int(np.sign(lane.id)) == sign,
                f"{where}, lane",
                lane.id,
                f"does not belong on the {side} side",
            )
            require(lane.id not in lanes, f"{where}, lane", lane.id, "appears twice")
            lanes[lane.id] = lane
    for name in lanes:
        inner = name - int(np.sign(name))
        require(inner == 0 or inner in lanes, f"{where}, lane", name, f"lane {inner} is missing")
    return Section(start, end, lanes)


def _lane(element: Element, length: float, section: str) -> Lane:
    name = whole(element, "id", section)
    where = f"{section}, lane {name}"
    widths, borders = (_polys(element, tag, "sOffset", where) for tag in ("width", "border"))
    if name != 0 and widths:
        least = float(evaluate(widths, np.linspace(0.0, length, 33)).min())
        require(least > -0.01, f"{where}, width", round(least, 4), "must not be negative")
    links = []
    for tag in ("predecessor", "successor"):
        link = element.find(f"link/{tag}")
        links.append(None if link is None else whole(link, "id", where))
    limits = sorted(
        ((number(one, "sOffset", where, 0.0), _speed(one, where)) for one in element.findall("speed")),
        key=lambda one: one[0],
    )
    first = limits.pop(0)[1] if limits and limits[0][0] <= 0.0 else None
    heights = sorted(
        (number(h, "sOffset", where, 0.0), number(h, "inner", where, 0.0), number(h, "outer", where, 0.0))
        for h in element.findall("height")
    )
    kind = text(element, "type", where, "none")
    return Lane(name, kind, widths, links[0], links[1], first, borders, tuple(heights), tuple(limits))


def _speed(element: Element | None, where: str) -> float | None:
    """A speed limit [m/s], where the file gives one as a number."""
    if element is None or element.get("max") in (None, "no limit", "undefined"):
        return None
    unit = text(element, "unit", where, "m/s")
    require(unit in SPEEDS, f"{where}, speed unit", unit, f"must be one of {', '.join(SPEEDS)}")
    value = number(element, "max", where, least=0.0) * SPEEDS[unit]
    return value if value > 0 else None


def _road_link(element: Element | None, where: str) -> RoadLink | None:
    if element is None:
        return None
    kind = text(element, "elementType", where, "road")
    require(kind in ("road", "junction"), f"{where}, elementType", kind, "must be road or junction")
    contact = text(element, "contactPoint", where, "") if kind == "road" else ""
    if kind == "road":
        require(contact in ("start", "end"), f"{where}, contactPoint", contact, "must be start or end")
    return RoadLink(kind, text(element, "elementId", where), contact)


def _signal(element: Element, road: str) -> Signal:
    where = f"{road}, signal {element.get('id', '?')}"
    lanes = tuple(
        (whole(v, "fromLane", where), whole(v, "toLane", where)) for v in element.findall("validity")
    )
    forward = {"+": True, "-": False}.get(element.get("orientation", "none"))
    kind = text(element, "type", where, "")  # references have none
    return Signal(
        text(element, "id", where),
        number(element, "s", where),
        kind,
        element.get("dynamic") == "yes",
        forward,
        lanes,
    )


def _crosswalk(element: Element, road: str) -> tuple[float, float]:
    """Where along the road a crosswalk lies, and how wide it is: the shorter of its sides."""
    where = f"{road}, object {element.get('id', '?')}"
    sides = [number(element, name, where, 0.0, least=0.0) for name in ("length", "width")]
    return number(element, "s", where, least=0.0), float(np.clip(min(sides), *CROSSWALKS))


def _junction(element: Element, file: str) -> JunctionRecord:
    name = text(element, "id", file)
    where = f"{file}, junction {name}"
    kind = text(element, "type", where, "default")
    known = ("default", "direct", *UNCONNECTED)
    require(kind in known, f"{where}, type", kind, f"must be one of {', '.join(known)}")
    road = "linkedRoad" if kind == "direct" else "connectingRoad"
    connections = []
    for c in element.findall("connection") if kind not in UNCONNECTED else []:
        contact = text(c, "contactPoint", where, "start")
        require(contact in ("start", "end"), f"{where}, contactPoint", contact, "must be start or end")
        lanes = tuple((whole(k, "from", where), whole(k, "to", where)) for k in c.findall("laneLink"))
        connections.append(Connection(text(c, "incomingRoad", where), text(c, road, where), contact, lanes))
    order = sorted(element.findall("controller"), key=lambda one: number(one, "sequence", where, default=0.0))
    return JunctionRecord(
        name,
        tuple(connections),
        tuple(text(one, "id", where) for one in order),
        tuple((text(p, "high", where), text(p, "low", where)) for p in element.findall("priority")),
        kind == "direct",
    )
