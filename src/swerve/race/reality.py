"""How the real car differs from the one that is planned with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.errors import require

from .car import FRAME

ACTUATORS = 0.04  # [s] from a command to what the real car does about it

CALM = ((0.0, 0.3), (1.0, 4.0))  # how many times as slow hands are, by noise


@dataclass(frozen=True)
class Reality:
    """How the real car differs from the one that is planned with: `latency` [s] from looking to acting,
    `noise` of the sensors (1: half a metre, 3°, 1 m/s), `mismatch` of every constant at most, as a fraction.

    `physics` is false for the car that is planned with: no delay, no difference.
    """

    physics: bool = False
    latency: float = 0.0
    noise: float = 0.0
    mismatch: float = 0.0

    def __post_init__(self) -> None:
        require(0 <= self.latency <= 0.5, "latency", self.latency, "must be between 0 and 0.5 s")
        require(0 <= self.noise <= 1, "noise", self.noise, "must be between 0 and 1")
        require(0 <= self.mismatch < 0.5, "mismatch", self.mismatch, "must be between 0 and 0.5")

    @property
    def frames(self) -> int:
        """Frames from looking to what the car does about it, a part of one counted whole."""
        return int(np.ceil((self.latency + ACTUATORS) / FRAME - 1e-9)) if self.physics else 0

    @property
    def caution(self) -> float:
        """Share of its grip that a driver leaves unused who knows how little is known."""
        return min(0.5, 1.2 * self.mismatch + 0.5 * self.noise) if self.physics else 0.0

    @property
    def margin(self) -> float:
        """[m] to be kept from walls on top of what a sure driver keeps."""
        return 2.0 * self.mismatch + self.noise if self.physics else 0.0

    @property
    def calm(self) -> float:
        """How many times as slow hands are that do not follow the noise."""
        return float(np.interp(self.noise, *CALM)) if self.physics else 1.0

    @property
    def doubt(self) -> float:
        """[m/s] by which a driver is less sure, with the time ahead, of where its own car will be."""
        return self.mismatch + self.noise if self.physics else 0.0
