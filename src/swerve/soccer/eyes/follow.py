"""The tracker of the closed loop behind the eyes: sightings in, where everybody is believed to be out."""

from __future__ import annotations

import numpy as np

from swerve.tactics.bodies import Body, Role, World
from swerve.tactics.domains import build as make
from swerve.tactics.loop.sense import Noise, Seen
from swerve.tactics.loop.tracker import Tracker

from .merge import Sighting
from .pattern import body_name
from .scene import Scene

NOISE = Noise(place=0.001, heading=0.004)  # of what the eyes see
BALL = "ball"


class Following:
    """A tracker of the robots of a scene and a ball."""

    def __init__(self, scene: Scene):
        self.keys = [(int(t), int(n)) for t, n in zip(scene.team, scene.number, strict=True)]
        names = [body_name(*key) for key in self.keys]
        parts = [make.floor(), make.ball(BALL), *(make.robot(name) for name in names)]
        bodies = [
            Body("floor", Role.STATIC, make.ROBOT, floor=True),
            Body(BALL, Role.PASSIVE, make.ROBOT),
            *(Body(name, Role.FOREIGN, make.ROBOT) for name in names),
        ]
        self.world = World(make.mjcf(*parts), bodies, [])
        self.tracker = Tracker(self.world, self.world.initial.copy(), NOISE, latency=0.0)

    def update(self, t: float, sighting: Sighting) -> Sighting:
        """Take in what is seen at `t` and say what is believed then."""
        poses = {body_name(*key): pose for key, pose in sighting.robots.items() if key in self.keys}
        if sighting.ball is not None:
            poses[BALL] = np.array([*sighting.ball, 0.0])
        self.tracker.update(Seen(t, poses))
        row = self.tracker.estimate(t)
        robots = {}
        for key in self.keys:
            if body_name(*key) in self.tracker.filters:
                slot = self.world.slot(body_name(*key))
                pose = row[slot.qpos : slot.qpos + 3].copy()
                pose[:2] += slot.base[:2]
                robots[key] = pose
        slot = self.world.slot(BALL)
        known = BALL in self.tracker.filters
        return Sighting(robots, row[slot.qpos : slot.qpos + 2].copy() if known else None)
