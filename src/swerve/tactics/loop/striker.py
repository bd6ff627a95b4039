"""Two minds for one against one: a reactive attacker, and one that plans its dribbling in every frame.

The reactive one gets the ball, aims at the widest gap of the goal and kicks. The planning one does the same
until it has the ball to itself. From then on it dribbles by plan (Zickler 2010, section 7.3): the best state
of a tree that lives from frame to frame (`outlook`) is where the robot is led, as long as the other is
expected to shoot as soon as it can; where that leaves nothing to do, as if it did not shoot. It shoots when a
shot along its heading is as likely to go in as any that the plan leads to.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from ..domains.duel import unless_it_shoots
from ..domains.duel_judge import STRENGTH, Judge
from ..plan import SolveOptions
from ..problem import Problem
from ..runner import Runner
from .execute import led
from .frames import Thought
from .outlook import Outlook
from .reality import FRAME, Command, Drive
from .sense import one
from .tracker import Tracker

DEADLINE = 0.010  # [s] of a frame in which a plan must be there
NODES = 300  # a frame
KICKS = 0.5  # [m/s] by which a ball's speed changes when it is kicked
CONTESTED = 0.18  # [m] between the ball and the opponent's middle, 0.07 more than when they touch
NEAR = 0.2  # [m] between the ball and the robot's own from which it plans


class Reactive:
    """Gets the ball and kicks it at the widest gap of the goal. `tactic` is the problem's that it follows."""

    tactic = "reactive"

    def __init__(self, problem: Problem, seed: int, drive: Drive):
        self.problem, self.robot, self.drive = problem, problem.ego, drive
        self.runner = Runner(problem.world, problem.tactics[self.tactic], seed)

    def think(self, estimate: np.ndarray, tracker: Tracker) -> Thought:
        return Thought(self.react(estimate))

    def react(self, estimate: np.ndarray) -> Command:
        """What its tactic does."""
        return self.told(self.runner.act(estimate[None])[0], estimate)

    def told(self, forces: np.ndarray, estimate: np.ndarray) -> Command:
        """What a skill's forces come to for a robot that follows velocities in its own time."""
        world = self.problem.world
        mine, ball = world.slot(self.robot), world.slot("ball")
        push = forces[mine.dof : mine.dof + 3] / (mine.mass, mine.mass, mine.inertia)
        vx, vy, spin = estimate[mine.qvel : mine.qvel + 3] + push / self.drive.gain
        change = forces[ball.dof : ball.dof + 2] * world.step_seconds / ball.mass
        after = float(np.hypot(*(estimate[ball.qvel : ball.qvel + 2] + change)))
        kick = after if float(np.hypot(*change)) > KICKS else 0.0
        return Command(float(vx), float(vy), float(spin), True, kick)

    def forget(self) -> None:
        """Everything was put somewhere else."""
        self.runner.minds = self.runner.decider.fresh(1)


@dataclass
class Counts:
    """Frames with a plan, those that began with what was left of the last tree, those whose plan holds only
    if the other does not shoot, and seconds of engines."""

    plans: int = 0
    kept: int = 0
    unless: int = 0
    engine: float = 0.0
    planar: float = 0.0


class Dribbler(Reactive):
    """`nodes` a frame; `planner`, `options` and `seed` are the search's."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        drive: Drive,
        options: SolveOptions = SolveOptions(),
        nodes: int = NODES,
        planner: str | None = None,
    ):
        super().__init__(problem, seed, drive)
        self.judge, self.nodes, self.counts = Judge(problem.world, self.robot), nodes, Counts()
        how = planner, options, seed
        unless = Outlook(unless_it_shoots(problem), self.judge, nodes // 2, *how)
        self.outlooks = Outlook(problem, self.judge, nodes, *how), unless
        self.ahead = self.outlooks[0]  # whose way is followed

    @property
    def worth(self) -> float:
        """Of the plan."""
        return self.ahead.worth

    def think(self, estimate: np.ndarray, tracker: Tracker) -> Thought:
        fair = bool(self.problem.valid(one(self.problem.world, estimate))[0])
        if not fair or self._to_ball(estimate, "mine") > NEAR:
            self.ahead.forget()
            return Thought(self.react(estimate), deadline=DEADLINE)
        thought = self.plan(estimate)
        super().forget()
        opening, contested = self.judge.opening(estimate), self._to_ball(estimate, "other") < CONTESTED
        if opening > 0.0 and (contested or 1.0 + opening >= self.worth):
            thought.command = replace(thought.command, kick=STRENGTH)
        return thought

    def _to_ball(self, estimate: np.ndarray, who: str) -> float:
        """How far a robot's middle is from the ball [m]."""
        slots = self.ahead.slots
        ball, robot = (estimate[slots[what].qpos :][:2] for what in ("ball", who))
        return float(np.hypot(*(ball - robot)))

    def forget(self) -> None:
        super().forget()
        self.ahead.forget()

    def plan(self, estimate: np.ndarray) -> Thought:
        """What to do now by plan; its `worth` is above 1 if it leads to a shot.

        Where all that is tried ends in a shot of the other at our goal, nothing can be done about that; what
        can be done matters if it does not shoot, and this is planned for with the nodes that are left.
        """
        began, before = time.thread_time(), (self._engine(), self._planar())
        followed, left = self.ahead, self.nodes
        for outlook in self.outlooks:
            left = outlook.look(estimate, followed, max(left, self.nodes // 2))
            self.ahead = outlook
            if not outlook.lost:
                break
        rows, mine = self.ahead.rows, self.ahead.slots["mine"]
        places, velocities = rows[:, mine.qpos : mine.qpos + 3], rows[:, mine.qvel : mine.qvel + 3]
        ratio = self.problem.world.step_seconds / FRAME
        command = led(places, velocities, 0, ratio, estimate[mine.qpos : mine.qpos + 3], dribble=True)
        self.counts.plans += 1
        self.counts.kept += self.ahead.kept
        self.counts.unless += self.ahead is not self.outlooks[0]
        self.counts.engine += self._engine() - before[0]
        self.counts.planar += self._planar() - before[1]
        return Thought(
            command,
            rows[0],
            time.thread_time() - began,
            self.ahead.search.tree.alive_nodes,
            self.ahead.seconds,
            DEADLINE,
        )

    def _engine(self) -> float:
        return sum(outlook.engine_seconds for outlook in self.outlooks)

    def _planar(self) -> float:
        return sum(outlook.planar_seconds for outlook in self.outlooks)
