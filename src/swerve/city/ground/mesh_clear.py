"""Keeping a way clear of walls: legs that pass nearer than the radius of a body are led round in an arc.

The tightest string keeps its corners away from the ends of edges, but a leg between two corners may pass a
wall at less than that. Where one does, it gets a corner more, on the circle about what it comes nearest to;
corners that are not needed are dropped again.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import numpy as np

from .mesh import Mesh

WIDER = 0.02  # of the radius, by which corners lie outside of it: the legs between them may cut the circle
MOST = 400  # corners more
ENOUGH = 1e-6  # [m]
STEP = 0.1  # [m] between places at which it is asked in which cell they lie


def keep_clear(
    mesh: Mesh, allowed: np.ndarray, cells: np.ndarray, points: np.ndarray, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """The cells and points (k, 2) of a way whose legs keep `radius` [m] from walls, but for ends that do not.

    Where there is no room for that, the way is as it was.
    """
    walls = _walls_about(mesh, allowed, cells, points, 3.0 * radius)
    if len(walls) == 0 or min(_apart(p, q, walls)[0].min() for p, q in pairwise(points)) >= radius:
        return cells, points
    first, last = (_drawn_off(end, walls, radius) for end in (points[0], points[-1]))
    inner = _led_round(np.vstack([first[None], points[1:-1], last[None]]), walls, radius)
    if inner is None:
        return cells, points
    ends = [points[:1]] if np.hypot(*(points[0] - first)) > ENOUGH else []
    more = [points[-1:]] if np.hypot(*(points[-1] - last)) > ENOUGH else []
    way = np.vstack([*ends, inner, *more])
    row = _cells_along(mesh, allowed, int(cells[0]), way)
    return (cells, points) if row is None else (row, way)


def _walls_about(
    mesh: Mesh, allowed: np.ndarray, cells: np.ndarray, points: np.ndarray, reach: float
) -> np.ndarray:
    """Walls (k, 4) within reach of the way, of cells that are joined to its own there."""
    a = mesh.arrays
    edges = np.stack([a.x[a.corner], a.y[a.corner], a.x[mesh.edge_ends], a.y[mesh.edge_ends]], -1)
    low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
    lowest, highest = np.minimum(edges[:, :2], edges[:, 2:]), np.maximum(edges[:, :2], edges[:, 2:])
    rows = np.flatnonzero(((highest >= low) & (lowest <= high)).all(axis=1))
    far = np.full(len(edges), np.inf)
    for p, q in pairwise(points):
        far[rows] = np.minimum(far[rows], _apart(p, q, edges[rows])[0])
    near = far <= reach
    joined = near & (a.beyond >= 0) & allowed[a.beyond]
    seen = np.zeros(len(mesh), bool)
    seen[cells] = True
    queue = deque(np.unique(cells).tolist())
    while queue:
        cell = queue.popleft()
        here = slice(a.first[cell], a.first[cell + 1])
        for other in a.beyond[here][joined[here]].tolist():
            if not seen[other]:
                seen[other] = True
                queue.append(other)
    return np.asarray(edges[near & ~((a.beyond >= 0) & allowed[a.beyond]) & seen[mesh.edge_cells]])


def _apart(p: np.ndarray, q: np.ndarray, walls: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distance (k,) of a leg from walls, and the nearest points (k, 2) on the leg and on each of them."""
    a, b = walls[:, :2], walls[:, 2:]
    leg = np.concatenate([np.repeat(p[None], len(walls), 0), np.repeat(q[None], len(walls), 0)])
    foot = _foot(leg, np.tile(a, (2, 1)), np.tile(b, (2, 1)))
    ends = np.concatenate([a, b])
    near = _foot(ends, np.broadcast_to(p, ends.shape), np.broadcast_to(q, ends.shape))
    on_leg, on_wall = np.concatenate([leg, near]), np.concatenate([foot, ends])
    far = np.hypot(*(on_leg - on_wall).T).reshape(4, -1)
    best = far.argmin(axis=0)
    rows = best * len(walls) + np.arange(len(walls))
    distance = far.min(axis=0)
    distance[_cross(p, q, a, b)] = 0.0
    return distance, on_leg[rows], on_wall[rows]


