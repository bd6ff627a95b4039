"""Pictures, cameras and colour tables of somebody's own: files in, files out."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.files import existing, write_json
from swerve.core.untrusted import parse_json

from .calibrate import share_of_lines
from .camera import Camera
from .detect import Detection, X, Y
from .pitch import PITCHES, Pitch, pitch_named
from .table import ColourTable, build_table, level_light, tiles_of

MOST_PIXELS = 50_000_000
LEAST_LINES = 0.3  # of the places on lines that a picture must show


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


def own_pitch(path: Path, picture: np.ndarray, camera: Camera, name: str | None) -> Pitch:
    """The field of that name, else the one whose lines fit best, if a picture shows its lines at all."""
    known = [pitch_named(name)] if name is not None else list(PITCHES.values())
    shares = [share_of_lines(picture, camera, pitch) for pitch in known]
    best = int(np.argmax(shares))
    why = "of the field's lines are where this camera should see them: it is another's, or not of this field"
    require(shares[best] >= LEAST_LINES, f"picture {path}", f"{100 * shares[best]:.0f} %", why)
    flipped = [np.ascontiguousarray(one) for one in (picture[:, ::-1], picture[::-1])]
    mirrored = max(share_of_lines(one, camera, known[best]) for one in flipped)
    require(
        mirrored <= shares[best], f"picture {path}", None, "is mirrored: patterns would be read backwards"
    )
    return known[best]


def on_carpet(seen: Detection, pitch: Pitch) -> Detection:
    """What lies on the carpet: places beyond it are mistakes."""
    half = np.array([pitch.length, pitch.width]) / 2 + pitch.margin
    robots = (np.abs(seen.robots[:, X : Y + 1]) <= half).all(axis=1)
    return Detection(seen.robots[robots], seen.balls[(np.abs(seen.balls[:, :2]) <= half).all(axis=1)])


def read_points(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Control points (n, 3) [m] and pixels (n, 2) from a table with the columns x, y, u, v and, if not all
    lie on the ground, z."""
    path = existing(path, "points")
    points, pixels = [], []
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            rows = csv.DictReader(stream)
            columns = rows.fieldnames or ()
            require({"x", "y", "u", "v"} <= set(columns), f"points {path}", columns, "must have x, y, u, v")
            for line, row in enumerate(rows, 2):
                try:
                    points.append([float(row["x"]), float(row["y"]), float(row.get("z") or 0.0)])
                    pixels.append([float(row["u"]), float(row["v"])])
                except (TypeError, ValueError) as error:
                    raise BadInput(
                        f"points {path}, line {line}", list(row.values()), "must be numbers"
                    ) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"points {path}", None, f"is no table ({error})") from error
    require(bool(points), f"points {path}", None, "has no rows")
    return np.array(points), np.array(pixels)


def save_camera(camera: Camera, path: str | Path) -> Path:
    numbers = {"lens": camera.lens, "turn": camera.turn, "place": camera.place}
    return write_json(path, {**numbers, "width": camera.width, "height": camera.height})


def load_camera(path: str | Path) -> Camera:
    path = existing(path, "camera")
    try:
        kept = parse_json(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise BadInput(f"camera {path}", None, f"is no JSON ({error})") from error
    require(isinstance(kept, dict), f"camera {path}", None, "must be an object")
    parts = []
    for name, size in (("lens", 5), ("turn", 3), ("place", 3)):
        try:
            part = np.array(kept.get(name), dtype=float)
        except (TypeError, ValueError) as error:
            raise BadInput(f"camera {path}, {name}", kept.get(name), "must be numbers") from error
        fits = part.shape == (size,) and bool(np.isfinite(part).all())
        require(fits, f"camera {path}, {name}", kept.get(name), f"must be {size} finite numbers")
        parts.append(part)
    for name in ("width", "height"):
        value = kept.get(name)
        fits = isinstance(value, int) and 1 <= value <= 20_000
        require(fits, f"camera {path}, {name}", value, "must be a whole number of pixels")
    require(
        parts[0][0] > 0 and parts[2][2] > 0.3,
        f"camera {path}",
        None,
        "must hang above the robots and have a lens",
    )
    return Camera(parts[0], parts[1], parts[2], kept["width"], kept["height"])
