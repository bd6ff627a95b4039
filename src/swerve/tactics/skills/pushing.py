"""Skills of robots that push something round together: stand behind it, then push, each at its own side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from swerve.core.geometry import wrapped
from swerve.core.kernels import YES

from ..bodies import World
from ..chance import Chance
from ..law import Law, law, views
from ..scene import Scene
from ..skill import Skill
from ..steering import BASE_X, BASE_Y, PLACE, RADIUS, VELOCITY, drive_row, turn_row
from .driving import ACCELERATION, CLEAR, DT, NEAR, SPEED, STRIDE, Box, Range, driving_numbers

SLOW = 0.1  # [m/s] is as good as standing
AHEAD = 0.04  # [m] of where it touches, that a robot drives at which pushes


@law
def _stand_behind(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """`variables`: the angle around the other body, the distance to it, until when. Numbers: also the
    other's."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    robot, other = about[0:8], about[12:20]
    q, p, v = int(other[PLACE]), int(robot[PLACE]), int(robot[VELOCITY])
    x, y = here[q] + other[BASE_X], here[q + 1] + other[BASE_Y]
    dx, dy = here[p] + robot[BASE_X] - x, here[p + 1] + robot[BASE_Y] - y
    now, away = np.arctan2(dy, dx), np.hypot(dx, dy)
    left = wrapped(mine[0] - now)
    angle, distance = mine[0], mine[1]
    if abs(left) > STRIDE:  # not through what stands in the way, but round it
        angle = now + np.sign(left) * STRIDE
        distance = max(distance, robot[RADIUS] + other[RADIUS] + CLEAR) / np.cos(STRIDE)
    to_x, to_y = x + distance * np.cos(angle), y + distance * np.sin(angle)
    through = abs(left) > STRIDE
    drive_row(push, here, robot, to_x, to_y, about[SPEED], about[ACCELERATION], about[DT], through)
    turn_row(push, here, robot, mine[0] + np.pi, 12.0, 60.0, about[DT])
    there = not through and np.hypot(away * np.cos(left) - distance, away * np.sin(left)) < about[NEAR]
    stands = np.hypot(here[v], here[v + 1]) < SLOW
    return not (there and stands) and here[0] + about[DT] < mine[2]


@law
def _push(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """`variables`: the direction, the side of the other body to keep to, until when. Numbers: also the
    other's."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    robot, other = about[0:8], about[12:20]
    q, apart = int(other[PLACE]), robot[RADIUS] + other[RADIUS]
    x = here[q] + other[BASE_X] + apart * np.cos(mine[1]) + AHEAD * np.cos(mine[0])
    y = here[q + 1] + other[BASE_Y] + apart * np.sin(mine[1]) + AHEAD * np.sin(mine[0])
    drive_row(push, here, robot, x, y, about[SPEED], about[ACCELERATION], about[DT], YES)
    return here[0] + about[DT] < mine[2]


@dataclass(frozen=True)
class StandBehind(Skill):
    """Stand behind another body, seen from a place drawn from a box, turned aside by a sampled angle.

    `side` [rad], counter-clockwise about the other body, is counted from straight behind it; `distance` [m]
    between the middles. It goes round what it is to stand behind, and gives up after `patience` [s].
    """

    body: str
    around: str
    area: Box
    side: Range = (-0.5, 0.5)
    distance: Range = (0.25, 0.3)
    speed: float = 1.0
    acceleration: float = 3.0
    near: float = 0.02
    patience: float = 4.0
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar",), "around": ("planar", "free")}
    law: ClassVar[Law] = _stand_behind
    variables: ClassVar[tuple[str, ...]] = ("angle", "distance", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        way = scene.xy(self.around) - chance.point(self.area)
        angle = np.arctan2(way[:, 1], way[:, 0]) + chance.uniform(*self.side)
        return np.stack([angle, chance.uniform(*self.distance), scene.time + self.patience], axis=-1)

    def numbers(self, world: World) -> np.ndarray:
        limits = driving_numbers(world, self.body, self.speed, self.acceleration, self.near)
        return np.append(limits, world.slot(self.around).numbers)


@dataclass(frozen=True)
class PushOn(Skill):
    """Push another body on in the direction from it to a place drawn from a box, turned by a sampled angle,
    for a sampled time; the robot keeps to the side at which it stands when it begins.

    What it pushes with is what its `acceleration` takes: its mass times that [N].
    """

    body: str
    around: str
    area: Box
    turned: Range = (-0.3, 0.3)  # [rad]
    seconds: Range = (0.3, 1.2)
    speed: float = 0.5
    acceleration: float = 3.0
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar",), "around": ("planar", "free")}
    law: ClassVar[Law] = _push
    variables: ClassVar[tuple[str, ...]] = ("direction", "side", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        way = chance.point(self.area) - scene.xy(self.around)
        off = scene.xy(self.body) - scene.xy(self.around)
        direction = np.arctan2(way[:, 1], way[:, 0]) + chance.uniform(*self.turned)
        until = scene.time + chance.uniform(*self.seconds)
        return np.stack([direction, np.arctan2(off[:, 1], off[:, 0]), until], axis=-1)

    def numbers(self, world: World) -> np.ndarray:
        limits = driving_numbers(world, self.body, self.speed, self.acceleration, 0.0)
        return np.append(limits, world.slot(self.around).numbers)
