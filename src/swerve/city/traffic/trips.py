"""Trips: vehicles of a demand that come in when their time is due, and go when they have arrived.

A vehicle that finds no room waits outside. Trips end on the road they lead to, or where they leave the town.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from swerve.core.files import replacing

from .demand import Departure
from .destinations import mixed
from .doors import let_in, send_away
from .fleet import Fleet
from .motion import choose_next
from .net import Net
from .room import in_the_way
from .spawn import stand_on_middle

TRIES = 40  # vehicles a step tries to let in
COLUMNS = ("id", "name", "type", "due", "entered", "ended", "seconds", "distance", "free_seconds", "delay")


class Trips:
    """The departures of a demand as rows of the traffic, from `first` on."""

    def __init__(self, some: Sequence[Departure], first: int, legs: Sequence[np.ndarray]):
        """`legs` are rows of the field for the roads that each goes over, and for the one it ends on."""
        self.some, self.first, self.legs = list(some), first, legs
        n = len(some)
        self.entered = np.full(n, np.nan)  # [s]
        self.ended = np.full(n, np.nan)
        self.free = np.full(n, np.nan)  # [s] that the way takes with nobody about
        self.distance = np.zeros(n)  # [m]
        self._over = np.zeros(n, int)  # roads of its way that it has been on
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

    def step(
        self,
        net: Net,
        everyone: Fleet,
        field: np.ndarray,
        ways_in: np.ndarray,
        time: float,
        seed: int,
        dt: float,
    ) -> None:
        """End what has arrived, and let in what is due where there is room."""
        for k in sorted(self._there):
            self._look_at(net, everyone, field, k, time)
        while self._next < len(self.some) and self.some[self._next].time <= time + 1e-9:
            if self._next not in self._cancelled:
                self._queue.append(self._next)
            self._next += 1
        tried: set[int] = set()
        for k in self._queue[:TRIES]:
            strip = self._origin(ways_in, k, seed)
            if strip in tried:  # whoever came first waits there
                continue
            tried.add(strip)
            self._let_in(net, everyone, field, k, strip, time, dt)
        self._queue = [k for k in self._queue if k not in self._there]

    def forget(self, rows: np.ndarray) -> None:
        """Those are no more: their trips end nowhere."""
        self._cancelled |= {k - self.first for k in rows.tolist() if k >= self.first}
        self._there -= self._cancelled
        self._queue = [k for k in self._queue if k not in self._cancelled]

    def table(self, ids: np.ndarray) -> dict[str, Any]:
        """A row for every trip that was due; times [s], distances [m], not-a-number where not yet."""
        due = slice(0, self._next)
        rows = self.some[due]
        seconds = self.ended[due] - self.entered[due]
        values = (
            ids[self.first : self.first + self._next], [one.name for one in rows], [one.type for one in rows],
            np.array([one.time for one in rows]), self.entered[due], self.ended[due], seconds,
            self.distance[due], self.free[due], seconds - self.free[due],
        )  # fmt: skip
        return dict(zip(COLUMNS, values, strict=True))

    def _origin(self, ways_in: np.ndarray, k: int, seed: int) -> int:
        given = self.some[k].strip
        if given >= 0 or len(ways_in) == 0:
            return given
        return int(ways_in[mixed(seed * 1_000_003 + k) % len(ways_in)])

    def _let_in(
        self, net: Net, everyone: Fleet, field: np.ndarray, k: int, strip: int, time: float, dt: float
    ) -> None:
        row, one = self.first + k, self.some[k]
        if strip < 0:
            return
        door = one.strip < 0 or (one.station < 1.0 and not (everyone.next == strip).any())
        if not (let_in(net, everyone, row, strip, dt) if door else self._put(net, everyone, row, strip, one)):
            return
        me = everyone[row : row + 1].view(Fleet)
        leg = int(self.legs[k][0])
        me.destination[:] = leg
        me.next[:] = choose_next(net, field, strip, leg)
        me.odometer[:], me.arrivals[:], me.arrives_after[:] = 0.0, 0, 0.0
        self.entered[k] = time
        self.free[k] = float(field[leg, strip]) - _seconds_to(net, strip, float(me.station[0]))
        self._there.add(k)

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

    def _look_at(self, net: Net, everyone: Fleet, field: np.ndarray, k: int, time: float) -> None:
        row, out, legs = self.first + k, self.some[k].road < 0, self.legs[k]
        self.distance[k] = max(self.distance[k], float(everyone[row].odometer))
        done, gone = int(everyone[row].arrivals), everyone[row].strip < 0
        if self._over[k] < done < len(legs) and not gone:
            self._over[k] = done
            self._go_on(net, everyone, field, row, int(legs[done]), k)
        elif gone or (not out and done >= len(legs)):
            self.ended[k] = time
            if not gone:
                self.free[k] -= _seconds_left(net, everyone, row)
            self._there.discard(k)
            send_away(everyone, row)

    def _go_on(self, net: Net, everyone: Fleet, field: np.ndarray, row: int, leg: int, k: int) -> None:
        """On to the next road of its way, from one that it was to go over."""
        me = everyone[row : row + 1].view(Fleet)
        strip = int(me.strip[0])
        me.destination[:], me.arrives_after[:] = leg, 0.0
        self.free[k] += float(field[leg, strip]) - _seconds_to(net, strip, net.strips["length"][strip])
        if me.granted[0] < 0:
            me.next[:] = choose_next(net, field, strip, leg)


def _seconds_to(net: Net, strip: int, station: float) -> float:
    """[s] from the start of a strip to a station with nobody about."""
    return float(station / net.strips["limit"][strip])


def _seconds_left(net: Net, everyone: Fleet, row: int) -> float:
    """[s] from where a vehicle is to the end of its strip."""
    strip = int(everyone[row].strip)
    return _seconds_to(net, strip, net.strips["length"][strip] - everyone[row].station)


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
