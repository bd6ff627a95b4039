"""Reading elevation files: GeoTIFF, NumPy and ESRI ASCII grids. Nothing here executes or unpickles.

All come back the same way: heights (ny, nx) in metres with row 0 in the south, voids as NaN, the spacing in
metres and the place of the south-western cell. Grids in degrees become metres at their middle latitude.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.files import existing

Elevation = tuple[np.ndarray, tuple[float, float], tuple[float, float]]

METRES_PER_DEGREE = 111_320.0  # [m] of latitude, mean
LOWEST, HIGHEST = -12_000.0, 9_000.0  # [m] what lies beyond is a mark for "unknown"


def read_elevation(path: str | Path) -> Elevation:
    """Heights, spacing and origin from a file, chosen by its ending."""
    path = existing(path, "elevation file")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise BadInput(f"elevation file {path}", path.suffix, f"must end in one of {', '.join(READERS)}")
    try:
        heights, spacing, origin = reader(path)
    except BadInput:
        raise
    except (ValueError, OSError, KeyError, IndexError, EOFError) as error:
        raise BadInput(f"elevation file {path}", None, f"cannot be read ({error})") from error
    if heights.ndim != 2:
        raise BadInput(f"elevation file {path}", heights.shape, "must hold a grid of heights")
    heights = heights.astype(np.float64)
    heights[(heights < LOWEST) | (heights > HIGHEST)] = np.nan
    if not np.isfinite(heights).any():
        raise BadInput(f"elevation file {path}", None, "every cell is void (not a finite number)")
    return heights, spacing, origin


def _npy(path: Path) -> Elevation:
    """A bare grid, row 0 in the south, one metre between cells."""
    return np.load(path, allow_pickle=False), (1.0, 1.0), (0.0, 0.0)


def _npz(path: Path) -> Elevation:
    """`heights` (row 0 in the south) or `elevation` (row 0 in the north), with `dx`, `dy` or `spacing`."""
    with np.load(path, allow_pickle=False) as archive:
        names = set(archive.files)
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
            return heights, (float(both[0]), float(both[1])), (number("x0", 0.0), number("y0", 0.0))
        dx, dy = abs(number("dx", 1.0)), abs(number("dy", 1.0))
        if dx < 0.1 and {"ymin", "ymax"} <= names:  # degrees
            dx, dy = _in_metres(dx, dy, 0.5 * (number("ymin", 0.0) + number("ymax", 0.0)))
        return heights, (dx, dy), (0.0, 0.0)


def _tiff(path: Path) -> Elevation:
    """A GeoTIFF with ModelPixelScale and ModelTiepoint; geographic coordinates are turned into metres."""
    try:
        import tifffile
    except ImportError as error:
        raise BadInput(f"elevation file {path}", None, "needs tifffile: pip install tifffile") from error
    try:
        with tifffile.TiffFile(path) as file:
            page: Any = file.pages[0]
            heights = np.asarray(page.asarray(), dtype=np.float64)
            tags = {tag.name: tag.value for tag in page.tags.values()}
    except tifffile.TiffFileError as error:
        raise BadInput(f"elevation file {path}", None, f"is not a TIFF file ({error})") from error
    if heights.ndim == 3:
        heights = heights[..., 0]
    void = tags.get("GDAL_NODATA")
    if void is not None:
        heights[heights == float(str(void).strip("\x00 "))] = np.nan
    dx, dy, *_ = tags.get("ModelPixelScaleTag", (1.0, 1.0, 0.0))
    tie = tags.get("ModelTiepointTag", (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    north = tie[4] + tie[1] * dy
    if _is_geographic(tags):
        dx, dy = _in_metres(dx, dy, north - 0.5 * dy * len(heights))
    return heights[::-1], (float(dx), float(dy)), (0.0, 0.0)


def _ascii(path: Path) -> Elevation:
    """An ESRI ASCII grid: six lines of keys, then rows from north to south."""
    keys: dict[str, float] = {}
    with path.open(encoding="ascii", errors="replace") as file:
        for line in file:
            words = line.split()
            if len(words) != 2 or not words[0][0].isalpha():
                break
            keys[words[0].lower()] = float(words[1])
    lines = path.read_text(encoding="ascii", errors="replace").splitlines()[len(keys) :]
    if not any(line.strip() for line in lines):
        raise BadInput(f"elevation file {path}", None, "cannot be read (it holds no heights)")
    heights = np.loadtxt(lines, ndmin=2)
    if "nodata_value" in keys:
        heights[heights == keys["nodata_value"]] = np.nan
    cell = keys["cellsize"]
    if cell < 0.1:
        dx, dy = _in_metres(cell, cell, keys.get("yllcorner", 0.0) + 0.5 * cell * len(heights))
        return heights[::-1], (dx, dy), (0.0, 0.0)
    return heights[::-1], (cell, cell), (0.0, 0.0)


READERS: dict[str, Callable[[Path], Elevation]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".tif": _tiff,
    ".tiff": _tiff,
    ".asc": _ascii,
}


def _in_metres(dx: float, dy: float, latitude: float) -> tuple[float, float]:
    return dx * METRES_PER_DEGREE * math.cos(math.radians(latitude)), dy * METRES_PER_DEGREE


def _is_geographic(tags: dict[str, Any]) -> bool:
    """GTModelTypeGeoKey (1024) is 2 for latitude and longitude."""
    keys = tags.get("GeoKeyDirectoryTag", ())
    return any(keys[k] == 1024 and keys[k + 3] == 2 for k in range(4, len(keys) - 3, 4))
