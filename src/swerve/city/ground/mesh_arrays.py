"""The cells of a mesh as kernels see them: which holds a point, how high it lies there, which is nearest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.kernels import bare, inner, kernel

_TOUCH = 1e-9  # [m²] a point on an edge is inside


class MeshArrays(NamedTuple):
    """What kernels read: rings of cells, who is beyond each edge, and the grid by which cells are found."""

    x: np.ndarray  # (v) [m]
    y: np.ndarray
    z: np.ndarray
    first: np.ndarray  # (c + 1) cell i has the corners first[i]:first[i + 1], counter-clockwise
    corner: np.ndarray  # (e) vertex at which an edge begins; it ends at the next corner of the cell
    beyond: np.ndarray  # (e) cell beyond the edge, or -1
    room: (
        np.ndarray
    )  # (e) [m] width of the gap that an edge is: its length between two borders, else infinity
    frame: np.ndarray  # (3) x0, y0 and size [m] of the buckets
    start: np.ndarray  # (nx, ny + 1)
    items: np.ndarray


@inner
@bare
def cell_holds(mesh: MeshArrays, cell: int, x: float, y: float) -> bool:
    """Whether a point lies in a cell or on its edge."""
    a, b = mesh.first[cell], mesh.first[cell + 1]
    k = mesh.corner[b - 1]
    for e in range(a, b):
        j = mesh.corner[e]
        x0, y0 = mesh.x[k], mesh.y[k]
        if (mesh.x[j] - x0) * (y - y0) - (mesh.y[j] - y0) * (x - x0) < -_TOUCH:
            return False
        k = j
    return True


@inner
@bare
def cell_at(mesh: MeshArrays, x: float, y: float, z: float) -> int:
    """The cell under a point, or -1."""
    i = int(np.floor((x - mesh.frame[0]) / mesh.frame[2]))
    j = int(np.floor((y - mesh.frame[1]) / mesh.frame[2]))
    if i < 0 or j < 0 or i >= mesh.start.shape[0] or j >= mesh.start.shape[1] - 1:
        return -1
    best, nearest = -1, np.inf
    for k in range(mesh.start[i, j], mesh.start[i, j + 1]):
        cell = mesh.items[k]
        if cell_holds(mesh, cell, x, y):
            away = abs(height_at(mesh, cell, x, y) - z)
            if away < nearest:
                best, nearest = cell, away
    return best


@kernel
def locate(mesh: MeshArrays, x: np.ndarray, y: np.ndarray, z: np.ndarray, within: float) -> np.ndarray:
    """The cell (n,) under each point that is nearest to z, -1 where none is `within` [m] of it."""
    found = np.empty(len(x), np.int32)
    for i in range(len(x)):
        cell = cell_at(mesh, x[i], y[i], z[i])
        far = cell < 0 or abs(height_at(mesh, cell, x[i], y[i]) - z[i]) > within
        found[i] = -1 if far else cell
    return found


@kernel
def nearest_points(
    mesh: MeshArrays, points: np.ndarray, z: np.ndarray, reach: float, within: float
) -> np.ndarray:
    """Move points (n, 2) onto the mesh, by at most `reach` [m]; the cells (n,) they are in then, or -1."""
    found = np.full(len(points), -1, np.int32)
    size = mesh.frame[2]
    for n in range(len(points)):
        x, y = points[n, 0], points[n, 1]
        best = reach
        i0, j0 = int((x - reach - mesh.frame[0]) / size), int((y - reach - mesh.frame[1]) / size)
        i1, j1 = int((x + reach - mesh.frame[0]) / size), int((y + reach - mesh.frame[1]) / size)
        for i in range(max(i0, 0), min(i1, mesh.start.shape[0] - 1) + 1):
            for j in range(max(j0, 0), min(j1, mesh.start.shape[1] - 2) + 1):
                for k in range(mesh.start[i, j], mesh.start[i, j + 1]):
                    cell = mesh.items[k]
                    px, py = _onto(mesh, cell, x, y)
                    away = np.hypot(px - x, py - y)
                    if away <= best and abs(height_at(mesh, cell, px, py) - z[n]) <= within:
                        best, found[n] = away - 1e-9, cell
                        points[n, 0], points[n, 1] = px, py
    return found


@inner
@bare
def _onto(mesh: MeshArrays, cell: int, x: float, y: float) -> tuple[float, float]:
    """The point of a cell nearest to (x, y)."""
    if cell_holds(mesh, cell, x, y):
        return x, y
    a, b = mesh.first[cell], mesh.first[cell + 1]
    best, bx, by = np.inf, x, y
    k = mesh.corner[b - 1]
    for e in range(a, b):
        j = mesh.corner[e]
        dx, dy = mesh.x[j] - mesh.x[k], mesh.y[j] - mesh.y[k]
        along = ((x - mesh.x[k]) * dx + (y - mesh.y[k]) * dy) / max(dx * dx + dy * dy, 1e-12)
        along = min(1.0, max(0.0, along))
        px, py = mesh.x[k] + along * dx, mesh.y[k] + along * dy
        away = (px - x) ** 2 + (py - y) ** 2
        if away < best:
            best, bx, by = away, px, py
        k = j
    return bx, by


@kernel
def heights_under(mesh: MeshArrays, cells: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights (n,) [m] of cells (n,) at points; 0 for who is in none."""
    z = np.zeros(len(cells))
    for n in range(len(cells)):
        if cells[n] >= 0:
            z[n] = height_at(mesh, cells[n], x[n], y[n])
    return z


