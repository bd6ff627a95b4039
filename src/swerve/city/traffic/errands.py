"""Errands: by which way each trip of a demand comes in, over which roads it goes, and where it ends."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from swerve.core.errors import BadInput

from ..roads.roads import LANE
from .demand import Departure
from .destinations import mixed
from .paths import RoadPaths

BEFORE_THE_END = 3.0  # [m] that a place keeps from the end of its lane: who waits there has got to it


class Errand(NamedTuple):
    """A departure, the strip where it comes in, and rows of the field: for the roads that it goes over, and
    for the lane or the road where it ends, at `station` [m]."""

    departure: Departure
    strip: int
    legs: np.ndarray
    station: float


def errands_of(
    some: Sequence[Departure],
    paths: RoadPaths,
    ways_in: np.ndarray,
    breaks: Collection[int],
    seed: int,
    rng: np.random.Generator,
) -> list[Errand]:
    """Errands of departures; one to where no way leads is refused. Who wants out takes a lane that breaks off
    where no other is to be had."""
    roads = paths.roads
    out = np.flatnonzero(paths.net.strips["open"][:-1])
    openly = np.unique(roads.road[np.setdiff1d(out, list(breaks))])
    otherwise = np.setdiff1d(roads.road[out], openly)
    ends = np.array([one.end for one in some if one.end >= 0], int)
    over = np.array([road for one in some for road in one.via], int)
    lanes = dict(zip(ends.tolist(), paths.rows_of_lanes(ends).tolist(), strict=True))
    whole = dict(zip(over.tolist(), paths.rows_of(over).tolist(), strict=True))
    doors, breakers = (rng.permutation(paths.rows_of(some)) for some in (openly, otherwise))
    found = []
    for k, one in enumerate(some):
        if one.end < 0 and len(out) == 0:
            raise BadInput(f"{one.name}, to", "out", "no road leads out of this town")
        if one.strip < 0 and len(ways_in) == 0:
            raise BadInput(f"{one.name}, from", "in", "no road leads into this town")
        via = [whole[road] for road in one.via]
        last = np.array([lanes[one.end]]) if one.end >= 0 else np.append(np.roll(doors, -k), breakers)
        strip = one.strip
        if strip < 0:
            first = np.array(via[:1]) if via else last
            leads = np.isfinite(paths.field[first][:, ways_in]).any(axis=0)
            good = ways_in[leads] if leads.any() else ways_in
            strip = int(good[mixed(seed * 1_000_003 + k) % len(good)])
        legs = [*via, int(last[_reached(paths, [*via], one, strip, last)])]
        station = one.end_station
        if one.end >= 0:
            length = float(roads.length[one.end])
            station = min(station, max(length - BEFORE_THE_END, length / 2))
        found.append(Errand(one, strip, np.array(legs, int), station))
    return found


def round_to(paths: RoadPaths, field: np.ndarray, row: int, strip: int) -> float:
    """[s] from the start of a strip by its end, and on from it or from a lane beside it, to row `row`."""
    roads = paths.roads
    beside = np.flatnonzero((roads.kind == LANE) & (roads.road == roads.road[strip]))
    onward = [roads.after[roads.after_first[lane] : roads.after_first[lane + 1]] for lane in beside]
    own = float(roads.length[strip] / roads.limit[strip])
    return own + float(np.min(field[row, np.concatenate(onward)], initial=np.inf))


def comes_round(paths: RoadPaths, one: Departure, strip: int, station: float) -> bool:
    """Whether a trip at a station [m] is on the road where it ends, and not before the place."""
    return (
        one.end >= 0 and paths.roads.road[strip] == paths.roads.road[one.end] and (station >= one.end_station)
    )


def _reached(paths: RoadPaths, via: list[int], one: Departure, strip: int, last: np.ndarray) -> int:
    """Which of the rows `last` is the first that the way over others leads to."""
    roads, starts = paths.roads, np.array([strip])
    for row in via:
        if not np.isfinite(paths.field[row, starts]).any():
            raise BadInput(f"{one.name}, via", int(paths.destinations[row]), "no way leads over this road")
        starts = np.flatnonzero((roads.kind == LANE) & (roads.road == paths.destinations[row]))
    leads = np.isfinite(paths.field[last][:, starts]).any(axis=1)
    if not via and comes_round(paths, one, strip, one.station):
        leads &= np.isfinite(round_to(paths, paths.field, int(last[0]), strip))
    if not leads.any():
        raise BadInput(f"{one.name}, to", "out" if one.end < 0 else one.end, "no way leads there")
    return int(np.argmax(leads))
