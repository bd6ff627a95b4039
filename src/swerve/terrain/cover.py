"""What the ground is like: mobility from GeoJSON polygons, or from a raster of mobility or land cover.

A raster with numbers from 0 to 1 is mobility itself; one of whole numbers above that is land cover, whose
classes a table turns into mobility. It is laid over the map by coordinates, as fine as it is: a river that is
narrower than a cell of the map still closes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput, require

from .elevation import READERS, Elevation, read_elevation
from .geo import read_obstacles
from .surface import Terrain

# ESA WorldCover classes; a guess at how well a car gets along, to be overruled by who knows the place
WORLD_COVER: Mapping[int, float] = {
    10: 0.0,  # trees
    20: 0.6,  # shrubs
    30: 0.8,  # grass
    40: 0.7,  # fields
    50: 1.0,  # built-up: roads are in there, and houses; give them as obstacles
    60: 0.9,  # bare
    70: 0.3,  # snow and ice
    80: 0.0,  # water
    90: 0.2,  # wetland
    95: 0.0,  # mangroves
    100: 0.6,  # moss
}
OUTLINES = (".geojson", ".json")
MOST_CELLS = 30_000_000


def with_mobility(
    terrain: Terrain, path: str | Path, classes: Mapping[int, float] = WORLD_COVER, what: str = "mobility"
) -> Terrain:
    """The terrain with the mobility of a file: where several hold, the lowest."""
    if Path(path).suffix.lower() in OUTLINES:
        return terrain.with_regions(*read_obstacles(path, terrain, what, closed=False))
    if Path(path).suffix.lower() not in READERS:
        known = ", ".join((*OUTLINES, *READERS))
        raise BadInput(f"{what} {path}", Path(path).suffix, f"must end in one of {known}")
    raster = read_elevation(path, what)
    values = _mobility(f"{what} {path}", raster.heights, classes)
    laid, covered = _laid(terrain, raster, values, f"{what} {path}")
    require(covered, f"{what} {path}", None, "does not lie over the map")
    if terrain.mobility is not None:
        laid = np.minimum(laid, _nearest(terrain.mobility, laid.shape))
    return replace(terrain, mobility=laid)


def _mobility(where: str, values: np.ndarray, classes: Mapping[int, float]) -> np.ndarray:
    """Factors (rows, columns) from 0 to 1; cells that are not known are closed."""
    known = np.isfinite(values)
    seen = values[known]
    if (seen >= 0.0).all() and (seen <= 1.0).all():
        return np.where(known, values, 0.0)
    found = np.zeros(values.shape)
    for number in np.unique(seen):
        if number not in classes:
            listed = ", ".join(map(str, classes))
            raise BadInput(where, float(number), f"must be a mobility from 0 to 1, or a class of {listed}")
        found[values == number] = classes[int(number)]
    return found


def _laid(terrain: Terrain, raster: Elevation, values: np.ndarray, where: str) -> tuple[np.ndarray, bool]:
    """The raster's values on cells as small as its own, 1 beside it; whether any lies on the map."""
    x0, y0, x1, y1 = terrain.extent
    ny, nx = _shape(terrain, raster)
    known = terrain.mobility.shape if terrain.mobility is not None else terrain.heights.shape
    if ny * nx < known[0] * known[1]:
        ny, nx = known
    too_fine = f"must be coarser: the map has {ny * nx:,} cells of that size, and {MOST_CELLS:,} are the most"
    require(ny * nx <= MOST_CELLS, where, raster.spacing, too_fine)
    x, y = np.meshgrid(np.linspace(x0, x1, nx), np.linspace(y0, y1, ny))
    places = np.column_stack([x.ravel(), y.ravel()])
    places = raster.frame.from_frame(terrain.frame, places)
    cell = np.round((places - raster.origin) / raster.spacing).astype(int)
    rows, columns = values.shape
    on = (cell >= 0).all(axis=1) & (cell[:, 0] < columns) & (cell[:, 1] < rows)
    found = np.ones(len(places))
    found[on] = values[cell[on, 1], cell[on, 0]]
    return found.reshape(ny, nx), bool(on.any())


def _shape(terrain: Terrain, raster: Elevation) -> tuple[int, int]:
    """How many cells, up and across, so that none of the raster's falls between them."""
    rows, columns = terrain.heights.shape
    middle = 0.5 * (np.array(terrain.extent[:2]) + terrain.extent[2:])
    steps = middle + np.vstack([np.zeros(2), np.diag(terrain.spacing)])
    skew = 1.0 if terrain.frame == raster.frame else 1.5  # they may be turned against each other
    steps = raster.frame.from_frame(terrain.frame, steps)
    across, up = (np.abs((steps[k] - steps[0]) / raster.spacing).max() for k in (1, 2))
    times = max(1, int(np.ceil(skew * max(across, up) - 1e-6)))
    return times * (rows - 1) + 1, times * (columns - 1) + 1


def _nearest(raster: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A raster over the map on a grid of another fineness."""
    row, column = (
        np.floor(np.linspace(0.0, n - 1.0, m) + 0.5).astype(int).clip(0, n - 1)
        for n, m in zip(raster.shape, shape, strict=True)
    )
    found: np.ndarray = raster[np.ix_(row, column)]
    return found
