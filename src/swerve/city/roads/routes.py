"""The quickest way to a lane from every strip: one table a target, looked up by everyone who goes there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.errors import require

from .roads import Roads

CHANGE_COST = 4.0  # [s] that a lane change is worth
TURN_COST = np.array([2.0, 0.0, 4.0, 15.0])  # [s] right, straight, left, U-turn


@dataclass(frozen=True)
class Routes:
    """`next` int32 (k, n): the strip that follows strip i on the way to target k. On a lane it is a connector
    or, where a lane change comes first, the neighbouring lane; on the target itself and where there is no
    way, -1. `time` float32 (k, n): seconds from a strip's end to the target's, at the speed limits and with
    something added for turns and lane changes; infinite where there is no way.
    """

    targets: np.ndarray
    next: np.ndarray
    time: np.ndarray


def links(roads: Roads, later: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """From, to and time [s] of every move between strips: successors, and lane changes to both sides.

    `later` (n,) [s] is what strips take besides, for whoever comes onto them from behind.
    """
    n = len(roads)
    source = np.repeat(np.arange(n), np.diff(roads.after_first))
    turning = np.where(roads.kind == 1, TURN_COST[roads.turn + 1], 0.0)
    own = roads.length / roads.limit + turning + (0.0 if later is None else later)
    beside = [np.flatnonzero(side >= 0) for side in (roads.inner, roads.outer)]
    start = np.concatenate([source, *beside])
    end = np.concatenate([roads.after, roads.inner[beside[0]], roads.outer[beside[1]]])
    cost = np.concatenate([own[roads.after], np.full(len(beside[0]) + len(beside[1]), CHANGE_COST)])
    return start, end, cost


def find_routes(roads: Roads, targets: np.ndarray, later: np.ndarray | None = None) -> Routes:
    """Tables for `targets` (k,), strips; for `later` see `links`."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    targets = np.atleast_1d(np.asarray(targets, np.int64))
    n = len(roads)
    for target in targets:
        require(0 <= target < n, "target", int(target), f"must be a strip from 0 to {n - 1}")
    start, end, cost = links(roads, later)
    # against the direction of travel: who can come here?
    back = csr_matrix((cost, (end, start)), shape=(n, n))
    time, next_ = dijkstra(back, indices=targets, return_predecessors=True)
    next_ = np.where(next_ < 0, -1, next_).astype(np.int32)
    return Routes(targets.astype(np.int32), next_, time.astype(np.float32))


def is_strongly_connected(roads: Roads) -> bool:
    """Whether every strip can be reached from every other, lane changes included."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    start, end, _ = links(roads)
    graph = csr_matrix((np.ones(len(start)), (start, end)), shape=(len(roads), len(roads)))
    return bool(connected_components(graph, connection="strong")[0] == 1)
