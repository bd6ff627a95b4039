"""SUMO's `.net.xml`: edges with their lanes, connections, requests (who gives way) and light programs.

Left-hand networks are reflected in the x axis here, and back when the town is whole.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from swerve.core.errors import BadInput, require

from ..opendrive.xml import FURTHEST, number, read_xml, text, whole
from .plain import DRIVEN, OTHER, STOP_SIGN, WALKED, YIELD_SIGN, Edge, NetLane, PlainNet, Turn
from .sumo_lights import read_programs
from .walks import NetArea, NetWalk

WIDTH = 3.2  # [m] of a lane that does not say
WIDTHS = (1.0, 20.0)  # [m]
FASTEST = 100.0  # [m/s]
LONGEST = 50_000.0  # [m] of an edge
SIGNS = {"m": YIELD_SIGN, "Z": YIELD_SIGN, "o": YIELD_SIGN, "s": STOP_SIGN, "w": STOP_SIGN}
UNUSED = {
    "roundabout": "lists of roundabouts (their roads are)",
    "prohibition": "prohibitions",
    "edge/stopOffset": "stop offsets",
    "edge/lane/neigh": "opposite lanes as neighbours",
}


class Net(NamedTuple):
    """A network, and whether it was reflected since its traffic keeps to the left."""

    net: PlainNet
    left_hand: bool


class _Lane(NamedTuple):
    place: int  # counted from the left
    shape: np.ndarray


def read_sumo(path: str | Path) -> Net:
    """The network of a file, every attribute checked."""
    root = read_xml(path)
    where = str(path)
    require(root.tag == "net", f"{path}, root element", root.tag, "must be net")
    left_hand = root.get("lefthand") in ("true", "1")
    flip = np.array([1.0, -1.0 if left_hand else 1.0, 1.0])
    unused: list[str] = []
    edges, lanes, inside = _edges(root, where, flip, unused)
    require(bool(edges), where, None, "has no edge that a car may use")
    programs = read_programs(root, where, unused)
    net = PlainNet(Path(path).name.removesuffix(".xml").removesuffix(".net"), edges, [], programs=programs)
    links = _turns(root, where, net, lanes, inside)
    for junction in root.findall("junction"):
        _priorities(junction, where, net, links)
    _places_for_people(root, where, net, flip)
    unused += [words for name, words in UNUSED.items() if root.find(name) is not None]
    net.unused = list(dict.fromkeys(unused))
    _set_place(root, where, net)
    return Net(net, left_hand)


def _edges(
    root: Element, where: str, flip: np.ndarray, unused: list[str]
) -> tuple[dict[str, Edge], dict[tuple[str, int], _Lane], dict[str, np.ndarray]]:
    """Edges that cars use, their lanes by index, and the shapes of lanes inside junctions."""
    edges: dict[str, Edge] = {}
    lanes: dict[tuple[str, int], _Lane] = {}
    inside: dict[str, np.ndarray] = {}
    others: Counter[str] = Counter()
    for element in root.findall("edge"):
        name = text(element, "id", where)
        function = element.get("function", "normal")
        place = f"{where}, edge {name}"
        if function in ("crossing", "walkingarea"):
            continue  # see `_places_for_people`
        rows = sorted(element.findall("lane"), key=lambda one: -whole(one, "index", place))
        shapes = [_shape(one, place, flip) for one in rows]
        if function == "internal":
            inside |= {text(one, "id", place): shape for one, shape in zip(rows, shapes, strict=True)}
            continue
        found = tuple(_lane(one, place) for one in rows)
        if not any(lane.kind == DRIVEN for lane in found):
            others["edges that are not for cars"] += 1
            continue
        others["lanes that are not for cars"] += sum(lane.kind == OTHER for lane in found)
        require(name not in edges, f"{where}, edge", name, "appears twice")
        ends = text(element, "from", place), text(element, "to", place)
        edges[name] = Edge(name, *ends, shapes[0], found)
        for k, (one, shape) in enumerate(zip(rows, shapes, strict=True)):
            lanes[name, whole(one, "index", place)] = _Lane(k, shape)
    unused += [f"{words} ({count})" for words, count in others.items() if count]
    return edges, lanes, inside


def _lane(element: Element, where: str) -> NetLane:
    width = number(element, "width", where, WIDTH)
    require(WIDTHS[0] <= width <= WIDTHS[1], f"{where}, lane width", width, "must be from 1 to 20 m")
    limit = min(max(number(element, "speed", where), 1.0), FASTEST)
    return NetLane(width, limit, _kind(element))


def _kind(element: Element) -> str:
    allow, disallow = ((element.get(name) or "").split() for name in ("allow", "disallow"))
    if allow:
        if "all" in allow or "passenger" in allow:
            return DRIVEN
        return WALKED if set(allow) <= {"pedestrian", "wheelchair"} else OTHER
    return OTHER if "all" in disallow or "passenger" in disallow else DRIVEN


def _shape(element: Element, where: str, flip: np.ndarray) -> np.ndarray:
    """Points (k, 3) of a lane."""
    given = text(element, "shape", where)
    rows = []
    for word in given.split():
        parts = word.split(",")
        try:
            values = [float(part) for part in parts]
        except ValueError as error:
            raise BadInput(f"{where}, lane shape", word, "must be x,y or x,y,z") from error
        fits = len(values) in (2, 3) and bool((np.abs(values) < FURTHEST).all())
        require(fits, f"{where}, lane shape", word, "must be x,y or x,y,z")
        rows.append([*values, 0.0][:3])
    require(len(rows) >= 2, f"{where}, lane shape", given, "must have two points")
    points = np.array(rows) * flip
    long = float(np.hypot(*np.diff(points[:, :2], axis=0).T).sum())
    require(long <= LONGEST, f"{where}, lane shape", long, f"must be at most {LONGEST:g} m long")
    if long < 0.1:  # two points at one place: a step that has a direction
        points = np.vstack([points[0], points[0] + [0.1, 0.0, 0.0]])
    return points


def _turns(
    root: Element,
    where: str,
    net: PlainNet,
    lanes: dict[tuple[str, int], _Lane],
    inside: dict[str, np.ndarray],
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Add the turns; gives for each its node and the lanes that it takes inside it."""
    onward = {
        f"{one.get('from')}_{one.get('fromLane')}": one.get("via")
        for one in root.findall("connection")
        if (one.get("from") or "").startswith(":")
    }
    links: dict[str, tuple[str, tuple[str, ...]]] = {}
    for one in root.findall("connection"):
        source, target = text(one, "from", where), text(one, "to", where)
        if source not in net.edges or target not in net.edges:
            continue
        place = f"{where}, connection from {source} to {target}"
        ends = (source, whole(one, "fromLane", place)), (target, whole(one, "toLane", place))
        for end in ends:
            require(end in lanes, f"{place}, lane", end[1], "does not exist")
        before, after = (lanes[end].place for end in ends)
        if any(net.edges[name].lanes[k].kind != DRIVEN for name, k in ((source, before), (target, after))):
            continue
        via: list[str] = []
        step = one.get("via")
        while step and step in inside and step not in via:
            via.append(step)
            step = onward.get(step)
        name = f"{source}_{ends[0][1]} to {target}_{ends[1][1]}"
        if name in links:
            continue
        shape = np.concatenate([inside[step] for step in via]) if via else None
        head = f"{one.get('tl')} {one.get('linkIndex')}" if one.get("tl") else ""
        head = head if head in net.programs else ""
        sign = "" if head else SIGNS.get(one.get("state", "M"), "")
        net.turns.append(Turn(name, source, before, target, after, shape, sign, head))
        links[name] = (net.edges[source].end, tuple(via))
    return links


