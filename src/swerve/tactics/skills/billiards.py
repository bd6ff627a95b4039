"""Skills of balls that look passive: one shot, with spin, and a spin that nobody notices.

Spin is turning, nothing else: the cloth's friction makes a ball that turns about the line of its way leave
that line. With coefficient μ it is accelerated by μ·g across, for as long as its surface slips.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..bodies import Motion, World
from ..chance import Chance
from ..law import Law, law, views
from ..scene import Scene, length
from ..skill import Skill
from ..steering import DOF, INERTIA, MASS, RADIUS, VELOCITY, twist_row
from .driving import Range

STILL = 0.1  # [m/s] below which a ball counts as lying
MOMENT = 1e-9  # [s] so that rounding does not add a step


@law
def _shoot(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """`variables`: velocity, spin, until when, NaN before the shot. Numbers: the ball's, the step, the column
    of the collisions with the other ball, seconds."""
    push, here, touch, mine, about = views(forces, row, touched, variables, numbers)
    if np.isnan(mine[3]):
        vx, vy, dof, dt = mine[0], mine[1], int(about[DOF]), about[8]
        push[dof] += vx * about[MASS] / dt
        push[dof + 1] += vy * about[MASS] / dt
        rate = mine[2] / max(np.hypot(vx, vy), 1e-12)
        x, y, share = rate * vx - vy / about[RADIUS], rate * vy + vx / about[RADIUS], about[INERTIA] / dt
        twist_row(push, here, about[0:8], x * share, y * share, 0.0)
        mine[3] = here[0] + about[10]
        return True
    return here[0] < mine[3] - MOMENT and not touch[int(about[9])]


@law
def _rest_until_hit(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: the column of the collisions with the other body."""
    _, _, touch, _, about = views(forces, row, touched, variables, numbers)
    return not touch[int(about[0])]


@law
def _spin_once(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """`variables`: spin, whether it was given. Numbers: the ball's, the step."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    v = int(about[VELOCITY])
    vx, vy, vz = here[v], here[v + 1], here[v + 2]
    if mine[1] == 0.0 and np.sqrt(vx * vx + vy * vy + vz * vz) > STILL:
        share = -mine[0] / about[RADIUS] / max(np.hypot(vx, vy), 1e-12) * about[INERTIA] / about[8]
        twist_row(push, here, about[0:8], vx * share, vy * share, 0.0)
        mine[1] = 1.0
    return True


@law
def _roll(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    return True


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
    law: ClassVar[Law] = _shoot
    variables: ClassVar[tuple[str, ...]] = ("vx", "vy", "spin", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        way = scene.xy(self.at) - scene.xy(self.body)
        touch = scene.world.slot(self.body).radius + scene.world.slot(self.at).radius
        far = np.maximum(length(way), touch)
        off = np.arcsin(np.minimum(touch / far, 1.0) * chance.uniform(*self.fullness))
        speed, share = chance.uniform(*self.strength), chance.uniform(*self.swerve)
        seconds = np.maximum(far - touch, 0.0) / np.maximum(speed, STILL)
        across = self.cloth * max(-float(scene.world.gravity[2]), 0.0)
        slips = np.abs(share) * seconds  # slipping slows by 7/2 of what the ball is accelerated by
        bent = across * slips * (seconds - slips / 2)
        angle = np.arctan2(way[:, 1], way[:, 0]) + off - np.sign(share) * np.arctan2(bent, far)
        spin = -np.sign(share) * 3.5 * across * slips / scene.world.slot(self.body).radius
        return np.column_stack(
            [speed * np.cos(angle), speed * np.sin(angle), spin, np.full(len(scene), np.nan)]
        )

    def numbers(self, world: World) -> np.ndarray:
        slot = world.movable(self.body, Motion.FREE).numbers
        return np.array([*slot, world.step_seconds, world.pair(self.body, self.at), self.seconds])

    def watches(self) -> tuple[tuple[str, str], ...]:
        return ((self.body, self.at),)


@dataclass(frozen=True)
class RestUntilHit(Skill):
    """Do nothing until another body has touched this one."""

    body: str
    by: str

    law: ClassVar[Law] = _rest_until_hit

    def numbers(self, world: World) -> np.ndarray:
        return np.array([float(world.pair(self.body, self.by))])

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
    law: ClassVar[Law] = _spin_once
    variables: ClassVar[tuple[str, ...]] = ("spin", "given")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return np.column_stack([chance.uniform(*self.spin), np.zeros(len(scene))])

    def numbers(self, world: World) -> np.ndarray:
        return np.append(world.movable(self.body, Motion.FREE).numbers, world.step_seconds)


@dataclass(frozen=True)
class Roll(Skill):
    """Roll freely. Busy for good: where the motion ends is up to the problem."""

    body: str

    law: ClassVar[Law] = _roll
