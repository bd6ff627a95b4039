"""Lanes of OpenDRIVE roads as threads: a lane over all sections in which it goes on, where a car fits.

A width is a polynomial of the station, so a lane may begin and end anywhere. A thread is the stretch in which
it holds a car. Distances u [m] run in the direction of travel, from 0 where the road begins for who drives
there. Records are of right-hand traffic: lanes with negative ids go along s, those with positive ids against.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .lanes import DRIVING, lane_borders
from .records import Lane, RoadRecord

FITS = 2.3  # [m] of lane that a car needs
SHORT_DIP = 4.0  # [m] over which a lane may be a little narrower
DIP = 1.9  # [m] and how narrow it may be there
_STEP = 0.5  # [m] at which widths are looked at
_AT_END = 0.6  # [m] from the end of a road that count as its end


@dataclass(eq=False)
class Thread:
    """`lanes` are (section, id), ascending in s; `begin` and `end` [m] the stretch that is used.

    A shift leads from the middle of thread `out_of` to that of `into` between its ends.
    """

    road: RoadRecord
    forward: bool
    lanes: tuple[tuple[int, int], ...]
    begin: float
    end: float
    shift: tuple[Thread, Thread] | None = None
    merges: bool = False  # a shift out of a lane that ends
    used: bool = True

    @property
    def whole(self) -> float:
        """[m] length of its road."""
        return self.road.sections[-1].end

    def s(self, u: np.ndarray | float) -> np.ndarray:
        """Stations of the road at distances u."""
        return np.asarray(u, float) if self.forward else self.whole - np.asarray(u, float)

    def lane_at(self, u: float) -> Lane:
        """The lane as it is in the section at u."""
        s = float(self.s(u)) + (1e-6 if self.forward else -1e-6)
        for section, name in self.lanes:
            part = self.road.sections[section]
            if s <= part.end:
                return part.lanes[name]
        return self.road.sections[self.lanes[-1][0]].lanes[self.lanes[-1][1]]

    def limit_at(self, u: float) -> float:
        """Speed limit [m/s] of the lane at u, or of its road."""
        s = float(self.s(u))
        within = [one for one in self.lanes if self.road.sections[one[0]].start <= s]
        section, name = within[-1] if within else self.lanes[0]
        part = self.road.sections[section]
        own = part.lanes[name].limit_at(s - part.start)
        return own if own is not None else self.road.limit_at(s)

    @property
    def limits_change(self) -> list[float]:
        """Distances u [m] at which the lane has another limit from then on."""
        parts = [(self.road.sections[section], name) for section, name in self.lanes]
        starts = [part.start + offset for part, name in parts for offset, _ in part.lanes[name].limits]
        starts += [part.start for part, _ in parts]
        places = [float(s if self.forward else self.whole - s) for s in starts]
        return [u for u in places if self.limit_at(u - 0.01) != self.limit_at(u + 0.01)]

    @property
    def entry(self) -> tuple[str, str, int]:
        """Road, which end of it, and lane id where it begins."""
        name = self.lanes[0 if self.forward else -1][1]
        return self.road.id, "start" if self.forward else "end", name

    @property
    def exit(self) -> tuple[str, str, int]:
        """Road, which end of it, and lane id where it ends."""
        name = self.lanes[-1 if self.forward else 0][1]
        return self.road.id, "end" if self.forward else "start", name

    @property
    def from_start(self) -> bool:
        return self.begin <= 1e-9

    @property
    def to_end(self) -> bool:
        return self.end >= self.whole - 1e-9

    def lateral(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far [m] left of the reference line its middle lies at stations s (k,), and its width [m]."""
        if self.shift is not None:
            return self._shifted(s)
        aside, width = np.zeros(len(s)), np.zeros(len(s))
        bounds = np.array([self.road.sections[k].start for k, _ in self.lanes[1:]])
        which = np.searchsorted(bounds, s, side="right")
        for i, (k, name) in enumerate(self.lanes):
            own = which == i
            if own.any():
                inner, outer = lane_borders(self.road, k, name, s[own])
                aside[own], width[own] = (inner + outer) / 2, np.abs(outer - inner)
        return aside, width

    def _shifted(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert self.shift is not None
        one, other = self.shift
        u = s if self.forward else self.whole - s
        share = np.clip((u - self.begin) / max(self.end - self.begin, 1e-9), 0.0, 1.0)
        share = share**3 * (10 - 15 * share + 6 * share**2)
        a, wide_a = one.beyond(s, other)
        b, wide_b = other.beyond(s, one)
        return a + share * (b - a), np.maximum(FITS, np.maximum(wide_a, wide_b))

    def beyond(self, s: np.ndarray, along: Thread) -> tuple[np.ndarray, np.ndarray]:
        """`lateral`, and outside the sections of this lane as far beside another as where it ended."""
        first, last = self.road.sections[self.lanes[0][0]].start, self.road.sections[self.lanes[-1][0]].end
        inside = np.clip(s, first, last)
        aside, width = self.lateral(inside)
        out = inside != s
        if out.any():
            aside[out] += along.lateral(s[out])[0] - along.lateral(inside[out])[0]
        return aside, width


def threads_of(road: RoadRecord, fits: float = FITS) -> list[Thread]:
    """All threads of a road, where its lanes are at least `fits` [m] wide."""
    return [
        thread
        for forward in (True, False)
        for lanes in _chains(road, forward)
        for thread in _where_a_car_fits(road, forward, lanes, fits)
    ]


def narrow_threads_of(road: RoadRecord) -> list[Thread]:
    """Those of a road whose lanes are too narrow for cars beside each other: every second lane is used."""
    threads = threads_of(road, DIP)
    for thread in threads:
        thread.used = thread.lanes[0][1] % 2 == int(thread.forward)
    return threads


def _chains(road: RoadRecord, forward: bool) -> list[list[tuple[int, int]]]:
    """Driving lanes of one direction, each over all the sections in which it goes on."""
    sign = -1 if forward else 1
    chains: list[list[tuple[int, int]]] = []
    open_: dict[int, list[tuple[int, int]]] = {}
    for index, section in enumerate(road.sections):
        names = sorted((n for n in section.lanes if n * sign > 0), key=abs)
        going: dict[int, list[tuple[int, int]]] = {}
        for name in names:
            if section.lanes[name].type not in DRIVING:
                continue
            back = _before(road, index, name, open_)
            if back is None:
                going[name] = [(index, name)]
                chains.append(going[name])
            else:
                going[name] = open_.pop(back)
                going[name].append((index, name))
        open_ = going
    return chains


def _before(road: RoadRecord, index: int, name: int, open_: dict[int, list[tuple[int, int]]]) -> int | None:
    """Id of the lane in the section before that goes on as lane `name`, among those still free."""
    here = road.sections[index].lanes[name]
    if not open_:
        return None
    last = road.sections[index - 1].lanes
    for mutual in (True, False):
        for other in open_:
            ahead, back = last[other].after == name, here.before == other
            if (ahead and back) if mutual else (ahead or back):
                return other
    if name in open_ and here.before is None and last[name].after is None:
        s = np.array([road.sections[index].start])
        a, b = lane_borders(road, index - 1, name, s), lane_borders(road, index, name, s)
        if abs(a[0][0] + a[1][0] - b[0][0] - b[1][0]) < 1.0:
            return name
    return None


def _where_a_car_fits(
    road: RoadRecord, forward: bool, lanes: list[tuple[int, int]], least: float
) -> list[Thread]:
    first, last = road.sections[lanes[0][0]].start, road.sections[lanes[-1][0]].end
    whole = Thread(road, forward, tuple(lanes), 0.0, 0.0)
    s = np.linspace(first, last, max(2, int(np.ceil((last - first) / _STEP)) + 1))
    width = whole.lateral(s)[1]
    fits = width >= least
    for a, b in _stretches(~fits):
        inside = a > 0 and b < len(s)
        if inside and s[b] - s[a] < SHORT_DIP and width[a:b].min() > DIP:
            fits[a:b] = True
    found = []
    end = road.sections[-1].end
    for a, b in _stretches(fits):
        low, high = float(s[a]), float(s[b - 1])
        low = 0.0 if low < _AT_END else low
        high = end if high > end - _AT_END else high
        if high - low < 1e-3:
            continue
        u = (low, high) if forward else (end - high, end - low)
        held = tuple(
            (k, name)
            for k, name in lanes
            if road.sections[k].end > low + 1e-6 and road.sections[k].start < high - 1e-6
        )
        found.append(Thread(road, forward, held or tuple(lanes), *u))
    return found


def _stretches(flags: np.ndarray) -> list[tuple[int, int]]:
    """Begin and end (exclusive) of every run of true flags."""
    edges = np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8))
    return list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))
