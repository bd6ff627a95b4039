"""Sight through cameras: a match whose sides know only what the eyes see.

Every frame all cameras take a picture of the true world, and what the eyes make of it goes into the tracker
in the place of noisy truth. What they do not see is where the filters expect it. How high a ball flies is
told from how it seems to move on the ground (`eyes.flight`).
"""

from __future__ import annotations

import numpy as np

from .eyes.flight import Flight, rays_of
from .eyes.measure import look_at
from .eyes.render import Sheet
from .eyes.scene import Disturbance, Scene
from .eyes.stand import Stand, build_stand, sheets_of
from .match.model import BALL_RADIUS, BVX, BVZ, FRAME, HEADING, VX, X, Y, Z
from .match.sight import Sight, Tracker
from .match.world import MatchWorld

NOISE = (0.0005, 0.001, 0.003)  # [m, m, rad] of places, the ball's and headings, as the eyes see them


class Watching(Tracker):
    """A tracker behind cameras above the field; `hung` says by which seed they hang, `seed` makes their
    noise. Of `sight` the latency counts."""

    def __init__(self, world: MatchWorld, sight: Sight, random: np.random.Generator):
        super().__init__(world, Sight(*NOISE, sight.latency), random)
        self.seed = self.hung = int(random.integers(1 << 31))
        self.frames, self.unseen = 0, 0
        self.disturbance = Disturbance()
        self.flight = Flight(FRAME)
        self._stand: Stand | None = None
        self._sheets: list[Sheet] = []

    @property
    def stand(self) -> Stand:
        """Hung and calibrated when it is first looked through."""
        if self._stand is None:
            self._stand = build_stand(self.world.field.name, self.disturbance, self.hung)
        return self._stand

    @property
    def sheets(self) -> list[Sheet]:
        """What the cameras' pictures are painted on."""
        if not self._sheets:
            self._sheets = sheets_of(self.stand)
        return self._sheets

    def picture(self) -> np.ndarray:
        """What the eyes see (n + 1, 3): x, y and heading of robots, the ball's place."""
        robots, ball = self.world.robots[0], self.world.ball[0]
        n = self.n
        team, number = np.repeat([0, 1], n // 2), np.tile(np.arange(n // 2), 2)
        place = np.array([ball[X], ball[Y], ball[Z] + BALL_RADIUS])
        velocity = robots[:, VX : VX + 3]
        scene = Scene(robots[:, : HEADING + 1], velocity, team, number, place, ball[BVX : BVZ + 1])
        look = look_at(self.stand, scene, self.disturbance, self.seed, self.frames, self.sheets)
        sighting, t = look.sighting, FRAME * self.frames
        self.frames += 1
        found = self.mean[:, :, 0] + FRAME * (self.sight.latency + 1) * self.mean[:, :, 1]
        for k in range(n):
            pose = sighting.robots.get((int(team[k]), int(number[k])))
            self.hidden[k] = pose is None
            if pose is not None:
                found[k] = pose
            else:
                self.unseen += 1
        rays = rays_of(look.detections, self.stand.eyes.cameras, t)
        at = self.flight.see(rays, sighting.ball, t)
        self.hidden[n] = at is None
        self.flies = self.flight.moving if at is not None else np.full(3, np.nan)
        if at is not None:
            found[n] = at
        return found
