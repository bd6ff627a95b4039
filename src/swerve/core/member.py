"""A batch in a world: its bodies, its mind, and what the world keeps of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .bodies import Bodies, Chooser, Parts
from .broadphase import WallMap
from .errors import BadInput, require
from .motion import Motion

PART_IDS = 1 << 24  # identities from here on are those of parts


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
    chosen: float = 0.0  # [s] of the world when its mind last chose, or came
    least_gap: float = np.inf  # [m] so far between any of its bodies and any other body
    way: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [m] that each body has covered
    age: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [s] that each body has been in the world
    height: float = 0.0  # [m] of the ground under the batch
    _motion: Motion | None = None

    @property
    def motion(self) -> Motion:
        """How its bodies move now; read once a frame, and only when somebody asks."""
        if self._motion is None:
            motion = self.bodies.motion()
            self._motion = replace(motion, z=motion.z + self.height) if self.height else motion
        return self._motion

    def parts(self) -> Parts | None:
        """Segments and wheels of its bodies, where they are in the world."""
        parts = self.bodies.parts()
        if parts is None or not self.height:
            return parts
        return replace(parts, motion=replace(parts.motion, z=parts.motion.z + self.height))

    def fit(self) -> None:
        """Bodies have come or gone at the end of the batch: what is kept of each follows."""
        n = len(self.bodies)
        for name in ("way", "age"):
            kept = getattr(self, name)[:n]
            setattr(self, name, np.append(kept, np.zeros(n - len(kept))))

    def moved(self) -> None:
        """Its bodies are elsewhere now."""
        self._motion = None

    def foresee(self, times: np.ndarray, now: float) -> np.ndarray:
        """Poses (n, k, 3) at `times` [s] from `now`: by the mind that has a plan, else by the bodies.

        A mind counts from when it last chose, or came; one that has no plan yet says None.
        """
        plans = getattr(self.chooser, "foresee", None)
        planned = None if plans is None else plans(times + (now - self.chosen))
        return self.bodies.foresee(times) if planned is None else planned


def check_batch(bodies: Bodies, chooser: Chooser | None, called: str, dt: float) -> None:
    """Refuse what no world can move, in a line."""
    if not isinstance(bodies, Bodies):
        hint = "; start a batch of it: body.start(1)" if hasattr(bodies, "start") else ""
        raise BadInput(called, type(bodies).__name__, f"must be a batch of bodies{hint}")
    if chooser is not None and not callable(getattr(chooser, "choose", None)):
        raise BadInput(f"{called}, chooser", type(chooser).__name__, "must have choose(view, dt)")
    if bodies.period and abs(dt - max(1, round(dt / bodies.period)) * bodies.period) > 1e-6:
        raise BadInput("dt", dt, f"must be a whole number of the {bodies.period:g} s by which {called} moves")
    motion = bodies.motion().checked(called)
    require(len(motion) == len(bodies), "motion", len(motion), f"must be of {len(bodies)} bodies")


def check_ids(ids: Sequence[int] | np.ndarray, count: int, taken: np.ndarray) -> np.ndarray:
    """Identities (n,) that nobody else has and that a recording can hold."""
    given = np.asarray(ids)
    require(len(given) == count, "ids", len(given), f"must be one for each of {count} bodies")
    whole = given.astype(np.int64)
    for bad, why in (
        (whole != given, "must be a whole number"),
        ((whole < 0) | (whole >= PART_IDS), f"must lie within 0 and {PART_IDS - 1}"),
        (np.isin(whole, taken), "is another body's already"),
    ):
        if bad.any():
            raise BadInput("ids", given[bad][0], why)
    values, times = np.unique(whole, return_counts=True)
    if (times > 1).any():
        raise BadInput("ids", int(values[times > 1][0]), "must not be given twice")
    return whole
