"""What a body is to everything that steers it: a batch of rides that take a heading and a speed.

Mobility maps, paths and herds know bodies through these three types only, so a cyclist, a car or a robot is
the same to them. A turn command a means: the desired heading is the yaw at the moment of the command plus a.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np


@dataclass(frozen=True)
class Motion:
    """How a batch of bodies moves now; every field is an array (n,)."""

    x: np.ndarray  # [m] centre of mass of rider and machine
    y: np.ndarray  # [m]
    z: np.ndarray  # [m]
    vx: np.ndarray  # [m/s]
    vy: np.ndarray  # [m/s]
    yaw: np.ndarray  # [rad] heading of the machine, unwrapped
    roll: np.ndarray  # [rad] lean of the machine, positive to the right
    yaw_rate: np.ndarray  # [rad/s]
    roll_rate: np.ndarray  # [rad/s]
    fell: np.ndarray  # bool


@runtime_checkable
class Ride(Protocol):
    """Bodies simulated in full, in one batch, never in contact with each other."""

    count: int
    step: float  # [s] control period

    def snapshot(self) -> np.ndarray:
        """Everything there is to know, (n, size) float64; restoring it repeats the future bit for bit."""
        ...

    def restore(self, rows: np.ndarray) -> None:
        """Go back to a snapshot, (n, size)."""
        ...

    def move(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> None:
        """Put the centres of mass at x, y [m] with headings yaw [rad]; the state is otherwise kept."""
        ...

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        """Ride for `seconds` towards absolute headings [rad] at speeds [m/s], both (n,)."""
        ...

    def motion(self) -> Motion:
        """How the bodies move now."""
        ...

    def freedoms(self) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of all degrees of freedom and of their rates (k), and their values (n, k)."""
        ...


@runtime_checkable
class Body(Protocol):
    """A kind of body."""

    name: str
    speed: float  # [m/s] nominal
    turns: tuple[float, float]  # [rad] range of turn commands
    radius: float  # [m] half its length, for spacing and drawing

    def ride(self, count: int, threads: int = 1) -> Ride:
        """A batch at the origin, heading +x, upright and settled at nominal speed."""
        ...
