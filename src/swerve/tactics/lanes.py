"""What becomes of the branches of a round, lane by lane: which are kept, which go on, which are over."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel, plain

from .pools import NOBODY

GOING, OPEN, SOLVED, FAILED, NONSENSE, LOST = map(plain, range(6))  # how the steps of a chain ended


@kernel
def judge(
    valid: np.ndarray,
    goal: np.ndarray,
    lost: np.ndarray,
    seconds: np.ndarray,
    end: float,
    busy: np.ndarray,
    skill: np.ndarray,
    forced: np.ndarray,
) -> np.ndarray:
    """How the step to each of n new states ended, (n,): going, open, solved, lost or failed."""
    n = len(valid)
    ends = np.full(n, FAILED)
    for k in range(n):
        if valid[k] and seconds[k] < end:
            choice = False
            for i in range(busy.shape[1]):
                choice |= not busy[k, i] and not forced[i, skill[k, i]]
            ends[k] = SOLVED if goal[k] else LOST if lost[k] else OPEN if choice else GOING
    return ends


@inner
@kernel
def sort_chains(
    steps: np.ndarray,
    ends: np.ndarray,
    sources: np.ndarray,
    depth: np.ndarray,
    roll_back: bool,
    opened: np.ndarray,
    going: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, tuple[int, int, int, int, int]]:
    """Of n chains: how many of their steps become nodes, and which failed, (n,) each; which may be grown
    from goes into `opened`, which go on by themselves into `going`. Then the numbers of steps, of those lost
    with failed chains, of chains that end, that are solutions, and the greatest depth.

    What would be rolled back at once does not become nodes.
    """
    n = len(steps)
    nodes, failed = np.empty(n, np.int64), np.empty(n, np.bool_)
    made, lost, ended, solved, deepest = 0, 0, 0, 0, 0
    for k in range(n):
        failed[k], opened[k] = ends[k] == FAILED, ends[k] == OPEN
        going[k] = ends[k] == GOING
        nodes[k] = steps[k] - failed[k]
        if failed[k] and roll_back:
            lost += nodes[k]
            nodes[k] = 0
        made += steps[k]
        ended += not going[k]
        solved += ends[k] == SOLVED
        deepest = max(deepest, depth[sources[k]] + steps[k])
    return nodes, failed, (made, lost, ended, solved, deepest)


@inner
@kernel
def close_lanes(
    lanes: np.ndarray,
    going: np.ndarray,
    sources: np.ndarray,
    nodes: np.ndarray,
    lost: np.ndarray,
    is_open: np.ndarray,
    lane_sources: np.ndarray,
    lane_steps: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the lanes whose chains are over, the nodes (m,) that they had picked and whether the chains lived
    and were not `lost` (n,); then the nodes from which failed chains are to be rolled back."""
    picked, lived = np.empty(len(lanes), np.int64), np.empty(len(lanes), np.bool_)
    failed = np.empty(len(lanes), np.int64)
    over, stale = 0, 0
    for k in range(len(lanes)):
        if going[k]:
            continue
        picked[over], lived[over] = lane_sources[lanes[k]], nodes[k] != NOBODY and not lost[k]
        over += 1
        lane_steps[lanes[k]] = 0
        if nodes[k] == NOBODY and not is_open[sources[k]]:
            failed[stale] = sources[k]
            stale += 1
    return picked[:over], lived[:over], failed[:stale]
