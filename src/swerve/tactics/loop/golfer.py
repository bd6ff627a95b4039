"""A golfer in the loop: look, plan one putt, wait until the world is as the plan begins, play, watch.

Single-shot planning (Zickler 2010, section 7.4): the plan takes as long as it takes, here a fixed number of
frames, while a bar turns on. It comes round again to where it was when the plan began, and then it is played.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ..bodies import Motion
from ..plan import SolveOptions, TacticsPlan
from ..problem import Problem
from ..search import Search
from ..skills import KeepTurning
from ..tactic import Tactic
from .execute import Execution
from .frames import Thought
from .reality import FRAME, Command
from .safest import SOLUTIONS, USUAL, Scatter, safest
from .tracker import Tracker

LOOKING = 66  # frames before it plans: a second for the bar's rate, and the latency
THINKING = 60  # frames that a plan is taken to need


class Golfer:
    """`planner`, `options` and `seed` are the search's; `rate_error` is a relative one of the bar's rate;
    `scatter` says how its strikes come out."""

    robot = "robot"
    solutions = SOLUTIONS  # to choose from

    def __init__(
        self,
        problem: Problem,
        seed: int,
        planner: str | None = None,
        options: SolveOptions = SolveOptions(),
        driven: str = "state",
        rate_error: float = 0.0,
        scatter: Scatter = USUAL,
    ):
        self.problem, self.seed, self.planner, self.options = problem, seed, planner, options
        self.driven, self.rate_error, self.scatter = driven, rate_error, scatter
        self.frames = 0
        self.plan: TacticsPlan | None = None
        self.execution: Execution | None = None
        self.gave_up = False
        turning = [
            b.name for b in problem.world.bodies if problem.world.slot(b.name).motion is Motion.TURNING
        ]
        self.bar = turning[0] if turning else None
        self.ready_at = 0
        self.ahead: float | None = None  # [rad] of half a turn that the bar is beyond where the plan begins
        self.looks: list[np.ndarray] = []

    def think(self, estimate: np.ndarray, tracker: Tracker) -> Thought:
        self.frames += 1
        if self.plan is None and self.frames > 10:
            self.looks.append(estimate)
        if self.frames < LOOKING or self.gave_up:
            return Thought()
        if self.plan is None:
            return self._plan(estimate, tracker)
        if self.execution is None:
            if self.frames < self.ready_at or not self._matches(estimate):
                return Thought()
            self.execution = Execution(self.plan, self.robot, self.driven)
        at = min(self.execution.index, len(self.plan.rows) - 1)
        command = self.execution.command(estimate) if not self.execution.done else Command()
        return Thought(command, self.plan.rows[at])

    @property
    def over(self) -> bool:
        """Whether nothing will be done any more."""
        return self.gave_up or (self.execution is not None and self.execution.done)

    def _plan(self, estimate: np.ndarray, tracker: Tracker) -> Thought:
        start = estimate.copy()
        start[0] = 0.0
        for body in self.problem.world.bodies:  # it stands: what looks like moving is noise
            slot = self.problem.world.slot(body.name)
            if slot.motion in (Motion.PLANAR, Motion.FREE):
                start[slot.qvel : slot.qvel + (3 if slot.motion is Motion.PLANAR else 6)] = 0.0
                start[slot.qpos : slot.qpos + 3] = np.mean(self.looks, axis=0)[slot.qpos : slot.qpos + 3]
        problem = replace(self.problem, start=start)
        if self.bar is not None:
            rate = tracker.rate(self.bar) * (1 + self.rate_error)
            start[self.problem.world.slot(self.bar).qvel] = rate
            turning = Tactic(self.bar, {"turn": KeepTurning(self.bar, rate)}, {}, "turn")
            problem = replace(problem, tactics={"default": (problem.tactics["default"][0], turning)})
        if not problem.valid(problem.scene(start[None]))[0]:  # so it looks: nobody can plan from there
            self.gave_up = True
            return Thought()
        began = time.thread_time()
        search = Search(problem, self.planner, self.options, seed=self.seed)
        search.grow(
            nodes=self.options.nodes or problem.nodes,
            iterations=self.options.iterations or problem.iterations,
            solutions=self.solutions,
        )
        plan = safest(search, self.robot, "ball", self.scatter)
        spent = time.thread_time() - began
        self.gave_up, self.plan = not plan.solved, plan
        self.ready_at = self.frames + THINKING
        return Thought(planning_seconds=spent, nodes=plan.stats["nodes"], deadline=np.inf)

    def _matches(self, estimate: np.ndarray) -> bool:
        """Whether the bar is where the plan begins: half a turn makes no difference. It fires in the frame
        that is nearest, or, where noise hid that, in the first in which the bar has gone by."""
        if self.bar is None:
            return True
        assert self.plan is not None
        slot = self.problem.world.slot(self.bar)
        rate = float(self.plan.rows[0][slot.qvel])
        if abs(rate) < 1e-3:
            return True
        before = self.ahead
        self.ahead = float((estimate[slot.qpos] - self.plan.rows[0][slot.qpos]) * np.sign(rate) % np.pi)
        gone_by = before is not None and before > 0.75 * np.pi and self.ahead < 0.25 * np.pi
        near = min(self.ahead, np.pi - self.ahead) <= 0.5 * abs(rate) * FRAME + 1e-9
        return bool(near or gone_by)
