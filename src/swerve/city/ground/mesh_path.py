"""Ways over a mesh: first a row of cells (coarse), then the tightest string through it (fine).

The search is A* over cells. The price of going from cell to cell is the way from where one was entered to
the nearest point of the edge to the next, times the price of the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from swerve.core.frontier import pop, push
from swerve.core.kernels import bare, inner, kernel, plain

from .mesh import Mesh
from .mesh_arrays import MeshArrays, heights_of
from .mesh_clear import keep_clear

REACH = 0.6  # [m] beside the mesh, where an end of a way is drawn to it
STOREY = 1.2  # [m] above or below a floor, where an end still stands on it
NARROWED = 0.7  # of an edge's length may be kept clear at its ends


class SearchDesk(NamedTuple):
    """Room for one search at a time; `stamp` says which search wrote a cell's row."""

    keys: np.ndarray
    items: np.ndarray
    stamp: np.ndarray
    shut: np.ndarray  # stamp of the search that has finished the cell
    cost: np.ndarray
    x: np.ndarray  # where the cell was entered [m]
    y: np.ndarray
    parent: np.ndarray
    clock: np.ndarray  # (1,) number of the current search


def make_desk(mesh: Mesh) -> SearchDesk:
    n, edges = len(mesh), len(mesh.arrays.corner)
    return SearchDesk(
        np.empty(edges + 2),
        np.empty(edges + 2, np.int32),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n, np.int32),
        np.zeros(1, np.int64),
    )


@dataclass(frozen=True)
class MeshPath:
    """`cells` from start to goal, `points` (k, 2) [m] of the string with both ends, and its length [m]."""

    cells: np.ndarray
    points: np.ndarray

    @property
    def length(self) -> float:
        return float(np.hypot(*np.diff(self.points, axis=0).T).sum())

    def over(self, mesh: Mesh, every: float = 0.25) -> np.ndarray:
        """Places (k, 3) [m] along the string, at most `every` [m] apart, on the ground of its cells."""
        legs = [
            p + np.linspace(0.0, 1.0, int(np.hypot(*(q - p)) / every) + 2)[:-1, None] * (q - p)
            for p, q in pairwise(self.points)
        ]
        places = np.vstack([*legs, self.points[-1:]])
        return np.column_stack([places, heights_of(mesh.arrays, self.cells, places)])


def find_path(
    mesh: Mesh,
    start: Sequence[float],
    goal: Sequence[float],
    allowed: np.ndarray | None = None,
    radius: float = 0.0,
    price: np.ndarray | None = None,
) -> MeshPath | None:
    """The way for a body of `radius` [m] over allowed cells, or None; ends are x, y and perhaps z [m].

    It keeps the radius from walls, but where an end stands nearer, or the passage is narrower.

    An end beside the mesh is drawn to the nearest place on it, if that is within `REACH`; one with a height
    is never taken for a place on another floor.

    >>> room = Mesh.from_polygon([(0, 0), (9, 0), (9, 9), (0, 9)], [[(3, 0.5), (6, 0.5), (6, 8), (3, 8)]])
    >>> way = find_path(room, (1, 5), (8, 5))
    >>> [tuple(map(float, p)) for p in way.points]
    [(1.0, 5.0), (3.0, 8.0), (6.0, 8.0), (8.0, 5.0)]
    """
    n = len(mesh)
    mask = np.ones(n, bool) if allowed is None else allowed
    cells = np.empty(n, np.int32)
    prices = np.ones(n) if price is None else np.asarray(price, float)
    (sx, sy, first), (gx, gy, last) = _on_mesh(mesh, start), _on_mesh(mesh, goal)
    if min(first, last) < 0 or not (mask[first] and mask[last]):
        return None
    where = (sx, sy, gx, gy)
    count = search_cells(mesh.arrays, make_desk(mesh), mask, prices, first, last, *where, radius, cells)
    if count <= 0:
        return None
    points = np.empty((count + 1, 2))
    corners = pull_string(mesh.arrays, cells[:count], count, *where, radius, radius, points)
    row, way = cells[:count].copy(), np.vstack([where[:2], points[:corners]])
    if radius > 0.0:
        row, way = keep_clear(mesh, mask, row, way, radius)
    return MeshPath(row, way)


