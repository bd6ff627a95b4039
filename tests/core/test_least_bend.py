"""The least bent line: slopes against differences, and the answer against a plain optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

from swerve.core.geometry import resample
from swerve.core.least_bend import SHORT, WIDE, Middle, _misses, _newton, _sides, least_bend


def wave() -> Middle:
    x = np.arange(0.0, 120.0, 0.5)
    points = resample(np.column_stack([x, 12.0 * np.sin(x / 14.0)]), 4.0)
    ahead = np.gradient(points, axis=0)
    normal = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.hypot(*ahead.T)[:, None]
    return Middle(points, normal, float(np.hypot(*np.diff(points, axis=0).T).mean()), False)


def bean() -> Middle:
    a = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    r = 60 + 15 * np.cos(3 * a)
    points = np.column_stack([r * np.cos(a), r * np.sin(a)])
    ahead = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    normal = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.hypot(*ahead.T)[:, None]
    return Middle(points, normal, 4.5, True)


@pytest.mark.parametrize("power", [WIDE, SHORT])
@pytest.mark.parametrize("middle", [wave(), bean()])
def test_slopes_are_those_of_differences(middle, power):
    x = np.random.default_rng(3).uniform(-1.0, 1.0, len(middle.points))
    slope, _ = _newton(middle, x, power)
    for k in range(2, len(x) - 2, 7):
        step = 1e-5 * (np.arange(len(x)) == k)
        up, down = (float((_misses(*_sides(middle, at), power) ** 2).sum()) for at in (x + step, x - step))
        assert slope[k] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-6)


def test_the_least_bent_line_is_that_of_a_plain_optimiser():
    """The line of a bent road by general constrained minimisation of the same sum, at a few points."""
    middle = wave()
    n = len(middle.points)
    found, steps = least_bend(middle, np.full(n, -3.0), np.full(n, 3.0), np.zeros(n))

    def bent(offset: np.ndarray) -> float:
        p = middle.points + offset[:, None] * middle.normal
        a, b = p[1:-1] - p[:-2], p[2:] - p[1:-1]
        la, lb, lc = (np.hypot(*v.T) for v in (a, b, a + b))
        bend = 2 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / (la * lb * lc)
        return float((bend**2 * (la + lb) / 2).sum())

    plain = minimize(bent, found, method="L-BFGS-B", bounds=[(-3.0, 3.0)] * n, options={"maxiter": 15})
    assert steps > 1 and np.abs(found).max() <= 3.0 and bent(found) < 0.5 * bent(np.zeros(n))
    assert bent(found) < 1.01 * plain.fun
