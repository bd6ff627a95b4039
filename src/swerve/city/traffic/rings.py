"""Rings of one-way lanes, such as roundabouts: one that is full cannot move, so its last place stays free."""

from __future__ import annotations

import heapq

import numpy as np

from ..roads.roads import CONNECTOR, LANE, U_TURN, Roads

LONGEST = 300.0  # [m] round
MOST_OF_IT = 150.0  # [m] that a single lane of a ring has


def next_in_ring(roads: Roads) -> np.ndarray:
    """(strips,) the next lane of the ring that a lane is in, or -1."""
    onward = np.full(len(roads), -1, np.int32)
    lanes = roads.kind == LANE
    two_way = np.unique(np.asarray(roads.road)[lanes & (roads.opposite >= 0)])
    one_way = lanes & ~np.isin(roads.road, two_way) & (roads.length < MOST_OF_IT)
    for lane in np.flatnonzero(one_way).tolist():
        if onward[lane] < 0:
            ring = _shortest_round(roads, one_way & (onward < 0), lane)
            for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
                onward[a] = b
    return onward


def _shortest_round(roads: Roads, one_way: np.ndarray, lane: int) -> list[int]:
    """The lanes of the shortest way from a lane back to it; none if that is too long."""
    came: dict[int, int] = {}
    heap = [(float(roads.length[lane]), lane)]
    while heap:
        far, here = heapq.heappop(heap)
        for there, way in _after(roads, here):
            if there == lane:
                ring = [here]
                while ring[-1] != lane:
                    ring.append(came[ring[-1]])
                return ring[::-1] if len(ring) > 1 else []
            total = far + way + float(roads.length[there])
            if one_way[there] and there not in came and total < LONGEST:
                came[there] = here
                heapq.heappush(heap, (total, there))
    return []


def _after(roads: Roads, lane: int) -> list[tuple[int, float]]:
    """The lanes after a lane, and how long [m] the ways to them are."""
    found = []
    for strip in roads.after[roads.after_first[lane] : roads.after_first[lane + 1]].tolist():
        if roads.kind[strip] != CONNECTOR:
            found.append((strip, 0.0))
        elif roads.turn[strip] != U_TURN:
            found.append((int(roads.after[roads.after_first[strip]]), float(roads.length[strip])))
    return found
