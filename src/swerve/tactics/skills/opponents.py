"""Deterministic skills: how bodies that are not ours are expected to act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from swerve.core.errors import require
from swerve.core.kernels import NO

from ..bodies import Motion, World
from ..law import Law, law, views
from ..skill import Skill
from ..steering import BASE_X, BASE_Y, DOF, INERTIA, MASS, PLACE, VELOCITY, drive_row, turn_row
from .handling import hold

AHEAD = 0.1  # [s] that who chases a ball looks ahead


@law
def _keep_turning(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: the body's, the rate, the step."""
    push, here, _, _, about = views(forces, row, touched, variables, numbers)
    push[int(about[DOF])] += (about[8] - here[int(about[VELOCITY])]) * about[INERTIA] / about[9]
    return True


@law
def _defend(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: the robot's, the ball's, the step, speed, acceleration, x and y of the goal, share, aside."""
    push, here, _, _, about = views(forces, row, touched, variables, numbers)
    robot, q, dt = about[0:8], int(about[8 + PLACE]), about[16]
    speed, acceleration, goal_x, goal_y, share, aside = about[17:23]
    dx, dy = here[q] - goal_x, here[q + 1] - goal_y
    off = aside / max(np.hypot(dx, dy), 1e-12)
    x, y = goal_x + share * dx - off * dy, goal_y + share * dy + off * dx
    drive_row(push, here, robot, x, y, speed, acceleration, dt, NO)
    turn_row(push, here, robot, np.arctan2(dy, dx), 12.0, 60.0, dt)
    return True


@law
def _chase(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: the robot's, the ball's, the step, speed, acceleration, the dribbler's force."""
    push, here, _, _, about = views(forces, row, touched, variables, numbers)
    robot, q, v, own = about[0:8], int(about[8 + PLACE]), int(about[8 + VELOCITY]), int(about[PLACE])
    dx, dy = here[q] - here[own] - robot[BASE_X], here[q + 1] - here[own + 1] - robot[BASE_Y]
    x, y = here[q] + AHEAD * here[v], here[q + 1] + AHEAD * here[v + 1]
    drive_row(push, here, robot, x, y, about[17], about[18], about[16], NO)
    turn_row(push, here, robot, np.arctan2(dy, dx), 12.0, 60.0, about[16])
    hold(push, here, robot, about[8:16], about[19], about[16])
    return True


@law
def _pace(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """To and fro: on in the direction of now, back from the ends of the lane.

    Numbers: how many bodies, acceleration, the step, then of each body its own, x, low and high of its lane,
    its pace.
    """
    push, here, _, _, about = views(forces, row, touched, variables, numbers)
    acceleration, dt = about[1], about[2]
    for k in range(int(about[0])):
        slot = about[3 + 12 * k : 15 + 12 * k]
        q, v, dof = int(slot[PLACE]), int(slot[VELOCITY]), int(slot[DOF])
        x, y = here[q] + slot[BASE_X], here[q + 1] + slot[BASE_Y]
        ahead = 1.0 if here[v + 1] >= 0.0 else -1.0
        if y >= slot[10]:
            ahead = -1.0
        elif y <= slot[9]:
            ahead = 1.0
        cx = min(max(3.0 * (slot[8] - x), -0.5), 0.5) - here[v]
        cy = ahead * slot[11] - here[v + 1]
        share = min(1.0, acceleration * dt / max(np.hypot(cx, cy), 1e-12)) * slot[MASS] / dt
        push[dof] += cx * share
        push[dof + 1] += cy * share
    return True


@law
def _guard(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Where a coming ball will cross the line, else a little towards the ball's side.

    Numbers: the robot's, the ball's, the step, speed, acceleration, line, half.
    """
    push, here, _, _, about = views(forces, row, touched, variables, numbers)
    robot, dt, line, half = about[0:8], about[16], about[19], about[20]
    q, v, own = int(about[8 + PLACE]), int(about[8 + VELOCITY]), int(robot[PLACE])
    y = 0.4 * here[q + 1]
    if here[v] > 0.3:
        seconds = min(max((line - here[q]) / here[v], 0.0), 1.0)
        y = here[q + 1] + here[v + 1] * seconds
    y = min(max(y, -half), half)
    drive_row(push, here, robot, line, y, about[17], about[18], dt, NO)
    dx, dy = here[q] - here[own] - robot[BASE_X], here[q + 1] - here[own + 1] - robot[BASE_Y]
    turn_row(push, here, robot, np.arctan2(dy, dx), 12.0, 60.0, dt)
    return True


@dataclass(frozen=True)
class KeepTurning(Skill):
    """Turn at a steady rate [rad/s], as if by a strong motor: a bar or a windmill."""

    body: str
    rate: float
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("turning",)}
    law: ClassVar[Law] = _keep_turning
    deterministic: ClassVar[bool] = True

    def numbers(self, world: World) -> np.ndarray:
        body = world.movable(self.body, Motion.TURNING).numbers
        return np.array([*body, self.rate, world.step_seconds])


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
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar",), "ball": ("planar", "free")}
    law: ClassVar[Law] = _defend
    deterministic: ClassVar[bool] = True

    def numbers(self, world: World) -> np.ndarray:
        robot, ball = world.movable(self.body, Motion.PLANAR).numbers, world.slot(self.ball).numbers
        limits = (self.speed, self.acceleration)
        return np.array([*robot, *ball, world.step_seconds, *limits, *self.goal, self.share, self.aside])


@dataclass(frozen=True)
class Chase(Skill):
    """Drive at the ball, facing it, with the dribbler on."""

    body: str
    ball: str
    speed: float = 2.0
    acceleration: float = 4.0
    force: float = 0.3  # [N] of the dribbler
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar",), "ball": ("free",)}
    handles: ClassVar[tuple[str, ...]] = ("ball",)
    law: ClassVar[Law] = _chase
    deterministic: ClassVar[bool] = True

    def numbers(self, world: World) -> np.ndarray:
        robot, ball = world.movable(self.body, Motion.PLANAR).numbers, world.slot(self.ball).numbers
        return np.array([*robot, *ball, world.step_seconds, self.speed, self.acceleration, self.force])


@dataclass(frozen=True)
class GuardGoal(Skill):
    """Move along the goal line to where the ball will cross it, at most `half` to either side."""

    body: str
    ball: str
    line: float  # [m] x on which it moves
    half: float = 0.3  # [m]
    speed: float = 2.0
    acceleration: float = 4.0
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar",), "ball": ("planar", "free")}
    law: ClassVar[Law] = _guard
    deterministic: ClassVar[bool] = True

    def numbers(self, world: World) -> np.ndarray:
        robot, ball = world.movable(self.body, Motion.PLANAR).numbers, world.slot(self.ball).numbers
        limits = (self.speed, self.acceleration)
        return np.array([*robot, *ball, world.step_seconds, *limits, self.line, self.half])


@dataclass(frozen=True)
class PaceLanes(Skill):
    """Many planar bodies that go to and fro, each along y at a `lanes` entry x, low, high [m] and at its pace
    [m/s]. One that leaves its x comes back to it."""

    bodies: tuple[str, ...]
    lanes: tuple[tuple[float, float, float], ...]
    paces: tuple[float, ...]
    acceleration: float = 8.0
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"bodies": ("planar",)}
    law: ClassVar[Law] = _pace
    deterministic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        many = (len(self.bodies), len(self.lanes), len(self.paces))
        require(len(set(many)) == 1, "bodies, lanes, paces", many, "must be equally many")
        for lane in self.lanes:
            require(lane[1] <= lane[2], "lanes", lane, "must be x, low, high with low below high")

    def numbers(self, world: World) -> np.ndarray:
        each = [
            [*world.movable(name, Motion.PLANAR).numbers, *lane, pace]
            for name, lane, pace in zip(self.bodies, self.lanes, self.paces, strict=True)
        ]
        return np.array([len(self.bodies), self.acceleration, world.step_seconds, *np.ravel(each)])
