"""Planning over anybody's model: a function that steps states by controls, no skills and no engine needed.

    plan = swerve.plan(step, start, goal, valid=valid, controls=[(-0.5, 0.5), (-0.5, 0.5)], ...)

`step(states (b, d), controls (b, c), dt)` gives states (b, d). `valid(states)` gives (b,) booleans. `goal`
is a state to come within `tolerance` of, NaN in columns that do not matter, or a function of states that
gives (b,) booleans. All are written with NumPy, or with Numba for speed. Instead of a function, `step` may be
a `Mechanism`: any MJCF model.

Many branches grow at once, each by a random control held for a random time. `sparse` grows nodes where a
coarse grid over two coordinates holds the fewest; `rrt` the node that is nearest to a sampled state, by the
best of a few tries towards it; `bgt` leaves or inner nodes so that depth over branching stays at μ, which
adapts where none is given. A cell of the state space keeps its
cheapest node only (`branches`). With `improve` the search goes on for shorter motions; the best one, and
others that take another way, are cut and repaired in between (`shorten`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from swerve.core.errors import require
from swerve.core.plan import Plan, Status
from swerve.core.seeding import generator

from . import branches, field
from .branches import BEST, COUNT, INDEXED
from .detours import LARGEST, SHARE, Detours
from .growth import LARGE, SMALL, Known, Rules
from .mechanism import Mechanism
from .points import close, points_of
from .rollout import Array, Model, Step, Test
from .shorten import Way, Workshop
from .space import Space

PLANNERS = ("sparse", "rrt", "bgt")
SHORT = 5e-3  # [s] that a compiled model's rounds should take, so that the clock is looked at now and then
MOST_ROUNDS = 4096  # at a time, however quick they are
IMPROVING = 4  # rounds of a compiled model between two motions that are mended
ENDLESS = 1 << 62  # branches
LOOK = 4.0  # steps, like the last one of a branch, after which its end counts to a square of that grid
SQUARES, AXES = 30, 2  # along an axis of the grid that tells where the tree is sparse; axes at most
COARSE = 0.03  # first size of a cell, as a share of the space's diagonal
FEWEST = 6  # cells at least along each column, so that none is left out of account
MENDING = 10  # steps of a model to mend motions with, for each one to grow the tree
HOPE = 1.4  # times the best motion's cost that others may have before they are mended
STALE = 40  # attempts in a row that fail before the best motion is mostly left alone
PATIENCE = 12  # attempts in a row that fail before a challenger is given up


@dataclass(frozen=True)
class PlanOptions:
    """How to grow. Each control is held for `hold` steps, and `tries` of them are made for a branch.

    `cell` is the size at which two states count as the same one, in the space's distance, and shrinks as the
    space fills; `capture` the distance to the goal from which a motion is bent to end within its tolerance.
    What is None is chosen. After `iterations` branches the search ends, however fast the machine.
    """

    planner: str | None = None  # sparse, rrt or bgt; none: sparse for a first motion, rrt to improve one
    mu: float | None = None  # of bgt: depth over branching; none adapts to the depth of the tree
    hold: tuple[int, int] = (1, 10)
    tries: int = 1
    cell: float | None = None
    capture: float | None = None
    goal_bias: float = 0.1
    iterations: int | None = None

    def __post_init__(self) -> None:
        known = self.planner is None or self.planner in PLANNERS
        require(known, "planner", self.planner, f"must be one of {', '.join(PLANNERS)}")
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
    require(0 < dt < np.inf, "dt", dt, "must be positive and finite")
    require(tolerance > 0, "tolerance", tolerance, "must be positive")
    require(bool(np.isfinite(limits).all()), "controls", limits.tolist(), "must be finite")
    require(seconds > 0, "seconds", seconds, "must be positive")
    space.check(len(root))
    options = options or PlanOptions()
    if options.planner is None:
        options = replace(options, planner="rrt" if improve else "sparse")
    search = _Search(step, root, goal, limits, space, valid, tolerance, dt, seed, options)
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
        self.tolerance, self.capture = tolerance, max(options.capture or 0.0, tolerance)
        state = np.zeros(0) if callable(goal) else np.array(goal, dtype=float)
        if not callable(goal):
            require(state.shape == root.shape, "goal", state.shape, f"must be of shape {root.shape}")
            require(
                not np.isinf(state).any(), "goal", state.tolist(), "must be finite, or NaN where any will do"
            )
            counts = np.isfinite(state[self.numbers[0] != 0])
            require(bool(counts.any()), "goal", state.tolist(), "says nothing of columns that count")
        self.target = np.zeros(0) if callable(goal) else points_of(state[None], *self.numbers)[0]
        self.model = Model.of(step, valid, goal if callable(goal) else None, root, limits[:, 0], dt)
        require(bool(self.model.fine(root[None])[0]), "start", root.tolist(), "is not a valid state")
        low, high = (np.array(side, dtype=float) for side in (space.low, space.high))
        extent = self._extent(low, high)
        coarse = options.cell or COARSE * float(np.sqrt((extent * extent).sum()))
        self.rules = Rules(
            PLANNERS.index(options.planner or PLANNERS[0]),
            options.mu or 0.0,
            options.tries,
            SMALL if self.model.compiled else LARGE,
            options.hold,
            limits,
            low,
            high,
            state,
            options.goal_bias,
            self.target,
            *self.numbers,
            self.capture,
            dt,
            LOOK,
            cell=np.maximum(np.minimum(coarse, extent / FEWEST), 1e-9),
            rate=np.full(1, 1e-9),
            chance=generator(seed, "plan").integers(0, 1 << 64, 1, dtype=np.uint64),
        )
        point, grid = points_of(root[None], *self.numbers)[0], self._grid(extent)
        self.tree = branches.sprout(root, point, len(limits), grid)
        free = field.look(self.model.fine, self.tree, self.rules)
        rules = self.rules._replace(way=PLANNERS.index("sparse"), cell=self.rules.cell.copy())
        self.detours = Detours(free, lambda: branches.sprout(root, point, len(limits), grid), rules)
        self.indexed_bound, self.rounds = np.inf, 1  # of the index, and how many to grow before the next look
        self.best: Way | None = None
        self.challenger: Way | None = None
        self.patience = self.stale = 0  # attempts that the challenger has left, that failed on the best
        self.tried: set[int] = set()  # nodes half-way of motions that challenged
        self.effort = {"branches": 0, "steps": 0, "first_seconds": np.nan, "first_cost": np.nan}
        aim = None if callable(goal) else self.target
        self.workshop = Workshop(self.model, self._there, space.embed, limits, dt, aim, seed)

    def run(self, seconds: float, improve: bool) -> None:
        """Grow until there is a motion, or improve it until the time is up."""
        self._round()  # compiles what is not compiled yet, which does not count
        began = time.perf_counter()
        most = self.options.iterations or np.inf
        while time.perf_counter() - began < seconds and self.effort["branches"] < most:
            if self.best is not None and not improve:
                break
            if self.best is not None and self._scouts():
                continue
            if self.best is not None and self.workshop.steps < self._mending() * self.effort["steps"]:
                self._mend()
                continue
            self._round()
            if self.tree.tally[BEST] >= 0:
                self._take(self.tree, int(self.tree.tally[BEST]))
                if self.best is not None and np.isnan(self.effort["first_cost"]):
                    self.effort["first_seconds"] = time.perf_counter() - began
                    self.effort["first_cost"] = len(self.best) * self.dt
        self.seconds = time.perf_counter() - began

    def _take(self, tree: branches.Branches, node: int) -> None:
        """A node at the goal, or within its capture: the motion to it, if it can be made to end there,
        becomes the best one, or its challenger if it takes another way than those before."""
        tree.tally[BEST] = -1
        line = branches.lineage(tree, node)
        middle = line[len(line) // 2]
        known = self.best is not None and tree is self.tree and middle in self.tried
        if self.challenger is not None or known:
            return
        found = self._way(tree, line)
        way = self.workshop.close(found) if self.capture > self.tolerance else found
        if tree is self.tree:
            self.tried.add(middle)
        if way is None:
            return
        if self.best is None:
            self.best = way
        else:
            self.challenger = way
        self.patience = PATIENCE

    def _scouts(self) -> bool:
        """Look for another way round than the best motion's, if it is time to: some rounds of a tree that
        grows where it has to go then. What it finds is the challenger."""
        detours = self.detours
        spent = self.effort["steps"] + self.workshop.steps
        if detours.over or self.challenger is not None or detours.steps > SHARE * spent:
            return False
        assert self.best is not None
        tree = detours.tree
        if tree is None:
            if not detours.bars and not detours.exhausted:
                detours.bar(self.best.states)
            tree = detours.set_out(self.best.states, len(self.best) * self.dt)
        if int(tree.tally[COUNT]) + self.rules.width[1] * self.options.tries > len(tree.parent):
            tree = detours.tree = branches.grown(tree)
        if tree.tally[INDEXED] == 0:
            branches.index(tree, detours.rules.cell, np.inf, detours.rules.chance)
        bound = HOPE * len(self.best) * self.dt if detours.exhausted else np.inf
        known = Known(bound, 0.0, tree.states[:0])
        made, steps = self.model.grow(tree, detours.rules, known, self._at_once(), self._left())
        self.effort["branches"] += made
        detours.steps += steps
        if tree.tally[BEST] >= 0:
            self._take(tree, int(tree.tally[BEST]))
            if self.challenger is not None:
                if not detours.exhausted:
                    detours.bar(self.challenger.states)
                detours.tree = None
        elif tree.tally[COUNT] > LARGEST:
            detours.tree, detours.exhausted = None, True
        return True

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
            beaten = self.best if self.stale < STALE else None  # it may still get shorter
            self.best, self.challenger, self.stale = self.challenger, beaten, 0
            self.patience = PATIENCE
        elif self.patience == 0:
            self.challenger = None

    def _round(self) -> None:
        """Grow a round of branches, or where the model is compiled and there is no motion yet several."""
        tree, options, best = self.tree, self.options, self.best
        bound, radius, about = np.inf, 0.0, self.tree.states[:0]
        if best is not None:
            bound, radius, about = HOPE * len(best) * self.dt, 1.5 * float(self.rules.cell.max()), best.states
        if int(tree.tally[COUNT]) + self.rules.width[1] * options.tries > len(tree.parent):
            self.tree = tree = branches.grown(tree)
        if bound < 0.9 * self.indexed_bound or tree.tally[INDEXED] == 0:
            branches.index(tree, self.rules.cell, bound, self.rules.chance)
            self.indexed_bound = bound
        rounds = self._at_once()
        began = time.perf_counter()
        made, steps = self.model.grow(tree, self.rules, Known(bound, radius, about), rounds, self._left())
        quick = time.perf_counter() - began < SHORT / 4
        self.rounds = min(rounds * 4, MOST_ROUNDS) if quick else max(rounds // 4, 1)
        self.effort["branches"] += made
        self.effort["steps"] += steps

    def _at_once(self) -> int:
        """Rounds to make before the next look."""
        if not self.model.compiled:
            return 1
        return self.rounds if self.best is None else IMPROVING

    def _left(self) -> int:
        """Branches that may still be tried."""
        most = self.options.iterations
        return ENDLESS if most is None else most - int(self.effort["branches"])

    def _grid(self, extent: Array) -> branches.Grid:
        """Over the coordinates that reach furthest."""
        weights, turning = self.numbers
        low = np.where(turning, -1.0, self.rules.low) * weights
        corner = np.repeat(low, np.where(turning, 2, 1))[np.repeat(weights != 0, np.where(turning, 2, 1))]
        axes = np.argsort(-extent, kind="stable")[:AXES]
        return branches.Grid(axes, corner[axes], corner[axes] + extent[axes], SQUARES)

    def _extent(self, low: Array, high: Array) -> Array:
        """(e,) of the space, in its own distance."""
        weights, turning = self.numbers
        wide = weights * np.where(turning, 2.0, high - low)
        return np.repeat(wide, np.where(turning, 2, 1))[np.repeat(weights != 0, np.where(turning, 2, 1))]

    def _there(self, states: Array) -> Array:
        if len(self.target):
            return close(states, self.target, *self.numbers, self.tolerance)
        return self.model.goal(states)

    def _way(self, tree: branches.Branches, line: list[int]) -> Way:
        """The motion along nodes from the root on, step by step."""
        given = np.repeat(tree.controls[line], tree.steps[line], axis=0)
        rows = self.model.roll(self.model.step, tree.states[:1].copy(), given[:, None].copy(), self.dt)
        return Way(given, rows[:, 0].copy())

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
