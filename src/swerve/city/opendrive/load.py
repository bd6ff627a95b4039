"""Towns from OpenDRIVE files: lanes become strips where a car fits, ways across junctions connectors.

Lanes that end lead over into their neighbours, roads that overlap share a junction, and where a road ends
openly cars come and go. Signals and controllers become light groups, stop and yield signs controls, sidewalk
lanes pavement; elevation, superelevation and profiles across tilt the road. What a file holds and is not used
is listed once, in the `notes` of the town.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput, require

from ..roads.draft import RoadsDraft
from ..roads.mirror import mirror_points, mirror_roads
from ..roads.roads import Roads
from ..towns.town import Town
from .bends import tight_bends
from .breaks import find_breaks, note_of
from .corners import room_for_turns
from .crosswalks import (
    Arm,
    Crosswalk,
    arms_together,
    crosswalk_marks,
    crosswalk_zones,
    ends_kept,
    find_crosswalks,
)
from .joins import Join, find_joins
from .junctions import build_connectors, unused_signals
from .lanes import sidewalks
from .overlaps import Stretch, find_overlaps
from .paths import Connector, find_connectors
from .pieces import Piece, Shape, cut, shape_of
from .read import read_opendrive
from .records import OpenDrive, mirrored
from .shifts import Zones, add_shifts
from .strays import Stray, find_strays
from .threads import Thread, narrow_threads_of, threads_of

ROUNDS = 7  # of looking for overlaps, each with the zones of the one before


def load_opendrive(path: str | Path) -> Town:
    """The town of a file."""
    drive = read_opendrive(path)
    left_hand = any(road.left_hand for road in drive.roads.values())
    try:
        _check(drive)
        return build_records(mirrored(drive) if left_hand else drive, left_hand)
    except BadInput as error:
        raise BadInput(str(path), None, str(error)) from error


def build_records(drive: OpenDrive, was_mirrored: bool = False) -> Town:
    """The town of records of right-hand traffic; reflected in the x axis at the end if they were before."""
    town = replace(_build(drive), reference=drive.reference, offset=drive.offset)
    if not was_mirrored:
        return town
    return replace(town, roads=mirror_roads(town.roads, 0.0), paving=mirror_points(town.paving, 0.0))


def _check(drive: OpenDrive) -> None:
    for junction in drive.junctions.values():
        for name in junction.controllers:
            require(name in drive.controllers, f"junction {junction.id}, controller", name, "does not exist")


def _build(drive: OpenDrive) -> Town:
    notes = [f"not used: {words}" for words in (*drive.unused, *unused_signals(drive))]
    threads = [thread for road in drive.roads.values() for thread in threads_of(road)]
    if not any(t.road.junction == "-1" for t in threads):
        threads = [thread for road in drive.roads.values() for thread in narrow_threads_of(road)]
        notes.append("lanes are too narrow for cars beside each other: every second one is used")
    require(
        any(t.road.junction == "-1" for t in threads), "lanes", None, "there is no lane that a car fits on"
    )
    joins = find_joins(drive, threads, notes)
    zones: Zones = {}
    cuts = find_crosswalks(drive)
    drawn = sum(len(road.crosswalks) for road in drive.roads.values())
    if drawn > len(cuts):
        notes.append(f"not used: {drawn - len(cuts)} of {drawn} crosswalks (they must be near a junction, "
                     "with pavements on both sides)")  # fmt: skip
    crosswalk_zones(drive, cuts, zones)
    threads += add_shifts(drive, threads, joins, zones)
    together = arms_together(drive, cuts)
    pieces, shapes, connectors = _settled(threads, joins, zones, notes, together, ends_kept(cuts))
    roads, strip = _draft(drive, pieces, shapes, connectors, cuts)
    broken = find_breaks(drive, pieces, strip, roads)
    notes += note_of(pieces, broken)
    marks = crosswalk_marks(drive, cuts)
    walked = [sidewalks(road, marks.get(road.id, ())) for road in drive.roads.values()]
    others = np.pad(drive.paving, ((0, 0), (0, 0), (0, 1)), constant_values=np.nan)
    paving = np.concatenate([*walked, others])
    unused = len({id(t) for t in threads if not t.used})
    return Town(
        drive.name,
        roads,
        paving[..., :2],
        paving[..., 2],
        notes=tuple(dict.fromkeys(notes)),
        lanes_unused=unused,
        breaks=tuple(sorted(strip[i] for i in broken)),
    )


def _settled(
    threads: list[Thread],
    joins: list[Join],
    zones: Zones,
    notes: list[str],
    together: list[list[Stretch]],
    kept: dict[Arm, float],
) -> tuple[list[Piece], list[Shape], dict[int, list[Connector]]]:
    """Pieces cut until no lane is in the way of another or of a way across a junction, their shapes, and
    these ways."""
    strays: list[Stray] = []
    for k in range(ROUNDS):
        pieces = cut(threads, joins, zones)
        shapes = [shape_of(piece) for piece in pieces]
        more, number = find_overlaps(pieces, shapes, strays, together)
        if k == 0:
            bends, joint = tight_bends(pieces, shapes)
            together = together + joint
            for found_zones in (room_for_turns(pieces, shapes), bends):
                for key, some in found_zones.items():
                    more.setdefault(key, []).extend(some)
        if not more or k == ROUNDS - 1:
            said: list[str] = []
            connectors = find_connectors(pieces, shapes, number, said, kept)
            more, found = find_strays(pieces, shapes, connectors)
            strays += found
            if not more or k == ROUNDS - 1:
                notes += said
                break
        for key, some in more.items():
            zones.setdefault(key, []).extend(some)
    return pieces, shapes, connectors


def _draft(
    drive: OpenDrive,
    pieces: list[Piece],
    shapes: list[Shape],
    connectors: dict[int, list[Connector]],
    cuts: dict[Arm, Crosswalk],
) -> tuple[Roads, dict[int, int]]:
    """The roads, and which strip of them a piece has become."""
    draft = RoadsDraft(drive.name)
    strip: dict[int, int] = {}
    runs: dict[int, list[int]] = {}
    for i, piece in enumerate(pieces):
        if not piece.zone:
            runs.setdefault(piece.run, []).append(i)
    require(bool(runs), "lanes", None, "no lane is long enough to drive on")
    for number, some in enumerate(runs.values()):
        first = draft.add_road(
            [shapes[i].curve for i in some],
            [float(shapes[i].width.min()) for i in some],
            min(pieces[i].limit for i in some),
            number,
            [shapes[i].height for i in some],
            [shapes[i].bank for i in some],
            [shapes[i].width for i in some],
        )
        strip |= {i: first + k for k, i in enumerate(some)}
    where = {id(piece): i for i, piece in enumerate(pieces)}
    for i in strip:
        for onward in pieces[i].after:
            if not onward.zone:
                draft.link(strip[i], strip[where[id(onward)]])
    _set_opposites(draft, pieces, runs, strip)
    for some_ways in connectors.values():
        source = np.array([strip[c.source] for c in some_ways])
        target = np.array([strip[c.target] for c in some_ways])
        junction = build_connectors(drive, pieces, some_ways, source, cuts)
        points = [
            np.concatenate([getattr(c.shape, name) for c in some_ways])
            for name in ("height", "bank", "width")
        ]
        draft.add_junction(junction, source, target, heights=points[0], banks=points[1], widths=points[2])
    return draft.finish(), strip


def _set_opposites(
    draft: RoadsDraft, pieces: list[Piece], runs: dict[int, list[int]], strip: dict[int, int]
) -> None:
    """Innermost lanes of both directions that lie beside each other from end to end."""
    inner: dict[str, list[int]] = {}
    for some in runs.values():
        i = some[-1]
        if abs(pieces[i].thread.lane_at((pieces[i].begin + pieces[i].end) / 2).id) == 1:
            inner.setdefault(pieces[i].thread.road.id, []).append(i)
    for some in inner.values():
        for i in some:
            for j in some:
                a, b = pieces[i], pieces[j]
                whole = a.thread.whole
                abreast = abs(whole - b.end - a.begin) < 1.0 and abs(whole - b.begin - a.end) < 1.0
                if a.thread.forward and not b.thread.forward and abreast:
                    draft.set_opposite(strip[i], strip[j])
