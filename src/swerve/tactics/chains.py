"""Chains of busy skills, simulated from end to end without returning to Python.

Where nothing is to be chosen, a branch is skills that act, the engine that steps, and two questions: is this
valid, is this the goal. If all skills of a problem and both questions are laws (`law`), a chain is one call
of a kernel, which calls MuJoCo's own functions by their addresses. What it gives is bit for bit what rounds
of single steps give (`engine`). Lanes share nothing, so that threads can have some each.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from swerve.core.kernels import inner, kernel
from swerve.core.native import address_of, call

from .after import After
from .decide import Decider
from .detail import coarse_model
from .lanes import FAILED, GOING, LOST, NONSENSE, OPEN, SOLVED
from .law import Asked
from .machine import Machine, functions_of_mujoco, step_row
from .planar import Planar
from .planar import step as planar_step
from .planar_touch import T_LOD
from .problem import Problem
from .sound import MOST
from .tree import Minds

LONGEST = 64  # steps that a chain is followed at once
_WORD = 8  # [bytes] of a number


class Run(NamedTuple):
    """What became of n chains of at most s steps each; `steps` (n,) how many were made, `ends` (n,) how.

    Of each step the state (n, s, width), who touched (n, s, pairs), busy flags (n, s, tactics), the memory
    (n, s, variables) and the forces (n, s, nv).
    """

    steps: np.ndarray
    ends: np.ndarray
    rows: np.ndarray
    touched: np.ndarray
    busy: np.ndarray
    memory: np.ndarray
    forces: np.ndarray


class Chains:
    """The chains of a problem; see `possible`. With a `planar` model they are followed on that one. Beyond
    `t_lod` seconds after the tree begins they ignore details (`detail`)."""

    def __init__(
        self,
        problem: Problem,
        decider: Decider,
        threads: int = 1,
        planar: Planar | None = None,
        t_lod: float = np.inf,
    ):
        world, tactics = problem.world, decider.tactics
        self.world, self.threads = world, threads
        assert isinstance(problem.valid, Asked)
        assert isinstance(problem.goal, Asked)
        tests, lost = [problem.valid, problem.goal], problem.goal.lost
        tests += [] if lost is None else [lost]
        self.tests = np.array([test.law.address for test in tests])
        parts, at = [test.numbers for test in tests], []
        shape = (len(tactics), max(len(t.order) for t in tactics))
        self.laws, self.places = np.zeros(shape, dtype=np.int64), np.zeros((*shape, 2), dtype=np.int64)
        self.stays = np.zeros(shape, dtype=bool)  # goes on by itself though it is not busy
        self.barred = np.zeros((*shape, world.model.nv), dtype=bool)  # may not be pushed by that skill
        for i, tactic in enumerate(tactics):
            for k, name in enumerate(tactic.order):
                skill = tactic.skills[name]
                assert skill.law is not None
                self.laws[i, k] = skill.law.address
                self.stays[i, k] = tactic.forced[k] and len(tactic.order) == 1 and not skill.variables
                self.barred[i, k, decider.barred[i][k]] = True
                at.append((i, k, len(parts)))
                parts.append(world.remembered(skill, skill.numbers))
        begins = np.cumsum([0, *(len(part) for part in parts)])
        self.numbers, self.test_places = np.concatenate([*parts, [0.0]]), begins[: len(tests)].copy()
        for i, k, part in at:
            self.places[i, k] = decider.columns[i][k].start, begins[part]
        self.forced, self.bars = decider.forced, np.any(self.barred, axis=2)
        self.after = After(world)
        self.quick = np.array([planar_step.address if planar is not None else 0], dtype=np.int64)
        self.quick_numbers = np.zeros(1) if planar is None else planar.numbers
        self.machines = [Machine(world.model) for _ in range(threads)]
        self.t_lod, self.until = t_lod, t_lod  # and the time of the tree up to which all details count
        coarse = world.model if t_lod == np.inf else coarse_model(world)
        self.coarse = self.machines if t_lod == np.inf else [Machine(coarse) for _ in range(threads)]
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.nonsense = 0  # chains of the last call in which a skill did what it may not

    def follow(
        self,
        rows: np.ndarray,
        touched: np.ndarray,
        minds: Minds,
        skill: np.ndarray,
        began: float,
        horizon: float,
        most: int,
    ) -> Run:
        """Follow n chains from their states, by at most `most` steps each; `began` [s] is when their tree
        begins, `horizon` [s] how long plans may be.

        Skills must have been begun (`Decider.begin`); `rows`, `touched` and `minds.memory` are written to.
        """
        n, steps, end = len(rows), min(most, LONGEST), began + horizon
        self.until = began + self.t_lod
        if self.quick[0]:
            self.quick_numbers[T_LOD] = self.until
        run = Run(
            np.empty(n, dtype=np.int64),
            np.empty(n, dtype=np.int64),
            np.empty((n, steps, rows.shape[1])),
            np.empty((n, steps, touched.shape[1]), dtype=bool),
            np.empty((n, steps, skill.shape[1]), dtype=bool),
            np.empty((n, steps, minds.memory.shape[1])),
            np.empty((n, steps, self.world.model.nv)),
        )
        if self.pool is None or n == 1:
            self.nonsense = self._part(0, slice(None), rows, touched, minds.memory, skill, end, run)
        else:
            parts = [slice(k, n, self.threads) for k in range(min(self.threads, n))]
            shared = (rows, touched, minds.memory, skill, end, run)
            jobs = [self.pool.submit(self._part, k, part, *shared) for k, part in enumerate(parts)]
            self.nonsense = sum(job.result() for job in jobs)
        return run

    def _part(
        self,
        thread: int,
        lanes: slice,
        rows: np.ndarray,
        touched: np.ndarray,
        memory: np.ndarray,
        skill: np.ndarray,
        end: float,
        run: Run,
    ) -> int:
        began, machine, coarse = time.thread_time(), self.machines[thread], self.coarse[thread]
        rubbing, impacts = self.after.rubbing, self.after.impacts
        nonsense = _follow(
            rows, touched, memory, skill, lanes.start or 0, lanes.step or 1, end,
            self.laws, self.places, self.stays, self.bars, self.barred,
            self.forced, self.numbers, self.tests, self.test_places,
            self.quick[0], self.quick_numbers,
            machine.addresses, machine.forces, machine.sensors,
            coarse.addresses, coarse.forces, coarse.sensors, self.until, self.world.substeps,
            self.after.places, self.after.excess, rubbing.columns, rubbing.numbers,
            impacts.columns, impacts.numbers, impacts.pairs, impacts.values, self.after.timestep, *run,
        )  # fmt: skip
        machine.seconds += time.thread_time() - began
        return nonsense

    @property
    def seconds(self) -> float:
        """Spent following chains, on all threads."""
        if len(self.machines) == 1:
            return self.machines[0].seconds
        return sum(machine.seconds for machine in self.machines)


def possible(problem: Problem, decider: Decider) -> bool:
    """Whether the chains of a problem can be followed so: all is law, and MuJoCo's functions are found."""
    tests = isinstance(problem.valid, Asked) and isinstance(problem.goal, Asked)
    skills = all(skill.lawful for tactic in decider.tactics for skill in tactic.skills.values())
    return tests and skills and functions_of_mujoco() is not None


