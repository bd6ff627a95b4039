"""Crosswalks of OpenDRIVE files: where a file has one before a junction, or lights for people on foot.

The lanes then end before the crosswalk and the connectors begin there, as in every other town: whoever enters
a connector knows that the crosswalk is part of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..roads.arm import STOP_GAP
from ..roads.crossings import Crossings, no_crossings
from ..roads.curves import Curve
from ..roads.swept import USUAL
from .lanes import WALKED, border_points, lane_borders
from .overlaps import Stretch
from .records import OpenDrive, RoadRecord
from .shifts import Zones

FOR_PEOPLE = {"1000002", "1000007", "1000013"}  # light types for people on foot and bicycles
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
    for walk in drive.walks:
        for arm in ((walk.into, "end"), (walk.out, "start")):
            found[arm] = Crosswalk(walk.near, walk.far, walk.cut)
    return found


def crosswalk_marks(drive: OpenDrive, cuts: dict[Arm, Crosswalk]) -> dict[str, tuple[float, ...]]:
    """Where [m] along their roads the sides of the crosswalks are, by road."""
    marks: dict[str, tuple[float, ...]] = {}
    for (name, contact), crosswalk in cuts.items():
        whole = drive.roads[name].sections[-1].end
        sides = (crosswalk.near, crosswalk.far)
        own = sides if contact == "start" else tuple(whole - side for side in sides)
        marks[name] = marks.get(name, ()) + own
    return marks


def ends_kept(cuts: dict[Arm, Crosswalk]) -> dict[Arm, float]:
    """How much [m] of the ways across junctions is as roads are: from the stop line over the crosswalk."""
    return {arm: crosswalk.cut - crosswalk.near for arm, crosswalk in cuts.items()}


def arms_together(drive: OpenDrive, cuts: dict[Arm, Crosswalk]) -> list[list[Stretch]]:
    """What is driven over a crosswalk, and belongs to one junction."""
    joint = [{(walk.into, "end"), (walk.out, "start")} for walk in drive.walks]
    joint += [{arm} for arm in cuts if not any(arm in some for some in joint)]
    found = []
    for arms in joint:
        some: list[Stretch] = []
        for name, contact in sorted(arms):
            whole, cut = drive.roads[name].sections[-1].end, cuts[name, contact].cut
            for forward in (True, False):
                leaving = (contact == "end") == forward
                some.append(((name, forward), *((whole - cut, whole) if leaving else (0.0, cut))))
        found.append(some)
    return found


def crosswalk_zones(drive: OpenDrive, cuts: dict[Arm, Crosswalk], zones: Zones) -> None:
    """What lies between the stop lines of crosswalks and the junction belongs to the junction."""
    for (name, contact), crosswalk in cuts.items():
        whole, cut = drive.roads[name].sections[-1].end, crosswalk.cut
        for forward in (True, False):
            leaving = (contact == "end") == forward
            stretch = (whole - cut, whole) if leaving else (0.0, cut)
            zones.setdefault((name, forward), []).append(stretch)


def crossings_of(
    drive: OpenDrive, arms: list[Arm], cuts: dict[Arm, Crosswalk], curves: list[Curve], lit: dict[Arm, int]
) -> Crossings:
    """The crosswalks at `arms` with the stretches of the connectors; `lit` are groups of their lights."""
    walks = {(walk.into, "end"): walk for walk in drive.walks}
    second = {(walk.out, "start") for walk in drive.walks}
    arms = [arm for arm in sorted(set(arms)) if arm in cuts and arm not in second]
    if not arms:
        return no_crossings()
    corners, lights, first = [], [], [0]
    strips: list[tuple[int, float, float, int]] = []
    for arm in arms:
        ring = walks[arm].ring if arm in walks else _corners(drive.roads[arm[0]], arm[1], cuts[arm])
        corners.append(ring)
        lights.append(lit.get(arm, -1))
        for k, curve in enumerate(curves):
            found = _stretch(ring, curve)
            if found is not None:
                strips.append((k, *found))
        first.append(len(strips))
    rings = np.array(corners)
    ends = np.stack([(rings[:, 0] + rings[:, 3]) / 2, (rings[:, 1] + rings[:, 2]) / 2], axis=1)
    table = np.array(strips).reshape(-1, 4)
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


def _stretch(ring: np.ndarray, curve: Curve) -> tuple[float, float, int] | None:
    """From and to where [m] a connector lies on a crosswalk, and at which of its ends it is."""
    start, end = (ring[0] + ring[3]) / 2, (ring[1] + ring[2]) / 2
    across = end - start
    long = float(np.hypot(*across))
    across = across / long
    half = float(np.abs((ring - start) @ np.array([-across[1], across[0]])).max())
    at = np.linspace(0.0, curve.length, max(2, int(curve.length / 0.1)))
    known = np.linspace(0.0, curve.length, len(curve.x))
    x, y, heading = (np.interp(at, known, v) for v in (curve.x, curve.y, curve.heading))
    aside = (x - start[0]) * across[0] + (y - start[1]) * across[1]
    depth = (y - start[1]) * across[0] - (x - start[0]) * across[1]
    askew = np.abs(np.cos(heading) * across[0] + np.sin(heading) * across[1])
    on = np.abs(depth) < half + _SLACK + USUAL.width / 2 * askew
    on &= (aside > -USUAL.width / 2) & (aside < long + USUAL.width / 2)
    if not on.any():
        return None
    return float(at[on][0]), float(at[on][-1]), int(aside[on].mean() > long / 2)


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
    section = 0 if contact == "start" else len(road.sections) - 1
    sides = []
    for name in _kerbs(road, contact):
        assert name is not None  # looked at by `find_crosswalks`
        points = border_points(road, s[order], lane_borders(road, section, name, s[order])[0])
        sides.append(points[np.argsort(order), :2])
    left, right = sides
    return np.array([left[0], right[0], right[1], left[1]])
