"""A town: a road network with the pavements and buildings around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..roads.roads import Roads


class Area(NamedTuple):
    """A convex piece of ground for people: ring (k, 2) [m] counter-clockwise, what it is, which crossing."""

    points: np.ndarray
    tag: str  # "pavement" or "crosswalk"
    crossing: int = -1


@dataclass(frozen=True)
class Town:
    """`paving` (q, 4, 2) [m]: convex pieces of pavement that meet edge to edge, with each other and with the
    crosswalks; `levels` (q, 4) [m]: how high its corners lie, NaN where that is as the road beside them;
    `obstacles`: rings of buildings; `surfaces`: rings of kerbs round the junctions; `notes`: what
    of a file was left out or mended; `lanes_unused`: how many of its lanes are too short or narrow;
    `breaks`: lanes that end though their road goes on;
    `reference` and `offset` (x, y, z [m], heading [rad]): how its metres were projected from the earth, if
    that is known."""

    name: str
    roads: Roads
    paving: np.ndarray = field(default_factory=lambda: np.zeros((0, 4, 2)))
    levels: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))
    obstacles: tuple[np.ndarray, ...] = ()
    surfaces: tuple[np.ndarray, ...] = ()
    notes: tuple[str, ...] = ()
    lanes_unused: int = 0
    breaks: tuple[int, ...] = ()
    reference: str = ""
    offset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

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


def _counter_clockwise(ring: np.ndarray) -> np.ndarray:
    x, y = ring.T
    doubled = np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
    return ring if doubled >= 0 else ring[::-1]
