"""Towns: a road network with the pavements and buildings around it, by name, seed or file."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from swerve.core.errors import BadInput

from .navigation.roads import Roads

_VEHICLES_PER_JUNCTION = 4.5  # of a winding town, whose side streets have one lane each way


class Area(NamedTuple):
    """A convex piece of ground for people: ring (k, 2) [m] counter-clockwise, what it is, which crossing."""

    points: np.ndarray
    tag: str  # "pavement" or "crosswalk"
    crossing: int = -1


@dataclass(frozen=True)
class Town:
    """`paving` (q, 4, 2) [m]: convex pieces of pavement that meet edge to edge, with each other and with the
    crosswalks; `obstacles`: rings of buildings; `surfaces`: rings of kerbs round the junctions."""

    name: str
    roads: Roads
    paving: np.ndarray = field(default_factory=lambda: np.zeros((0, 4, 2)))
    obstacles: tuple[np.ndarray, ...] = ()
    surfaces: tuple[np.ndarray, ...] = ()

    @cached_property
    def pavements(self) -> tuple[Area, ...]:
        """Everything that people may walk on: pavement pieces, then the crosswalks in their order."""
        walks = [
            Area(_counter_clockwise(c), "crosswalk", i) for i, c in enumerate(self.roads.crossings.corners)
        ]
        return (*(Area(_counter_clockwise(piece), "pavement") for piece in self.paving), *walks)

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 [m]."""
        x = np.concatenate([self.roads.x, self.paving[..., 0].ravel(), *(r[:, 0] for r in self.obstacles)])
        y = np.concatenate([self.roads.y, self.paving[..., 1].ravel(), *(r[:, 1] for r in self.obstacles)])
        return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def grid(
    columns: int = 5,
    rows: int = 5,
    block: float = 200.0,
    lanes: int = 2,
    signals: bool = True,
    left_hand: bool = False,
    pavements: bool = True,
) -> Town:
    """`columns` by `rows` junctions, `block` [m] apart, `lanes` each way.

    >>> town = grid(3, 2)
    >>> len(town.roads), town.roads.junctions
    (60, 6)
    """
    from .grid_town import plan_grid
    from .street_plan import build_town

    return build_town(plan_grid(columns, rows, block, lanes, signals, left_hand, pavements))


def town(
    seed: int = 0,
    columns: int = 7,
    rows: int = 6,
    spacing: float = 140.0,
    left_hand: bool = False,
    pavements: bool = True,
) -> Town:
    """A winding town for a seed: main streets, side streets, dead ends, lights, signs and houses."""
    from .winding_town import build_winding_town

    return build_winding_town(seed, columns, rows, spacing, left_hand, pavements)


def load_town(name: str | Path, seed: int = 0, left_hand: bool = False, vehicles: int | None = None) -> Town:
    """`grid`, `town`, a YAML or TOML scene file, or an OpenDRIVE file.

    A town is as large as so many vehicles need to flow.
    """
    if str(name) == "grid":
        return grid(left_hand=left_hand)
    if str(name) == "town":
        columns, rows = (7, 6) if vehicles is None else suitable_town(vehicles)
        return town(seed, columns, rows, left_hand=left_hand)
    if Path(name).suffix.lower() == ".xodr":
        from .opendrive import load_opendrive

        found = load_opendrive(name)
        if left_hand and not found.roads.left_hand:
            raise BadInput(str(name), None, "says itself that traffic keeps to the right")
        return found
    if Path(name).suffix.lower() in (".yaml", ".yml", ".toml"):
        from .scene_file import read_scene

        return read_scene(name, left_hand)
    raise BadInput("scene", str(name), "must be grid, town, a scene file or an .xodr file")


def suitable_town(vehicles: int) -> tuple[int, int]:
    """Columns and rows of a winding town in which so many vehicles flow, never less than 7 by 6.

    >>> suitable_town(100), suitable_town(1000)
    ((7, 6), (15, 14))
    """
    side = int(np.ceil(np.sqrt(vehicles / _VEHICLES_PER_JUNCTION)))
    return max(7, side), max(6, side - 1)


def _counter_clockwise(ring: np.ndarray) -> np.ndarray:
    x, y = ring.T
    doubled = np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
    return ring if doubled >= 0 else ring[::-1]
