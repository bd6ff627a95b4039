"""How fast a line can be driven: at every point no faster than a steady turn of its bend holds, and between
the points no more than full throttle gains or full brakes lose in that turn.

This is the quasi-steady bound to hold a driver against. It is a bound in the sense of the trade: a car that
slides into a corner sideways may brake a little later than steady turns tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from swerve.core.kernels import kernel

from .car import MAX_DRIVE, CarParameters
from .envelope import top_speed
from .line_regulator import steady_turn

SPEEDS = 48  # levels of speed in the tables
SHARES = np.linspace(0.0, 1.0, 25)  # of the largest side acceleration at a speed
SLOWEST, FASTEST = 1.0, 250.0  # [m/s] of the tables: without drag and resistance a car gains speed for ever
GRIP_KEPT = 0.97  # of the tyres' cap, and of the steering angle that holds a turn
TRIES = 40  # bisections


@dataclass(frozen=True)
class Limits:
    """What a car holds in steady turns: at `speed` (m,) [m/s] up to `lateral` (m,) [m/s²] to the side, and at
    each of `SHARES` (k,) of it from `brake` to `drive` (m, k) [m/s²] along its path.
    """

    speed: np.ndarray
    lateral: np.ndarray
    drive: np.ndarray
    brake: np.ndarray

    def slower(self, factor: float) -> Limits:
        """For a driver who uses only this share of the grip sideways, and of the brakes."""
        return Limits(self.speed, factor * self.lateral, self.drive, factor * self.brake)


@lru_cache(maxsize=16)
def limits(parameters: CarParameters) -> Limits:
    """Work out the limits of a car from the balance of forces in a turn (`line_regulator.steady_turn`).

    >>> found = limits(CarParameters())
    >>> round(float(np.interp(30.0, found.speed, found.lateral)), 1)
    13.9
    """
    from .car import MAX_STEER

    speed = np.linspace(SLOWEST, min(FASTEST, 0.998 * top_speed(parameters)), SPEEDS)
    cap = GRIP_KEPT * parameters.max_grip * parameters.gravity
    low, high = np.zeros(SPEEDS), np.full(SPEEDS, cap)
    for _ in range(TRIES):
        side = (low + high) / 2
        _, steer, drive = _turn(speed, side, np.zeros(SPEEDS), parameters)
        held = (drive <= MAX_DRIVE * parameters.drive_gain) & (np.abs(steer) < GRIP_KEPT * MAX_STEER)
        low, high = np.where(held, side, low), np.where(held, high, side)
    lateral = low
    v, side = np.repeat(speed, len(SHARES)), (lateral[:, None] * SHARES).ravel()
    most = MAX_DRIVE * parameters.drive_gain
    gains = []
    for wanted in (most, -most):
        low, high = np.full(len(v), -40.0), np.full(len(v), 40.0)
        for _ in range(TRIES):
            gain = (low + high) / 2
            below = _turn(v, side, gain, parameters)[2] < wanted
            low, high = np.where(below, gain, low), np.where(below, high, gain)
        gains.append(low.reshape(SPEEDS, -1))
    return Limits(speed, lateral, np.maximum(gains[0], 0.0), gains[1])


def _turn(
    speed: np.ndarray, side: np.ndarray, gain: np.ndarray, parameters: CarParameters
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return steady_turn(speed, side / speed**2, gain, np.zeros((len(speed), 2)), parameters)


def speeds_along(
    bend: np.ndarray,
    spacing: float,
    limits: Limits,
    closed: bool,
    start: float | None = None,
    cap: np.ndarray | None = None,
) -> np.ndarray:
    """Speeds [m/s] (n,) at points of `bend` (n,) [1/m], `spacing` metres apart, none above `cap` (n,).

    `start` is the speed at the first point of an open line; without it any that the line allows.
    """
    most = np.full(len(bend), limits.speed[-1]) if cap is None else np.minimum(cap, limits.speed[-1])
    speed = np.minimum(most, cornering(np.abs(bend), limits))
    if closed:
        speed = np.tile(speed, 3)
        bend = np.tile(bend, 3)
    elif start is not None:
        speed[0] = min(speed[0], max(start, SLOWEST))
    arrays = limits.speed, limits.lateral, limits.drive, limits.brake
    _forwards(speed, np.abs(bend), spacing, *arrays)
    _backwards(speed, np.abs(bend), spacing, *arrays)
    n = len(most)
    return speed[n : 2 * n] if closed else speed


def seconds_along(speed: np.ndarray, spacing: float, closed: bool) -> float:
    """[s] to drive the line at these speeds."""
    ends = np.append(speed, speed[0]) if closed else speed
    return float((2 * spacing / (ends[1:] + ends[:-1])).sum())


def cornering(bend: np.ndarray, limits: Limits) -> np.ndarray:
    """The largest speed at which v²·bend is held; it need not fall with speed, so the table is searched."""
    fits = limits.lateral / limits.speed**2  # tightest bend at each speed, falling
    fits = np.minimum.accumulate(fits)
    return np.interp(-bend, -fits, limits.speed)


@kernel
def _look(table: np.ndarray, speeds: np.ndarray, lateral: np.ndarray, v: float, bend: float) -> float:
    m, k = table.shape
    at = (v - speeds[0]) / (speeds[1] - speeds[0])
    i = min(m - 2, max(0, int(at)))
    a = min(1.0, max(0.0, at - i))
    most = (1 - a) * lateral[i] + a * lateral[i + 1]
    share = min(1.0, v * v * bend / most) * (k - 1)
    j = min(k - 2, int(share))
    b = share - j
    low = (1 - b) * table[i, j] + b * table[i, j + 1]
    high = (1 - b) * table[i + 1, j] + b * table[i + 1, j + 1]
    return (1 - a) * low + a * high


@kernel
def _forwards(
    speed: np.ndarray,
    bend: np.ndarray,
    spacing: float,
    speeds: np.ndarray,
    lateral: np.ndarray,
    drive: np.ndarray,
    brake: np.ndarray,
) -> None:
    for i in range(len(speed) - 1):
        gain = _look(drive, speeds, lateral, speed[i], bend[i])
        speed[i + 1] = min(speed[i + 1], np.sqrt(speed[i] ** 2 + 2 * spacing * gain))


@kernel
def _backwards(
    speed: np.ndarray,
    bend: np.ndarray,
    spacing: float,
    speeds: np.ndarray,
    lateral: np.ndarray,
    drive: np.ndarray,
    brake: np.ndarray,
) -> None:
    for i in range(len(speed) - 1, 0, -1):
        loss = _look(brake, speeds, lateral, speed[i], bend[i])
        speed[i - 1] = min(speed[i - 1], np.sqrt(speed[i] ** 2 - 2 * spacing * loss))
