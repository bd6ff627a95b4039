"""Which places of lanes beside each other lie abreast: in bends the outer lane is longer, and unevenly so."""

from __future__ import annotations

import numpy as np

from .roads import LANE, Roads

INNER, OUTER, OPPOSITE = range(3)
STEPS = 6  # of Newton's towards the foot of the perpendicular


def places_abreast(roads: Roads) -> np.ndarray:
    """(points, 3) for every point of a lane the station [m] abreast of it on the lanes to its inside and its
    outside and on the opposite one; lanes begin and end abreast."""
    found = np.zeros((len(roads.x), 3))
    count = np.diff(roads.first)
    owner = np.repeat(np.arange(len(roads)), count)
    first = np.asarray(roads.first)[:-1]
    for column, mates in enumerate((roads.inner, roads.outer, roads.opposite)):
        mate = np.asarray(mates)[owner]
        rows = np.flatnonzero((mate >= 0) & (np.asarray(roads.kind)[owner] == LANE))
        if len(rows) == 0:
            continue
        against = column == OPPOSITE
        own, other = owner[rows], mate[rows]
        whole = roads.length[other]
        share = (rows - first[own]) / (count[own] - 1)
        station = (1.0 - share if against else share) * whole
        x, y = np.asarray(roads.x)[rows], np.asarray(roads.y)[rows]
        for _ in range(STEPS):
            px, py, heading = roads.place(other, station)
            station = station + (x - px) * np.cos(heading) + (y - py) * np.sin(heading)
            station = np.clip(station, 0.0, whole)
        station[share == 0.0] = whole[share == 0.0] if against else 0.0
        station[share == 1.0] = 0.0 if against else whole[share == 1.0]
        found[rows, column] = _ordered(whole - station if against else station, own)
        if against:
            found[rows, column] = whole - found[rows, column]
    return found


def _ordered(station: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Stations that never go back along a strip."""
    apart = float(station.max(initial=0.0)) + 1.0
    rank = np.cumsum(np.concatenate([[0], np.diff(own) != 0])) * apart
    return np.asarray(np.maximum.accumulate(station + rank) - rank)
