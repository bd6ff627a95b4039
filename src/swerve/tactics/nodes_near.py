"""Kernels of BK-RRT's selection (`nearest`): nodes in a grid by where they would stop, picks among them."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inner, kernel

from .arrival import time_to_reach
from .chance import place_of

FIRST_REACH, LEAST_REACH = 1.0, 0.3  # [s] of a node from which a branch failed
SHRINKS, GROWS = 0.5, 1.2  # its reach, when a branch fails or lives
DRAWS = 24  # of a sample, of which one is used


@kernel
def enter_cells(
    first: int,
    last: int,
    rows: np.ndarray,
    q: int,
    v: int,
    base: np.ndarray,
    acceleration: float,
    is_open: np.ndarray,
    grid: np.ndarray,
    following: np.ndarray,
    places: np.ndarray,
    origin: np.ndarray,
    cell: float,
) -> int:
    """Enter nodes by where each would stop if it braked; the number of the first that lies outside, or the
    last. The grid of a wide place has fewer cells than it would take: the last ones are for all beyond."""
    most = 1999
    for node in range(first, last):
        x, y, vx, vy = rows[node, q] + base[0], rows[node, q + 1] + base[1], rows[node, v], rows[node, v + 1]
        stop_x, stop_y = x + vx * abs(vx) / (2 * acceleration), y + vy * abs(vy) / (2 * acceleration)
        i, j = int(np.floor((stop_x - origin[0]) / cell)), int(np.floor((stop_y - origin[1]) / cell))
        if i < 0 or j < 0 or (i >= grid.shape[0] and i < most) or (j >= grid.shape[1] and j < most):
            return node
        if is_open[node]:
            i, j = min(i, grid.shape[0] - 1), min(j, grid.shape[1] - 1)
            following[node] = grid[i, j]
            grid[i, j] = node
            places[node, 0], places[node, 1], places[node, 2] = x, y, vx
            places[node, 3], places[node, 4], places[node, 5] = vy, stop_x, stop_y
    return last


@kernel
def tell_reach(
    sources: np.ndarray,
    lived: np.ndarray,
    reach: np.ndarray,
    growing: np.ndarray,
    aiming: np.ndarray,
    aims: np.ndarray,
    aimed: np.ndarray,
) -> bool:
    """False where there is no room for some node; nothing is told then."""
    for node in sources:
        if node >= len(reach):
            return False
    for k in range(len(sources)):
        node = sources[k]
        growing[node] = max(growing[node] - 1, 0)
        if lived[k]:
            reach[node] *= GROWS
        elif reach[node] == np.inf:
            reach[node] = FIRST_REACH
        else:
            reach[node] = max(reach[node] * SHRINKS, LEAST_REACH)
        at = _index(node, aiming, aimed[0])
        if at < aimed[0]:
            for i in range(at, aimed[0] - 1):
                aiming[i], aims[i, 0], aims[i, 1] = aiming[i + 1], aims[i + 1, 0], aims[i + 1, 1]
            aimed[0] -= 1
    return True


@inner
@kernel
def _index(node: int, aiming: np.ndarray, count: int) -> int:
    """Where a node is among those that grow; their number where it is not."""
    for i in range(count):
        if aiming[i] == node:
            return i
    return count


@kernel
def pick_nearest(
    nodes: np.ndarray,
    used: np.ndarray,
    samples: np.ndarray,
    seed: np.uint64,
    expansions: np.ndarray,
    count: int,
    boxes: np.ndarray,
    share: float,
    places: np.ndarray,
    grid: np.ndarray,
    following: np.ndarray,
    origin: np.ndarray,
    cell: float,
    speed: float,
    acceleration: float,
    reach: np.ndarray,
    growing: np.ndarray,
    aiming: np.ndarray,
    aims: np.ndarray,
    aimed: np.ndarray,
    goal: np.ndarray,
) -> None:
    """Fill in `nodes` (n,), and which of each lane's samples (n, draws, 2) they grow to, `used` (n, 2).
    Without samples they are drawn from `boxes` here, as `Chance.several` and `Places` would.

    Of the samples within their nodes' reach, the first in the goal, or else the furthest in time from the
    tree and from the aims before it; if there is none, the first. A sample that is known to be nearer than
    the furthest one is looked at no longer.
    """
    x0, y0, x1, y1 = goal
    before = aimed[0]
    for k in range(len(nodes)):
        furthest = -1.0
        for draw in range(DRAWS):
            if len(samples):
                x, y = samples[k, draw, 0], samples[k, draw, 1]
            else:
                x, y = place_of(seed, expansions[k] * DRAWS + draw, count, boxes, share)
            in_goal, apart = x0 <= x <= x1 and y0 <= y <= y1, np.inf
            for i in range(before + k):
                if in_goal or apart <= furthest:
                    break
                dx, dy = x - aims[i, 0], y - aims[i, 1]
                apart = min(apart, time_to_reach(dx, dy, 0.0, 0.0, speed, acceleration, apart, furthest))
            if apart <= furthest:
                continue
            node, needed = _nearest(
                x, y, places, grid, following, origin, cell, speed, acceleration, growing,
                -1.0 if in_goal else furthest,
            )  # fmt: skip
            if draw == 0:
                nodes[k], used[k, 0], used[k, 1] = node, x, y
            if needed > reach[node]:
                continue
            if in_goal:
                nodes[k], used[k, 0], used[k, 1] = node, x, y
                break
            if min(needed, apart) > furthest:
                nodes[k], furthest = node, min(needed, apart)
                used[k, 0], used[k, 1] = x, y
        aims[before + k, 0], aims[before + k, 1] = used[k, 0], used[k, 1]
        growing[nodes[k]] += 1
    for k in range(len(nodes)):
        at = _index(nodes[k], aiming, aimed[0])
        aiming[at], aims[at, 0], aims[at, 1] = nodes[k], used[k, 0], used[k, 1]
        aimed[0] = max(aimed[0], at + 1)


@inner
@kernel
def _nearest(
    x: float,
    y: float,
    places: np.ndarray,
    grid: np.ndarray,
    following: np.ndarray,
    origin: np.ndarray,
    cell: float,
    speed: float,
    acceleration: float,
    growing: np.ndarray,
    enough: float,
) -> tuple[int, float]:
    """The node that could be at x, y first, of those that do not grow already, and its time; or any that
    could within `enough`."""
    wide, high = grid.shape
    ci, cj = int(np.floor((x - origin[0]) / cell)), int(np.floor((y - origin[1]) / cell))
    far = max(max(abs(ci), abs(wide - 1 - ci)), max(abs(cj), abs(high - 1 - cj)))
    off = max(max(-ci, ci - (wide - 1)), max(-cj, cj - (high - 1)))  # rings that lie beside the grid
    best, found = np.inf, 0
    for ring in range(max(off, 0), far + 1):
        if np.sqrt(3 * max(ring - 1, 0) * cell / acceleration) >= best:
            break
        for i in range(max(ci - ring, 0), min(ci + ring, wide - 1) + 1):
            edge = abs(i - ci) == ring
            step = 1 if edge or ring == 0 else 2 * ring
            first, last = cj - ring, cj + ring
            if step == 1:
                first, last = max(first, 0), min(last, high - 1)
            for j in range(first, last + 1, step):
                if j < 0 or j >= high:
                    continue
                node = grid[i, j]
                while node >= 0:
                    place = places[node]
                    shift = max(abs(x - place[4]), abs(y - place[5]))
                    if growing[node] == 0 and 3 * shift < acceleration * best * best:
                        dx, dy = x - place[0], y - place[1]
                        needed = time_to_reach(dx, dy, place[2], place[3], speed, acceleration, best, enough)
                        if needed < best:
                            best, found = needed, node
                            if best <= enough:
                                return found, best
                    node = following[node]
    return found, best
