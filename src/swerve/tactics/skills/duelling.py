"""Skills of two who want the same ball: how an attacker that only reacts is expected to act, and how to go
round a ball that somebody else is at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from swerve.core.geometry import wrapped
from swerve.core.kernels import NO, inner, kernel

from ..bodies import World
from ..chance import Chance
from ..law import Law, law, views
from ..scene import Scene
from ..skill import Skill, beside
from ..steering import BASE_X, BASE_Y, PLACE, RADIUS, VELOCITY, drive_row, turn_row
from .ball import DRIBBLER, HANDLED, PLAYER, with_ball
from .driving import Box, Range
from .handling import DT, GAP, LEAD, OWN, ROBOT, THE_BALL, fetch, hold, kick_at, to_mouth

if TYPE_CHECKING:
    from ..law import Column

LINE, HALF, STRENGTH, OTHER = OWN + 4, OWN + 5, OWN + 6, OWN + 7  # of the numbers
SAMPLES = 15  # places of a goal's mouth that are looked at
NEAR = 0.06  # [m] from the mouth, within which a ball is played and not fetched
WITHIN = 0.3  # [m] from the ball in which a robot stops going straight at it


@law
def attack(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """Numbers: speed, acceleration, the dribbler's force, 0, the goal's line, half its width, the ball's
    speed, the other robot's."""
    push, here, _, _, about = views(forces, row, touched, variables, numbers)
    dx, dy = to_mouth(here, about[ROBOT], about[THE_BALL])
    if np.hypot(dx, dy) > NEAR:
        fetch(push, here, about)
        hold(push, here, about[ROBOT], about[THE_BALL], about[OWN + 2], about[DT])
    else:
        y = widest(here, about)
        kick_at(push, here, about, about[LINE], y, about[STRENGTH], about[OWN + 3], np.inf)
    return True


@inner
@kernel
def widest(here: np.ndarray, about: np.ndarray) -> float:
    """Where on the goal's line a shot passes the other robot by the most."""
    q, other, reach = int(about[8 + PLACE]), int(about[OTHER + PLACE]), about[HALF] - 0.03
    x, y = (
        here[other] + about[OTHER + BASE_X] - here[q],
        here[other + 1] + about[OTHER + BASE_Y] - here[q + 1],
    )
    best, most = 0.0, -1.0
    for k in range(SAMPLES):
        to = reach * (2.0 * k / (SAMPLES - 1) - 1.0)
        dx, dy = about[LINE] - here[q], to - here[q + 1]
        away = max(np.sqrt(dx * dx + dy * dy), 1e-9)
        dx, dy = dx / away, dy / away
        along = min(max(x * dx + y * dy, 0.0), away)
        aside_x, aside_y = x - along * dx, y - along * dy
        off = np.sqrt(aside_x * aside_x + aside_y * aside_y) / max(along, 0.1)
        if off > most:
            best, most = to, off
    return best


@law
def go_round(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """`variables`: x and y of what to face, until when. Numbers: speed, acceleration, the dribbler's force,
    by how much [rad] it looks ahead on its way round at the ball, and how much more from afar."""
    push, here, _, mine, about = views(forces, row, touched, variables, numbers)
    robot, ball, dt = about[ROBOT], about[THE_BALL], about[DT]
    q, v, own = int(ball[PLACE]), int(ball[VELOCITY]), int(robot[PLACE])
    x, y = here[own] + robot[BASE_X], here[own + 1] + robot[BASE_Y]
    reach = robot[RADIUS] + ball[RADIUS] + GAP
    apart = max(np.hypot(here[q] - x, here[q + 1] - y) - reach, 0.0)
    lead = min(LEAD, apart)
    to_x, to_y = here[q] + lead * here[v], here[q + 1] + lead * here[v + 1]
    now = np.arctan2(to_y - y, to_x - x)
    most = about[OWN + 3] + about[OWN + 4] * min(apart / WITHIN, 1.0)
    left = wrapped(np.arctan2(mine[1] - to_y, mine[0] - to_x) - now)
    facing = now + min(max(left, -most), most)
    behind_x, behind_y = to_x - reach * np.cos(facing), to_y - reach * np.sin(facing)
    drive_row(push, here, robot, behind_x, behind_y, about[OWN], about[OWN + 1], dt, NO)
    turn_row(push, here, robot, facing, 12.0, 60.0, dt)
    hold(push, here, robot, ball, about[OWN + 2], dt)
    return here[0] < mine[2]


@dataclass(frozen=True)
class Attack(Skill):
    """Get the ball, go round it until it can be kicked through the widest gap that `other` leaves of the
    goal, and kick it: what the reactive attacker does, without a memory."""

    body: str
    ball: str
    other: str
    line: float  # [m] x of the goal line
    half: float  # [m] half the goal's width
    strength: float = 5.0  # [m/s], 0 to aim alone
    speed: float = 2.0
    acceleration: float = 4.0
    force: float = DRIBBLER
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    handles: ClassVar[tuple[str, ...]] = HANDLED
    law: ClassVar[Law] = attack
    deterministic: ClassVar[bool] = True

    def numbers(self, world: World) -> np.ndarray:
        limits = (self.speed, self.acceleration, self.force, 0.0, self.line, self.half, self.strength)
        return np.array([*with_ball(world, self.body, self.ball, *limits), *world.slot(self.other).numbers])


@dataclass(frozen=True)
class GoRound(Skill):
    """Come to the ball, or go round it, until it lies between the robot and a place drawn from `facing`, for
    a sampled time."""

    body: str
    ball: str
    facing: Box
    seconds: Range = (0.2, 0.6)
    speed: float = 2.0
    acceleration: float = 4.0
    force: float = DRIBBLER
    swing: float = 0.4  # [rad] by which it looks ahead on its way round
    wider: float = 0.5  # [rad] more from afar
    needs: ClassVar[dict[str, tuple[str, ...]]] = PLAYER
    handles: ClassVar[tuple[str, ...]] = HANDLED
    law: ClassVar[Law] = go_round
    variables: ClassVar[tuple[str, ...]] = ("x", "y", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        return beside(chance.point(self.facing), scene.time + chance.uniform(*self.seconds))

    def numbers(self, world: World) -> np.ndarray:
        limits = (self.speed, self.acceleration, self.force, self.swing, self.wider)
        return with_ball(world, self.body, self.ball, *limits)
