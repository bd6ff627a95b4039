"""Whether there is room on a lane for somebody who comes to stand or drive there."""

from __future__ import annotations

import numpy as np

from ..roads.roads import LANE
from .fleet import Fleet
from .lane_change import gap_needed
from .net import Net

TRIES = 400  # random places that are looked at
MARGIN = 6.0  # [m] of lane kept free at both ends
LEAST = 40.0  # [m] of lane


def free_front(
    net: Net, everyone: Fleet, length: float, rng: np.random.Generator, keep: tuple[int, ...] = ()
) -> tuple[int, float] | None:
    """A random lane, none of `keep`, and where a front bumper [m] may come to stand there."""
    lanes = np.flatnonzero((net.strips["kind"][:-1] == LANE) & (net.strips["length"][:-1] > LEAST))
    lanes = np.setdiff1d(lanes, keep)
    for _ in range(TRIES if len(lanes) else 0):
        lane = int(rng.choice(lanes))
        front = float(rng.uniform(MARGIN + length, net.strips["length"][lane] - MARGIN))
        if len(in_the_way(net, everyone, lane, front, length, 0.0)) == 0:
            return lane, front
    return None


def in_the_way(
    net: Net, everyone: Fleet, strip: int, front: float, length: float, speed: float
) -> np.ndarray:
    """Rows of everyone with whom a vehicle placed there [m] at a speed [m/s] would come too close."""
    strips = net.strips
    rear = front - length
    found = []
    for at, station in ((everyone.strip, everyone.station), (everyone.side, everyone.side_station)):
        rows = np.flatnonzero((at == strip) & everyone.driving & (everyone.passing == 0))
        found.append(_too_close(everyone, rows, station[rows] + everyone.overhang[rows], front, rear, speed))
    coming = np.flatnonzero((everyone.next == strip) & everyone.driving)
    behind = everyone.station[coming] + everyone.overhang[coming] - strips["length"][everyone.strip[coming]]
    near = behind > -80.0
    found.append(_too_close(everyone, coming[near], behind[near], front, rear, speed))
    for previous in (everyone.previous, everyone.earlier):
        tails = np.flatnonzero((previous == strip) & everyone.driving)
        near_end = strips["length"][strip] - front < gap_needed(speed, 0.0) + length
        found.append(tails if near_end else tails[:0])
    sirens = (everyone.strip == strip) | (everyone.side == strip)  # they swing from one to the other
    found.append(np.flatnonzero(sirens & everyone.driving & (everyone.passing > 0)))
    return np.unique(np.concatenate(found))


def _too_close(
    everyone: Fleet, rows: np.ndarray, fronts: np.ndarray, front: float, rear: float, speed: float
) -> np.ndarray:
    rears = fronts - everyone.length[rows]
    ahead = fronts >= front
    gaps = np.where(ahead, rears - front, rear - fronts)
    needed = [
        gap_needed(speed, float(v)) if a else gap_needed(float(v), speed)
        for v, a in zip(everyone.speed[rows], ahead, strict=True)
    ]
    return rows[gaps < np.array(needed)] if len(rows) else rows
