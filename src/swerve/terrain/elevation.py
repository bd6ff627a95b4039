"""Reading elevation files: GeoTIFF, NumPy and ESRI ASCII grids. Nothing here executes or unpickles.

All come back the same way: heights (ny, nx) in metres with row 0 in the south, voids as NaN, the spacing in
metres, the place of the south-western cell and where the map lies on the earth (`MapFrame`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.earth import metres_per_degree
from swerve.core.errors import BadInput, require
from swerve.core.files import existing
from swerve.core.untrusted import read_array, read_arrays

from .geotiff import read_tiff
from .mapframe import FOOT, MOST_STRETCH, UNPLACED, MapFrame, unit_of


@dataclass(frozen=True)
class Elevation:
    """Heights (ny, nx) [m], row 0 in the south; spacing and place of cell (0, 0) [m]. A `bare` grid does not
    tell its spacing."""

    heights: np.ndarray
    spacing: tuple[float, float]
    origin: tuple[float, float] = (0.0, 0.0)
    frame: MapFrame = UNPLACED
    bare: bool = False


LOWEST, HIGHEST = -12_000.0, 9_000.0  # [m] what lies beyond is a mark for "unknown",
UNKNOWN = -9999.0  # and so is this, whether a file says so or not
MERCATOR = ("EPSG:3857", "EPSG:3395", "EPSG:900913")  # whose metres are true at the equator alone
# keys of a GeoTIFF's GeoKeyDirectory
MODEL_TYPE, RASTER_TYPE, GEOGRAPHIC, PROJECTED, LINEAR = 1024, 1025, 2048, 3072, 3076


def read_elevation(path: str | Path, what: str = "elevation file") -> Elevation:
    """Heights (or other values, `what` they are), spacing and origin from a file, chosen by its ending."""
    path = existing(path, what)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise BadInput(f"{what} {path}", path.suffix, f"must end in one of {', '.join(READERS)}")
    try:
        found = reader(path)
    except BadInput:
        raise
    except Exception as error:  # readers of others fail in many ways on files that are broken
        raise BadInput(f"{what} {path}", None, f"cannot be read ({error})") from error
    if found.heights.ndim != 2 or min(found.heights.shape) < 1:
        raise BadInput(f"{what} {path}", found.heights.shape, "must hold a grid of heights")
    if found.heights.dtype.kind not in "fiub":
        raise BadInput(f"{what} {path}", str(found.heights.dtype), "must hold numbers")
    if not all(0.0 < s < math.inf for s in found.spacing) or not np.isfinite(found.origin).all():
        raise BadInput(f"{what} {path}", found.spacing, "must have cells of a finite size above zero")
    heights = found.heights.astype(np.float64)
    void = (heights < LOWEST) | (heights > HIGHEST) | (heights == UNKNOWN)
    none = f"every cell is void (no number from {LOWEST:.0f} to {HIGHEST:.0f})"
    require(bool((np.isfinite(heights) & ~void).any()), f"{what} {path}", None, none)
    heights[void] = np.nan
    return _true_to_ground(f"{what} {path}", replace(found, heights=heights))


def _true_to_ground(what: str, found: Elevation) -> Elevation:
    """With metres as they are on the earth in the middle of the map, where its projection stretches them."""
    frame, spacing = found.frame, np.array(found.spacing)
    if frame.in_degrees or not frame.crs:
        return found
    middle = found.origin + 0.5 * spacing * (np.array(found.heights.shape[::-1]) - 1)
    lengths = frame.true_lengths((float(middle[0]), float(middle[1])))
    if lengths is None:
        known = frame.crs not in MERCATOR
        require(known, what, frame.crs, "has no metres: reproject it, or pip install 'swerve[maps]'")
        return found
    by = float(np.sqrt(lengths.prod()))
    if abs(by - 1.0) <= MOST_STRETCH:
        return found
    (dx, dy), (x, y) = by * spacing, by * np.array(found.origin)
    laid = replace(frame, unit=by * frame.unit, shrunk=by)
    return replace(found, spacing=(float(dx), float(dy)), origin=(float(x), float(y)), frame=laid)


def _npy(path: Path) -> Elevation:
    """A bare grid, row 0 in the south, one metre between cells."""
    return Elevation(read_array(path), (1.0, 1.0), bare=True)


def _npz(path: Path) -> Elevation:
    """`heights` (row 0 in the south) or `elevation` (row 0 in the north), with `dx`, `dy` or `spacing`."""
    archive = read_arrays(path)
    names = set(archive)
    if "heights" in names:
        heights = archive["heights"]
    elif "elevation" in names:
        heights = archive["elevation"][::-1]
    else:
        raise BadInput(f"elevation file {path}", sorted(names), "must hold 'heights' or 'elevation'")

    def number(name: str, default: float) -> float:
        return float(archive[name]) if name in names else default

    if "spacing" in names:
        both = np.broadcast_to(archive["spacing"], 2)
        place = number("x0", 0.0), number("y0", 0.0)
        return Elevation(heights, (float(both[0]), float(both[1])), place)
    dx, dy = abs(number("dx", 1.0)), abs(number("dy", 1.0))
    if dx < 0.1 and {"ymin", "ymax"} <= names:  # degrees; some call the northern edge ymin
        west, south = number("xmin", 0.0), min(number("ymin", 0.0), number("ymax", 0.0))
        return _degrees(heights, dx, dy, (west, south))
    bare = not names & {"dx", "dy"}
    return Elevation(heights, (dx, dy), (number("x0", 0.0), number("y0", 0.0)), bare=bare)


def _tiff(path: Path) -> Elevation:
    """A GeoTIFF placed by a scale and a tie point, or by a transformation, which may turn it."""
    heights, tags, keys = read_tiff(path, f"elevation file {path}")
    across, down, first = _placed(path, tags)
    if keys.get(RASTER_TYPE) != 2:  # the first cell's corner is told, not its middle
        first = first + 0.5 * (across + down)
    heights, across, up, corner = _upright(heights, across, down, first)
    dx, dy = float(np.hypot(*across)), float(np.hypot(*up))
    if abs(float(across @ up)) > 1e-6 * dx * dy:
        raise BadInput(
            f"elevation file {path}", [*across, *up], "must have rows at right angles to its columns"
        )
    turn = math.atan2(across[1], across[0])
    if keys.get(MODEL_TYPE) == 2:
        if turn:
            raise BadInput(
                f"elevation file {path}", turn, "must be north up: it is in degrees, and turned [rad]"
            )
        code = keys.get(GEOGRAPHIC, 4326)
        return _degrees(heights, dx, dy, corner, "" if code == 32767 else f"EPSG:{code}")
    code = keys.get(PROJECTED, 0)
    crs = "" if code in (0, 32767) else f"EPSG:{code}"
    unit = FOOT.get(keys[LINEAR], 1.0) if LINEAR in keys else unit_of(crs)
    if turn:
        return Elevation(heights, (dx * unit, dy * unit), (0.0, 0.0), MapFrame(crs, unit, None, corner, turn))
    place = corner[0] * unit, corner[1] * unit
    return Elevation(heights, (dx * unit, dy * unit), place, MapFrame(crs, unit))


def _placed(path: Path, tags: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a column and a row farther on is in the map's units (2,) each, and where the raster begins."""
    matrix = tags.get("ModelTransformationTag")
    if matrix is not None:
        m = np.array(matrix, dtype=float).reshape(4, 4)
        return m[:2, 0], m[:2, 1], m[:2, 3]
    dx, dy, *_ = tags.get("ModelPixelScaleTag", (1.0, 1.0, 0.0))
    across, down = np.array([float(dx), 0.0]), np.array([0.0, -float(dy)])
    tie = tags.get("ModelTiepointTag")
    if tie is None:  # nothing is said: the south-western cell lies at 0, 0
        rows = int(tags.get("ImageLength", 1))
        return across, down, np.array([-0.5 * dx, (rows - 0.5) * dy])
    return across, down, np.array(tie[3:5], dtype=float) - tie[0] * across - tie[1] * down


