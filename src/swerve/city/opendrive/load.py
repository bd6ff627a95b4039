"""Towns from OpenDRIVE files: lanes become strips, connecting roads connectors, dead ends turning loops.

Signals and controllers become light groups, stop and yield signs controls, sidewalk lanes pavement. Not read:
road marks, objects other than crosswalks, superelevation.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput, require

from ..roads.crossings import no_crossings
from ..roads.curves import Curve, aim, turning_loop
from ..roads.draft import RoadsDraft
from ..roads.junctions import LOOP_WIDTH, Junction, junction_of, loop_radius
from ..roads.lights import no_lights
from ..roads.mirror import mirror_points, mirror_roads
from ..roads.roads import U_TURN
from ..towns.town import Town
from .crosswalks import Crosswalk, crossings_of, find_crosswalks, lengthened, trimmed
from .junctions import Connector, build_connectors, check_connections, trace_connectors
from .lanes import Run, lane_curve, runs_of, sidewalks
from .read import read_opendrive
from .records import JunctionRecord, OpenDrive, RoadRecord, mirrored

MEETING = 1.0  # [m] by which the ends of linked lanes may miss each other
LANE_APART = 3.7  # [m] between the turning loops of lanes beside each other

Ends = dict[tuple[str, int, int], int]  # road, section, lane id → strip


def load_opendrive(path: str | Path) -> Town:
    """The town of a file."""
    drive = read_opendrive(path)
    left_hand = any(road.left_hand for road in drive.roads.values())
    try:
        _check_links(drive)
        town = _build(mirrored(drive) if left_hand else drive)
    except BadInput as error:
        raise BadInput(str(path), None, str(error)) from error
    if not left_hand:
        return town
    return Town(town.name, mirror_roads(town.roads, 0.0), mirror_points(town.paving, 0.0))


def _build(drive: OpenDrive) -> Town:
    draft = RoadsDraft(drive.name)
    entries: Ends = {}
    exits: Ends = {}
    runs: list[tuple[Run, int]] = []
    curves: list[Curve] = []
    cuts = find_crosswalks(drive)
    for road in drive.roads.values():
        if road.junction == "-1":
            reach = trimmed(road, cuts)
            runs += _add_runs(draft, road, reach, entries, exits, curves, len(runs))
    require(bool(runs), "lanes", None, "there is no lane to drive on outside junctions")
    gone_on = set()
    for source, target in _direct_links(drive, runs, entries):
        _check_meeting(curves, source, target)
        draft.link(source, target)
        gone_on.add(source)
    for record in drive.junctions.values():
        found = [lengthened(drive, c, cuts) for c in trace_connectors(drive, record)]
        known = []
        for c in found:
            lane, onward = exits.get(c.source), entries.get(c.target)
            if lane is not None and onward is not None:
                known.append((_snapped(c, curves[lane], curves[onward], record.id), lane, onward))
                gone_on.add(lane)
        if known:
            _add_junction(drive, draft, record, known, cuts)
    _add_loops(draft, runs, curves, gone_on)
    roads = draft.finish()
    paving = np.concatenate([sidewalks(road) for road in drive.roads.values()])
    return Town(drive.name, roads, paving)


def _check_links(drive: OpenDrive) -> None:
    """Everything that a road, lane or junction refers to exists."""
    for junction in drive.junctions.values():
        check_connections(drive, junction)
    for road in drive.roads.values():
        where = f"road {road.id}"
        if road.junction != "-1":
            require(road.junction in drive.junctions, f"{where}, junction", road.junction, "does not exist")
        for name, link in (("predecessor", road.before), ("successor", road.after)):
            if link is None:
                continue
            there = drive.roads if link.type == "road" else drive.junctions
            require(link.id in there, f"{where}, {name} {link.type}", link.id, "does not exist")
        for index, section in enumerate(road.sections):
            for lane in section.lanes.values():
                for name, wanted, step in (("predecessor", lane.before, -1), ("successor", lane.after, 1)):
                    lanes = _beyond(drive, road, index, step)
                    if wanted is not None and lanes is not None and wanted not in lanes:
                        place = f"{where}, laneSection {index}, lane {lane.id}, {name}"
                        raise BadInput(place, wanted, "is an unknown lane")


def _beyond(drive: OpenDrive, road: RoadRecord, section: int, step: int) -> set[int] | None:
    """Ids of the lanes that follow a section in s (or go before it); None where a junction does."""
    if 0 <= section + step < len(road.sections):
        return set(road.sections[section + step].lanes)
    link = road.after if step > 0 else road.before
    if link is None or link.type != "road":
        return None
    other = drive.roads[link.id]
    return set(other.sections[0 if link.contact == "start" else -1].lanes)


def _add_runs(
    draft: RoadsDraft,
    road: RoadRecord,
    reach: tuple[float, float],
    entries: Ends,
    exits: Ends,
    curves: list[Curve],
    number: int,
) -> list[tuple[Run, int]]:
    """Strips of a road's runs; gives each run with the id of its kerb lane."""
    added: list[tuple[Run, int]] = []
    for run in runs_of(road):
        lanes = [lane_curve(road, run.sections, ids, run.forward, reach) for ids in run.lanes]
        limits = [road.sections[run.entry].lanes[run.at(k, run.entry)].limit for k in range(len(lanes))]
        limit = min(given if given is not None else road.limit for given in limits)
        shapes, heights = [c for c, _, _ in lanes], [z for _, z, _ in lanes]
        first = draft.add_road(shapes, [w for _, _, w in lanes], limit, number + len(added), heights)
        curves += shapes
        for k in range(len(lanes)):
            entries[road.id, run.entry, run.at(k, run.entry)] = first + k
            exits[road.id, run.exit, run.at(k, run.exit)] = first + k
        added.append((run, first))
    for run, first in added:
        for other, second in added:
            touching = run.lanes[-1][0] == -1 and other.lanes[-1][0] == 1
            if run.forward and not other.forward and touching and run.sections == other.sections:
                draft.set_opposite(first + len(run.lanes) - 1, second + len(other.lanes) - 1)
    return added


