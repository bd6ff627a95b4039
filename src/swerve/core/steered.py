"""Bodies that are told a heading and a speed, whatever moves them.

A cyclist in full physics, a rider on a map and a car with somebody at the wheel take the same commands, so
one chooser steers any of them: (n, 2), absolute heading [rad] and speed [m/s].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from .bodies import Bodies, PlainBodies, PlainBody
from .errors import BadInput, require
from .motion import Motion
from .predict import Predictor, going_on, sliding_on

AIM = "target_heading"  # what motions call the heading [rad] that bodies were last told


@runtime_checkable
class Steerable(Protocol):
    """A kind of body that is told a heading and a speed.

    A turn command a means: the wanted heading is the yaw at the moment of the command plus a.
    """

    name: str
    speed: float  # [m/s] nominal
    turns: tuple[float, float]  # [rad] range of turn commands
    outline: tuple[float, float, float]  # [m] length, width, height

    @property
    def kind(self) -> str:
        """The word for it in recordings and pictures."""
        ...

    @property
    def radius(self) -> float:
        """[m] half its length, for spacing and drawing."""
        ...

    @property
    def sideways(self) -> str:
        """What besides its yaw rate tells its future: `roll`, or the extra `slip`."""
        ...

    def start(self, count: int, threads: int = 1) -> SteeredBodies:
        """A batch at the origin, heading +x, settled at nominal speed."""
        ...


class SteeredBodies(Bodies):
    """A batch that takes headings and speeds. A subclass says how it moves, in `advance`.

    `period` [s] is what it moves on by at least; `predictor` tells where turns lead, `told` (n, 2) are
    the last commands.
    """

    told: np.ndarray
    predictor: Predictor | None = None

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        """Go on for `seconds` towards absolute headings [rad] at speeds [m/s], both (n,)."""
        raise TypeError(f"{type(self).__name__} does not move its bodies: it lacks advance()")

    def put(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> None:
        """Move the bodies to x, y [m] with headings yaw [rad], which they keep until told others; their
        state is otherwise kept."""
        raise TypeError(f"{type(self).__name__} cannot be put anywhere: it lacks put()")

    def go_at(self, speed: np.ndarray) -> None:
        """Let bodies that go straight on do so at `speed` (n,) [m/s]; those that know one speed alone keep
        it."""

    def snapshot(self) -> np.ndarray:
        """Everything there is to know, (n, size) float64; restoring it repeats the future bit for bit."""
        raise TypeError(f"{type(self).__name__} keeps no snapshots: it lacks snapshot()")

    def restore(self, rows: np.ndarray) -> None:
        """Go back to a snapshot, (n, size)."""
        raise TypeError(f"{type(self).__name__} keeps no snapshots: it lacks restore()")

    def freedoms(self) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of all degrees of freedom and of their rates (k), and their values (n, k)."""
        raise TypeError(f"{type(self).__name__} does not tell its freedoms: it lacks freedoms()")

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        """Without commands they go on as they were told last."""
        told = self.told if commands is None else np.asarray(commands, dtype=np.float64)
        if told.shape != (len(self), 2):
            raise BadInput("commands", told.shape, f"must be headings and speeds, {(len(self), 2)}")
        self.advance(told[:, 0], told[:, 1], dt)

    def foresee(self, times: np.ndarray) -> np.ndarray:
        """By the predictor, turning as they were told last; without one, as they move now. Whoever fell
        slides on to a halt."""
        motion = self.motion()
        if self.predictor is None:
            return going_on(motion, times)
        poses = self.predictor.foresee(motion, self.told[:, 0] - motion.yaw, times)
        down = np.flatnonzero(motion.fell)
        poses[down] = sliding_on(motion[down], times)
        return poses

    def ticks(self, seconds: float) -> int:
        """How many periods `seconds` are; a fraction is refused."""
        ticks = round(seconds / self.period)
        if ticks < 0 or abs(ticks * self.period - seconds) > 1e-6:
            raise BadInput("seconds", seconds, f"must be a multiple of {self.period} s, not negative")
        return ticks


@dataclass(kw_only=True)
class SteeredBody(PlainBody):
    """A steerable body in a few lines: rows of numbers, and a function that moves them on.

    `move(rows (n, k), commands (n, 2), period)` gets headings and speeds. The columns hold yaw_rate too;
    roll, roll_rate, slip, slip_rate and fell are used where they are present.
    """

    speed: float
    turns: tuple[float, float]
    period: float = 0.01  # [s]

    def __post_init__(self) -> None:
        super().__post_init__()
        require("yaw_rate" in self.names, f"body {self.name}, names", "yaw_rate", "must hold")
        for what, value in (("speed", self.speed), ("period", self.period)):
            require(
                bool(np.isfinite(value) and value > 0), f"body {self.name}, {what}", value, "must be positive"
            )

    @property
    def kind(self) -> str:
        return self.name

    @property
    def radius(self) -> float:
        return self.outline[0] / 2

    @property
    def sideways(self) -> str:
        return "slip" if "slip" in self.names else "roll"

    def start(self, count: int, threads: int = 1) -> PlainSteered:
        return PlainSteered(self, count)


class PlainSteered(PlainBodies, SteeredBodies):
    """A batch of one `SteeredBody`."""

    def __init__(self, body: SteeredBody, count: int):
        super().__init__(body, count)
        self.period = body.period
        self.told = np.column_stack([np.zeros(count), np.full(count, body.speed)])

    def put(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray, speed: float | None = None) -> None:
        PlainBodies.put(self, x, y, yaw, speed)
        self.told[:, 0] = yaw
        if speed is not None:
            self.told[:, 1] = speed

    def hasten(self, who: np.ndarray, speed: np.ndarray) -> None:
        """Let `who` (k,) of them, that move, go on as they do at `speed` (k,) [m/s]."""
        vx, vy = self._at["vx"], self._at["vy"]
        times = speed / np.maximum(np.hypot(self.rows[who, vx], self.rows[who, vy]), 1e-9)
        self.rows[who, vx] *= times
        self.rows[who, vy] *= times

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        SteeredBodies.step(self, commands, dt)

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        self.told = np.column_stack(np.broadcast_arrays(heading, speed, np.empty(len(self)))[:2])
        for _ in range(self.ticks(seconds)):
            PlainBodies.step(self, self.told, self.period)

    def motion(self) -> Motion:
        now = PlainBodies.motion(self)
        return replace(now, extras={**now.extras, AIM: self.told[:, 0].copy()})

    def freedoms(self) -> tuple[tuple[str, ...], np.ndarray]:
        return self.body.names, self.rows.copy()