@kernel
def heights_of(mesh: MeshArrays, cells: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Heights (n,) [m] of points (n, 2) along a row of cells: of the first from where one was that holds
    it."""
    z = np.empty(len(points))
    at = 0
    for n in range(len(points)):
        k = at
        while k < len(cells) and not cell_holds(mesh, cells[k], points[n, 0], points[n, 1]):
            k += 1
        at = k if k < len(cells) else at
        z[n] = height_at(mesh, cells[at], points[n, 0], points[n, 1])
    return z


@inner
@bare
def height_at(mesh: MeshArrays, cell: int, x: float, y: float) -> float:
    """Height [m] of a cell at a point: in the triangle of its fan that holds the point, or comes nearest."""
    a, b = mesh.first[cell], mesh.first[cell + 1]
    o = mesh.corner[a]
    best, height = -np.inf, mesh.z[o]
    for e in range(a + 1, b - 1):
        p, q = mesh.corner[e], mesh.corner[e + 1]
        ux, uy = mesh.x[p] - mesh.x[o], mesh.y[p] - mesh.y[o]
        vx, vy = mesh.x[q] - mesh.x[o], mesh.y[q] - mesh.y[o]
        area = ux * vy - uy * vx
        if area < 1e-9:
            continue
        s = ((x - mesh.x[o]) * vy - (y - mesh.y[o]) * vx) / area
        t = (ux * (y - mesh.y[o]) - uy * (x - mesh.x[o])) / area
        inside = min(s, t, 1.0 - s - t)
        if inside > best:
            best = inside
            height = mesh.z[o] + s * (mesh.z[p] - mesh.z[o]) + t * (mesh.z[q] - mesh.z[o])
    return height


@kernel
def points_in_cells(
    mesh: MeshArrays, cells: np.ndarray, u: np.ndarray, v: np.ndarray, pick: np.ndarray, points: np.ndarray
) -> None:
    """Even points: a triangle of the cell's fan by its area, then a point of it."""
    for n in range(len(cells)):
        a, b = mesh.first[cells[n]], mesh.first[cells[n] + 1]
        o = mesh.corner[a]
        total = 0.0
        for e in range(a + 1, b - 1):
            total += _doubled(mesh, o, mesh.corner[e], mesh.corner[e + 1])
        left = pick[n] * total
        chosen = b - 2
        for e in range(a + 1, b - 1):
            left -= _doubled(mesh, o, mesh.corner[e], mesh.corner[e + 1])
            if left <= 0.0:
                chosen = e
                break
        p, q = mesh.corner[chosen], mesh.corner[chosen + 1]
        root = np.sqrt(u[n])
        s, t = root * (1.0 - v[n]), root * v[n]
        points[n, 0] = (1.0 - root) * mesh.x[o] + s * mesh.x[p] + t * mesh.x[q]
        points[n, 1] = (1.0 - root) * mesh.y[o] + s * mesh.y[p] + t * mesh.y[q]


@inner
@bare
def _doubled(mesh: MeshArrays, o: int, p: int, q: int) -> float:
    """Twice the area of a triangle."""
    return (mesh.x[p] - mesh.x[o]) * (mesh.y[q] - mesh.y[o]) - (mesh.x[q] - mesh.x[o]) * (
        mesh.y[p] - mesh.y[o]
    )
