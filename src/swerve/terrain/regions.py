"""Obstacles and surface quality: places whose mobility factor multiplies the friction.

A mobility of one is a road, zero is closed. Where regions overlap the lowest factor holds. Rectangles and
polygons are tested exactly, each only in the squares of the map that its box reaches; a field of distances
to closed ground tells an optimiser which way is out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.kernels import bare, inner, kernel

FIELD_CELLS = 400  # along the longer side of the distance field
FAR = 1e6  # [m] to closed ground when there is none
SQUARES = 64  # along either side of the map, which know the regions that reach them
Corners = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Region:
    """A polygon with corners (k, 2) [m] in which friction is multiplied by `mobility`, but for its `holes`,
    which are polygons too."""

    corners: Corners
    mobility: float = 0.0
    holes: tuple[Corners, ...] = ()

    def __post_init__(self) -> None:
        require(0.0 <= self.mobility <= 1.0, "mobility", self.mobility, "must lie between 0 and 1")
        for ring in (self.corners, *self.holes):
            shape = np.shape(ring)
            if len(shape) != 2 or shape[1] != 2 or shape[0] < 3 or not np.isfinite(ring).all():
                raise BadInput("region corners", ring, "must be at least three finite points x, y")

    @property
    def rings(self) -> list[np.ndarray]:
        """The outline and the holes, corners (k, 2) [m] each."""
        return [np.array(ring, dtype=float) for ring in (self.corners, *self.holes)]


def rectangle(x0: float, y0: float, x1: float, y1: float, mobility: float = 0.0) -> Region:
    """A rectangle along the axes between two opposite corners [m]."""
    if not (x0 < x1 and y0 < y1):
        raise BadInput("rectangle", (x0, y0, x1, y1), "must have x0 < x1 and y0 < y1")
    return Region(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), mobility)


class Ground(NamedTuple):
    """A terrain as kernels read it. `frame` is x0, y0, dx, dy, x1, y1 of the height grid; rasters of one cell
    mean "the same everywhere"; the regions that may reach square c of the map are
    `reaching[reach_starts[c]:reach_starts[c + 1]]`; `clearance` (rows, columns) [m] covers the whole map and
    is rough; the edges of closed ground (see `fences`) are exact."""

    coefficients: np.ndarray
    frame: np.ndarray
    mobility: np.ndarray
    exposure: np.ndarray
    corners: np.ndarray
    starts: np.ndarray
    factors: np.ndarray
    reach_starts: np.ndarray
    reaching: np.ndarray
    clearance: np.ndarray
    edges: np.ndarray
    edge_starts: np.ndarray
    edge_members: np.ndarray
    edge_frame: np.ndarray


@bare
def mobility_at(
    x: float,
    y: float,
    frame: np.ndarray,
    mobility: np.ndarray,
    corners: np.ndarray,
    starts: np.ndarray,
    factors: np.ndarray,
    reach_starts: np.ndarray,
    reaching: np.ndarray,
) -> float:
    """Factor on friction; −1 outside the map. Takes the arrays of a `Ground` one by one: passing the tuple
    on from kernel to kernel would count references to all its arrays for every point."""
    slack = 1e-6 * (frame[4] - frame[0])
    if x < frame[0] - slack or x > frame[4] + slack or y < frame[1] - slack or y > frame[5] + slack:
        return -1.0
    factor = nearest(x, y, mobility, frame)
    if len(reaching) == 0:
        return factor
    c = square_of(y, frame[1], frame[5]) * SQUARES + square_of(x, frame[0], frame[4])
    for m in range(reach_starts[c], reach_starts[c + 1]):
        k = reaching[m]
        if factors[k] < factor and inside(x, y, corners, starts[k], starts[k + 1]):
            factor = factors[k]
    return factor


@inner
@kernel
def square_of(at: float, low: float, high: float) -> int:
    """Which of the squares along a side of the map a place lies in."""
    return min(max(int((at - low) / (high - low) * SQUARES), 0), SQUARES - 1)


@bare
def nearest(x: float, y: float, raster: np.ndarray, frame: np.ndarray) -> float:
    """The cell around a point; a raster's outer cells have their middles on the edges of the map, however
    fine it is."""
    rows, columns = raster.shape
    if raster.size == 1:
        return raster[0, 0]
    u = (x - frame[0]) / (frame[4] - frame[0]) * (columns - 1)
    v = (y - frame[1]) / (frame[5] - frame[1]) * (rows - 1)
    i = min(max(int(np.floor(u + 0.5)), 0), columns - 1)
    j = min(max(int(np.floor(v + 0.5)), 0), rows - 1)
    return raster[j, i]


@bare
def between(x: float, y: float, raster: np.ndarray, frame: np.ndarray) -> float:
    """Bilinear value of a raster that covers the whole map."""
    rows, columns = raster.shape
    if rows == 1 or columns == 1:
        return raster[0, 0]
    u = min(max((x - frame[0]) / (frame[4] - frame[0]), 0.0), 1.0) * (columns - 1)
    v = min(max((y - frame[1]) / (frame[5] - frame[1]), 0.0), 1.0) * (rows - 1)
    i, j = min(int(u), columns - 2), min(int(v), rows - 2)
    u, v = u - i, v - j
    low = raster[j, i] * (1 - u) + raster[j, i + 1] * u
    high = raster[j + 1, i] * (1 - u) + raster[j + 1, i + 1] * u
    return low * (1 - v) + high * v


@bare
def inside(x: float, y: float, corners: np.ndarray, start: int, stop: int) -> bool:
    """Whether a point lies in the polygon of `corners[start:stop]`, by crossings of a ray to the east. A ring
    and its holes stand there each with its first corner again and a corner that is no number, which no ray
    crosses."""
    odd = False
    j = stop - 1
    for i in range(start, stop):
        xi, yi, xj, yj = corners[i, 0], corners[i, 1], corners[j, 0], corners[j, 1]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            odd = not odd
        j = i
    return odd


def outlines(regions: Sequence[Region]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners of all regions in one array (k, 2), where each starts (r + 1,), and their factors (r,)."""
    listed = [_listed(region) for region in regions]
    return (
        np.vstack([np.zeros((0, 2)), *listed]),
        np.concatenate([[0], np.cumsum([len(corners) for corners in listed])]).astype(np.int64),
        np.array([region.mobility for region in regions], dtype=float),
    )


