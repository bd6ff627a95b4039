"""The gains that hold a car on its line solve the quadratic problem that their module states."""

import numpy as np

from swerve.race.line_gains import ERROR, HANDS, SETTLE, backwards


def test_gains_are_those_of_a_plain_regulator():
    """The same going backwards, by matrices of NumPy."""
    rng = np.random.default_rng(8)
    count = 12
    a, b = np.eye(6) + 0.04 * rng.normal(size=(count, 6, 6)), 0.1 * rng.normal(size=(count, 6, 2))
    d, steer = 0.01 * rng.normal(size=(count, 6)), 0.1 * rng.normal(size=count)
    gains, ahead = backwards(a, b, d, steer, np.tile(HANDS, (len(a), 1, 1)), ERROR)

    value, slope = ERROR, np.zeros(7)
    for step in reversed(range(count + SETTLE)):
        k = min(step, count - 1)
        full = np.block([[a[k], b[k, :, :1]], [np.zeros((1, 6)), np.ones((1, 1))]])
        entry = np.vstack([b[k], [1.0, 0.0]])
        lack = np.append(d[k], steer[k] - steer[min(k + 1, count - 1)])
        effort = HANDS + entry.T @ value @ entry
        gain = np.linalg.solve(effort, entry.T @ value @ full)
        push = np.linalg.solve(effort, entry.T @ (value @ lack + slope))
        left = full - entry @ gain
        slope = left.T @ (value @ lack + slope)
        value = ERROR + gain.T @ HANDS @ gain + left.T @ value @ left
        if step < count:
            np.testing.assert_allclose(gains[k], gain, rtol=1e-8, atol=1e-10)
            np.testing.assert_allclose(ahead[k], push, rtol=1e-8, atol=1e-10)
