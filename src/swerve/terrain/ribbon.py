"""A closed line as a function of offsets from a centre line, with its exact derivatives.

Through the points Q_j = C_j + n_j·N_j runs a periodic cubic spline; its B-spline coefficients are D = A⁻¹·Q
with A the circulant (1, 4, 1)/6. Position and derivatives at the samples are sparse products with D, so the
chain from ∂T/∂curvature and ∂T/∂step back to ∂T/∂n is a few sparse products and one circulant solve.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_matrix

from .limits import C_Q, C_R, COLUMNS, K_Q, K_R, K_T, MOBILITY, STEP


class Ribbon:
    """`centre` (m, 3) at the knots, `ahead` (m, 2) its direction, `per_knot` samples from knot to knot."""

    def __init__(self, centre: np.ndarray, ahead: np.ndarray, per_knot: int):
        m = len(centre)
        self.centre = centre
        across = np.column_stack([-ahead[:, 1], ahead[:, 0]])
        self.across = across / np.linalg.norm(across, axis=1, keepdims=True)
        self.samples = m * per_knot
        # the circulant's eigenvalues, for solving by Fourier transform
        self._spectrum = (4.0 + 2.0 * np.cos(2 * np.pi * np.fft.rfftfreq(m))) / 6.0
        self._value, self._first, self._second = (_basis(m, per_knot, d) for d in range(3))

    def coefficients(self, offsets: np.ndarray) -> np.ndarray:
        """B-spline coefficients (m, 3) of the line with these offsets (m,)."""
        q = self.centre.copy()
        q[:, :2] += offsets[:, None] * self.across
        return self._solve(q)

    def points(self, offsets: np.ndarray) -> np.ndarray:
        """(samples, 3) of the line."""
        result: np.ndarray = self._value @ self.coefficients(offsets)
        return result

    def geometry(
        self, offsets: np.ndarray
    ) -> tuple[np.ndarray, Callable[[np.ndarray, np.ndarray], np.ndarray]]:
        """Rows (samples, 7) for the sweep, and the chain from (∂T/∂c_q, ∂T/∂step) to ∂T/∂offsets.

        The chain leaves out how the slope and the normal curvature of a road change with the offset: a road
        without bank has the same height across.
        """
        d = self.coefficients(offsets)
        first, second = self._first @ d, self._second @ d
        pace = np.linalg.norm(first, axis=1)
        t = first / pace[:, None]
        flat = np.sqrt(1.0 - t[:, 2] ** 2)
        q = np.column_stack([-t[:, 1], t[:, 0], np.zeros(len(t))]) / flat[:, None]
        r = np.cross(t, q)
        stretch = (second * t).sum(1)
        rows = np.empty((self.samples, COLUMNS))
        rows[:, K_T], rows[:, K_Q], rows[:, K_R] = t[:, 2], 0.0, r[:, 2]
        bend = rows[:, C_Q] = (second * q).sum(1) / pace**2
        rows[:, C_R] = (second * r).sum(1) / pace**2
        rows[:, MOBILITY] = 1.0
        h = len(offsets) / self.samples
        rows[:, STEP] = h / 2 * (pace + np.roll(pace, -1)) - h**2 / 12 * (np.roll(stretch, -1) - stretch)

        def chain(to_bend: np.ndarray, to_step: np.ndarray) -> np.ndarray:
            to_pace = h / 2 * (to_step + np.roll(to_step, 1))
            to_stretch = h**2 / 12 * (to_step - np.roll(to_step, 1))
            x1, y1, x2, y2 = first[:, 0], first[:, 1], second[:, 0], second[:, 1]
            cube = pace**3
            to_first = (
                to_bend[:, None] * (np.column_stack([y2, -x2]) / cube[:, None])
                + ((to_pace - 3 * to_bend * bend / pace) - to_stretch * stretch / pace)[:, None] * t[:, :2]
                + (to_stretch / pace)[:, None] * second[:, :2]
            )
            to_second = to_bend[:, None] * (np.column_stack([-y1, x1]) / cube[:, None])
            to_second += to_stretch[:, None] * t[:, :2]
            to_points = self._solve(self._first.T @ to_first + self._second.T @ to_second)
            result: np.ndarray = (to_points * self.across).sum(1)
            return result

        return rows, chain

    def _solve(self, values: np.ndarray) -> np.ndarray:
        return np.fft.irfft(np.fft.rfft(values, axis=0) / self._spectrum[:, None], n=len(values), axis=0)


def _basis(m: int, per_knot: int, derivative: int) -> csr_matrix:
    """(m·per_knot, m) weights of the coefficients for the value or a derivative at the samples."""
    t = np.arange(per_knot) / per_knot
    s = 1.0 - t
    weights = (
        (s**3 / 6, (3 * t**3 - 6 * t**2 + 4) / 6, (3 * s**3 - 6 * s**2 + 4) / 6, t**3 / 6),
        (-(s**2) / 2, 1.5 * t**2 - 2 * t, -1.5 * s**2 + 2 * s, t**2 / 2),
        (s, 3 * t - 2, 3 * s - 2, t),
    )[derivative]
    rows = np.repeat(np.arange(m * per_knot), 4)
    spans = np.repeat(np.arange(m), per_knot)
    columns = (spans[:, None] + np.arange(-1, 3)) % m
    values = np.tile(np.column_stack(weights), (m, 1))
    return csr_matrix((values.ravel(), (rows, columns.ravel())), shape=(m * per_knot, m))
