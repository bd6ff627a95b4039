"""The simple controller, the baseline: it steers back to its way like a point without momentum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.geometry import wrap
from swerve.core.motion import Motion

from ..maps.trials import DECIDE


@dataclass(frozen=True)
class Simple:
    """Heads for the direction of its way `ahead` seconds on, turned towards the way as if to reach it within
    `reach` [m]. It knows nothing of the body but the largest turn it may ask for. In a herd it takes others
    to stay where they are in it, or, if it is `foreseeing`, to go straight on as they move now.
    """

    turns_within: tuple[float, float]  # [rad]
    reach: float = 10.0
    ahead: float = DECIDE
    foreseeing: bool = False
    at_once: ClassVar[bool] = True  # it comes back to its way by itself

    def __post_init__(self) -> None:
        for what, value in (("reach", self.reach), ("ahead", self.ahead)):
            if not (np.isfinite(value) and value > 0):
                raise BadInput(what, value, "must be positive")

    @property
    def ticks(self) -> int:
        return max(round(self.ahead / DECIDE), 1)

    def turns(self, motion: Motion, reference: np.ndarray) -> np.ndarray:
        """Turn commands (n,) [rad] for a `reference` (n, m, 3); its first and last entries count."""
        near, far = reference[:, 0], reference[:, -1]
        c, s = np.cos(near[:, 2]), np.sin(near[:, 2])
        aside = c * (motion.y - near[:, 1]) - s * (motion.x - near[:, 0])
        heading = far[:, 2] - np.arctan(aside / self.reach)
        return np.clip(wrap(heading - motion.yaw), *self.turns_within)

    def foresee(self, motion: Motion, heading: np.ndarray, seconds: float) -> np.ndarray:
        """(n, 2) where riders will be `seconds` from now; what they were told makes no difference to it."""
        moved = seconds if self.foreseeing else 0.0
        return np.column_stack([motion.x + moved * motion.vx, motion.y + moved * motion.vy])
