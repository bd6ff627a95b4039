"""Skills of a body that drives in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from swerve.core.geometry import wrap
from swerve.core.kernels import kernel

from ..chance import Chance
from ..scene import Action, Scene
from ..skill import Skill
from ..steering import BASE_X, BASE_Y, PLACE, VELOCITY, drive_row, turn_row

Box = tuple[float, float, float, float]  # x0, y0, x1, y1 [m]
Range = tuple[float, float]


@dataclass(frozen=True)
class DriveToSample(Skill):
    """Drive towards the planner's own sample until it is there, for a while: with BK-RRT, this is the
    classic RRT.

    Without a sample the body brakes.
    """

    body: str
    speed: float = 2.0
    acceleration: float = 3.0
    near: float = 0.0  # [m] counts as there
    seconds: float = 0.0  # that it keeps to one sample; zero is a single step
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar", "free")}
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        given = ~np.isnan(scene.sample[:, :1])
        target = np.where(given, scene.sample, scene.xy(self.body))
        return np.column_stack([target, scene.time + self.seconds])

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        target, until = variables[:, :2], variables[:, 2]
        action.drive_to(self.body, target, self.speed, self.acceleration)
        there = scene.distance(self.body, target) <= self.near
        return ~there & (scene.time + scene.world.step_seconds < until)


@dataclass(frozen=True)
class DriveToSampledTarget(Skill):
    """Drive towards a place drawn from a box; busy until it is there, or for so many seconds."""

    body: str
    area: Box
    speed: float = 2.0
    acceleration: float = 3.0
    near: float = 0.05  # [m] counts as there
    seconds: float = np.inf
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar", "free")}
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return np.column_stack([chance.point(self.area), scene.time + self.seconds])

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        target, until = variables[:, :2], variables[:, 2]
        action.drive_to(self.body, target, self.speed, self.acceleration)
        there = scene.distance(self.body, target) <= self.near
        return ~there & (scene.time + scene.world.step_seconds < until)


@dataclass(frozen=True)
class DriveToPoint(Skill):
    """Drive to a fixed place; busy until it is there."""

    body: str
    point: tuple[float, float]
    speed: float = 2.0
    acceleration: float = 3.0
    near: float = 0.05
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar", "free")}
    deterministic: ClassVar[bool] = True

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        target = np.broadcast_to(np.array(self.point, dtype=float), (len(scene), 2))
        action.drive_to(self.body, target, self.speed, self.acceleration)
        return scene.distance(self.body, target) > self.near


@dataclass(frozen=True)
class Turn(Skill):
    """Turn by an angle drawn from a range [rad]; busy until it points there."""

    body: str
    angle: Range = (-np.pi, np.pi)
    near: float = 0.03  # [rad]
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar",)}
    variables: ClassVar[tuple[str, ...]] = ("heading",)

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return (scene.heading(self.body) + chance.uniform(*self.angle))[:, None]

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        action.turn_to(self.body, variables[:, 0])
        return np.abs(wrap(scene.heading(self.body) - variables[:, 0])) > self.near


@dataclass(frozen=True)
class Wait(Skill):
    """Brake and wait for a time drawn from a range [s]."""

    body: str
    seconds: Range = (0.0, 1.0)
    acceleration: float = 3.0
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar", "free")}
    variables: ClassVar[tuple[str, ...]] = ("until",)

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return (scene.time + chance.uniform(*self.seconds))[:, None]

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        action.halt(self.body, self.acceleration)
        return scene.time + scene.world.step_seconds < variables[:, 0]


@dataclass(frozen=True)
class PositionAt(Skill):
    """Stand at a sampled angle and distance around another body, facing it; busy until it stands there.

    `angle` [rad] counter-clockwise from +x, seen from the other body; `distance` [m] between the middles.
    """

    body: str
    around: str
    angle: Range = (-np.pi, np.pi)
    distance: Range = (0.2, 0.3)
    speed: float = 2.0
    acceleration: float = 3.0
    near: float = 0.02
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar",), "around": ("planar", "free")}
    variables: ClassVar[tuple[str, ...]] = ("angle", "distance")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return np.stack([chance.uniform(*self.angle), chance.uniform(*self.distance)], axis=-1)

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        slots = scene.world.slot(self.body).numbers, scene.world.slot(self.around).numbers
        return _position(
            action.forces, scene.rows, *slots, variables, self.speed, self.acceleration, self.near,
            scene.world.step_seconds,
        )  # fmt: skip


@kernel
def _position(
    forces: np.ndarray,
    rows: np.ndarray,
    robot: np.ndarray,
    other: np.ndarray,
    variables: np.ndarray,
    speed: float,
    acceleration: float,
    near: float,
    dt: float,
) -> np.ndarray:
    """`variables`: the angle around the other body and the distance to it. Gives (b,) busy flags."""
    busy = np.empty(len(rows), dtype=np.bool_)
    q, own, v = int(other[PLACE]), int(robot[PLACE]), int(robot[VELOCITY])
    for i in range(len(rows)):
        row, angle, distance = rows[i], variables[i, 0], variables[i, 1]
        x = row[q] + other[BASE_X] + distance * np.cos(angle)
        y = row[q + 1] + other[BASE_Y] + distance * np.sin(angle)
        drive_row(forces[i], row, robot, x, y, speed, acceleration, dt, False)
        turn_row(forces[i], row, robot, angle + np.pi, 12.0, 60.0, dt)
        away = np.hypot(row[own] + robot[BASE_X] - x, row[own + 1] + robot[BASE_Y] - y)
        busy[i] = away > near or np.hypot(row[v], row[v + 1]) > 0.1
    return busy
