"""The sliding car with somebody at its wheel: it is told a heading and a speed, as riders are.

What a car does sideways is slip, which it keeps among the extras: it does not lean. It has fallen, in the
words of whoever steers bodies, when it has spun.
"""

from __future__ import annotations

import numpy as np

from swerve.core.steered import SteeredBody

from .car import HEIGHT, LENGTH, MAX_STEER, MAX_STEER_RATE, WIDTH, Car, CarParameters

SPEED = 20.0  # [m/s]
TURNS = (-1.2, 1.2)  # [rad]
SPUN = 1.2  # [rad] of sideslip from which there is no way back
SLOW = 3.0  # [m/s] below which slip is measured as if at this speed
NAMES = ("x", "y", "yaw", "vx", "vy", "yaw_rate", "slip", "slip_rate", "steer", "fell")


def heading_car(parameters: CarParameters | None = None) -> SteeredBody:
    """The sliding car with a driver who turns the wheel towards a heading and holds the speed."""
    car = Car(parameters)
    p = car.parameters

    def drive(rows: np.ndarray, commands: np.ndarray, step: float) -> np.ndarray:
        heading, speed = commands.T
        state, wheel, fell = rows[:, :6], rows[:, 8], rows[:, 9] > 0
        ahead, slip = _ahead(state), slip_of(state)
        turning = np.clip(2.5 * (heading - state[:, 2]), -1.3, 1.3)
        wanted = slip + turning * 2.0 / np.maximum(ahead, SLOW) + 0.35 * (turning - state[:, 5])
        reach = MAX_STEER_RATE * step
        wheel = np.clip(np.clip(wanted, -MAX_STEER, MAX_STEER), wheel - reach, wheel + reach)
        hold = (p.resistance * speed + p.drag * speed**2) / p.drive_gain
        push = np.clip(hold + 60.0 * (speed - ahead), -100.0, 100.0)
        moved = car.step(state, wheel, np.maximum(push, 0.0), np.maximum(-push, 0.0), step)
        now = slip_of(moved)
        out = np.column_stack([moved, now, (now - slip) / step, wheel, fell | (np.abs(now) > SPUN)])
        out[fell] = rows[fell]
        return out

    start = (0.0, 0.0, 0.0, SPEED, *(0.0,) * (len(NAMES) - 4))
    outline = (LENGTH, WIDTH, HEIGHT)
    return SteeredBody("car", outline, NAMES, start, drive, mass=p.mass, speed=SPEED, turns=TURNS)


def slip_of(state: np.ndarray) -> np.ndarray:
    """Angle (n,) [rad] from where cars (n, 6) point to where they go, positive to the left."""
    c, s = np.cos(state[:, 2]), np.sin(state[:, 2])
    return np.arctan2(c * state[:, 4] - s * state[:, 3], np.maximum(_ahead(state), SLOW))


def _ahead(state: np.ndarray) -> np.ndarray:
    return np.cos(state[:, 2]) * state[:, 3] + np.sin(state[:, 2]) * state[:, 4]