def _listed(region: Region) -> np.ndarray:
    """Corners of a region as `inside` takes them."""
    if not region.holes:
        return region.rings[0]
    gap = np.full((1, 2), np.nan)
    return np.vstack([part for ring in region.rings for part in (ring, ring[:1], gap)])


def reaches(
    extent: tuple[float, float, float, float], regions: Sequence[Region]
) -> tuple[np.ndarray, np.ndarray]:
    """The regions whose boxes reach each square of the map: where a square's begin, and their numbers."""
    low, high = np.reshape(extent, (2, 2))
    squares, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for k, region in enumerate(regions):
        corners = region.rings[0]
        first, last = (
            np.clip(np.floor((edge - low) / (high - low) * SQUARES + give), 0, SQUARES - 1).astype(np.int64)
            for edge, give in ((corners.min(axis=0), -1e-6), (corners.max(axis=0), 1e-6))
        )
        rows, columns = np.arange(first[1], last[1] + 1), np.arange(first[0], last[0] + 1)
        squares.append((rows[:, None] * SQUARES + columns).ravel())
        numbers.append(np.full(rows.size * columns.size, k))
    where = np.concatenate(squares)
    order = np.argsort(where, kind="stable")
    starts = np.searchsorted(where[order], np.arange(SQUARES * SQUARES + 1)).astype(np.int64)
    return starts, np.concatenate(numbers)[order]


def distance_field(
    extent: tuple[float, float, float, float], mobility: np.ndarray | None, regions: Sequence[Region]
) -> np.ndarray:
    """Distance to closed ground [m] on a raster over the map, negative inside it."""
    closed_regions = [region for region in regions if region.mobility == 0.0]
    if not closed_regions and (mobility is None or (mobility > 0).all()):
        return np.full((1, 1), FAR)
    x0, y0, x1, y1 = extent
    cell = max(x1 - x0, y1 - y0) / FIELD_CELLS
    nx, ny = max(2, round((x1 - x0) / cell) + 1), max(2, round((y1 - y0) / cell) + 1)
    xs, ys = np.linspace(x0, x1, nx), np.linspace(y0, y1, ny)
    closed = np.zeros((ny, nx), dtype=bool)
    corners, starts, _ = outlines(closed_regions)
    _paint(xs, ys, corners, starts, closed)
    if mobility is not None:
        rows = np.rint(np.linspace(0, mobility.shape[0] - 1, ny)).astype(int)
        columns = np.rint(np.linspace(0, mobility.shape[1] - 1, nx)).astype(int)
        closed |= mobility[np.ix_(rows, columns)] == 0.0
    step = (ys[1] - ys[0], xs[1] - xs[0])
    if not closed.any():
        return np.full((1, 1), FAR)
    if closed.all():
        return np.full((1, 1), -FAR)
    from scipy import ndimage

    outward = ndimage.distance_transform_edt(~closed, sampling=step)
    inward = ndimage.distance_transform_edt(closed, sampling=step)
    half = 0.5 * min(step)
    field: np.ndarray = np.where(closed, half - inward, outward - half)
    return field


@kernel
def _paint(
    xs: np.ndarray, ys: np.ndarray, corners: np.ndarray, starts: np.ndarray, closed: np.ndarray
) -> None:
    for k in range(len(starts) - 1):
        west = south = np.inf
        east = north = -np.inf
        for c in range(starts[k], starts[k + 1]):
            if corners[c, 0] == corners[c, 0]:  # a number
                west, east = min(west, corners[c, 0]), max(east, corners[c, 0])
                south, north = min(south, corners[c, 1]), max(north, corners[c, 1])
        columns = np.searchsorted(xs, west), np.searchsorted(xs, east)
        for j in range(np.searchsorted(ys, south), np.searchsorted(ys, north)):
            for i in range(columns[0], columns[1]):
                if not closed[j, i]:
                    closed[j, i] = inside(xs[i], ys[j], corners, starts[k], starts[k + 1])


def fill_voids(values: np.ndarray, void: np.ndarray) -> np.ndarray:
    """Heights with voids replaced: the nearest known height first, then averaged until smooth."""
    from scipy import ndimage

    nearest_known = ndimage.distance_transform_edt(void, return_distances=False, return_indices=True)
    filled: np.ndarray = values[tuple(nearest_known)]
    for _ in range(200):
        smooth = ndimage.uniform_filter(filled, 3, mode="nearest")
        change = np.abs(smooth - filled)[void].max()
        filled = np.where(void, smooth, filled)
        if change < 1e-3:
            break
    return filled
