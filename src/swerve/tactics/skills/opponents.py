"""Deterministic skills: how bodies that are not ours are expected to act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..scene import Action, Scene, direction
from ..skill import Skill


@dataclass(frozen=True)
class KeepTurning(Skill):
    """Turn at a steady rate [rad/s]: a bar or a windmill."""

    body: str
    rate: float
    deterministic: ClassVar[bool] = True

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        return np.ones(len(scene), dtype=bool)  # nothing slows it down


@dataclass(frozen=True)
class Defend(Skill):
    """Stand between the ball and the goal, `share` of the way from the goal to the ball, aside by `aside`."""

    body: str
    ball: str
    goal: tuple[float, float]
    share: float = 0.6
    aside: float = 0.0  # [m]
    speed: float = 1.5
    acceleration: float = 3.0
    deterministic: ClassVar[bool] = True

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        goal = np.array(self.goal)
        way = scene.xy(self.ball) - goal
        across = direction(way)[:, ::-1] * np.array([-1.0, 1.0])
        action.drive_to(
            self.body, goal + self.share * way + self.aside * across, self.speed, self.acceleration
        )
        action.turn_to(self.body, np.arctan2(way[:, 1], way[:, 0]))
        return np.ones(len(scene), dtype=bool)


@dataclass(frozen=True)
class GuardGoal(Skill):
    """Move along the goal line to where the ball will cross it, at most `half` to either side."""

    body: str
    ball: str
    line: float  # [m] x on which it moves
    half: float = 0.3  # [m]
    speed: float = 2.0
    acceleration: float = 4.0
    deterministic: ClassVar[bool] = True

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        place, velocity = scene.xy(self.ball), scene.velocity(self.ball)
        coming = velocity[:, 0] > 0.3
        seconds = np.clip((self.line - place[:, 0]) / np.where(coming, velocity[:, 0], 1.0), 0.0, 1.0)
        y = np.where(coming, place[:, 1] + velocity[:, 1] * seconds, 0.4 * place[:, 1])
        target = np.column_stack([np.full(len(scene), self.line), np.clip(y, -self.half, self.half)])
        action.drive_to(self.body, target, self.speed, self.acceleration)
        way = place - scene.xy(self.body)
        action.turn_to(self.body, np.arctan2(way[:, 1], way[:, 0]))
        return np.ones(len(scene), dtype=bool)
