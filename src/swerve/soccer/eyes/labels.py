"""Pixels with their colours: from a scene that is known, or from a file that a person filled in."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.files import existing
from swerve.core.kernels import kernel

from .camera import Camera
from .pattern import BALL_RADIUS, CENTRE_DOT, DOTS, PINK, ROBOT_HEIGHT, SIDE_DOT
from .pitch import Pitch
from .scene import BLUE, CARPET, COLOURS, DARK, GREEN, ORANGE, WHITE, YELLOW, Scene
from .scene import PINK as PINK_PAINT

INNER = 0.55  # of a dot's radius: pixels that have nothing else in them


def known_pixels(camera: Camera, scene: Scene, pitch: Pitch) -> np.ndarray:
    """Pixels u, v and their colour (n, 3) of a scene in which nothing moves."""
    spots: list[tuple[float, float, float, float, int]] = []  # x, y, z, radius, colour
    for pose, team, number in zip(scene.pose, scene.team, scene.number, strict=True):
        cos, sin = np.cos(pose[2]), np.sin(pose[2])
        spots.append((pose[0], pose[1], ROBOT_HEIGHT, CENTRE_DOT, BLUE if team == 0 else YELLOW))
        for dot, pink in zip(DOTS, PINK[number], strict=True):
            x, y = pose[0] + cos * dot[0] - sin * dot[1], pose[1] + sin * dot[0] + cos * dot[1]
            spots.append((x, y, ROBOT_HEIGHT, SIDE_DOT, PINK_PAINT if pink else GREEN))
        spots.append((pose[0] - 0.072 * cos, pose[1] - 0.072 * sin, ROBOT_HEIGHT, 0.008, DARK))
    if scene.ball is not None:
        spots.append((scene.ball[0], scene.ball[1], scene.ball[2], BALL_RADIUS, ORANGE))
    lines = _on_lines(pitch)
    clear = lines[_clear(lines, scene)]
    spots += [(x, y, 0.0, pitch.line / 2, WHITE) for x, y in clear.tolist()]
    half = np.array([pitch.length, pitch.width]) / 2 - 0.1
    grid = np.stack(np.meshgrid(*(np.arange(-h, h, 0.35) for h in half)), axis=-1).reshape(-1, 2)
    grid = grid[_clear(grid, scene)]
    away = np.abs(grid[:, None] - lines[None]).sum(axis=-1).min(axis=1)
    spots += [(x, y, 0.0, 0.02, CARPET) for x, y in grid[away > 0.15].tolist()]
    return _inside(camera, np.array(spots, dtype=float))


def _clear(points: np.ndarray, scene: Scene) -> np.ndarray:
    """Which places have no robot near that could hide them."""
    if not len(scene.pose):
        return np.ones(len(points), dtype=bool)
    away = points[:, None] - scene.pose[None, :, :2]
    return np.hypot(away[..., 0], away[..., 1]).min(axis=1) > 0.4


def read_labels(path: str | Path, width: int, height: int) -> np.ndarray:
    """Pixels u, v and colour (n, 3) of a table with the columns `u, v, colour`."""
    path = existing(path, "labels")
    found = []
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            rows = csv.DictReader(stream)
            require(
                {"u", "v", "colour"} <= set(rows.fieldnames or ()),
                f"labels {path}",
                rows.fieldnames,
                "must have the columns u, v, colour",
            )
            for line, row in enumerate(rows, 2):
                where = f"labels {path}, line {line}"
                if row["colour"] not in COLOURS[1:]:
                    raise BadInput(
                        f"{where}, colour", row["colour"], f"must be one of {', '.join(COLOURS[1:])}"
                    )
                try:
                    u, v = int(row["u"]), int(row["v"])
                except (TypeError, ValueError) as error:
                    raise BadInput(
                        f"{where}, u or v", (row["u"], row["v"]), "must be whole numbers"
                    ) from error
                require(0 <= u < width and 0 <= v < height, where, (u, v), f"is outside {width} × {height}")
                found.append((u, v, COLOURS.index(row["colour"])))
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"labels {path}", None, f"is no table ({error})") from error
    require(bool(found), f"labels {path}", None, "has no rows")
    return np.array(found)


def _inside(camera: Camera, spots: np.ndarray) -> np.ndarray:
    """Pixels well within discs (n, 5): x, y, z, radius, colour."""
    middle = camera.project(spots[:, :3])
    beside = camera.project(spots[:, :3] + spots[:, 3:4] * [1.0, 0.0, 0.0])
    reach = np.maximum(INNER * np.hypot(*(beside - middle).T), 0.5)
    size = np.array([camera.width, camera.height])
    shown = ((middle > -reach[:, None]) & (middle < size + reach[:, None])).all(axis=1)
    middle, reach = middle[shown], reach[shown]
    found = np.empty((int(((2 * reach + 1) ** 2).sum()) + 1, 3), dtype=np.int64)
    return found[: _fill(found, middle, reach, spots[shown, 4].astype(np.int64), size)]


@kernel
def _fill(
    found: np.ndarray, middle: np.ndarray, reach: np.ndarray, colours: np.ndarray, size: np.ndarray
) -> int:
    """Write down the pixels of a picture within each circle, and say how many they are."""
    count = 0
    for k in range(len(middle)):
        mu, mv, r = middle[k, 0], middle[k, 1], reach[k]
        for v in range(int(max(np.ceil(mv - r), 0)), int(min(np.floor(mv + r), size[1] - 1)) + 1):
            for u in range(int(max(np.ceil(mu - r), 0)), int(min(np.floor(mu + r), size[0] - 1)) + 1):
                if (u - mu) ** 2 + (v - mv) ** 2 <= r**2:
                    found[count, 0], found[count, 1], found[count, 2] = u, v, colours[k]
                    count += 1
    return count


def _on_lines(pitch: Pitch) -> np.ndarray:
    share = np.linspace(0.05, 0.95, 12)[None, :, None]
    segments = pitch.segments()[:, None]
    return (segments[..., :2] + share * (segments[..., 2:] - segments[..., :2])).reshape(-1, 2)
