"""Candidates for local optimisation: ways through grids, finer ones where coarse ones show no way.

A grid's way becomes the control points of a B-spline, which cuts its corners. Where that leads over closed
ground, places close to each corner are added, and the curve keeps to the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .evaluate import PathProblem
from .gaps import passages
from .grid import GridSearch
from .measure import CLOSED_POINTS, TROUBLED

FINEST, FINEST_ROUND_WALLS = 81, 41  # grid points along a side; gaps between walls are found by themselves
FEW = 12  # ways through a grid that is finer than asked for
HUGS = (40.0, 20.0, 12.0)  # [m] from a corner to the places beside it, in turn


@dataclass(frozen=True)
class Candidates:
    """Control points of ways, their costs and infeasible points; `closed` tells where no way leads on."""

    ways: list[np.ndarray]
    costs: np.ndarray
    troubled: np.ndarray
    closed: tuple[np.ndarray, np.ndarray] | None

    @property
    def drivable(self) -> bool:
        return bool((self.troubled == 0).any())


def candidates(
    problem: PathProblem,
    start: tuple[float, float],
    goal: tuple[float, float],
    shape: tuple[int, int],
    paths: int,
) -> Candidates:
    """Ways of the grid of `shape`, or of finer ones until one can be driven."""
    found = Candidates([], np.zeros(0), np.zeros(0), None)
    x0, y0, x1, y1 = problem.terrain.extent
    coarse = True
    while True:
        cell = max((x1 - x0) / (shape[0] - 1), (y1 - y0) / (shape[1] - 1))
        chains = passages(problem.terrain, problem.vehicle, 1.6 * cell)
        asked = (problem.terrain, problem.vehicle, start, goal, shape, problem.speeds, problem.must_drive)
        search = GridSearch(*asked, chains)
        if chains and not search.reaches:
            search = GridSearch(*asked, chains, straight=False)
        if search.reaches:
            ways = [way.points for way in search.best(paths)]
            ways += [way.points for way in search.through_every_point()[: None if coarse else FEW]]
            found = judged(problem, [*found.ways, *ways])
        elif not found.ways:
            found = Candidates([], np.zeros(0), np.zeros(0), search.closed_between())
        finer = (2 * shape[0] - 1, 2 * shape[1] - 1)
        if found.drivable or max(finer) > (FINEST_ROUND_WALLS if chains else FINEST):
            return found
        shape, paths, coarse = finer, min(paths, FEW), False


def judged(problem: PathProblem, ways: list[np.ndarray]) -> Candidates:
    """The distinct ones of `ways` with costs; those that touch closed ground are drawn to their corners."""
    distinct = list({way.tobytes(): way for way in ways}.values())
    costs, troubled, closed = _measured(problem, distinct)
    for beside in HUGS:
        rows = np.flatnonzero(closed > 0)
        if not len(rows):
            break
        drawn = [hugging(distinct[i], beside) for i in rows]
        again = _measured(problem, drawn)
        better = np.flatnonzero(again[2] < closed[rows])
        for k in better:
            i = rows[k]
            distinct[i], costs[i], troubled[i], closed[i] = drawn[k], again[0][k], again[1][k], again[2][k]
    return Candidates(distinct, costs, troubled if problem.must_drive else closed, None)


def hugging(way: np.ndarray, beside: float) -> np.ndarray:
    """The way (m, 2) with places `beside` [m] before and after each corner, and at thrice that."""
    points = [way[:1]]
    for a, b in pairwise(way):
        leg = float(np.hypot(*(b - a)))
        marks = [d for d in (beside, 3 * beside) if d < 0.4 * leg]
        shares = [d / leg for d in marks] + [1 - d / leg for d in reversed(marks)]
        points += [a + share * (b - a) for share in np.array(shares)[:, None, None]]
        points.append(b[None])
    return np.vstack(points)


def apart(found: Candidates, tube: float, most: int) -> list[int]:
    """Indices of ways, `most` of them, that lie in no better way's tube [m]; infeasible ones come after the
    feasible."""
    order = np.lexsort((found.costs, found.troubled > 0))
    kept: list[int] = []
    lines: list[np.ndarray] = []
    for i in order.tolist():
        line = plane_points(found.ways[i])
        if all(farthest(line, other) > tube for other in lines):
            kept.append(i)
            lines.append(line)
        if len(kept) == most:
            break
    return kept


def farthest(line: np.ndarray, other: np.ndarray) -> float:
    """How far [m] points (n, 2) lie from the nearest of others (k, 2), at most; some of many points do."""
    line, other = line[:: 1 + len(line) // 100], other[:: 1 + len(other) // 400]
    middle = other.mean(axis=0)
    line, other = line - middle, other - middle
    squares = (other**2).sum(axis=1) - 2.0 * (line @ other.T)
    return float(np.sqrt(max((squares.min(axis=1) + (line**2).sum(axis=1)).max(), 0.0)))


def plane_points(controls: np.ndarray, per_span: int = 6) -> np.ndarray:
    """Points (n, 2) of the B-spline with these control points (m, 2), `per_span` from one to the next."""
    first, last = 2 * controls[:1] - controls[1:2], 2 * controls[-1:] - controls[-2:-1]
    c = np.vstack([first, controls, last])
    t = np.arange(per_span)[:, None, None] / per_span
    s = 1 - t
    middle = (3 * t**3 - 6 * t**2 + 4) * c[1:-2] + (3 * s**3 - 6 * s**2 + 4) * c[2:-1]
    spans = (s**3 * c[:-3] + middle + t**3 * c[3:]) / 6
    return np.vstack([spans.swapaxes(0, 1).reshape(-1, 2), controls[-1:]])


def reknotted(controls: np.ndarray, share: float) -> np.ndarray:
    """About the same way with `share` as many control points, evenly spaced."""
    line = plane_points(controls)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    even = np.linspace(0.0, along[-1], max(4, round(share * len(controls))))
    return np.column_stack([np.interp(even, along, column) for column in line.T])


def _measured(problem: PathProblem, ways: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cost, infeasible points and points on closed ground of every way; ways of equal length in one batch."""
    costs, troubled, closed = np.empty((3, len(ways)))
    sizes = np.array([len(way) for way in ways])
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        batch = np.stack([ways[i] for i in rows])
        measures = problem.measures(batch)
        costs[rows] = problem.base(batch, measures)
        troubled[rows], closed[rows] = measures[:, TROUBLED], measures[:, CLOSED_POINTS]
    return costs, troubled, closed
