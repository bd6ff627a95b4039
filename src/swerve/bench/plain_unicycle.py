"""A second-order unicycle in a U-shaped maze: planned by `swerve.plan` and by three planners of OMPL.

State x, y, heading, speed, turning rate; controls are the accelerations of the last two, held for some
steps. Both sides have the same step, the same collision test at every step, the same weighted distance, the
same goal (a state, and how near is near enough). Our functions are Numba's, OMPL's are called back in Python,
as its users write them; the tree is compiled on both sides. OMPL's planners get the best of several ranges
(for how many steps a control is held) and, where they have one, of several cells of a grid over x and y; ours
has its defaults. The goal bias is ours where OMPL lets Python set it (RRT); EST and KPIECE1 have 0.05.
"""

from __future__ import annotations

import itertools
import math
import time
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

import swerve
from swerve.core.geometry import wrapped
from swerve.core.kernels import kernel
from swerve.tactics.kinodynamic import Space

SPEED, TURNING = 2.0, 3.0  # [m/s], [rad/s]
ACCELERATION, TURNING_ACCELERATION = 3.0, 8.0  # [m/s²], [rad/s²]
STEP = 0.05  # [s]
RADIUS = 0.09  # [m] of the robot
LENGTH, WIDTH = 5.0, 2.4  # [m]
WALLS = np.array(
    [(-1, -1, 0, 4), (5, -1, 6, 4), (-1, -1, 6, 0), (-1, 2.4, 6, 4), (0.7, 1.1, 5, 1.3)]
)  # [m] x0, y0, x1, y1
START = np.array([4.5, 1.8, math.pi - 0.01, 0.0, 0.0])
GOAL, NEAR = np.array([4.6, 0.55, 0.0, 1.0, 0.0]), 0.6
WEIGHTS = np.array([1.0, 1.0, 0.3, 0.3, 0.05])  # of a unit of each in distances
LOW = np.array([0.0, 0.0, -math.pi, 0.0, -TURNING])
HIGH = np.array([LENGTH, WIDTH, math.pi, SPEED, TURNING])
GOAL_BIAS = 0.1  # the default of `swerve.plan`
RANGES = ((1, 5), (1, 10), (2, 20))  # [steps] that OMPL's planners are tried with
CELLS = {"RRT": (0.2,), "EST": (0.1, 0.4), "KPIECE1": (0.1, 0.4)}  # [m] likewise; RRT has no grid
SEED = 1  # of OMPL's numbers
SECONDS = 5.0  # after which a planner gives up


def against_ompl(sweep: int, trials: int) -> dict[str, dict[str, float]] | None:
    """CPU milliseconds to the first solution, medians; none where OMPL is not installed. OMPL's setting is
    the best of a `sweep` of so many tries each, and both are then measured anew."""
    try:
        from ompl import base, control, util
    except ImportError:
        return None
    util.setLogLevel(util.LogLevel.LOG_ERROR)
    util.RNG.setSeed(SEED)
    first_solution(0)  # compiles
    result = {}
    for name, cells in CELLS.items():
        theirs = partial(ompl_first_solution, base, control, name)
        tried = {
            setting: np.median([theirs(*setting) for _ in range(sweep)])
            for setting in itertools.product(RANGES, cells)
        }
        best = min(tried, key=lambda setting: tried[setting])
        pairs = [(first_solution(seed), theirs(*best)) for seed in range(1, trials + 1)]  # in turns, so that
        mine, other = np.median(pairs, axis=0).tolist()  # a slow spell of the machine meets both
        result[name] = {"ours_ms": mine, "theirs_ms": other, "ratio": other / mine}
    return result


def first_solution(seed: int) -> float:
    """CPU milliseconds of `swerve.plan` to the first solution."""
    space = Space(
        LOW.tolist(), HIGH.tolist(), WEIGHTS.tolist(), (), ("x", "y", "heading", "speed", "turning")
    )
    limits = [(-ACCELERATION, ACCELERATION), (-TURNING_ACCELERATION, TURNING_ACCELERATION)]
    began = time.process_time()
    found = swerve.plan(
        step, START, GOAL, controls=limits, space=space, valid=free, tolerance=NEAR, dt=STEP,
        seconds=SECONDS, seed=seed,
    )  # fmt: skip
    return 1e3 * (time.process_time() - began if found.solved else SECONDS)


