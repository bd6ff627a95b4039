"""Planning over anybody's model: a function that steps states by controls, no skills and no engine needed.

    plan = swerve.plan(step, start, goal, valid=valid, controls=[(-0.5, 0.5), (-0.5, 0.5)], ...)

`step(states (b, d), controls (b, c), dt)` gives states (b, d). `valid(states)` gives (b,) booleans. `goal`
is a state to come within `tolerance` of, or a function of states that gives (b,) booleans. Written with
NumPy, or with Numba for speed: then they are called as they are, compiled.

The planner is a kinodynamic RRT that improves: many nodes grow at once, each by a random control held for a
random time, the best of a few towards its sample (or goal); a node is dropped where a cheaper one is
already in its cell of the state space (the idea of SST, Li et al. 2016), so that going on makes the plan
shorter.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.errors import require
from swerve.core.plan import Plan, Status
from swerve.core.seeding import generator

Array = np.ndarray
Step = Callable[[Array, Array, float], Array]
Test = Callable[[Array], Array]


@dataclass(frozen=True)
class Space:
    """What states mean: `low`, `high` (d,) are where samples are drawn; `weights` (d,) say what a unit
    counts in the distance; `angles` are the columns that wrap; `columns` their names."""

    low: Sequence[float]
    high: Sequence[float]
    weights: Sequence[float] | None = None
    angles: Sequence[int] = ()
    columns: Sequence[str] = ()

    def embed(self, states: Array) -> Array:
        """Points whose Euclidean distances are those of the states; angles lie on circles."""
        weights = np.ones(states.shape[1]) if self.weights is None else np.asarray(self.weights, float)
        flat = [k for k in range(states.shape[1]) if k not in self.angles]
        parts = [states[:, flat] * weights[flat]]
        for k in self.angles:
            parts += [weights[k] * np.cos(states[:, k : k + 1]), weights[k] * np.sin(states[:, k : k + 1])]
        return np.hstack(parts)


@dataclass
class _Nodes:
    """The tree, growing."""

    states: Array
    controls: Array
    parent: Array
    cost: Array
    steps: Array
    count: int = 1
    cells: dict[tuple[int, ...], int] = field(default_factory=dict)


def plan(
    step: Step,
    start: Sequence[float] | Array,
    goal: Sequence[float] | Array | Test,
    *,
    controls: Sequence[tuple[float, float]],
    space: Space,
    valid: Test | None = None,
    tolerance: float = 0.1,
    dt: float = 0.1,
    hold: tuple[int, int] = (1, 10),
    cell: float = 0.1,
    batch: int = 64,
    tries: int = 4,
    goal_bias: float = 0.1,
    seconds: float = 10.0,
    improve: bool = False,
    seed: int = 0,
) -> Plan:
    """A motion from `start` to `goal` by controls within their ranges [(low, high), …].

    Each control is held for `hold` steps of `dt`. The first motion found is returned, or with `improve`
    the shortest found in `seconds`.

    >>> def slide(states, controls, dt):
    ...     return np.column_stack([states[:, 0] + states[:, 1] * dt, states[:, 1] + controls[:, 0] * dt])
    >>> found = plan(slide, [0, 0], [1, 0], controls=[(-1, 1)], space=Space([-1, -1], [2, 1]), seconds=5)
    >>> found.solved
    True
    """
    root = np.asarray(start, dtype=float)
    limits = np.asarray(controls, dtype=float)
    require(limits.ndim == 2 and limits.shape[1] == 2, "controls", limits.shape, "must be pairs (low, high)")
    require(
        bool((limits[:, 0] <= limits[:, 1]).all()), "controls", limits.tolist(), "must be pairs (low, high)"
    )
    require(bool(np.isfinite(root).all()), "start", root.tolist(), "must be finite")
    require(1 <= hold[0] <= hold[1], "hold", hold, "must be a range of steps, at least one")
    low, high = np.asarray(space.low, float), np.asarray(space.high, float)
    require(low.shape == high.shape == root.shape, "space", low.shape, f"must be of shape {root.shape}")
    aim = None if callable(goal) else np.asarray(goal, dtype=float)[None]
    if aim is not None:
        require(aim.shape[1:] == root.shape, "goal", aim.shape[1:], f"must be of shape {root.shape}")
    free: Test = valid if valid is not None else lambda states: np.ones(len(states), dtype=bool)
    require(bool(free(root[None])[0]), "start", root.tolist(), "is not a valid state")

    def reached(states: Array) -> Array:
        if aim is None:
            return np.asarray(goal(states), dtype=bool)  # type: ignore[operator]
        off = space.embed(states) - space.embed(aim)
        return np.asarray(np.sqrt((off * off).sum(axis=1)) <= tolerance)

    random = generator(seed, "plan")
    began = time.perf_counter()
    d, c = len(root), len(limits)
    nodes = _Nodes(
        np.empty((4096, d)), np.empty((4096, c)), np.full(4096, -1), np.zeros(4096), np.zeros(4096, dtype=int)
    )
    nodes.states[0] = root
    points = space.embed(root[None])
    tree, best, best_cost, rounds, expansions = cKDTree(points), -1, np.inf, 0, 0
    indexed = 1
    while time.perf_counter() - began < seconds and (improve or best < 0):
        rounds += 1
        if nodes.count > 1.2 * indexed or rounds == 1:
            points = space.embed(nodes.states[: nodes.count])
            tree, indexed = cKDTree(points), nodes.count
        samples = random.uniform(low, high, (batch, d))
        if aim is not None:
            samples = np.where(random.uniform(size=(batch, 1)) < goal_bias, aim, samples)
        wanted = space.embed(samples)
        _, near = tree.query(wanted, k=min(8, indexed))
        near = near.reshape(batch, -1)
        cheap = np.argmin(nodes.cost[near], axis=1) if improve and best >= 0 else np.zeros(batch, dtype=int)
        sources = near[np.arange(batch), cheap]
        spread = np.repeat(sources, tries)
        given = random.uniform(limits[:, 0], limits[:, 1], (batch * tries, c))
        lengths = random.integers(hold[0], hold[1] + 1, batch * tries)
        ends, alive, taken = _hold(step, free, reached, nodes.states[spread], given, lengths, dt)
        expansions += int(taken.sum())
        off = space.embed(ends) - np.repeat(wanted, tries, axis=0)
        far = np.where(alive, (off * off).sum(axis=1), np.inf).reshape(batch, tries)
        chosen = np.argmin(far, axis=1) + tries * np.arange(batch)
        done = reached(ends) & alive
        chosen = np.union1d(chosen[np.isfinite(far.min(axis=1))], np.flatnonzero(done))
        for k in chosen:
            cost = nodes.cost[spread[k]] + taken[k] * dt
            if cost >= best_cost:
                continue
            key = tuple(np.floor(space.embed(ends[k : k + 1])[0] / cell).astype(int).tolist())
            held = nodes.cells.get(key)
            if held is not None and nodes.cost[held] <= cost and not done[k]:
                continue
            node = _add(nodes, int(spread[k]), ends[k], given[k], int(taken[k]), cost)
            nodes.cells[key] = node
            if done[k]:
                best, best_cost = node, cost
    return _answer(nodes, best, step, dt, space, c, time.perf_counter() - began, expansions)


def _hold(
    step: Step, free: Test, reached: Test, states: Array, controls: Array, lengths: Array, dt: float
) -> tuple[Array, Array, Array]:
    """Ends of held controls, whether each stayed valid, and how many steps it took; a goal ends it early."""
    states, alive, taken = states.copy(), np.ones(len(states), dtype=bool), np.zeros(len(states), dtype=int)
    going = np.arange(len(states))
    while len(going):
        after = np.asarray(step(states[going], controls[going], dt), dtype=float)
        fine = np.asarray(free(after), dtype=bool) & np.isfinite(after).all(axis=1)
        alive[going[~fine]] = False
        states[going[fine]] = after[fine]
        taken[going] += 1
        there = reached(after) & fine
        going = going[fine & ~there & (taken[going] < lengths[going])]
    return states, alive, taken


def _add(nodes: _Nodes, parent: int, state: Array, control: Array, steps: int, cost: float) -> int:
    if nodes.count == len(nodes.states):
        for name in ("states", "controls", "parent", "cost", "steps"):
            old = getattr(nodes, name)
            setattr(nodes, name, np.concatenate([old, np.empty_like(old)]))
    node = nodes.count
    nodes.states[node], nodes.controls[node] = state, control
    nodes.parent[node], nodes.cost[node], nodes.steps[node] = parent, cost, steps
    nodes.count += 1
    return node


def _answer(
    nodes: _Nodes, best: int, step: Step, dt: float, space: Space, c: int, seconds: float, expansions: int
) -> Plan:
    """The way to the best node, step by step."""
    columns = tuple(space.columns) or tuple(f"state {k}" for k in range(nodes.states.shape[1]))
    names = tuple(f"control {k}" for k in range(c))
    stats = {"seconds": seconds, "nodes": nodes.count, "iterations": expansions}
    if best < 0:
        empty = np.zeros((0, len(columns)))
        return Plan(Status.UNFINISHED, np.zeros(0), empty, columns, np.zeros((0, c)), names, np.nan, stats)
    way = []
    while best >= 0:
        way.append(best)
        best = int(nodes.parent[best])
    states, given = [nodes.states[0]], []
    for node in way[-2::-1]:
        for _ in range(nodes.steps[node]):
            given.append(nodes.controls[node])
            states.append(np.asarray(step(states[-1][None], given[-1][None], dt), dtype=float)[0])
    times = dt * np.arange(len(states))
    return Plan(
        Status.SOLVED,
        times,
        np.array(states),
        columns,
        np.array(given).reshape(-1, c),
        names,
        times[-1],
        stats,
    )
