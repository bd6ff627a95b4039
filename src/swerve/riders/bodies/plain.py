"""Bodies in a few lines: a table of numbers and a function that moves it on.

Anything that can be written as rows of numbers and one step function becomes a body that mobility maps, paths
and herds can use: a car, a robot, a skater.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput

from .body import Motion

NEEDED = ("x", "y", "yaw", "vx", "vy", "yaw_rate")

StepFunction = Callable[[np.ndarray, np.ndarray, np.ndarray, float], np.ndarray]


@dataclass
class PlainBody:
    """`names` are the columns of a body's row, `start` (k,) its values at the origin, heading +x, settled at
    `speed`. `move_on(rows (n, k), heading (n,), speed (n,), step)` gives the rows one `step` [s] later.

    `names` must hold x, y, yaw, vx, vy (in the world) and yaw_rate; roll, roll_rate, z and fell are used
    where present; anything else is the body's own business.
    """

    name: str
    speed: float
    turns: tuple[float, float]
    radius: float
    names: tuple[str, ...]
    start: tuple[float, ...]
    move_on: StepFunction
    step: float = 0.01

    def __post_init__(self) -> None:
        missing = [name for name in NEEDED if name not in self.names]
        if missing:
            raise BadInput(
                f"body {self.name}, names", missing, "must hold x, y, yaw, vx, vy and yaw_rate; lacks"
            )
        if len(self.start) != len(self.names):
            raise BadInput(
                f"body {self.name}, start", len(self.start), f"must hold {len(self.names)} numbers"
            )
        for what, value in (("speed", self.speed), ("radius", self.radius), ("step", self.step)):
            if not (np.isfinite(value) and value > 0):
                raise BadInput(f"body {self.name}, {what}", value, "must be positive")

    def ride(self, count: int, threads: int = 1) -> PlainRide:
        return PlainRide(self, count)


class PlainRide:
    """A batch of plain bodies."""

    def __init__(self, body: PlainBody, count: int):
        if count < 1:
            raise BadInput("riders", count, "must be at least 1")
        self.body, self.count, self.step = body, count, body.step
        self.rows = np.tile(np.array(body.start, dtype=np.float64), (count, 1))
        self._at = {name: k for k, name in enumerate(body.names)}

    def snapshot(self) -> np.ndarray:
        return self.rows.copy()

    def restore(self, rows: np.ndarray) -> None:
        self.rows = np.array(rows, dtype=np.float64)

    def move(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> None:
        at, rows = self._at, self.rows
        turned = np.exp(1j * (np.asarray(yaw) - rows[:, at["yaw"]]))
        velocity = (rows[:, at["vx"]] + 1j * rows[:, at["vy"]]) * turned
        rows[:, at["x"]], rows[:, at["y"]], rows[:, at["yaw"]] = x, y, yaw
        rows[:, at["vx"]], rows[:, at["vy"]] = velocity.real, velocity.imag

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        heading = np.broadcast_to(np.asarray(heading, dtype=np.float64), self.count)
        speed = np.broadcast_to(np.asarray(speed, dtype=np.float64), self.count)
        for _ in range(round(seconds / self.step)):
            self.rows = self.body.move_on(self.rows, heading, speed, self.step)

    def motion(self) -> Motion:
        def column(name: str) -> np.ndarray:
            return self.rows[:, self._at[name]].copy() if name in self._at else np.zeros(self.count)

        fields = ("x", "y", "z", "vx", "vy", "yaw", "roll", "yaw_rate", "roll_rate")
        return Motion(**{name: column(name) for name in fields}, fell=column("fell") > 0)

    def freedoms(self) -> tuple[tuple[str, ...], np.ndarray]:
        return self.body.names, self.rows.copy()
