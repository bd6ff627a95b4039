"""Trips: vehicles of a demand that come in when their time is due, and go when they have arrived.

A vehicle that finds no room waits outside. A trip ends when its front bumper passes its place, or where it
leaves the town.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from swerve.core.files import replacing

from ..roads.roads import LANE
from .demand import Departure
from .destinations import ARRIVED_AT
from .doors import left_by, let_in, send_away
from .errands import Errand, comes_round, round_to
from .fleet import Fleet
from .motion import choose_next
from .net import Net
from .paths import RoadPaths
from .room import in_the_way
from .spawn import stand_on_middle

TRIES = 40  # vehicles a step tries to let in
COLUMNS = (
    "id", "name", "type", "due", "entered", "ended", "seconds", "distance", "free_seconds", "delay", "strip",
    "station",
)  # fmt: skip


class Trips:
    """The errands of a demand as rows of the traffic, from `first` on; who leaves by one of the lanes
    `breaks`, or leaves the town without having got where it wanted, has `vanished`."""

    def __init__(self, some: Sequence[Errand], first: int, empty: np.ndarray, breaks: Collection[int]):
        self.some, self.first, self.breaks = list(some), first, frozenset(breaks)
        self.empty = empty  # the field with nobody about
        n = len(some)
        self.entered = np.full(n, np.nan)  # [s]
        self.ended = np.full(n, np.nan)
        self.free = np.full(n, np.nan)  # [s] that the way takes with nobody about
        self.distance = np.zeros(n)  # [m]
        self.strip = np.full(n, -1)  # where it ended
        self.station = np.full(n, np.nan)  # [m]
        self.vanished = 0
        self._over = np.zeros(n, int)  # roads of its way that it has been on
        self._ahead = np.ones(n, bool)  # its place is not behind it on the same road
        self._near = np.zeros(n, bool)  # and on its road
        self._next = 0  # first that is not due yet
        self._queue: list[int] = []  # due, and without room so far
        self._there: set[int] = set()
        self._cancelled: set[int] = set()

    def __len__(self) -> int:
        return len(self.some)

    @property
    def waiting(self) -> int:
        """How many are due and find no room."""
        return len(self._queue)

    @property
    def done(self) -> int:
        return int(np.isfinite(self.ended).sum())

    def open(self, fleet: Fleet) -> None:
        """Before the first step: all are outside."""
        for k in range(len(self)):
            send_away(fleet, self.first + k)

    def step(self, paths: RoadPaths, everyone: Fleet, time: float, dt: float) -> None:
        """End what has arrived, and let in what is due where there is room."""
        for k in sorted(self._there):
            self._look_at(paths, everyone, k, time)
        while self._next < len(self.some) and self.some[self._next].departure.time <= time + 1e-9:
            if self._next not in self._cancelled:
                self._queue.append(self._next)
            self._next += 1
        tried: set[int] = set()
        for k in self._queue[:TRIES]:
            strip = self.some[k].strip
            if strip in tried:  # whoever came first waits there
                continue
            tried.add(strip)
            self._let_in(paths, everyone, k, strip, time, dt)
        self._queue = [k for k in self._queue if k not in self._there]

    def forget(self, rows: np.ndarray) -> None:
        """Those are no more: their trips end nowhere."""
        self._cancelled |= {k - self.first for k in rows.tolist() if k >= self.first}
        self._there -= self._cancelled
        self._queue = [k for k in self._queue if k not in self._cancelled]

    def table(self, ids: np.ndarray) -> dict[str, Any]:
        """A row for every trip that was due; times [s], distances [m], not-a-number where not yet."""
        due = slice(0, self._next)
        some = [one.departure for one in self.some[due]]
        seconds = self.ended[due] - self.entered[due]
        values = (
            ids[self.first : self.first + self._next], [one.name for one in some], [one.type for one in some],
            np.array([one.time for one in some]), self.entered[due], self.ended[due], seconds,
            self.distance[due], self.free[due], seconds - self.free[due], self.strip[due], self.station[due],
        )  # fmt: skip
        return dict(zip(COLUMNS, values, strict=True))

    # -- coming in

    def _let_in(self, paths: RoadPaths, everyone: Fleet, k: int, strip: int, time: float, dt: float) -> None:
        row, errand, net = self.first + k, self.some[k], paths.net
        one = errand.departure
        door = one.strip < 0 or (one.station < 1.0 and not (everyone.next == strip).any())
        if not (let_in(net, everyone, row, strip, dt) if door else self._put(net, everyone, row, strip, one)):
            return
        me = everyone[row : row + 1].view(Fleet)
        me.odometer[:], me.arrivals[:], me.arrives_after[:] = 0.0, 0, np.inf  # where it ends is said here
        self.entered[k] = time
        self.free[k] = 0.0
        self._send(paths, everyone, k, one.station)
        self._there.add(k)

    def _send(self, paths: RoadPaths, everyone: Fleet, k: int, station: float) -> None:
        """On from a station [m] towards the next road of its way, or to its end."""
        row, errand, net = self.first + k, self.some[k], paths.net
        me = everyone[row]
        strip, leg = int(me.strip), int(errand.legs[self._over[k]])
        last, end = self._over[k] + 1 == len(errand.legs), errand.departure.end
        self._ahead[k] = not (last and comes_round(paths, errand.departure, strip, station))
        far = self.empty[leg, strip] if self._ahead[k] else round_to(paths, self.empty, leg, strip)
        self.free[k] += float(far) - _seconds_to(net, strip, float(me.station + me.overhang))
        if last and end >= 0:
            self.free[k] -= _seconds_to(net, end, float(net.strips["length"][end]) - errand.station)
        everyone.destination[row] = leg
        if everyone.granted[row] < 0:
            everyone.next[row] = choose_next(net, paths.field, strip, leg)

    def _put(self, net: Net, everyone: Fleet, row: int, strip: int, one: Departure) -> bool:
        """Standing on the middle of a lane, if nobody is too near."""
        some = everyone[row : row + 1].view(Fleet)
        length = float(some.length[0])
        front = float(np.clip(one.station, length + 0.5, net.strips["length"][strip] - 0.5))
        if front < length or len(in_the_way(net, everyone, strip, front, length, 0.0)):
            return False
        some.strip[:], some.station[:], some.speed[:] = strip, front - some.overhang, 0.0
        some.asked[:] = np.inf
        stand_on_middle(net, some)
        return True

    # -- under way

    def _look_at(self, paths: RoadPaths, everyone: Fleet, k: int, time: float) -> None:
        row, errand = self.first + k, self.some[k]
        me, end = everyone[row], errand.departure.end
        self.distance[k] = max(self.distance[k], float(me.odometer))
        strip, leg = int(me.strip), int(errand.legs[self._over[k]])
        if strip < 0:
            strip = left_by(paths.net, everyone, row)
            out = end < 0 and strip not in self.breaks
            self._end(everyone, k, time, strip, out or bool(self._near[k]))
            return
        road = int(paths.net.strips["road"][strip]) if paths.net.strips["kind"][strip] == LANE else -1
        if self._over[k] + 1 < len(errand.legs):
            if road == paths.destinations[me.destination]:
                self.free[k] -= _seconds_to(paths.net, strip, float(paths.net.strips["length"][strip]))
                self.free[k] += _seconds_to(paths.net, strip, float(me.station + me.overhang))
                self._over[k] += 1
                self._send(paths, everyone, k, float(me.station))
        elif me.destination != leg:  # its road was closed, and it is led elsewhere
            everyone.aim[row] = -1
            half = ARRIVED_AT * paths.net.strips["length"][strip]
            if road == paths.destinations[me.destination] and me.station >= half:
                self._end(everyone, k, time, strip, True)
        elif end >= 0 and self._has_passed(paths, everyone, k, road == paths.net.strips["road"][end]):
            self._end(everyone, k, time, strip, True)

    def _has_passed(self, paths: RoadPaths, everyone: Fleet, k: int, on_its_road: bool) -> bool:
        """Whether a vehicle has come to its place; who found no gap into its lane, abreast of it."""
        row, errand, length = self.first + k, self.some[k], paths.net.strips["length"]
        me, end = everyone[row], errand.departure.end
        if not on_its_road:
            over_it, self._ahead[k] = bool(self._near[k]), True
            return over_it
        place = errand.station * length[me.strip] / length[end]
        passed = me.station + me.overhang >= place
        self._near[k] = self._ahead[k] and not passed
        everyone.aim[row] = end if self._near[k] else -1
        return bool(passed and self._ahead[k])

    def _end(self, everyone: Fleet, k: int, time: float, strip: int, arrived: bool) -> None:
        row = self.first + k
        if arrived:
            front = float(everyone.station[row] + everyone.overhang[row])
            self.ended[k], self.strip[k], self.station[k] = time, strip, front
        else:
            self.vanished += 1
        everyone.aim[row] = -1
        self._there.discard(k)
        send_away(everyone, row)


def _seconds_to(net: Net, strip: int, station: float) -> float:
    """[s] from the start of a strip to a station with nobody about."""
    return float(station / net.strips["limit"][strip])


def write_trips(table: dict[str, Any], path: str | Path) -> Path:
    """Trips as Parquet, or, if the name ends in .xml, as SUMO's tripinfo."""
    path = Path(path)
    if path.suffix == ".xml":
        return _write_tripinfo(table, path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    with replacing(path) as draft:
        pq.write_table(pa.table(table), draft)
    return path


def _write_tripinfo(table: dict[str, Any], path: Path) -> Path:
    lines = ["<tripinfos>"]
    for k, ended in enumerate(table["ended"]):
        if not np.isfinite(ended):
            continue
        values = {
            "id": str(table["name"][k]), "vType": str(table["type"][k]),
            "depart": f"{table['entered'][k]:.2f}",
            "departDelay": f"{table['entered'][k] - table['due'][k]:.2f}",
            "arrival": f"{ended:.2f}", "duration": f"{table['seconds'][k]:.2f}",
            "routeLength": f"{table['distance'][k]:.2f}", "timeLoss": f"{max(0.0, table['delay'][k]):.2f}",
        }  # fmt: skip
        lines.append("  <tripinfo " + " ".join(f"{n}={quoteattr(v)}" for n, v in values.items()) + "/>")
    with replacing(path) as draft:
        draft.write_text("\n".join([*lines, "</tripinfos>", ""]), encoding="utf-8")
    return path
