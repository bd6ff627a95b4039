"""What a world must offer so that the league's programs can play in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..eyes.pitch import Pitch

BLUE, YELLOW = 0, 1
TEAM, NUMBER, X, Y, HEADING, VX, VY, SPIN, TOUCHES = range(9)  # columns of robots


@dataclass(frozen=True)
class Order:
    """What a robot is told: a velocity [m/s] and spin [rad/s], ahead and to the left or, if `in_field`, along
    the field's x and y; a kick [m/s] at an angle up [rad], 0 for none; and whether the dribbler turns."""

    vx: float = 0.0
    vy: float = 0.0
    spin: float = 0.0
    in_field: bool = False
    kick: float = 0.0
    angle: float = 0.0
    dribble: bool = False


class Simulator(Protocol):
    """Metres, seconds, radians; the middle of the field is the origin; teams are 0 blue and 1 yellow."""

    @property
    def pitch(self) -> Pitch:
        """The field."""

    @property
    def time(self) -> float:
        """Seconds since it began."""

    def robots(self) -> np.ndarray:
        """(n, 9) team, number, x, y, heading, vx, vy, spin, and 1 where the dribbler has the ball."""

    def ball(self) -> np.ndarray:
        """(6,) place and velocity."""

    def place_robot(self, team: int, number: int, pose: np.ndarray | None, velocity: np.ndarray) -> bool:
        """Put a robot there, new if need be, or with None take it off; False if there cannot be such a
        one."""

    def place_ball(self, ball: np.ndarray) -> str | None:
        """Put the ball (6,) there, moving so; in words why not, if it cannot be."""

    def order(self, team: int, number: int, order: Order) -> str | None:
        """Tell a robot that is there what to do from now on; in words what of it is not done, if any."""

    def step(self, dt: float) -> None:
        """Let time pass."""
