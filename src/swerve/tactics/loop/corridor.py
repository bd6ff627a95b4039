"""Hallway and maze in the loop: plan to the goal, carry out a piece, plan again (Zickler 2010, chapter 9).

Obstacles do what the planner expects of them at uncertainty 0. Otherwise each strays from its straight way by
an angle and a pace that wander, the more the greater the uncertainty, and turns back when it likes.
"""

from __future__ import annotations

import time

import numpy as np

from swerve.core.seeding import generator

from ..bodies import Role
from ..domains import load_domain
from ..domains.hallway import ROBOT, forgiving, keeping_off
from ..plan import SolveOptions, TacticsPlan
from ..pools import LIVED
from ..problem import Problem
from ..search import Search
from ..skills import PaceLanes
from .execute import Execution
from .frames import Loop, Thought
from .play import PlayOptions, Trial
from .reality import FRAME, INNER, Command, Drive, MujocoReality, Will
from .sense import Noise, one
from .tracker import Tracker

INTERVAL = 0.5  # [s] between plans
UNCERTAINTY = 0.75
LONGEST = 40.0  # [s] of a trial
PORTION, HOPELESS = 300, 0.1  # expansions at a time, and the share of branches that live at which to give up
FIDELITY = "planar"  # plans only look for ways on which nothing touches
GRACE = 0.1  # [s] in which touching is forgiven: it may stand against something already
PRESSED, ESCAPE = 0.6, 600  # [s] of grace, and nodes, where it cannot get away from what touches it
CLOSE = 0.35  # [m] between middles
ASTRAY = 0.2  # [m] from the plan
AGAIN = 12  # frames until the next plan when none was found, or the last has ended
STRAYING, WANDERS = 1.2, 2.0  # [rad] at uncertainty 1, [1/s] how fast it changes
TURNS_BACK = 0.5  # [1/s] at uncertainty 1


class Navigator:
    """Plans every `interval` seconds, at once after a collision or where it is far from its plan, whose
    states it follows, and soon after a plan that has ended elsewhere than at the goal."""

    robot = ROBOT

    def __init__(self, problem: Problem, options: PlayOptions, seed: int):
        self.problem, self.options = problem, options
        how = SolveOptions(
            fidelity=options.fidelity or FIDELITY, t_lod=np.inf if options.t_lod is None else options.t_lod
        )
        most = options.nodes or problem.nodes
        asked = [(forgiving(problem, GRACE), most), (forgiving(problem, PRESSED), min(most, ESCAPE))]
        self.searches = [  # in this order, until one finds a way
            (Search(task, options.planner, how, seed=2 * seed + k), nodes)
            for k, (task, nodes) in enumerate(asked)
        ]
        if options.margin and how.t_lod > GRACE:  # else there is no time in which it would be kept
            wary = keeping_off(problem, GRACE, options.margin, how.t_lod)
            self.searches.insert(0, (Search(wary, options.planner, how, seed=2 * seed), most))
        self.every = max(1, round(min(options.interval or INTERVAL, LONGEST) / FRAME))
        self.due, self.plans, self.bumped = 5, 0, False
        self.rested = 0  # frames since the plan ended
        self.frames, self.engine_seconds, self.planar_seconds = 0, 0.0, 0.0
        self.execution: Execution | None = None

    def think(self, estimate: np.ndarray, tracker: Tracker) -> Thought:
        self.frames += 1
        thought = Thought(deadline=self.every * FRAME)
        self.rested += self.execution is not None and self.execution.done
        if self.frames >= self.due or self.bumped or self.rested > AGAIN or self._astray(estimate):
            thought = self._plan(estimate)
        if self.execution is None:
            thought.command = self._dodge(estimate)
        else:
            at = min(self.execution.index, len(self.execution.plan.rows) - 1)
            thought.planned = self.execution.plan.rows[at]
            done = self.execution.done
            thought.command = Command() if done else self.execution.command(estimate)
        return thought

    def _astray(self, estimate: np.ndarray) -> bool:
        """Whether the world has not let it follow its plan."""
        if self.execution is None or self.execution.done:
            return False
        return self.execution.gap(estimate) > ASTRAY

    def _dodge(self, estimate: np.ndarray) -> Command:
        """Without a plan: away from the nearest obstacle, if it is close."""
        scene = one(self.problem.world, estimate)
        here = scene.xy(self.robot)[0]
        others = [b.name for b in self.problem.world.bodies if b.role is Role.FOREIGN]
        away = np.array([here - scene.xy(name)[0] for name in others])
        nearest = away[int(np.argmin(np.hypot(*away.T)))]
        far = max(float(np.hypot(*nearest)), 1e-6)
        vx, vy = nearest * (1.0 / far if far < CLOSE else 0.0)
        return Command(float(vx), float(vy))

    def _plan(self, estimate: np.ndarray) -> Thought:
        began = time.thread_time()
        tried: list[TacticsPlan] = []
        while not tried or (len(tried) < len(self.searches) and not tried[-1].solved):
            tried.append(self._found(*self.searches[len(tried)], estimate))
        plan = max(tried, key=lambda p: (p.solved, p.duration))
        nodes = sum(p.stats["nodes"] for p in tried)
        spent = time.thread_time() - began
        self.plans += 1
        usable = len(plan.rows) > 0.1 / FRAME
        self.execution = Execution(plan, self.robot, self.options.driven or "state") if usable else None
        self.due = self.frames + (self.every if plan.solved else min(self.every, AGAIN))
        self.bumped, self.rested = False, 0
        return Thought(
            planning_seconds=spent,
            nodes=nodes,
            plan_length=plan.duration if usable else 0.0,
            deadline=self.every * FRAME,
        )

    def _found(self, search: Search, nodes: int, estimate: np.ndarray) -> TacticsPlan:
        """What a new tree of a search leads to."""
        start = estimate.copy()
        start[0] = 0.0
        search.restart(start)
        before = search.engine.seconds, search.planar_seconds
        _grow(search, nodes)
        self.engine_seconds += search.engine.seconds - before[0]
        self.planar_seconds += search.planar_seconds - before[1]
        return search.plan()


