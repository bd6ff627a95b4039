"""The line of least ∫ c² ds inside the edges of a closed road: smooth, and slower than the fastest.

The unknowns are offsets from the centre line at knots, closer together where it bends; a periodic cubic
spline runs through the offset points (`ribbon`), and a quasi-Newton method made for curves (`descent`)
moves it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.fft import next_fast_len
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from .descent import Descent, LoopMetric, Objective, descend
from .limits import C_Q, STEP
from .ribbon import Ribbon

KNOT_GAP = (2.0, 6.0)  # [m] between the unknowns, least and most
RADIUS_SHARE = 0.1  # of the centre line's radius between unknowns, within those
SMOOTHING, WAVELENGTH = 6.0, 200.0  # [m] of the metric of steps
BARRIERS = (1e-2, 1e-3, 1e-4, 1e-4)
ROUNDS = 200
FINE_SAMPLES = 6  # points from knot to knot at which the edges are checked
SAFETY = 0.02  # [m] kept from the edges for the curve between knots

Margins = Callable[[np.ndarray, float], tuple[np.ndarray, np.ndarray]]


def least_bend(
    length: float, along: CubicSpline, margins: Margins, car_width: float
) -> tuple[np.ndarray, int]:
    """Points (n, 3) of the line and the iterations; `along` gives x, y, z, right, left over `length` [m]."""
    at = _knots(length, along)
    place, ahead = along(at), along(at, 1)[:, :2]
    half = 0.5 * car_width + SAFETY
    low, high = half - place[:, 3], place[:, 4] - half
    metric = LoopMetric(len(at), float(np.diff(at).mean()), SMOOTHING, WAVELENGTH)
    coarse, fine = Ribbon(place[:, :3], ahead, 2), Ribbon(place[:, :3], ahead, FINE_SAMPLES)
    share = 0.1 * (high - low)
    state = Descent(np.clip(np.zeros(len(low)), low + share, high - share))
    for barrier in BARRIERS:
        state = descend(bending(coarse), state, low, high, metric, barrier, ROUNDS)
        state = Descent(state.x, 1.0, state.iterations)
        # between knots the curve may bulge over an edge: draw the bounds in there, and go on
        margin, side = margins(fine.points(state.x), car_width)
        low = low + _bulges(np.where(side < 0, margin, np.inf))
        high = high - _bulges(np.where(side < 0, np.inf, margin))
        state.x = np.clip(state.x, low + 1e-3, high - 1e-3)
    return fine.points(state.x), state.iterations


def bending(ribbon: Ribbon) -> Objective:
    """∫ c² ds in thousandths."""

    def objective(offsets: np.ndarray) -> tuple[float, np.ndarray]:
        rows, chain = ribbon.geometry(offsets)
        bend, step = rows[:, C_Q], rows[:, STEP]
        return 1e3 * float((bend * bend * step).sum()), 1e3 * chain(2 * bend * step, bend * bend)

    return objective


def _knots(length: float, along: CubicSpline) -> np.ndarray:
    """Where the unknowns stand along the centre line: closer together where it bends."""
    fine = np.linspace(0.0, length, max(64, round(length)), endpoint=False)
    first, second = along(fine, 1)[:, :2], along(fine, 2)[:, :2]
    bend = (
        np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / np.linalg.norm(first, axis=1) ** 3
    )
    dense = 1.0 / np.clip(RADIUS_SHARE / np.maximum(bend, 1e-9), *KNOT_GAP)
    dense = gaussian_filter1d(maximum_filter1d(dense, 25, mode="wrap"), 15.0, mode="wrap")
    count = np.concatenate([[0.0], np.cumsum(dense)]) * length / len(fine)
    total = next_fast_len(max(16, round(count[-1])), real=True)
    even = np.linspace(0.0, count[-1], total, endpoint=False)
    return np.interp(even, count, np.append(fine, length))


def _bulges(room: np.ndarray) -> np.ndarray:
    """How far to draw in a bound at each knot, from the room at the fine points around it."""
    short = np.where(room < 0.0, 0.01 - room, 0.0)
    return maximum_filter1d(short, 2 * FINE_SAMPLES + 1, mode="wrap")[::FINE_SAMPLES]
