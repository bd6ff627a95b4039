"""The world that does not follow the plan: what a robot can be told, and a second MuJoCo world that obeys in
its own way.

A reality has the bodies of the planner's world, so that its truth is a state row of that world, and differs
from it in everything else: its engine or its step, its materials, how fast robots follow, how well a dribbler
holds and a kicker kicks. `pymunk_world` holds the one with another engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from swerve.core.errors import BadInput, require

from ..bodies import Body, Role, World
from ..engine import Engine
from ..machine import OneEngine, functions_of_mujoco
from ..materials import Material
from ..skills.handling import at_mouth, hold
from .foresee import pushed

FRAME = 1 / 60  # [s] of the loop
INNER = 4  # times a frame that a robot's own controller acts


@dataclass(frozen=True)
class Command:
    """What a robot is told for a frame: a velocity [m/s] in the world's axes and a turning rate [rad/s],
    whether its dribbler runs, and a speed [m/s] at which to kick the ball once it is at the mouth."""

    vx: float = 0.0
    vy: float = 0.0
    spin: float = 0.0
    dribble: bool = False
    kick: float = 0.0

    @property
    def velocity(self) -> np.ndarray:
        """x, y and turning rate (3,)."""
        return np.array([self.vx, self.vy, self.spin])


@dataclass(frozen=True)
class Drive:
    """How a real robot follows: it closes `gain` of the gap to its command per second, within its limits."""

    gain: float = 25.0  # [1/s]
    acceleration: float = 6.0  # [m/s²]
    turning: float = 50.0  # [rad/s²]
    dribbler: float = 0.25  # [N]
    kicker: float = 0.03  # relative error of the kicking speed, standard deviation
    sideways: float = 0.015  # [rad] of the kicking direction

    @property
    def limits(self) -> np.ndarray:
        """Gain, acceleration and turning (3,)."""
        return np.array([self.gain, self.acceleration, self.turning])


Will = Callable[[float, np.ndarray, np.ndarray], None]  # time, row, forces to be added to


class Reality(Protocol):
    """A world to act in. `row` is the truth as a state row of the planner's world; `touched` (pairs,) tells
    who collided during the last frame."""

    row: np.ndarray
    touched: np.ndarray

    def step(self, commands: Mapping[str, Command]) -> None:
        """One frame."""


class MujocoReality:
    """The planner's world at a tenth of its step, with other materials.

    `wills` move bodies that nobody commands: each adds forces (nv,) four times a frame.
    """

    def __init__(
        self,
        world: World,
        row: np.ndarray,
        random: np.random.Generator,
        materials: Mapping[str, Mapping[str, float]] | None = None,
        drive: Drive = Drive(),
        ball: str | None = None,
        wills: tuple[Will, ...] = (),
    ):
        bodies = [_changed(body, (materials or {}).get(body.name, {})) for body in world.bodies]
        inner = FRAME / INNER
        substeps = round(inner / (world.timestep / 10))
        self.world = World(
            world.mjcf,
            bodies,
            world.watch,
            inner / substeps,
            substeps,
            apart=world.apart,
            folder=world.folder,
        )
        self.drive, self.wills, self.ball = drive, wills, ball
        self.engine = OneEngine(self.world) if functions_of_mujoco() else Engine(self.world, lanes=1)
        self.random, self.names = random, [body.name for body in bodies]
        self.row = np.array(row, dtype=float)
        self.touched = np.zeros(len(world.watch), dtype=bool)

    def step(self, commands: Mapping[str, Command]) -> None:
        self.touched = np.zeros_like(self.touched)
        kicked: set[str] = set()
        told = [(name, commands[name]) for name in self.names if name in commands]  # in this order alone
        for _ in range(INNER):
            forces = np.zeros((1, self.world.model.nv))
            for name, command in told:
                self._follow(name, command, forces[0])
                if self.ball is not None and command.dribble:
                    self._hold(name, forces[0])
            for will in self.wills:
                will(self.row[0], self.row, forces[0])
            kicks = []
            for name, command in told:
                if command.kick > 0 and name not in kicked and self._at_mouth(name):
                    kicked.add(name)
                    kicks.append(self._kick(name, command.kick))
            if kicks:  # of two at once neither comes first
                ball = self.world.slot(self.ball or "")
                self.row[ball.qvel : ball.qvel + 2] = np.mean(kicks, axis=0)
            rows, touched = self.engine.step(self.row[None], forces)
            self.row = rows[0]
            self.touched |= touched[0]

    def _follow(self, name: str, command: Command, forces: np.ndarray) -> None:
        limits = self.drive.limits
        limits[0] = min(limits[0], INNER / FRAME)
        pushed(forces, self.row, self.world.slot(name).numbers, command.velocity, limits)

    def _hold(self, name: str, forces: np.ndarray) -> None:
        assert self.ball is not None
        robot, ball = self.world.slot(name).numbers, self.world.slot(self.ball).numbers
        hold(forces, self.row, robot, ball, self.drive.dribbler, FRAME / INNER)

    def _at_mouth(self, name: str) -> bool:
        assert self.ball is not None
        robot, ball = self.world.slot(name), self.world.slot(self.ball)
        return bool(at_mouth(self.row[None], robot.numbers, ball.numbers)[0])

    def _kick(self, name: str, speed: float) -> np.ndarray:
        """The velocity (2,) that a kick along the robot's heading gives the ball."""
        strength = speed * (1 + self.drive.kicker * self.random.standard_normal())
        heading = self.row[self.world.slot(name).qpos + 2]
        heading += self.drive.sideways * self.random.standard_normal()
        return np.array([strength * np.cos(heading), strength * np.sin(heading)])


