"""Bodies of a scenario that the city's own minds do not move: the driver's car, people who follow a script.

Each is a batch of one in the world with a `Chooser`: a person, a file or code at the wheel; a script on foot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from swerve.core.bodies import Bodies
from swerve.core.contact import Touch
from swerve.core.motion import Motion
from swerve.core.predict import going_on
from swerve.core.view import View

from ..roads.roads import CONNECTOR, LANE, Roads
from .footing import ground_at, is_flat, stance
from .platform import Inputs

FACING = 0.5  # cosine of the angle to a strip within which a body drives along it
BRAKES_AT = 0.01  # of the pedal's way the lamp comes on
UPRIGHT = 1.0  # [m/s] of a push that a person withstands


class Drivable(Protocol):
    """A kind of body that a driver can drive: its commands are steer, throttle and brake, (n, 3)."""

    @property
    def name(self) -> str: ...

    def start(self, count: int) -> DrivableBodies: ...


class DrivableBodies(Protocol):
    """A batch of it, which can be put somewhere."""

    def put(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray, speed: float) -> object: ...
    def step(self, commands: np.ndarray | None, dt: float) -> None: ...
    def motion(self) -> Motion: ...
    def touched(self, touch: Touch) -> None: ...


@dataclass(frozen=True)
class CarModel:
    """A drivable body, and its commands (steer, throttle, brake) at full wheel and full pedals."""

    body: Drivable
    full: tuple[float, float, float] = (1.0, 1.0, 1.0)


class Footprint(NamedTuple):
    """Along which strip a car moves (-1: none), and where there [m]."""

    strip: int = -1
    station: float = 0.0
    lateral: float = 0.0


class DriverCar(Bodies):
    """The driver's car; a command is (1, 4): the `Inputs`. It stands on the road as that lies in space.

    `siren()` says whether it is on.
    """

    def __init__(
        self,
        character: int,
        outline: tuple[float, float, float],
        model: CarModel,
        roads: Roads,
        siren: Callable[[], bool] = lambda: False,
    ):
        self.character, self.roads, self.siren = character, roads, siren
        self.kinds = np.array(["driver"], dtype=object)
        self.outline = np.array([outline], dtype=np.float64)
        self._full = np.array(model.full)
        self._car = model.body.start(1)
        self.inputs = Inputs()
        self.acceleration = 0.0  # [m/s²] along the body, in the last frame
        self.on = Footprint()
        self._flat = is_flat(roads)

    @property
    def length(self) -> float:
        return float(self.outline[0, 0])

    @property
    def width(self) -> float:
        return float(self.outline[0, 1])

    @property
    def pose(self) -> tuple[float, float, float]:
        """x, y [m], heading [rad]."""
        x, y, heading = self._car.motion().pose[0]
        return float(x), float(y), float(heading)

    @property
    def speed(self) -> float:
        """Along the body [m/s]; negative backwards."""
        return float(self._car.motion().along[0])

    def put(self, x: float, y: float, heading: float, speed: float = 0.0) -> None:
        self._car.put(np.array([x]), np.array([y]), np.array([heading]), speed)
        self.on = footprint(self.roads, x, y, heading, 0, Footprint())

    def motion(self) -> Motion:
        motion = self._car.motion()
        if self.on.strip >= 0 and self._flat:
            motion = replace(motion, z=self.outline[:, 2] / 2)
        elif self.on.strip >= 0:
            (dx, dy, z), pitch, roll = stance(self.roads, *self.on, self.pose[2], self.outline[0])
            motion = replace(motion, x=motion.x + dx, y=motion.y + dy, z=np.array([z]))
            motion = replace(motion, pitch=np.array([pitch]), roll=np.array([roll]))
        lamps = {
            "brake": np.array([self.inputs.brake > BRAKES_AT]),
            "indicator": np.array([self.inputs.indicator], np.int8),
            "emergency": np.array([self.siren()]),
        }
        vz = motion.along * np.tan(motion.pitch)
        return replace(motion, vz=vz, extras={**motion.extras, **lamps})

    def look(self, view: View) -> None:
        """Find the strip along which it moves."""
        self.on = footprint(self.roads, *self.pose, self.inputs.indicator, self.on)

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        given = np.zeros(4) if commands is None else np.asarray(commands, dtype=np.float64)[0]
        steer, throttle, brake, indicator = given.tolist()
        self.inputs = Inputs(steer, throttle, brake, int(indicator))
        before = self.speed
        self._car.step(given[None, :3] * self._full, dt)
        self.acceleration = (self.speed - before) / dt
        self.on = footprint(self.roads, *self.pose, self.inputs.indicator, self.on)

    def foresee(self, times: np.ndarray) -> np.ndarray:
        """On along its arc; while it brakes, to where it stops at this rate."""
        times, speed = np.asarray(times, dtype=np.float64), self.speed
        if self.acceleration * speed < 0.0:
            until = np.minimum(times, -speed / self.acceleration)
            times = until * (1.0 + 0.5 * self.acceleration * until / speed)
        return going_on(self._car.motion(), times)

    def touched(self, touch: Touch) -> None:
        """Stopped or pushed, as its own model takes it."""
        self._car.touched(touch)


class Walker(Bodies):
    """A person who follows a script; a command is (1, 2): the velocity [m/s]. Who is hit lies.

    Without `roads` the ground is flat.
    """

    def __init__(
        self,
        character: int,
        radius: float,
        height: float,
        x: float,
        y: float,
        heading: float,
        roads: Roads | None = None,
    ):
        self.character = character
        self.kinds = np.array(["pedestrian"], dtype=object)
        self.outline = np.array([[2 * radius, 2 * radius, height]])
        self.x, self.y, self.heading = x, y, heading
        self.velocity = np.zeros(2)
        self.fell = False
        self._roads = None if roads is None or is_flat(roads) else roads
        self._find_ground()

    @property
    def round(self) -> np.ndarray:
        return np.ones(1, bool)

    @property
    def mass(self) -> np.ndarray:
        return np.full(1, 75.0)

    def motion(self) -> Motion:
        (vx, vy), z = self.velocity, self._ground + self.outline[0, 2] / 2
        fell = {"fell": np.array([self.fell])}
        return Motion.planar([self.x], [self.y], self.heading, vx, vy, z=z, **fell)

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        self.velocity = np.zeros(2) if commands is None or self.fell else np.asarray(commands, float)[0]
        self.x += float(self.velocity[0]) * dt
        self.y += float(self.velocity[1]) * dt
        if self.velocity.any():
            self.heading = float(np.arctan2(self.velocity[1], self.velocity[0]))
            self._find_ground()

    def touched(self, touch: Touch) -> None:
        if np.hypot(*touch.kick[:, :2].sum(axis=0)) > UPRIGHT:
            self.fell = True
            self.velocity = np.zeros(2)
        self.x += float(touch.shift[:, 0].sum())
        self.y += float(touch.shift[:, 1].sum())
        self._find_ground()

    def _find_ground(self) -> None:
        self._ground = 0.0 if self._roads is None else ground_at(self._roads, self.x, self.y)  # [m]


class WalkScript:
    """To a goal at a speed [m/s], and then standing."""

    def __init__(self) -> None:
        self._goal: tuple[float, float] | None = None
        self._speed = 0.0

    def go(self, x: float, y: float, speed: float) -> None:
        self._goal, self._speed = (x, y), speed

    def choose(self, view: View, dt: float) -> np.ndarray:
        if self._goal is None:
            return np.zeros((1, 2))
        way = np.array(self._goal) - view.mine.pose[0, :2]
        left = float(np.hypot(*way))
        if left < 1e-6:
            self._goal = None
            return np.zeros((1, 2))
        return (way / left * min(left / dt, self._speed))[None]


def footprint(roads: Roads, x: float, y: float, heading: float, indicator: int, last: Footprint) -> Footprint:
    """The strip under a car's middle that it faces along; of several the one that goes on from before."""
    strips, station, lateral, along = roads.under(x, y)
    faces = np.cos(along - heading) > FACING
    on = faces & (np.abs(lateral) < roads.width[strips] / 2 + 1.0)
    if not on.any():
        return Footprint()
    kind, before = roads.kind[strips], last.strip
    ways = (
        roads.after[roads.after_first[before] : roads.after_first[before + 1]]
        if before >= 0
        else roads.after[:0]
    )
    wished = likely_next(roads, before, indicator) if before >= 0 else -1
    score = (
        np.abs(lateral) - 0.8 * (strips == before) - 0.4 * np.isin(strips, ways) - 0.2 * (strips == wished)
    )
    score = np.where(on, score + 0.5 * (kind == CONNECTOR) - 0.5 * (kind == LANE), np.inf)
    best = int(np.argmin(score))
    return Footprint(int(strips[best]), float(station[best]), float(lateral[best]))


def likely_next(roads: Roads, strip: int, indicator: int) -> int:
    """The strip a driver on `strip` will take, by its indicator (-1 right, 0, 1 left), or -1 at an end."""
    ways = roads.after[roads.after_first[strip] : roads.after_first[strip + 1]]
    if len(ways) == 0:
        return -1
    fits = np.abs(roads.turn[ways].astype(int) - indicator)
    return int(ways[np.argmin(fits)])
