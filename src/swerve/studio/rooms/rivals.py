"""Cars that are put on a track by hand: they stand, or drive at a set speed."""

from __future__ import annotations

from typing import cast

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.member import Member
from swerve.core.view import View
from swerve.core.world import World
from swerve.race import SlidingCar, Track
from swerve.race.body import SlidingCars
from swerve.race.car import MAX_DRIVE, MAX_STEER

from .room import Message, number, whole

MOST = 12
AHEAD, EVERY = 60.0, 15.0  # [m] before the driver where the first is put, and the next ones after it
LOOK, LOOK_TIME = 5.0, 0.5  # [m], [s] that it looks ahead
BASE = 2.6  # [m] between its axles
ROOM = 1.4  # [m] from a car's middle to the edge of the road


class Steady:
    """Keeps a car at `offset` [m] from the middle of the track at `speed` [m/s]."""

    def __init__(self, track: Track, speed: float, offset: float):
        self.track, self.speed, self.offset = track, speed, offset

    def choose(self, view: View, dt: float) -> np.ndarray:
        me = view.mine
        x, y, yaw, pace = float(me.x[0]), float(me.y[0]), float(me.yaw[0]), float(me.speed[0])
        if self.speed <= 0.0:
            return np.array([[0.0, 0.0, MAX_DRIVE]])
        along = float(self.track.progress(np.array([x, y]))[0])
        goal = self.track.pose(along + LOOK + LOOK_TIME * pace, self.offset)
        far = np.hypot(goal[0] - x, goal[1] - y)
        aside = np.sin(np.arctan2(goal[1] - y, goal[0] - x) - yaw)
        steer = np.clip(np.arctan(2.0 * BASE * aside / max(far, 1.0)), -MAX_STEER, MAX_STEER)
        push = np.clip(0.3 * (self.speed - pace) + 0.03 * self.speed, -1.0, 1.0) * MAX_DRIVE
        return np.array([[steer, max(push, 0.0), max(-push, 0.0)]])


class Rivals:
    """The cars that were added to a world; the page may drag them."""

    def __init__(self, world: World, track: Track):
        self.world, self.track = world, track
        self.members: dict[int, Member] = {}

    def hear(self, message: Message, along: float) -> bool:
        """Whether the message was about them; `along` [m] is how far the driver got."""
        kind = message.get("type")
        if kind == "car":
            self._add(along, number(message, "speed", 0.0, 30.0, 0.0))
        elif kind == "drag":
            self._put(whole(message, "id", 0, 2**31), *(number(message, name, -1e6, 1e6) for name in "xy"))
        else:
            return False
        return True

    @property
    def ids(self) -> list[int]:
        return list(self.members)

    def _add(self, along: float, speed: float) -> None:
        if len(self.members) >= MOST:
            raise BadInput("cars", len(self.members), f"at most {MOST} can be added")
        station, offset = along + AHEAD + EVERY * len(self.members), 0.5 * (-1) ** len(self.members)
        x, y, yaw = self.track.pose(station, offset)[:, None]
        car = SlidingCar(name="car").start(1).put(x, y, yaw, speed)
        mind = Steady(self.track, speed, offset)
        member = self.world.add(car, mind, f"added {len(self.members)}", walls=True)
        self.members[int(member.ids[0])] = member

    def _put(self, number: int, x: float, y: float) -> None:
        """Onto the road, next to where the mouse is, along its way."""
        if number not in self.members:
            raise BadInput("car", number, "was not added by hand")
        track = self.track
        station, aside = (float(value) for value in track.progress(np.array([x, y])))
        right, left = (float(track.way.at(side, station)) for side in (track.right, track.left))
        offset = float(np.clip(aside, min(ROOM - right, 0.0), max(left - ROOM, 0.0)))
        member = self.members[number]
        mind, bodies = cast(Steady, member.chooser), cast(SlidingCars, member.bodies)
        mind.offset = offset
        place_x, place_y, yaw = track.pose(station, offset)[:, None]
        bodies.put(place_x, place_y, yaw, mind.speed)
        self.world.refresh()
