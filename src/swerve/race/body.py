"""The sliding car as a body of the world: a batch that is driven by steering, throttle and brake.

On hilly ground the car stands as the ground does and gravity pulls it downhill; its tyres know nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from swerve.core.attitude import quaternion, turned
from swerve.core.bodies import Bodies, Parts
from swerve.core.contact import Touch
from swerve.core.errors import BadInput, require
from swerve.core.motion import Motion

from .car import HEIGHT, LENGTH, MAX_DRIVE, MAX_STEER, MAX_STEER_RATE, WIDTH, Car, CarParameters

SUBSTEP = 0.01  # [s] of the physics
WHEEL = (0.62, 0.22, 0.62)  # [m] diameter and width
TRACK_WIDTH = 1.5  # [m] between the wheels of an axle
WHEELS = ("front left wheel", "front right wheel", "rear left wheel", "rear right wheel")

Ground = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""Height [m] and its slopes along x and y at places x, y (n,)."""


@dataclass(frozen=True)
class SlidingCar:
    """The car of the race wing as a kind of body.

    >>> cars = SlidingCar().start(2)
    >>> _ = cars.put(x=np.zeros(2), y=np.array([0.0, 5.0]), yaw=np.zeros(2), speed=10.0)
    >>> cars.step(np.array([[0.0, 50.0, 0.0], [0.3, 0.0, 0.0]]), 0.1)
    >>> cars.motion().yaw_rate.round(1).tolist()
    [0.0, 0.3]
    """

    parameters: CarParameters = field(default_factory=CarParameters)
    name: str = "car"
    outline: tuple[float, float, float] = (LENGTH, WIDTH, HEIGHT)
    ground: Ground | None = None

    def start(self, count: int) -> SlidingCars:
        return SlidingCars(self, count)