def _upright(
    heights: np.ndarray, across: np.ndarray, down: np.ndarray, first: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[float, float]]:
    """The raster with its row 0 to the right of its columns' direction, as seen along it, and x to the east
    where it is not turned: heights, what a column and a row farther on is, and the place of cell (0, 0)."""
    rows, columns = heights.shape
    if across[0] < 0.0 and across[1] == 0.0:  # mirrored, or upside down
        heights, first, across = heights[:, ::-1], first + (columns - 1) * across, -across
    if across[0] * down[1] - across[1] * down[0] < 0.0:
        heights, first, down = heights[::-1], first + (rows - 1) * down, -down
    return heights, across, down, (float(first[0]), float(first[1]))


def _ascii(path: Path) -> Elevation:
    """An ESRI ASCII grid: lines of keys, then rows from north to south; a .prj beside names the system."""
    keys: dict[str, float] = {}
    lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    for line in lines:
        words = line.split()
        if len(words) != 2 or not words[0][0].isalpha():
            break
        keys[words[0].lower()] = float(words[1])
    lines = lines[len(keys) :]
    if not any(line.strip() for line in lines):
        raise BadInput(f"elevation file {path}", None, "cannot be read (it holds no heights)")
    heights = np.loadtxt(lines, ndmin=2)
    for name, got in (("nrows", heights.shape[0]), ("ncols", heights.shape[1])):
        if name in keys and keys[name] != got:
            raise BadInput(f"elevation file {path}, {name}", keys[name], f"does not fit: it holds {got}")
    if "nodata_value" in keys:
        heights[heights == keys["nodata_value"]] = np.nan
    if "cellsize" not in keys and not {"dx", "dy"} <= set(keys):
        raise BadInput(f"elevation file {path}", sorted(keys), "must tell its cellsize")
    dx, dy = (keys.get(name, keys.get("cellsize", 0.0)) for name in ("dx", "dy"))  # GDAL's, of oblong cells
    half = (0.0, 0.0) if "xllcenter" in keys else (0.5 * dx, 0.5 * dy)
    x0 = keys.get("xllcenter", keys.get("xllcorner", -half[0])) + half[0]
    y0 = keys.get("yllcenter", keys.get("yllcorner", -half[1])) + half[1]
    crs, unit = _system_beside(path)
    if unit is None or (not crs and dx < 0.1):
        return _degrees(heights[::-1], dx, dy, (x0, y0), crs or "EPSG:4326")
    place = x0 * unit, y0 * unit
    return Elevation(heights[::-1], (dx * unit, dy * unit), place, MapFrame(crs, unit))


