"""What a behaviour is, for people and vehicles alike: a goal turned into a steering force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from .columns import longer

RESPONSE = 0.5  # [s] in which a steering force brings about the velocity it stands for


class Steered(Protocol):
    """Bodies that behaviours steer."""

    def __len__(self) -> int: ...

    @property
    def ids(self) -> np.ndarray:
        """(n,) the characters"""
        ...

    @property
    def velocities(self) -> np.ndarray:
        """(n, 2) [m/s]"""
        ...

    @property
    def top_speeds(self) -> np.ndarray:
        """(n,) [m/s]"""
        ...

    @property
    def here(self) -> np.ndarray:
        """(n,) who is in the world now, and was not removed"""
        ...


T_contra = TypeVar("T_contra", bound=Steered, contravariant=True)


class Steering(NamedTuple):
    """`force` (n, 2) [m/s²]; `active` (n,) whose force it is; `facing` (n,) [rad] or NaN: where to look."""

    force: np.ndarray
    active: np.ndarray
    facing: np.ndarray | None = None


class Members(Protocol):
    """Characters that may change from step to step; a `Group` is it."""

    @property
    def members(self) -> np.ndarray:
        """Ids, ascending."""
        ...


@dataclass(kw_only=True)
class Share:
    """How a behaviour is blended with others: `who`, a group or (n,) bool (then newcomers are none of them),
    limits it to some; `intensity` weighs sums, `priority` (higher first) and `chance` order the other
    blends."""

    who: np.ndarray | Members | None = None
    intensity: float = 1.0
    priority: int = 0
    chance: float = 1.0

    def holds_for(self, bodies: Steered) -> np.ndarray:
        """Whose behaviour it is now (n,)."""
        if self.who is None:
            return bodies.here
        if isinstance(self.who, np.ndarray):
            return longer(self.who, len(bodies), False) & bodies.here
        return np.isin(bodies.ids, self.who.members) & bodies.here


@dataclass(kw_only=True)
class Behaviour(Share, Generic[T_contra]):
    """A goal of bodies of one kind; `velocity` is what to write for a new one."""

    def velocity(self, bodies: T_contra, /) -> np.ndarray:
        """The velocity (n, 2) [m/s] it wants; NaN where it has nothing to say."""
        raise NotImplementedError

    def facing(self, bodies: T_contra, /) -> np.ndarray | None:
        """Where it wants them to look (n,) [rad], NaN for anywhere; None: it does not care."""
        return None

    def steer(self, bodies: T_contra, /) -> Steering:
        """The force that leads to the wanted velocity, never beyond the body's top speed."""
        wanted = np.asarray(self.velocity(bodies), float)
        active = np.isfinite(wanted).all(axis=1) & self.holds_for(bodies)
        speed = np.hypot(wanted[:, 0], wanted[:, 1])
        top = bodies.top_speeds
        share = np.where(speed > top, top / np.maximum(speed, 1e-9), 1.0)[:, None]
        force = np.where(active[:, None], (wanted * share - bodies.velocities) / RESPONSE, 0.0)
        return Steering(force, active, self.facing(bodies))
