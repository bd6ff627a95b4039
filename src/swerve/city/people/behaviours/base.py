"""What behaviours of people know, and where they may lead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require

from ...characters.behaviour import Steered
from ..crossing import Desk
from ..footing import Crowd
from ..paths.manager import PathManager


class Walkers(Steered, Protocol):
    """What a behaviour may know of the people it steers, every array (n,); `People` is it."""

    crowd: Crowd
    paths: PathManager
    desk: Desk
    heading: np.ndarray  # [rad]
    walking_speed: np.ndarray  # [m/s]
    alarmed: np.ndarray  # bool: hears a siren
    rest: np.ndarray  # [s] left of a wait at one's goal, or NaN
    arrivals: int
    rng: np.random.Generator

    @property
    def on_crosswalk(self) -> np.ndarray: ...

    def random_aims(self, rows: np.ndarray) -> np.ndarray: ...


Target: TypeAlias = ArrayLike | Callable[[Walkers], ArrayLike]  # (2,) or (n, 2) [m], or what gives them


def points_of(target: Target, people: Walkers) -> np.ndarray:
    """A target, one point for all or one for each, as (n, 2) [m]."""
    points = np.asarray(target(people) if callable(target) else target, float)
    count = len(people)
    good = points.shape in ((2,), (count, 2)) and bool(np.isfinite(points).all())
    require(good, "target", points.shape, f"must be one finite point or {count} of them")
    return np.broadcast_to(points, (count, 2))
