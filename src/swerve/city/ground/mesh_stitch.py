"""From loose rings to a mesh: shared corners, shared edges, and lists of cells by place."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

WELD = 0.01  # [m] corners closer than this are one


def stitch(
    rings: list[np.ndarray],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Vertices (v, 3), `first` (c + 1), `corner` (e), `beyond` (e), and which rings (c,) became cells."""
    points = np.concatenate(rings)
    label = weld(points, WELD)
    vertices = np.zeros((label.max() + 1, 3))
    vertices[label] = points
    ends = np.cumsum([len(ring) for ring in rings])
    cells, kept = [], []
    for i, (ring, end) in enumerate(zip(rings, ends, strict=True)):
        ids = label[end - len(ring) : end]
        ids = ids[ids != np.roll(ids, 1)]
        if len(ids) >= 3:
            cells.append([int(k) for k in ids])
            kept.append(i)
    partner = _edges(cells)
    loose = [edge for edge in partner if edge[::-1] not in partner]
    if loose and _split(cells, loose, vertices, partner):
        partner = _edges(cells)
    beyond = [
        partner.get((b, a), -1) for cell in cells for a, b in zip(cell, [*cell[1:], cell[0]], strict=True)
    ]
    first = np.concatenate([[0], np.cumsum([len(cell) for cell in cells])]).astype(np.int32)
    corner = np.array([k for cell in cells for k in cell], np.int32)
    return vertices, first, corner, np.array(beyond, np.int32), np.array(kept, np.int64)


def buckets(boxes: np.ndarray, low: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Lists of boxes (n, 4) x0, y0, x1, y1 by square: offsets (nx, ny + 1) into one array."""
    cells = np.floor((boxes - np.tile(low, 2)) / size).astype(np.int64)
    nx, ny = cells[:, 2].max() + 2, cells[:, 3].max() + 2
    wide, tall = cells[:, 2] - cells[:, 0] + 1, cells[:, 3] - cells[:, 1] + 1
    count = wide * tall
    item = np.repeat(np.arange(len(boxes)), count)
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    i = cells[item, 0] + within // tall[item]
    j = cells[item, 1] + within % tall[item]
    order = np.lexsort((item, j, i))
    per_square = np.zeros((nx, ny), np.int64)
    np.add.at(per_square, (i, j), 1)
    flat = np.concatenate([[0], np.cumsum(per_square.ravel())])
    start = np.empty((nx, ny + 1), np.int32)
    start[:, :-1] = flat[:-1].reshape(nx, ny)
    start[:, -1] = flat[ny::ny]
    return start, item[order].astype(np.int32)


def gap_widths(vertices: np.ndarray, first: np.ndarray, corner: np.ndarray, beyond: np.ndarray) -> np.ndarray:
    """How wide a body may be that passes each edge [m]: its length where both its ends are on the border.

    A gap between two walls that no edge spans at a right angle is taken for wider than it is; whoever walks
    into it is stopped by the walls.
    """
    following = np.arange(1, len(corner) + 1)
    following[first[1:] - 1] = first[:-1]
    end = corner[following]
    on_border = np.zeros(len(vertices), bool)
    on_border[corner[beyond < 0]] = True
    on_border[end[beyond < 0]] = True
    length = np.linalg.norm(vertices[end, :2] - vertices[corner, :2], axis=1)
    return np.where(on_border[corner] & on_border[end], length, np.inf)


def weld(points: np.ndarray, within: float) -> np.ndarray:
    """One label (n,) for all points (n, 3) that are closer than `within` [m] to each other."""
    pairs = cKDTree(points).query_pairs(within, output_type="ndarray")
    n = len(points)
    links = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return connected_components(links, directed=False)[1]


def _edges(cells: list[list[int]]) -> dict[tuple[int, int], int]:
    """Which cell has the edge from one vertex to another."""
    return {
        (a, b): i for i, cell in enumerate(cells) for a, b in zip(cell, [*cell[1:], cell[0]], strict=True)
    }


def _split(
    cells: list[list[int]],
    loose: list[tuple[int, int]],
    vertices: np.ndarray,
    owner: dict[tuple[int, int], int],
) -> bool:
    """Put the ends of other loose edges into loose edges that they lie on."""
    used = np.unique(np.array(loose))
    tree = cKDTree(vertices[used])
    changed = False
    for a, b in loose:
        p, q = vertices[a], vertices[b]
        along = q - p
        length = float(np.linalg.norm(along))
        near = used[tree.query_ball_point((p + q) / 2, length / 2 + WELD)]
        t = (vertices[near] - p) @ along / length**2
        away = np.linalg.norm(vertices[near] - p - t[:, None] * along, axis=1)
        inside = (away < WELD) & (t * length > WELD) & ((1 - t) * length > WELD)
        if inside.any():
            between = near[inside][np.argsort(t[inside])]
            cell = cells[owner[a, b]]
            at = next(i for i, k in enumerate(cell) if k == a and cell[(i + 1) % len(cell)] == b)
            cell[at + 1 : at + 1] = [int(k) for k in between]
            changed = True
    return changed