class SlidingCars(Bodies):
    """A batch of sliding cars. `state` (n, 6) x, y, heading, vx, vy, yaw rate.

    A command is steer [rad] (positive left), throttle and brake (0 to 100 of the car's own units; a negative
    throttle engages the reverse gear): (n, 3), held for the frame, or (n, m, 3), each held for 1/m of it. The
    front wheels follow at no more than `MAX_STEER_RATE`.
    """

    def __init__(self, body: SlidingCar, count: int):
        require(count >= 1, f"number of {body.name}s", count, "must be at least 1")
        self.body, self.car = body, Car(body.parameters)
        self.state = np.zeros((count, 6))
        self.wheel = np.zeros(count)  # [rad] angle of the front wheels
        self.brake = np.zeros(count)
        self.kinds = np.full(count, body.name, dtype=object)
        self.outline = np.tile(np.array(body.outline, dtype=np.float64), (count, 1))

    @property
    def mass(self) -> np.ndarray:
        return np.full(len(self), self.body.parameters.mass)

    def put(
        self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray, speed: float | np.ndarray = 0.0
    ) -> SlidingCars:
        """Move the cars to places, rolling straight ahead at `speed` [m/s]."""
        s = self.state
        s[:, 0], s[:, 1], s[:, 2], s[:, 5] = x, y, yaw, 0.0
        s[:, 3], s[:, 4] = speed * np.cos(s[:, 2]), speed * np.sin(s[:, 2])
        self.wheel[:] = 0.0
        return self

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        given = np.zeros((len(self), 3)) if commands is None else np.asarray(commands, dtype=np.float64)
        if given.shape[:1] + given.shape[-1:] != (len(self), 3) or given.ndim not in (2, 3):
            raise BadInput("commands", given.shape, f"must be ({len(self)}, 3) or ({len(self)}, m, 3)")
        parts = given[:, None] if given.ndim == 2 else given
        held = dt / parts.shape[1]
        steps = max(1, int(np.ceil(held / SUBSTEP - 1e-9)))
        for part in parts.swapaxes(0, 1):
            steer = np.clip(part[:, 0], -MAX_STEER, MAX_STEER)
            throttle = np.clip(part[:, 1], -MAX_DRIVE, MAX_DRIVE)
            self.brake = np.clip(part[:, 2], 0.0, MAX_DRIVE)
            for _ in range(steps):
                self._substep(steer, throttle, held / steps)

    def _substep(self, steer: np.ndarray, throttle: np.ndarray, dt: float) -> None:
        reach = MAX_STEER_RATE * dt
        self.wheel = np.clip(steer, self.wheel - reach, self.wheel + reach)
        if self.body.ground is not None:
            _, gx, gy = self.body.ground(self.state[:, 0], self.state[:, 1])
            weight = self.body.parameters.gravity / (1.0 + gx * gx + gy * gy)
            moving = (self.brake == 0.0) | (np.hypot(self.state[:, 3], self.state[:, 4]) > 0.5)
            self.state[:, 3] -= moving * dt * weight * gx
            self.state[:, 4] -= moving * dt * weight * gy
        self.state = self.car.step(self.state, self.wheel, throttle, self.brake, dt)

    def motion(self) -> Motion:
        x, y, yaw, vx, vy, rate = self.state.T.copy()
        c, s = np.cos(yaw), np.sin(yaw)
        ahead, aside = c * vx + s * vy, c * vy - s * vx
        slow = np.hypot(vx, vy) < 3.0
        z, pitch, roll, vz = np.zeros((4, len(self)))
        if self.body.ground is not None:
            z, gx, gy = self.body.ground(x, y)
            pitch = np.arctan(gx * c + gy * s)
            roll = np.arctan((gy * c - gx * s) * np.cos(pitch))  # the left side higher: leaning right
            vz = gx * vx + gy * vy
        extras = {
            "steer": self.wheel.copy(),
            "brake": self.brake > 0.0,
            "slip": np.where(slow, 0.0, np.arctan2(aside, ahead)),
        }
        return Motion(x, y, z + self.outline[:, 2] / 2, yaw, pitch, roll, vx, vy, vz, rate, extras)

    def touched(self, touch: Touch) -> None:
        """Thrown back to where it touched, and pushed."""
        for k in range(2):
            np.add.at(self.state[:, k], touch.rows, touch.shift[:, k])
        for k in range(3):
            np.add.at(self.state[:, 3 + k], touch.rows, touch.kick[:, k])

    def parts(self) -> Parts:
        """Four wheels; those in front turn with the steering."""
        p, n = self.body.parameters, len(self)
        whole = self.motion()
        ahead = np.tile([p.front_axle, p.front_axle, -p.rear_axle, -p.rear_axle], n)
        aside = np.tile(TRACK_WIDTH / 2 * np.array([1.0, -1.0, 1.0, -1.0]), n)
        owner = np.repeat(np.arange(n), 4)
        m = whole[owner]
        down = self.outline[owner, 2] / 2 - WHEEL[0] / 2
        x, y, z = turned(quaternion(m.yaw, m.pitch, m.roll), np.column_stack([ahead, aside, -down])).T
        steered = np.where(np.tile([True, True, False, False], n), self.wheel[owner], 0.0)
        motion = Motion(
            m.x + x,
            m.y + y,
            m.z + z,
            m.yaw + steered,
            m.pitch,
            m.roll,
            m.vx,
            m.vy,
            m.vz,
            m.yaw_rate,
        )
        return Parts(motion, owner, np.tile(np.array(WHEELS, dtype=object), n), np.tile(WHEEL, (4 * n, 1)))

    def snapshot(self) -> np.ndarray:
        """(n, 8) the state, the wheels and the brake."""
        return np.column_stack([self.state, self.wheel, self.brake])

    def restore(self, rows: np.ndarray) -> None:
        rows = np.array(rows, dtype=np.float64)
        self.state, self.wheel, self.brake = rows[:, :6].copy(), rows[:, 6].copy(), rows[:, 7].copy()
