"""The body of a vehicle against closed ground, all along a path and not only at its points.

A rectangle of length by width is covered by a row of discs, once as the body stands and once along the
path. From a pose whose discs are free by g, no disc can touch anything before one of them has moved by g;
so the check goes on by what is free, at least two centimetres, and asks for `KEPT` at every pose. No wall
is thin enough to slip through.

What lies beyond the sides of the map is closed like a wall, because nobody knows what is there. Only a start
or a goal so near a side that the body reaches over it lets it do so: whoever put it there knows. It may reach
over a side as far as it does there, and no more once it is its own diagonal away.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .fences import distance_at, to_end_of_map
from .limits import STEP
from .sweep import BLOCKED, FINE, RUNS_AWAY, TOO_SLOW
from .vehicle import LENGTH, WIDTH

KEPT = 0.05  # [m] between the discs and closed ground, at least
KEPT_ON_MAP = KEPT + 1e-6  # [m] between them and the sides of the map: what they lack of it at an end is lent
LEAST_MOVE = 0.02  # [m]
PLENTY = 2.0  # [m] beyond a circle round the body: no need to look closer


@inner
@inlined
def free_at(
    x: float,
    y: float,
    tx: float,
    ty: float,
    bx: float,
    by: float,
    length: float,
    width: float,
    edges: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    frame: np.ndarray,
) -> float:
    """Room [m] around a body at (x, y) that stands along (bx, by), or along its path (tx, ty)."""
    corner = 0.5 * np.sqrt(length * length + width * width)
    middle = distance_at(x, y, edges, starts, members, frame) - corner
    if middle > PLENTY:
        return middle
    discs = max(1, int(np.ceil(2.0 * length / width)))
    radius = 0.5 * np.sqrt((length / discs) ** 2 + width * width)
    free = 1e9
    for k in range(discs):
        o = length * ((k + 0.5) / discs - 0.5)
        free = min(free, distance_at(x + o * bx, y + o * by, edges, starts, members, frame))
        free = min(free, distance_at(x + o * tx, y + o * ty, edges, starts, members, frame))
    return max(free - radius, middle)


@inner
@inlined
def on_map(
    x: float,
    y: float,
    tx: float,
    ty: float,
    bx: float,
    by: float,
    length: float,
    width: float,
    frame: np.ndarray,
) -> float:
    """Room [m] to the sides of the map around the same discs."""
    middle = to_end_of_map(x, y, 0.0, 0.0, frame) - 0.5 * np.sqrt(length * length + width * width)
    if middle > PLENTY:
        return middle
    discs = max(1, int(np.ceil(2.0 * length / width)))
    radius = 0.5 * np.sqrt((length / discs) ** 2 + width * width)
    o = 0.5 * length * (1.0 - 1.0 / discs)
    body = to_end_of_map(x, y, o * bx, o * by, frame)
    return max(min(body, to_end_of_map(x, y, o * tx, o * ty, frame)) - radius, middle)


@kernel
def free_along(
    rows: np.ndarray,
    where: np.ndarray,
    points: np.ndarray,
    car: np.ndarray,
    edges: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    frame: np.ndarray,
    free: np.ndarray,
) -> None:
    """Fill `free` (n,) [m]: the least room of the body from each point of a path to the next.

    `where` (n, 9) holds point, tangent and normal, `points` the body's angles from the sweep. Zero and below
    where the body may touch closed ground or reach over a side of the map.
    """
    n = len(rows)
    length, width = car[LENGTH], car[WIDTH]
    walls, sides = np.full(n, 1e9), np.empty(n)
    corner, turned = 0.5 * np.sqrt(length * length + width * width), 1.1 * length
    for i in range(n):
        x, y = where[i, 0], where[i, 1]
        sides[i] = to_end_of_map(x, y, 0.0, 0.0, frame) - corner
        if len(edges) == 0 and sides[i] > PLENTY:  # most points of most ways: however the body stands
            continue
        tx, ty, bx, by = headings(where, points, i)
        if len(edges) > 0:
            walls[i] = free_at(x, y, tx, ty, bx, by, length, width, edges, starts, members, frame)
        sides[i] = on_map(x, y, tx, ty, bx, by, length, width, frame)
    at_start, at_goal = max(KEPT_ON_MAP - sides[0], 0.0), max(KEPT_ON_MAP - sides[n - 1], 0.0)
    for i in range(n):
        over, _ = may_reach_over(where[i, 0], where[i, 1], where, length, width, at_start, at_goal)
        free[i] = min(walls[i], sides[i] + over)
    for i in range(n - 1):
        here, there = min(walls[i], sides[i]), min(walls[i + 1], sides[i + 1])
        spare = 0.5 * (here + there - 1.02 * (rows[i, STEP] + turned))  # even if it turns right round
        if spare > PLENTY:
            free[i] = min(here, there, spare)
            continue
        tx0, ty0, bx0, by0 = headings(where, points, i)
        tx1, ty1, bx1, by1 = headings(where, points, i + 1)
        turn = max(np.hypot(bx1 - bx0, by1 - by0), np.hypot(tx1 - tx0, ty1 - ty0))
        moved = 1.02 * (rows[i, STEP] + 0.55 * length * turn)
        if here + there > moved + 2.0 * KEPT:
            free[i] = min(here, there, 0.5 * (here + there - moved))
            continue
        low, at = min(free[i], free[i + 1]), 0.0
        over, left = may_reach_over(where[i, 0], where[i, 1], where, length, width, at_start, at_goal)
        gap = min(walls[i], max(sides[i], min(sides[i] + over, left)))
        while low >= KEPT:
            at += max(gap, LEAST_MOVE) / moved
            if at >= 1.0:
                break
            x, y = between_points(where, rows[i, STEP], i, at)
            tx, ty = blend(tx0, ty0, tx1, ty1, at)
            bx, by = blend(bx0, by0, bx1, by1, at)
            gap = 1e9
            if len(edges) > 0:
                gap = free_at(x, y, tx, ty, bx, by, length, width, edges, starts, members, frame)
            side = on_map(x, y, tx, ty, bx, by, length, width, frame)
            over, left = may_reach_over(x, y, where, length, width, at_start, at_goal)
            low = min(low, gap, side + over)
            gap = min(gap, max(side, min(side + over, left)))
        free[i] = low


@kernel
def mark_ends(mark: np.ndarray, free: np.ndarray, x: np.ndarray, x_end: float) -> None:
    """Mark where the body does not clear closed ground, where it may not move lest it cannot stop, and an end
    that is reached too slowly."""
    n = len(mark)
    for i in range(n - 1):
        if mark[i] == FINE and x[i] <= 0.0 and x[i + 1] <= 0.0:
            mark[i] = RUNS_AWAY
    for i in range(n):
        if mark[i] == FINE and free[i] < KEPT:
            mark[i] = BLOCKED
    if mark[n - 1] == FINE and x[n - 1] < x_end * (1.0 - 1e-6):
        mark[n - 1] = TOO_SLOW


@inner
@inlined
def may_reach_over(
    x: float, y: float, where: np.ndarray, length: float, width: float, at_start: float, at_goal: float
) -> tuple[float, float]:
    """How far [m] a body may reach over the sides of the map, as it does at an end of the path less than its
    diagonal away, and how far that end's leave still holds."""
    if at_start <= 0.0 and at_goal <= 0.0:
        return 0.0, 0.0
    last, diagonal = len(where) - 1, np.sqrt(length * length + width * width)
    start_left = diagonal - np.hypot(x - where[0, 0], y - where[0, 1])
    goal_left = diagonal - np.hypot(x - where[last, 0], y - where[last, 1])
    over = left = 0.0
    if start_left > 0.0 and at_start > 0.0:
        over, left = at_start, start_left
    if goal_left > 0.0 and at_goal > over:
        over, left = at_goal, goal_left
    return over, left