def _foot(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The point (k, 2) of each segment nearest to a point."""
    d = b - a
    share = ((points - a) * d).sum(-1) / np.maximum((d * d).sum(-1), 1e-18)
    return np.asarray(a + np.clip(share, 0.0, 1.0)[:, None] * d)


def _cross(p: np.ndarray, q: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether a leg crosses segments (k,)."""

    def side(o: np.ndarray, d: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.asarray(d[..., 0] * (x - o)[..., 1] - d[..., 1] * (x - o)[..., 0])

    return np.asarray(
        (side(a, b - a, p) * side(a, b - a, q) < 0.0) & (side(p, q - p, a) * side(p, q - p, b) < 0.0)
    )


def _drawn_off(point: np.ndarray, walls: np.ndarray, radius: float) -> np.ndarray:
    """An end, or the place near it that is clear of walls."""
    at = point.copy()
    for _ in range(40):
        foot = _foot(np.repeat(at[None], len(walls), 0), walls[:, :2], walls[:, 2:])
        apart = np.hypot(*(at - foot).T)
        k = int(apart.argmin())
        if apart[k] >= radius - ENOUGH:
            return at
        at = foot[k] + (1.0 + WIDER / 2) * radius * _away(at, foot[k], walls[k])
    return point


def _away(point: np.ndarray, foot: np.ndarray, wall: np.ndarray) -> np.ndarray:
    """The direction from a wall to a point, or to the side on which the ground is."""
    d = point - foot
    far = np.hypot(*d)
    if far > 1e-9:
        return np.asarray(d / far)
    along = wall[2:] - wall[:2]
    return np.array([-along[1], along[0]]) / np.hypot(*along)


def _led_round(points: np.ndarray, walls: np.ndarray, radius: float) -> np.ndarray | None:
    """The way with as few corners as it needs to keep clear, or None where that fails."""
    way = [np.asarray(p) for p in points]
    k = added = 0
    while k + 1 < len(way):
        distance, on_leg, on_wall = _apart(way[k], way[k + 1], walls)
        worst = int(distance.argmin())
        if distance[worst] >= radius - ENOUGH:
            k += 1
            continue
        if added == MOST:
            return None
        added += 1
        out = on_wall[worst] + (1.0 + WIDER) * radius * _away(on_leg[worst], on_wall[worst], walls[worst])
        at = [n for n in (k, k + 1) if np.hypot(*(on_leg[worst] - way[n])) < 1e-3 * radius]
        if at and not 0 < at[0] < len(way) - 1:
            return None
        if at:  # a corner itself is too near
            way[at[0]] = out
        else:
            way.insert(k + 1, out)
        k = max(0, k - 1)
    return np.array(_without_needless(way, walls, radius))


def _without_needless(way: list[np.ndarray], walls: np.ndarray, radius: float) -> list[np.ndarray]:
    """Drop corners between whose neighbours there is room."""
    k = 1
    while k + 1 < len(way):
        if _apart(way[k - 1], way[k + 1], walls)[0].min() >= radius - ENOUGH:
            del way[k]
            k = max(1, k - 1)
        else:
            k += 1
    return way


def _cells_along(mesh: Mesh, allowed: np.ndarray, first: int, points: np.ndarray) -> np.ndarray | None:
    """The cells that a way goes through, each joined to the one before; None where it leaves the ground."""
    row, at = [first], first
    for p, q in pairwise(points):
        count = max(1, int(np.hypot(*(q - p)) / STEP))
        for share in np.arange(1, count + 1) / count:
            here = _cell_near(mesh, allowed, at, *(p + share * (q - p)))
            if here < 0:
                return None
            if here != at:
                row.append(here)
            at = here
    return np.array(row, np.int32)


def _cell_near(mesh: Mesh, allowed: np.ndarray, cell: int, x: float, y: float) -> int:
    """The cell that holds a place, of those that are joined to one near it, or -1."""
    seen, queue = {cell}, deque([cell])
    while queue and len(seen) < 400:
        here = queue.popleft()
        if _holds(mesh, here, x, y):
            return here
        for other in mesh.neighbours(here).tolist():
            if other not in seen and allowed[other]:
                seen.add(other)
                queue.append(other)
    return -1


def _holds(mesh: Mesh, cell: int, x: float, y: float) -> bool:
    edges = slice(mesh.arrays.first[cell], mesh.arrays.first[cell + 1])
    p, q = mesh.arrays.corner[edges], mesh.edge_ends[edges]
    px, py = mesh.arrays.x[p], mesh.arrays.y[p]
    turn = (mesh.arrays.x[q] - px) * (y - py) - (mesh.arrays.y[q] - py) * (x - px)
    return bool((turn >= -1e-6).all())
