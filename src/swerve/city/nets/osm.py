"""OpenStreetMap extracts (`.osm`): drivable ways, cut where they meet, with lanes, limits, signs and lights.

Places are projected about the middle of the extract; traffic keeps to the right unless told otherwise.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from swerve.core.errors import require

from ..opendrive.xml import number, read_xml, text
from .earth import MiddleMap
from .osm_tags import BEARING, LIMITS, is_ring, lanes_of, open_to_cars, speeds_of

RANKS = {name: len(LIMITS) - k for k, name in enumerate(LIMITS)}
LONGEST = 50_000.0  # [m] of a street between junctions
STOREY = 6.0  # [m] of height between layers
LARGEST = 2.0  # [deg] of an extract


@dataclass(frozen=True)
class Segment:
    """A way between two places where ways meet, as it is drawn; `there` and `back` are its lanes.

    `ways` are the ids of the way at its first and at its last node.
    """

    ways: tuple[str, str]
    nodes: tuple[str, ...]
    there: int
    back: int
    limit: float  # [m/s]
    limit_back: float
    rank: int  # larger for larger roads
    layer: int = 0
    roundabout: bool = False


@dataclass
class Streets:
    """What an extract holds: places (x, y) [m] and tags of nodes, segments, and turns that are forbidden.

    A restriction (way, node, way) is of a kind: who comes from the first way must, or may not, turn into the
    second there (`only_left_turn`, `no_u_turn` …).
    """

    name: str
    place: dict[str, tuple[float, float]]
    tags: dict[str, dict[str, str]]
    segments: list[Segment]
    restrictions: dict[tuple[str, str, str], str] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    reference: str = ""


def read_osm(path: str | Path, left_hand: bool = False) -> Streets:
    """The streets of a file; reflected in the x axis where traffic keeps to the left."""
    root = read_xml(path)
    where = str(path)
    require(root.tag == "osm", f"{path}, root element", root.tag, "must be osm")
    known = {text(one, "id", where): one for one in root.findall("node") if one.get("visible") != "false"}
    skipped: Counter[str] = Counter()
    ways: list[tuple[str, dict[str, str], list[list[str]]]] = []
    for way in root.findall("way"):
        tags = _tags(way)
        kind = tags.get("highway")
        if kind is None or way.get("visible") == "false":
            continue
        if not open_to_cars(tags):
            skipped[kind] += 1
            continue
        runs = _runs([text(nd, "ref", where) for nd in way.findall("nd")], known)
        ways.append((text(way, "id", where), tags, runs))
    used = {name for _, _, runs in ways for run in runs for name in run}
    require(bool(used), where, None, "has no road that a car may use")
    degrees = {
        name: (
            number(known[name], "lat", where, least=-85.0),
            number(known[name], "lon", where, least=-180.0),
        )
        for name in used
    }
    table = np.array(list(degrees.values()))
    require(bool((table[:, 0] <= 85).all()), f"{where}, lat", float(table[:, 0].max()), "must be at most 85")
    spread = float(np.ptp(table, axis=0).max())
    require(spread < LARGEST, f"{where}, nodes", spread, f"must lie within {LARGEST:g} degrees of each other")
    middle = MiddleMap(*(float(v) for v in (table.min(axis=0) + table.max(axis=0)) / 2))
    x, y = middle.project(table[:, 0], table[:, 1])
    flip = -1.0 if left_hand else 1.0
    place = {name: (float(a), flip * float(b)) for name, a, b in zip(degrees, x, y, strict=True)}
    streets = Streets(
        Path(path).stem,
        place,
        {name: _tags(known[name]) for name in used if len(known[name])},
        [],
        reference=middle.reference,
    )
    odd: Counter[str] = Counter()
    streets.segments = _segments(ways, streets.place, where, odd)
    require(bool(streets.segments), where, None, "has no road that a car may use")
    _restrictions(root, streets)
    if skipped:
        streets.unused.append(f"ways that are not for cars or private ({', '.join(sorted(skipped))})")
    if odd:
        streets.unused.append(f"tags that are not understood ({', '.join(sorted(odd))}): as if not there")
    unread = sorted({tag for _, tags, _ in ways for tag in tags if BEARING.fullmatch(tag)})
    if unread:
        streets.unused.append(f"tags of ways ({', '.join(unread)})")
    return streets


def _tags(element: Element) -> dict[str, str]:
    return {one.get("k", ""): one.get("v", "") for one in element.findall("tag")}


def _runs(names: list[str], known: dict[str, Element]) -> list[list[str]]:
    """Nodes of a way, broken where the extract does not hold one, no node twice in a row."""
    runs: list[list[str]] = [[]]
    for name in names:
        if name not in known:
            runs.append([])
        elif not runs[-1] or runs[-1][-1] != name:
            runs[-1].append(name)
    return [run for run in runs if len(run) > 1]


def _segments(
    ways: list[tuple[str, dict[str, str], list[list[str]]]],
    place: dict[str, tuple[float, float]],
    file: str,
    odd: Counter[str],
) -> list[Segment]:
    """Ways cut at every node that another way has too, or the same way again."""
    count = Counter(name for _, _, runs in ways for run in runs for name in run)
    ends = {run[k] for _, _, runs in ways for run in runs for k in (0, -1)}
    found = []
    for name, tags, runs in ways:
        there, back = lanes_of(tags, odd)
        kind = tags["highway"]
        limits = speeds_of(tags, odd)
        layer = _whole(tags.get("layer", ""), 1 if tags.get("bridge", "no") != "no" else 0)
        for run in runs:
            cuts = [
                k for k, node in enumerate(run) if count[node] > 1 or node in ends or k in (0, len(run) - 1)
            ]
            for a, b in pairwise(cuts):
                nodes = run[a : b + 1]
                long = sum(np.hypot(*np.subtract(place[p], place[q])) for p, q in pairwise(nodes))
                require(
                    long < LONGEST,
                    f"{file}, way {name}",
                    round(long),
                    f"must be below {LONGEST:g} m from node to node",
                )
                if long < 0.5 or (nodes[0] == nodes[-1] and len(nodes) < 4):
                    continue
                against = tags.get("oneway") in ("-1", "reverse")
                if against:
                    nodes = nodes[::-1]
                found.append(
                    Segment(
                        (name, name),
                        tuple(nodes),
                        there,
                        back,
                        *(limits[::-1] if against else limits),
                        RANKS[kind],
                        max(-3, min(layer, 5)),
                        is_ring(tags),
                    )
                )
    return found


def _whole(given: str, default: int) -> int:
    head = given.split(";")[0].strip()
    try:
        return int(head)
    except ValueError:
        return default


def _restrictions(root: Element, streets: Streets) -> None:
    complex_ones = others = 0
    for relation in root.findall("relation"):
        tags = _tags(relation)
        if tags.get("type") != "restriction":
            continue
        if "motorcar" in tags.get("except", ""):
            continue
        sides: dict[str, list[Element]] = {}
        for one in relation.findall("member"):
            sides.setdefault(one.get("role", ""), []).append(one)
        kind, via = tags.get("restriction", ""), sides.get("via", [])
        if not {"from", "to"} <= set(sides) or len(via) != 1 or via[0].get("type") != "node":
            complex_ones += 1
            continue
        if not kind:
            others += 1
        for way in sides["from"]:
            for onto in sides["to"]:
                key = way.get("ref", ""), via[0].get("ref", ""), onto.get("ref", "")
                streets.restrictions[key] = kind
    if complex_ones:
        streets.unused.append(f"restrictions over several ways ({complex_ones})")
    if others:
        streets.unused.append(f"restrictions at times or for some ({others})")
