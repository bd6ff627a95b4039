"""Deterministic skills: how bodies that are not ours are expected to act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from swerve.core.kernels import kernel

from ..scene import Action, Scene
from ..skill import Skill
from ..steering import BASE_X, BASE_Y, DOF, MASS, PLACE, VELOCITY, drive_row, turn_row


@dataclass(frozen=True)
class KeepTurning(Skill):
    """Turn at a steady rate [rad/s], as if by a strong motor: a bar or a windmill."""

    body: str
    rate: float
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("turning",)}
    deterministic: ClassVar[bool] = True

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        slot = scene.world.slot(self.body)
        action.twist(self.body, (self.rate - scene.spin(self.body)) * slot.inertia / scene.world.step_seconds)
        return np.ones(len(scene), dtype=bool)


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
    deterministic: ClassVar[bool] = True

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        robot, ball = scene.world.slot(self.body).numbers, scene.world.slot(self.ball).numbers
        _defend(
            action.forces, scene.rows, robot, ball, *self.goal, self.share, self.aside,
            self.speed, self.acceleration, scene.world.step_seconds,
        )  # fmt: skip
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
    needs: ClassVar[dict[str, tuple[str, ...]]] = {"body": ("planar",), "ball": ("planar", "free")}
    deterministic: ClassVar[bool] = True

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        robot, ball = scene.world.slot(self.body).numbers, scene.world.slot(self.ball).numbers
        _guard(
            action.forces, scene.rows, robot, ball, self.line, self.half,
            self.speed, self.acceleration, scene.world.step_seconds,
        )  # fmt: skip
        return np.ones(len(scene), dtype=bool)


@kernel
def _defend(
    forces: np.ndarray,
    rows: np.ndarray,
    robot: np.ndarray,
    ball: np.ndarray,
    goal_x: float,
    goal_y: float,
    share: float,
    aside: float,
    speed: float,
    acceleration: float,
    dt: float,
) -> None:
    q = int(ball[PLACE])
    for i in range(len(rows)):
        dx, dy = rows[i, q] - goal_x, rows[i, q + 1] - goal_y
        off = aside / max(np.hypot(dx, dy), 1e-12)
        x, y = goal_x + share * dx - off * dy, goal_y + share * dy + off * dx
        drive_row(forces[i], rows[i], robot, x, y, speed, acceleration, dt, False)
        turn_row(forces[i], rows[i], robot, np.arctan2(dy, dx), 12.0, 60.0, dt)


@kernel
def _guard(
    forces: np.ndarray,
    rows: np.ndarray,
    robot: np.ndarray,
    ball: np.ndarray,
    line: float,
    half: float,
    speed: float,
    acceleration: float,
    dt: float,
) -> None:
    """Where a coming ball will cross the line, else a little towards the ball's side."""
    q, v, own = int(ball[PLACE]), int(ball[VELOCITY]), int(robot[PLACE])
    for i in range(len(rows)):
        y = 0.4 * rows[i, q + 1]
        if rows[i, v] > 0.3:
            seconds = min(max((line - rows[i, q]) / rows[i, v], 0.0), 1.0)
            y = rows[i, q + 1] + rows[i, v + 1] * seconds
        y = min(max(y, -half), half)
        drive_row(forces[i], rows[i], robot, line, y, speed, acceleration, dt, False)
        dx, dy = rows[i, q] - rows[i, own] - robot[BASE_X], rows[i, q + 1] - rows[i, own + 1] - robot[BASE_Y]
        turn_row(forces[i], rows[i], robot, np.arctan2(dy, dx), 12.0, 60.0, dt)


@dataclass(frozen=True)
class PaceLanes(Skill):
    """Many planar bodies that go to and fro, each along y at a `lanes` entry x, low, high [m] and at its pace
    [m/s]. One that leaves its x comes back to it."""

    bodies: tuple[str, ...]
    lanes: tuple[tuple[float, float, float], ...]
    paces: tuple[float, ...]
    acceleration: float = 8.0
    deterministic: ClassVar[bool] = True

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        slots = np.array([scene.world.slot(name).numbers for name in self.bodies])
        lanes, paces = np.array(self.lanes), np.array(self.paces)
        pace_lanes(
            action.forces, scene.rows, slots, lanes, paces, self.acceleration, scene.world.step_seconds
        )
        return np.ones(len(scene), dtype=bool)


@kernel
def pace_lanes(
    forces: np.ndarray,
    rows: np.ndarray,
    slots: np.ndarray,
    lanes: np.ndarray,
    paces: np.ndarray,
    acceleration: float,
    dt: float,
) -> None:
    """To and fro: on in the direction of now, back from the ends of the lane."""
    for i in range(len(rows)):
        row = rows[i]
        for k in range(len(slots)):
            slot = slots[k]
            q, v, dof = int(slot[PLACE]), int(slot[VELOCITY]), int(slot[DOF])
            x, y = row[q] + slot[BASE_X], row[q + 1] + slot[BASE_Y]
            ahead = 1.0 if row[v + 1] >= 0.0 else -1.0
            if y >= lanes[k, 2]:
                ahead = -1.0
            elif y <= lanes[k, 1]:
                ahead = 1.0
            cx = min(max(3.0 * (lanes[k, 0] - x), -0.5), 0.5) - row[v]
            cy = ahead * paces[k] - row[v + 1]
            share = min(1.0, acceleration * dt / max(np.hypot(cx, cy), 1e-12)) * slot[MASS] / dt
            forces[i, dof] += cx * share
            forces[i, dof + 1] += cy * share
