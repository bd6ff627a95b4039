"""The race wing's sliding car as a body of the riders wing: the same maps and controllers steer it.

A car does not lean: the angle at which it slides stands in the column of the lean, its rate in that of the
lean's rate. It has fallen when it has spun.
"""

from __future__ import annotations

import numpy as np

from swerve.race.car import LENGTH, MAX_STEER, MAX_STEER_RATE, Car, CarParameters
from swerve.riders.bodies.plain import PlainBody

SPEED = 20.0  # [m/s]
TURNS = (-1.2, 1.2)  # [rad]
SPUN = 1.2  # [rad] of sideslip from which there is no way back
NAMES = ("x", "y", "yaw", "vx", "vy", "yaw_rate", "roll", "roll_rate", "steer", "fell")


def car_body(parameters: CarParameters | None = None) -> PlainBody:
    """The sliding car with a driver who turns the wheel towards a heading and holds the speed."""
    car = Car(parameters)
    p = car.parameters

    def drive(rows: np.ndarray, heading: np.ndarray, speed: np.ndarray, step: float) -> np.ndarray:
        state, wheel, fell = rows[:, :6], rows[:, 8], rows[:, 9] > 0
        c, s = np.cos(state[:, 2]), np.sin(state[:, 2])
        ahead, left = c * state[:, 3] + s * state[:, 4], c * state[:, 4] - s * state[:, 3]
        slip = np.arctan2(left, np.maximum(ahead, 3.0))
        turning = np.clip(2.5 * (heading - state[:, 2]), -1.3, 1.3)
        wanted = slip + turning * 2.0 / np.maximum(ahead, 3.0) + 0.35 * (turning - state[:, 5])
        reach = MAX_STEER_RATE * step
        wheel = np.clip(np.clip(wanted, -MAX_STEER, MAX_STEER), wheel - reach, wheel + reach)
        hold = (p.resistance * speed + p.drag * speed**2) / p.drive_gain
        push = np.clip(hold + 60.0 * (speed - ahead), -100.0, 100.0)
        moved = car.step(state, wheel, np.maximum(push, 0.0), np.maximum(-push, 0.0), step)
        c, s = np.cos(moved[:, 2]), np.sin(moved[:, 2])
        ahead, left = c * moved[:, 3] + s * moved[:, 4], c * moved[:, 4] - s * moved[:, 3]
        now = np.arctan2(left, np.maximum(ahead, 3.0))
        out = np.column_stack([moved, now, (now - slip) / step, wheel, fell | (np.abs(now) > SPUN)])
        out[fell] = rows[fell]
        return out

    start = (0.0, 0.0, 0.0, SPEED, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return PlainBody("car", SPEED, TURNS, LENGTH / 2, NAMES, start, drive)
