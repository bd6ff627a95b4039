"""Ground for people as convex cells that meet edge to edge, with data of several kinds in every cell.

Inside a convex cell every straight way is free, so a route is a row of cells. What a cell is (its surface,
its crosswalk, its price) is *blind data*: columns that this module stores and that constraints ask about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import BadInput, require

from .mesh_arrays import MeshArrays, locate, nearest_points, points_in_cells
from .mesh_stitch import buckets, gap_widths, stitch

CROSSWALK, PAVEMENT, ROAD = 1, 2, 3  # values of the blind data `surface`, as in the seed's figure 4.13
WALKABLE = (CROSSWALK, PAVEMENT)
BUCKET = 4.0  # [m] of the grid by which cells are found


@dataclass(frozen=True)
class Mesh:
    """Cells and their blind data; `data[name]` has one value a cell.

    >>> mesh = Mesh.from_cells([[(0, 0), (4, 0), (4, 2), (0, 2)], [(4, 0), (6, 0), (6, 2), (4, 2)]],
    ...                        surface=[PAVEMENT, CROSSWALK])
    >>> mesh.locate([1.0, 5.0, 9.0], [1.0, 1.0, 1.0]).tolist(), mesh.neighbours(0).tolist()
    ([0, 1, -1], [1])
    >>> mesh.allowed(surface=PAVEMENT).tolist()
    [True, False]
    """

    arrays: MeshArrays
    data: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def from_cells(cls, rings: Sequence[ArrayLike], **data: Any) -> Mesh:
        """From convex rings (k, 2) or (k, 3) [m]; corners closer than a centimetre are one, and edges that
        lie on each other are joined even where their ends differ."""
        require(len(rings) > 0, "cells", len(rings), "must be at least 1")
        rows = [_ring(ring, i) for i, ring in enumerate(rings)]
        vertices, first, corner, beyond, kept = stitch(rows)
        low = vertices[:, :2].min(axis=0) - BUCKET
        boxes = np.array([_box(vertices[corner[a:b], :2]) for a, b in pairwise(first)])
        start, items = buckets(boxes, low, BUCKET)
        x, y, z = (np.ascontiguousarray(column) for column in vertices.T)
        arrays = MeshArrays(
            x,
            y,
            z,
            first,
            corner,
            beyond,
            gap_widths(vertices, first, corner, beyond),
            np.array([*low, BUCKET]),
            start,
            items,
        )
        return cls(arrays, {name: _column(name, values, len(rows))[kept] for name, values in data.items()})

    @classmethod
    def from_polygon(cls, outline: ArrayLike, holes: Iterable[ArrayLike] = (), **data: Any) -> Mesh:
        """From any simple polygon (k, 2) [m] with holes; `data` holds for all of it.

        >>> mesh = Mesh.from_polygon([(0, 0), (9, 0), (9, 9), (0, 9)], [[(3, 3), (6, 3), (6, 6), (3, 6)]])
        >>> float(mesh.area.sum()), int(mesh.locate([4.0], [4.0])[0])
        (72.0, -1)
        """
        from .mesh_cut import convex_cells

        cells = convex_cells(outline, holes)
        values = {"surface": PAVEMENT} | data
        return cls.from_cells(cells, **{name: [value] * len(cells) for name, value in values.items()})

    def __len__(self) -> int:
        return len(self.arrays.first) - 1

    def ring(self, cell: int) -> np.ndarray:
        """Corners (k, 2) of a cell [m]."""
        a = self.arrays
        corners = a.corner[a.first[cell] : a.first[cell + 1]]
        return np.stack([a.x[corners], a.y[corners]], -1)

    def neighbours(self, cell: int) -> np.ndarray:
        beyond = self.arrays.beyond[self.arrays.first[cell] : self.arrays.first[cell + 1]]
        return np.unique(beyond[beyond >= 0])

    @cached_property
    def area(self) -> np.ndarray:
        """[m²] of every cell in plan."""
        rings = (self.ring(i) for i in range(len(self)))
        return np.array([_area(ring) for ring in rings])

    @cached_property
    def centre(self) -> np.ndarray:
        """Mean corner (c, 2) [m] of every cell."""
        return np.array([self.ring(i).mean(axis=0) for i in range(len(self))])

    def locate(
        self, x: ArrayLike, y: ArrayLike, z: ArrayLike | None = None, within: float = np.inf
    ) -> np.ndarray:
        """The cell (n,) under each point, -1 off the mesh; of cells above each other the nearest to z, if it
        is less than `within` [m] above or below."""
        x, y = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
        z = np.zeros(len(x)) if z is None else np.atleast_1d(np.asarray(z, float))
        return locate(self.arrays, x, y, z, within)

    def nearest(
        self,
        x: ArrayLike,
        y: ArrayLike,
        z: ArrayLike | None = None,
        reach: float = 1.0,
        within: float = np.inf,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nearest points (n, 2) on the mesh and their cells (n,), -1 where none is within `reach` [m]
        aside and `within` [m] above or below.

        >>> square = Mesh.from_cells([[(0, 0), (4, 0), (4, 4), (0, 4)]])
        >>> [found.tolist() for found in square.nearest([4.5, 9.0], [1.0, 1.0])]
        [[[4.0, 1.0], [9.0, 1.0]], [0, -1]]
        """
        x, y = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
        z = np.zeros(len(x)) if z is None else np.atleast_1d(np.asarray(z, float))
        points = np.stack([x, y], -1)
        return points, nearest_points(self.arrays, points, z, reach, within)

    def allowed(self, **wanted: Any) -> np.ndarray:
        """Cells (c,) whose blind data have one of the wanted values, or lie within a wanted `range`."""
        mask = np.ones(len(self), bool)
        for name, values in wanted.items():
            if name not in self.data:
                raise BadInput("blind data", name, f"must be one of {', '.join(self.data) or 'none'}")
            if isinstance(values, range):
                mask &= (self.data[name] >= values.start) & (self.data[name] < values.stop)
            else:
                mask &= np.isin(self.data[name], np.atleast_1d(values))
        return mask

    def borders(self, allowed: np.ndarray | None = None) -> np.ndarray:
        """Segments (k, 4) between allowed cells and everything else: what nobody may cross."""
        a = self.arrays
        mask = np.ones(len(self), bool) if allowed is None else allowed
        cell, end = self.edge_cells, self.edge_ends
        rows = mask[cell] & ((a.beyond < 0) | ~mask[a.beyond])
        b, e = a.corner[rows], end[rows]
        return np.stack([a.x[b], a.y[b], a.x[e], a.y[e]], -1)

    @cached_property
    def edge_cells(self) -> np.ndarray:
        """The cell (e,) that every edge belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.arrays.first))

    @cached_property
    def edge_ends(self) -> np.ndarray:
        """The vertex (e,) at which every edge ends."""
        following = np.arange(1, len(self.arrays.corner) + 1)
        following[self.arrays.first[1:] - 1] = self.arrays.first[:-1]
        return self.arrays.corner[following]

    def parts(self, allowed: np.ndarray | None = None) -> np.ndarray:
        """A number (c,) for every cell, the same where there is a way between them over allowed cells."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        n, beyond, cell = len(self), self.arrays.beyond, self.edge_cells
        mask = np.ones(n, bool) if allowed is None else allowed
        rows = (beyond >= 0) & mask[cell] & mask[beyond]
        links = coo_matrix((np.ones(rows.sum()), (cell[rows], beyond[rows])), shape=(n, n))
        return connected_components(links, directed=False)[1]

    def random_points(
        self, rng: np.random.Generator, count: int, allowed: np.ndarray | None = None
    ) -> np.ndarray:
        """Points (count, 2), evenly over the area of the allowed cells."""
        share = self.area * (1.0 if allowed is None else allowed)
        require(share.sum() > 0, "allowed cells", 0, "must be at least 1")
        cells = rng.choice(len(self), size=count, p=share / share.sum())
        u, v, pick = rng.random((3, count))
        points = np.empty((count, 2))
        points_in_cells(self.arrays, cells, u, v, pick, points)
        return points


def _ring(ring: Any, index: int) -> np.ndarray:
    points = np.asarray(ring, float)
    good = points.ndim == 2 and len(points) >= 3 and points.shape[1] in (2, 3)
    require(good, f"cells[{index}]", points.shape, "must be (corners, 2 or 3), 3 corners or more")
    require(bool(np.isfinite(points).all()), f"cells[{index}]", None, "must be finite")
    if points.shape[1] == 2:
        points = np.column_stack([points, np.zeros(len(points))])
    return points if _area(points) >= 0 else points[::-1]


def _area(ring: np.ndarray) -> float:
    x, y = ring[:, 0] - ring[0, 0], ring[:, 1] - ring[0, 1]
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def _box(points: np.ndarray) -> np.ndarray:
    return np.concatenate([points.min(axis=0), points.max(axis=0)])


def _column(name: str, values: Any, cells: int) -> np.ndarray:
    column = np.asarray(values)
    require(len(column) == cells, f"blind data {name}", len(column), f"must have {cells} values")
    return column
