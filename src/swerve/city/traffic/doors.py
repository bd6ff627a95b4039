"""Open ends of roads: where cars leave the world, wait outside, and come in again when there is room.

A lane that leads nowhere is a way out, one that comes from nowhere a way in. Whoever comes in starts with its
whole length on the lane, no faster than lets it stop behind whoever is ahead.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from swerve.core.kernels import bare, inner

from ..roads.roads import LANE, Roads
from .destinations import mixed, new_destination
from .fleet import Fleet
from .following import JAM, safe_speed
from .net import Net
from .spawn import stand_on_middle

NOWHERE, APART = 1e7, 50.0  # [m] where those outside are said to be, and how far from each other
FIRST_GAP = 6.0  # [m] to whoever is ahead, at least
START_SHARE = 0.8  # of the speed limit
TRIES = 12  # doors that a step looks at
PATIENCE = 0.3  # [s] before somebody who left may come in again
GENTLE = 2.0  # [m/s²] with which one could stop for what is ahead


def find_doors(roads: Roads) -> tuple[np.ndarray, np.ndarray]:
    """Strips by which one comes in, and (strips,) which lead out.

    A lane that comes from nowhere beside one that comes from somewhere is no way in: it begins there.
    """
    lane = roads.kind == LANE
    none_after, none_before = np.diff(roads.after_first) == 0, np.diff(roads.before_first) == 0
    road = np.where(lane, roads.road, 0)
    comes_on = np.zeros(int(road.max(initial=0)) + 1, bool)
    comes_on[road[lane & ~none_before]] = True
    return np.flatnonzero(lane & none_before & ~comes_on[road]), lane & none_after


@inner
@bare
def depart(net: Net, fleet: Fleet, i: int) -> bool:
    """Take a vehicle out that has reached an open end; whether it has."""
    strip = fleet[i].strip
    gone = net.strips[strip].open and (fleet[i].station + fleet[i].overhang >= net.strips[strip].length - 0.2)
    if gone:
        send_away(fleet, i)
    return gone


@bare
def send_away(fleet: Fleet, i: int) -> None:
    """Out of the world."""
    fleet[i].strip = fleet[i].next = fleet[i].previous = fleet[i].earlier = -1
    fleet[i].granted = fleet[i].side = -1
    fleet[i].speed = fleet[i].accel = fleet[i].steer = 0.0
    fleet[i].x, fleet[i].y = NOWHERE + APART * fleet[i].number, NOWHERE
    fleet[i].passing = fleet[i].yielding = 0
    fleet[i].brake = False
    fleet[i].indicator = 0


def left_by(net: Net, fleet: Fleet, row: int) -> int:
    """The strip on which a vehicle was last that is out of the world."""
    return int(np.searchsorted(net.strips["first"], fleet.segment[row], side="right")) - 1


def let_in(net: Net, everyone: Fleet, row: int, strip: int, dt: float) -> bool:
    """Put a vehicle at the beginning of a strip, if there is room for it at some speed."""
    some = everyone[row : row + 1].view(Fleet)
    length, front = float(net.strips["length"][strip]), float(some.length[0]) + 0.3
    if front > length - 1.0:
        return False
    on = np.flatnonzero((everyone.strip == strip) | (everyone.side == strip))
    if (everyone.passing[on] > 0).any():
        return False  # a siren comes towards the door, or swings back before it
    rear = everyone.station[on] + everyone.overhang[on] - everyone.length[on]
    aside = everyone.side[on] == strip
    rear = np.where(aside, everyone.side_station[on] + everyone.overhang[on] - everyone.length[on], rear)
    gap, pace = length - front + 1e3 * bool(net.strips["open"][strip]), 0.0
    if len(on):
        k = int(np.argmin(rear))
        gap, pace = min(gap, float(rear[k]) - front), float(everyone.speed[on[k]])
        if rear[k] - front < FIRST_GAP:
            return False
    most = START_SHARE * min(float(net.strips["limit"][strip]), float(some.max_speed[0]))
    first = int(net.strips["first"][strip])
    most = min(most, float(net.points["pace"][first]), float(net.points["pace"][first + 1]))
    room = max(0.0, gap - JAM - 1.0)
    easy = float(np.sqrt(pace * pace + 2.0 * GENTLE * room))
    speed = min(most, easy, float(safe_speed(room, pace, dt)))
    for name in ("previous", "earlier", "granted", "side"):
        some[name] = -1
    for name in ("accel", "steer", "shift_from", "shift_to", "waiting", "delayed", "ready", "leave", "stuck"):
        some[name] = 0.0
    some.asked[:] = np.inf
    some.strip[:], some.station[:], some.speed[:] = strip, front - some.overhang, speed
    stand_on_middle(net, some)
    return True


class Doors:
    """Those outside, since when, and whom of them to let in by which of the `ways_in`.

    Who leaves by one of the lanes that break off (`breaks`) has `vanished`, the others have `left`.
    """

    def __init__(self, ways_in: np.ndarray, seed: int, breaks: Collection[int] = ()):
        self.ways_in, self.seed, self.breaks = ways_in, seed, frozenset(breaks)
        self.left = self.vanished = self.entered = 0
        self.outside: dict[int, float] = {}  # rows → [s]
        self._nowhere: set[int] = set()  # rows of who is no more, or has no place yet

    def note(self, net: Net, fleet: Fleet, time: float, mine: int) -> None:
        """Who of the first `mine` has left; those behind come and go by trips."""
        for gone in np.flatnonzero(fleet.x[:mine] >= NOWHERE).tolist():
            if gone not in self.outside and gone not in self._nowhere:
                self.outside[gone] = time
                broke_off = left_by(net, fleet, gone) in self.breaks
                self.vanished, self.left = self.vanished + broke_off, self.left + (not broke_off)

    def forget(self, rows: np.ndarray) -> None:
        """Those neither left nor wait: they are no more, or have no place yet."""
        self._nowhere |= set(rows.tolist())
        self.outside = {row: since for row, since in self.outside.items() if row not in self._nowhere}

    def expect(self, rows: np.ndarray) -> None:
        """Those are in the streets now, and may leave."""
        self._nowhere -= set(rows.tolist())
        self.outside = {row: since for row, since in self.outside.items() if row not in rows}

    def let_in(
        self, net: Net, fleet: Fleet, drives: np.ndarray, field: np.ndarray, time: float, dt: float
    ) -> None:
        """Whoever has waited, where there is room."""
        tries = TRIES if len(self.ways_in) else 0
        for row, since in list(self.outside.items()):
            if tries == 0:
                return
            if time - since < PATIENCE or not drives[row]:
                continue
            tries -= 1
            fleet.draws[row] += 1
            word = mixed(self.seed * 1_000_003 + row * 8191 + int(fleet.draws[row]))
            strip = int(self.ways_in[word % len(self.ways_in)])
            if let_in(net, fleet, row, strip, dt):
                del self.outside[row]
                self.entered += 1
                new_destination(net, fleet, field, row, self.seed)
