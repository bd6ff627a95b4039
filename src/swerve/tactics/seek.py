"""The search of `swerve.plan`: a tree until there is a motion, then more trees and better motions.

Where motions are to get shorter, each tree ends with the motion it finds and the next one is planted, some of
them where they have to look for another way round (`detours`). Motions are mended (`shorten`) in a contest
(`contest`), the best one besides, until it gets no shorter.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from swerve.core.seeding import generator

from . import branches, field
from .branches import BEST, COUNT, Branches
from .contest import Contest, Entry
from .detours import Detours
from .growth import LARGE, SMALL, Rules
from .points import box, close, points_of
from .rollout import Array, Model
from .shorten import Way, Workshop
from .space import Space

SHORT = 5e-3  # [s] that a compiled model's rounds should take, so that the clock is looked at now and then
MOST_ROUNDS, MORE = 4096, 64.0  # at a time, however quick they are; times as many as before
ENDLESS = 1 << 62  # branches
LOOK = 4.0  # steps, like the last one of a branch, after which its end counts to a square of that grid
SQUARES, AXES = 30, 2  # along an axis of the grid that tells where the tree is sparse; axes at most
COARSE = 0.03  # first size of a cell, as a share of the space's diagonal
FEWEST = 6  # cells at least along each column, so that none is left out of account
POLISH, LITTLE = 0.3, 0.03  # share of all steps that mend the best motion; of one that gets no shorter
HOPE = 3.0  # times the best motion's cost that others may have before they are mended
PATIENCE, LARGEST = 4, 60_000  # times the nodes of the first tree that others may have, and that many anyhow


@dataclass(frozen=True)
class Asked:
    """What is to be found, in numbers: of a goal that is a test the `state` (d,) is empty."""

    model: Model
    root: Array
    state: Array
    limits: Array
    space: Space
    numbers: tuple[Array, Array]  # of the space: weights, and which columns turn
    tolerance: float
    capture: float
    dt: float
    seed: int


@dataclass(frozen=True)
class Growing:
    """How trees grow (`kinodynamic.PlanOptions`): `way` is a number of `growth`."""

    way: int
    mu: float
    hold: tuple[int, int]
    tries: int
    cell: float | None
    goal_bias: float
    iterations: int | None


class Seek:
    """A tree that grows round by round, and the best motion found so far."""

    def __init__(self, asked: Asked, growing: Growing):
        self.asked, self.growing = asked, growing
        self.numbers = asked.numbers
        self.target = points_of(asked.state[None], *self.numbers)[0] if len(asked.state) else asked.state
        low, high = (np.array(side, dtype=float) for side in (asked.space.low, asked.space.high))
        self.box = box(low, high, *self.numbers)  # of points
        self.rules = self._rules(low, high)
        self.point, self.grid = points_of(asked.root[None], *self.numbers)[0], self._grid()
        self.tree = self._sprout()
        self.cell = self.rules.cell.copy()  # which gets smaller in a tree
        self.detours = Detours(field.look(asked.model.fine, self.tree, self.rules), self._sprout, self.rules)
        self.rounds = 1  # to grow before the next look at the clock
        self.largest = LARGEST  # nodes of a tree that is given up
        self.best: Entry | None = None
        self.fruit: Way | None = None  # the motion that the tree led to
        self.contest = Contest()
        self.effort = {"branches": 0, "steps": 0, "first_seconds": np.nan, "first_cost": np.nan}
        aim = self.target if len(self.target) else None
        self.workshop = Workshop(
            asked.model, self._there, asked.space.embed, asked.limits, asked.dt, aim, asked.seed
        )
        if bool(self._there(asked.root[None])[0]):
            self.best = self.contest.enter(Way(np.zeros((0, len(asked.limits))), asked.root[None]))
        self.polished = self.nodes = 0  # steps that mended the best motion; nodes of earlier trees

    def run(self, seconds: float, improve: bool) -> None:
        """Grow until there is a motion, or improve it until the time is up."""
        if self.best is None:
            self._round()  # compiles what is not compiled yet, which does not count
        began = time.perf_counter()
        most = self.growing.iterations or np.inf
        while time.perf_counter() - began < seconds and self.effort["branches"] < most:
            if self.best is None:
                self._round()
                self._gather()
                if self.best is not None:
                    self.effort["first_seconds"] = time.perf_counter() - began
                    self.effort["first_cost"] = len(self.best.way) * self.asked.dt
                    self.largest = max(LARGEST, PATIENCE * int(self.tree.tally[COUNT]))
            elif improve and len(self.best.way) > 1:  # none is shorter than a step
                self._improve(self.best)
            else:
                break
        self.seconds = time.perf_counter() - began

    def _improve(self, best: Entry) -> None:
        """Mend whoever is next in the contest, or the best motion, or look for another one."""
        entry = self.contest.turn()
        if entry is not None:
            self._mend(entry)
            return
        spent = self.effort["steps"] + self.workshop.steps
        if self.polished <= (LITTLE if best.stale else POLISH) * spent:
            before = self.workshop.steps
            self._mend(best)
            self.polished += self.workshop.steps - before
            return
        if self.fruit is not None or self.tree.tally[COUNT] > self.largest:
            self._plant(best)
        self._round()
        self._gather()

    def _mend(self, entry: Entry) -> None:
        """An attempt to make a motion shorter."""
        entry.tried(self.workshop.shorten(entry.way))
        if self.best is None or len(entry.way) < len(self.best.way):
            self.best = entry

    def _gather(self) -> None:
        """A node at the goal, or within its capture: the motion to it, if it can be made to end there, takes
        part in the contest, and the tree is done."""
        node = int(self.tree.tally[BEST])
        if node < 0:
            return
        self.tree.tally[BEST] = -1
        found = self._way(branches.lineage(self.tree, node))
        way = self.workshop.close(found) if self.asked.capture > self.asked.tolerance else found
        if way is None:
            return
        entry = self.contest.enter(way)
        if self.best is None or len(way) < len(self.best.way):
            self.best = entry
        self.fruit = way

    def _plant(self, best: Entry) -> None:
        """The next tree, after what came of the last one."""
        if self.fruit is not None:
            self.detours.found(self.fruit.states)
        else:
            self.detours.fruitless()
        self.fruit = None
        self.rules.cell[:] = self.cell
        self.nodes += int(self.tree.tally[COUNT])
        self.tree = self.detours.set_out(best.way.states, len(best.way) * self.asked.dt)

    def _round(self) -> None:
        """Grow a round of branches, or where the model is compiled several."""
        tree, rules, model = self.tree, self.rules, self.asked.model
        bound = np.inf if self.best is None else HOPE * len(self.best.way) * self.asked.dt
        if int(tree.tally[COUNT]) + rules.width[1] * rules.tries > len(tree.parent):
            self.tree = tree = branches.grown(tree)
        rounds = self.rounds if model.compiled else 1
        began = time.perf_counter()
        made, steps = model.grow(tree, rules, bound, rounds, self._left())
        took = time.perf_counter() - began
        self.rounds = int(min(max(rounds * min(SHORT / 2 / max(took, 1e-9), MORE), 1), MOST_ROUNDS))
        self.effort["branches"] += int(made)
        self.effort["steps"] += int(steps)

    def _left(self) -> int:
        """Branches that may still be tried."""
        most = self.growing.iterations
        return ENDLESS if most is None else most - int(self.effort["branches"])

    def _rules(self, low: Array, high: Array) -> Rules:
        asked, growing = self.asked, self.growing
        extent = self.box[1]
        coarse = growing.cell or COARSE * float(np.sqrt((extent * extent).sum()))
        return Rules(
            growing.way,
            growing.mu,
            growing.tries,
            SMALL if asked.model.compiled else LARGE,
            growing.hold,
            asked.limits,
            low,
            high,
            asked.state,
            growing.goal_bias,
            self.target,
            *self.numbers,
            asked.capture,
            asked.dt,
            LOOK,
            cell=np.maximum(np.minimum(coarse, extent / FEWEST), 1e-9),
            rate=np.full(1, 1e-9),
            chance=generator(asked.seed, "plan").integers(0, 1 << 64, 1, dtype=np.uint64),
        )

    def _sprout(self) -> Branches:
        return branches.sprout(self.asked.root, self.point, len(self.asked.limits), self.grid)

    def _grid(self) -> branches.Grid:
        """Over the coordinates that reach furthest."""
        corner, extent = self.box
        axes = np.argsort(-extent, kind="stable")[:AXES]
        return branches.Grid(axes, corner[axes], corner[axes] + extent[axes], SQUARES)

    def _there(self, states: Array) -> Array:
        if len(self.target):
            return close(states, self.target, *self.numbers, self.asked.tolerance)
        return self.asked.model.goal(states)

    def _way(self, line: list[int]) -> Way:
        """The motion along nodes from the root on, step by step."""
        tree, model = self.tree, self.asked.model
        given = np.repeat(tree.controls[line], tree.steps[line], axis=0)
        rows = model.roll(tree.states[:1].copy(), given[:, None].copy(), self.asked.dt)
        return Way(given, rows[:, 0].copy())
