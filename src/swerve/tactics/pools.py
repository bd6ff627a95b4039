"""How nodes of the search tree come and go: compiled, over the tree's arrays.

Nodes from which growth may continue lie in two pools, of leaves and of inner nodes, so that one can be drawn
at once. Running counts tell how deep leaves lie and how much inner nodes branch.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel, plain

LEAF, INNER = plain(0), plain(1)  # pools
LEAVES, LEAF_DEPTH, INNERS, EDGES = 0, 1, 2, 3  # running counts, over busy nodes too
TRIED, LIVED = 4, 5  # branches that came to an end, and to a good one
NOBODY = -1


@kernel
def add(
    count: int,
    steps: np.ndarray,
    failed: np.ndarray,
    parents: np.ndarray,
    new_skill: np.ndarray,
    new_rows: np.ndarray,
    new_touched: np.ndarray,
    new_busy: np.ndarray,
    new_memory: np.ndarray,
    new_forces: np.ndarray,
    new_open: np.ndarray,
    rows: np.ndarray,
    touched: np.ndarray,
    skill: np.ndarray,
    busy: np.ndarray,
    memory: np.ndarray,
    forces: np.ndarray,
    parent: np.ndarray,
    depth: np.ndarray,
    children: np.ndarray,
    lived: np.ndarray,
    is_open: np.ndarray,
    alive: np.ndarray,
    lack: np.ndarray,
    level: np.ndarray,
    place: np.ndarray,
    pool: np.ndarray,
    pooled: np.ndarray,
    sums: np.ndarray,
) -> tuple[np.ndarray, int]:
    nodes = np.full(len(steps), NOBODY)
    for i in range(len(steps)):
        above = parents[i]
        if steps[i] > 0 or (failed[i] and is_open[above]):  # a branch that fails at once has been tried too
            children[above] += 1
            sums[EDGES] += 1
            if children[above] == 1:
                sums[LEAVES] -= 1
                sums[LEAF_DEPTH] -= depth[above]
                sums[INNERS] += 1
                if is_open[above]:
                    _leave(above, LEAF, place, pool, pooled)
                    _enter(above, INNER, place, pool, pooled)
        for s in range(steps[i]):
            node, last = count, s == steps[i] - 1
            rows[node], touched[node], forces[node] = new_rows[i, s], new_touched[i, s], new_forces[i, s]
            skill[node], busy[node], memory[node] = new_skill[i], new_busy[i, s], new_memory[i, s]
            parent[node], is_open[node], alive[node] = above, last and new_open[i], True
            depth[node], lack[node], level[node] = depth[above] + 1, lack[above], level[above]
            children[node], lived[node] = 0 if last else 1, 0
            if last:
                nodes[i] = node
                sums[LEAVES] += 1
                sums[LEAF_DEPTH] += depth[node]
                if new_open[i]:
                    _enter(node, LEAF, place, pool, pooled)
            else:
                sums[INNERS] += 1
                sums[EDGES] += 1
            above = node
            count += 1
    return nodes, count


@kernel
def tell(sources: np.ndarray, outcome: np.ndarray, lived: np.ndarray, sums: np.ndarray) -> None:
    for k in range(len(sources)):
        lived[sources[k]] += outcome[k]
        sums[TRIED] += 1
        sums[LIVED] += outcome[k]


@kernel
def gather(
    nodes: np.ndarray,
    rows: np.ndarray,
    touched: np.ndarray,
    skill: np.ndarray,
    busy: np.ndarray,
    memory: np.ndarray,
    some_rows: np.ndarray,
    some_touched: np.ndarray,
    some_skill: np.ndarray,
    some_busy: np.ndarray,
    some_memory: np.ndarray,
) -> None:
    """Copy what is of some nodes."""
    for i in range(len(nodes)):
        k = nodes[i]
        some_rows[i], some_touched[i] = rows[k], touched[k]
        some_skill[i], some_busy[i], some_memory[i] = skill[k], busy[k], memory[k]


@kernel
def path(node: int, parent: np.ndarray) -> np.ndarray:
    """Nodes from the root to one."""
    length, above = 1, parent[node]
    while above != NOBODY:
        length, above = length + 1, parent[above]
    way = np.empty(length, dtype=np.int64)
    for k in range(length - 1, -1, -1):
        way[k] = node
        node = parent[node]
    return way


@kernel
def mark_below(root: int, count: int, parent: np.ndarray, alive: np.ndarray, kept: np.ndarray) -> None:
    kept[root] = True
    for node in range(root + 1, count):
        kept[node] = alive[node] and parent[node] >= 0 and kept[parent[node]]


@kernel
def keep(
    nodes: np.ndarray,
    number: np.ndarray,
    rows: np.ndarray,
    touched: np.ndarray,
    skill: np.ndarray,
    busy: np.ndarray,
    memory: np.ndarray,
    forces: np.ndarray,
    parent: np.ndarray,
    depth: np.ndarray,
    children: np.ndarray,
    lived: np.ndarray,
    is_open: np.ndarray,
    alive: np.ndarray,
    lack: np.ndarray,
    level: np.ndarray,
) -> int:
    """Move some nodes (n,), in their order, to the front; gives how many there are."""
    above = depth[nodes[0]]
    for k in range(len(nodes)):
        node = nodes[k]
        rows[k], touched[k], forces[k] = rows[node], touched[node], forces[node]
        skill[k], busy[k], memory[k] = skill[node], busy[node], memory[node]
        parent[k] = number[parent[node]] if k else NOBODY
        depth[k], children[k], lived[k] = depth[node] - above, children[node], lived[node]
        is_open[k], alive[k], lack[k], level[k] = is_open[node], alive[node], lack[node], level[node]
    return len(nodes)


@kernel
def recount(
    count: int,
    depth: np.ndarray,
    children: np.ndarray,
    is_open: np.ndarray,
    place: np.ndarray,
    pool: np.ndarray,
    pooled: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Pools and running counts of a tree whose nodes are all alive."""
    sums[:] = 0
    pooled[:] = 0
    for node in range(count):
        sums[EDGES] += children[node]
        if children[node] == 0:
            sums[LEAVES] += 1
            sums[LEAF_DEPTH] += depth[node]
        else:
            sums[INNERS] += 1
        if is_open[node]:
            _enter(node, LEAF if children[node] == 0 else INNER, place, pool, pooled)


