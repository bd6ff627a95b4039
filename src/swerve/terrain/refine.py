"""Local optimisation of a path: move the control points of its B-spline until nothing gets better.

Two ways behind one face. `pattern` is Hooke and Jeeves' search as in the paper: try each coordinate, then
leap along the improvement. `quasi-newton` takes the slope from the profile in reverse (see `gradient`), or by
central differences of a whole batch of paths at once, and keeps a BFGS estimate of the curvature, with a line
search that is also one batch; it needs a tenth of the rounds. Start and goal stay; any cost of `PathProblem`
may be used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from swerve.core.errors import BadInput

from .evaluate import PathProblem

Method = Literal["quasi-newton", "pattern"]
_REACHES = np.array([2.0, 1.0, 0.4]), np.array([0.15, 0.05, 0.015, 0.004])  # the second if the first fail
ROUNDS, TOLERANCE = 60, 1e-4  # of a descent at most; the gain, relative to the cost, at which it ends
ROUGH_LOOKS = 300  # paths that looks around may cost in a survey
LOOKS = 900  # paths that all looks around a way may cost, a sixth of that while it cannot be driven
SHORT = 700.0  # points of a path up to which that holds; the longer a path, the fewer
FEW = 30  # unknowns up to which a look tries moves of three sizes
COARSE = 3.0  # times as far apart lie the points of a path in a survey


@dataclass(frozen=True)
class Refined:
    """The control points (m, 2) that were found, their cost with penalty, and the effort."""

    controls: np.ndarray
    cost: float
    rounds: int
    inverse: np.ndarray | None = None  # of the second derivatives, as far as they were learnt
    drivable: bool = False


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


def _best(problem: PathProblem, refined: Refined) -> Refined:
    """What was found, or the best on the way there: penalties may end at what is dearer or undrivable."""
    if problem.best is None:
        return refined
    cost, controls = problem.best
    return replace(refined, controls=controls, cost=cost, drivable=True)


def by_pattern(problem: PathProblem, controls: np.ndarray, rounds: int, tolerance: float) -> Refined:
    """Hooke and Jeeves (1961) on J + w·n."""
    spread = _spread(problem, controls)
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
    """BFGS with a batched line search on the smooth penalty."""
    return _descend(problem, controls, rounds, tolerance, LOOKS)


def survey(problem: PathProblem, controls: np.ndarray) -> Refined:
    """A way improved on few points of its path: about where a descent ends, at a third of the work. `problem`
    is a `coarser` one."""
    problem.start()
    return _best(problem, _descend(problem, controls, ROUNDS, TOLERANCE, ROUGH_LOOKS))


def polish(problem: PathProblem, controls: np.ndarray, surveyed: Refined, look: bool) -> Refined:
    """What a survey of a way led to, improved on all points with the curvature that was learnt, with looks
    around if asked for. Never dearer than the way itself where that can be driven."""
    problem.start()
    before, _ = problem.smooth(np.stack([controls, surveyed.controls]))
    looks = LOOKS if look else 0
    found = _descend(problem, surveyed.controls, ROUNDS, TOLERANCE, looks, surveyed.inverse)
    if problem.best is None or found.cost > before:
        found = _descend(problem, controls, ROUNDS, TOLERANCE, LOOKS)
    return _best(problem, found)


def _descend(
    problem: PathProblem,
    controls: np.ndarray,
    rounds: int,
    tolerance: float,
    most_looks: float,
    inverse: np.ndarray | None = None,
) -> Refined:
    """Down to where nothing gets better, with looks around of at most `most_looks` paths."""
    spread = _spread(problem, controls)
    z = spread.start
    size = len(z)
    cost = float(problem.smooth(spread(z[None]))[0])
    if size == 0:
        return Refined(controls, cost, 0)
    h = 4e-3 * spread.between
    slope = _slope(problem, spread, z, h)
    fresh = inverse is None
    if inverse is None:
        inverse = np.eye(size) * 0.1 * spread.between / max(float(np.linalg.norm(slope)), 1e-12)
    most_looks *= min(1.0, SHORT / problem.points_along(controls))
    small, done, looks = 0, 0, 0
    for done in range(1, rounds + 1):  # noqa: B007
        step = -inverse @ slope
        if step @ slope >= 0.0:
            step, fresh = -slope, True
        longest = np.abs(step).max()
        step *= min(1.0, 0.7 * spread.between / max(longest, 1e-12))
        for reaches in _REACHES:
            tries = spread.clip(z + reaches[:, None] * step)
            costs = problem.smooth(spread(tries))
            best = int(np.argmin(costs))
            if costs[best] < cost:
                break
        if not costs[best] < cost:
            if fresh:
                if looks >= (most_looks / 6 if problem.best is None else most_looks):
                    break
                tries, costs = _around(problem, spread, z, cost)
                looks += len(tries)
                best = int(np.argmin(costs))
                if not costs[best] < cost * (1 - 0.1 * tolerance):
                    break
                z, cost = tries[best], float(costs[best])
                slope = _slope(problem, spread, z, h)
            inverse = np.eye(size) * 0.05 * spread.between / max(float(np.linalg.norm(slope)), 1e-12)
            fresh = True
            continue
        gained, cost = cost - float(costs[best]), float(costs[best])
        moved = tries[best] - z
        z = tries[best]
        new_slope = _slope(problem, spread, z, h)
        inverse = _bfgs(inverse, moved, new_slope - slope, fresh)
        slope, fresh = new_slope, False
        small = small + 1 if gained < tolerance * abs(cost) else 0
        if small >= 3:
            break
    return Refined(spread(z[None])[0], cost, done, inverse)


METHODS: dict[str, Callable[[PathProblem, np.ndarray, int, float], Refined]] = {
    "quasi-newton": by_quasi_newton,
    "pattern": by_pattern,
}


@dataclass(frozen=True)
class _spread:
    """Between a vector of unknowns and the control points of paths."""

    problem: PathProblem
    controls: np.ndarray

    @property
    def start(self) -> np.ndarray:
        return self.controls[1:-1].ravel().copy()

    @property
    def between(self) -> float:
        """Mean distance between control points [m], the natural size of a move."""
        return max(float(np.hypot(*np.diff(self.controls, axis=0).T).mean()), 1e-6)

    def clip(self, z: np.ndarray) -> np.ndarray:
        x0, y0, x1, y1 = self.problem.terrain.extent
        flat = z.reshape(-1, 2)
        return np.clip(flat, [x0, y0], [x1, y1]).reshape(z.shape)

    def __call__(self, z: np.ndarray) -> np.ndarray:
        paths = np.repeat(self.controls[None], len(z), axis=0)
        paths[:, 1:-1] = z.reshape(len(z), -1, 2)
        return paths


def _slope(problem: PathProblem, spread: _spread, z: np.ndarray, h: float) -> np.ndarray:
    """The profile in reverse; where there is none, central differences in every unknown, one-sided at the
    edge of the map: one batch of paths."""
    if problem.has_slope:
        return problem.slope(spread(z[None])[0])[1:-1].ravel()
    shifts = h * np.eye(len(z))
    up, down = spread.clip(z + shifts), spread.clip(z - shifts)
    costs = problem.smooth(spread(np.concatenate([up, down])))
    return (costs[: len(z)] - costs[len(z) :]) / np.maximum((up - down).diagonal(), 1e-9)


def _around(
    problem: PathProblem, spread: _spread, z: np.ndarray, cost: float
) -> tuple[np.ndarray, np.ndarray]:
    """Moves of some sizes either way in every unknown, and those that help together, with their costs: what
    a kink cannot hide."""
    sizes = (0.15, 0.05, 0.015) if len(z) <= FEW else (0.05,)
    reaches = spread.between * np.array([sign * size for size in sizes for sign in (1.0, -1.0)])
    tries = spread.clip(np.concatenate([z + r * np.eye(len(z)) for r in reaches]))
    costs = problem.smooth(spread(tries))
    gain = cost - costs.reshape(len(reaches), len(z))
    move = np.where(gain.max(axis=0) > 0.0, reaches[gain.argmax(axis=0)], 0.0)
    joint = spread.clip(z + np.array([[1.0], [0.5], [0.25]]) * move)
    return np.concatenate([tries, joint]), np.concatenate([costs, problem.smooth(spread(joint))])


def _bfgs(inverse: np.ndarray, moved: np.ndarray, change: np.ndarray, fresh: bool) -> np.ndarray:
    """The inverse Hessian after a step; unchanged when the curvature along it is not positive."""
    curve = float(moved @ change)
    if curve <= 1e-10 * np.linalg.norm(moved) * np.linalg.norm(change):
        return inverse
    if fresh:
        inverse = np.eye(len(moved)) * curve / float(change @ change)
    left = np.eye(len(moved)) - np.outer(moved, change) / curve
    return left @ inverse @ left.T + np.outer(moved, moved) / curve


def _explore(
    problem: PathProblem, spread: _spread, base: np.ndarray, cost: float, reach: float
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
