"""Rounds of branches of `swerve.plan`: sample points, pick nodes, hold controls, add what came of it.

`grow` is written once: it runs in Python where a user's functions are NumPy's, and is compiled as a whole
where they are Numba's. Whatever is random comes from one stream, so a tree does not depend on how many rounds
are made at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from swerve.core.kernels import NO, YES, inlined, kernel

from .adding import add, tidy
from .branches import BEST, COUNT, Branches, square_of, weigh
from .chance import uniform
from .picks import pick_balanced, pick_near, pick_sparse
from .points import embed

Array = np.ndarray
Step = Callable[[Array, Array, float], Array]
Test = Callable[[Array], Array]
SPARSE, NEAR, BALANCED = range(3)  # ways to pick, in the order of `kinodynamic.PLANNERS`
# Branches of a round: at least, at most, and so many nodes for each in between
SMALL = (8, 64, 48)  # where the whole loop is compiled
LARGE = (32, 256, 8)  # where a round is made in Python, which takes as long for many as for one
HARDER, HARDEST = 1.25, 1000.0  # by a branch that fails, and at most, is a square shunned


class Rules(NamedTuple):
    """What holds for every branch of a search; `cell`, `rate` and `chance` change as it goes on."""

    way: int  # to pick
    mu: float  # of balanced growth; 0 adapts
    tries: int  # of each branch
    width: tuple[int, int, int]  # of a round
    hold: tuple[int, int]  # [steps] of a control
    limits: Array  # (c, 2) of controls
    low: Array  # (d,) of samples
    high: Array
    goal: Array  # (d,) as a state, not a number in columns that do not matter; empty where it is a test
    goal_bias: float
    aim: Array  # (e,) as a point
    weights: Array
    turning: Array
    tolerance: float
    dt: float
    look: float
    cell: Array  # (e,) sizes of cells
    rate: Array  # (1,) the fastest that any state was seen to change
    chance: Array  # (1,) the stream of random numbers


def grow(
    step: Step,
    clear: Callable[[Array, Array], Array],
    goal: Test,
    hold: Callable[..., int],
    tree: Branches,
    rules: Rules,
    bound: float,
    rounds: int,
    most: int,
) -> tuple[int, int]:
    """Rounds of branches, at most so many, until a motion reaches the goal, the tree is full, or `most`
    branches were tried; motions that take `bound` [s] are left out. Gives how many branches and steps."""
    steps = branches = 0
    tries, d, c = rules.tries, tree.states.shape[1], rules.limits.shape[0]
    least, widest, nodes = rules.width
    room = widest * tries
    points, picked = np.empty((widest, tree.points.shape[1])), np.empty(widest, dtype=np.int64)
    starts, wished, ended = np.empty((room, d)), np.empty((room, c)), np.empty((room, d))
    before = np.empty((room, d))
    numbers = np.empty((4, room), dtype=np.int64)
    for _ in range(rounds):
        count = tree.tally[COUNT]
        b = min(max(count // nodes, least), widest)
        n = b * tries
        if tree.tally[BEST] >= 0 or count + room > len(tree.parent) or branches >= most:
            break
        tidy(tree, rules.cell, bound, rules.chance)
        wanted, sources = points[:b], picked[:b]
        sample(rules, wanted)
        if rules.way == BALANCED:
            pick_balanced(tree, rules.mu, rules.chance, sources)
        elif rules.way == SPARSE:
            pick_sparse(tree, wanted, rules.chance, sources)
        else:
            pick_near(tree, wanted, sources)
        now, given, ends = starts[:n], wished[:n], ended[:n]
        who, lengths, taken, outcome = numbers[0, :n], numbers[1, :n], numbers[2, :n], numbers[3, :n]
        begin(tree, sources, rules, now, given, who, lengths, taken, outcome)
        controls = given.copy()
        steps += hold(
            step, clear, goal, rules.aim, rules.weights, rules.turning, rules.tolerance, rules.dt,
            now, given, who, lengths, ends, before[:n], taken, outcome,
        )  # fmt: skip
        settle(tree, sources, wanted, controls, ends, before[:n], taken, outcome, rules, bound)
        branches += n
    return branches, steps


@kernel
def sample(rules: Rules, wanted: Array) -> None:
    """Points (b, e) to grow towards: of the whole space, or of the goal."""
    d = len(rules.low)
    state = np.empty((1, d))
    for k in range(len(wanted)):
        aimed = len(rules.goal) > 0 and uniform(rules.chance) < rules.goal_bias
        for i in range(d):
            state[0, i] = rules.low[i] + uniform(rules.chance) * (rules.high[i] - rules.low[i])
            if aimed and not np.isnan(rules.goal[i]):
                state[0, i] = rules.goal[i]
        embed(state, 0, rules.weights, rules.turning, wanted[k])


@kernel
def begin(
    tree: Branches,
    sources: Array,
    rules: Rules,
    now: Array,
    given: Array,
    who: Array,
    lengths: Array,
    taken: Array,
    outcome: Array,
) -> None:
    """What the tries start with: states, controls (a third of them at a limit) and numbers of steps."""
    tries, limits, hold = rules.tries, rules.limits, rules.hold
    for k in range(len(now)):
        for i in range(now.shape[1]):
            now[k, i] = tree.states[sources[k // tries], i]
        for i in range(len(limits)):
            share = min(max(1.5 * uniform(rules.chance) - 0.25, 0.0), 1.0)
            given[k, i] = limits[i, 0] + share * (limits[i, 1] - limits[i, 0])
        lengths[k] = hold[0] + int(uniform(rules.chance) * (hold[1] - hold[0] + 1))
        who[k], taken[k], outcome[k] = k, 0, 0


@inlined
def advance(
    after: Array,
    fine: Array,
    there: Array,
    now: Array,
    given: Array,
    who: Array,
    lengths: Array,
    ends: Array,
    lasts: Array,
    taken: Array,
    outcome: Array,
) -> int:
    """Take one step's results in: keep those that go on at the front of now, given, who; gives their number.

    `ends` (b, d), `taken` (b,), `outcome` (b,) are by try: -1 ran into something, 0 lived, 1 is at the goal.
    What runs into something in the second half of its time ends at the first half's end.
    """
    going = 0
    for k in range(len(after)):
        tried = who[k]
        good = fine[k]
        for i in range(after.shape[1]):
            good = good and np.isfinite(after[k, i])
        half = lengths[tried] // 2
        if not good:
            outcome[tried] = 0 if taken[tried] >= half > 0 else -1
            taken[tried] = min(taken[tried], half)
            continue
        taken[tried] += 1
        if there[k] or taken[tried] <= half or lengths[tried] == taken[tried]:
            for i in range(after.shape[1]):
                ends[tried, i] = after[k, i]
                lasts[tried, i] = now[k, i]
        if there[k]:
            outcome[tried] = 1
        elif taken[tried] < lengths[tried]:
            for i in range(after.shape[1]):
                now[going, i] = after[k, i]
            for i in range(given.shape[1]):
                given[going, i] = given[k, i]
            who[going] = tried
            going += 1
    return going


@kernel
def settle(
    tree: Branches,
    sources: Array,
    wanted: Array,
    controls: Array,
    ends: Array,
    lasts: Array,
    taken: Array,
    outcome: Array,
    rules: Rules,
    bound: float,
) -> None:
    """Add of each source's tries the one that came nearest to what was wanted, and all that reached the goal.

    Dropped are nodes whose cell holds a cheaper one, and those that cannot beat `bound` [s]: the aim is
    further off than what is left of it allows at the fastest rate that was seen.
    """
    tries, dt, aim, rate, cell = rules.tries, rules.dt, rules.aim, rules.rate, rules.cell
    weights, turning, e = rules.weights, rules.turning, wanted.shape[1]
    point, prior = np.empty(e), np.empty(e)
    for b in range(len(sources)):
        nearest, chosen = np.inf, -1
        for t in range(b * tries, (b + 1) * tries):
            if outcome[t] < 0:
                continue
            embed(ends, t, weights, turning, point)
            embed(lasts, t, weights, turning, prior)
            if outcome[t] == 1:
                add(
                    tree,
                    sources[b],
                    controls,
                    ends,
                    t,
                    taken[t],
                    dt,
                    cell,
                    bound,
                    YES,
                    point,
                    prior,
                    rules.look,
                )
                continue
            off = moved = 0.0
            for i in range(e):
                off += (point[i] - wanted[b, i]) ** 2
                moved += (point[i] - tree.points[sources[b], i]) ** 2
            rate[0] = max(rate[0], np.sqrt(moved) / (taken[t] * dt))
            if off < nearest:
                nearest, chosen = off, t
        if chosen < 0:
            square = square_of(tree, sources[b])
            tree.failed[square] = min(HARDER * tree.failed[square], HARDEST)
            weigh(tree, square)
            continue
        left = 0.0
        embed(ends, chosen, weights, turning, point)
        embed(lasts, chosen, weights, turning, prior)
        if bound < np.inf:
            for i in range(len(aim)):
                left += 0.0 if np.isnan(aim[i]) else (point[i] - aim[i]) ** 2
            left = np.sqrt(left) / rate[0]
        if tree.cost[sources[b]] + taken[chosen] * dt + left < bound:
            add(
                tree,
                sources[b],
                controls,
                ends,
                chosen,
                taken[chosen],
                dt,
                cell,
                bound,
                NO,
                point,
                prior,
                rules.look,
            )
