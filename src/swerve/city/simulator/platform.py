"""The platform simulator: the car that is driven from outside, from the pedals to its place on the road.

Its state is six numbers: x, y [m], heading [rad], vx, vy [m/s] in the world and yaw rate [rad/s], for the
middle of the outline. `Bicycle` moves the default car; any body of the world whose commands are steer,
throttle and brake can be driven instead, see `outsiders.CarModel`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from swerve.core.bodies import Bodies
from swerve.core.contact import Touch
from swerve.core.errors import BadInput, require
from swerve.core.motion import Motion

COASTING = 0.15  # [m/s²] at walking pace with both feet off
AIR = 4e-4  # [1/m] air drag by mass
REVERSE = 4.0  # [m/s] at most, backwards
STILL = 1e-3  # [m/s]


class Inputs(NamedTuple):
    """What a driver does: steer -1 (right) to 1 (left), throttle -1 (reverse) to 1, brake 0 to 1, indicator
    -1 right, 0, 1 left."""

    steer: float = 0.0
    throttle: float = 0.0
    brake: float = 0.0
    indicator: int = 0


def checked(inputs: Inputs) -> Inputs:
    """The inputs, if each is within its range."""
    for name, low in (("steer", -1.0), ("throttle", -1.0), ("brake", 0.0)):
        value = getattr(inputs, name)
        if not low <= value <= 1.0:
            raise BadInput(f"driver's {name}", value, f"must be between {low:g} and 1")
    require(inputs.indicator in (-1, 0, 1), "driver's indicator", inputs.indicator, "must be -1, 0 or 1")
    return inputs


@dataclass
class Bicycle:
    """A car with a wheelbase whose wheels roll without slip, up to a side acceleration.

    The front wheels turn towards the wheel's angle at `steer_rate`; the rear axle moves along the body, and
    dψ/dt = v tan δ / L. Beyond `side_limit` the front gives way: the turn gets wider, not tighter.

    >>> car = Bicycle()
    >>> state = np.array([0.0, 0.0, 0.0, 10.0, 0.0, 0.0])
    >>> for _ in range(60):
    ...     state = car(state, Inputs(brake=1.0), 1 / 60)
    >>> bool(0.5 < state[3] < 2.5), float(state[1])
    (True, 0.0)
    """

    wheelbase: float = 2.75  # [m]
    middle: float = 1.35  # [m] rear axle to the middle of the outline
    max_steer: float = 0.6  # [rad] of the front wheels
    steer_rate: float = 1.2  # [rad/s]
    max_acceleration: float = 3.0  # [m/s²] at standstill
    max_deceleration: float = 8.5  # [m/s²]
    max_speed: float = 50.0  # [m/s]
    side_limit: float = 7.0  # [m/s²]
    angle: float = 0.0  # [rad] of the front wheels now

    def __call__(self, state: np.ndarray, inputs: Inputs, dt: float) -> np.ndarray:
        x, y, heading, vx, vy, _ = state
        speed = vx * np.cos(heading) + vy * np.sin(heading)
        after = self._pedals(speed, inputs, dt)
        rate = self.steer_rate * dt
        self.angle += float(np.clip(inputs.steer * self.max_steer - self.angle, -rate, rate))
        mean = 0.5 * (speed + after)
        curvature = np.tan(self.angle) / self.wheelbase
        most = self.side_limit / max(mean * mean, 1e-6)
        curvature = float(np.clip(curvature, -most, most))
        turned = mean * curvature * dt
        rear_x = x - self.middle * np.cos(heading) + mean * dt * np.cos(heading + 0.5 * turned)
        rear_y = y - self.middle * np.sin(heading) + mean * dt * np.sin(heading + 0.5 * turned)
        heading = heading + turned
        c, s = np.cos(heading), np.sin(heading)
        yaw_rate = after * curvature
        aside = yaw_rate * self.middle
        return np.array(
            [
                rear_x + self.middle * c,
                rear_y + self.middle * s,
                heading,
                after * c - aside * s,
                after * s + aside * c,
                yaw_rate,
            ]
        )

    def _pedals(self, speed: float, inputs: Inputs, dt: float) -> float:
        """Speed [m/s] along the body after the step."""
        top = self.max_speed if inputs.throttle >= 0 else REVERSE
        push = inputs.throttle * self.max_acceleration * max(0.0, 1.0 - abs(speed) / top)
        hold = inputs.brake * self.max_deceleration + COASTING + AIR * speed * speed
        pushed = float(speed) + push * dt
        resisted = abs(pushed) - hold * dt
        if resisted <= STILL and abs(push) <= hold:
            return 0.0
        return float(np.sign(pushed)) * max(0.0, resisted)


@dataclass(frozen=True)
class BicycleBody:
    """Cars that move by a `Bicycle`, as a kind of body; commands are shares of full wheel and pedals."""

    model: Bicycle
    outline: tuple[float, float, float] = (4.6, 1.82, 1.45)
    name: str = "bicycle model"

    def start(self, count: int) -> BicycleCars:
        return BicycleCars(self, count)


class BicycleCars(Bodies):
    """A batch of them; `state` (n, 6)."""

    def __init__(self, body: BicycleBody, count: int):
        self.kinds = np.full(count, body.name, dtype=object)
        self.outline = np.tile(np.array(body.outline, dtype=np.float64), (count, 1))
        self.cars = [replace(body.model) for _ in range(count)]
        self.state = np.zeros((count, 6))

    def put(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray, speed: float | np.ndarray = 0.0) -> None:
        """To places, rolling straight ahead at `speed` [m/s]."""
        yaw = np.asarray(yaw, dtype=np.float64)
        self.state[:] = np.stack(
            [x, y, yaw, speed * np.cos(yaw), speed * np.sin(yaw), np.zeros(len(yaw))], -1
        )

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        given = np.zeros((len(self), 3)) if commands is None else np.asarray(commands, dtype=np.float64)
        for car, row, (steer, throttle, brake) in zip(self.cars, self.state, given, strict=True):
            row[:] = car(row, Inputs(steer, throttle, brake), dt)

    def motion(self) -> Motion:
        x, y, yaw, vx, vy, rate = self.state.T
        steer = np.array([car.angle for car in self.cars])
        return Motion.planar(x, y, yaw, vx, vy, rate, z=self.outline[:, 2] / 2, steer=steer)

    def touched(self, touch: Touch) -> None:
        """Back to where it touched, and thrown by the impulse."""
        np.add.at(self.state[:, :2], touch.rows, touch.shift)
        np.add.at(self.state[:, 3:], touch.rows, touch.kick)
