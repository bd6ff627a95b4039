"""What is seen of riders beside their places: heights, bars and limbs, noted frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from swerve.core.bodies import Bodies, Parts
from swerve.core.motion import Motion


@dataclass(frozen=True)
class Seen:
    """Over f frames of n riders: `z` (f, n) of the middle of the outline [m]; `steer` and `slip` (f, n)
    [rad], positive to the left, NaN where there is none; `parts` of those in full, a frame each."""

    z: np.ndarray
    steer: np.ndarray
    slip: np.ndarray
    parts: tuple[Parts | None, ...] = ()


@dataclass
class Watcher:
    """Notes down what is seen of a ride; `parts` says whether limbs are wanted."""

    ride: Bodies
    parts: bool = False
    frames: list[tuple[np.ndarray, np.ndarray, np.ndarray, Parts | None]] = field(default_factory=list)

    def note(self, motion: Motion) -> None:
        """A frame, with the motion that the ride has now."""
        steer, slip = motion.extra("steer", np.nan), motion.extra("slip", np.nan)
        self.frames.append((motion.z, steer, slip, self.ride.parts() if self.parts else None))

    def seen(self) -> Seen:
        z, steer, slip, parts = zip(*self.frames, strict=True)
        return Seen(np.array(z), np.array(steer), np.array(slip), parts if self.parts else ())