def _on_mesh(mesh: Mesh, end: Sequence[float]) -> tuple[float, float, int]:
    """The place on the mesh for an end of a way, and its cell, or -1."""
    x, y = float(end[0]), float(end[1])
    z, within = (float(end[2]), STOREY) if len(end) > 2 else (0.0, np.inf)
    cell = int(mesh.locate(x, y, z, within)[0])
    if cell >= 0:
        return x, y, cell
    points, cells = mesh.nearest(x, y, z, REACH, within)
    return float(points[0, 0]), float(points[0, 1]), int(cells[0])


@kernel
def search_cells(
    mesh: MeshArrays,
    desk: SearchDesk,
    allowed: np.ndarray,
    price: np.ndarray,
    start: int,
    goal: int,
    sx: float,
    sy: float,
    gx: float,
    gy: float,
    radius: float,
    out: np.ndarray,
) -> int:
    """Cells from `start`, where s [m] is, to `goal`, where g is, for a body of `radius` [m].

    Returns how many there are, though `out` holds no more than it has room for. When there is no way, it is
    the way to the cell that comes nearest, counted negative.
    """
    desk.clock[0] += 1
    now = desk.clock[0]
    desk.stamp[start] = now
    desk.cost[start] = 0.0
    desk.x[start], desk.y[start], desk.parent[start] = sx, sy, -1
    size = push(desk.keys, desk.items, plain(0), 0.0, start)
    found = False
    nearest, closest = start, np.hypot(gx - sx, gy - sy)
    while size > 0:
        pop(desk.keys, desk.items, size)
        size -= 1
        cell = desk.items[size]
        if desk.shut[cell] == now:
            continue
        desk.shut[cell] = now
        if cell == goal:
            found = True
            break
        away = np.hypot(gx - desk.x[cell], gy - desk.y[cell])
        if away < closest:
            nearest, closest = cell, away
        a, b = mesh.first[cell], mesh.first[cell + 1]
        for e in range(a, b):
            other = mesh.beyond[e]
            if other < 0 or not allowed[other] or desk.shut[other] == now or mesh.room[e] < 2.0 * radius:
                continue
            p, q = mesh.corner[e], mesh.corner[e + 1 if e + 1 < b else a]
            x, y = _nearest_on(mesh, p, q, desk.x[cell], desk.y[cell])
            cost = desk.cost[cell] + price[cell] * np.hypot(x - desk.x[cell], y - desk.y[cell])
            if desk.stamp[other] == now and cost >= desk.cost[other] - 1e-12:
                continue
            if size >= len(desk.keys) - 1:
                break
            desk.stamp[other] = now
            desk.cost[other], desk.x[other], desk.y[other] = cost, x, y
            desk.parent[other] = cell
            size = push(desk.keys, desk.items, size, cost + np.hypot(gx - x, gy - y), other)
    end = goal if found else nearest
    count = 0
    cell = end
    while cell >= 0:
        count += 1
        cell = desk.parent[cell]
    at = count - 1
    cell = end
    while cell >= 0:
        if at < len(out):
            out[at] = cell
        at -= 1
        cell = desk.parent[cell]
    return count if found else -count


@inner
@bare
def _nearest_on(mesh: MeshArrays, p: int, q: int, x: float, y: float) -> tuple[float, float]:
    """The point of an edge nearest to (x, y)."""
    dx, dy = mesh.x[q] - mesh.x[p], mesh.y[q] - mesh.y[p]
    along = ((x - mesh.x[p]) * dx + (y - mesh.y[p]) * dy) / max(dx * dx + dy * dy, 1e-12)
    along = min(1.0, max(0.0, along))
    return mesh.x[p] + along * dx, mesh.y[p] + along * dy


