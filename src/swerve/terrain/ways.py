"""Candidates for local optimisation: ways through grids, finer ones where coarse ones show no way.

A grid's way becomes the control points of a B-spline, which cuts its corners. Where that leads over closed
ground, places close to each corner are added, and the curve keeps to the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from swerve.core.kernels import kernel

from .evaluate import COARSE, PathProblem
from .gaps import MOST_GAPS, passages
from .grid import GridSearch
from .measure import CLOSED_POINTS, TROUBLED

FINEST, FINEST_ROUND_WALLS = 81, 41  # grid points along a side; where all gaps are found by themselves
OTHERWISE = (1.2, 2.0, 3.0)  # times as many points, where doubling them between walls shows no way
FEW = 12  # ways through a grid that is finer than asked for
OTHER_KNOTS = 0.5, 2.2  # times the usual number of control points, that a way led astray has
PART, ASIDE = (
    (0.8, 3.0),
    (0.3, 2.5),
)  # of it is drawn aside, and about how far, in distances between control points
HUGS = (40.0, 20.0, 12.0)  # [m] from a corner to the places beside it, in turn
BESIDE_TURNS = 20.0  # [m] the same where ways turn close to a gap


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

    @cached_property
    def lines(self) -> list[np.ndarray]:
        """Points (n, 2) of each way."""
        lines: dict[int, np.ndarray] = {}
        for rows, ways in _of_equal_length(self.ways):
            lines |= zip(rows.tolist(), plane_points(ways), strict=True)
        return [lines[i] for i in range(len(lines))]


def candidates(
    problem: PathProblem,
    start: tuple[float, float],
    goal: tuple[float, float],
    shape: tuple[int, int],
    paths: int,
) -> Candidates:
    """Ways of the grid of `shape`, or of finer ones until one can be driven: judged on few points of each
    path, but for that one."""
    rough = problem.coarser(COARSE) or problem
    found = Candidates([], np.zeros(0), np.zeros(0), None)
    x0, y0, x1, y1 = problem.terrain.extent
    coarse = True
    others = [(round(by * shape[0]), round(by * shape[1])) for by in OTHERWISE]
    while True:
        cell = max((x1 - x0) / (shape[0] - 1), (y1 - y0) / (shape[1] - 1))
        chains = passages(problem.terrain, problem.vehicle, 1.6 * cell)
        asked = (problem.terrain, problem.vehicle, start, goal, shape, problem.speeds, problem.must_drive)
        search = GridSearch(*asked, chains)
        if chains and not search.reaches:
            search = GridSearch(*asked, chains, straight=False)
        for bent in (False, True):
            if bent:
                turning = passages(problem.terrain, problem.vehicle, 1.6 * cell, bent=True)
                if not turning:
                    break
                search = GridSearch(*asked, turning)
            if search.reaches:
                ways = [way.points for way in search.best(paths)]
                ways += [way.points for way in search.through_every_point()[: None if coarse else FEW]]
                if bent:  # a long leg after short ones makes the turn between them tight
                    ways = [hugging(way, BESIDE_TURNS) for way in ways]
                found = judged(rough, [*found.ways, *ways])
                _confirm(problem, found)
            elif not found.ways:
                found = Candidates([], np.zeros(0), np.zeros(0), search.closed_between())
            if found.drivable:
                return found
        finer = (2 * shape[0] - 1, 2 * shape[1] - 1)
        if max(finer) > (FINEST_ROUND_WALLS if turning and len(chains) < MOST_GAPS else FINEST):
            if not turning or not others:
                return found
            finer = others.pop(0)  # doors may lie badly to one grid, hardly to all
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


def _confirm(problem: PathProblem, found: Candidates) -> None:
    """Judge ways that were looked at roughly on all points, best first, until one can be driven."""
    for i in np.argsort(found.costs):
        if found.troubled[i] == 0:
            cost, troubled, closed = _measured(problem, [found.ways[i]])
            found.costs[i], found.troubled[i] = cost[0], (troubled if problem.must_drive else closed)[0]
            if found.troubled[i] == 0:
                return


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
        line = found.lines[i]
        if not any(within(line, other, tube) for other in lines):
            kept.append(i)
            lines.append(line)
        if len(kept) == most:
            break
    return kept


@kernel
def within(line: np.ndarray, other: np.ndarray, radius: float) -> bool:
    """Whether all points (n, 2) lie within `radius` [m] of any of others (k, 2); some of many points do."""
    skip = 1 + len(other) // 400
    count, near = (len(other) + skip - 1) // skip, 0
    for i in range(0, len(line), 1 + len(line) // 100):
        found = False
        for j in range(count):
            k = (near + j) % count  # what is near this point is near the next
            x, y = other[k * skip, 0], other[k * skip, 1]
            if (line[i, 0] - x) ** 2 + (line[i, 1] - y) ** 2 <= radius * radius:
                found, near = True, k
                break
        if not found:
            return False
    return True


def plane_points(controls: np.ndarray, per_span: int = 6) -> np.ndarray:
    """Points (…, n, 2) of the B-splines with these control points (…, m, 2), `per_span` from one to the
    next."""
    head, tail = controls[..., :1, :], controls[..., -1:, :]
    first, last = 2 * head - controls[..., 1:2, :], 2 * tail - controls[..., -2:-1, :]
    c = np.concatenate([first, controls, last], axis=-2)[..., None, :]
    t = np.arange(per_span)[:, None] / per_span
    s = 1 - t
    middle = (3 * t**3 - 6 * t**2 + 4) * c[..., 1:-2, :, :] + (3 * s**3 - 6 * s**2 + 4) * c[..., 2:-1, :, :]
    spans = (s**3 * c[..., :-3, :, :] + middle + t**3 * c[..., 3:, :, :]) / 6
    points: np.ndarray = np.concatenate([spans.reshape(*controls.shape[:-2], -1, 2), tail], axis=-2)
    return points


def reknotted(controls: np.ndarray, count: int) -> np.ndarray:
    """About the same way with so many control points, evenly spaced."""
    line = plane_points(controls)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    even = np.linspace(0.0, along[-1], max(4, count))
    way = np.column_stack([np.interp(even, along, column) for column in line.T])
    way[[0, -1]] = controls[[0, -1]]
    return way


def strayed(
    controls: np.ndarray, usual: float, extent: tuple[float, float, float, float], rng: np.random.Generator
) -> np.ndarray:
    """About the same way with fewer or more than the `usual` number of control points, and a part of it drawn
    aside, inside the map."""
    way = reknotted(controls, round(usual * rng.uniform(*OTHER_KNOTS)))
    between = float(np.hypot(*np.diff(way, axis=0).T).mean())
    middle, wide = rng.uniform(0.0, len(way) - 1.0), rng.uniform(*PART)
    share = np.exp(-(((np.arange(len(way)) - middle) / wide) ** 2))
    drawn: np.ndarray = way + share[:, None] * rng.normal(0.0, rng.uniform(*ASIDE) * between, (1, 2))
    drawn[[0, -1]] = way[[0, -1]]
    return np.clip(drawn, *np.reshape(extent, (2, 2)))


def _measured(problem: PathProblem, ways: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cost, infeasible points and points on closed ground of every way; ways of equal length in one batch."""
    costs, troubled, closed = np.empty((3, len(ways)))
    for rows, batch in _of_equal_length(ways):
        measures = problem.measures(batch)
        costs[rows] = problem.base(batch, measures)
        troubled[rows], closed[rows] = measures[:, TROUBLED], measures[:, CLOSED_POINTS]
    return costs, troubled, closed


def _of_equal_length(ways: list[np.ndarray]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Which ways (k,) are of the same number m of points, and these ways (k, m, 2)."""
    sizes = np.array([len(way) for way in ways])
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        yield rows, np.stack([ways[i] for i in rows])
