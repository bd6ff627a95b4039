"""Reading elevation files: GeoTIFF, NumPy and ESRI ASCII grids. Nothing here executes or unpickles.

All come back the same way: heights (ny, nx) in metres with row 0 in the south, voids as NaN, the spacing in
metres, the place of the south-western cell and where the map lies on the earth (`MapFrame`).
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.earth import metres_per_degree
from swerve.core.errors import BadInput
from swerve.core.files import existing
from swerve.core.untrusted import check_size, read_array, read_arrays

from .mapframe import FOOT, UNPLACED, MapFrame


@dataclass(frozen=True)
class Elevation:
    """Heights (ny, nx) [m], row 0 in the south; spacing and place of cell (0, 0) [m]. A `bare` grid does not
    tell its spacing."""

    heights: np.ndarray
    spacing: tuple[float, float]
    origin: tuple[float, float] = (0.0, 0.0)
    frame: MapFrame = UNPLACED
    bare: bool = False


LOWEST, HIGHEST = -12_000.0, 9_000.0  # [m] what lies beyond is a mark for "unknown"
# keys of a GeoTIFF's GeoKeyDirectory
MODEL_TYPE, RASTER_TYPE, GEOGRAPHIC, PROJECTED, LINEAR, VERTICAL = 1024, 1025, 2048, 3072, 3076, 4099


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
    heights[(heights < LOWEST) | (heights > HIGHEST)] = np.nan
    if not np.isfinite(heights).any():
        raise BadInput(f"{what} {path}", None, "every cell is void (not a finite number)")
    return replace(found, heights=heights)


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
    if dx < 0.1 and {"ymin", "ymax"} <= names:  # degrees
        corner = number("xmin", 0.0), number("ymin", 0.0)
        return _degrees(heights, dx, dy, corner)
    bare = not names & {"dx", "dy"}
    return Elevation(heights, (dx, dy), (number("x0", 0.0), number("y0", 0.0)), bare=bare)


def _tiff(path: Path) -> Elevation:
    """A GeoTIFF placed by a scale and a tie point, or by a transformation without rotation."""
    try:
        import tifffile
    except ImportError as error:
        raise BadInput(f"elevation file {path}", None, "needs tifffile: pip install tifffile") from error
    logging.getLogger("tifffile").setLevel(logging.CRITICAL)  # what is wrong is told by the error, once
    try:
        with tifffile.TiffFile(path) as file:
            page: Any = file.pages[0]
            check_size(math.prod(page.shape) * 8, path.stat().st_size)
            heights = np.asarray(page.asarray(), dtype=np.float64)
            tags = {tag.name: tag.value for tag in page.tags.values()}
    except tifffile.TiffFileError as error:
        raise BadInput(f"elevation file {path}", None, f"is not a TIFF file ({error})") from error
    if heights.ndim == 3:
        heights = heights[..., 0]
    void = tags.get("GDAL_NODATA")
    if void is not None:
        heights[heights == float(str(void).strip("\x00 "))] = np.nan
    dx, dy, west, north = _placed(path, tags)
    keys = _keys(tags)
    heights = heights * FOOT.get(keys.get(VERTICAL, 0), 1.0)
    shift = 0.0 if keys.get(RASTER_TYPE) == 2 else 0.5  # of a cell, to its middle
    x0, y0 = west + shift * dx, north - (len(heights) - 1 + shift) * dy
    if keys.get(MODEL_TYPE) == 2:
        code = keys.get(GEOGRAPHIC, 4326)
        return _degrees(heights[::-1], dx, dy, (x0, y0), "" if code == 32767 else f"EPSG:{code}")
    unit = FOOT.get(keys.get(LINEAR, 0), 1.0)
    code = keys.get(PROJECTED, 0)
    frame = MapFrame("" if code in (0, 32767) else f"EPSG:{code}", unit)
    return Elevation(heights[::-1], (dx * unit, dy * unit), (x0 * unit, y0 * unit), frame)


def _placed(path: Path, tags: dict[str, Any]) -> tuple[float, float, float, float]:
    """Size of a cell, and the west and north edge of the raster, in the map's units."""
    matrix = tags.get("ModelTransformationTag")
    if matrix is not None:
        m = np.array(matrix, dtype=float).reshape(4, 4)
        if m[0, 1] or m[1, 0] or m[0, 0] <= 0 or m[1, 1] >= 0:
            raise BadInput(f"elevation file {path}", m[:2, :2].tolist(), "must be north up and not rotated")
        return float(m[0, 0]), float(-m[1, 1]), float(m[0, 3]), float(m[1, 3])
    dx, dy, *_ = tags.get("ModelPixelScaleTag", (1.0, 1.0, 0.0))
    tie = tags.get("ModelTiepointTag")
    if tie is None:  # nothing is said: the south-western cell lies at 0, 0
        rows = int(tags.get("ImageLength", 1))
        return float(dx), float(dy), -0.5 * dx, (rows - 0.5) * dy
    return float(dx), float(dy), float(tie[3] - tie[0] * dx), float(tie[4] + tie[1] * dy)


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
    cell = keys["cellsize"]
    middle = 0.0 if "xllcenter" in keys else 0.5 * cell
    x0 = keys.get("xllcenter", keys.get("xllcorner", -middle)) + middle
    y0 = keys.get("yllcenter", keys.get("yllcorner", -middle)) + middle
    crs = _crs_beside(path)
    if cell < 0.1:
        return _degrees(heights[::-1], cell, cell, (x0, y0), crs or "EPSG:4326")
    return Elevation(heights[::-1], (cell, cell), (x0, y0), MapFrame(crs))


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


def _keys(tags: dict[str, Any]) -> dict[int, int]:
    """The short values of the GeoKeyDirectory."""
    keys = tags.get("GeoKeyDirectoryTag", ())
    return {int(keys[k]): int(keys[k + 3]) for k in range(4, len(keys) - 3, 4) if keys[k + 1] == 0}


def _crs_beside(path: Path) -> str:
    """The coordinate system of a .prj file beside a grid, as EPSG where pyproj finds it."""
    beside = path.with_suffix(".prj")
    if not beside.exists():
        return ""
    text = beside.read_text(encoding="utf-8", errors="replace").strip()
    try:
        from pyproj import CRS

        found = CRS.from_user_input(text)
        code = found.to_epsg(min_confidence=25)
        return f"EPSG:{code}" if code else str(found.to_wkt())
    except Exception:  # without pyproj, or of a dialect it does not read
        return ""
