"""Descents of a path's control points: a quasi-Newton method (BFGS) for costs that have kinks.

Slopes come from the profile in reverse (see `gradient`), or from central differences of a whole batch of
paths at once. The line search is one that follows kinks, where another limit takes over (Lewis and Overton
2013); where it finds nothing, moves of some sizes in every unknown are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .downhill import FALLS, STEEP, bend
from .evaluate import PathProblem
from .ways import plane_points

ROUNDS, AT_FIRST = 100, 20  # of a descent at most, and before the best of a valley is chosen
PATIENCE, TOLERANCE = 6, 1e-4  # it ends when so many rounds gain less than that share of the cost
BISECTIONS, BRIEFLY = 9, 4  # along a step at most, and in a brief survey
LEAP = 0.7  # of the way between control points, the most that one moves in a round
LOOKS = 300  # paths that all looks around a way may cost once it can be driven,
UNSTICK = 400  # and until then: what gets stuck has kinks at every step
SHORT = 700.0  # points of a path up to which that holds; the longer a path, the fewer
FEW = 30  # unknowns up to which a look tries moves of three sizes


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


@dataclass(frozen=True)
class Spread:
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


def descend(
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
    spread = Spread(problem, controls)
    z = spread.start
    if len(z) == 0:
        return Refined(controls, float(problem.smooth(controls[None])[0]), 0)
    cost, slope = _slope(problem, spread, z)
    fresh = inverse is None
    inverse = _short(spread, slope) if inverse is None else inverse.copy()
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
        bend(inverse, there - z, new_slope - slope, fresh)
        z, slope, fresh = there, new_slope, False
        costs.append(cost)
        if len(costs) > PATIENCE and costs[-1 - PATIENCE] - cost < tolerance * abs(cost):
            break
    return Refined(spread(z[None])[0], cost, done, inverse)


def _short(spread: Spread, slope: np.ndarray) -> np.ndarray:
    """An inverse of second derivatives that leads straight downhill, a tenth of the way between points."""
    return np.eye(len(slope)) * 0.1 * spread.between / max(float(np.linalg.norm(slope)), 1e-12)


def _along(
    problem: PathProblem,
    spread: Spread,
    z: np.ndarray,
    cost: float,
    slope: np.ndarray,
    step: np.ndarray,
    bisections: int,
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """A place along `step` that is cheaper, with its cost and slope; None if nothing is cheaper."""
    falls = float(step @ slope)
    if problem.has_slope:
        move = np.zeros_like(spread.controls)
        move[1:-1] = step.reshape(-1, 2)
        found, there, slopes = problem.along(spread.one(z), move, cost, falls, bisections)
        return (there[1:-1].ravel(), found, slopes[1:-1].ravel()) if found < np.inf else None
    return _by_differences(problem, spread, z, cost, falls, step, bisections)


def _by_differences(
    problem: PathProblem,
    spread: Spread,
    z: np.ndarray,
    cost: float,
    falls: float,
    step: np.ndarray,
    bisections: int,
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """The same where costs have no slopes of their own; see `downhill.along`."""
    near, far, share = 0.0, np.inf, 1.0
    best: tuple[np.ndarray, float, np.ndarray] | None = None
    for _ in range(bisections):
        there = spread.clip(z + share * step)
        most = cost + FALLS * share * falls
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


def _slope(
    problem: PathProblem, spread: Spread, z: np.ndarray, most: float = np.inf
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
    problem: PathProblem, spread: Spread, z: np.ndarray, cost: float
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