@inlined
def headings(where: np.ndarray, points: np.ndarray, i: int) -> tuple[float, float, float, float]:
    """Direction of the path and of the body, seen from above."""
    size = max(np.hypot(where[i, 3], where[i, 4]), 1e-12)
    tx, ty = where[i, 3] / size, where[i, 4] / size
    s, c = points[i, 6], points[i, 7]
    return tx, ty, c * tx + s * ty, c * ty - s * tx


@inner
@inlined
def between_points(where: np.ndarray, step: float, i: int, t: float) -> tuple[float, float]:
    """The place between point i and the next on the cubic through both, along their tangents."""
    h00, h10 = (1 + 2 * t) * (1 - t) ** 2, t * (1 - t) ** 2 * step
    h01, h11 = t * t * (3 - 2 * t), t * t * (t - 1) * step
    x = h00 * where[i, 0] + h10 * where[i, 3] + h01 * where[i + 1, 0] + h11 * where[i + 1, 3]
    y = h00 * where[i, 1] + h10 * where[i, 4] + h01 * where[i + 1, 1] + h11 * where[i + 1, 4]
    return x, y


@inlined
def blend(ax: float, ay: float, bx: float, by: float, t: float) -> tuple[float, float]:
    """A direction between two."""
    x, y = (1 - t) * ax + t * bx, (1 - t) * ay + t * by
    size = max(np.hypot(x, y), 1e-12)
    return x / size, y / size
