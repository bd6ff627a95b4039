"""Planning over anybody's model: a function that steps states by controls, no skills and no engine needed.

    plan = swerve.plan(step, start, goal, valid=valid, controls=[(-0.5, 0.5), (-0.5, 0.5)], ...)

`step(states (b, d), controls (b, c), dt)` gives states (b, d). `valid(states)` gives (b,) booleans. `goal`
is a state to come within `tolerance` of, NaN in columns that do not matter, or a function of states that
gives (b,) booleans. All are written with NumPy, or with Numba for speed. Instead of a function, `step` may be
a `Mechanism`: any MJCF model.

Many branches grow at once, each by a random control held for a random time. `rrt` grows the node that is
nearest to a sampled state, by the best of a few tries towards it; `bgt` grows leaves or inner nodes so that
depth over branching stays at μ, which adapts where none is given. A cell of the state space keeps its
cheapest node only (`branches`). With `improve` the search goes on for shorter motions; the best one, and
others that take another way, are cut and repaired in between (`shorten`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import require
from swerve.core.plan import Plan, Status
from swerve.core.seeding import generator

from . import branches
from .branches import ADDED, BEST, COUNT, DROPPED
from .mechanism import Mechanism
from .points import close, points_of
from .rollout import Array, Model, Step, Test
from .shorten import Way, Workshop
from .space import Space

PLANNERS = ("rrt", "bgt")
LEAST, MOST = 32, 256  # branches that grow at once, in a small tree and in a large one
COARSE = 0.03  # first size of a cell, as a share of the space's diagonal
FEWEST = 6  # cells at least along each column, so that none is left out of account
CROWDED = 0.8  # share of new nodes that fall into taken cells, beyond which cells become smaller
NEARBY = 0.2  # share of samples about the best motion
MENDING = 10  # steps of a model to mend motions with, for each one to grow the tree
HOPE = 1.4  # times the best motion's cost that others may have before they are mended
STALE = 40  # attempts in a row that fail before the best motion is mostly left alone
PATIENCE = 12  # attempts in a row that fail before a challenger is given up
DRAWS = 20  # of a node by balanced growth


@dataclass(frozen=True)
class PlanOptions:
    """How to grow. Each control is held for `hold` steps, and `tries` of them are made for a branch.

    `cell` is the size at which two states count as the same one, in the space's distance, and shrinks as the
    space fills; `capture` the distance to the goal from which a motion is bent to end within its tolerance.
    What is None is chosen. After `iterations` branches the search ends, however fast the machine.
    """

    planner: str = "rrt"
    mu: float | None = None  # of bgt: depth over branching; none adapts to the depth of the tree
    hold: tuple[int, int] = (1, 10)
    tries: int = 1
    cell: float | None = None
    capture: float | None = None
    goal_bias: float = 0.1
    iterations: int | None = None

    def __post_init__(self) -> None:
        require(self.planner in PLANNERS, "planner", self.planner, f"must be one of {', '.join(PLANNERS)}")
        require(
            1 <= self.hold[0] <= self.hold[1], "hold", self.hold, "must be a range of steps, at least one"
        )
        require(0 <= self.goal_bias <= 1, "goal_bias", self.goal_bias, "must be a probability")
        for name in ("mu", "tries", "cell", "capture", "iterations"):
            value = getattr(self, name)
            require(value is None or value > 0, name, value, "must be positive")


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
        model, asked = step, valid
        controls, space, dt = controls or model.controls, space or model.space, dt or model.dt
        step = model.step
        valid = model.valid if asked is None else lambda states: model.valid(states) & asked(states)
    require(controls is not None, "controls", None, "are missing: ranges [(low, high), …]")
    require(space is not None, "space", None, "is missing: where states are sampled")
    assert controls is not None and space is not None
    dt = 0.1 if dt is None else dt
    root = np.array(start, dtype=float)
    limits = np.array(controls, dtype=float)
    require(limits.ndim == 2 and limits.shape[1] == 2, "controls", limits.shape, "must be pairs (low, high)")
    require(
        bool((limits[:, 0] <= limits[:, 1]).all()), "controls", limits.tolist(), "must be pairs (low, high)"
    )
    require(root.ndim == 1 and bool(np.isfinite(root).all()), "start", root.tolist(), "must be finite")
    require(dt > 0, "dt", dt, "must be positive")
    require(tolerance > 0, "tolerance", tolerance, "must be positive")
    for name in ("low", "high", *(["weights"] if space.weights is not None else [])):
        shape = np.shape(getattr(space, name))
        require(shape == root.shape, f"space, {name}", shape, f"must be of shape {root.shape}")
    require(bool(space.numbers()[0].any()), "space, weights", space.weights, "must not all be zero")
    search = _Search(step, root, goal, limits, space, valid, tolerance, dt, seed, options or PlanOptions())
    search.run(seconds, improve)
    return search.answer()


class _Search:
    """A tree that grows round by round, and the best motion found so far."""

    def __init__(
        self,
        step: Step,
        root: Array,
        goal: Sequence[float] | Array | Test,
        limits: Array,
        space: Space,
        valid: Test | None,
        tolerance: float,
        dt: float,
        seed: int,
        options: PlanOptions,
    ):
        self.limits, self.dt, self.options = limits, dt, options
        self.space, self.numbers = space, space.numbers()
        self.low, self.high = np.array(space.low, dtype=float), np.array(space.high, dtype=float)
        self.random = generator(seed, "plan")
        self.tolerance, self.capture = tolerance, max(options.capture or 0.0, tolerance)
        self.aim = None if callable(goal) else np.array(goal, dtype=float)
        if self.aim is not None:
            require(self.aim.shape == root.shape, "goal", self.aim.shape, f"must be of shape {root.shape}")
            counts = np.isfinite(self.aim[self.numbers[0] != 0])
            require(bool(counts.any()), "goal", self.aim.tolist(), "says nothing of columns that count")
        self.target = np.zeros(0) if self.aim is None else space.embed(self.aim[None])[0]
        extent = self._extent()
        coarse = options.cell or COARSE * float(np.sqrt((extent * extent).sum()))
        self.cell = np.maximum(np.minimum(coarse, extent / FEWEST), 1e-9)
        self.model = Model.of(step, valid, goal if callable(goal) else None, root, limits[:, 0], dt)
        require(bool(self.model.fine(root[None])[0]), "start", root.tolist(), "is not a valid state")
        self.tree = branches.sprout(root, space.embed(root[None])[0], len(limits))
        self.indexed, self.indexed_bound, self.rate = 1, np.inf, np.full(1, 1e-9)
        self.best: Way | None = None
        self.challenger: Way | None = None
        self.patience = self.stale = 0  # attempts that the challenger has left, that failed on the best
        self.tried: set[int] = set()  # nodes half-way of motions that challenged
        self.effort = {"branches": 0, "steps": 0, "first_seconds": np.nan, "first_cost": np.nan}
        aim = None if self.aim is None else self.target
        self.workshop = Workshop(
            self.model, self._there, space.embed, limits, dt, aim, generator(seed, "shorten")
        )

    def run(self, seconds: float, improve: bool) -> None:
        """Grow until there is a motion, or improve it until the time is up."""
        self._round()  # compiles what is not compiled yet, which does not count
        began = time.perf_counter()
        most = self.options.iterations or np.inf
        while time.perf_counter() - began < seconds and self.effort["branches"] < most:
            if self.best is not None and not improve:
                break
            if self.best is not None and self.workshop.steps < self._mending() * self.effort["steps"]:
                self._mend()
                continue
            self._round()
            if self.tree.tally[BEST] >= 0:
                self._take(int(self.tree.tally[BEST]))
                if self.best is not None and np.isnan(self.effort["first_cost"]):
                    self.effort["first_seconds"] = time.perf_counter() - began
                    self.effort["first_cost"] = len(self.best) * self.dt
        self.seconds = time.perf_counter() - began

    def _take(self, node: int) -> None:
        """A node at the goal, or within its capture: the motion to it, if it can be made to end there,
        becomes the best one, or its challenger if it takes another way than those before."""
        self.tree.tally[BEST] = -1
        line = branches.lineage(self.tree, node)
        middle = line[len(line) // 2]
        if self.challenger is not None or (self.best is not None and middle in self.tried):
            return
        found = self._way(line)
        way = self.workshop.close(found) if self.capture > self.tolerance else found
        self.tried.add(middle)
        if way is None:
            return
        if self.best is None:
            self.best = way
        else:
            self.challenger = way
        self.patience = PATIENCE

    def _mending(self) -> float:
        """Steps to mend with for each one to grow; few once the best motion does not get shorter."""
        return MENDING if self.challenger is not None or self.stale < STALE else 0.1 * MENDING

    def _mend(self) -> None:
        """Shorten the challenger for a while, or the best motion."""
        assert self.best is not None
        if self.challenger is None:
            shorter = self.workshop.shorten(self.best)
            self.best, self.stale = (shorter, 0) if shorter else (self.best, self.stale + 1)
            return
        shorter = self.workshop.shorten(self.challenger)
        self.patience = PATIENCE if shorter else self.patience - 1
        self.challenger = shorter or self.challenger
        if len(self.challenger) < len(self.best):
            self.best, self.challenger, self.stale = self.challenger, None, 0
        elif self.patience == 0:
            self.challenger = None

    def _round(self) -> None:
        """Grow a batch of branches."""
        tree, options = self.tree, self.options
        count = int(tree.tally[COUNT])
        bound = np.inf if self.best is None else HOPE * len(self.best) * self.dt
        if count > 2 * self.indexed or self._crowded() or bound < 0.9 * self.indexed_bound:
            branches.index(tree, self.random.permutation(count), self.cell, bound)
            self.indexed, self.indexed_bound = count, bound
        n = int(np.clip(count // 8, LEAST, MOST))
        if count + n * options.tries > len(tree.parent):
            self.tree = tree = branches.grown(tree)
            branches.index(tree, self.random.permutation(count), self.cell, bound)
        sources, wanted = self._pick(n)
        many, c, d = n * options.tries, len(self.limits), tree.states.shape[1]
        now, given, lengths = np.empty((many, d)), np.empty((many, c)), np.empty(many, dtype=np.int64)
        uniform = self.random.random((many, c + 1))
        branches.begin(tree, sources, uniform, self.limits, options.hold, now, given, lengths)
        controls, who, ends = given.copy(), np.arange(many), np.empty((many, d))
        taken, outcome = np.zeros(many, dtype=np.int64), np.zeros(many, dtype=np.int64)
        model = self.model
        self.effort["steps"] += model.hold(
            model.step, model.fine, model.goal, self.target, *self.numbers, self.capture, self.dt,
            now, given, who, lengths, ends, taken, outcome,
        )  # fmt: skip
        self.effort["branches"] += many
        branches.settle(
            tree, sources, wanted, controls, ends, taken, outcome, self.dt, self.cell, bound,
            self.target, self.rate, *self.numbers,
        )  # fmt: skip

    def _pick(self, n: int) -> tuple[Array, Array]:
        """Nodes (n,) to grow, and points (n, e) to grow towards."""
        samples = self.random.uniform(self.low, self.high, (n, len(self.low)))
        if self.aim is not None:
            aimed = self.random.random(n) < self.options.goal_bias
            samples = np.where(aimed[:, None] & ~np.isnan(self.aim), self.aim, samples)
        if self.best is not None:  # about the best motion
            near = self.random.random(n) < NEARBY
            on = self.best.states[self.random.integers(0, len(self.best.states), n)]
            samples = np.where(near[:, None], on + 0.1 * (samples - on), samples)
        wanted, sources = points_of(samples, *self.numbers), np.empty(n, dtype=np.int64)
        if self.options.planner == "bgt":
            branches.pick_balanced(self.tree, self.random.random((n, DRAWS)), self._balance(n), sources)
        else:
            radius = 0.0 if self.best is None else 1.5 * float(self.cell.max())
            branches.pick_near(self.tree, wanted, radius, sources)
        return sources, wanted

    def _balance(self, n: int) -> Array:
        """(n,) depth over branching that each pick is to bring about: the one asked for, or any between one
        and twice the tree's depth, so that growth in depth and in breadth both go on."""
        if self.options.mu is not None:
            return np.full(n, self.options.mu)
        deepest = 2.0 * max(int(self.tree.depth[: self.tree.tally[COUNT]].max()), 1)
        return np.asarray(deepest ** self.random.random(n))

    def _crowded(self) -> bool:
        """Whether most new nodes fall into cells that are taken; then cells become smaller."""
        tally = self.tree.tally
        crowded = tally[DROPPED] > max(CROWDED / (1 - CROWDED) * tally[ADDED], 1000)
        if tally[DROPPED] + tally[ADDED] > 20_000 or crowded:
            tally[DROPPED] = tally[ADDED] = 0
        if crowded:
            self.cell *= 0.8
        return bool(crowded)

    def _extent(self) -> Array:
        """(e,) of the space, in its own distance."""
        weights, turning = self.numbers
        wide = weights * np.where(turning, 2.0, self.high - self.low)
        return np.repeat(wide, np.where(turning, 2, 1))[np.repeat(weights != 0, np.where(turning, 2, 1))]

    def _there(self, states: Array) -> Array:
        if len(self.target):
            return close(states, self.target, *self.numbers, self.tolerance)
        return self.model.goal(states)

    def _way(self, line: list[int]) -> Way:
        """The motion along nodes from the root on, step by step."""
        states, given = [self.tree.states[0].copy()], []
        for k in line:
            for _ in range(self.tree.steps[k]):
                given.append(self.tree.controls[k].copy())
                states.append(self.model.step(states[-1][None], given[-1][None], self.dt)[0])
        return Way(np.array(given).reshape(-1, len(self.limits)), np.array(states))

    def answer(self) -> Plan:
        d, c = self.tree.states.shape[1], len(self.limits)
        columns = tuple(self.space.columns) or tuple(f"state {k}" for k in range(d))
        names = tuple(f"control {k}" for k in range(c))
        stats = {"seconds": self.seconds, "nodes": int(self.tree.tally[COUNT]), **self.effort}
        if self.best is None:
            empty = np.zeros((0, d))
            return Plan(
                Status.UNFINISHED, np.zeros(0), empty, columns, np.zeros((0, c)), names, np.nan, stats
            )
        times = self.dt * np.arange(len(self.best.states))
        return Plan(
            Status.SOLVED,
            times,
            self.best.states,
            columns,
            self.best.controls,
            names,
            float(times[-1]),
            stats,
        )
