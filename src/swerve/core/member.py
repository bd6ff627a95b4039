"""A batch in a world: its bodies, its mind, and what the world keeps of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .bodies import Bodies, Chooser
from .broadphase import WallMap
from .motion import Motion


@dataclass
class Member:
    """A batch in a world, with its mind; `ids` (n,) are its bodies' identities in recordings."""

    name: str
    bodies: Bodies
    chooser: Chooser | None
    ids: np.ndarray
    walls: WallMap | None = None
    watched: bool = False
    commands: np.ndarray | None = None
    least_gap: float = np.inf  # [m] so far between any of its bodies and any other body
    way: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [m] that each body has covered
    _motion: Motion | None = None

    @property
    def motion(self) -> Motion:
        """How its bodies move now; read once a frame, and only when somebody asks."""
        if self._motion is None:
            self._motion = self.bodies.motion()
        return self._motion

    def moved(self) -> None:
        """Its bodies are elsewhere now."""
        self._motion = None

    def foresee(self, times: np.ndarray) -> np.ndarray:
        """Poses (n, k, 3) at `times` [s] from now: by the mind that has a plan, else by the bodies."""
        planned = getattr(self.chooser, "foresee", None)
        return planned(times) if planned is not None else self.bodies.foresee(times)
