"""Plans as bodies: whoever has a plan of any wing can let it be driven among others.

A body that plays a plan does not look left or right. It is where its plan says until something touches it;
then it goes where it was pushed, and rubs to a halt.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bodies import Bodies
from .contact import Touch
from .errors import BadInput, require
from .motion import Motion
from .plan import POSE, Plan
from .predict import slide, sliding_on

SIZE = (4.2, 1.8, 1.4)  # [m] of a body whose plan does not say


class Playing(Bodies):
    """One body a plan, from `begin` [s] of the world on; before and after its plan a body stands.

    >>> from .plan import Status
    >>> there = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
    >>> one = Playing([Plan(Status.SOLVED, np.array([0.0, 2.0]), there, ("x", "y", "heading"))])
    >>> one.step(None, 0.5)
    >>> one.motion().x.tolist(), one.foresee(np.array([1.0, 9.0]))[0, :, 0].tolist()
    ([2.5], [7.5, 10.0])
    """

    def __init__(self, plans: Sequence[Plan], begin: float = 0.0):
        require(len(plans) >= 1, "plans", len(plans), "must be at least 1")
        for number, plan in enumerate(plans):
            lacking = [name for name in POSE if name not in plan]
            if lacking or len(plan) == 0:
                raise BadInput(f"plan {number}", lacking or 0, "has no body to play; lacks")
            size = plan.meta.get("size", SIZE)
            if not (isinstance(size, Sequence) and len(size) == 3 and all(_length(v) for v in size)):
                raise BadInput(f"plan {number}, size", size, "must be length, width and height [m]")
        self.plans, self.begin, self.time = list(plans), begin, 0.0
        self.kinds = np.array([str(plan.meta.get("kind", "body")) for plan in plans], dtype=object)
        self.outline = np.array([plan.meta.get("size", SIZE) for plan in plans], dtype=np.float64)
        self.stopped = np.full(len(plans), np.inf)  # [s] of the plan at which a body was touched
        self.pushed = np.zeros((len(plans), 2))  # [m] since then
        self.sliding = np.zeros((len(plans), 2))  # [m/s]

    def step(self, commands: np.ndarray | None, dt: float) -> None:
        self.time += dt
        self.pushed += slide(self.sliding, dt)

    def motion(self) -> Motion:
        now = self._when(np.zeros(1))[:, 0]
        soon = 0.01  # [s]
        moving = np.array([self._moving(k, t) for k, t in enumerate(now)])
        place = np.array([self._at(k, t) for k, t in enumerate(now)])
        rate = (np.array([self._at(k, t + soon) for k, t in enumerate(now)]) - place) / soon * moving[:, None]
        rate[:, :2] += self.sliding
        x, y, z, yaw, pitch, roll = place.T
        vx, vy, vz, yaw_rate = rate[:, 0], rate[:, 1], rate[:, 2], rate[:, 3]
        return Motion(x, y, z, yaw, pitch, roll, vx, vy, vz, yaw_rate)

    def foresee(self, times: np.ndarray) -> np.ndarray:
        when = self._when(times)
        poses = np.array([[self._at(k, t)[[0, 1, 3]] for t in row] for k, row in enumerate(when)])
        hit = np.flatnonzero(np.isfinite(self.stopped))
        poses[hit] = sliding_on(self.motion()[hit], times)
        return poses

    def touched(self, touch: Touch) -> None:
        now, motion = self._when(np.zeros(1))[:, 0], self.motion()
        self.sliding[touch.rows] = np.column_stack([motion.vx, motion.vy])[touch.rows]
        np.add.at(self.sliding, touch.rows, touch.kick[:, :2])
        self.stopped[touch.rows] = np.minimum(self.stopped[touch.rows], now[touch.rows])
        np.add.at(self.pushed, touch.rows, touch.shift)

    def _when(self, ahead: np.ndarray) -> np.ndarray:
        """(n, k) times of the plans, `ahead` (k,) seconds from now."""
        first = np.array([plan.times[0] for plan in self.plans])[:, None]
        return np.minimum(first + self.time - self.begin + np.asarray(ahead)[None], self.stopped[:, None])

    def _moving(self, k: int, t: float) -> bool:
        times = self.plans[k].times
        return bool(times[0] <= t < times[-1] and t < self.stopped[k])

    def _at(self, k: int, t: float) -> np.ndarray:
        """x, y, z, yaw, pitch, roll of one body at a time of its plan."""
        plan = self.plans[k]
        heading = np.unwrap(plan["heading"])
        x, y, yaw = (np.interp(t, plan.times, column) for column in (plan["x"], plan["y"], heading))
        pitch, roll = (np.interp(t, plan.times, plan[n]) if n in plan else 0.0 for n in ("pitch", "roll"))
        z = np.interp(t, plan.times, plan["z"]) if "z" in plan else self.outline[k, 2] / 2
        return np.array([x + self.pushed[k, 0], y + self.pushed[k, 1], z, yaw, pitch, roll])


def _length(value: object) -> bool:
    return isinstance(value, int | float) and 0 < value < np.inf
