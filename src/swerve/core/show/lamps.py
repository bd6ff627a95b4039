"""Lamps for files that other programs open: which a body has, and when each of them is lit.

Like `solids`, they are triangles in a body's box of 1 × 1 × 1; they stand out a little, so as to be seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .looks import BRAKE, EMERGENCY, LEFT, RIGHT, STATE_SHIFT
from .solids import block
from .view import STATES

RED, AMBER, GREEN, BLUE = "#ff2d1f", "#ffa31a", "#25e06a", "#2f7bff"
COLUMN = {  # of a light: colour, how high, and at which states it is lit
    "red": (RED, 0.32, ("red", "stop", "red-amber")),
    "amber": (AMBER, 0.0, ("amber", "red-amber")),
    "green": (GREEN, -0.32, ("green", "walk")),
}


class Lamp(NamedTuple):
    """`faces` (m, 3, 3) and whether it is lit (frames,)."""

    name: str
    colour: str
    faces: np.ndarray
    lit: np.ndarray


def lamps_of(shape: str, flags: np.ndarray) -> list[Lamp]:
    """The lamps of a body of that shape that are lit at least once, by its flags (frames,) of a tape."""
    if shape == "light":
        states = np.array([*STATES, ""], object)[np.minimum(flags >> STATE_SHIFT, len(STATES))]
        made = [
            Lamp(name, colour, block((-0.58, -0.58, z - 0.15), (0.58, 0.58, z + 0.15)), np.isin(states, on))
            for name, (colour, z, on) in COLUMN.items()
        ]
    elif shape == "vehicle":
        behind = [block((-0.52, y - 0.11, -0.1), (-0.49, y + 0.11, 0.04)) for y in (-0.36, 0.36)]
        bar = block((-0.14, -0.36, 0.5), (-0.02, 0.36, 0.58))
        made = [
            Lamp("brake", RED, np.concatenate(behind), (flags & BRAKE) > 0),
            Lamp("left", AMBER, _corners(0.45), (flags & LEFT) > 0),
            Lamp("right", AMBER, _corners(-0.45), (flags & RIGHT) > 0),
            Lamp("emergency", BLUE, bar, (flags & EMERGENCY) > 0),
        ]
    else:
        made = []
    return [lamp for lamp in made if lamp.lit.any()]


def _corners(y: float) -> np.ndarray:
    """Indicators at both ends of one side."""
    ends = [block((x - 0.03, y - 0.07, -0.02), (x + 0.03, y + 0.07, 0.08)) for x in (-0.49, 0.49)]
    return np.concatenate(ends)