@inner
@bare
def portal(
    mesh: MeshArrays, cell: int, other: int, right: float, left: float
) -> tuple[float, float, float, float, bool]:
    """Right and left end of the edge to `other`, seen from `cell`, drawn in by `right` and `left` [m].

    Of a narrow edge some width is left to choose from.
    """
    a, b = mesh.first[cell], mesh.first[cell + 1]
    for e in range(a, b):
        if mesh.beyond[e] == other:
            p, q = mesh.corner[e], mesh.corner[e + 1 if e + 1 < b else a]
            dx, dy = mesh.x[q] - mesh.x[p], mesh.y[q] - mesh.y[p]
            length = np.hypot(dx, dy)
            fit = min(1.0, NARROWED * length / max(right + left, 1e-9)) / max(length, 1e-9)
            near, far = fit * right, 1.0 - fit * left
            return (
                mesh.x[p] + near * dx,
                mesh.y[p] + near * dy,
                mesh.x[p] + far * dx,
                mesh.y[p] + far * dy,
                True,
            )
    return 0.0, 0.0, 0.0, 0.0, False


@kernel
def pull_string(
    mesh: MeshArrays,
    cells: np.ndarray,
    count: int,
    sx: float,
    sy: float,
    gx: float,
    gy: float,
    right: float,
    left: float,
    out: np.ndarray,
) -> int:
    """Corners (k, 2) of the tightest string from s through the cells to g, g included; how many.

    It stays `right` and `left` [m] away from the ends of edges on that side. The funnel: its tip is the last
    corner; its sides narrow from edge to edge, and where one crosses the other, that side's end is the next
    corner. Stops when `out` is full.
    """
    written = plain(0)
    tip_x, tip_y = sx, sy
    right_x, right_y, left_x, left_y = sx, sy, sx, sy
    right_at = left_at = 0
    k = 0  # the edge after cell k
    while k < count:
        if k + 1 < count:
            rx, ry, lx, ly, good = portal(mesh, cells[k], cells[k + 1], right, left)
            if not good:
                break
        else:
            rx, ry, lx, ly = gx, gy, gx, gy
        if _turn(tip_x, tip_y, right_x, right_y, rx, ry) >= 0.0:
            if (right_x == tip_x and right_y == tip_y) or _turn(tip_x, tip_y, left_x, left_y, rx, ry) < 0.0:
                right_x, right_y, right_at = rx, ry, k
            else:
                written = _add(out, written, left_x, left_y, tip_x, tip_y)
                if written >= len(out):
                    return written
                tip_x, tip_y = left_x, left_y
                k = left_at + 1
                right_x, right_y, left_x, left_y = tip_x, tip_y, tip_x, tip_y
                right_at = left_at
                continue
        if _turn(tip_x, tip_y, left_x, left_y, lx, ly) <= 0.0:
            if (left_x == tip_x and left_y == tip_y) or _turn(tip_x, tip_y, right_x, right_y, lx, ly) > 0.0:
                left_x, left_y, left_at = lx, ly, k
            else:
                written = _add(out, written, right_x, right_y, tip_x, tip_y)
                if written >= len(out):
                    return written
                tip_x, tip_y = right_x, right_y
                k = right_at + 1
                right_x, right_y, left_x, left_y = tip_x, tip_y, tip_x, tip_y
                left_at = right_at
                continue
        k += 1
    return _add(out, written, gx, gy, np.inf, np.inf)


@bare
def _add(out: np.ndarray, written: int, x: float, y: float, tip_x: float, tip_y: float) -> int:
    """Append a corner unless it is where the string is already."""
    if abs(x - tip_x) + abs(y - tip_y) < 1e-9 or written >= len(out):
        return written
    out[written, 0], out[written, 1] = x, y
    return written + 1


@bare
def _turn(ox: float, oy: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Positive when b lies to the left of the way from o to a."""
    return (ax - ox) * (by - oy) - (ay - oy) * (bx - ox)