READERS: dict[str, Callable[[Path], Elevation]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".tif": _tiff,
    ".tiff": _tiff,
    ".asc": _ascii,
}


def _degrees(
    heights: np.ndarray, dx: float, dy: float, corner: tuple[float, float], crs: str = "EPSG:4326"
) -> Elevation:
    """A grid in degrees whose south-western cell lies at `corner` (longitude, latitude), laid flat."""
    middle = corner[1] + 0.5 * dy * (len(heights) - 1)
    if not (abs(corner[0]) <= 360.0 and abs(middle) < 90.0):
        raise BadInput("elevation file", corner, "must lie within 360° of longitude and 90° of latitude")
    east, up = metres_per_degree(middle)
    return Elevation(heights, (dx * east, dy * up), (0.0, 0.0), MapFrame(crs, latitude=middle, corner=corner))


def _system_beside(path: Path) -> tuple[str, float | None]:
    """The coordinate system of a .prj file beside a grid, as EPSG where pyproj finds it, and its unit [m];
    None for degrees."""
    beside = path.with_suffix(".prj")
    if not beside.exists():
        return "", 1.0
    text = beside.read_text(encoding="utf-8", errors="replace").strip()
    kind = re.match(r"\s*(GEOGCS|GEOGCRS|GEODCRS|PROJCS|PROJCRS)\b", text, re.IGNORECASE)
    units = re.findall(r"\bUNIT\s*\[\s*\"[^\"]*\"\s*,\s*([0-9.eE+-]+)", text, re.IGNORECASE)
    unit: float | None = float(units[-1]) if units and kind and kind[1].upper().startswith("PROJ") else 1.0
    if kind and kind[1].upper().startswith("GEO"):
        unit = None
    try:
        from pyproj import CRS

        found = CRS.from_user_input(text)
        code = found.to_epsg(min_confidence=25)
        crs = f"EPSG:{code}" if code else str(found.to_wkt())
        return crs, None if found.is_geographic else unit_of(crs)
    except Exception:  # without pyproj, or of a dialect it does not read
        return "", unit
