"""The bodies of an MJCF scene in a world with others: robots, balls, whatever moves.

What they do to each other is settled by their own engine; the world tells them what anybody else does.
"""

from __future__ import annotations

import mujoco
import numpy as np

from swerve.core import attitude
from swerve.core.bodies import Bodies
from swerve.core.contact import Touch
from swerve.core.errors import require
from swerve.core.motion import Motion as WorldMotion
from swerve.core.view import View

from .bodies import Motion, Role, World
from .engine import Engine
from .plan import TacticsPlan
from .scene import Scene


class Troupe(Bodies):
    """Everything that moves in one MJCF `world`, from a state `row` (width,), at `place` x, y [m].

    A command is the generalised forces (nv,), held for the frame, or (k, nv), one row a planning step. Frames
    last a whole number of planning steps.

    >>> from swerve.tactics.domains import load_domain
    >>> problem = load_domain("navigation")
    >>> troupe = Troupe(problem.world, problem.start, place=(100.0, 50.0))
    >>> bool((troupe.motion().x > 90.0).all())
    True
    """

    own_contacts = True

    def __init__(self, world: World, row: np.ndarray | None = None, place: tuple[float, float] = (0.0, 0.0)):
        self.world, self.place = world, place
        self.row = np.array(world.initial if row is None else row, dtype=np.float64)
        require(self.row.shape == (world.width,), "row", self.row.shape, f"must be of shape ({world.width},)")
        still = (Motion.NONE,)
        self.names = [
            b.name
            for b in world.bodies
            if b.role is not Role.STATIC and world.slot(b.name).motion not in still
        ]
        require(len(self.names) >= 1, "MJCF", 0, "must hold at least one body that moves; moving are")
        self.engine, self.period = Engine(world, lanes=1), world.step_seconds
        self.kinds = np.array(self.names, dtype=object)
        self.outline = np.array([world.size(name) for name in self.names])

    @property
    def round(self) -> np.ndarray:
        return np.array([not self.world.is_box(name) for name in self.names])

    @property
    def mass(self) -> np.ndarray:
        return np.array([self.world.slot(name).mass for name in self.names])

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        steps = max(1, round(dt / self.world.step_seconds))
        forces = np.zeros(self.world.model.nv) if commands is None else np.asarray(commands, dtype=np.float64)
        held = np.broadcast_to(forces, (steps, self.world.model.nv)) if forces.ndim == 1 else forces
        require(len(held) == steps, "commands", len(held), f"must be one row for each of {steps} steps; rows")
        for force in held:
            rows, _ = self.engine.step(self.row[None], force[None])
            self.row = rows[0]

    def motion(self) -> WorldMotion:
        scene = self._scene()
        n = len(self.names)
        place, velocity, turned, rate = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)
        for k, name in enumerate(self.names):
            slot = self.world.slot(name)
            place[k] = scene.position(name)[0]
            seen = scene.velocity(name)[0]
            velocity[k, : len(seen)] = seen
            if slot.motion is Motion.FREE:
                turned[k] = [float(a) for a in attitude.angles(self.row[slot.qpos + 3 : slot.qpos + 7])]
                rate[k] = self.row[slot.qvel + 5]
            else:
                turned[k, 0] = scene.heading(name)[0]
                rate[k] = scene.spin(name)[0] if self._turns(name) or slot.motion is Motion.PLANAR else 0.0
        x, y = place[:, 0] + self.place[0], place[:, 1] + self.place[1]
        (yaw, pitch, roll), (vx, vy, vz) = turned.T, velocity.T
        return WorldMotion(x, y, place[:, 2], yaw, pitch, roll, vx, vy, vz, rate)

    def touched(self, touch: Touch) -> None:
        """Pushed by others; what cannot slide stays."""
        for k, row in enumerate(touch.rows):
            slot = self.world.slot(self.names[row])
            if slot.motion in (Motion.TURNING, Motion.JOINTED):
                if self._turns(self.names[row]):
                    self.row[slot.qvel] += touch.kick[k, 2]
                continue
            self.row[slot.qpos : slot.qpos + 2] += touch.shift[k]
            self.row[slot.qvel : slot.qvel + 2] += touch.kick[k, :2]
            self.row[slot.qvel + (5 if slot.motion is Motion.FREE else 2)] += touch.kick[k, 2]

    def _turns(self, name: str) -> bool:
        """Whether a body has an upright hinge of its own."""
        model, body = self.world.model, self.world.model.body(name)
        hinges = model.jnt_type[model.jnt_bodyid == body.id] == mujoco.mjtJoint.mjJNT_HINGE
        upright = np.abs(model.jnt_axis[model.jnt_bodyid == body.id, 2]) > 1 - 1e-9
        return len(hinges) == 1 and bool((hinges & upright).all())

    def snapshot(self) -> np.ndarray:
        return self.row.copy()

    def restore(self, row: np.ndarray) -> None:
        self.row = np.array(row, dtype=np.float64)

    def _scene(self) -> Scene:
        touched = np.zeros((1, len(self.world.watch)), dtype=bool)
        return Scene(self.world, self.row[None], touched, np.full((1, 2), np.nan))


class PlanForces:
    """A `Chooser` that plays the forces of a plan, then none."""

    def __init__(self, plan: TacticsPlan):
        assert plan.problem is not None
        self.forces, self.step_seconds = plan.controls, plan.problem.world.step_seconds

    def choose(self, view: View, dt: float) -> np.ndarray:
        steps = max(1, round(dt / self.step_seconds))
        first = round(view.t / self.step_seconds)
        out = np.zeros((steps, self.forces.shape[1]))
        part = self.forces[first : first + steps]
        out[: len(part)] = part
        return out
