"""A quasi-Newton method with bounds for closed curves whose cost depends on their curvature.

Plain gradients of such a cost point to wiggles, and so does cutting a step off at a bound. Two remedies:

- Steps are measured by how they bend the curve. In the metric B = D₂ᵀ(I − ℓ²·D₂)²D₂ + ε·I, with D₂ the second
  difference round the loop, the change of curvature along the steepest descent is the slope smoothed over ℓ.
- Bounds are kept by a logarithmic barrier −μ·Σ log(distance to the bounds), whose second derivative joins B,
  so that a step bends away from a bound instead of being cut; μ falls from stage to stage.

A lap time has kinks, where another point of a corner becomes the slowest. A step that fails at one brings
the slope from its other side; the shortest combination of both leads down along the kink.

Limited memory (L-BFGS) on top of that learns the rest. Numbering the loop from both ends inwards makes the
metric a narrow band, so a direction costs little more than the slope itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve_banded, cholesky_banded

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]

MEMORY = 30  # pairs of steps and changes of slope that are kept
NEAREST = 1e-9  # distance to a bound below which the barrier grows no more
BAND = 8  # half width of the folded metric
SHORTENINGS = 8  # of a step before it counts as failed
KINKS = 6  # slopes from beyond a kink that are tried to get down between its sides


@dataclass
class Descent:
    """The state of a minimisation: unknowns, how stiff the metric is, and iterations so far."""

    x: np.ndarray
    stiffness: float = 1.0
    iterations: int = 0


def descend(
    objective: Objective,
    state: Descent,
    low: np.ndarray,
    high: np.ndarray,
    metric: LoopMetric,
    barrier: float,
    rounds: int,
    tolerance: float = 1e-6,
    longest: float = 1.0,
) -> Descent:
    """Lower `objective(x) -> cost, slope` plus the barrier, strictly within bounds; one stage.

    Stops when ten iterations together gain less than `tolerance` of the cost. No unknown moves more than
    `longest` in one iteration.
    """

    def total(x: np.ndarray) -> tuple[float, np.ndarray]:
        cost, slope = objective(x)
        below, above = np.maximum(x - low, NEAREST), np.maximum(high - x, NEAREST)
        return cost - barrier * float(np.log(below * above).sum()), slope - barrier * (1 / below - 1 / above)

    x, stiffness = state.x, state.stiffness
    cost, slope = total(x)
    steps: list[np.ndarray] = []
    changes: list[np.ndarray] = []
    history = [cost]
    done = 0
    for done in range(1, rounds + 1):  # noqa: B007
        solve = metric.factor(
            stiffness,
            barrier * (1 / np.maximum(x - low, NEAREST) ** 2 + 1 / np.maximum(high - x, NEAREST) ** 2),
        )
        direction = _direction(slope, steps, changes, solve)
        if not direction @ slope < 0.0:
            steps, changes = [], []
            direction = -solve(slope)
        found = _search(total, x, cost, slope @ direction, direction, _room(x, direction, low, high), longest)
        hull = slope
        for _ in range(KINKS):
            if found.better:
                break
            steps, changes = [], []
            hull = _shortest(hull, found.slope, solve)
            direction = -solve(hull)
            room = _room(x, direction, low, high)
            found = _search(total, x, cost, hull @ direction, direction, room, longest)
        if not found.better:
            if stiffness > 1e3 * state.stiffness:
                break
            stiffness *= 8.0
            continue
        new_x, cost, new_slope, reach = found.x, found.cost, found.slope, found.reach
        moved, change = new_x - x, new_slope - slope
        if moved @ change > 1e-10 * np.linalg.norm(moved) * np.linalg.norm(change):
            steps, changes = [*steps, moved][-MEMORY:], [*changes, change][-MEMORY:]
        if reach > 0.9:
            stiffness = max(0.7 * stiffness, 1e-9)
        x, slope = new_x, new_slope
        history.append(cost)
        if len(history) > 10 and history[-11] - cost < tolerance * abs(cost):
            break
    return Descent(x, stiffness, state.iterations + done)


class LoopMetric:
    """B for n unknowns `spacing` [m] apart: smoothing length and longest stiff wavelength in metres."""

    def __init__(self, n: int, spacing: float, smoothing: float = 8.0, wavelength: float = 300.0):
        second = np.zeros(n)
        second[[0, 1, -1]] = -2.0, 1.0, 1.0
        wave = np.fft.fft(second).real  # the circulant's eigenvalues
        row = np.fft.ifft(wave**2 * (1 - (smoothing / spacing) ** 2 * wave) ** 2).real
        row[0] += (2 * np.pi * spacing / wavelength) ** 4
        self.order = np.empty(n, dtype=int)  # from both ends inwards
        self.order[0::2] = np.arange((n + 1) // 2)
        self.order[1::2] = n - 1 - np.arange(n // 2)
        self._band = np.zeros((BAND + 1, n))
        for k in range(BAND + 1):
            gap = (self.order[k:] - self.order[: n - k]) % n
            near = np.minimum(gap, n - gap) <= 4
            self._band[k, : n - k] = np.where(near, row[gap], 0.0)

    def factor(self, stiffness: float, diagonal: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """A solver for (stiffness·B + diagonal)·d = right-hand side."""
        band = stiffness * self._band
        band[0] += diagonal[self.order]
        factor = cholesky_banded(band, lower=True, check_finite=False)

        def solve(values: np.ndarray) -> np.ndarray:
            result = np.empty(len(values))
            result[self.order] = cho_solve_banded((factor, True), values[self.order], check_finite=False)
            return result

        return solve


def _direction(
    slope: np.ndarray,
    steps: list[np.ndarray],
    changes: list[np.ndarray],
    solve: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """The two loops of L-BFGS, with the metric as the first guess of the Hessian."""
    q = slope.copy()
    shares = []
    for step, change in zip(reversed(steps), reversed(changes), strict=True):
        share = float(step @ q) / float(step @ change)
        shares.append(share)
        q -= share * change
    result = solve(q)
    for step, change, share in zip(steps, changes, reversed(shares), strict=True):
        result += (share - float(change @ result) / float(step @ change)) * step
    return -result


def _room(x: np.ndarray, direction: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """How far along the direction the first bound lies."""
    bound = np.where(direction > 0, high, low)
    moving = np.abs(direction) > 1e-15
    return float(((bound - x)[moving] / direction[moving]).min(initial=np.inf))


@dataclass
class _Found:
    """The end of a line search: a better place, or the last one tried."""

    better: bool
    x: np.ndarray
    cost: float
    slope: np.ndarray
    reach: float


def _search(
    total: Objective,
    x: np.ndarray,
    cost: float,
    promised: float,
    direction: np.ndarray,
    room: float,
    longest: float,
) -> _Found:
    """Shorten the step until it is better by a share of what the slope promises."""
    reach = min(1.0, 0.9 * room, longest / max(float(np.abs(direction).max()), 1e-12))
    for _ in range(SHORTENINGS):
        there = x + reach * direction
        value, slope = total(there)
        if value < cost + 1e-4 * reach * promised:
            return _Found(True, there, value, slope, reach)
        reach *= 0.4
    return _Found(False, there, value, slope, reach)


def _shortest(one: np.ndarray, two: np.ndarray, solve: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The shortest slope between two, in the metric: at a kink it points down on both sides."""
    gap = one - two
    share = float(one @ solve(gap)) / max(float(gap @ solve(gap)), 1e-300)
    return one - min(max(share, 0.0), 1.0) * gap
