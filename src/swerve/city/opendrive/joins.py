"""Which thread goes on as which: lane links of sections and roads, junctions, direct junctions.

Files link lanes in both directions; what counts is which way a lane is driven. Where a link names something
that does not exist, or roads miss each other, the link is left out and noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..roads.curves import wrap
from .lines import reference_line
from .records import JunctionRecord, OpenDrive, RoadLink
from .threads import Thread

BRIDGED = 2.5  # [m] by which the ends of linked lanes may miss each other
NOTED = 0.3  # [m] and from where on that is said
_NEAR, _ALIKE = 0.8, np.radians(30.0)  # [m], [rad] of lanes that go on as each other without a lane link
_TOUCHING, _IN_LINE = 0.2, np.radians(5.0)  # [m], [rad] the same, of roads without any link

End = tuple[str, str, int]  # road, start or end, lane id


class Join(NamedTuple):
    """Thread `one` goes on at `leaves` [m] as thread `other` at `enters` [m]."""

    one: Thread
    leaves: float
    other: Thread
    enters: float


def find_joins(drive: OpenDrive, threads: list[Thread], notes: list[str]) -> list[Join]:
    """All joins at the ends of roads."""
    exits = {t.exit: t for t in threads if t.to_end}
    entries = {t.entry: t for t in threads if t.from_start}
    joins: dict[tuple[int, int], Join] = {}

    def join(one: Thread | None, other: Thread | None, where: str) -> None:
        if one is None or other is None or (one is other and one.begin > 0):
            return
        gap = _gap(one, other)
        if gap > BRIDGED:
            notes.append(f"{where}: lanes do not meet ({gap:.1f} m apart), link left out")
            return
        if gap > NOTED:
            notes.append(f"{where}: a gap of {gap:.1f} m is bridged")
        joins[id(one), id(other)] = Join(one, one.end, other, 0.0)

    for junction in drive.junctions.values():
        for one, other, where in _across(drive, junction, exits, entries, notes):
            join(one, other, where)
    for end, thread in exits.items():
        for other in _onwards(drive, end, thread, entries, notes):
            join(thread, other, f"road {end[0]}")
    _guess(drive, exits, entries, joins)
    return _leading_somewhere(list(joins.values()))


def _leading_somewhere(joins: list[Join]) -> list[Join]:
    """Without those into lanes of connecting roads that lead nowhere, or out of such as nothing leads to."""
    while True:
        left = {id(j.one) for j in joins}
        entered = {id(j.other) for j in joins}
        kept = [
            j
            for j in joins
            if (j.other.road.junction == "-1" or id(j.other) in left)
            and (j.one.road.junction == "-1" or id(j.one) in entered)
        ]
        if len(kept) == len(joins):
            return kept
        joins = kept


def _across(
    drive: OpenDrive,
    junction: JunctionRecord,
    exits: dict[End, Thread],
    entries: dict[End, Thread],
    notes: list[str],
) -> Iterator[tuple[Thread | None, Thread | None, str]]:
    """From lane to lane by the connections of a junction, in whichever direction they are driven."""
    for c in junction.connections:
        where = f"junction {junction.id}, connection from road {c.incoming}"
        missing = [name for name in (c.incoming, c.connecting) if name not in drive.roads]
        if missing:
            notes.append(f"{where}: road {missing[0]} does not exist, connection left out")
            continue
        end = _meeting_end(drive, junction, c.incoming, c.connecting, c.contact)
        lanes = [
            set(drive.roads[name].sections[0 if at == "start" else -1].lanes)
            for name, at in ((c.incoming, end), (c.connecting, c.contact))
        ]
        for given, taken in c.lanes:
            if given not in lanes[0] or taken not in lanes[1]:
                notes.append(f"{where}: lane link {given} to {taken} names an unknown lane, left out")
                continue
            here, there = (c.incoming, end, given), (c.connecting, c.contact, taken)
            yield exits.get(here), entries.get(there), where
            yield exits.get(there), entries.get(here), where


def _meeting_end(drive: OpenDrive, junction: JunctionRecord, incoming: str, other: str, contact: str) -> str:
    """The end of the incoming road at which it meets the other one."""
    road, across = drive.roads[incoming], drive.roads[other]
    link = across.before if contact == "start" else across.after
    if link is not None and link.type == "road" and link.id == incoming:
        return link.contact
    ends = [
        name
        for name, own in (("start", road.before), ("end", road.after))
        if own is not None and own.type == "junction" and own.id == junction.id
    ]
    if len(ends) == 1:
        return ends[0]
    x, y = _road_end(drive, other, contact)
    far = {
        name: np.hypot(*np.subtract(_road_end(drive, incoming, name), (x, y))) for name in ("start", "end")
    }
    return min(far, key=lambda name: float(far[name]))


def _road_end(drive: OpenDrive, name: str, contact: str) -> tuple[float, float]:
    road = drive.roads[name]
    line = reference_line(road.geometry, np.array([0.0 if contact == "start" else road.sections[-1].end]))
    return float(line.x[0]), float(line.y[0])


def _onwards(
    drive: OpenDrive, end: End, thread: Thread, entries: dict[End, Thread], notes: list[str]
) -> list[Thread]:
    """The threads of the next road that a thread is linked with."""
    link = link_of(thread)
    if link is None or link.type != "road":
        return []
    where = f"road {end[0]}, lane {end[2]}"
    if link.id not in drive.roads:
        notes.append(f"road {end[0]}: the road {link.id} that it is linked with does not exist")
        return []
    lane = thread.road.sections[thread.lanes[-1 if thread.forward else 0][0]].lanes[end[2]]
    onward = lane.after if thread.forward else lane.before
    section = drive.roads[link.id].sections[0 if link.contact == "start" else -1]
    if onward is not None:
        if onward not in section.lanes:
            notes.append(f"{where}: is linked with the unknown lane {onward} of road {link.id}")
            return []
        found = entries.get((link.id, link.contact, onward))
        return [] if found is None else [found]
    back = [
        name
        for name, other in section.lanes.items()
        if (other.before if link.contact == "start" else other.after) == end[2]
    ]
    found_back = [entries.get((link.id, link.contact, name)) for name in back]
    return [other for other in found_back if other is not None]


def link_of(thread: Thread) -> RoadLink | None:
    """What the file says follows the road of a thread, in its direction."""
    return thread.road.after if thread.forward else thread.road.before


def _guess(
    drive: OpenDrive,
    exits: dict[End, Thread],
    entries: dict[End, Thread],
    joins: dict[tuple[int, int], Join],
) -> None:
    """Lanes without lane links go on where they lead: into the road they are linked with, or touch."""
    has = {one for one, _ in joins}
    taken = {other for _, other in joins}
    for thread in exits.values():
        link = link_of(thread)
        if id(thread) in has:
            continue
        tight = link is None
        if link is None:
            near = set(drive.roads)
        elif link.type == "junction":
            near = {c.connecting for j in drive.junctions.values() if j.id == link.id for c in j.connections}
            near |= {r.id for r in drive.roads.values() if r.junction == link.id}
        else:
            near = {link.id}
        x, y, heading = pose_at(thread, thread.end)
        for other in entries.values():
            once = link is None or link.type == "road"
            if other.road.id not in near or other is thread or (id(other) in taken and once):
                continue
            px, py, there = pose_at(other, 0.0)
            away, askew = np.hypot(px - x, py - y), abs(wrap(there - heading))
            if away < (_TOUCHING if tight else _NEAR) and askew < (_IN_LINE if tight else _ALIKE):
                joins[id(thread), id(other)] = Join(thread, thread.end, other, 0.0)


def pose_at(thread: Thread, u: float) -> tuple[float, float, float]:
    """x, y [m] and heading [rad] of the middle of a thread, straight along the road."""
    s = np.atleast_1d(thread.s(u))
    line = reference_line(thread.road.geometry, s)
    aside = float(thread.lateral(s)[0][0])
    heading = float(line.heading[0])
    x, y = float(line.x[0]) - aside * np.sin(heading), float(line.y[0]) + aside * np.cos(heading)
    return x, y, heading if thread.forward else heading + np.pi


def _gap(one: Thread, other: Thread) -> float:
    a, b = pose_at(one, one.end), pose_at(other, 0.0)
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))
