"""Reality for soccer: MuJoCo at a tenth of the step with other materials, and a referee who kicks off again.

A goal ends the game. Whenever the ball leaves the field, or nothing comes of it for a while, the ball is put
somewhere near the middle, and both robots on their own sides of it, equally far, as in the original. That is
part of this world, so that a recording of what robots were told is enough to repeat it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..domains.duel import FIELD, GOAL_DEPTH, GOAL_HALF, TEAMS, kick_off
from ..problem import Problem
from .reality import Command, Drive, MujocoReality

OTHER = {  # materials of this world
    "ball": {"restitution": 0.6, "friction": 0.15},
    "floor": {"friction": 0.3, "rolling": 0.0014},
    "blue": {"restitution": 0.2},
    "yellow": {"restitution": 0.2},
}
PATIENCE = 10.0  # [s] from a kick-off to the next
ASIDE = np.pi / 3  # [rad] from the line between the goals that both stand at most, one this side, one that
MIDDLE = np.array([0.3, 0.6])  # [m] from the middle of the field that the ball begins at most


class Pitch(MujocoReality):
    """`scored` is the team that has, `restarts` counts kick-offs after the first."""

    def __init__(self, problem: Problem, random: np.random.Generator, drive: Drive):
        super().__init__(problem.world, problem.start, random, OTHER, drive, ball="ball")
        self.scored: str | None = None
        self.restarts, self.since = -1, 0.0
        self._kick_off()

    def step(self, commands: Mapping[str, Command]) -> None:
        super().step(commands)
        x, y = self.row[self.world.slot("ball").qpos :][:2]
        if abs(y) < GOAL_HALF and FIELD[2] + 0.02 < abs(x) < FIELD[2] + GOAL_DEPTH:
            self.scored = self.scored or TEAMS[0 if x > 0 else 1]
        out = not (FIELD[0] < x < FIELD[2] or abs(y) < GOAL_HALF) or not FIELD[1] < y < FIELD[3]
        if self.scored is None and (out or self.row[0] - self.since > PATIENCE):
            self._kick_off()

    def _kick_off(self) -> None:
        now = float(self.row[0])
        x, y = self.random.uniform(-1.0, 1.0, 2) * MIDDLE
        angle = float(self.random.uniform(-ASIDE, ASIDE))
        kick_off(self.row, self.world, (float(x), float(y)), angle)
        self.row[0], self.since = now, now
        self.restarts += 1
