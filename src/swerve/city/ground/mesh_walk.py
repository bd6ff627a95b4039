"""Ground to walk on from any triangles: what is flat, high and wide enough, however it was made.

Triangles are cut by the columns of a grid. In every column a floor is the top of something flat with head
room above it; floors of neighbouring columns are joined where the step between them can be climbed. Floors
nearer to an edge, a wall or a drop than the clearance are left out; what lies in a plane becomes one cell.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from swerve.core.errors import require
from swerve.core.kernels import kernel

from .mesh import PAVEMENT, Mesh

EVEN = 0.004  # [m] corners of one cell lie in a plane to this
MOST = 40_000_000  # columns of a grid
AT_ONCE, COARSEST = 250_000, 0.25  # columns, and [m] of one, where nothing is said


@dataclass(frozen=True)
class Walker:
    """Who walks: `steepest` [rad] slope, `step` [m] to climb, head room `height` [m], `clearance` [m] from
    what stands beside; `column` [m] is how finely the ground is looked at. Where it is not given that is a
    quarter of the clearance, so that doorways little wider than a walker needs are found, and up to 0.25 m in
    large models."""

    steepest: float = float(np.radians(45.0))
    step: float = 0.2
    height: float = 1.8
    clearance: float = 0.3
    column: float | None = None

    def column_for(self, size: np.ndarray) -> float:
        """How finely [m] a ground of `size` (2,) [m] is looked at."""
        if self.column is not None:
            return self.column
        with np.errstate(over="ignore"):
            wished = float(min(COARSEST, np.sqrt(size.prod() / AT_ONCE)))
        return max(wished, min(COARSEST, max(self.clearance, 0.2) / 4.0))


def walkable_mesh(points: ArrayLike, triangles: ArrayLike, walker: Walker | None = None) -> Mesh:
    """A mesh of where a walker can be, from triangles (t, 3) of points (v, 3) [m], z up."""
    walker = walker or Walker()
    corners = np.asarray(points, float)[np.asarray(triangles, np.int64)]
    low, high = (np.asarray(of(corners, axis=(0, 1)))[:2] for of in (np.min, np.max))
    with np.errstate(over="ignore", invalid="ignore"):
        column = walker.column_for(high - low)
    low = low - column
    with np.errstate(over="ignore"):
        columns = np.ceil((high - low) / column) + 1
    few = bool(np.isfinite(columns).all() and (columns <= MOST).all() and columns.prod() <= MOST)
    require(few, "column", column, f"must leave at most {MOST:,} columns")
    shape = columns.astype(int)
    floors = _floors(corners, low, shape, walker, column)
    require(len(floors.z) > 0, "triangles", len(corners), "none is flat enough to walk on")
    keep = _clear(floors, int(np.ceil(walker.clearance / column - 1e-9)))
    return _mesh(floors, keep, low, column)


@dataclass
class _Floors:
    """Floors of all columns: column (n, 2), height (n,) [m], who is beyond: east, north, west, south."""

    column: np.ndarray
    z: np.ndarray
    beyond: np.ndarray  # (n, 4), -1 for nobody


def _floors(corners: np.ndarray, low: np.ndarray, shape: np.ndarray, walker: Walker, wide: float) -> _Floors:
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.maximum(np.linalg.norm(normal, axis=1), 1e-12)
    flat = normal[:, 2] / size > np.cos(walker.steepest)
    count = _cut(corners, low, wide, shape, np.zeros((0, 4)), np.zeros(0, np.int64))
    spans, owner = np.empty((count, 4)), np.empty(count, np.int64)
    _cut(corners, low, wide, shape, spans, owner)
    key = spans[:, 0] * shape[1] + spans[:, 1]
    order = np.lexsort((spans[:, 3], key))
    key, bottom, top = key[order].astype(np.int64), spans[order, 2], spans[order, 3]
    where, z = _tops(key, bottom, top, flat[owner[order]], walker.height, walker.step / 2)
    column = np.stack([where // shape[1], where % shape[1]], -1)
    first = np.searchsorted(where, np.arange(int(shape.prod()) + 1))
    beyond = np.full((len(z), 4), -1)
    for side, (dx, dy) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
        x, y = column[:, 0] + dx, column[:, 1] + dy
        inside = (x >= 0) & (y >= 0) & (x < shape[0]) & (y < shape[1])
        beyond[:, side] = _onto(z, np.where(inside, x * shape[1] + y, 0), inside, first, walker.step)
    return _Floors(column, z, beyond)


@kernel
def _cut(
    corners: np.ndarray, low: np.ndarray, size: float, shape: np.ndarray, spans: np.ndarray, owner: np.ndarray
) -> int:
    """Pieces of triangles in columns: column x, y, lowest and highest z; how many there are."""
    count = 0
    poly, part = np.empty((12, 3)), np.empty((12, 3))
    for k in range(len(corners)):
        t = corners[k]
        i0 = int((min(t[0, 0], t[1, 0], t[2, 0]) - low[0]) / size)
        i1 = int((max(t[0, 0], t[1, 0], t[2, 0]) - low[0]) / size)
        j0 = int((min(t[0, 1], t[1, 1], t[2, 1]) - low[1]) / size)
        j1 = int((max(t[0, 1], t[1, 1], t[2, 1]) - low[1]) / size)
        for i in range(max(i0, 0), min(i1, shape[0] - 1) + 1):
            for j in range(max(j0, 0), min(j1, shape[1] - 1) + 1):
                n = 3
                for c in range(3):
                    for d in range(3):
                        poly[c, d] = t[c, d]
                for side in range(4):
                    axis, sign = side % 2, 1.0 if side < 2 else -1.0
                    index = i if axis == 0 else j
                    limit = low[axis] + size * (index if side < 2 else index + 1)
                    m = 0
                    for c in range(n):
                        a, b = poly[c], poly[(c + 1) % n]
                        da, db = sign * (a[axis] - limit), sign * (b[axis] - limit)
                        if da >= 0:
                            for d in range(3):
                                part[m, d] = a[d]
                            m += 1
                        if (da >= 0) != (db >= 0):
                            share = da / (da - db)
                            for d in range(3):
                                part[m, d] = a[d] + share * (b[d] - a[d])
                            m += 1
                    n = m
                    for c in range(n):
                        for d in range(3):
                            poly[c, d] = part[c, d]
                    if n == 0:
                        break
                if n == 0:
                    continue
                if len(spans):
                    bottom, top = np.inf, -np.inf
                    for c in range(n):
                        bottom, top = min(bottom, poly[c, 2]), max(top, poly[c, 2])
                    spans[count, 0], spans[count, 1], spans[count, 2], spans[count, 3] = i, j, bottom, top
                    owner[count] = k
                count += 1
    return count


@kernel
def _tops(
    key: np.ndarray, bottom: np.ndarray, top: np.ndarray, flat: np.ndarray, height: float, near: float
) -> tuple[np.ndarray, np.ndarray]:
    """Columns and heights of floors: flat tops with head room, of pieces sorted by column and top."""
    where, z = np.empty(len(key), np.int64), np.empty(len(key))
    count = 0
    for k in range(len(key)):
        if not flat[k]:
            continue
        free, best = True, top[k]
        j = k + 1
        while j < len(key) and key[j] == key[k]:
            low = top[j] - top[k] <= near  # one steps over it
            if (low and flat[j]) or (not low and bottom[j] < best + height):
                free = False  # the same floor again or a little higher, or no head room
                break
            j += 1
        if free:
            where[count], z[count] = key[k], best
            count += 1
    return where[:count], z[:count]


@kernel
def _onto(z: np.ndarray, there: np.ndarray, inside: np.ndarray, first: np.ndarray, step: float) -> np.ndarray:
    """The floor (n,) of the next column that is nearest in height, if one can step onto it."""
    found = np.full(len(z), -1)
    for k in range(len(z)):
        if not inside[k]:
            continue
        best = step + 1e-6
        for j in range(first[there[k]], first[there[k] + 1]):
            if abs(z[j] - z[k]) < best:
                best, found[k] = abs(z[j] - z[k]), j
    return found


def _clear(floors: _Floors, columns: int) -> np.ndarray:
    """Floors (n,) that are so many columns away from every edge."""
    far = np.where((floors.beyond < 0).any(axis=1), 0, columns + 1)
    queue = deque(np.flatnonzero(far == 0).tolist())
    beyond = floors.beyond
    while queue:
        k = queue.popleft()
        if far[k] >= columns:
            break
        for side in range(4):
            j = beyond[k, side]
            if j < 0:
                continue
            for n in (j, beyond[j, (side + 1) % 4]):  # and across the corner
                if n >= 0 and far[n] > far[k] + 1:
                    far[n] = far[k] + 1
                    queue.append(n)
    return far >= columns


def _mesh(floors: _Floors, keep: np.ndarray, low: np.ndarray, size: float) -> Mesh:
    """Cells of the floors that are kept: as wide as they lie in a plane."""
    heights = _corner_heights(floors, keep)
    table, beyond, taken = heights.tolist(), floors.beyond[:, :2].tolist(), (~keep).tolist()
    cells = []
    for k in np.flatnonzero(keep).tolist():
        if taken[k]:
            continue
        rows = _grown(table, beyond, taken, k)
        for f in (f for row in rows for f in row):
            taken[f] = True
        ends = ((rows[0][0], 0), (rows[0][-1], 1), (rows[-1][-1], 2), (rows[-1][0], 3))
        shift = ((0, 0), (1, 0), (1, 1), (0, 1))
        ring = [[*(low + size * (floors.column[f] + shift[c])), table[f][c]] for f, c in ends]
        cells.append(np.array(ring))
    require(bool(cells), "triangles", len(floors.z), "leave no room for the clearance")
    return Mesh.from_cells(cells, surface=[PAVEMENT] * len(cells))


def _corner_heights(floors: _Floors, keep: np.ndarray) -> np.ndarray:
    """Heights (n, 4) of the corners south-west, south-east, north-east, north-west: the same for all floors
    that are joined there."""
    n = len(floors.z)
    mine, theirs = [], []
    east, north = floors.beyond[:, 0], floors.beyond[:, 1]
    for j, pairs in ((east, ((1, 0), (2, 3))), (north, ((3, 0), (2, 1)))):
        rows = np.flatnonzero((j >= 0) & keep & keep[j])
        for own, other in pairs:
            mine.append(4 * rows + own)
            theirs.append(4 * j[rows] + other)
    a, b = np.concatenate(mine), np.concatenate(theirs)
    links = coo_matrix((np.ones(len(a)), (a, b)), shape=(4 * n, 4 * n))
    label = connected_components(links, directed=False)[1]
    z = np.repeat(floors.z, 4)
    mean = np.bincount(label, z) / np.bincount(label)
    return mean[label].reshape(n, 4)


def _grown(heights: list[list[float]], beyond: list[list[int]], taken: list[bool], k: int) -> list[list[int]]:
    """Rows of floors from one on that lie in its plane: as far east as it goes, then north."""
    z0, z1, z2, z3 = heights[k]
    across, along = z1 - z0, z3 - z0
    if abs(z2 - z0 - across - along) > EVEN:
        return [[k]]

    def fits(f: int, i: int, j: int) -> bool:
        if f < 0 or taken[f]:
            return False
        here = z0 + across * i + along * j
        plane = (here, here + across, here + across + along, here + along)
        return all(abs(a - b) <= EVEN for a, b in zip(heights[f], plane, strict=True))

    row = [k]
    while fits(beyond[row[-1]][0], len(row), 0):
        row.append(beyond[row[-1]][0])
    rows = [row]
    while all(fits(beyond[f][1], i, len(rows)) for i, f in enumerate(rows[-1])):
        rows.append([beyond[f][1] for f in rows[-1]])
    return rows
