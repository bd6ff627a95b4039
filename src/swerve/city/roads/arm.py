"""The end of a street at a junction, with its stop line and its crosswalk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .curves import Pose
from .roads import FREE

STOP_GAP = 1.0  # [m] between the stop line and the crosswalk
INNER_GAP = 0.5  # [m] between the crosswalk and where the kerb begins to bend


@dataclass(frozen=True)
class Arm:
    """The end of a street at a junction: where its dividing line stops, and which way is out [rad].

    `turns` says for every incoming lane, from the kerb, which turns it may take (None: the usual ones).
    """

    x: float
    y: float
    angle: float
    lanes_in: int
    lanes_out: int
    width: float = 3.5  # [m] of a lane
    limit: float = 13.9  # [m/s]
    control: int = FREE
    crosswalk: float = 0.0  # [m] wide; 0 for none
    turns: tuple[frozenset[int], ...] | None = None

    @property
    def run(self) -> float:
        """Straight way [m] that the crosswalk takes at the stop line."""
        return STOP_GAP + self.crosswalk + INNER_GAP if self.crosswalk else 0.0

    def entering(self, lane: int) -> Pose:
        """Pose at the stop line of an incoming lane."""
        aside = (self.lanes_in - lane - 0.5) * self.width
        return (
            self.x - aside * np.sin(self.angle),
            self.y + aside * np.cos(self.angle),
            self.angle + np.pi,
        )

    def leaving(self, lane: int) -> Pose:
        aside = (self.lanes_out - lane - 0.5) * self.width
        return self.x + aside * np.sin(self.angle), self.y - aside * np.cos(self.angle), self.angle