@kernel
def roll_back(
    nodes: np.ndarray,
    parent: np.ndarray,
    depth: np.ndarray,
    children: np.ndarray,
    is_open: np.ndarray,
    alive: np.ndarray,
    sums: np.ndarray,
) -> int:
    removed = 0
    for last in nodes:
        node = last
        while not is_open[node] and children[node] == 0 and parent[node] != NOBODY:
            above = parent[node]
            alive[node] = False
            sums[LEAVES] -= 1
            sums[LEAF_DEPTH] -= depth[node]
            removed += 1
            if is_open[above]:
                break  # what was tried from there and failed still counts as a branch
            sums[EDGES] -= 1
            children[above] -= 1
            if children[above] == 0:
                sums[LEAVES] += 1
                sums[LEAF_DEPTH] += depth[above]
                sums[INNERS] -= 1
            node = above
    return removed


@kernel
def retire(
    ends: np.ndarray,
    parent: np.ndarray,
    depth: np.ndarray,
    children: np.ndarray,
    is_open: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Chains that end in `ends` (n,) stay, but count no more than ones that were rolled back."""
    for node in ends:
        while True:
            above = parent[node]
            sums[LEAVES] -= 1
            sums[LEAF_DEPTH] -= depth[node]
            if above == NOBODY or is_open[above]:
                break
            sums[EDGES] -= 1
            if children[above] > 1:
                break
            sums[LEAVES] += 1
            sums[LEAF_DEPTH] += depth[above]
            sums[INNERS] -= 1
            if parent[above] == NOBODY:
                break
            node = above


@kernel
def _enter(node: int, which: int, place: np.ndarray, pool: np.ndarray, pooled: np.ndarray) -> None:
    place[node] = pooled[which]
    pool[which, pooled[which]] = node
    pooled[which] += 1


@kernel
def _leave(node: int, which: int, place: np.ndarray, pool: np.ndarray, pooled: np.ndarray) -> None:
    """The last of the pool takes the place of the one that leaves."""
    last = pool[which, pooled[which] - 1]
    pool[which, place[node]] = last
    place[last] = place[node]
    pooled[which] -= 1
