"""Ground with heights, as the metadata of a recording holds it: `relief` is {"extent": [x0, y0, x1, y1],
"heights": rows from south to north of columns from west to east} [m]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import require

MOST = 1_000_000  # heights
WHAT = "recording, relief"


class Relief(NamedTuple):
    """Heights (rows, columns) [m] over x0, y0, x1, y1.

    >>> ground = Relief((0.0, 0.0, 10.0, 10.0), np.array([[0.0, 2.0], [4.0, 6.0]]))
    >>> ground.height(np.array([5.0]), np.array([0.0]))
    array([1.])
    """

    extent: tuple[float, float, float, float]
    heights: np.ndarray

    def corners(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The four heights around every place, by their numbers (4, n), and their weights (4, n)."""
        x0, y0, x1, y1 = self.extent
        rows, columns = self.heights.shape
        u = np.clip((x - x0) / (x1 - x0) * (columns - 1), 0, columns - 1)
        v = np.clip((y - y0) / (y1 - y0) * (rows - 1), 0, rows - 1)
        j, i = np.minimum(u.astype(int), columns - 2), np.minimum(v.astype(int), rows - 2)
        a, b, first = u - j, v - i, i * columns + j
        return (
            np.stack([first, first + 1, first + columns, first + columns + 1]),
            np.stack([(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b]),
        )

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """[m] at places (n,); beyond the edge that of the edge."""
        at, weight = self.corners(x, y)
        found: np.ndarray = (self.heights.ravel()[at] * weight).sum(axis=0)
        return found

    def settled(self, points: np.ndarray, rounds: int = 10) -> Relief:
        """Moved a little, so that it has about the heights of points (n, 3): between samples that are far
        apart they would lie above the ground or below it."""
        at, weight = self.corners(points[:, 0], points[:, 1])
        heights = self.heights.ravel().astype(float)
        share = np.bincount(at.ravel(), weight.ravel(), len(heights)).clip(1.0)
        for _ in range(rounds):
            off = points[:, 2] - (heights[at] * weight).sum(axis=0)
            heights += np.bincount(at.ravel(), (weight * off).ravel(), len(heights)) / share
        return Relief(self.extent, heights.reshape(self.heights.shape))

    def triangles(self) -> np.ndarray:
        """(m, 3, 3) corners [m]."""
        x0, y0, x1, y1 = self.extent
        rows, columns = self.heights.shape
        x, y = np.meshgrid(np.linspace(x0, x1, columns), np.linspace(y0, y1, rows))
        grid = np.stack([x, y, self.heights], axis=-1)
        a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
        return np.concatenate([np.stack(face, axis=2).reshape(-1, 3, 3) for face in ((a, b, c), (a, c, d))])

    def row(self) -> dict[str, Any]:
        """As it stands in metadata."""
        return {"extent": list(self.extent), "heights": np.round(self.heights, 2).tolist()}


def relief_of(meta: Mapping[str, Any]) -> Relief | None:
    """The relief of a recording's metadata, checked; None if it has none."""
    given = meta.get("relief")
    if given is None:
        return None
    require(isinstance(given, Mapping), WHAT, type(given).__name__, "must be an object")
    try:
        extent, heights = (np.array(given.get(name), dtype=float) for name in ("extent", "heights"))
    except (TypeError, ValueError):
        extent = heights = np.zeros(0)
    formed = extent.shape == (4,) and heights.ndim == 2 and min(heights.shape) >= 2 and heights.size <= MOST
    require(formed, WHAT, None, f"must have an extent of 4 numbers and a grid of 4 to {MOST} heights")
    finite = np.isfinite(extent).all() and np.isfinite(heights).all()
    require(bool(finite), WHAT, None, "must hold finite numbers")
    x0, y0, x1, y1 = extent.tolist()
    require(x0 < x1 and y0 < y1, WHAT, extent.tolist(), "must reach from x0, y0 to a larger x1, y1")
    return Relief((x0, y0, x1, y1), heights)
