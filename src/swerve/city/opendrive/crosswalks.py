"""Crosswalks of OpenDRIVE files: where a file has one before a junction, or lights for people on foot.

The lanes then end before the crosswalk and the connectors begin there, as in every other town: whoever enters
a connector knows that the crosswalk is part of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..roads.arm import STOP_GAP
from ..roads.crossings import Crossings, no_crossings
from ..roads.curves import Curve, evenly
from ..roads.lights import GROUPS_PER_AXIS, WALK
from .junctions import FOR_PEOPLE, Connector
from .lanes import WALKED, lane_borders, lane_curve
from .lines import reference_line
from .records import OpenDrive, RoadRecord

REACH = 20.0  # [m] from a junction within which a crosswalk belongs to it
WIDTH = 3.0  # [m] where only lights for people tell of it
_SLACK = 0.3  # [m] added to the stretch of a strip that lies on it

Arm = tuple[str, str]  # road, and which end of it: start or end


class Crosswalk(NamedTuple):
    """Distances [m] from the end of its road: of its near and far side, and of the stop line."""

    near: float
    far: float
    cut: float


def find_crosswalks(drive: OpenDrive) -> dict[Arm, Crosswalk]:
    """The crosswalks before junctions, where there is a pavement on both sides."""
    found = {}
    for road in drive.roads.values():
        for contact, link in (("start", road.before), ("end", road.after)):
            if road.junction != "-1" or link is None or link.type != "junction":
                continue
            places = [(_away(road, contact, s), w) for s, w in road.crosswalks]
            heads = [_away(road, contact, s.s) for s in road.signals if s.type in FOR_PEOPLE]
            heads = [away for away in heads if away <= REACH]
            if heads:
                places.append((float(np.mean(heads)), WIDTH))
            places = [(away, width) for away, width in places if 0 <= away <= REACH]
            if not places:
                continue
            away, width = places[0]
            near = max(0.5, away - width / 2)
            crosswalk = Crosswalk(near, near + width, near + width + STOP_GAP)
            section = road.sections[0 if contact == "start" else -1]
            fits = section.end - section.start > 2 * (REACH + WIDTH)
            if fits and None not in _kerbs(road, contact):
                found[road.id, contact] = crosswalk
    return found


def trimmed(road: RoadRecord, cuts: dict[Arm, Crosswalk]) -> tuple[float, float]:
    """From and to where [m] along a road its lanes reach."""
    start, end = cuts.get((road.id, "start")), cuts.get((road.id, "end"))
    return start.cut if start else 0.0, road.sections[-1].end - (end.cut if end else 0.0)


def lengthened(drive: OpenDrive, connector: Connector, cuts: dict[Arm, Crosswalk]) -> Connector:
    """The connector from stop line to stop line: with what was cut off the lanes before and after it."""
    pieces = [(connector.curve, connector.height)]
    for place, contact, first in (
        (connector.source, connector.enters_at, True),
        (connector.target, connector.leaves_at, False),
    ):
        cut = cuts.get((place[0], contact))
        if cut is None:
            continue
        road = drive.roads[place[0]]
        end = road.sections[-1].end
        between = (0.0, cut.cut) if contact == "start" else (end - cut.cut, end)
        forward = (contact == "end") == first
        curve, height, _ = lane_curve(road, (place[1],), (place[2],), forward, between)
        pieces.insert(0 if first else len(pieces), (curve, height))
    if len(pieces) == 1:
        return connector
    curve, height = _chained([c for c, _ in pieces], [z for _, z in pieces])
    return replace(connector, curve=curve, height=height)


def crossings_of(
    drive: OpenDrive, connectors: list[Connector], cuts: dict[Arm, Crosswalk], phases: dict[Arm, int]
) -> Crossings:
    """The crosswalks of a junction with the stretches of its connectors; `phases` are those of lit arms."""
    arms = sorted(
        {(c.source[0], c.enters_at) for c in connectors} | {(c.target[0], c.leaves_at) for c in connectors}
    )
    arms = [arm for arm in arms if arm in cuts]
    if not arms:
        return no_crossings()
    corners, lights, first = [], [], [0]
    strips: list[tuple[int, float, float, int]] = []
    for arm in arms:
        road, crosswalk = drive.roads[arm[0]], cuts[arm]
        corners.append(_corners(road, arm[1], crosswalk))
        lights.append(phases[arm] * GROUPS_PER_AXIS + WALK if arm in phases else -1)
        near, far = crosswalk.cut - crosswalk.near + _SLACK, crosswalk.cut - crosswalk.far - _SLACK
        for k, c in enumerate(connectors):
            if (c.source[0], c.enters_at) == arm:
                strips.append((k, far, near, 0 if c.source[2] > 0 else 1))
            if (c.target[0], c.leaves_at) == arm:
                half = 0 if c.target[2] > 0 else 1
                strips.append((k, c.curve.length - near, c.curve.length - far, half))
        first.append(len(strips))
    rings = np.array(corners)
    ends = np.stack([(rings[:, 0] + rings[:, 3]) / 2, (rings[:, 1] + rings[:, 2]) / 2], axis=1)
    table = np.array(strips)
    return Crossings(
        rings,
        ends,
        np.array([cuts[arm].far - cuts[arm].near for arm in arms]),
        np.hypot(*(ends[:, 0] - ends[:, 1]).T),
        np.array(lights, np.int32),
        np.zeros(len(arms), np.int32),
        np.array(first, np.int32),
        table[:, 0].astype(np.int32),
        table[:, 1],
        table[:, 2],
        table[:, 3].astype(np.int8),
    )


def _away(road: RoadRecord, contact: str, s: float) -> float:
    return s if contact == "start" else road.sections[-1].end - s


def _kerbs(road: RoadRecord, contact: str) -> tuple[int | None, int | None]:
    """Ids of the pavements next to the road on the left and on the right."""
    lanes = road.sections[0 if contact == "start" else -1].lanes
    left = [name for name, lane in lanes.items() if name > 0 and lane.type in WALKED]
    right = [name for name, lane in lanes.items() if name < 0 and lane.type in WALKED]
    return min(left, default=None), max(right, default=None)


def _corners(road: RoadRecord, contact: str, crosswalk: Crosswalk) -> np.ndarray:
    """Corners (4, 2): left and right at the near side, right and left at the far side."""
    end = road.sections[-1].end
    s = np.array([crosswalk.near, crosswalk.far])
    s = s if contact == "start" else end - s
    order = np.argsort(s)
    line = reference_line(road.geometry, s[order])
    section = 0 if contact == "start" else len(road.sections) - 1
    sides = []
    for name in _kerbs(road, contact):
        assert name is not None  # looked at by `find_crosswalks`
        aside = lane_borders(road, section, name, s[order])[0]
        points = np.stack([line.x - aside * np.sin(line.heading), line.y + aside * np.cos(line.heading)], -1)
        sides.append(points[np.argsort(order)])
    left, right = sides
    return np.array([left[0], right[0], right[1], left[1]])


def _chained(curves: list[Curve], heights: list[np.ndarray]) -> tuple[Curve, np.ndarray]:
    """Curves one after the other as one, sampled evenly anew."""
    x, y, curvature = (np.concatenate([c[k] for c in curves]) for k in (0, 1, 3))
    heading = np.unwrap(np.concatenate([c.heading for c in curves]))
    z = np.concatenate(heights)
    keep = np.concatenate([[True], np.hypot(np.diff(x), np.diff(y)) > 1e-3])
    x, y, heading, curvature, z = (v[keep] for v in (x, y, heading, curvature, z))
    curve = evenly(x, y, heading, curvature)
    gone = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    return curve, np.interp(np.linspace(0.0, gone[-1], len(curve.x)), gone, z)
