"""Hubs: moments at which one clip of a move tree may follow another, straight ahead or in a steady turn.

In a steady turn the car goes round a circle at a held speed, with the sideslip, the steering and the drive
that keep it there. Which ones is solved for, frame by frame as clips are played, so that a turn that is
held for an hour ends with the very velocities it began with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .car import FRAME, MAX_DRIVE, MAX_STEER, CarParameters
from .pace import limits
from .rollout import ends

LATTICE = np.radians(5.0)  # headings of a tree are multiples of it
SKID = np.radians(20.0)  # sideslip from which a clip counts as a skid
STEADY = 1e-11  # |Δu| + |Δv| + |Δω| after a frame of a steady turn
FRAMES = range(4, 32)  # of the shortest clip that holds a turn
STEER_USED = 0.9  # of the full lock, in a steady turn
DRIVE_USED = 0.96 * MAX_DRIVE  # the rest is left for feedback
TRIES = 30
LEAST = 0.7  # of the yaw rate asked for


@dataclass(frozen=True)
class Hub:
    """Forward and sideways velocity [m/s], yaw rate [rad/s], and the steering [rad] and drive [units] that
    hold them; `frames` and `turn` [rad] of the shortest clip that holds a turn for a multiple of `LATTICE`.
    """

    name: str
    forward: float
    sideways: float = 0.0
    yaw_rate: float = 0.0
    steer: float = 0.0
    drive: float = 0.0
    frames: int = 0
    turn: float = 0.0

    @property
    def velocity(self) -> np.ndarray:
        return np.array([self.forward, self.sideways, self.yaw_rate])

    @property
    def state(self) -> np.ndarray:
        """At the origin (6,), pointing along x."""
        return np.array([0.0, 0.0, 0.0, *self.velocity])

    @property
    def slip(self) -> float:
        """[rad] from the nose to the course."""
        return float(np.arctan2(self.sideways, self.forward)) if self.forward else 0.0

    @property
    def lateral(self) -> float:
        """[m/s²] to the side of the path."""
        return float(np.hypot(self.forward, self.sideways) * self.yaw_rate)

    def mirrored(self, name: str) -> Hub:
        return replace(
            self,
            name=name,
            sideways=-self.sideways,
            yaw_rate=-self.yaw_rate,
            steer=-self.steer,
            turn=-self.turn,
        )


def turning_hub(name: str, speed: float, share: float, car: CarParameters) -> Hub | None:
    """The tightest left turn at forward `speed` [m/s] that needs at most `share` of what the car holds there
    and turns by a multiple of `LATTICE` in a few whole frames; None where there is none.

    >>> hub = turning_hub("mf1 left", 20.0, 0.97, CarParameters())
    >>> bool(15.0 < hub.lateral < 20.0)
    True
    """
    able = limits(car)
    most = share * float(np.interp(speed, able.speed, able.lateral)) / speed
    rates = {
        (steps * LATTICE / (frames * FRAME), -frames): (steps, frames)
        for frames in FRAMES
        for steps in range(1, 13)
        if steps * LATTICE / (frames * FRAME) <= most
    }
    for (rate, _), (steps, frames) in sorted(rates.items(), reverse=True):
        if rate < LEAST * most:
            return None
        found = _steady(speed, rate, car)
        if found is not None:
            sideways, steer, drive = found
            return Hub(name, speed, sideways, rate, steer, drive, frames, steps * LATTICE)
    return None


def _steady(speed: float, rate: float, car: CarParameters) -> tuple[float, float, float] | None:
    """Sideways velocity, steering and drive that hold a turn, by Newton's method through one frame of the
    physics; None where the car has not enough of one of them.
    """
    packed = car.packed()
    wheelbase = car.front_axle + car.rear_axle
    load = 0.5 * car.mass * car.gravity
    side = 0.5 * car.mass * speed * rate
    x = np.array([0.5 * wheelbase * rate + speed * side / (car.rear_stiffness * load), 0.0, 0.0])
    x[1] = x[0] / speed + 0.5 * wheelbase * rate / speed - side / (car.front_stiffness * load)
    x[2] = (car.resistance * speed + car.drag * speed**2 + 2 * side * abs(x[0]) / speed) / car.drive_gain
    nudge = np.array([1e-5, 1e-6, 1e-3])
    for _ in range(TRIES):
        rows = x + np.vstack([np.zeros(3), np.diag(nudge), -np.diag(nudge)])
        miss = _frame_on(rows, speed, rate, packed)
        if np.abs(miss[0]).sum() < STEADY:
            break
        slope = ((miss[1:4] - miss[4:]) / (2 * nudge[:, None])).T
        try:
            x = x - np.linalg.solve(slope, miss[0])
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(x).all() or abs(x[1]) > 2 * MAX_STEER or abs(x[0]) > speed:
            return None
    else:
        return None
    if abs(x[1]) > STEER_USED * MAX_STEER or abs(x[2]) > DRIVE_USED:
        return None
    return float(x[0]), float(x[1]), float(x[2])


def _frame_on(rows: np.ndarray, speed: float, rate: float, packed: np.ndarray) -> np.ndarray:
    """Change of velocity (n, 3) in a frame of cars whose sideways speed, steer and drive are `rows`."""
    starts = np.zeros((len(rows), 6))
    starts[:, 3], starts[:, 4], starts[:, 5] = speed, rows[:, 0], rate
    controls = np.stack([rows[:, 1], np.maximum(rows[:, 2], 0), np.maximum(-rows[:, 2], 0)], axis=-1)
    return ends(controls[:, None], starts, packed)[:, :3] - starts[:, 3:]
