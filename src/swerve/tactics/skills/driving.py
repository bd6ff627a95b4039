"""Skills of a body that drives in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from swerve.core.geometry import wrap, wrapped
from swerve.core.kernels import NO, YES, bare, inner, kernel

from ..bodies import Motion, World
from ..chance import Chance
from ..law import Law, law, views
from ..scene import Action, Scene
from ..skill import Skill
from ..steering import BASE_X, BASE_Y, PLACE, RADIUS, VELOCITY, drive_row, halt_row, turn_row

Box = tuple[float, float, float, float]  # x0, y0, x1, y1 [m]
Range = tuple[float, float]


STRIDE = 0.4  # [rad] that a robot goes round at a time
CLEAR = 0.05  # [m] that it keeps from what it goes round
DT, SPEED, ACCELERATION, NEAR = 8, 9, 10, 11  # of the numbers, after the body's own; others follow


def driving_numbers(world: World, body: str, speed: float, acceleration: float, near: float) -> np.ndarray:
    """Numbers of a body that drives."""
    slot = world.movable(body, Motion.FREE, Motion.PLANAR).numbers
    return np.array([*slot, world.step_seconds, speed, acceleration, near])


@inner
@kernel
def _drive(forces: np.ndarray, row: np.ndarray, about: np.ndarray, x: float, y: float) -> bool:
    """Towards a place; whether the body is not there yet."""
    q, slot = int(about[PLACE]), about[0:8]
    drive_row(forces, row, slot, x, y, about[SPEED], about[ACCELERATION], about[DT], NO)
    return np.hypot(x - row[q] - slot[BASE_X], y - row[q + 1] - slot[BASE_Y]) > about[NEAR]


@kernel
def _towards_sample(sample: np.ndarray, here: np.ndarray, time: np.ndarray, seconds: float) -> np.ndarray:
    """Where to, the sample or if there is none where the body is, and until when."""
    result = np.empty((len(sample), 3))
    for k in range(len(sample)):
        given = not np.isnan(sample[k, 0])
        result[k, 0] = sample[k, 0] if given else here[k, 0]
        result[k, 1] = sample[k, 1] if given else here[k, 1]
        result[k, 2] = time[k] + seconds
    return result


@law
def _drive_for_a_while(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """`variables`: x and y of the place, until when."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    return _drive(push, here, about, mine[0], mine[1]) and here[0] + about[DT] < mine[2]


@law
def _drive_to_point(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: also x and y of the place."""
    push, here, _, _, about = views(forces, row, touched, variables, numbers)
    return _drive(push, here, about, about[12], about[13])


@law
def _wait(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """`variables`: until when."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    halt_row(push, here, about[0:8], about[ACCELERATION], about[DT])
    return here[0] + about[DT] < mine[0]


@inner
@bare
def passes_near(x: float, y: float, to_x: float, to_y: float, radius: float) -> bool:
    """Whether the straight way from (x, y) to (to_x, to_y) first comes nearer to the origin, and too near."""
    dx, dy = to_x - x, to_y - y
    size = dx * dx + dy * dy
    along = -(x * dx + y * dy)
    if along <= 0.0 or along >= size:
        return False
    return abs(x * dy - y * dx) < radius * np.sqrt(size)


@law
def _position(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """`variables`: the angle around the other body, the distance to it, until when. Numbers: also the
    other's."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    robot, other, angle = about[0:8], about[12:20], mine[0]
    q, v = int(other[PLACE]), int(robot[VELOCITY])
    x, y = here[q] + other[BASE_X], here[q + 1] + other[BASE_Y]
    to_x, to_y = x + mine[1] * np.cos(angle), y + mine[1] * np.sin(angle)
    turn_row(push, here, robot, angle + np.pi, 12.0, 60.0, about[DT])
    p, clear = int(robot[PLACE]), robot[RADIUS] + other[RADIUS] + CLEAR
    dx, dy = here[p] + robot[BASE_X] - x, here[p + 1] + robot[BASE_Y] - y
    if passes_near(dx, dy, mine[1] * np.cos(angle), mine[1] * np.sin(angle), clear):
        now = np.arctan2(dy, dx)
        now += STRIDE * np.sign(wrapped(angle - now))
        away = clear / np.cos(STRIDE)
        at_x, at_y = x + away * np.cos(now), y + away * np.sin(now)
        drive_row(push, here, robot, at_x, at_y, about[SPEED], about[ACCELERATION], about[DT], YES)
        return here[0] + about[DT] < mine[2]
    on_its_way = _drive(push, here, about, to_x, to_y) or np.hypot(here[v], here[v + 1]) > 0.1
    return on_its_way and here[0] + about[DT] < mine[2]


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
    law: ClassVar[Law] = _drive_for_a_while
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return _towards_sample(scene.sample, scene.xy(self.body), scene.time, self.seconds)

    def numbers(self, world: World) -> np.ndarray:
        return driving_numbers(world, self.body, self.speed, self.acceleration, self.near)


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
    law: ClassVar[Law] = _drive_for_a_while
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return np.column_stack([chance.point(self.area), scene.time + self.seconds])

    def numbers(self, world: World) -> np.ndarray:
        return driving_numbers(world, self.body, self.speed, self.acceleration, self.near)


@dataclass(frozen=True)
class DriveToPoint(Skill):
    """Drive to a fixed place; busy until it is there."""

    body: str
    point: tuple[float, float]
    speed: float = 2.0
    acceleration: float = 3.0
    near: float = 0.05
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar", "free")}
    law: ClassVar[Law] = _drive_to_point
    deterministic: ClassVar[bool] = True

    def numbers(self, world: World) -> np.ndarray:
        return np.append(
            driving_numbers(world, self.body, self.speed, self.acceleration, self.near), self.point
        )


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
    law: ClassVar[Law] = _wait
    variables: ClassVar[tuple[str, ...]] = ("until",)

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return (scene.time + chance.uniform(*self.seconds))[:, None]

    def numbers(self, world: World) -> np.ndarray:
        return driving_numbers(world, self.body, 0.0, self.acceleration, 0.0)


@dataclass(frozen=True)
class PositionAt(Skill):
    """Stand at a sampled angle and distance around another body, facing it; busy until it stands there, but
    for `patience` seconds at most. Where that body is in the way, the robot goes round it.

    `angle` [rad] counter-clockwise from +x, seen from the other body; `distance` [m] between the middles.
    """

    body: str
    around: str
    angle: Range = (-np.pi, np.pi)
    distance: Range = (0.2, 0.3)
    speed: float = 2.0
    acceleration: float = 3.0
    near: float = 0.02
    patience: float = 4.0
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar",), "around": ("planar", "free")}
    law: ClassVar[Law] = _position
    variables: ClassVar[tuple[str, ...]] = ("angle", "distance", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        angle, distance = chance.uniform(*self.angle), chance.uniform(*self.distance)
        return np.stack([angle, distance, scene.time + self.patience], axis=-1)

    def numbers(self, world: World) -> np.ndarray:
        limits = driving_numbers(world, self.body, self.speed, self.acceleration, self.near)
        return np.append(limits, world.slot(self.around).numbers)
