"""Skills of balls and dice that look passive: an initial shot, and slight pushes that nobody notices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..chance import Chance
from ..scene import Action, Scene, direction, length
from ..skill import Skill
from .driving import Range

STILL = 0.1  # [m/s] below which a ball counts as lying
MOMENT = 1e-9  # [s] so that rounding does not add a step


@dataclass(frozen=True)
class Shoot(Skill):
    """Hit a ball once, so that it touches another, at a sampled part of it and with a sampled speed.

    Busy until it touches that ball, but for `seconds` at most; a shot that misses ends where the problem
    says so.
    """

    body: str
    at: str
    strength: Range = (1.5, 4.0)  # [m/s]
    fullness: Range = (-0.95, 0.95)  # 0 hits the middle, ±1 grazes the edge
    seconds: float = np.inf
    variables: ClassVar[tuple[str, ...]] = ("vx", "vy", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        way = scene.xy(self.at) - scene.xy(self.body)
        touch = scene.world.slot(self.body).radius + scene.world.slot(self.at).radius
        off = np.arcsin(
            np.minimum(touch / np.maximum(length(way), touch), 1.0) * chance.uniform(*self.fullness)
        )
        angle = np.arctan2(way[:, 1], way[:, 0]) + off
        speed = chance.uniform(*self.strength)
        return np.column_stack([speed * np.cos(angle), speed * np.sin(angle), np.full(len(scene), np.nan)])

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        first = np.isnan(variables[:, 2])
        push = variables[:, :2] * (scene.world.slot(self.body).mass / scene.world.step_seconds)
        action.push(self.body, push * first[:, None])
        variables[first, 2] = scene.time[first] + self.seconds
        return first | (scene.time < variables[:, 2] - MOMENT) & ~scene.touching(self.body, self.at)

    def watches(self) -> tuple[tuple[str, str], ...]:
        return ((self.body, self.at),)


@dataclass(frozen=True)
class RestUntilHit(Skill):
    """Do nothing until another body has touched this one."""

    body: str
    by: str

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        return ~scene.touching(self.body, self.by)

    def watches(self) -> tuple[tuple[str, str], ...]:
        return ((self.body, self.by),)


@dataclass(frozen=True)
class SampledSpin(Skill):
    """Bend a rolling ball's way towards another body, by a sampled sideways acceleration.

    The push acts across the motion for `seconds`. Then the ball rolls freely and the skill stays busy for
    good: nothing is left to decide for this ball. With `again` it ends there, or where the ball touches the
    other, so that another spin can be sampled.
    """

    body: str
    towards: str
    strength: Range = (0.0, 2.0)  # [m/s²]
    seconds: float = 0.4
    again: bool = False
    variables: ClassVar[tuple[str, ...]] = ("strength", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return np.column_stack([chance.uniform(*self.strength), scene.time + self.seconds])

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        heading = direction(scene.velocity(self.body)[:, :2])
        way = scene.xy(self.towards) - scene.xy(self.body)
        across = way - np.einsum("ij,ij->i", way, heading)[:, None] * heading
        moving = scene.speed(self.body) > STILL
        pushing = variables[:, 0] * moving * (scene.time < variables[:, 1])
        action.push(self.body, direction(across) * (pushing * scene.world.slot(self.body).mass)[:, None])
        if not self.again:
            return np.ones(len(scene), dtype=bool)
        return (scene.time < variables[:, 1] - MOMENT) & ~scene.touching(self.body, self.towards)

    def watches(self) -> tuple[tuple[str, str], ...]:
        return ((self.body, self.towards),) if self.again else ()


@dataclass(frozen=True)
class Roll(Skill):
    """Roll freely. Busy for good: where the motion ends is up to the problem."""

    body: str

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        return np.ones(len(scene), dtype=bool)