@kernel
def _follow(
    rows: np.ndarray,
    touched: np.ndarray,
    memory: np.ndarray,
    skill: np.ndarray,
    first: int,
    stride: int,
    end: float,
    laws: np.ndarray,
    places: np.ndarray,
    stays: np.ndarray,
    bars: np.ndarray,
    barred: np.ndarray,
    forced: np.ndarray,
    numbers: np.ndarray,
    tests: np.ndarray,
    test_places: np.ndarray,
    quick: int,
    quick_numbers: np.ndarray,
    machine: np.ndarray,
    applied: np.ndarray,
    sensors: np.ndarray,
    coarse: np.ndarray,
    coarse_applied: np.ndarray,
    coarse_sensors: np.ndarray,
    until: float,
    substeps: int,
    ball_places: np.ndarray,
    excess: np.ndarray,
    rub_columns: np.ndarray,
    rub_numbers: np.ndarray,
    ball_columns: np.ndarray,
    ball_numbers: np.ndarray,
    pairs: np.ndarray,
    values: np.ndarray,
    timestep: float,
    steps: np.ndarray,
    ends: np.ndarray,
    made_rows: np.ndarray,
    made_touched: np.ndarray,
    made_busy: np.ndarray,
    made_memory: np.ndarray,
    made_forces: np.ndarray,
) -> int:
    """How many of the chains end in nonsense."""
    nonsense = 0
    tactics, most, about = skill.shape[1], made_rows.shape[1], address_of(numbers)
    before = np.zeros(applied.shape[1])
    for lane in range(first, len(rows), stride):
        row, touch, remembered = address_of(rows[lane]), address_of(touched[lane]), address_of(memory[lane])
        ends[lane] = GOING
        for s in range(most):
            steps[lane] = s + 1
            applied[:] = 0.0
            push, choice, on, lawful = address_of(applied), False, True, True
            for i in range(tactics):
                k = skill[lane, i]
                mine, its = remembered + _WORD * places[i, k, 0], about + _WORD * places[i, k, 1]
                if bars[i, k]:
                    before[:] = applied[0]
                busy = call(laws[i, k], (push, row, touch, mine, its)) != 0
                if bars[i, k]:
                    for dof in range(len(before)):
                        lawful &= not barred[i, k, dof] or applied[0, dof] == before[dof]
                made_busy[lane, s, i] = busy
                choice |= not busy and not forced[i, k]
                on &= busy or stays[i, k]
            total = 0.0
            for dof in range(applied.shape[1]):
                total += applied[0, dof]
            if not (lawful and np.isfinite(total)):
                ends[lane] = NONSENSE
                nonsense += 1
                break
            touched[lane] = False
            if quick != 0:
                call(quick, (push, row, touch, row, address_of(quick_numbers)))
            else:
                simple = rows[lane, 0] > until
                if simple:
                    coarse_applied[:] = applied
                step_row(
                    rows[lane : lane + 1], touched[lane : lane + 1], coarse if simple else machine,
                    coarse_applied if simple else applied, coarse_sensors if simple else sensors, substeps,
                    ball_places, excess, rub_columns, rub_numbers, ball_columns, ball_numbers, pairs, values,
                    timestep,
                )  # fmt: skip
            made_rows[lane, s], made_touched[lane, s] = rows[lane], touched[lane]
            made_memory[lane, s], made_forces[lane, s] = memory[lane], applied[0]
            valid = _holds(tests[0], row, touch, about + _WORD * test_places[0])
            for column in range(rows.shape[1]):
                valid &= abs(rows[lane, column]) <= MOST  # else it ran away
            if not valid or rows[lane, 0] >= end:
                ends[lane] = FAILED
                break
            if _holds(tests[1], row, touch, about + _WORD * test_places[1]):
                ends[lane] = SOLVED
                break
            if len(tests) > 2 and _holds(tests[2], row, touch, about + _WORD * test_places[2]):
                ends[lane] = LOST
                break
            if choice:
                ends[lane] = OPEN
                break
            if not on:
                break
    return nonsense


@inner
@kernel
def _holds(test: int, row: int, touched: int, numbers: int) -> bool:
    return call(test, (row, row, touched, row, numbers)) != 0
