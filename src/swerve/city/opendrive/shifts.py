"""Lanes that end or begin beside others: one moves over on a shift, which gives way like any merge.

A shift is a way across a small junction of its own, so whoever takes it asks for it like for any connector,
with room behind it and nobody in the way. Drivers may still change lanes before.
"""

from __future__ import annotations

import numpy as np

from .joins import Join
from .records import OpenDrive
from .threads import Thread

SHIFT_TIME = 4.0  # [s] that moving over takes at the speed limit
SHORTEST, LONGEST = 22.0, 130.0  # [m]
SPARE = 13.0  # [m] of lane that must be left before or after a shift
Zones = dict[tuple[str, bool], list[tuple[float, float]]]  # road and direction → stretches of junctions


def add_shifts(drive: OpenDrive, threads: list[Thread], joins: list[Join], zones: Zones) -> list[Thread]:
    """Shorten threads that end or begin beside others, and give the shifts that lead over.

    `joins` and `zones` grow. Threads too short for it are not used any more.
    """
    shifts: list[Thread] = []
    by_road: dict[tuple[str, bool], list[Thread]] = {}
    for thread in threads:
        if thread.road.junction == "-1":
            by_road.setdefault((thread.road.id, thread.forward), []).append(thread)
    for key, some in by_road.items():
        for last in (True, False):
            for thread in sorted(some, key=lambda t: t.end if last else -t.begin):
                beside = _beside(thread, some, joins, last)
                if beside is None or not thread.used:
                    continue
                found = _shift(thread, beside, last)
                if found is None:
                    thread.used = False
                    continue
                shifts.append(found)
                zones.setdefault(key, []).append((found.begin, found.end))
                _rejoin(thread, beside, found, joins, last)
    return shifts


def _beside(thread: Thread, some: list[Thread], joins: list[Join], last: bool) -> Thread | None:
    """The neighbour to move to, where a thread ends (`last`) or from where it begins while others go on."""
    if _goes_on(thread, joins, last):
        return None
    u = thread.end if last else thread.begin
    own = abs(thread.lane_at(u - 1e-3 if last else u + 1e-3).id)
    best = None
    for other in some:
        if other is thread or not other.used or not other.begin <= u <= other.end:
            continue
        reaches = other.end > u + 5.0 if last else other.begin < u - 5.0
        if not reaches and not _goes_on(other, joins, last):
            continue
        there = other.lane_at(min(max(u, other.begin + 1e-3), other.end - 1e-3)).id
        away = abs(abs(there) - own)
        if away == 1 and (best is None or abs(there) < own):
            best = other
    return best


def _goes_on(thread: Thread, joins: list[Join], last: bool) -> bool:
    """Whether something is joined to its very end, or beginning."""
    if last:
        return any(j.one is thread and abs(j.leaves - thread.end) < 1e-6 for j in joins)
    return any(j.other is thread and abs(j.enters - thread.begin) < 1e-6 for j in joins)


def _shift(thread: Thread, beside: Thread, last: bool) -> Thread | None:
    """The shift out of a thread that ends, or into one that begins; the thread is shortened to it."""
    lane = thread.lane_at((thread.begin + thread.end) / 2)
    speed = lane.limit if lane.limit is not None else thread.road.limit_at(float(thread.s(thread.end)))
    wanted = float(np.clip(SHIFT_TIME * speed, SHORTEST, LONGEST))
    if last:
        far = beside.end - SPARE
        z1 = min(thread.end + wanted, far)
        z0 = min(thread.end, z1 - min(wanted, max(SHORTEST, z1 - thread.begin - SPARE)))
        if z0 < thread.begin + SPARE or z1 - z0 < SHORTEST - 1e-6:
            return None
        thread.end = z0
        return Thread(thread.road, thread.forward, beside.lanes, z0, z1, (thread, beside), merges=True)
    near = beside.begin + SPARE
    z0 = max(thread.begin - wanted, near)
    z1 = max(thread.begin, z0 + min(wanted, max(SHORTEST, thread.end - SPARE - z0)))
    if z1 > thread.end - SPARE or z1 - z0 < SHORTEST - 1e-6:
        return None
    thread.begin = z1
    return Thread(thread.road, thread.forward, beside.lanes, z0, z1, (beside, thread))


def _rejoin(thread: Thread, beside: Thread, shift: Thread, joins: list[Join], last: bool) -> None:
    if last:
        joins.append(Join(thread, shift.begin, shift, shift.begin))
        joins.append(Join(shift, shift.end, beside, shift.end))
    else:
        joins.append(Join(beside, shift.begin, shift, shift.begin))
        joins.append(Join(shift, shift.end, thread, shift.end))
