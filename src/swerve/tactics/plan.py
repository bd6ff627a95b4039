"""Solving a problem: choose a planner, grow a tree until it is enough, give the best motion found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.plan import Plan, Status

from .bodies import World
from .columns import drawing, force_columns, named_states
from .engine import Engine
from .grow import Growth
from .guided import Guided
from .nearest import Nearest
from .problem import Problem
from .scene import length
from .select import Balanced, Hybrid, Selection, Uniform
from .tree import Tree

PLANNERS = ("rrt", "bgt", "hybrid", "uniform")
FIDELITIES = ("full", "planar", "both")
MEASURES = ("duration", "curvature", "contacts")


@dataclass(frozen=True)
class TacticsPlan(Plan):
    """A plan with the tree it was found in.

    `states` hold every moving body under its name (`ball.x`) and the main body as x, y, heading; `controls`
    (n − 1, nv) the forces on them. `rows` (n, width) are the exact states of `problem.world`, `contacts`
    (n, pairs) the collisions that led to each; `skills` names the skill of every tactic that did.
    """

    problem: Problem | None = None
    tree: Tree | None = None
    rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    nodes: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    contacts: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    skills: tuple[tuple[str, ...], ...] = ()
    solutions: tuple[int, ...] = ()


@dataclass(frozen=True)
class SolveOptions:
    """How to search and when to stop. What is None is the problem's own.

    The search ends when `solutions` are found or a limit is reached: `nodes` of the tree, `iterations`, or
    `budget` [s]. With `anytime`, goals do not end it: it runs to its limits and the state with the least
    evaluation is the answer; otherwise the solution with the least `measure` is.
    """

    tactic: str = "default"
    mu: float | None = None  # balance of depth and breadth
    hybrid_p: float = 0.5  # share of balanced growth in the planner `hybrid`
    nodes: int | None = None
    iterations: int | None = None
    solutions: int = 1
    budget: float | None = None  # [s]
    measure: str = "duration"
    anytime: bool | None = None
    lanes: int | None = None  # branches that grow side by side
    roll_back: bool = True  # remove chains that end in nothing
    fidelity: str = "full"  # what is searched on: the engine, the planar model, or that and then the engine
    t_lod: float = np.inf  # [s] after the root, beyond which what others move is passed through (`detail`)

    def __post_init__(self) -> None:
        for name in ("nodes", "iterations", "solutions", "lanes"):
            value = getattr(self, name)
            require(value is None or value >= 1, name, value, "must be at least 1")
        require(self.budget is None or self.budget > 0, "budget", self.budget, "must be positive")
        require(self.t_lod >= 0, "t-lod", self.t_lod, "must be zero or more")
        known = f"must be one of {', '.join(FIDELITIES)}"
        require(self.fidelity in FIDELITIES, "fidelity", self.fidelity, known)
        require(self.measure in MEASURES, "measure", self.measure, f"must be one of {', '.join(MEASURES)}")


def choose(problem: Problem, planner: str, mu: float | None, hybrid_p: float) -> Selection:
    """The selection of a planner."""
    require(planner in PLANNERS, "planner", planner, f"must be one of {', '.join(PLANNERS)}")
    if planner == "uniform":
        return Uniform()
    deepest = problem.horizon / problem.world.step_seconds
    balanced = Balanced(problem.mu if mu is None else mu, deepest)
    growing = balanced if problem.lack is None else Guided(balanced)
    if planner == "bgt":
        return growing
    exploring = problem.exploring
    if exploring is None:
        raise BadInput("planner", planner, f"{problem.name} does not say where to sample (explore)")
    nearest = Nearest(
        problem.world,
        exploring.body,
        exploring.sample,
        exploring.speed,
        exploring.acceleration,
        exploring.goal,
    )
    return nearest if planner == "rrt" else Hybrid(growing, nearest, hybrid_p)


def result(growth: Growth, seconds: float, measure: str = "duration", anytime: bool = False) -> TacticsPlan:
    """The best motion of a grown tree as a plan."""
    tree, problem, effort = growth.tree, growth.problem, growth.effort
    ways = [tree.path(node) for node in growth.solutions]
    if ways and not anytime:
        costs = [cost(problem, tree, way, measure) for way in ways]
        best = int(np.argmin(costs))
        status, way, price = Status.SOLVED, ways[best], costs[best]
    elif problem.evaluate is not None:
        node, price = growth.best()
        way = tree.path(node)
        goal = problem.goal(problem.scene(tree.rows[way[-1:]], tree.touched[way[-1:]]))[0]
        status = Status.SOLVED if goal else Status.LIMIT
    else:
        late = growth.account.late  # a longer plan might have done
        status = Status.INFEASIBLE if growth.exhausted and not late else Status.UNFINISHED
        way, price = np.zeros(0, dtype=int), np.nan
    stats: dict[str, Any] = {
        "seconds": seconds,
        "engine_seconds": growth.engine.seconds,
        "planar_seconds": growth.planar_seconds,
        "select_seconds": effort.select_seconds,
        "skill_seconds": effort.skill_seconds,
        "nodes": tree.alive_nodes,
        "iterations": effort.iterations,
        "rolled_back": effort.rolled_back,
        "solutions": len(ways),
        "skills": growth.account.table(),
        "hints": [*growth.account.hints(), *_nothing_left(growth)],
    }
    if len(way):
        end = problem.scene(tree.rows[way[-1:]], tree.touched[way[-1:]])
        stats |= {name: float(figure(end)[0]) for name, figure in problem.figures.items()}
    told = {"cut_off": effort.cut_off, "at_horizon": effort.at_horizon}
    stats |= {name: counts for name, counts in told.items() if counts}
    rows = tree.rows[way]
    columns, states = named_states(problem, rows)
    return TacticsPlan(
        status,
        rows[:, 0],
        states,
        columns,
        tree.forces[way[1:]],  # a node holds what led to it
        force_columns(problem.world),
        float(price),
        stats,
        drawing(problem),
        problem=problem,
        tree=tree,
        rows=rows,
        nodes=way,
        contacts=tree.touched[way],
        skills=_skills(growth, way),
        solutions=tuple(growth.solutions),
    )


def _skills(growth: Growth, way: np.ndarray) -> tuple[tuple[str, ...], ...]:
    """Names of the skills that led to every node of a way."""
    orders = [[*tactic.order, ""] for tactic in growth.tactics]  # -1 is none
    columns = zip(orders, growth.tree.skill[way].T.tolist(), strict=True)
    return tuple(zip(*([order[k] for k in ks] for order, ks in columns), strict=True))


def _nothing_left(growth: Growth) -> list[str]:
    """A line where a search ended without a solution because its tactics had nothing left to choose."""
    if growth.solutions or not growth.exhausted:
        return []
    if growth.account.late:
        return [f"nothing is left to try within the horizon of {growth.problem.horizon:g} s"]
    return ["nothing is left to try: all that the tactics can do ends in what is not valid"]


def cost(problem: Problem, tree: Tree, way: np.ndarray, measure: str) -> float:
    """Duration [s], turning of the ego's way [rad], or number of steps with a collision."""
    if measure == "duration":
        return float(tree.rows[way[-1], 0])
    if measure == "contacts":
        return float(tree.touched[way].any(axis=1).sum())
    places = problem.scene(tree.rows[way]).xy(problem.ego)
    steps = np.diff(places, axis=0)
    steps = steps[length(steps) > 1e-4]
    angle = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    return float(np.abs(np.diff(angle)).sum())


def replay(plan: TacticsPlan, world: World | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The plan's forces in a fresh engine from its first state: rows (n, width) and collisions (n, pairs); by
    default in the world it was made for, or in that one at another step (`World.at_step`)."""
    assert plan.problem is not None
    engine = Engine(world or plan.problem.world, lanes=1)
    rows, touched = list(plan.rows[:1]), list(plan.contacts[:1])
    for forces in plan.controls:
        row, touch = engine.step(rows[-1][None], forces[None])
        rows.append(row[0])
        touched.append(touch[0])
    n, width, pairs = len(rows), plan.problem.world.width, len(plan.problem.world.watch)
    return np.array(rows).reshape(n, width), np.array(touched, dtype=bool).reshape(n, pairs)
