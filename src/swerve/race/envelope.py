"""What the car can do, found out by driving it: steady circles, full throttle, full brakes.

Its tyres slide before they give way, so what ends a fast circle is not the cap of their force but the drive:
a sliding car is held back by its own side force. That has no closed form; it is measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.clips import body_velocity

from .car import MAX_DRIVE, MAX_STEER, Car, CarParameters

SPEEDS = np.arange(8.0, 47.0, 2.0)  # [m/s] that are tried
SIDES = np.linspace(0.0, 24.0, 61)  # [m/s²] of circles whose steering is tried at each of them
SETTLE, WATCH = 8.0, 1.0  # [s] until a circle is steady, and in which it must stay so
STEADY = 0.01  # share by which its speed and its turning may change then
STEP = 0.01  # [s]
HASTE = 200.0  # [units/m] with which the drive makes up for speed that is lacking


@dataclass(frozen=True)
class Envelope:
    """Accelerations [m/s²] of a car at `speed` (n,) [m/s] while it turns with `side` (n, k) to the left.

    `drive` and `brake` (n, k) are those along its path with the pedal down, resistances included; where the
    circle cannot be held all three are nan. `lateral` (n,) is the largest that can; `top_speed` [m/s].
    """

    speed: np.ndarray
    side: np.ndarray
    drive: np.ndarray
    brake: np.ndarray
    top_speed: float

    @property
    def lateral(self) -> np.ndarray:
        return np.nanmax(self.side, axis=1)

    def drive_at(self, number: int, side: np.ndarray) -> np.ndarray:
        """Acceleration along the path at `speed[number]` in turns of `side`; nan where none can be held."""
        held = np.isfinite(self.side[number])
        order = np.argsort(self.side[number, held])
        known, drive = self.side[number, held][order], self.drive[number, held][order]
        return np.interp(side, known, drive, right=np.nan)


def measure(parameters: CarParameters | None = None) -> Envelope:
    """Drive circles of every speed and steering angle, all at once, until they are steady.

    >>> found = measure()
    >>> bool(40 < found.top_speed < 50), bool((found.lateral[found.speed < 40] > 9.8).all())
    (True, True)
    """
    car = Car(parameters)
    speed, side = np.meshgrid(SPEEDS, SIDES, indexing="ij")
    wheelbase = car.parameters.front_axle + car.parameters.rear_axle
    steer = np.minimum(np.arctan(wheelbase * side / speed**2), MAX_STEER)
    state = np.zeros((*speed.shape, 6))
    state[..., 3] = speed
    low, high = np.full((2, *speed.shape, 2), [[[[np.inf]]], [[[-np.inf]]]])
    lacking = np.zeros(speed.shape)  # [units] of drive that the sliding takes
    for k in range(round((SETTLE + WATCH) / STEP)):
        now = np.stack([np.hypot(state[..., 3], state[..., 4]), state[..., 5]], axis=-1)
        if k * STEP >= SETTLE:
            low, high = np.minimum(low, now), np.maximum(high, now)
        state = car.step(state, steer, *_pedals(car, speed, state, lacking), STEP)
        lacking = np.clip(lacking + HASTE * STEP * (speed - now[..., 0]), -MAX_DRIVE, MAX_DRIVE)
    held = (high - low <= STEADY * np.maximum(np.abs(high), 0.1)).all(axis=-1)
    held &= np.abs(high[..., 0] / speed - 1.0) < STEADY
    pace = np.hypot(state[..., 3], state[..., 4])
    changes = []
    for pedals in ((MAX_DRIVE, 0.0), (0.0, MAX_DRIVE)):
        after = car.step(state, steer, *pedals, STEP)
        changes.append((np.hypot(after[..., 3], after[..., 4]) - pace) / STEP)
    side, drive, brake = (np.where(held, v, np.nan) for v in (pace * state[..., 5], *changes))
    return Envelope(SPEEDS, side, drive, brake, top_speed(car.parameters))


def _pedals(
    car: Car, speed: np.ndarray, state: np.ndarray, lacking: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Throttle and brake that hold a speed: what the air takes, what is `lacking` on top, and the error."""
    p = car.parameters
    u = body_velocity(state.reshape(-1, 6))[:, 0].reshape(speed.shape)
    pace = np.hypot(state[..., 3], state[..., 4])
    wanted = (p.resistance * u + p.drag * u * u) / p.drive_gain + lacking + 400.0 * (speed - pace)
    wanted = np.clip(wanted, -MAX_DRIVE, MAX_DRIVE)
    return np.maximum(wanted, 0.0), np.maximum(-wanted, 0.0)


def top_speed(p: CarParameters) -> float:
    """[m/s] on the level, where air and rolling resistance take all of the drive."""
    most = p.drive_gain * MAX_DRIVE
    if p.drag <= 0.0:
        return most / p.resistance if p.resistance > 0.0 else np.inf
    return (np.sqrt(p.resistance**2 + 4 * p.drag * most) - p.resistance) / (2 * p.drag)
