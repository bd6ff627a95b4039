"""What a viewer of a drive needs to see: the ground in bands of height and in relief, closed regions, and the
ways."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from swerve.core.show.relief import Relief

from .route import Route
from .surface import Terrain

BANDS = 10  # of equal height, roles height-0 to height-9
SAMPLES = 120  # along a side of the map
POINTS = 300  # of a way


def scenery(terrain: Terrain, routes: Sequence[Route] = ()) -> dict[str, Any]:
    """`areas`, `lines` and `relief` for the metadata of a recording: bands from low to high, regions, ways
    and heights [m], which are about true along the ways."""
    from contourpy import contour_generator

    x0, y0, x1, y1 = terrain.extent
    xs, ys, z = _heights(terrain)
    low, span = float(z.min()), float(np.ptp(z))
    areas = [_area([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], "height-0")]
    if span > 0.5:
        bands = contour_generator(xs, ys, z, fill_type="OuterOffset")
        for k in range(1, BANDS):
            outlines: Any = bands.filled(low + k * span / BANDS, np.inf)  # points, and where rings start
            areas += [
                _area(_one_ring(points, starts), f"height-{k}")
                for points, starts in zip(*outlines, strict=True)
            ]
    for region in terrain.regions:
        areas.append(_area(region.corners, "obstacle" if region.mobility == 0 else "mud"))
    relief = Relief((x0, y0, x1, y1), z)
    if routes:
        relief = relief.settled(np.concatenate([route.path.points for route in routes]))
    lines = [_line(route.path.points) for route in routes]
    return {"areas": areas, "lines": lines, "relief": relief.row()}


def band_height(terrain: Terrain) -> float:
    """[m] of one band."""
    return float(np.ptp(_heights(terrain)[2])) / BANDS


def _heights(terrain: Terrain) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples of the ground: x (n,), y (n,) and z (n, n) [m]."""
    x0, y0, x1, y1 = terrain.extent
    xs, ys = np.linspace(x0, x1, SAMPLES), np.linspace(y0, y1, SAMPLES)
    return xs, ys, terrain.height(*np.meshgrid(xs, ys))


def _line(points: np.ndarray) -> dict[str, Any]:
    """A way, of at most `POINTS` points."""
    chosen = np.unique(np.linspace(0, len(points) - 1, POINTS).astype(int))
    return {"points": points[chosen, :2].round(2).tolist(), "role": "path"}


def _area(points: Any, role: str) -> dict[str, Any]:
    return {"points": np.round(points, 1).tolist(), "role": role}


def _one_ring(points: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """An outline and its holes as one ring: from the outline's end to every hole and back."""
    rings = [points[a:b] for a, b in pairwise(starts)]
    bridged = [part for hole in rings[1:] for part in (hole, points[:1])]
    return np.vstack([rings[0], *bridged])
