"""A second-order unicycle in the U-shaped maze: planned by us and by OMPL's control RRT.

State x, y, heading, speed, turning rate; controls are their accelerations, held for a sampled time. We move a
body of the engine, held to its heading by force; OMPL integrates the equations in Python.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from swerve.core.geometry import wrap
from swerve.tactics import Action, Chance, Problem, Scene, Skill, SolveOptions, Tactic, load_domain, solve
from swerve.tactics.domains.build import ROBOT_RADIUS

SPEED, TURNING = 2.0, 3.0  # [m/s], [rad/s]
ACCELERATION, TURNING_ACCELERATION = 3.0, 8.0  # [m/s²], [rad/s²]
HELD = (0.1, 0.5)  # [s]
GOAL_BIAS = 0.05
SECONDS = 20.0  # after which OMPL gives up


@dataclass(frozen=True)
class Steer(Skill):
    """Hold a sampled acceleration along the heading and about the vertical."""

    body: str
    variables: ClassVar[tuple[str, ...]] = ("acceleration", "turning", "until")

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        forward = chance.uniform(-ACCELERATION, ACCELERATION)
        turning = chance.uniform(-TURNING_ACCELERATION, TURNING_ACCELERATION)
        return np.column_stack([forward, turning, scene.time + chance.uniform(*HELD)])

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        dt, slot = scene.world.step_seconds, scene.world.slot(self.body)
        heading = scene.heading(self.body)
        ahead = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
        speed = np.einsum("ij,ij->i", scene.velocity(self.body), ahead) + variables[:, 0] * dt
        turning = scene.spin(self.body) + variables[:, 1] * dt
        action.move_with(self.body, np.clip(speed, 0.0, SPEED)[:, None] * ahead, 1e3)
        change = np.clip(turning, -TURNING, TURNING) - scene.spin(self.body)
        action.twist(self.body, change * slot.inertia / dt)
        return scene.time + dt < variables[:, 2]


def maze() -> Problem:
    plain = load_domain("navigation")
    tactic = Tactic("unicycle", {"steer": Steer("robot")}, {}, "steer")
    exploring = replace(plain.exploring, goal_bias=GOAL_BIAS)
    return replace(plain, name="unicycle", tactics={"default": (tactic,)}, exploring=exploring, lanes=32)


def swerve_first_solution(seed: int) -> float:
    """Milliseconds to the first solution, or NaN within 200,000 expansions."""
    plan = solve(maze(), "rrt", SolveOptions(nodes=200_000, iterations=200_000), seed=seed)
    return 1e3 * plan.stats["seconds"] if plan.solved else np.nan


def ompl_first_solution(trials: int) -> float | None:
    """The same by OMPL's control RRT through its Python bindings; none where they are not installed."""
    try:
        from ompl import base, control, util
    except ImportError:
        return None
    if hasattr(util, "setLogLevel"):
        util.setLogLevel(util.LogLevel.LOG_ERROR)
    problem = maze()
    boxes = np.array([_box(area) for area in problem.scenery["areas"] if area["role"] == "obstacle"])
    goal = problem.exploring.goal
    assert goal is not None
    times = []
    for _ in range(trials):
        setup = _setup(base, control, problem, boxes, goal)
        began = time.perf_counter()
        setup.solve(SECONDS)
        times.append(1e3 * (time.perf_counter() - began) if setup.haveExactSolutionPath() else np.nan)
    return float(np.median(times))


def _box(area: dict[str, Any]) -> tuple[float, float, float, float]:
    points = np.array(area["points"])
    return (*points.min(axis=0), *points.max(axis=0))


def _setup(base: Any, control: Any, problem: Problem, boxes: np.ndarray, goal: tuple[float, ...]) -> Any:
    space = base.RealVectorStateSpace(5)
    bounds = base.RealVectorBounds(5)
    limits = [(0.0, 5.0), (0.0, 2.4), (-np.pi, np.pi), (0.0, SPEED), (-TURNING, TURNING)]
    for k, (low, high) in enumerate(limits):
        bounds.setLow(k, low)
        bounds.setHigh(k, high)
    space.setBounds(bounds)
    controls = control.RealVectorControlSpace(space, 2)
    reach = base.RealVectorBounds(2)
    for k, most in enumerate((ACCELERATION, TURNING_ACCELERATION)):
        reach.setLow(k, -most)
        reach.setHigh(k, most)
    controls.setBounds(reach)
    setup = control.SimpleSetup(controls)

    def propagate(state: Any, given: Any, duration: float, result: Any) -> None:
        x, y, heading, speed, turning = (state[k] for k in range(5))
        speed = min(max(speed + given[0] * duration, 0.0), SPEED)
        turning = min(max(turning + given[1] * duration, -TURNING), TURNING)
        heading += turning * duration
        result[0] = x + speed * np.cos(heading) * duration
        result[1] = y + speed * np.sin(heading) * duration
        result[2] = wrap(heading)
        result[3], result[4] = speed, turning

    def free(state: Any) -> bool:
        x, y = state[0], state[1]
        dx = np.maximum(np.maximum(boxes[:, 0] - x, x - boxes[:, 2]), 0.0)
        dy = np.maximum(np.maximum(boxes[:, 1] - y, y - boxes[:, 3]), 0.0)
        return bool((dx * dx + dy * dy).min() > ROBOT_RADIUS**2)

    class InBox(base.Goal):
        def __init__(self, info: Any):
            super().__init__(info)

        def isSatisfied(self, state: Any) -> bool:
            return bool(goal[0] < state[0] < goal[2] and goal[1] < state[1] < goal[3])

    setup.setStatePropagator(propagate)
    setup.setStateValidityChecker(free)
    start = space.allocState()
    slot = problem.world.slot("robot")
    for k, value in enumerate((*problem.start[slot.qpos : slot.qpos + 3], 0.0, 0.0)):
        start[k] = float(value if k != 2 else wrap(value))
    setup.setStartState(start)
    info = setup.getSpaceInformation()
    info.setPropagationStepSize(problem.world.step_seconds)
    info.setMinMaxControlDuration(int(HELD[0] * 60), int(HELD[1] * 60))
    setup.setGoal(InBox(info))
    planner = control.RRT(info)
    planner.setGoalBias(0.0)  # the goal is a region without a state to sample
    setup.setPlanner(planner)
    return setup