def _priorities(
    junction: Element, where: str, net: PlainNet, links: dict[str, tuple[str, tuple[str, ...]]]
) -> None:
    """Who gives way to whom, by the requests of a junction."""
    node = text(junction, "id", where)
    order = {name: k for k, name in enumerate((junction.get("intLanes") or "").split())}
    index = {
        order[step]: name for name, (at, via) in links.items() if at == node for step in via if step in order
    }
    gives_way: set[tuple[int, int]] = set()
    for request in junction.findall("request"):
        k = whole(request, "index", f"{where}, junction {node}")
        bits = (request.get("response") or "")[::-1]
        gives_way |= {(k, other) for other, bit in enumerate(bits) if bit == "1"}
    pairs = [
        (index[high], index[low])
        for low, high in sorted(gives_way)
        if low in index and high in index and (high, low) not in gives_way
    ]
    if pairs:
        net.priorities[node] = pairs


def _places_for_people(root: Element, where: str, net: PlainNet, flip: np.ndarray) -> None:
    """Add the crossings, with their lights, and the walking areas, with the sidewalks that lead there."""
    into: dict[str, list[str]] = {}
    out_of: dict[str, list[str]] = {}
    heads: dict[str, str] = {}
    for one in root.findall("connection"):
        source, target = one.get("from") or "", one.get("to") or ""
        if source in net.edges:
            into.setdefault(target, []).append(source)
        if target in net.edges:
            out_of.setdefault(source, []).append(target)
        head = f"{one.get('tl')} {one.get('linkIndex')}"
        if one.get("tl") and head in net.programs:
            heads[target] = head
    for element in root.findall("edge"):
        function, name = element.get("function"), element.get("id") or ""
        lane = element.find("lane")
        if function not in ("crossing", "walkingarea") or lane is None:
            continue
        place = f"{where}, edge {name}"
        if function == "crossing":
            node = name.rpartition("_")[0].removeprefix(":")
            edges = tuple((element.get("crossingEdges") or "").split())
            width = number(lane, "width", place, WIDTH)
            net.walks.append(NetWalk(node, edges, width, heads.get(name, "")))
        else:
            ring = _shape(lane, place, flip)[:, :2]
            net.areas.append(NetArea(ring, tuple(into.get(name, ())), tuple(out_of.get(name, ()))))


def _set_place(root: Element, where: str, net: PlainNet) -> None:
    """How its metres were projected from the earth."""
    location = root.find("location")
    reference = "" if location is None else (location.get("projParameter") or "").strip()
    if location is None or reference in ("", "!", "-", "."):
        return
    try:
        x, y = (float(part) for part in text(location, "netOffset", where).split(",")[:2])
    except ValueError as error:
        raise BadInput(f"{where}, netOffset", location.get("netOffset"), "must be x,y") from error
    net.reference, net.offset = reference, (-x, -y, 0.0, 0.0)
