"""Local optimisation of a path: move the control points of its B-spline until nothing gets better.

Two ways behind one face. `pattern` is Hooke and Jeeves' search as in the paper: try each coordinate, then
leap along the improvement. `quasi-newton` takes the slope from the profile in reverse (see `gradient`), or by
central differences of a whole batch of paths at once, and keeps a BFGS estimate of the curvature; costs have
kinks, where another limit takes over, and its line search is one that follows them (Lewis and Overton 2013).
It needs a tenth of the rounds. Start and goal stay; any cost of `PathProblem` may be used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from swerve.core.errors import BadInput

from .evaluate import PathProblem
from .ways import plane_points

Method = Literal["quasi-newton", "pattern"]
ROUNDS, AT_FIRST = 100, 20  # of a descent at most, and before the best of a valley is chosen
PATIENCE, TOLERANCE = 6, 1e-4  # it ends when so many rounds gain less than that share of the cost
BISECTIONS, BRIEFLY = 9, 4  # along a step at most, and in a brief survey
STEEP = 0.7  # the share of its slope that may be left where a step ends
LEAP = 0.7  # of the way between control points, the most that one moves in a round
LOOKS = 300  # paths that all looks around a way may cost once it can be driven,
UNSTICK = 400  # and until then: what gets stuck has kinks at every step
SHORT = 700.0  # points of a path up to which that holds; the longer a path, the fewer
FEW = 30  # unknowns up to which a look tries moves of three sizes
COARSE = 5.0  # times as far apart lie the points of a path in a survey


@dataclass(frozen=True)
class Refined:
    """The control points (m, 2) that were found, their cost with penalty, and the effort."""

    controls: np.ndarray
    cost: float
    rounds: int
    inverse: np.ndarray | None = None  # of the second derivatives, as far as they were learnt
    drivable: bool = False

    @cached_property
    def line(self) -> np.ndarray:
        """Points (n, 2) of the way."""
        return plane_points(self.controls)


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
    """BFGS on the smooth penalty."""
    return _descend(problem, controls, rounds, tolerance, LOOKS)


def survey(problem: PathProblem, controls: np.ndarray, brief: bool = False, unstick: bool = False) -> Refined:
    """A way improved without looks around, or, to `unstick` it, with some until it can be driven; if it is to
    be `brief`, with short searches along each step: about where a descent ends, at a sixth of the work where
    `problem` is a `coarser` one."""
    problem.start()
    bisections = BRIEFLY if brief else BISECTIONS
    freeing = UNSTICK if unstick else 0
    return _best(problem, _descend(problem, controls, ROUNDS, TOLERANCE, 0, None, bisections, freeing))


def polish(problem: PathProblem, controls: np.ndarray, surveyed: Refined) -> Refined:
    """What a survey of a way led to, improved on all points for a few rounds, with the curvature that was
    learnt. Never dearer than the way itself where that can be driven."""
    problem.start()
    before, _ = problem.smooth(np.stack([controls, surveyed.controls]))
    found = _descend(problem, surveyed.controls, AT_FIRST, TOLERANCE, 0, surveyed.inverse)
    if problem.best is None or found.cost > before:
        found = _descend(problem, controls, ROUNDS, TOLERANCE, LOOKS)
    return _best(problem, found)


def mend(problem: PathProblem, controls: np.ndarray) -> Refined:
    """A way improved for a few rounds, with short searches along each step."""
    problem.start()
    return _best(problem, _descend(problem, controls, AT_FIRST, TOLERANCE, 0, bisections=BRIEFLY))


def finish(problem: PathProblem, polished: Refined, look: bool) -> Refined:
    """The same until nothing gets better, with looks around if asked for."""
    problem.start()
    looks = LOOKS if look else 0
    return _best(problem, _descend(problem, polished.controls, ROUNDS, TOLERANCE, looks, polished.inverse))


def _descend(
    problem: PathProblem,
    controls: np.ndarray,
    rounds: int,
    tolerance: float,
    most_looks: float,
    inverse: np.ndarray | None = None,
    bisections: int = BISECTIONS,
    freeing: float = UNSTICK,
) -> Refined:
    """Down to where nothing gets better, with looks around of at most `most_looks` paths once it can be
    driven, and of `freeing` until then."""
    spread = _spread(problem, controls)
    z = spread.start
    if len(z) == 0:
        return Refined(controls, float(problem.smooth(controls[None])[0]), 0)
    cost, slope = _slope(problem, spread, z)
    fresh = inverse is None
    inverse = _short(spread, slope) if inverse is None else inverse
    fewer = min(1.0, SHORT / problem.points_along(controls))
    done, looks, costs = 0, 0, [cost]
    for done in range(1, rounds + 1):  # noqa: B007
        step = -inverse @ slope
        if step @ slope >= 0.0:
            inverse, fresh = _short(spread, slope), True
            step = -inverse @ slope
        step *= min(1.0, LEAP * spread.between / max(np.abs(step).max(), 1e-12))
        ahead = _along(problem, spread, z, cost, slope, step, bisections)
        if ahead is None:
            if fresh:
                if looks >= fewer * (freeing if problem.best is None else most_looks):
                    break
                tries, around = _around(problem, spread, z, cost)
                looks += len(tries)
                best = int(np.argmin(around))
                if not around[best] < cost * (1 - 0.1 * tolerance):
                    break
                z = tries[best]
                cost, slope = _slope(problem, spread, z)
            inverse, fresh = 0.5 * _short(spread, slope), True
            continue
        there, cost, new_slope = ahead
        inverse = _bfgs(inverse, there - z, new_slope - slope, fresh)
        z, slope, fresh = there, new_slope, False
        costs.append(cost)
        if len(costs) > PATIENCE and costs[-1 - PATIENCE] - cost < tolerance * abs(cost):
            break
    return Refined(spread(z[None])[0], cost, done, inverse)


def _short(spread: _spread, slope: np.ndarray) -> np.ndarray:
    """An inverse of second derivatives that leads straight downhill, a tenth of the way between points."""
    return np.eye(len(slope)) * 0.1 * spread.between / max(float(np.linalg.norm(slope)), 1e-12)


def _along(
    problem: PathProblem,
    spread: _spread,
    z: np.ndarray,
    cost: float,
    slope: np.ndarray,
    step: np.ndarray,
    bisections: int,
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """A place along `step` that is cheaper, with its cost and slope, beyond which it gets steeper no more: by
    bisection, as Lewis and Overton (2013) do where costs have kinks. None if nothing is cheaper."""
    falls = float(step @ slope)
    near, far, share = 0.0, np.inf, 1.0
    best: tuple[np.ndarray, float, np.ndarray] | None = None
    for _ in range(bisections):
        there = spread.clip(z + share * step)
        most = cost + 1e-4 * share * falls
        at, new_slope = _slope(problem, spread, there, most)
        if not at < most:
            far = share
        else:
            if best is None or at < best[1]:
                best = there, at, new_slope
            if new_slope @ step >= STEEP * falls:
                break
            near = share
        share = 2.0 * near if far == np.inf else 0.5 * (near + far)
    return best


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

    @cached_property
    def between(self) -> float:
        """Mean distance between control points [m], the natural size of a move."""
        return max(float(np.hypot(*np.diff(self.controls, axis=0).T).mean()), 1e-6)

    def clip(self, z: np.ndarray) -> np.ndarray:
        low, high = self._corners
        flat = z.reshape(-1, 2)
        clipped: np.ndarray = np.minimum(np.maximum(flat, low), high)
        return clipped.reshape(z.shape)

    @cached_property
    def _corners(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the map, the lowest and the highest (2,)."""
        low, high = np.reshape(self.problem.terrain.extent, (2, 2))
        return low, high

    def one(self, z: np.ndarray) -> np.ndarray:
        """The control points (m, 2) of one path."""
        path = self.controls.copy()
        path[1:-1] = z.reshape(-1, 2)
        return path

    def __call__(self, z: np.ndarray) -> np.ndarray:
        paths = np.repeat(self.controls[None], len(z), axis=0)
        paths[:, 1:-1] = z.reshape(len(z), -1, 2)
        return paths


def _slope(
    problem: PathProblem, spread: _spread, z: np.ndarray, most: float = np.inf
) -> tuple[float, np.ndarray]:
    """Cost and, where that is below `most`, slope: the profile in reverse; where there is none, central
    differences in every unknown, one-sided at the edge of the map: one batch of paths."""
    if problem.has_slope:
        cost, slope = problem.slope(spread.one(z), most)
        return cost, slope[1:-1].ravel()
    cost = float(problem.smooth(spread(z[None]))[0])
    if not cost < most:
        return cost, z
    shifts = 4e-3 * spread.between * np.eye(len(z))
    up, down = spread.clip(z + shifts), spread.clip(z - shifts)
    costs = problem.smooth(spread(np.concatenate([up, down])))
    differences = costs[: len(z)] - costs[len(z) :]
    return cost, differences / np.maximum((up - down).diagonal(), 1e-9)


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
    turned = inverse @ change
    share = (moved * (1.0 + float(change @ turned) / curve) - turned) / curve
    bent: np.ndarray = inverse + np.outer(share, moved) - np.outer(moved, turned / curve)
    return bent


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
