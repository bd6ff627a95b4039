"""A round's branches join the tree, and its lanes are made ready for the next one: all of it in a kernel."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from . import pools
from .account import count_deeds
from .lanes import LOST, close_lanes, sort_chains
from .pools import NOBODY


@kernel
def join(
    steps: np.ndarray,
    ends: np.ndarray,
    new_rows: np.ndarray,
    new_touched: np.ndarray,
    new_busy: np.ndarray,
    new_memory: np.ndarray,
    new_forces: np.ndarray,
    skill_before: np.ndarray,
    busy_before: np.ndarray,
    new_skill: np.ndarray,
    sources: np.ndarray,
    nodes: np.ndarray,
    opened: np.ndarray,
    going: np.ndarray,
    picked: np.ndarray,
    lived_on: np.ndarray,
    count: int,
    end: float,
    step_seconds: float,
    longest: float,
    roll_back: bool,
    ahead: bool,
    lanes: np.ndarray,
    lane_nodes: np.ndarray,
    lane_sources: np.ndarray,
    lane_steps: np.ndarray,
    deeds: np.ndarray,
    moves: np.ndarray,
    touches: np.ndarray,
    meets: np.ndarray,
    rows: np.ndarray,
    touched: np.ndarray,
    skill: np.ndarray,
    busy: np.ndarray,
    memory: np.ndarray,
    forces: np.ndarray,
    lack: np.ndarray,
    level: np.ndarray,
    place: np.ndarray,
    pool: np.ndarray,
    pooled: np.ndarray,
    parent: np.ndarray,
    depth: np.ndarray,
    children: np.ndarray,
    lived: np.ndarray,
    is_open: np.ndarray,
    alive: np.ndarray,
    is_lost: np.ndarray,
    sums: np.ndarray,
) -> tuple[int, int, int, int, int, int, int, int]:
    """Let n chains of `steps` each (`chains.Run`) join the tree of `count` nodes below `sources` (n,), and
    note what their skills did; `end` [s] is the horizon.

    Fills in `nodes` (n,), the last ones, `NOBODY` of chains that failed, which are `opened` and which are
    `going` on by themselves; then as `close` does, unless a chain has been under way for more than `longest`
    [s]: that is left to the caller, who may want to cut it off. Gives the number of nodes then, of steps
    made, of those lost with failed chains, of chains that end, that are solutions, the greatest depth (a step
    `ahead` for chains that may have been left off before their end), whether all is closed, and how many
    nodes were rolled back.
    """
    count_deeds(
        skill_before, busy_before, new_skill, new_busy, steps, ends, new_rows, new_touched, end,
        deeds, moves, touches, meets,
    )  # fmt: skip
    become, failed, (made, lost, ended, solved, deepest) = sort_chains(
        steps, ends, sources, depth, roll_back, opened, going
    )
    last, count = pools.add(
        count, become, failed, sources, new_skill, new_rows, new_touched, new_busy, new_memory, new_forces,
        opened, rows, touched, skill, busy, memory, forces,
        parent, depth, children, lived, is_open, alive, lack, level, place, pool, pooled, sums,
    )  # fmt: skip
    under_way = 0
    for k in range(len(steps)):
        lane_steps[lanes[k]] += steps[k]
        under_way = max(under_way, lane_steps[lanes[k]])
        nodes[k] = NOBODY if failed[k] else last[k]
        if last[k] == NOBODY:
            last[k] = sources[k]
        deepest = max(deepest, depth[last[k]] + ahead)
    if under_way * step_seconds > longest:
        return count, made, lost, ended, solved, deepest, 0, 0
    removed = close(
        lanes, last, nodes, ends, going, roll_back, picked, lived_on, lane_nodes, lane_sources, lane_steps,
        parent, depth, children, lived, is_open, alive, is_lost, sums,
    )  # fmt: skip
    return count, made, lost, ended, solved, deepest, 1, removed


@kernel
def close(
    lanes: np.ndarray,
    last: np.ndarray,
    nodes: np.ndarray,
    ends: np.ndarray,
    going: np.ndarray,
    roll_back: bool,
    picked: np.ndarray,
    lived_on: np.ndarray,
    lane_nodes: np.ndarray,
    lane_sources: np.ndarray,
    lane_steps: np.ndarray,
    parent: np.ndarray,
    depth: np.ndarray,
    children: np.ndarray,
    lived: np.ndarray,
    is_open: np.ndarray,
    alive: np.ndarray,
    is_lost: np.ndarray,
    sums: np.ndarray,
) -> int:
    """Lanes whose chains are not `going` on are free again: which nodes they had `picked` and which of these
    chains `lived_on`, as far as lanes ended. Stale chains are rolled back from their `last` nodes: how many
    nodes went."""
    lost = ends == LOST
    sources, outcome, stale = close_lanes(lanes, going, last, nodes, lost, is_open, lane_sources, lane_steps)
    pools.tell(sources, outcome, lived, sums)
    for k in range(len(sources)):
        picked[k], lived_on[k] = sources[k], outcome[k]
    for k in range(len(lanes)):
        lane_nodes[lanes[k]] = nodes[k] if going[k] else NOBODY
        if lost[k]:
            is_lost[nodes[k]] = True
    pools.retire(nodes[lost], parent, depth, children, is_open, sums)
    if not roll_back:
        return 0
    return pools.roll_back(stale, parent, depth, children, is_open, alive, sums)