def _grow(search: Search, nodes: int) -> None:
    """Until there is a solution, the tree is that large, or nearly all that is tried fails."""
    while not search.solutions and search.tree.alive_nodes < nodes and not search.exhausted:
        tried, lived = search.effort.chains, search.tree.sums[LIVED]
        search.grow(iterations=PORTION, solutions=1)
        if search.tree.sums[LIVED] - lived < HOPELESS * (search.effort.chains - tried):
            return


def trial(game: str, options: PlayOptions, seed: int) -> Trial:
    """One drive to the goal, with obstacles of that seed."""
    problem = load_domain(game, seed)
    reality = world_of(game, options, seed)
    navigator = Navigator(problem, options, seed)
    noise = Noise().times(options.noise)
    loop = Loop(problem, reality, (navigator,), generator(seed, "camera"), noise, options.latency)
    others = [k for k, pair in enumerate(problem.world.watch) if "walls" not in pair]
    collided: set[int] = set()
    reached, last_touch = False, -AGAIN
    for _ in range(round(LONGEST / FRAME)):
        loop.frame()
        if reality.touched[others].any():
            if loop.log.frames - last_touch >= AGAIN:
                navigator.bumped = navigator.plans not in collided
                last_touch = loop.log.frames
            if navigator.plans:
                collided.add(navigator.plans)
        reached = bool(problem.goal(one(problem.world, reality.row))[0])
        if reached:
            break
    loop.end()
    spent = navigator.engine_seconds, navigator.planar_seconds
    return Trial(reached, loop.log, problem, navigator.plans, len(collided), *spent)


def world_of(game: str, options: PlayOptions, seed: int) -> MujocoReality:
    """A fresh reality of a game."""
    problem = load_domain(game, seed)
    uncertainty = UNCERTAINTY if options.uncertainty is None else options.uncertainty
    will = straying(problem, uncertainty, generator(seed, "obstacles"))
    drive = Drive(acceleration=5.0)
    return MujocoReality(problem.world, problem.start, generator(seed, "reality"), drive=drive, wills=(will,))


def fresh(game: str, options: PlayOptions, seed: int) -> MujocoReality:
    """The reality of a trial as it begins."""
    return world_of(game, options, seed)


def straying(problem: Problem, uncertainty: float, random: np.random.Generator) -> Will:
    """Forces that move all obstacles, each with a mood of its own."""
    skill = next(s for t in problem.tactics["default"] for s in t.skills.values() if isinstance(s, PaceLanes))
    world = problem.world
    slots = [world.slot(name) for name in skill.bodies]
    lanes, paces = np.array(skill.lanes), np.array(skill.paces)
    count, dt = len(slots), FRAME / INNER
    angle, eager = np.zeros(count), np.zeros(count)
    ahead = np.array([1.0 if problem.start[slot.qvel + 1] >= 0 else -1.0 for slot in slots])
    places = np.array([(slot.qpos, slot.qvel, slot.dof) for slot in slots])
    bases = np.array([slot.base[:2] for slot in slots])
    masses = np.array([slot.mass for slot in slots])

    def will(t: float, row: np.ndarray, forces: np.ndarray) -> None:
        step = np.sqrt(2 * WANDERS * dt)
        for mood in (angle, eager):
            mood += -WANDERS * dt * mood + step * random.standard_normal(count)
        ahead[random.random(count) < uncertainty * TURNS_BACK * dt] *= -1
        xy = np.stack([row[places[:, 0]], row[places[:, 0] + 1]], axis=1) + bases
        ahead[xy[:, 1] >= lanes[:, 2]] = -1.0
        ahead[xy[:, 1] <= lanes[:, 1]] = 1.0
        turned = uncertainty * STRAYING * angle
        pace = paces * np.clip(1 + 0.5 * uncertainty * eager, 0.0, 2.0)
        back = np.clip(3.0 * (lanes[:, 0] - xy[:, 0]), -0.5, 0.5)
        velocity = np.stack([pace * np.sin(turned) + back, ahead * pace * np.cos(turned)], axis=1)
        now = np.stack([row[places[:, 1]], row[places[:, 1] + 1]], axis=1)
        change = (velocity - now) / dt
        size = np.hypot(*change.T)
        change *= np.minimum(1.0, 8.0 / np.maximum(size, 1e-9))[:, None]
        forces[places[:, 2]] += masses * change[:, 0]
        forces[places[:, 2] + 1] += masses * change[:, 1]

    return will
