"""What is seen of riders beside their places: heights, bars and limbs, noted frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from swerve.core.bodies import Parts

from ..bodies.body import Motion


@dataclass(frozen=True)
class Seen:
    """Over f frames of n riders: `z` (f, n) of the centre of mass [m], 0 on maps; `steer` (f, n) [rad],
    positive to the left, NaN where nobody knows; `parts` of the riders that are in full, a frame each."""

    z: np.ndarray
    steer: np.ndarray
    parts: tuple[Parts | None, ...] = ()


@dataclass
class Watcher:
    """Notes down what is seen of a ride; `parts` says whether limbs are wanted."""

    ride: object
    parts: bool = False
    frames: list[tuple[np.ndarray, np.ndarray, Parts | None]] = field(default_factory=list)

    def note(self, motion: Motion) -> None:
        """A frame, with the motion that the ride has now."""
        bar = getattr(self.ride, "steer", None)  # bodies in full have one, positive to the right
        steer = np.full(len(motion.x), np.nan) if bar is None else -bar
        limbs = getattr(self.ride, "parts", None) if self.parts else None
        self.frames.append((motion.z, steer, limbs() if limbs is not None else None))

    def seen(self) -> Seen:
        z, steer, parts = zip(*self.frames, strict=True)
        return Seen(np.array(z), np.array(steer), parts if self.parts else ())
