"""Carrying out a plan: what a robot is told in a frame, from the plan's states or from its actions.

State-driven: the robot is led along the planned states. To the planned velocity comes one that takes back the
gap to the planned place, no faster than it can brake from (a trapezoidal profile). Action-driven: the planned
accelerations are told, summed up to velocities; nothing corrects what goes wrong.
"""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import wrap

from ..bodies import Role, World
from ..plan import TacticsPlan
from .reality import FRAME, Command

CORRECTION = 3.0  # [m/s²] with which gaps are closed
FASTEST = 0.8  # [m/s] at which they are
SETTLE = 4  # frames in which a small gap is closed
LEAD = 2.4  # frames by which a robot is behind its command
FOLLOW_THROUGH = 6  # frames that it keeps its speed after a planned strike, which may come late


class Execution:
    """A plan under way for one robot. `driven` is "state" or "action"."""

    def __init__(self, plan: TacticsPlan, robot: str, driven: str = "state"):
        assert plan.problem is not None
        self.plan, self.robot, self.driven = plan, robot, driven
        self.world: World = plan.problem.world
        self.ratio = self.world.step_seconds / FRAME
        self.frame = 0
        self.told: np.ndarray | None = None
        slot = self.world.slot(robot)
        self.places = plan.rows[:, slot.qpos : slot.qpos + 3].copy()
        self.velocities = plan.rows[:, slot.qvel : slot.qvel + 3].copy()
        self._follow_through(_strike(plan, robot))

    def _follow_through(self, struck: int | None) -> None:
        """Lead the robot through what it strikes: a strike that comes late must not meet a braking robot."""
        if struck is None:
            return
        before, gain = max(struck - 1, 0), self.velocities[struck - 1] - self.velocities[max(struck - 2, 0)]
        for k in range(1, len(self.places) - before):
            held = min(k, FOLLOW_THROUGH)
            self.places[before + k] = self.places[before]
            self.places[before + k, :2] += held * self.world.step_seconds * self.velocities[before, :2]
            if k <= FOLLOW_THROUGH:
                self.velocities[before + k] = self.velocities[before] + gain * min(k, LEAD / self.ratio)

    @property
    def done(self) -> bool:
        return self.index >= len(self.plan.rows) - 1

    @property
    def index(self) -> int:
        """Of the planned state that should be reached now."""
        return round(self.frame / self.ratio)

    def command(self, estimate: np.ndarray) -> Command:
        """What to tell the robot now, and go on to the next frame."""
        slot, last = self.world.slot(self.robot), len(self.places) - 1
        at = min(self.index, last)
        self.frame += 1
        if self.driven == "action":
            if self.told is None:
                self.told = estimate[slot.qvel : slot.qvel + 3].copy()
            if at < len(self.plan.controls):
                push = self.plan.controls[at, slot.dof : slot.dof + 3]
                self.told += push / (slot.mass, slot.mass, slot.inertia) * self.world.step_seconds
            return Command(*self.told.tolist())
        return led(self.places, self.velocities, at, self.ratio, estimate[slot.qpos : slot.qpos + 3])

    def gap(self, estimate: np.ndarray) -> float:
        """How far the robot is from where it should be [m]."""
        slot = self.world.slot(self.robot)
        now = self.plan.rows[min(self.index, len(self.plan.rows) - 1)]
        return float(np.hypot(*(now[slot.qpos : slot.qpos + 2] - estimate[slot.qpos : slot.qpos + 2])))


def led(
    places: np.ndarray, velocities: np.ndarray, at: int, ratio: float, pose: np.ndarray, dribble: bool = False
) -> Command:
    """What to tell a robot at a `pose` that should be at `places[at]`: x, y and heading each, at planning
    steps of `ratio` frames."""
    last, gap = len(places) - 1, places[at] - pose
    far = float(np.hypot(*gap[:2]))
    speed = min(FASTEST, np.sqrt(2 * CORRECTION * far), far / (SETTLE * FRAME))
    ahead = velocities[min(at + 1 + round(LEAD / ratio), last)]
    vx, vy = ahead[:2] + gap[:2] * (speed / max(far, 1e-9))
    spin = ahead[2] + float(wrap(float(gap[2]))) / (SETTLE * FRAME)
    return Command(float(vx), float(vy), float(np.clip(spin, -15.0, 15.0)), dribble)


def _strike(plan: TacticsPlan, robot: str) -> int | None:
    """Index of the first state in which the robot has struck a passive body."""
    assert plan.problem is not None
    world = plan.problem.world
    passive = [b.name for b in world.bodies if b.role is Role.PASSIVE]
    columns = [world.watch_column(robot, name) for name in passive]
    columns = [k for k in columns if k >= 0]
    if not columns or not len(plan.contacts):
        return None
    hit = np.flatnonzero(plan.contacts[:, columns].any(axis=1))
    return max(int(hit[0]), 1) if len(hit) else None
