"""Lay-bys: rows of bays beside the kerb lane, out of the way of those who drive there.

A row is as wide as a bay from `start` to `end` of its lane and runs out over `TAPER` before and behind. Bays
are as far from each other as it takes to pull in forwards between two cars that stand there, and out again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

WIDTH = 2.4  # [m] of a bay
TAPER = 4.0  # [m] over which a row gets as wide as that
APART = 22.0  # [m] from one bay to the next
BEFORE, BEHIND = (
    12.5,
    8.0,
)  # [m] of a row before the front of the first car in it, and beyond that of the last
AFTER_JUNCTION, BEFORE_JUNCTION = 14.0, 30.0  # [m] of lane without bays


def _none() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True)
class LayBys:
    """Rows (k,): their kerb lanes `strip`, and from where to where [m]."""

    strip: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    start: np.ndarray = field(default_factory=_none)
    end: np.ndarray = field(default_factory=_none)

    def __len__(self) -> int:
        return len(self.strip)

    def bays(self) -> tuple[np.ndarray, np.ndarray]:
        """Of every bay the kerb lane, and where [m] the front of a car is that stands there."""
        count = np.floor((self.end - self.start - BEFORE - BEHIND) / APART + 1e-6).astype(int) + 1
        rank = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return np.repeat(self.strip, count), np.repeat(self.start, count) + BEFORE + APART * rank

    def hold(self, strip: np.ndarray, station: np.ndarray, beyond: np.ndarray) -> np.ndarray:
        """Whether places (n,) that lie `beyond` [m] the kerb of strips are in a row."""
        inside = np.zeros(len(strip), bool)
        order = np.argsort(self.strip)
        at = np.searchsorted(self.strip, strip, sorter=order)
        known = at < len(self)
        known[known] = self.strip[order[at[known]]] == strip[known]
        row = order[at[known]]
        there = station[known]
        into = np.minimum(there - self.start[row] + TAPER, self.end[row] + TAPER - there) / TAPER
        inside[known] = beyond[known] <= WIDTH * np.clip(into, 0.0, 1.0)
        return inside


def row_along(length: float) -> tuple[float, float] | None:
    """From where to where [m] bays fit beside a lane of so many metres between two junctions."""
    start = AFTER_JUNCTION
    bays = int((length - BEFORE_JUNCTION - start - BEFORE - BEHIND) // APART) + 1
    return (start, start + BEFORE + BEHIND + (bays - 1) * APART) if bays > 0 else None
