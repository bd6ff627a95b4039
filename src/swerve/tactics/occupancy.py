"""Occupancy maps as ROS writes them: an image, and a YAML file that says where it lies and what is
occupied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib.image
import numpy as np
import yaml
from scipy.ndimage import distance_transform_edt

from swerve.core.errors import BadInput, require
from swerve.core.files import existing
from swerve.core.kernels import kernel
from swerve.core.untrusted import parse_yaml

DIAGONAL = 2.0**0.5  # of a cell
_FIELDS = ("image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh")


@dataclass(frozen=True)
class OccupancyMap:
    """`blocked` (rows, columns), the first row at the bottom; `clearance` [m] to the nearest blocked cell.

    What is not certainly free is blocked, and so is everything outside.
    """

    blocked: np.ndarray
    clearance: np.ndarray
    resolution: float  # [m] of a cell
    origin: tuple[float, float]  # of the lower left corner

    @classmethod
    def read(cls, path: str | Path) -> OccupancyMap:
        path = existing(path, "map")
        try:
            given = parse_yaml(path.read_text(encoding="utf-8"))
        except (yaml.YAMLError, ValueError) as error:
            raise BadInput(f"map {path}", None, f"is no YAML ({error})") from error
        require(isinstance(given, dict), f"map {path}", None, "must hold fields")
        lacking = [name for name in _FIELDS if name not in given]
        require(not lacking, f"map {path}", lacking, "lacks")
        image = existing(path.parent / str(given["image"]), "image")
        try:
            shades = np.asarray(matplotlib.image.imread(image), dtype=float)
        except Exception as error:
            raise BadInput(f"map {path}, image", str(image), "is not a readable image") from error
        shades = shades / (255.0 if shades.max(initial=0.0) > 1.0 else 1.0)
        if shades.ndim == 3:
            shades = shades[:, :, : min(3, shades.shape[2])].mean(axis=2)
        try:
            resolution, free = float(given["resolution"]), float(given["free_thresh"])
            x, y, turned = (float(v) for v in given["origin"])
            negate = bool(int(given["negate"]))
        except (TypeError, ValueError) as error:
            raise BadInput(f"map {path}", None, f"must hold numbers ({error})") from error
        require(resolution > 0, f"map {path}, resolution", resolution, "must be positive")
        require(turned == 0, f"map {path}, origin", turned, "must not be turned; its yaw is")
        occupied = shades if negate else 1.0 - shades
        blocked = (occupied >= free)[::-1]
        padded = np.pad(blocked, 1, constant_values=True)
        clearance = resolution * distance_transform_edt(~padded)[1:-1, 1:-1]
        return cls(blocked, clearance, resolution, (x, y))

    def free(self, margin: float = 0.0) -> Callable[[np.ndarray], np.ndarray]:
        """A test of states whose first two columns are x, y: (b,) whether they lie in a free cell and keep
        that far [m] from all that are blocked.

        It has a `resolution`, half of which `swerve.plan` lets no motion pass unlooked at.
        """
        require(0 <= margin < np.inf, "margin", margin, "must be a distance")

        def test(states: np.ndarray) -> np.ndarray:
            places = (np.asarray(states, dtype=float)[:, :2] - self.origin) / self.resolution
            return _free(places, self.blocked, self.clearance / self.resolution, margin / self.resolution)

        test.resolution = self.resolution  # type: ignore[attr-defined]
        return test


@kernel
def _free(places: np.ndarray, blocked: np.ndarray, clearance: np.ndarray, margin: float) -> np.ndarray:
    """(b,) whether places keep the margin; all in cells, `clearance` from middle to middle. What lies outside
    is blocked."""
    result, (rows, columns) = np.zeros(len(places), dtype=np.bool_), blocked.shape
    reach = int(np.ceil(margin))
    for k in range(len(places)):
        x, y = places[k, 0], places[k, 1]
        if not (0.0 <= x < columns and 0.0 <= y < rows) or blocked[int(y), int(x)]:
            continue
        result[k] = True
        if margin == 0.0 or clearance[int(y), int(x)] > margin + DIAGONAL:
            continue
        for i in range(int(y) - reach, int(y) + reach + 1):
            for j in range(int(x) - reach, int(x) + reach + 1):
                if 0 <= i < rows and 0 <= j < columns and not blocked[i, j]:
                    continue
                dx, dy = max(j - x, x - j - 1.0, 0.0), max(i - y, y - i - 1.0, 0.0)
                if dx * dx + dy * dy < margin * margin:
                    result[k] = False
    return result
