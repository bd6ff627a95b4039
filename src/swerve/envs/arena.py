"""What environments of planning problems have in common: layouts of a problem in one batch, moved by the
planar model, and a planner as their expert."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from gymnasium.spaces import Box

from swerve.core.errors import require
from swerve.core.geometry import wrap
from swerve.tactics import Law, Problem, SolveOptions, TacticsPlan, World, load_domain, solve
from swerve.tactics.arena import FAILED, SOLVED, Arena

from .batch import BatchEnv, frames_of

PLANNED = 1 / 60  # [s] of a planning step
BALL = "ball"
LIMIT = 10.0
BACK = 8.0  # [1/s] by which who is off its plan is brought back
AFTER = 60  # planning steps beyond the end of a plan, in which what was late comes to its end
LAYOUTS = range(1, 17)


class ArenaEnv(BatchEnv):
    """`num_envs` instances of a domain, whose every start draws one of its layouts, by their seeds. Its robot
    obeys a law, with numbers beyond those of robot and ball. A step is some `steps` of planning."""

    def __init__(
        self,
        num_envs: int,
        domain: str,
        robot: str,
        layouts: Sequence[int],
        seconds: float,
        columns: int,
        commands: int,
        obeys: tuple[Law, tuple[float, ...]],
        steps: int,
    ):
        numbers = list(layouts) if isinstance(layouts, Sequence | np.ndarray) else [None]
        fine = all(isinstance(one, int | np.integer) and one >= 0 for one in numbers)
        require(fine, "layouts", layouts, "must be whole numbers from 0")
        frame = steps * PLANNED
        space = Box(-LIMIT, LIMIT, (columns,), np.float32)
        super().__init__(num_envs, space, Box(-1.0, 1.0, (commands,), np.float32), frames_of(seconds, frame))
        problems = [load_domain(domain, int(seed)) for seed in layouts]
        about = [_with_ball(problem.world, robot, obeys[1]) for problem in problems]
        self.arena, self.robot, self.steps = Arena(problems, obeys[0], about), robot, steps
        self.rows = np.tile(self.arena.starts[0], (num_envs, 1))
        self.touched, self.which = self.arena.touches(num_envs), np.zeros(num_envs, np.int64)
        self.age, self.solved = np.zeros(num_envs, np.int64), np.zeros(num_envs, bool)

    def _start(self, who: np.ndarray, drawn: np.ndarray) -> None:
        self.which[who] = (len(self.arena.problems) * drawn[:, 0]).astype(int)
        self.rows[who] = self.arena.starts[self.which[who]]
        self.touched[who], self.age[who], self.solved[who] = False, 0, False

    @abstractmethod
    def commands(self, actions: np.ndarray) -> np.ndarray:
        """What the robot's law is told (n, variables) for actions (n, c)."""

    def _play(self, actions: np.ndarray, skip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Who has come to the goal, and who has failed (n,)."""
        told = self.commands(np.clip(actions, -1.0, 1.0))
        ends = self.arena.play(self.rows, self.touched, self.which, told, skip, self.steps)
        self.age += 1
        self.solved |= ends == SOLVED
        return ends == SOLVED, ends == FAILED

    def place(self, body: str) -> np.ndarray:
        """(n, 2) of a body [m]."""
        slot = self.arena.world.slot(body)
        here = self.rows[:, slot.qpos : slot.qpos + 2]
        return here if body == BALL else here + slot.base[:2]

    def velocity(self, body: str) -> np.ndarray:
        """(n, 2) [m/s]."""
        slot = self.arena.world.slot(body)
        return self.rows[:, slot.qvel : slot.qvel + 2]

    def problem(self, k: int) -> Problem:
        """The problem that one of the instances poses from now on."""
        return replace(self.arena.problems[self.which[k]], start=self.rows[k].copy())

    def _ages(self) -> np.ndarray:
        return self.age


def _with_ball(world: World, robot: str, own: tuple[float, ...]) -> np.ndarray:
    return np.array([*world.slot(robot).numbers, *world.slot(BALL).numbers, world.step_seconds, *own])


class Planned(ABC):
    """The planner as an agent: at every start it solves what an instance poses, on the planar model, and
    drives as the plan says. It looks at the batch, not at observations. As plans are made of shorter steps
    than the environment's, it tries each out first, and makes others where it does not come to the goal."""

    def __init__(self, batch: ArenaEnv, seed: int = 0, tries: int = 32, nodes: int | None = None):
        self.batch, self.seed, self.tries = batch, seed, tries
        self.options = SolveOptions(nodes=nodes, fidelity="planar")
        self.width = len(batch.single_action_space.sample())
        self.actions = [np.zeros((0, self.width))] * batch.num_envs

    def __call__(self) -> np.ndarray:
        """Actions (n, c)."""
        batch = self.batch
        for k in np.flatnonzero(batch.age == 0):
            self._prepare(int(k))
        wanted = np.zeros((batch.num_envs, self.width))
        for own, actions, age in zip(wanted, self.actions, batch.age, strict=True):
            if age < len(actions):
                own[:] = actions[age]
        return wanted

    @abstractmethod
    def _action(self, row: np.ndarray, plan: TacticsPlan, begin: int, end: int) -> np.ndarray:
        """(c,) from a state, that leads to where the plan is at the step `end`."""

    def _prepare(self, k: int) -> None:
        problem = self.batch.problem(k)
        for _ in range(self.tries):
            self.seed += 1
            plan = solve(problem, options=self.options, seed=self.seed)
            if len(plan.rows) and self._try_out(k, plan):
                return

    def _try_out(self, k: int, plan: TacticsPlan) -> bool:
        """Drive by a plan and keep the actions; whether they lead to the goal."""
        batch = self.batch
        row, which, stays = batch.rows[k : k + 1].copy(), batch.which[k : k + 1], np.zeros(1, bool)
        touched, actions = batch.arena.touches(1), []
        for begin in range(0, len(plan.rows) + AFTER, batch.steps):
            ends = [min(at, len(plan.rows) - 1) for at in (begin, begin + batch.steps)]
            action = np.clip(self._action(row[0], plan, *ends), -1.0, 1.0)
            actions.append(action)
            told = batch.commands(action[None])
            end = batch.arena.play(row, touched, which, told, stays, batch.steps)[0]
            if end:
                break
        self.actions[k] = np.array(actions)
        return bool(end == SOLVED)

    def _motion(self, row: np.ndarray, plan: TacticsPlan, begin: int, end: int) -> np.ndarray:
        """(3,) velocity [m/s] and rate [rad/s] of the robot at the end of a step of the plan, corrected by
        how far it is from where the plan has it at the beginning."""
        slot = self.batch.arena.world.slot(self.batch.robot)
        off = (plan.rows[begin] - row)[slot.qpos : slot.qpos + 3]
        off[2] = wrap(off[2])
        return np.asarray(plan.rows[end, slot.qvel : slot.qvel + 3] + BACK * off)
