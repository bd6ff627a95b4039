"""Instances of a problem side by side on the planar model, where somebody outside commands one robot.

What the robot is told is the `variables` of a law, and the other bodies act by the problem's own tactics, so
that a step of all instances is one call of a kernel. Nothing is sampled: the same commands give the same
states, however many instances there are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.kernels import kernel
from swerve.core.native import address_of, call

from .law import Asked, Law
from .planar import Planar
from .planar import step as planar_step
from .problem import Problem
from .skill import Skill

GOING, SOLVED, FAILED = 0, 1, 2  # what became of an instance


class Arena:
    """Layouts of one kind of problem, whose robot obeys the law `command`, with numbers `about` each."""

    def __init__(self, problems: Sequence[Problem], command: Law, about: Sequence[np.ndarray]):
        require(len(problems) >= 1, "layouts", None, "must be at least one")
        self.problems, self.world = tuple(problems), problems[0].world
        tables, addresses = [], np.zeros(0, np.int64)
        for problem, own in zip(problems, about, strict=True):
            if not (Planar.fits(problem.world) and problem.world.width == self.world.width):
                raise BadInput("domain", problem.name, "is more than the planar model knows")
            assert isinstance(problem.valid, Asked)
            assert isinstance(problem.goal, Asked)
            others = [(skill.law, skill.numbers(problem.world)) for skill in _others(problem)]
            asked = [(test.law, test.numbers) for test in (problem.valid, problem.goal)]
            laws = [(command, own), *others, (planar_step, Planar(problem.world).numbers), *asked]
            tables.append([numbers for _, numbers in laws])
            addresses = np.array([law.address for law, _ in laws if law is not None])
        longest = max(len(numbers) for table in tables for numbers in table)
        self._laws = addresses
        self._numbers = np.zeros((len(tables), len(addresses), longest))
        for k, table in enumerate(tables):
            for j, numbers in enumerate(table):
                self._numbers[k, j, : len(numbers)] = numbers
        self.starts = np.array([problem.start for problem in problems])

    def touches(self, count: int) -> np.ndarray:
        """The collision lists of so many instances, of which none has collided."""
        return np.zeros((count, len(self.world.watch)), bool)

    def play(
        self,
        rows: np.ndarray,
        touched: np.ndarray,
        which: np.ndarray,
        commands: np.ndarray,
        skip: np.ndarray,
        steps: int,
    ) -> np.ndarray:
        """Move states (n, width) of layouts `which` (n,) on by planning steps, but for those to `skip`: what
        became of each (n,). Who is done or has failed stays as it is then."""
        ends = np.zeros(len(rows), np.int64)
        forces = np.zeros(self.world.model.nv)
        _play(self._laws, self._numbers, rows, touched, which, commands, skip, steps, forces, ends)
        return ends


def _others(problem: Problem) -> list[Skill]:
    """The skills of all tactics but the first, which is the robot's own: they sample nothing."""
    found = [skill for tactic in problem.tactics["default"][1:] for skill in tactic.skills.values()]
    for skill in found:
        if not (skill.lawful and skill.deterministic):
            raise BadInput("domain", problem.name, "has others whose tactics sample")
    return found


@kernel
def _play(
    laws: np.ndarray,
    numbers: np.ndarray,
    rows: np.ndarray,
    touched: np.ndarray,
    which: np.ndarray,
    commands: np.ndarray,
    skip: np.ndarray,
    steps: int,
    forces: np.ndarray,
    ends: np.ndarray,
) -> None:
    """`laws` are addresses: who acts, then the model's step, what is valid, what is the goal."""
    acting = len(laws) - 3
    for i in range(len(rows)):
        if skip[i]:
            continue
        at = (address_of(forces), address_of(rows[i]), address_of(touched[i]), address_of(commands[i]))
        about = numbers[which[i]]
        for _ in range(steps):
            forces[:] = 0.0
            for k in range(acting):
                call(laws[k], (at[0], at[1], at[2], at[3], address_of(about[k])))
            touched[i, :] = False
            call(laws[acting], (at[0], at[1], at[2], at[3], address_of(about[acting])))
            if call(laws[acting + 1], (at[0], at[1], at[2], at[3], address_of(about[acting + 1]))) == 0:
                ends[i] = FAILED
                break
            if call(laws[acting + 2], (at[0], at[1], at[2], at[3], address_of(about[acting + 2]))) != 0:
                ends[i] = SOLVED
                break
