"""Riders: a herd in which those near the middle are in full physics; its controller is switched live."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.world import World
from swerve.riders.bodies.rider import load_rider
from swerve.riders.maps.detail import Mixed, near_viewer
from swerve.riders.maps.stored import load_map
from swerve.riders.steering.herd import scatter
from swerve.riders.steering.herd_measure import least_spacing
from swerve.riders.steering.minds import HerdRiders
from swerve.riders.steering.tune import load_tuned

from .room import Message, Outside, WorldRoom, number, whole

NEAR = 6.0  # [m] from the middle within which riders are in full physics
CONTROLLERS = ("lod", "simple")
FULL, LIGHT = "#d1495b", "#2e6f95"


def enter(asked: Message, outside: Outside) -> RidersRoom:
    return RidersRoom(asked, outside)


class RidersRoom(WorldRoom):
    """A herd that rides towards +x; the page paints riders by their level of detail."""

    def __init__(self, asked: Message, outside: Outside):
        self.outside = outside
        count, seed = whole(asked, "riders", 2, 400, 24), whole(asked, "seed", 0, 2**31)
        self.map, self.tuned = load_map("human"), load_tuned("human")
        body = load_rider("human")
        middle = near_viewer(lambda m: (float(m.x.mean()), float(m.y.mean())), NEAR, body.radius)
        self.herd = Mixed(body, self.map, count, whole(asked, "full", 1, 16, 4), middle)
        self.herd.put(*scatter(count, seed).T)
        self.mind = HerdRiders(self._steering("lod"), self.map.speed)
        world = World(meta={"scene": "herd"})
        world.add(self.herd, self.mind, "herd")
        super().__init__(world, f"Herd of {count}")
        self.controller, self._painted = "lod", np.zeros(count, bool)

    def _steering(self, controller: str) -> Any:
        if controller == "lod":
            return self.tuned.navigator(self.map, "herd")
        return self.tuned.simple_for((float(self.map.turns[0]), float(self.map.turns[-1])), "herd")

    def hear(self, message: Message) -> None:
        if message.get("type") == "controller":
            name = message.get("name")
            if name not in CONTROLLERS:
                raise BadInput("controller", name, f"must be one of {', '.join(CONTROLLERS)}")
            self.controller, self.mind.law.steering = name, self._steering(name)
        elif message.get("type") == "spacing":
            least = least_spacing(self.map.outline[0])
            self.mind.law.spacing = max(number(message, "value", 2.0, 15.0), least)
        else:
            super().hear(message)

    def step(self) -> None:
        super().step()
        in_full = np.asarray(self.herd.in_full, bool)
        if not np.array_equal(in_full, self._painted):
            ids = self.world.members[0].ids
            self.outside.say(
                "paint", rows=[[int(i), FULL if f else LIGHT] for i, f in zip(ids, in_full, strict=True)]
            )
            self._painted = in_full.copy()

    def figures(self) -> dict[str, Any]:
        error = float(self.mind.errors[-1].mean()) if self.mind.errors else None
        return {
            "time [s]": self.world.time,
            "controller": self.controller,
            "spacing [m]": self.mind.law.spacing,
            "mean position error [m]": error,
            "riders in full": int(np.sum(self.herd.in_full)),
            "fallen": int(self.world.members[0].motion.fell.sum()),
        }