@kernel
def step(states: np.ndarray, controls: np.ndarray, dt: float) -> np.ndarray:
    after = np.empty_like(states)
    for k in range(len(states)):
        speed = min(max(states[k, 3] + controls[k, 0] * dt, 0.0), SPEED)
        turning = min(max(states[k, 4] + controls[k, 1] * dt, -TURNING), TURNING)
        heading = wrapped(states[k, 2] + turning * dt)
        after[k, 0] = states[k, 0] + speed * np.cos(heading) * dt
        after[k, 1] = states[k, 1] + speed * np.sin(heading) * dt
        after[k, 2], after[k, 3], after[k, 4] = heading, speed, turning
    return after


@kernel
def free(states: np.ndarray) -> np.ndarray:
    result = np.ones(len(states), dtype=np.bool_)
    for k in range(len(states)):
        x, y = states[k, 0], states[k, 1]
        for i in range(len(WALLS)):
            dx = max(max(WALLS[i, 0] - x, x - WALLS[i, 2]), 0.0)
            dy = max(max(WALLS[i, 1] - y, y - WALLS[i, 3]), 0.0)
            if dx * dx + dy * dy <= RADIUS * RADIUS:
                result[k] = False
    return result


def ompl_first_solution(
    base: ModuleType, control: ModuleType, name: str, steps: tuple[int, int], cell: float
) -> float:
    """CPU milliseconds of one of OMPL's planners to the first solution."""
    setup = _setup(base, control, steps, cell)
    planner = getattr(control, name)(setup.getSpaceInformation())
    if hasattr(planner, "setGoalBias"):
        planner.setGoalBias(GOAL_BIAS)
    setup.setPlanner(planner)
    setup.setup()
    began = time.process_time()
    setup.solve(SECONDS)
    return 1e3 * (time.process_time() - began if setup.haveExactSolutionPath() else SECONDS)


def _setup(base: Any, control: Any, steps: tuple[int, int], cell: float) -> Any:
    """The maze for OMPL, whose coordinates are ours times their weights, so that distances are the same."""
    space = base.RealVectorStateSpace(5)
    space.setBounds(_bounds(base, LOW * WEIGHTS, HIGH * WEIGHTS))
    space.registerDefaultProjection(base.RealVectorOrthogonalProjectionEvaluator(space, [cell, cell], [0, 1]))
    controls = control.RealVectorControlSpace(space, 2)
    most = np.array([ACCELERATION, TURNING_ACCELERATION])
    controls.setBounds(_bounds(base, -most, most))
    setup = control.SimpleSetup(controls)
    walls = [tuple(map(float, wall)) for wall in WALLS]
    weights = WEIGHTS.tolist()

    def propagate(state: Any, given: Any, dt: float, result: Any) -> None:
        x, y, heading, speed, turning = (state[k] / weights[k] for k in range(5))
        speed = min(max(speed + given[0] * dt, 0.0), SPEED)
        turning = min(max(turning + given[1] * dt, -TURNING), TURNING)
        heading += turning * dt
        if not -math.pi <= heading < math.pi:
            heading -= 2 * math.pi * math.floor((heading + math.pi) / (2 * math.pi))
        result[0] = x + speed * math.cos(heading) * dt
        result[1] = y + speed * math.sin(heading) * dt
        result[2], result[3], result[4] = heading * weights[2], speed * weights[3], turning * weights[4]

    def unhindered(state: Any) -> bool:
        x, y = state[0], state[1]
        for x0, y0, x1, y1 in walls:
            dx, dy = max(x0 - x, x - x1, 0.0), max(y0 - y, y - y1, 0.0)
            if dx * dx + dy * dy <= RADIUS * RADIUS:
                return False
        return True

    setup.setStatePropagator(propagate)
    setup.setStateValidityChecker(unhindered)
    start, goal = space.allocState(), space.allocState()
    for k in range(5):
        start[k], goal[k] = float(START[k] * weights[k]), float(GOAL[k] * weights[k])
    setup.setStartAndGoalStates(start, goal, NEAR)
    information = setup.getSpaceInformation()
    information.setPropagationStepSize(STEP)
    information.setMinMaxControlDuration(*steps)
    return setup


def _bounds(base: Any, low: np.ndarray, high: np.ndarray) -> Any:
    bounds = base.RealVectorBounds(len(low))
    for k in range(len(low)):
        bounds.setLow(k, float(low[k]))
        bounds.setHigh(k, float(high[k]))
    return bounds
