"""Ready-made places: a mountain like the paper's, the same with obstacles, and a real one.

The paper shows its terrain only as a picture. `mountain` keeps what its numbers say: a square kilometre, a
peak in the middle too steep to cross, and passes between lower hills whose best times lie close together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

from .regions import Region, rectangle
from .surface import Terrain
from .vehicle import Vehicle


@dataclass(frozen=True)
class Scene:
    """A terrain with a start, a goal, a vehicle and somebody who watches (x, y)."""

    terrain: Terrain
    start: tuple[float, float]
    goal: tuple[float, float]
    vehicle: Vehicle
    watcher: tuple[float, float]
    grid: tuple[int, int] = (10, 10)
    cost: str = "time"


def scene(name: str) -> Scene:
    if name not in SCENES:
        raise BadInput("scene", name, f"must be one of {', '.join(SCENES)}")
    return SCENES[name]()


def mountain(regions: Sequence[Region] = (), name: str = "mountain") -> Scene:
    """(centre x, y, height, spread) [m] of each hill; spline patches of 25 m."""
    hills = (
        (500, 500, 190, 140),
        (780, 250, 70, 120),
        (230, 760, 75, 120),
        (700, 760, 55, 90),
        (330, 230, 45, 90),
        (80, 520, 25, 120),
        (930, 600, 30, 120),
        (520, 60, 30, 120),
        (480, 960, 30, 110),
    )

    def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.sum([h * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / s**2) for cx, cy, h, s in hills], axis=0)

    terrain = Terrain.from_function(height, (1000.0, 1000.0), 25.0, regions=regions, name=name)
    return Scene(terrain, (10.0, 10.0), (990.0, 990.0), Vehicle(), (700.0, 760.0))


OBSTACLES = (  # across the fastest ways of `mountain`
    rectangle(260, 560, 400, 700),
    rectangle(600, 290, 740, 420),
    rectangle(480, 720, 620, 830),
    rectangle(820, 560, 900, 720),
)


def jacksboro() -> Scene:
    """Ten kilometres of the Jacksboro fault in Tennessee, from matplotlib's sample data."""
    from matplotlib.cbook import get_sample_data

    from .mapframe import METRES_PER_DEGREE

    sample: Any = get_sample_data("jacksboro_fault_dem.npz")
    with sample as data:
        heights = data["elevation"].astype(float)[::-1]
        dx, dy, north, south = (float(data[k]) for k in ("dx", "dy", "ymax", "ymin"))
    spacing = (
        abs(dx) * METRES_PER_DEGREE * float(np.cos(np.radians((north + south) / 2))),
        abs(dy) * METRES_PER_DEGREE,
    )
    part = heights[150:262, 120:254]
    terrain = Terrain.from_heights(part, spacing, fit="control", name="jacksboro")
    car = Vehicle(engine_force=9000.0, height_to_half_width=1.2, drag=0.9, top_speed=30.0, power=80e3)
    return Scene(terrain, (600.0, 9000.0), (9200.0, 800.0), car, (5000.0, 5000.0), (16, 16))


def watched_from(
    terrain: Terrain, watcher: Sequence[float], eye: float = 3.0, hidden: float = 0.1
) -> Terrain:
    """The terrain with exposure 1 where a watcher at (x, y), `eye` [m] above ground, can see.

    Elsewhere it is `hidden`: above zero, or routes would take any run-up to be faster where they are seen.
    """
    x, y = float(watcher[0]), float(watcher[1])
    if not terrain.contains(x, y):
        raise BadInput("watcher", (x, y), "lies outside the map")
    ny, nx = terrain.heights.shape
    x0, y0, x1, y1 = terrain.extent
    gx, gy = np.meshgrid(np.linspace(x0, x1, nx), np.linspace(y0, y1, ny))
    ground = terrain.height(gx, gy)
    top = float(terrain.height(x, y)) + eye
    seen = np.ones((ny, nx), dtype=bool)
    for share in np.linspace(0.02, 0.98, max(nx, ny)):
        between = terrain.height(x + share * (gx - x), y + share * (gy - y))
        seen &= between <= top + share * (ground + 1.0 - top)
    return terrain.with_exposure(np.where(seen, 1.0, hidden))


SCENES: dict[str, Callable[[], Scene]] = {
    "mountain": mountain,
    "mountain-obstacles": lambda: mountain(OBSTACLES, "mountain-obstacles"),
    "jacksboro": jacksboro,
}
