"""`Chase-v0`: sliding cars through a town where everybody else has a mind too, every car an agent.

Traffic, people and cyclists are those of the scene `chase`: they stop at lights and brake for the cars, which
need not. A step is 0.1 s. An action (2,) in [−1, 1] is that of `Race-v0`: the angle wanted of the front
wheels, positive left, and the pedals, throttle above 0 and brake below. An observation is that of `Race-v0`,
along the car's own way through the town, then of the `NEAREST` others, nearest first, `OTHERS`. The reward is
the way made [m, divided by 10], less `CRASH` for touching anybody, as the world's referee sees it, and for
leaving the road or being `ASTRAY` of the way. These end a car's episode, as does the end of its way; then it
brakes and stays where it is, in the way of the others. After `seconds` all are cut off.
"""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box

from swerve.city import SimulationOptions
from swerve.city.referee import corners_off_road
from swerve.core.errors import require
from swerve.core.geometry import outlines, wrap
from swerve.core.way import Way
from swerve.core.world import Member
from swerve.race import PilotChooser, SlidingCar
from swerve.race.body import SlidingCars
from swerve.race.car import MAX_DRIVE, MAX_STEER
from swerve.race.sight import AHEAD, COLUMNS, CRASH, LIMIT
from swerve.scenes import chase

from .batch import checked_actions, frames_of

FRAME = 0.1  # [s]
NEAREST = 6
OTHERS = ("ahead / 20 m", "to the left / 20 m", "faster ahead / 10 m/s", "faster to the left / 10 m/s")
SIZE = len(COLUMNS) + len(AHEAD) + NEAREST * len(OTHERS)
ASTRAY = 12.0  # [m]


