"""Skills of a robot that plays a ball: get it, dribble it, kick it, putt it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from swerve.core.kernels import kernel

from ..bodies import Motion, World
from ..chance import Chance
from ..law import Law
from ..scene import Scene
from ..skill import Skill, beside
from . import handling
from .driving import Box, Range
from .handling import at_mouth

DRIBBLER = 0.3  # [N] with which a dribbler can hold a ball, 6 m/s² of a golf ball
TURNING = (4.0, 20.0)  # [rad/s], [rad/s²] with a ball
LEAST_WEIGHT = 1e-3  # [m/s²] with which a chip is reckoned
PLAYER: dict[str, tuple[str, ...]] = {"body": ("planar",), "ball": ("free",)}
HANDLED = ("ball",)  # the kicker and the dribbler act on it


def has_ball(scene: Scene, body: str, ball: str) -> np.ndarray:
    """(b,) whether the ball is at the robot's mouth: in front of it, where its dribbler holds it."""
    return at_mouth(scene.rows, scene.world.slot(body).numbers, scene.world.slot(ball).numbers)


def with_ball(world: World, body: str, ball: str, *own: float) -> np.ndarray:
    """Numbers of a robot that plays a ball, in the order of `handling`."""
    robot = world.movable(body, Motion.PLANAR).numbers
    return np.array([*robot, *world.slot(ball).numbers, world.step_seconds, *own])


@dataclass(frozen=True)
class GetBall(Skill):
    """Drive to the ball and face it; busy until it is at the mouth, or for at most `patience` seconds."""

    body: str
    ball: str
    speed: float = 2.0
    acceleration: float = 4.0
    patience: float = 3.0
    force: float = DRIBBLER
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    handles: ClassVar[tuple[str, ...]] = HANDLED
    law: ClassVar[Law] = handling.get_ball
    variables: ClassVar[tuple[str, ...]] = ("until",)

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return (scene.time + self.patience)[:, None]

    def numbers(self, world: World) -> np.ndarray:
        return with_ball(world, self.body, self.ball, self.speed, self.acceleration, self.force)


@dataclass(frozen=True)
class Dribble(Skill):
    """Drive with the ball towards a place drawn from a box around the robot, or from the box `to` where there
    is one, for a sampled time.

    Ends early when the ball is lost, or, to `regain` it, drives after it for the rest of that time.
    """

    body: str
    ball: str
    reach: float = 1.0  # [m] half a side of the box
    seconds: Range = (0.2, 0.6)
    speed: float = 1.5
    acceleration: float = 2.5
    force: float = DRIBBLER
    turning: Range = TURNING
    regain: bool = False
    to: Box | None = None
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    handles: ClassVar[tuple[str, ...]] = HANDLED
    law: ClassVar[Law] = handling.dribble
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        around = (-self.reach, -self.reach, self.reach, self.reach)
        target = scene.xy(self.body) + chance.point(around) if self.to is None else chance.point(self.to)
        return beside(target, scene.time + chance.uniform(*self.seconds))

    def numbers(self, world: World) -> np.ndarray:
        limits = (self.speed, self.acceleration, self.force, *self.turning)
        return with_ball(world, self.body, self.ball, *limits, self.regain)


@dataclass(frozen=True)
class DribbleAway(Skill):
    """Drive with the ball away from whichever of some opponents is nearest, for a sampled time."""

    body: str
    ball: str
    opponents: tuple[str, ...]
    seconds: Range = (0.2, 0.6)
    speed: float = 1.5
    acceleration: float = 2.5
    force: float = DRIBBLER
    turning: Range = TURNING
    regain: bool = False
    spread: float = 0.8  # [rad] by which the way is turned at most
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    handles: ClassVar[tuple[str, ...]] = HANDLED
    law: ClassVar[Law] = handling.dribble
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        turned, until = chance.uniform(-self.spread, self.spread), scene.time + chance.uniform(*self.seconds)
        here = scene.xy(self.body)
        others = np.array([scene.xy(name) for name in self.opponents])
        return beside(_away(np.ascontiguousarray(here), others, turned), until)

    def numbers(self, world: World) -> np.ndarray:
        limits = (self.speed, self.acceleration, self.force, *self.turning)
        return with_ball(world, self.body, self.ball, *limits, self.regain)


@dataclass(frozen=True)
class DribbleFacing(Skill):
    """Drive with the ball to a place drawn from a box around the robot, turned to one that is drawn from
    `facing`, for a sampled time."""

    body: str
    ball: str
    facing: Box
    reach: float = 1.0  # [m] half a side of the box
    seconds: Range = (0.2, 0.6)
    speed: float = 1.5
    acceleration: float = 2.5
    force: float = DRIBBLER
    turning: Range = TURNING
    regain: bool = False
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    handles: ClassVar[tuple[str, ...]] = HANDLED
    law: ClassVar[Law] = handling.sidle
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "facing x", "facing y", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        around = (-self.reach, -self.reach, self.reach, self.reach)
        target, faced = scene.xy(self.body) + chance.point(around), chance.point(self.facing)
        return beside(target, faced, scene.time + chance.uniform(*self.seconds))

    def numbers(self, world: World) -> np.ndarray:
        limits = (self.speed, self.acceleration, self.force, *self.turning)
        return with_ball(world, self.body, self.ball, *limits, self.regain)


