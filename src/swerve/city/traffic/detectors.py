"""Detectors: loops in lanes that count who drives over them, how fast, and for how long they are covered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from swerve.core.files import replacing

from .fleet import Fleet

COLUMNS = ("name", "begin", "end", "count", "per_hour", "mean_speed", "occupancy")
FROM_END = 1.0  # [m] that a loop keeps from the end of its lane, where vehicles may leave the world


class Loop(NamedTuple):
    """A name, a lane, a station [m] on it, and how often [s] it is read out."""

    name: str
    strip: int
    station: float
    every: float


class Detectors:
    """The loops of a demand and what they have told so far."""

    def __init__(self, loops: Sequence[Loop], length: np.ndarray):
        """In lanes of such `length` [m]."""
        self.loops, self.length = list(loops), length
        self.rows: list[tuple[Any, ...]] = []
        n = len(self.loops)
        self._there = np.zeros(0, bool)
        self._begin, self._count, self._speeds, self._covered = np.zeros((4, n))

    def step(self, fleet: Fleet, time: float, dt: float) -> None:
        """After all have moved by dt [s]; it is `time` [s] now."""
        front, here = fleet.station + fleet.overhang, fleet.strip >= 0
        new = here.copy()
        new[: len(self._there)] &= ~self._there
        self._there = here
        for k, loop in enumerate(self.loops):
            long = float(self.length[loop.strip])
            on, tail = (np.flatnonzero(at == loop.strip) for at in (fleet.strip, fleet.previous))
            rows = np.append(on, tail)
            past = np.append(front[on], front[tail] + long) - min(loop.station, long - FROM_END)
            over = (past >= 0.0) & (past < fleet.length[rows])
            begun = (past >= 0.0) & (past < fleet.length[rows] + FROM_END)  # whoever came in on top of it
            came = ((past >= 0.0) & (past < fleet.speed[rows] * dt)) | (new[rows] & begun)
            self._count[k] += came.sum()
            self._speeds[k] += fleet.speed[rows][came].sum()
            self._covered[k] += dt * bool(over.any())
            if time - self._begin[k] >= loop.every - 1e-6:
                self._read(k, time)

    def table(self, time: float) -> dict[str, Any]:
        """A row a loop and interval: who came, speeds [m/s], the share of the time it was covered; the last
        interval as far as it has come."""
        rows = list(self.rows)
        for k in range(len(self.loops)):
            if time - self._begin[k] > 1e-6:
                rows.append(self._told(k, time))
        rows.sort(key=lambda row: (row[1], row[0]))
        return {name: [row[k] for row in rows] for k, name in enumerate(COLUMNS)}

    def _read(self, k: int, time: float) -> None:
        self.rows.append(self._told(k, time))
        self._begin[k], self._count[k], self._speeds[k], self._covered[k] = time, 0, 0.0, 0.0

    def _told(self, k: int, time: float) -> tuple[Any, ...]:
        begin, count = float(self._begin[k]), int(self._count[k])
        speed = float(self._speeds[k]) / count if count else float("nan")
        seconds = time - begin
        share = min(1.0, float(self._covered[k]) / seconds)
        return self.loops[k].name, begin, float(time), count, 3600.0 * count / seconds, speed, share


def write_detectors(table: dict[str, Any], path: str | Path) -> Path:
    """As Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with replacing(path) as draft:
        pq.write_table(pa.table(table), draft)
    return Path(path)
