"""What the ground is like: mobility from GeoJSON polygons, or from a raster of mobility or land cover.

A raster with numbers from 0 to 1 is mobility itself; one of whole numbers above that is land cover, whose
classes a table turns into mobility. It is laid over the map by coordinates, each cell taking the nearest.
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
    laid, covered = _laid(terrain, raster, values)
    require(covered, f"{what} {path}", None, "does not lie over the map")
    if terrain.mobility is not None:
        laid = np.minimum(laid, terrain.mobility)
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


def _laid(terrain: Terrain, raster: Elevation, values: np.ndarray) -> tuple[np.ndarray, bool]:
    """The raster's values at the cells of the terrain, 1 beside it; whether any lies on it."""
    x0, y0, x1, y1 = terrain.extent
    ny, nx = terrain.heights.shape
    x, y = np.meshgrid(np.linspace(x0, x1, nx), np.linspace(y0, y1, ny))
    places = np.column_stack([x.ravel(), y.ravel()])
    if terrain.frame != raster.frame:
        earth = terrain.frame.lonlat(places)
        there = None if earth is None else raster.frame.from_lonlat(earth)
        places = places if there is None else there
    cell = np.round((places - raster.origin) / raster.spacing).astype(int)
    rows, columns = values.shape
    on = (cell >= 0).all(axis=1) & (cell[:, 0] < columns) & (cell[:, 1] < rows)
    found = np.ones(len(places))
    found[on] = values[cell[on, 1], cell[on, 0]]
    return found.reshape(ny, nx), bool(on.any())
