"""Two minds for one against one: a reactive attacker, and one that plans its dribbling in every frame.

The reactive one gets the ball, aims at the widest gap of the goal and kicks. The planning one does the same
until it has the ball to itself. From then on it dribbles by plan (Zickler 2010, section 7.3): what is left of
the last frame's tree grows on, from the node that should be reached now; if the world is elsewhere, a new
tree from where everything is, in which the same choices come first. Its best state is where the robot is led.
It shoots when a shot along its heading is as likely to go in as any that the plan leads to.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from ..chains import LONGEST, Chains
from ..domains.duel import anyhow
from ..domains.duel_judge import SHORTEST, STRENGTH, Judge
from ..plan import SolveOptions
from ..problem import Problem
from ..runner import Runner
from ..search import Search
from ..tree import NOBODY
from ..verify import Verifier, planar_of
from .execute import led
from .frames import Thought
from .proof import Proof
from .reality import FRAME, Command, Drive
from .sense import one
from .tracker import Tracker

DEADLINE = 0.010  # [s] of a frame in which a plan must be there
NODES = 300  # a frame
BETTER = 1.1  # times as good that another way must be
APART = {"mine": 0.03, "ball": 0.03, "other": 0.08}  # [m] from the plan at which a new tree is grown
TURNED = 0.25  # [rad] likewise
KICKS = 0.5  # [m/s] by which a ball's speed changes when it is kicked
CONTESTED = 0.18  # [m] between the ball and the opponent's middle, 0.07 more than when they touch
NEAR = 0.2  # [m] between the ball and the robot's own from which it plans
A_CHAIN = 20  # nodes of one skill, more or less
TAIL = 4  # skills at most that make a plan long enough


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
    """Frames with a plan, those that began with what was left of the last tree, and seconds of engines."""

    plans: int = 0
    kept: int = 0
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
        lanes = max(2, min(problem.lanes, nodes // A_CHAIN))
        self.search = Search(problem, planner, replace(options, lanes=lanes), seed=seed)
        verifier = self.search.verifier
        self.proof = Proof(self.search, verifier, self.judge) if verifier is not None else None
        self.carry = Verifier(problem, self.search.decider, chains=self.search.chains)
        planar = planar_of(problem) if self.search.on_plane else None
        self.anyhow = Chains(anyhow(problem), self.search.decider, planar=planar)
        self.begin = np.array([t.order.index(t.start) for t in self.search.tactics], dtype=np.int16)
        names = {"mine": self.robot, "ball": "ball"}
        names["other"] = next(t.name for t in problem.tactics["default"][1:])
        self.slots = {what: problem.world.slot(name) for what, name in names.items()}
        self.way, self.worth = np.zeros(0, dtype=np.int64), 0.0  # the nodes to follow, above 1 if to a shot

    def think(self, estimate: np.ndarray, tracker: Tracker) -> Thought:
        fair = bool(self.problem.valid(one(self.problem.world, estimate))[0])
        if not fair or self._to_ball(estimate, "mine") > NEAR:
            self.way = self.way[:0]
            return Thought(self.react(estimate), deadline=DEADLINE)
        thought = self.plan(estimate)
        super().forget()
        opening, contested = self.judge.opening(estimate), self._to_ball(estimate, "other") < CONTESTED
        if opening > 0.0 and (contested or 1.0 + opening >= self.worth):
            thought.command = replace(thought.command, kick=STRENGTH)
        return thought

    def _to_ball(self, estimate: np.ndarray, who: str) -> float:
        """How far a robot's middle is from the ball [m]."""
        ball, robot = (estimate[self.slots[what].qpos :][:2] for what in ("ball", who))
        return float(np.hypot(*(ball - robot)))

    def forget(self) -> None:
        super().forget()
        self.way = self.way[:0]

    def plan(self, estimate: np.ndarray) -> Thought:
        """What to do now by plan; its `worth` is above 1 if it leads to a shot."""
        began = time.thread_time()
        search, before = self.search, (self.search.engine.seconds, self._planar())
        if not self._go_on(estimate):
            self._begin_anew(estimate)
        self._grow()
        self._choose()
        tree, mine = search.tree, self.slots["mine"]
        found = tree.rows[self.way]
        rows = self._long_enough(found)
        places, velocities = rows[:, mine.qpos : mine.qpos + 3], rows[:, mine.qvel : mine.qvel + 3]
        ratio = self.problem.world.step_seconds / FRAME
        command = led(places, velocities, 0, ratio, estimate[mine.qpos : mine.qpos + 3], dribble=True)
        self.counts.plans += 1
        self.counts.engine += search.engine.seconds - before[0]
        self.counts.planar += self._planar() - before[1]
        return Thought(
            command,
            rows[0],
            time.thread_time() - began,
            tree.alive_nodes,
            float(found[-1, 0] - found[0, 0]) + self.judge.flight(found[-1]),
            DEADLINE,
        )

    def _long_enough(self, rows: np.ndarray) -> np.ndarray:
        """Where all else ends in a shot of the other, the plan is to go round the ball, come what may."""
        tactic, decider = self.search.tactics[0], self.search.decider
        row, touched, minds = self.search.tree.gather(self.way[-1:])
        skill = np.zeros_like(minds.skill)
        skill[0, 0] = tactic.order.index("round it")
        for _ in range(TAIL):
            if row[0, 0] - rows[0, 0] >= SHORTEST:
                break
            minds.busy[:] = False
            decider.begin(self.problem.scene(row, touched), minds, skill, np.zeros(1, dtype=int))
            run = self.anyhow.follow(row, touched, minds, skill, np.inf, LONGEST)
            rows = np.concatenate([rows, run.rows[0, : run.steps[0]]])
            row = rows[-1:].copy()
        return rows

    def _planar(self) -> float:
        return self.carry.seconds if self.search.on_plane else 0.0

    def _grow(self) -> None:
        """Until as many nodes have been tried as wanted; those of chains that fail count."""
        search, before = self.search, -1
        last = search.effort.iterations + self.nodes
        while before < search.effort.iterations <= last - search.lanes:
            before = search.effort.iterations
            search.round(min(LONGEST * search.lanes, last - before))

    def _go_on(self, estimate: np.ndarray) -> bool:
        """Make the node that should be reached now the root, if the world is like it."""
        if len(self.way) < 3 or not self.search.tree.alive[self.way].all():
            return False
        row = self.search.tree.rows[self.way[1]]
        for what, slot in self.slots.items():
            if float(np.hypot(*(row - estimate)[slot.qpos : slot.qpos + 2])) > APART[what]:
                return False
        heading = self.slots["mine"].qpos + 2
        if abs((row - estimate)[heading]) > TURNED:
            return False
        reroot = self.search.reroot if self.proof is None else self.proof.reroot
        self.way = reroot(int(self.way[1]), self.way[1:])
        self.search.tree.open_root(self.begin)
        self.counts.kept += 1
        return True

    def _begin_anew(self, estimate: np.ndarray) -> None:
        """A new tree from where everything is; what was to be done is tried first."""
        old, before = self.search.tree, self.way
        self.search.restart(estimate)
        if self.proof is not None:
            self.proof.forget()
        self.search.tree.open_root(self.begin)
        self.search.open_all_lanes()
        self.way = self.way[:0]
        if len(before) > 2 and old.alive[before].all():
            horizon = self.problem.horizon
            node = self.carry.retrace(old, int(before[-1]), horizon, to_goal=False, onto=self.search.tree)
            if node != NOBODY:
                self.way = self.search.tree.path(node)

    def _choose(self) -> None:
        """The way to the best state, unless the one under way is about as good."""
        tree = self.search.tree
        nodes = np.flatnonzero(tree.alive[: tree.count])
        values = self.judge.values(tree.rows[nodes], float(tree.rows[0, 0]))
        worth = 0.0
        if len(self.way) > 1:
            worth = 1 - float(self.judge.values(tree.rows[self.way[-1:]], float(tree.rows[0, 0]))[0])
        best, found = BETTER * worth, None
        k = int(np.argmin(values))
        if self.proof is not None:
            found, best = self.proof.best(nodes, values, best)
        elif 1 - float(values[k]) > best:
            found, best = int(nodes[k]), 1 - float(values[k])
        if found is None and worth <= 0.0:
            short = tree.rows[nodes, 0] - tree.rows[0, 0] < SHORTEST
            found = int(nodes[np.lexsort((-tree.rows[nodes, 0], values, short))[0]])
        if found is not None:
            self.way, worth = tree.path(found), max(best, 0.0)
        self.worth = worth
