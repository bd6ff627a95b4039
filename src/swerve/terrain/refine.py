"""Local optimisation of a path: move the control points of its B-spline until nothing gets better.

Two ways behind one face. `pattern` is Hooke and Jeeves' search as in the paper: try each coordinate, then
leap along the improvement. `quasi-newton` descends by slopes (see `descend`) and needs a tenth of the rounds.
Start and goal stay; any cost of `PathProblem` may be used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from swerve.core.errors import BadInput

from .descend import (
    AT_FIRST,
    BISECTIONS,
    BRIEFLY,
    LOOKS,
    ROUNDS,
    TOLERANCE,
    UNSTICK,
    Refined,
    Spread,
    descend,
)
from .evaluate import PathProblem

Method = Literal["quasi-newton", "pattern"]


def refine(
    problem: PathProblem,
    controls: np.ndarray,
    method: Method = "quasi-newton",
    rounds: int = ROUNDS,
    tolerance: float = TOLERANCE,
) -> Refined:
    """Improve the inner control points of a path; `tolerance` is relative to the cost.

    Of all paths tried, the best that can be driven comes back; only if none can, the one of least penalty.
    """
    if method not in METHODS:
        raise BadInput("method", method, f"must be one of {', '.join(METHODS)}")
    controls = np.array(controls, dtype=np.float64)
    problem.start()
    if len(controls) < 3:
        return Refined(controls, float(problem.smooth(controls[None])[0]), 0)
    return _best(problem, METHODS[method](problem, controls, rounds, tolerance))


def by_pattern(problem: PathProblem, controls: np.ndarray, rounds: int, tolerance: float) -> Refined:
    """Hooke and Jeeves (1961) on J + w·n."""
    spread = Spread(problem, controls)
    base = spread.start
    cost = float(problem.counted(spread(base[None]))[0])
    reach, done = 0.15 * spread.between, 0
    for done in range(1, 40 * rounds + 1):  # noqa: B007
        point, best = _explore(problem, spread, base, cost, reach)
        if best < cost - tolerance * 0.1 * abs(cost):
            while True:
                leap, (base, cost) = spread.clip(2 * point - base), (point, best)
                at_leap = float(problem.counted(spread(leap[None]))[0])
                point, best = _explore(problem, spread, leap, at_leap, reach)
                if best >= cost - tolerance * 0.1 * abs(cost):
                    break
        else:
            if best < cost:
                base, cost = point, best
            reach *= 0.5
            if reach < 2e-3 * spread.between:
                break
    return Refined(spread(base[None])[0], cost, done)


def by_quasi_newton(problem: PathProblem, controls: np.ndarray, rounds: int, tolerance: float) -> Refined:
    """BFGS on the smooth penalty."""
    return descend(problem, controls, rounds, tolerance, LOOKS)


def survey(problem: PathProblem, controls: np.ndarray, brief: bool = False, unstick: bool = False) -> Refined:
    """A way improved without looks around, or, to `unstick` it, with some until it can be driven; if it is to
    be `brief`, with short searches along each step: about where a descent ends, at a sixth of the work where
    `problem` is a `coarser` one."""
    problem.start()
    bisections = BRIEFLY if brief else BISECTIONS
    freeing = UNSTICK if unstick else 0
    return _best(problem, descend(problem, controls, ROUNDS, TOLERANCE, 0, None, bisections, freeing))


def polish(problem: PathProblem, controls: np.ndarray, surveyed: Refined) -> Refined:
    """What a survey of a way led to, improved on more points for a few rounds, with the curvature that was
    learnt. Never dearer than the way itself where that can be driven."""
    problem.start()
    before, _ = problem.smooth(np.stack([controls, surveyed.controls]))
    found = descend(problem, surveyed.controls, AT_FIRST, TOLERANCE, 0, surveyed.inverse)
    if problem.best is None or found.cost > before:
        found = descend(problem, controls, ROUNDS, TOLERANCE, LOOKS)
    return _best(problem, found)


def mend(problem: PathProblem, controls: np.ndarray) -> Refined:
    """A way improved for a few rounds, with short searches along each step."""
    problem.start()
    return _best(problem, descend(problem, controls, AT_FIRST, TOLERANCE, 0, bisections=BRIEFLY))


def finish(problem: PathProblem, polished: Refined, look: bool) -> Refined:
    """The same until nothing gets better, with looks around if asked for."""
    problem.start()
    looks = LOOKS if look else 0
    return _best(problem, descend(problem, polished.controls, ROUNDS, TOLERANCE, looks, polished.inverse))


def _best(problem: PathProblem, refined: Refined) -> Refined:
    """What was found, or the best on the way there: penalties may end at what is dearer or undrivable."""
    if problem.best is None:
        return refined
    cost, controls = problem.best
    return replace(refined, controls=controls, cost=cost, drivable=True)


def _explore(
    problem: PathProblem, spread: Spread, base: np.ndarray, cost: float, reach: float
) -> tuple[np.ndarray, float]:
    """Try a step either way in each coordinate and keep what helps."""
    point = base.copy()
    for k in range(len(point)):
        tries = np.repeat(point[None], 2, axis=0)
        tries[:, k] += [reach, -reach]
        tries = spread.clip(tries)
        costs = problem.counted(spread(tries))
        best = int(np.argmin(costs))
        if costs[best] < cost:
            point, cost = tries[best], float(costs[best])
    return point, cost


METHODS: dict[str, Callable[[PathProblem, np.ndarray, int, float], Refined]] = {
    "quasi-newton": by_quasi_newton,
    "pattern": by_pattern,
}
