"""The fastest line and its speeds together, by Newton's method from inside all limits.

A primal-dual interior-point method for `lap_terms`: every iterate can be driven, a barrier −μ·Σ log g keeps
it from the limits, and μ falls. Unknowns of neighbouring knots alone meet in a term, so the matrix of second
derivatives is a narrow band (a loop is folded, from both ends inwards), and a step costs a few milliseconds.
Where the matrix is not positive definite, its diagonal is raised until it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg.lapack import dpbtrf, dpbtrs

from .lap_knots import see_knots
from .lap_limits import LOCAL
from .lap_slopes import assemble, limit_moves
from .lap_terms import KNOWN, LIMITS, see_offsets, slacks

REACH = 3  # knots: how far apart the unknowns of one step lie
FIRST_BARRIER, LAST_BARRIER = 1e-2, 1e-6
FALL = 0.2  # of the barrier from one value to the next
ROUNDS = 300
SHORTEN, SHORTENINGS = 0.5, 25
ENOUGH = 0.01  # of the barrier at every knot: what is left to gain when the barrier falls
TO_BOUND = 0.995  # of the way to a limit in one step
NEARNESS = 1e4  # a dual stays within this factor of barrier / slack


@dataclass
class LapProblem:
    """What a lap is made of; see `lap_terms` for the arrays."""

    base: np.ndarray  # (n, 2) coefficients of the centre line
    across: np.ndarray  # (n, 2) unit, to the left
    stencil: np.ndarray  # (n, 6) weights of the first and second derivative
    edge: np.ndarray  # (n, 2, 4)
    hills: np.ndarray  # (n, 3, k), or none where the road is flat
    room: np.ndarray  # (n, 4) [m]
    car: np.ndarray
    table: np.ndarray
    closed: bool
    held: np.ndarray  # (n,) bool, speeds that are given
    place: np.ndarray = field(init=False)
    width: int = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.base)
        self.place = np.arange(n)
        if self.closed:
            self.place = np.where(self.place < (n + 1) // 2, 2 * self.place, 2 * (n - 1 - self.place) + 1)
        self.width = 2 * REACH * (2 if self.closed else 1) + 2

    def offset(self, d: np.ndarray) -> np.ndarray:
        """(n, 2) [m] the line's place across the road, left of the reference, at knots and half-way."""
        offset = np.empty((len(d), 2))
        see_offsets(d, self.edge, offset)
        return offset

    def line(self, d: np.ndarray) -> np.ndarray:
        """(n, 2) coefficients."""
        return self.base + d[:, None] * self.across

    def known(self, d: np.ndarray, offset: np.ndarray) -> np.ndarray:
        """(n, KNOWN) what knots know."""
        known = np.empty((len(d), KNOWN))
        see_knots(self.line(d), offset[:, 0].copy(), self.across, self.stencil, self.hills, self.car, known)
        return known

    def slacks(self, d: np.ndarray, x: np.ndarray, out: np.ndarray) -> float:
        """Time [s] and, in `out`, the room to every limit; negative when one is broken."""
        offset = self.offset(d)
        known = self.known(d, offset)
        return float(slacks(known, x, offset, self.room, self.car, self.table, self.closed, out))


@dataclass
class Inside:
    """A line (offsets d of its coefficients) and its v², inside all limits; the time, the price of every
    limit, and how many steps it took."""

    d: np.ndarray
    x: np.ndarray
    time: float
    dual: np.ndarray
    iterations: int = 0


def minimise(
    problem: LapProblem,
    d: np.ndarray,
    x: np.ndarray,
    first: float = FIRST_BARRIER,
    last: float = LAST_BARRIER,
    rounds: int = ROUNDS,
) -> Inside:
    """The line of least time from one that is inside all limits, as `LapProblem.slacks` says."""
    n = len(d)
    slack, trial = np.empty((n, LIMITS)), np.empty((n, LIMITS))
    slope, band = np.empty(2 * n), np.empty((2 * n, problem.width))
    moves, change = np.empty((n, LIMITS, LOCAL)), np.empty((n, LIMITS))
    time = problem.slacks(d, x, slack)
    if not time > 0.0:
        raise ValueError("the start is not inside all limits")
    barrier, raised, done = first, 0.0, 0
    dual = barrier / slack
    rows = 2 * problem.place
    for done in range(1, rounds + 1):  # noqa: B007
        assemble(
            problem.line(d),
            x,
            problem.offset(d)[:, 0].copy(),
            problem.across,
            problem.stencil,
            problem.edge,
            problem.hills,
            problem.car,
            problem.table,
            problem.closed,
            problem.held,
            slack,
            dual,
            barrier,
            problem.place,
            slope,
            band,
            moves,
        )
        step, raised = _newton(band, slope, raised)
        limit_moves(moves, step, problem.place, problem.closed, change)
        new_dual = (barrier - dual * change) / slack
        promised = float(slope @ step)
        merit = time - barrier * float(np.log(slack).sum())
        falling = change < 0.0
        reach = min(1.0, float((-TO_BOUND * slack[falling] / change[falling]).min(initial=np.inf)))
        for _ in range(SHORTENINGS):
            moved_d, moved_x = d + reach * step[rows], x + reach * step[rows + 1]
            took = problem.slacks(moved_d, moved_x, trial)
            if took > 0.0:
                there = took - barrier * float(np.log(trial).sum())
                if there <= merit + 1e-4 * reach * promised + 1e-12 * abs(merit):
                    break
            reach *= SHORTEN
        else:
            if raised > 1e6:
                break
            raised = max(10.0 * raised, 1e-4)
            continue
        d, x, time = moved_d, moved_x, took
        slack, trial = trial, slack
        drop = dual - new_dual
        dual_reach = min(1.0, float((TO_BOUND * dual[drop > 0] / drop[drop > 0]).min(initial=np.inf)))
        dual = np.clip(dual - dual_reach * drop, barrier / slack / NEARNESS, barrier / slack * NEARNESS)
        if reach > 0.9:
            raised *= 0.25
            if raised < 1e-8:
                raised = 0.0
        if -promised < ENOUGH * barrier * n and reach > 0.5:
            if barrier <= last:
                break
            barrier = max(FALL * barrier, last)
    return Inside(d, x, time, dual, done)


def _newton(band: np.ndarray, slope: np.ndarray, raised: float) -> tuple[np.ndarray, float]:
    """The step that Newton's method proposes, with the diagonal raised by a share as far as need be."""
    diagonal = np.maximum(np.abs(band[:, 0]), 1e-12)
    while True:
        matrix = band.copy()
        matrix[:, 0] = band[:, 0] + raised * diagonal
        factor, failed = dpbtrf(matrix.T, lower=1, overwrite_ab=1)
        if not failed:
            return -dpbtrs(factor, slope, lower=1)[0], raised
        raised = max(4.0 * raised, 1e-4)
