"""The values of a GeoTIFF: its first band, voids as NaN, in the unit that it tells."""

from __future__ import annotations

import logging
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.untrusted import check_size

from .mapframe import FOOT

VERTICAL = 4099  # the key of its GeoKeyDirectory that tells the unit of heights
PICTURES = (2, 5, 6, 8)  # RGB, CMYK, YCbCr, CIELAB
UNITS = {"ft": 9002, "foot": 9002, "feet": 9002, "us survey foot": 9003, "ftus": 9003, "us-ft": 9003}


def read_tiff(path: Path, what: str) -> tuple[np.ndarray, dict[str, Any], dict[int, int]]:
    """The first band (rows, columns), the tags by name and the short values of the GeoKeyDirectory."""
    try:
        import tifffile
    except ImportError as error:
        raise BadInput(what, None, "needs tifffile: pip install 'swerve[geotiff]'") from error
    logging.getLogger("tifffile").setLevel(logging.CRITICAL)  # what is wrong is told by the error, once
    try:
        with tifffile.TiffFile(path) as file:
            page: Any = file.pages[0]
            check_size(math.prod(page.shape) * 8, path.stat().st_size)
            picture = int(page.photometric) in PICTURES
            require(not picture, what, page.photometric.name, "is a picture, not one number a cell")
            raw = _first_band(page, what)
            tags = {tag.name: tag.value for tag in page.tags.values()}
    except tifffile.TiffFileError as error:
        raise BadInput(what, None, f"is not a TIFF file ({error})") from error
    values = raw.astype(np.float64)
    void = tags.get("GDAL_NODATA")
    if void is not None:
        mark: Any = float(str(void).strip("\x00 "))
        values[raw == (raw.dtype.type(mark) if raw.dtype.kind == "f" else mark)] = np.nan
    keys = _keys(tags)
    said = _said(str(tags.get("GDAL_METADATA", "")))
    values = values * float(said.get("scale", 1.0)) + float(said.get("offset", 0.0))
    unit = UNITS.get(said.get("unittype", "").lower(), keys.get(VERTICAL, 0))
    return values * FOOT.get(unit, 1.0), tags, keys


def _first_band(page: Any, what: str) -> np.ndarray:
    try:
        values = np.asarray(page.asarray())
    except (ValueError, ImportError) as error:
        hard = "imagecodecs" in str(error) or isinstance(error, ImportError)
        raise BadInput(
            what,
            page.compression.name,
            "is compressed in a way that needs pip install 'swerve[geotiff]'" if hard else f"({error})",
        ) from error
    return values.take(0, page.axes.index("S")) if values.ndim == 3 and "S" in page.axes else values


def _keys(tags: dict[str, Any]) -> dict[int, int]:
    keys = tags.get("GeoKeyDirectoryTag", ())
    return {int(keys[k]): int(keys[k + 3]) for k in range(4, len(keys) - 3, 4) if keys[k + 1] == 0}


def _said(metadata: str) -> dict[str, str]:
    """What GDAL's own tag says of the first band: scale, offset, unittype."""
    items = re.findall(r"<Item\b([^>]*)>([^<]*)</Item>", metadata)
    roles = ((re.search(r'\brole="(\w+)"', about), 'sample="0"' in about, text) for about, text in items)
    return {role[1].lower(): text.strip() for role, first, text in roles if role and first}