@dataclass(frozen=True)
class Kick(Skill):
    """Aim the ball at a place and kick it with a sampled speed; busy until the ball is kicked.

    The place is drawn from `target`, or from a box of that size around the robot when `around` is set (a
    mini kick). `lift` is the share of the speed that goes upwards (a chip kick). It gives up after
    `patience` seconds.
    """

    body: str
    ball: str
    target: Box
    strength: Range = (2.0, 5.0)  # [m/s]
    around: bool = False
    lift: float = 0.0
    speed: float = 2.0
    acceleration: float = 4.0
    force: float = DRIBBLER
    patience: float = 1.5
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    handles: ClassVar[tuple[str, ...]] = HANDLED
    law: ClassVar[Law] = handling.kick
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "strength", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        target = chance.point(self.target)
        if self.around:
            target = target + scene.xy(self.body)
        return beside(target, chance.uniform(*self.strength), scene.time + self.patience)

    def numbers(self, world: World) -> np.ndarray:
        return with_ball(world, self.body, self.ball, self.speed, self.acceleration, self.force, self.lift)


@dataclass(frozen=True)
class ChipOver(Skill):
    """Chip the ball over one of some bodies, chosen at random, so that it is highest above its middle.

    `height` [m] is that of the ball's middle at the top, sampled, and `aside` [rad] by how much the way is
    turned from the body's middle. The flight takes 2·vz/g with vz = √(2·g·height).
    """

    body: str
    ball: str
    over: tuple[str, ...]
    height: Range = (0.3, 0.4)
    aside: Range = (-0.1, 0.1)
    speed: float = 2.0
    acceleration: float = 4.0
    force: float = DRIBBLER
    patience: float = 1.5
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    handles: ClassVar[tuple[str, ...]] = HANDLED
    law: ClassVar[Law] = handling.chip
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "strength", "rise", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        which = np.minimum((chance.uniform() * len(self.over)).astype(int), len(self.over) - 1)
        others = np.stack([scene.xy(name) for name in self.over], axis=1)[np.arange(len(scene)), which]
        way = others - scene.xy(self.ball)
        far = np.maximum(np.hypot(*way.T), 0.2)
        angle = np.arctan2(way[:, 1], way[:, 0]) + chance.uniform(*self.aside)
        weight = max(-float(scene.world.gravity[2]), LEAST_WEIGHT)
        rise = np.sqrt(2 * weight * chance.uniform(*self.height))
        target = scene.xy(self.ball) + 2 * (far * np.stack([np.cos(angle), np.sin(angle)])).T
        return beside(target, far * weight / rise, rise, scene.time + self.patience)

    def numbers(self, world: World) -> np.ndarray:
        return with_ball(world, self.body, self.ball, self.speed, self.acceleration, self.force)


@dataclass(frozen=True)
class Watch(Skill):
    """Stand and watch the ball for as long as it comes nearer to a place, at `least` [m/s], but for
    `patience` seconds at most."""

    body: str
    ball: str
    place: tuple[float, float]
    least: float = 0.5  # [m/s]
    patience: float = 2.0
    acceleration: float = 3.0
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    law: ClassVar[Law] = handling.watch
    variables: ClassVar[tuple[str, ...]] = ("until",)

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return (scene.time + self.patience)[:, None]

    def numbers(self, world: World) -> np.ndarray:
        return with_ball(world, self.body, self.ball, self.acceleration, *self.place, self.least)


@dataclass(frozen=True)
class Putt(Skill):
    """Drive into the ball, in a direction and with a speed that are sampled, then watch it roll.

    The direction is that of a place drawn from `target`, or without one that from the robot to the ball,
    turned by up to `spread` [rad]. Only the collision moves the ball. Busy until the ball has been hit and
    lies still again, so that a putt that misses is one branch. Gives up when it has not hit the ball after
    `patience` seconds.
    """

    body: str
    ball: str
    target: Box | None = None
    spread: float = 0.15
    strength: Range = (0.5, 3.0)  # [m/s] of the robot when it hits
    acceleration: float = 6.0
    patience: float = 2.0
    still: float = 0.1  # [m/s] counts as lying
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    law: ClassVar[Law] = handling.putt
    variables: ClassVar[tuple[str, ...]] = ("dx", "dy", "speed", "struck", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        way = scene.xy(self.ball) - scene.xy(self.body)
        if self.target is not None:
            way = chance.point(self.target) - scene.xy(self.ball)
        turned = 0.0 if self.target is not None else chance.uniform(-self.spread, self.spread)
        angle = np.arctan2(way[:, 1], way[:, 0]) + turned
        aim = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        speed = chance.uniform(*self.strength)
        return beside(aim, speed, np.zeros(len(scene)), scene.time + self.patience)

    def numbers(self, world: World) -> np.ndarray:
        return with_ball(
            world, self.body, self.ball, self.acceleration, self.still, world.pair(self.body, self.ball)
        )

    def watches(self) -> tuple[tuple[str, str], ...]:
        return ((self.body, self.ball),)


@kernel
def _away(here: np.ndarray, others: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """(b, 2) a metre from `here` (b, 2), away from the nearest of others (n, b, 2), `turned` aside (b,)."""
    places = np.empty((len(here), 2))
    for i in range(len(here)):
        x, y, nearest = 0.0, 0.0, np.inf
        for k in range(len(others)):
            dx, dy = here[i, 0] - others[k, i, 0], here[i, 1] - others[k, i, 1]
            if dx * dx + dy * dy < nearest:
                x, y, nearest = dx, dy, dx * dx + dy * dy
        angle = np.arctan2(y, x) + turned[i]
        places[i, 0], places[i, 1] = here[i, 0] + np.cos(angle), here[i, 1] + np.sin(angle)
    return places