def _direct_links(drive: OpenDrive, runs: list[tuple[Run, int]], entries: Ends) -> list[tuple[int, int]]:
    """Strips that go on as other strips: into the next lane section, or the next road."""
    links = []
    for run, first in runs:
        road = drive.roads[run.road]
        step = 1 if run.forward else -1
        index = run.exit + step
        for k in range(len(run.lanes)):
            lane = road.sections[run.exit].lanes[run.at(k, run.exit)]
            onward = lane.after if run.forward else lane.before
            link = road.after if run.forward else road.before
            if onward is None:
                continue
            if 0 <= index < len(road.sections):
                target = entries.get((road.id, index, onward))
            elif link is not None and link.type == "road":
                other = drive.roads[link.id]
                section = 0 if link.contact == "start" else len(other.sections) - 1
                target = entries.get((other.id, section, onward))
            else:
                continue
            if target is not None:
                links.append((first + k, target))
    return links


def _check_meeting(curves: list[Curve], source: int, target: int) -> None:
    a, b = curves[source], curves[target]
    gap = float(np.hypot(a.x[-1] - b.x[0], a.y[-1] - b.y[0]))
    require(gap <= MEETING, "linked lanes", round(gap, 2), f"must meet within {MEETING:g} m")


def _snapped(connector: Connector, source: Curve, target: Curve, junction: str) -> Connector:
    """The connector from the very end of its lane to the very start of the next."""
    curve = connector.curve
    gaps = (
        np.hypot(curve.x[0] - source.x[-1], curve.y[0] - source.y[-1]),
        np.hypot(curve.x[-1] - target.x[0], curve.y[-1] - target.y[0]),
    )
    where = f"junction {junction}, connecting road {connector.road}"
    require(
        max(gaps) <= MEETING, where, round(float(max(gaps)), 2), f"must meet its lanes within {MEETING:g} m"
    )
    back = curve._replace(x=curve.x[::-1], y=curve.y[::-1], heading=curve.heading[::-1])
    back = aim(back, (source.x[-1], source.y[-1], source.heading[-1]))
    curve = curve._replace(x=back.x[::-1], y=back.y[::-1], heading=back.heading[::-1])
    return connector.with_curve(aim(curve, (target.x[0], target.y[0], target.heading[0])))


def _add_junction(
    drive: OpenDrive,
    draft: RoadsDraft,
    record: JunctionRecord,
    known: list[tuple[Connector, int, int]],
    cuts: dict[tuple[str, str], Crosswalk],
) -> None:
    connectors = [c for c, _, _ in known]
    source, target = (np.array([item[k] for item in known]) for k in (1, 2))
    junction = build_connectors(
        drive, record, connectors, source, lambda phases: crossings_of(drive, connectors, cuts, phases)
    )
    heights = np.concatenate([c.height for c in connectors])
    draft.add_junction(junction, source, target, heights=heights)


def _add_loops(
    draft: RoadsDraft, runs: list[tuple[Run, int]], curves: list[Curve], gone_on: set[int]
) -> None:
    """Where a road ends and nothing follows, its lanes turn round into those that come back."""
    for run, first in runs:
        lanes = list(range(first, first + len(run.lanes)))
        if any(lane in gone_on for lane in lanes):
            continue
        for other, second in runs:
            if other.road != run.road or other.forward == run.forward or other.entry != run.exit:
                continue
            loops, source, target = [], [], []
            back = list(range(second, second + len(other.lanes)))
            for inside, lane in enumerate(reversed(lanes)):
                into = back[max(0, len(back) - 1 - inside)]
                loops.append(_loop(curves[lane], curves[into], loop_radius(inside, LANE_APART)))
                source.append(lane)
                target.append(into)
            draft.add_junction(_loops_junction(loops), np.array(source), np.array(target))
            break


def _loop(source: Curve, target: Curve, radius: float) -> Curve:
    """From the end of a lane round to the start of one that comes back beside it."""
    x, y, heading = float(source.x[-1]), float(source.y[-1]), float(source.heading[-1])
    aside = float(np.cos(heading) * (target.y[0] - y) - np.sin(heading) * (target.x[0] - x))
    loop = turning_loop((x, y, heading), aside, radius)
    return aim(loop, (float(target.x[0]), float(target.y[0]), float(target.heading[0])))


def _loops_junction(loops: list[Curve]) -> Junction:
    n = len(loops)
    zero, lanes = np.zeros(n, np.int32), np.arange(n, dtype=np.int32)
    return junction_of(
        loops,
        (zero, lanes, zero, lanes),
        np.full(n, U_TURN),
        zero,
        zero - 1,
        np.full(n, 8.0),
        np.full(n, LOOP_WIDTH),
        zero,
        np.zeros(n, bool),
        no_lights(),
        no_crossings(),
    )
