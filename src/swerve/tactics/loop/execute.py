"""Carrying out a plan: what a robot is told in a frame, from the plan's states or from its actions.

State-driven: the robot is led along the planned states. To the planned velocity comes one that takes back the
gap to the planned place, no faster than it can brake from (a trapezoidal profile). Action-driven: the planned
accelerations are told, summed up to velocities; nothing corrects what goes wrong.
"""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import wrap

from ..bodies import World
from ..plan import TacticsPlan
from .reality import FRAME, Command

CORRECTION = 3.0  # [m/s²] with which gaps are closed
FASTEST = 0.8  # [m/s] at which they are
SETTLE = 6  # frames in which a small gap is closed


class Execution:
    """A plan under way for one robot. `driven` is "state" or "action"."""

    def __init__(self, plan: TacticsPlan, robot: str, driven: str = "state"):
        assert plan.problem is not None
        self.plan, self.robot, self.driven = plan, robot, driven
        self.world: World = plan.problem.world
        self.ratio = self.world.step_seconds / FRAME
        self.frame = 0
        self.velocity: np.ndarray | None = None

    @property
    def done(self) -> bool:
        return self.index >= len(self.plan.rows) - 1

    @property
    def index(self) -> int:
        """Of the planned state that should be reached now."""
        return round(self.frame / self.ratio)

    def command(self, estimate: np.ndarray) -> Command:
        """What to tell the robot now, and go on to the next frame."""
        slot = self.world.slot(self.robot)
        at = min(self.index, len(self.plan.rows) - 1)
        now, ahead = self.plan.rows[at], self.plan.rows[min(at + 1, len(self.plan.rows) - 1)]
        self.frame += 1
        if self.driven == "action":
            if self.velocity is None:
                self.velocity = estimate[slot.qvel : slot.qvel + 3].copy()
            if at < len(self.plan.controls):
                push = self.plan.controls[at, slot.dof : slot.dof + 3]
                self.velocity += push / (slot.mass, slot.mass, slot.inertia) * self.world.step_seconds
            return Command(*self.velocity.tolist())
        gap = now[slot.qpos : slot.qpos + 2] - estimate[slot.qpos : slot.qpos + 2]
        far = float(np.hypot(*gap))
        speed = min(FASTEST, np.sqrt(2 * CORRECTION * far), far / (SETTLE * FRAME))
        velocity = ahead[slot.qvel : slot.qvel + 2] + gap * (speed / max(far, 1e-9))
        turned = float(wrap(now[slot.qpos + 2] - estimate[slot.qpos + 2]))
        spin = ahead[slot.qvel + 2] + turned / (SETTLE * FRAME)
        return Command(float(velocity[0]), float(velocity[1]), float(np.clip(spin, -15.0, 15.0)))

    def gap(self, estimate: np.ndarray) -> float:
        """How far the robot is from where it should be [m]."""
        slot = self.world.slot(self.robot)
        now = self.plan.rows[min(self.index, len(self.plan.rows) - 1)]
        return float(np.hypot(*(now[slot.qpos : slot.qpos + 2] - estimate[slot.qpos : slot.qpos + 2])))
