"""Planning over anybody's model: a function that steps states by controls, no skills and no engine needed.

    plan = swerve.plan(step, start, goal, valid=valid, controls=[(-0.5, 0.5), (-0.5, 0.5)], ...)

`step(states (b, d), controls (b, c), dt)` gives states (b, d), and may work in place. `valid(states)` gives
(b,) booleans. It is asked at every step; for so many states between two as `PlanOptions.between` says, too,
and where it is an `OccupancyMap`'s for as many as no cell is left out. `goal` is a state to
come within `tolerance` of, NaN in columns that do not matter, or a function of states that gives (b,)
booleans. All are written with NumPy, or with Numba for speed. Instead of a function, `step` may be a
`Mechanism`: any MJCF model.

Many branches grow at once, each by a random control held for a random time. `sparse` grows nodes where a
coarse grid over two coordinates holds the fewest; `rrt` the node that is nearest to a sampled state, by the
best of a few tries towards it; `bgt` leaves or inner nodes so that depth over branching stays at μ, which
adapts where none is given. A cell of the state space keeps its cheapest node only (`branches`).
With `improve` more trees are grown, which look for other motions, and the best ones are cut and repaired
until the time is up (`seek`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isinf
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.plan import POSE, Plan, Status

from .branches import COUNT
from .mechanism import Mechanism
from .points import points_of
from .rollout import MOST_BETWEEN, Array, Model, Step, Test
from .seek import Asked, Growing, Seek
from .space import Space

PLANNERS = ("sparse", "rrt", "bgt")


@dataclass(frozen=True)
class PlanOptions:
    """How to grow. Each control is held for `hold` steps, and `tries` of them are made for a branch.

    `cell` is the size at which two states count as the same one, in the space's distance, and shrinks as the
    space fills; `capture` the distance to the goal from which a motion is bent to end within its tolerance,
    at most half of the start's. What is None is chosen. After `iterations` branches the search ends, however
    fast the machine.
    """

    planner: str = "sparse"  # or rrt, or bgt
    mu: float | None = None  # of bgt: depth over branching; none adapts to the depth of the tree
    hold: tuple[int, int] = (1, 10)
    tries: int = 1
    cell: float | None = None
    capture: float | None = None
    goal_bias: float = 0.1
    iterations: int | None = None
    between: int = 0  # states between two steps for which `valid` is asked, on the straight way

    def __post_init__(self) -> None:
        known = self.planner in PLANNERS
        require(known, "planner", self.planner, f"must be one of {', '.join(PLANNERS)}")
        require(
            1 <= self.hold[0] <= self.hold[1] and all(isinstance(n, int) for n in self.hold),
            "hold",
            self.hold,
            "must be a range of steps, whole numbers from one",
        )
        require(0 <= self.between <= MOST_BETWEEN, "between", self.between, f"must be 0 to {MOST_BETWEEN}")
        require(0 <= self.goal_bias <= 1, "goal_bias", self.goal_bias, "must be a probability")
        for name in ("mu", "tries", "cell", "capture", "iterations"):
            value = getattr(self, name)
            require(value is None or value > 0, name, value, "must be positive")
        for name in ("tries", "iterations", "between"):
            value = getattr(self, name)
            require(
                value is None or isinstance(value, int | np.integer), name, value, "must be a whole number"
            )

    def growing(self) -> Growing:
        """The same for a search."""
        return Growing(
            PLANNERS.index(self.planner),
            self.mu or 0.0,
            self.hold,
            self.tries,
            self.cell,
            self.goal_bias,
            self.iterations,
        )


_PLAIN = PlanOptions()


def plan(
    step: Step | Mechanism,
    start: Sequence[float] | Array,
    goal: Sequence[float] | Array | Test,
    *,
    controls: Sequence[tuple[float, float]] | None = None,
    space: Space | None = None,
    valid: Test | None = None,
    tolerance: float = 0.1,
    dt: float | None = None,
    seconds: float = 10.0,
    improve: bool = False,
    seed: int = 0,
    options: PlanOptions | None = None,
) -> Plan:
    """A motion from `start` to `goal` by controls within their ranges [(low, high), …].

    Time goes in steps of `dt` [s], 0.1 by default. The first motion found is returned, or with `improve` the
    shortest found in `seconds`. A mechanism brings controls, space and dt along; `valid` counts beside its
    own.

    >>> def slide(states, controls, dt):
    ...     return np.column_stack([states[:, 0] + states[:, 1] * dt, states[:, 1] + controls[:, 0] * dt])
    >>> found = plan(slide, [0, 0], [1, 0], controls=[(-1, 1)], space=Space([-1, -1], [2, 1]), seconds=5)
    >>> found.solved
    True
    """
    if isinstance(step, Mechanism):
        robot, asked = step, valid
        controls, space, dt = controls or robot.controls, space or robot.space, dt or robot.dt
        step, wide = robot.step, np.shape(robot.start)
        require(
            np.shape(start) == wide, "start", np.shape(start), f"must be a state of the mechanism, {wide};"
        )
        valid = robot.valid if asked is None else lambda states: robot.valid(states) & asked(states)
    require(controls is not None, "controls", None, "are missing: ranges [(low, high), …]")
    require(space is not None, "space", None, "is missing: where states are sampled")
    assert controls is not None and space is not None
    dt = 0.1 if dt is None else dt
    root, limits = _numbers("start", start), _limits(controls)
    require(root.ndim == 1 and all(map(isfinite, root.tolist())), "start", root.tolist(), "must be finite")
    for name, value in (("dt", dt), ("tolerance", tolerance), ("seconds", seconds)):
        real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        require(real, name, value, "must be a number")
    require(0 < dt < np.inf, "dt", dt, "must be positive and finite")
    require(0 < tolerance < np.inf, "tolerance", tolerance, "must be positive and finite")
    require(seconds > 0, "seconds", seconds, "must be positive")
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    require(whole and seed >= 0, "seed", seed, "must be a whole number, at least 0")
    space.check(len(root))
    numbers = space.numbers()
    target = _target(goal, root, numbers[0])
    options = options or _PLAIN
    test = goal if callable(goal) else None
    model = Model.of(step, valid, test, root, limits[:, 0], dt, options.between, numbers[1])
    require(bool(model.fine(root[None])[0]), "start", root.tolist(), "is not a valid state")
    capture = max(min(options.capture or 0.0, 0.5 * _far(root, target, numbers)), tolerance)
    problem = Asked(model, root, target, limits, space, numbers, tolerance, capture, dt, int(seed))
    seek = Seek(problem, options.growing())
    seek.run(seconds, improve)
    return _answer(seek, space)


def _limits(controls: Sequence[tuple[float, float]]) -> Array:
    """Ranges (c, 2) of controls."""
    limits = _numbers("controls", controls)
    require(limits.ndim == 2 and limits.shape[1] == 2, "controls", limits.shape, "must be pairs (low, high)")
    pairs = limits.tolist()
    require(all(isfinite(end) for pair in pairs for end in pair), "controls", pairs, "must be finite")
    require(all(low <= high for low, high in pairs), "controls", pairs, "must be pairs (low, high)")
    return limits


def _numbers(what: str, given: Any) -> Array:
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise BadInput(what, given, "must be numbers") from error


def _target(goal: Sequence[float] | Array | Test, root: Array, weights: Array) -> Array:
    """The goal as a state (d,), empty where it is a test."""
    if callable(goal):
        return np.zeros(0)
    state = _numbers("goal", goal)
    require(state.shape == root.shape, "goal", state.shape, f"must be of shape {root.shape}")
    values = state.tolist()
    require(not any(map(isinf, values)), "goal", values, "must be finite, or NaN where any will do")
    says = any(isfinite(value) and weight for value, weight in zip(values, weights.tolist(), strict=True))
    require(says, "goal", values, "says nothing of columns that count")
    return state


def _far(root: Array, target: Array, numbers: tuple[Array, Array]) -> float:
    """From the start to the goal; 0 where that is a test, which nothing can be bent to."""
    if not len(target):
        return 0.0
    start, goal = (points_of(state[None], *numbers)[0] for state in (root, target))
    return float(np.sqrt(np.nansum((goal - start) ** 2)))


def _answer(seek: Seek, space: Space) -> Plan:
    d, c = len(seek.asked.root), len(seek.asked.limits)
    columns = tuple(space.columns) or tuple(f"state {k}" for k in range(d))
    if not set(POSE) <= set(columns):  # a plan's x, y and heading are those of a body
        columns = tuple(f"state {name}" if name in POSE else name for name in columns)
    names = tuple(f"control {k}" for k in range(c))
    stats = {"seconds": seek.seconds, "nodes": seek.nodes + int(seek.tree.tally[COUNT]), **seek.effort}
    if seek.best is None:
        empty = np.zeros((0, d))
        return Plan(Status.UNFINISHED, np.zeros(0), empty, columns, np.zeros((0, c)), names, np.nan, stats)
    way = seek.best.way
    times = seek.asked.dt * np.arange(len(way.states))
    return Plan(Status.SOLVED, times, way.states, columns, way.controls, names, float(times[-1]), stats)
