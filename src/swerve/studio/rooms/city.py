"""City: drive in traffic, call an ambulance or a person across the street, and see how fast one braked."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.city import Simulation, SimulationOptions, grid
from swerve.city.characters.kinds import PERSON, WHEELED
from swerve.city.record import scenery
from swerve.city.roads import random_drive, way_along
from swerve.city.simulate import AMBULANCE
from swerve.city.simulator.outsiders import Walker, WalkScript
from swerve.city.simulator.platform import Bicycle, BicycleBody
from swerve.core.errors import BadInput
from swerve.core.seeding import generator
from swerve.scenes.town import free

from .hands import Hands
from .room import Message, Outside, WorldRoom, whole
from .thoughts import thought_of

FRAME = 0.05  # [s]
START, ROOM = 20.0, 12.0  # [m] along its street, and free of others around it
TRIES = 60
AHEAD, KERB = 18.0, 6.0  # [m] at which a person steps out, and how far from the middle of the lane
BEHIND = 45.0  # [m] at which an ambulance comes up
THINK = 0.1  # [s] between two looks into a mind


def enter(asked: Message, outside: Outside) -> CityRoom:
    return CityRoom(asked, outside)


class CityRoom(WorldRoom):
    """A town with traffic and people, and the driver's car in it."""

    def __init__(self, asked: Message, outside: Outside):
        self.outside, seed = outside, whole(asked, "seed", 0, 2**31)
        vehicles, people = whole(asked, "vehicles", 1, 300, 60), whole(asked, "people", 0, 200, 30)
        side = whole(asked, "blocks", 3, 8, 4)
        town = grid(side, side)
        self.simulation = Simulation(
            town, vehicles, people, 0, seed, options=SimulationOptions(FRAME, record=True)
        )
        world, rng = self.simulation.world, generator(seed, "studio")
        world.meta |= scenery(town)
        for _ in range(TRIES):
            way = way_along(town.roads, random_drive(town.roads, 300.0, rng), lead_in=100.0)
            if free(world, way, START - ROOM, START + ROOM):
                break
        else:
            raise BadInput("vehicles", vehicles, "leave no street free to start in; fewer are needed")
        self.hands = Hands((1.0, 1.0, 1.0), rolling=0.05)
        car = BicycleBody(Bicycle(), name="driver").start(1)
        car.put(*way.place(np.array([START])).T)
        mine = self.simulation.characters.add(WHEELED, 1, wheeled_type="sedan", autonomous=False)
        self.mine = world.add(car, self.hands, "driver", ids=mine, watch=True)
        world.meta["ego"] = int(mine[0])
        super().__init__(world, f"Town of {side} × {side}")
        self.reactions: list[float] = []
        self.watched: int | None = None
        self._thought = 0.0

    def step(self) -> None:
        self.simulation.step()
        if self.hands.reaction is not None:
            self.reactions.append(round(self.hands.reaction, 2))
            self.hands.reaction = None
            self.outside.say("reaction", seconds=self.reactions[-1])
        if self.watched is not None and self.world.time - self._thought >= THINK - 1e-9:
            self._thought = self.world.time
            self._think()

    def hear(self, message: Message) -> None:
        kind = message.get("type")
        if kind == "hands":
            self.hands.hear(message)
        elif kind == "ambulance":
            self._ambulance()
        elif kind == "pedestrian":
            self._pedestrian()
        elif kind == "watch":
            self.watched = whole(message, "id", 0, 2**31)
            self._think()
        else:
            super().hear(message)

    def figures(self) -> dict[str, Any]:
        mean = sum(self.reactions) / len(self.reactions) if self.reactions else None
        said: dict[str, Any] = {
            "time [s]": self.world.time,
            "speed [km/h]": 3.6 * float(self.mine.motion.speed[0]),
        }
        said |= {"reactions measured": len(self.reactions), "mean reaction [s]": mean}
        touched = {int(i) for c in self.world.contacts for i in (c.a, c.b)} & set(self.mine.ids.tolist())
        return said | {"you touched somebody": "yes" if touched else "no"}

    def _pedestrian(self) -> None:
        """Somebody steps into the street ahead; from now on the reaction is measured."""
        me = self.mine.motion
        yaw, ahead = float(me.yaw[0]), AHEAD + 1.2 * float(me.speed[0])
        along, left = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
        spot = me.pose[0, :2] + ahead * along
        start, goal = spot - KERB * left, spot + 2 * KERB * left
        number = int(self.simulation.characters.add(PERSON, 1, autonomous=False)[0])
        walker = Walker(
            number, 0.25, 1.75, float(start[0]), float(start[1]), yaw + np.pi / 2, self.simulation.town.roads
        )
        script = WalkScript()
        script.go(float(goal[0]), float(goal[1]), 1.6)
        self.world.add(walker, script, f"called {number}", ids=[number])
        self.hands.watch()

    def _ambulance(self) -> None:
        """An ambulance comes up behind, or on the nearest street where there is room."""
        traffic, roads, me = self.simulation.traffic, self.simulation.town.roads, self.mine.motion
        number = int(self.simulation.characters.add(WHEELED, 1, **AMBULANCE)[0])
        rows = traffic.add([number])
        yaw = float(me.yaw[0])
        wanted = me.pose[0, :2] - BEHIND * np.array([np.cos(yaw), np.sin(yaw)])
        strips = np.flatnonzero((roads.kind == 0) & (roads.length > 30.0))
        stations = np.clip(roads.length[strips] / 2, 12.0, roads.length[strips] - 8.0)
        x, y = roads.place(strips, stations, np.zeros(len(strips)))[:2]
        others = self.world.everyone.motion
        gap = np.hypot(x[:, None] - others.x, y[:, None] - others.y).min(axis=1)
        far = np.hypot(x - wanted[0], y - wanted[1]) + np.where(gap < 12.0, 1e6, 0.0)
        best = int(np.argmin(far))
        traffic.place(rows, int(strips[best]), float(stations[best]), 8.0)
        self.simulation.notice_newcomers()

    def _think(self) -> None:
        """Tell what the one who was clicked has in mind."""
        assert self.watched is not None
        thought = thought_of(self.simulation, self.watched)
        if thought is None:
            self.watched = None
        else:
            self.outside.say("thought", id=self.watched, **thought)