def rolled(world: World, name: str, row: np.ndarray) -> None:
    """Give a ball in a row the spin with which it rolls, if its quaternion is the identity."""
    slot = world.slot(name)
    vx, vy = row[slot.qvel : slot.qvel + 2]
    row[slot.qvel + 3 : slot.qvel + 6] = (-vy / slot.radius, vx / slot.radius, 0.0)


def material_value(world: World, name: str, where: str = "parameter") -> float | None:
    """A number of a body's material, by body and field, as `ball.restitution`."""
    body, _, field = name.rpartition(".")
    require(body in world.by_name, where, name, f"body must be one of {', '.join(world.by_name)}")
    known = tuple(vars(world.by_name[body].material))
    require(field in known, where, name, f"field must be one of {', '.join(known)}")
    value: float | None = getattr(world.by_name[body].material, field)
    return value


def fault_of(field: str, number: float) -> str:
    """Why no material has such a number, or nothing."""
    try:
        Material(**{field: number}).validate("")
    except BadInput as error:
        return error.why
    return ""


def with_materials(world: World, values: Mapping[str, float], where: str = "parameter") -> World:
    """The same world with other numbers: `values` are by body and field, as `ball.restitution`."""
    changes: dict[str, dict[str, float]] = {}
    for name, value in values.items():
        material_value(world, name, where)
        body, _, field = name.rpartition(".")
        fault = fault_of(field, value)
        require(not fault, f"{where}, {name}", value, fault)
        changes.setdefault(body, {})[field] = value
    bodies = [_changed(body, changes.get(body.name, {})) for body in world.bodies]
    about = world.mjcf, bodies, world.watch, world.timestep, world.substeps
    try:
        return World(*about, apart=world.apart, folder=world.folder)
    except BadInput as error:  # each may be, but not with the others
        raise BadInput(where, None, str(error)) from error


def _changed(body: Body, values: Mapping[str, float]) -> Body:
    return replace(body, material=replace(body.material, **values)) if values else body


def moving(world: World) -> tuple[str, ...]:
    """Names of the bodies that can move."""
    return tuple(body.name for body in world.bodies if body.role is not Role.STATIC)
