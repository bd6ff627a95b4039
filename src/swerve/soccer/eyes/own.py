"""A colour table from somebody's own pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.files import existing

from .table import ColourTable, build_table, level_light, tiles_of

MOST_PIXELS = 50_000_000


def read_picture(path: str | Path, like: str | Path | None = None) -> np.ndarray:
    """Levels (height, width, 3) of a PNG file, the size of the picture `like`."""
    from PIL import Image, UnidentifiedImageError

    path = existing(path, "picture")
    try:
        with Image.open(path, formats=("PNG",)) as image:
            require(
                image.width * image.height <= MOST_PIXELS,
                f"picture {path}",
                image.size,
                "must be at most 50 megapixels",
            )
            if like is not None:
                with Image.open(like, formats=("PNG",)) as other:
                    require(
                        image.size == other.size,
                        f"picture {path}",
                        image.size,
                        f"must be of size {other.size}",
                    )
            return np.asarray(image.convert("RGB"))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"picture {path}", None, f"is no readable PNG ({error})") from error


def own_table(empty: np.ndarray, picture: np.ndarray, pixels: np.ndarray) -> tuple[ColourTable, float]:
    """The table, and the share of the labelled pixels (n, 3: u, v, colour) to which it gives their colour."""
    tiles, light = tiles_of(empty)
    levels = level_light(tiles, light, picture)[pixels[:, 1], pixels[:, 0]]
    table = build_table(levels, pixels[:, 2], empty)
    found = table.classify(picture)[pixels[:, 1], pixels[:, 0]]
    return table, float(np.mean(found == pixels[:, 2]))
