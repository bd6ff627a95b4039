"""Skills of balls that look passive: one shot, with spin, and a spin that nobody notices.

Spin is turning, nothing else: the cloth's friction makes a ball that turns about the line of its way leave
that line. With coefficient μ it is accelerated by μ·g across, for as long as its surface slips.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..chance import Chance
from ..scene import Action, Scene, direction, length
from ..skill import Skill
from .driving import Range

STILL = 0.1  # [m/s] below which a ball counts as lying
GRAVITY = 9.81  # [m/s²]
MOMENT = 1e-9  # [s] so that rounding does not add a step


@dataclass(frozen=True)
class Shoot(Skill):
    """Hit a ball once, so that it rolls into another, at a sampled part of it and with a sampled speed.

    A sampled share of `swerve` is the spin about its way: with ±1 the cloth's friction bends all of the way,
    to the left if positive. The ball is aimed off by as much as it will come back. Busy until it touches the
    other ball, but for `seconds` at most; a shot that misses ends where the problem says so.
    """

    body: str
    at: str
    strength: Range = (1.5, 4.0)  # [m/s]
    fullness: Range = (-0.95, 0.95)  # 0 hits the middle, ±1 grazes the edge
    swerve: Range = (0.0, 0.0)
    cloth: float = 0.2  # friction of the ball on the cloth
    seconds: float = np.inf
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("free",)}
    variables: ClassVar[tuple[str, ...]] = ("vx", "vy", "spin", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        way = scene.xy(self.at) - scene.xy(self.body)
        touch = scene.world.slot(self.body).radius + scene.world.slot(self.at).radius
        far = np.maximum(length(way), touch)
        off = np.arcsin(np.minimum(touch / far, 1.0) * chance.uniform(*self.fullness))
        speed, share = chance.uniform(*self.strength), chance.uniform(*self.swerve)
        seconds = np.maximum(far - touch, 0.0) / np.maximum(speed, STILL)
        across = self.cloth * GRAVITY
        slips = np.abs(share) * seconds  # slipping slows by 7/2 of what the ball is accelerated by
        bent = across * slips * (seconds - slips / 2)
        angle = np.arctan2(way[:, 1], way[:, 0]) + off - np.sign(share) * np.arctan2(bent, far)
        spin = -np.sign(share) * 3.5 * across * slips / scene.world.slot(self.body).radius
        return np.column_stack(
            [speed * np.cos(angle), speed * np.sin(angle), spin, np.full(len(scene), np.nan)]
        )

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        first = np.isnan(variables[:, 3])
        if first.any():
            slot, dt = scene.world.slot(self.body), scene.world.step_seconds
            velocity = variables[:, :2] * first[:, None]
            action.push(self.body, velocity * (slot.mass / dt))
            turning = _spin(velocity, variables[:, 2] * first) + np.column_stack(
                [-velocity[:, 1], velocity[:, 0], np.zeros(len(scene))]
            ) / slot.radius  # fmt: skip
            action.twist(self.body, turning * (slot.inertia / dt))
            variables[first, 3] = scene.time[first] + self.seconds
        return first | (scene.time < variables[:, 3] - MOMENT) & ~scene.touching(self.body, self.at)

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
    """Give a ball that moves a sampled spin about its way, once; the cloth's friction bends the way.

    The skill stays busy for good: nothing is left to decide for this ball.
    """

    body: str
    spin: Range = (-1.0, 1.0)  # [m/s] of its surface; to the left if positive
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("free",)}
    variables: ClassVar[tuple[str, ...]] = ("spin", "given")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return np.column_stack([chance.uniform(*self.spin), np.zeros(len(scene))])

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        now = variables[:, 1] == 0.0
        if now.any():
            slot, dt = scene.world.slot(self.body), scene.world.step_seconds
            now &= scene.speed(self.body) > STILL
            turning = _spin(scene.velocity(self.body)[:, :2], -variables[:, 0] / slot.radius * now)
            action.twist(self.body, turning * (slot.inertia / dt))
            variables[now, 1] = 1.0
        return np.ones(len(scene), dtype=bool)


def _spin(velocity: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """(b, 3) turning at `rate` (b,) about the direction of a velocity (b, 2) [rad/s]."""
    axis = direction(velocity)
    return np.column_stack([axis * rate[:, None], np.zeros(len(axis))])


@dataclass(frozen=True)
class Roll(Skill):
    """Roll freely. Busy for good: where the motion ends is up to the problem."""

    body: str

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        return np.ones(len(scene), dtype=bool)
