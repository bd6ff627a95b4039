"""What one may choose about people on foot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SPEED_SPREAD = 0.12  # of walking speeds, as a share


@dataclass(frozen=True)
class PeopleOptions:
    """`how` behaviours are blended ("priority", "intensity" or "dithering"), the `spread` of paces round
    everybody's own (a share), and `walls` (k, 4) [m] from x, y to x, y beside those of the place."""

    how: str = "priority"
    spread: float = SPEED_SPREAD
    walls: np.ndarray | None = None
