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
from swerve.core.kernels import kernel

from .patches import derivatives_at
from .regions import Region, rectangle
from .surface import Terrain
from .vehicle import Vehicle

EYE, TARGET = 3.0, 1.0  # [m] above ground: the watcher's eye, and what of a vehicle is seen
HIDDEN = 0.1  # what a second out of sight counts


@dataclass(frozen=True)
class Scene:
    """A terrain with a start, a goal, a vehicle and perhaps somebody who watches (x, y)."""

    terrain: Terrain
    start: tuple[float, float]
    goal: tuple[float, float]
    vehicle: Vehicle
    watcher: tuple[float, float] | None
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

    from swerve.core.earth import metres_per_degree

    sample: Any = get_sample_data("jacksboro_fault_dem.npz")
    with sample as data:
        heights = data["elevation"].astype(float)[::-1]
        dx, dy, north, south = (float(data[k]) for k in ("dx", "dy", "ymax", "ymin"))
    east, up = metres_per_degree((north + south) / 2)
    spacing = abs(dx) * east, abs(dy) * up
    part = heights[150:262, 120:254]
    terrain = Terrain.from_heights(part, spacing, fit="control", name="jacksboro")
    car = Vehicle(engine_force=9000.0, height_to_half_width=1.2, drag=0.9, top_speed=30.0, power=80e3)
    return Scene(terrain, (600.0, 9000.0), (9200.0, 800.0), car, (5000.0, 5000.0), (16, 16))


def watched_from(
    terrain: Terrain, watcher: Sequence[float], eye: float = EYE, hidden: float = HIDDEN
) -> Terrain:
    """The terrain with exposure 1 where a watcher at (x, y), `eye` [m] above ground, can see a target that
    reaches `TARGET` [m] above it.

    Elsewhere it is `hidden`: above zero, or routes would take any run-up to be faster where they are seen.
    """
    x, y = float(watcher[0]), float(watcher[1])
    if not terrain.contains(x, y):
        raise BadInput("watcher", (x, y), "lies outside the map")
    x0, y0, x1, y1 = terrain.extent
    seen = np.empty(terrain.heights.shape, dtype=np.bool_)
    frame = np.array([x0, y0, *terrain.spacing, x1, y1])
    _look(x, y, eye, TARGET, terrain.coefficients, frame, seen)
    return terrain.with_exposure(np.where(seen, 1.0, hidden))


@kernel
def _look(
    x: float, y: float, eye: float, target: float, spline: np.ndarray, frame: np.ndarray, seen: np.ndarray
) -> None:
    """Whether nothing stands in the line from an eye above (x, y) to a target above each node of the grid;
    the whole of the line is looked at, twice a cell."""
    top = derivatives_at(x, y, spline, frame)[0] + eye
    for row in range(seen.shape[0]):
        for column in range(seen.shape[1]):
            dx, dy = frame[0] + column * frame[2] - x, frame[1] + row * frame[3] - y
            rise = derivatives_at(x + dx, y + dy, spline, frame)[0] + target - top
            steps = int(np.ceil(2.0 * np.hypot(dx / frame[2], dy / frame[3]))) + 1
            seen[row, column] = True
            for k in range(1, steps):
                share = k / steps
                if derivatives_at(x + share * dx, y + share * dy, spline, frame)[0] > top + share * rise:
                    seen[row, column] = False
                    break


SCENES: dict[str, Callable[[], Scene]] = {
    "mountain": mountain,
    "mountain-obstacles": lambda: mountain(OBSTACLES, "mountain-obstacles"),
    "jacksboro": jacksboro,
}
