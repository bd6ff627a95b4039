"""What a behaviour is: a goal turned into a steering force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require

from ..crossing import Desk
from ..footing import Crowd
from ..paths.manager import PathManager

RESPONSE = 0.5  # [s] in which a steering force brings about the velocity it stands for


class Walkers(Protocol):
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

    def __len__(self) -> int: ...

    @property
    def on_crosswalk(self) -> np.ndarray: ...

    def random_aims(self, rows: np.ndarray) -> np.ndarray: ...


Target: TypeAlias = ArrayLike | Callable[[Walkers], ArrayLike]  # (2,) or (n, 2) [m], or what gives them


class Steering(NamedTuple):
    """`force` (n, 2) [m/s²]; `active` (n,) whose force it is; `facing` (n,) [rad] or NaN: where to look."""

    force: np.ndarray
    active: np.ndarray
    facing: np.ndarray | None = None


@dataclass(kw_only=True)
class Behaviour:
    """`who` (n,) bool limits it to some; `intensity` weighs sums, `priority` (higher first) and `chance`
    order the other blends."""

    who: np.ndarray | None = None
    intensity: float = 1.0
    priority: int = 0
    chance: float = 1.0

    def velocity(self, people: Walkers) -> np.ndarray:
        """The velocity (n, 2) [m/s] it wants; NaN where it has nothing to say."""
        raise NotImplementedError

    def facing(self, people: Walkers) -> np.ndarray | None:
        """Where it wants people to look (n,) [rad], NaN for anywhere; None: it does not care."""
        return None

    def steer(self, people: Walkers) -> Steering:
        """The force that leads to the wanted velocity, never beyond the person's top speed."""
        wanted = np.asarray(self.velocity(people), float)
        active = np.isfinite(wanted).all(axis=1)
        if self.who is not None:
            active &= self.who
        speed = np.hypot(wanted[:, 0], wanted[:, 1])
        top = people.crowd.max_speed
        share = np.where(speed > top, top / np.maximum(speed, 1e-9), 1.0)[:, None]
        now = np.stack([people.crowd.vx, people.crowd.vy], -1)
        force = np.where(active[:, None], (wanted * share - now) / RESPONSE, 0.0)
        return Steering(force, active, self.facing(people))


def points_of(target: Target, people: Walkers) -> np.ndarray:
    """A target, one point for all or one for each, as (n, 2) [m]."""
    points = np.asarray(target(people) if callable(target) else target, float)
    count = len(people)
    good = points.shape in ((2,), (count, 2)) and bool(np.isfinite(points).all())
    require(good, "target", points.shape, f"must be one finite point or {count} of them")
    return np.broadcast_to(points, (count, 2))
