"""Angles of innermost loops are those of the library."""

import numpy as np

from swerve.core.kernels import kernel
from swerve.core.quick import cosine_sine, direction


@kernel
def _all(y, x, out):
    for i in range(len(x)):
        out[i, 0], out[i, 1] = cosine_sine(x[i])
        out[i, 2] = direction(y[i], x[i])


def test_sines_and_directions_are_those_of_the_library():
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(0, size, 20_000) for size in (0.1, 1.0, 10.0, 1e4)])
    y = rng.normal(0, 1, len(x)) * rng.choice([0.0, 0.01, 1.0, 100.0], len(x))
    y += 0.0  # no −0
    quarters = np.arange(-8, 9) * (np.pi / 2)
    x, y = np.concatenate([x, quarters]), np.concatenate([y, quarters + 1e-9])
    out = np.empty((len(x), 3))
    _all(y, x, out)
    expected = np.column_stack([np.cos(x), np.sin(x), np.arctan2(y, x)])
    np.testing.assert_allclose(out, expected, rtol=0, atol=6e-16)
