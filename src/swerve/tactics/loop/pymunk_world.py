"""Reality for minigolf in another engine: pymunk (Chipmunk), planar, without a vertical axis.

Nothing of the planner's physics is used. Walls bounce by Chipmunk's impulses, with the product of two
elasticities and a friction that turns the ball about the vertical. The carpet is ours, because Chipmunk has
none: its friction drags the ball until it rolls, fades with the slip, and a rolling ball loses speed by a
constant and by a share of its speed. A ball over the cup falls, and once it has, the rim keeps it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, hypot
from typing import Any

import numpy as np

from swerve.core.errors import BadInput

from ..bodies import World
from ..domains.minigolf import DEPTH, Course
from ..shape import rectangles
from .reality import FRAME, Command, Drive

SUBSTEPS = 20  # a frame
GRAVITY = 9.81  # [m/s²]
BALL, ROBOT, WALL, BAR, RIM = 1, 2, 4, 8, 16  # categories of shapes


@dataclass(frozen=True)
class Carpet:
    """The numbers of this reality, which no planner is told."""

    bounce: float = 0.82  # rebound over approach at a wooden wall
    rub: float = 0.1  # friction at the wall
    strike: float = 0.5  # rebound of the ball from a robot
    sliding: float = 0.18  # friction of the carpet while the ball slips fast
    sticky: float = 0.08  # more of it, while it hardly slips
    fades: float = 0.5  # [m/s] of slip by which that has faded
    rolling: float = 0.26  # [m/s²] that a rolling ball loses
    drag: float = 0.06  # [1/s] and the share of its speed
    lining: float = 5.0  # [m/s²] in the cup


class PymunkReality:
    """Robot, ball, walls and perhaps a turning bar of a minigolf course. `rate` [rad/s] is the bar's."""

    def __init__(
        self,
        world: World,
        course: Course,
        row: np.ndarray,
        carpet: Carpet = Carpet(),
        drive: Drive = Drive(acceleration=14.0),
    ):
        pymunk = _pymunk()
        self.world, self.course, self.carpet, self.drive = world, course, carpet, drive
        self.row = np.array(row, dtype=float)
        self.touched = np.zeros(len(world.watch), dtype=bool)
        self.space = pymunk.Space()
        self.space.iterations = 20
        self.space.collision_slop = 1e-4
        self.roll = (0.0, 0.0)  # [m/s] velocity that the ball's turning about level axes alone would give it
        self.fallen, self.falling = 0.0, 0.0  # [m] below the carpet, [s] since it began to fall
        self.ball = self._disc("ball", BALL, WALL | ROBOT | BAR)
        self.robot = self._disc("robot", ROBOT, WALL | BAR | BALL)
        slot = world.slot("ball")
        self.ball_shape = next(iter(self.ball.shapes))
        self.ball.position = tuple(self.row[slot.qpos : slot.qpos + 2])
        self.ball.velocity = tuple(self.row[slot.qvel : slot.qvel + 2])
        wx, wy = self.row[slot.qvel + 3 : slot.qvel + 5]
        self.roll = (float(wy * slot.radius), float(-wx * slot.radius))
        slot = world.slot("robot")
        self.robot.position = tuple(self.row[slot.qpos : slot.qpos + 2])
        self.robot.angle = float(self.row[slot.qpos + 2])
        self.bar = self._walls(pymunk)
        self.ball.velocity_func = self._carpet

    def step(self, commands: Mapping[str, Command]) -> None:
        self.touched = np.zeros_like(self.touched)
        command, dt = commands.get("robot", Command()), FRAME / SUBSTEPS
        pull = min(self.drive.gain, 1 / dt)
        for _ in range(SUBSTEPS):
            vx, vy = self.robot.velocity
            ax, ay = pull * (command.vx - vx), pull * (command.vy - vy)
            share = self.robot.mass * min(1.0, self.drive.acceleration / max(hypot(ax, ay), 1e-9))
            self.robot.force = (share * ax, share * ay)
            turn = min(max(pull * (command.spin - self.robot.angular_velocity), -50.0), 50.0)
            self.robot.torque = self.robot.moment * turn
            self.space.step(dt)
            self._fall(dt)
        self.row = self._truth(self.row[0] + FRAME)

    def _disc(self, name: str, category: int, touches: int) -> Any:
        pymunk, slot = _pymunk(), self.world.slot(name)
        moment = 0.4 * slot.mass * slot.radius**2 if name == "ball" else slot.inertia
        body = pymunk.Body(slot.mass, moment)
        shape = pymunk.Circle(body, slot.radius)
        shape.elasticity = 1.0 if name == "ball" else self.carpet.strike
        shape.friction = 1.0 if name == "ball" else 0.2
        shape.filter = pymunk.ShapeFilter(categories=category, mask=touches)
        shape.collision_type = category
        self.space.add(body, shape)
        return body

    def _walls(self, pymunk: Any) -> Any:
        """Walls and the rim of the cup as static shapes; gives the bar, if there is one."""
        model = self.world.model
        here = np.zeros((1, 2)), np.zeros(1)
        for corners in rectangles(model, model.body("walls").id, *here):
            self._wooden(pymunk.Poly(self.space.static_body, [tuple(c) for c in corners]), WALL)
        x0, y0, _, y1 = self.course.cup
        rim = pymunk.Segment(self.space.static_body, (x0, y0), (x0, y1), 0.001)
        self._wooden(rim, RIM)
        for one, other in ((BALL, WALL), (ROBOT, WALL), (BALL, ROBOT), (BALL, BAR), (ROBOT, BAR)):
            self.space.on_collision(one, other, begin=self._noted)
        if "bar" not in self.world.slots:
            return None
        slot = self.world.slot("bar")
        bar = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        bar.position = tuple(slot.base[:2])
        bar.angle, bar.angular_velocity = float(self.row[slot.qpos]), float(self.row[slot.qvel])
        long, wide, _ = self.world.size("bar")
        shape = pymunk.Poly.create_box(bar, (long, wide))
        self.space.add(bar)
        self._wooden(shape, BAR)
        return bar

    def _wooden(self, shape: Any, category: int) -> None:
        shape.elasticity, shape.friction = self.carpet.bounce, self.carpet.rub
        shape.filter = _pymunk().ShapeFilter(categories=category)
        shape.collision_type = category
        self.space.add(shape)

    def _noted(self, arbiter: Any, space: Any, data: Any) -> None:
        names = {BALL: "ball", ROBOT: "robot", WALL: "walls", BAR: "bar"}
        one, other = (names.get(shape.collision_type, "") for shape in arbiter.shapes)
        column = self.world.watch_column(one, other)
        if column >= 0:
            self.touched[column] = True

    def _carpet(self, body: Any, gravity: Any, damping: float, dt: float) -> None:
        """What the carpet does to the ball in a substep: slip drags it until it rolls, rolling slows it."""
        vx, vy = body.velocity
        if self.fallen > 0:
            share = max(0.0, 1 - self.carpet.lining * dt / max(hypot(vx, vy), 1e-9))
            body.velocity = self.roll = (share * vx, share * vy)
            return
        rx, ry = self.roll
        sx, sy = vx - rx, vy - ry
        slip = hypot(sx, sy)
        if slip > 1e-9:
            friction = self.carpet.sliding + self.carpet.sticky * exp(-slip / self.carpet.fades)
            change = min(friction * GRAVITY * dt / slip, 2 / 7)  # more would make it slip the other way
            vx, vy = vx - change * sx, vy - change * sy
            rx, ry = rx + 2.5 * change * sx, ry + 2.5 * change * sy
        fast = max(hypot(vx, vy), hypot(rx, ry), 1e-9)
        share = max(0.0, 1 - (self.carpet.rolling / fast + self.carpet.drag) * dt)
        self.roll = (share * rx, share * ry)
        body.velocity = (share * vx, share * vy)
        body.angular_velocity *= 1 - 0.5 * dt

    def _fall(self, dt: float) -> None:
        """A ball over the cup falls; below the rim, the rim holds it."""
        x, y = self.ball.position
        x0, y0, x1, y1 = self.course.cup
        if x0 < x < x1 and y0 < y < y1:
            self.falling += dt
        elif self.fallen == 0:
            self.falling = 0.0
        drop = 0.5 * GRAVITY * self.falling**2
        if drop > self.world.slot("ball").radius and self.fallen == 0:
            self.ball_shape.filter = _pymunk().ShapeFilter(categories=BALL, mask=WALL | ROBOT | BAR | RIM)
        if drop > self.world.slot("ball").radius:
            self.fallen = min(drop, DEPTH)

    def _truth(self, t: float) -> np.ndarray:
        row = self.row.copy()
        row[0] = t
        slot = self.world.slot("robot")
        row[slot.qpos : slot.qpos + 3] = (*self.robot.position, self.robot.angle)
        row[slot.qvel : slot.qvel + 3] = (*self.robot.velocity, self.robot.angular_velocity)
        slot = self.world.slot("ball")
        row[slot.qpos : slot.qpos + 3] = (*self.ball.position, slot.radius - self.fallen)
        row[slot.qvel : slot.qvel + 3] = (*self.ball.velocity, 0.0)
        row[slot.qvel + 3 : slot.qvel + 6] = (
            *(-self.roll[1] / slot.radius, self.roll[0] / slot.radius),
            self.ball.angular_velocity,
        )
        if self.bar is not None:
            slot = self.world.slot("bar")
            row[slot.qpos], row[slot.qvel] = self.bar.angle, self.bar.angular_velocity
        return row


def _pymunk() -> Any:
    try:
        import pymunk
    except ImportError as error:
        raise BadInput("reality", "pymunk", "needs the extra loop: pip install 'swerve[loop]'") from error
    return pymunk