class ChaseBatch:
    """`cars` with `metres` to drive, among `vehicles`, some with `sirens`, `people` and `cyclists`."""

    def __init__(
        self,
        cars: int = 1,
        vehicles: int = 100,
        people: int = 30,
        cyclists: int = 8,
        sirens: int = 1,
        metres: float = 800.0,
        seconds: float = 120.0,
    ):
        require(1 <= cars <= 100, "cars", cars, "must be from 1 to 100")
        require(cyclists >= 0, "cyclists", cyclists, "must not be negative")
        self.count, self.metres, self.frames = cars, metres, frames_of(seconds, FRAME)
        self._crowd = (vehicles, people, cyclists, sirens)
        self.observation_space = Box(-LIMIT, LIMIT, (SIZE,), np.float32)
        self.action_space = Box(-1.0, 1.0, (2,), np.float32)
        self.seed = 0
        self.reset(0)

    def reset(self, seed: int | None = None) -> np.ndarray:
        """Every car at rest at the beginning of a way of its own: observations (n, columns). Without a seed,
        the next one."""
        self.seed = self.seed + 1 if seed is None else seed
        options = SimulationOptions(dt=FRAME)
        streets = chase.populate(self.seed, *self._crowd, options=options)
        self.world, self.roads = streets.world, streets.town.roads
        self.ways: list[Way] = []
        self.members: list[Member] = []
        for k in range(self.count):
            way = streets.free_drive(self.metres)
            car = SlidingCar().start(1).put(*way.place(np.array([chase.START]))[:, :3].T)
            self.ways.append(way)
            self.members.append(self.world.add(car, name=f"car {k}"))
        self.station, self.offset = np.full(self.count, chase.START), np.zeros(self.count)
        self.over, self.touched = np.zeros(self.count, bool), np.zeros(self.count, bool)
        self.frame = 0
        return self.see()

    @property
    def cars(self) -> list[SlidingCars]:
        """The agents' bodies, one in each batch."""
        return [member.bodies for member in self.members if isinstance(member.bodies, SlidingCars)]

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """Observations (n, columns), rewards (n,), who is over (n,), and whether all are cut off."""
        wanted = np.clip(checked_actions(actions, (self.count, 2)), -1.0, 1.0)
        wanted[self.over] = [0.0, -1.0]
        for member, (steer, pedal) in zip(self.members, wanted, strict=True):
            drive = MAX_DRIVE * pedal
            member.commands = np.array([[MAX_STEER * steer, max(drive, 0.0), max(-drive, 0.0)]])
        known, before, was_over = len(self.world.contacts), self.station.copy(), self.over.copy()
        self.world.step()
        self.frame += 1
        self._locate()
        begun = {who for contact in self.world.contacts[known:] for who in (contact.a, contact.b)}
        self.touched = np.array([int(member.ids[0]) in begun for member in self.members])
        lost = self.touched | self._off_road() | (np.abs(self.offset) > ASTRAY)
        self.over |= lost | (self.station >= self.metres)
        reward = np.where(was_over, 0.0, 0.1 * (self.station - before) - CRASH * lost)
        return self.see(), reward, self.over.copy(), self.frame >= self.frames

    def _locate(self) -> None:
        for k, (way, car) in enumerate(zip(self.ways, self.cars, strict=True)):
            station, offset = way.locate(car.state[:, :2], self.station[k : k + 1])
            self.station[k], self.offset[k] = station[0], offset[0]

    def _off_road(self) -> np.ndarray:
        """(n,) whose corners lie beyond the edge of the road. Between lanes that cross in a junction is the
        road, too, where the car's own way is."""
        cars = self.cars
        x, y, heading = np.concatenate([car.state[:, :3] for car in cars]).T
        length, width = np.concatenate([car.outline[:, :2] for car in cars]).T
        off = corners_off_road(self.roads, x, y, heading, length, width)
        for k in np.flatnonzero(off):
            corners = outlines(np.array([x[k], y[k], heading[k]]), length[k], width[k])[0]
            off[k] = not self._on_way(self.ways[k], corners, self.station[k])
        return off

    @staticmethod
    def _on_way(way: Way, places: np.ndarray, near: float) -> bool:
        """Whether all places (n, 2) lie between the edges of a way."""
        station, offset = way.locate(places, np.full(len(places), near))
        return bool(((offset <= way.at(way.left, station)) & (-offset <= way.at(way.right, station))).all())

    def see(self) -> np.ndarray:
        """What every car sees (n, columns)."""
        seen = np.full((self.count, SIZE), LIMIT, np.float32)
        everyone = self.world.everyone
        motion, ids = everyone.motion, everyone.ids
        for k, (way, car, member) in enumerate(zip(self.ways, self.cars, self.members, strict=True)):
            x, y, yaw, vx, vy, rate = car.state[0]
            c, s, at, own = np.cos(yaw), np.sin(yaw), self.station[k], seen[k]
            askew = wrap(yaw - way.place(at)[..., 2].item())
            own[:2] = (c * vx + s * vy) / 20.0, (c * vy - s * vx) / 20.0
            own[2:6] = rate / 2.0, car.wheel[0] / MAX_STEER, np.sin(askew), np.cos(askew)
            left, right = (float(way.at(side, at)) for side in (way.left, way.right))
            own[6:8] = (left - self.offset[k]) / 10.0, (right + self.offset[k]) / 10.0
            first = len(COLUMNS) + len(AHEAD)
            own[len(COLUMNS) : first] = 20.0 * way.at(way.curvature, at + AHEAD)
            dx, dy = motion.x - x, motion.y - y
            apart = np.where(ids == member.ids[0], np.inf, np.hypot(dx, dy))
            near = np.argsort(apart, kind="stable")[: min(NEAREST, len(ids) - 1)]
            faster = (motion.vx[near] - vx, motion.vy[near] - vy)
            table = own[first:].reshape(NEAREST, len(OTHERS))[: len(near)]
            for j, (a, b, unit) in enumerate(((dx[near], dy[near], 20.0), (*faster, 10.0))):
                table[:, 2 * j], table[:, 2 * j + 1] = (c * a + s * b) / unit, (c * b - s * a) / unit
        return np.clip(seen, -LIMIT, LIMIT, out=seen)


class ChaseExpert:
    """The pilots of the scene `chase` as agents: each plans around everybody it foresees. They look at the
    batch, not at observations; made anew after every reset."""

    def __init__(self, batch: ChaseBatch):
        self.batch = batch
        self.pilots = [PilotChooser(chase.pilot_along(way, batch.metres)) for way in batch.ways]

    def __call__(self) -> np.ndarray:
        """Actions (n, 2)."""
        wanted = np.zeros((self.batch.count, 2))
        for k, (pilot, member) in enumerate(zip(self.pilots, self.batch.members, strict=True)):
            if not self.batch.over[k]:
                given = pilot.choose(self.batch.world.view(member), FRAME)
                steer, throttle, brake = given.reshape(-1, 3).mean(axis=0)
                wanted[k] = steer / MAX_STEER, (throttle - brake) / MAX_DRIVE
        return np.clip(wanted, -1.0, 1.0)
