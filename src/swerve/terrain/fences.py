"""Borders of closed ground, and how far a place is from the nearest one.

Closed polygons and closed cells of a raster become one list of straight edges. A map of squares says which
edges lie near, so that a distance costs a few segments whatever their number. Distances are exact up to
`reach`; beyond it they are only known to be at least that, which is all that a check along a path needs: it
may go on by as much as is free, and never steps over a wall, however thin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

SQUARES = 128  # along the longer side of the map
SMALLEST = 4.0  # [m] side of a square, at least
X0, Y0, CELL, NX, NY, REACH = range(6)  # entries of the frame,
WEST, SOUTH, EAST, NORTH = range(6, 10)  # and where the map ends


class Fences(NamedTuple):
    """Edges (k, 4) x0, y0, x1, y1 [m]; the edges near square c are `members[starts[c]:starts[c + 1]]`."""

    edges: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    frame: np.ndarray


def fences(
    extent: tuple[float, float, float, float],
    mobility: np.ndarray | None,
    rings: Sequence[np.ndarray],
) -> Fences:
    """Of closed rings of corners (k, 2) and of the cells of `mobility` that are zero, over a map."""
    x0, y0, x1, y1 = extent
    cell = max(max(x1 - x0, y1 - y0) / SQUARES, SMALLEST)
    nx, ny = int((x1 - x0) // cell) + 5, int((y1 - y0) // cell) + 5
    frame = np.array([x0 - 2 * cell, y0 - 2 * cell, cell, nx, ny, cell, *extent])
    parts = [np.hstack([ring, np.roll(ring, -1, axis=0)]) for ring in rings]
    if mobility is not None:
        rows, columns = mobility.shape
        spacing = (x1 - x0) / (columns - 1), (y1 - y0) / (rows - 1)
        parts.append(cell_borders(mobility <= 0.0, (x0, y0), spacing))
    edges = np.ascontiguousarray(np.vstack([*parts, np.zeros((0, 4))]))
    counts = np.zeros(nx * ny + 1, np.int64)
    _list(edges, frame, counts, np.zeros(0, np.int64), True)
    starts = np.cumsum(counts)
    members = np.empty(int(starts[-1]), np.int64)
    _list(edges, frame, starts[:-1].copy(), members, False)
    return Fences(edges, starts, members, frame)


def cell_borders(closed: np.ndarray, origin: tuple[float, float], spacing: tuple[float, float]) -> np.ndarray:
    """Straight edges (k, 4) between closed cells (ny, nx) and open ones, each as long as it goes on; a cell
    reaches half way to its neighbours."""
    ring = np.pad(closed, 1)
    (x0, y0), (dx, dy) = origin, spacing
    column, south, north = _runs((ring[1:-1, 1:] != ring[1:-1, :-1]).T)  # upright, west of a cell
    x = x0 + (column - 0.5) * dx
    upright = np.column_stack([x, y0 + (south - 0.5) * dy, x, y0 + (north - 0.5) * dy])
    row, west, east = _runs(ring[1:, 1:-1] != ring[:-1, 1:-1])  # level, south of a cell
    y = y0 + (row - 0.5) * dy
    return np.vstack([upright, np.column_stack([x0 + (west - 0.5) * dx, y, x0 + (east - 0.5) * dx, y])])


def _runs(marked: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Marked places of a row that lie side by side: row, first and one beyond the last, (k,) each."""
    change = np.diff(np.pad(marked, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, first = np.nonzero(change == 1)
    return row, first, np.nonzero(change == -1)[1]


@inner
@inlined
def to_edge(x: float, y: float, edges: np.ndarray, e: int) -> float:
    """Squared distance from a place to an edge."""
    ax, ay = edges[e, 0], edges[e, 1]
    bx, by = edges[e, 2] - ax, edges[e, 3] - ay
    px, py = x - ax, y - ay
    size = bx * bx + by * by
    t = (px * bx + py * by) / size if size > 0.0 else 0.0
    t = min(max(t, 0.0), 1.0)
    gx, gy = px - t * bx, py - t * by
    return gx * gx + gy * gy


@inner
@inlined
def to_end_of_map(x: float, y: float, ax: float, ay: float, frame: np.ndarray) -> float:
    """Distance [m] to the nearest side of the map of what reaches ax and ay beside a place."""
    return min(
        x - frame[WEST] - abs(ax),
        frame[EAST] - x - abs(ax),
        y - frame[SOUTH] - abs(ay),
        frame[NORTH] - y - abs(ay),
    )


@inlined
def distance_at(
    x: float, y: float, edges: np.ndarray, starts: np.ndarray, members: np.ndarray, frame: np.ndarray
) -> float:
    """Distance [m] to the nearest edge, or the reach where that is farther."""
    u, v = (x - frame[X0]) / frame[CELL], (y - frame[Y0]) / frame[CELL]
    nx, ny = int(frame[NX]), int(frame[NY])
    i, j = min(max(int(u), 0), nx - 1), min(max(int(v), 0), ny - 1)
    off = max(-u, u - nx, -v, v - ny, 0.0) * frame[CELL]  # beyond the squares
    best = max(frame[REACH] - 1.5 * off, 0.0) ** 2
    c = j * nx + i
    for k in range(starts[c], starts[c + 1]):
        best = min(best, to_edge(x, y, edges, members[k]))
    return np.sqrt(best)


@kernel
def distances(
    x: np.ndarray,
    y: np.ndarray,
    edges: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    frame: np.ndarray,
    out: np.ndarray,
) -> None:
    """Fill `out` (n,) with the distance of every place to the nearest edge, at most the reach."""
    for i in range(len(x)):
        out[i] = distance_at(x[i], y[i], edges, starts, members, frame)


@kernel
def clear_lines(
    tails: np.ndarray,
    heads: np.ndarray,
    room: float,
    edges: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    frame: np.ndarray,
    out: np.ndarray,
) -> None:
    """Whether straight lines (n, 2) to (n, 2) keep `room` [m] from every edge, all along: into `out` (n,)."""
    for k in range(len(tails)):
        dx, dy = heads[k, 0] - tails[k, 0], heads[k, 1] - tails[k, 1]
        length = np.sqrt(dx * dx + dy * dy)
        at = 0.0
        out[k] = True
        while True:
            share = at / length if length > 0.0 else 0.0
            gap = distance_at(
                tails[k, 0] + share * dx, tails[k, 1] + share * dy, edges, starts, members, frame
            )
            if gap < room:
                out[k] = False
                break
            if at >= length:
                break
            at = min(length, at + max(gap - room, 0.02))


@kernel
def _list(
    edges: np.ndarray, frame: np.ndarray, starts: np.ndarray, members: np.ndarray, counting: bool
) -> None:
    """Count the edges near every square into starts[1:], or write them down from `starts` on."""
    cell, nx, ny = frame[CELL], int(frame[NX]), int(frame[NY])
    near = (frame[REACH] + 0.7072 * cell) ** 2
    margin = frame[REACH] + cell
    for e in range(len(edges)):
        west, east = min(edges[e, 0], edges[e, 2]) - margin, max(edges[e, 0], edges[e, 2]) + margin
        south, north = min(edges[e, 1], edges[e, 3]) - margin, max(edges[e, 1], edges[e, 3]) + margin
        i0, i1 = max(0, int((west - frame[X0]) / cell)), min(nx - 1, int((east - frame[X0]) / cell))
        j0, j1 = max(0, int((south - frame[Y0]) / cell)), min(ny - 1, int((north - frame[Y0]) / cell))
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                x, y = frame[X0] + (i + 0.5) * cell, frame[Y0] + (j + 0.5) * cell
                if to_edge(x, y, edges, e) <= near:
                    c = j * nx + i
                    if counting:
                        starts[c + 1] += 1
                    else:
                        members[starts[c]] = e
                        starts[c] += 1
