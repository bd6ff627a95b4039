"""Random streams: the same seed and name give the same numbers, any other gives others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swerve.core.seeding import generator


@given(st.integers(0, 2**70), st.lists(st.one_of(st.text(max_size=8), st.integers(0, 99)), max_size=3))
def test_streams_repeat(seed, names):
    np.testing.assert_array_equal(generator(seed, *names).random(4), generator(seed, *names).random(4))


def test_streams_differ_by_seed_and_by_name():
    draws = {
        generator(seed, *names).random()
        for seed in range(50)
        for names in ((), ("traffic",), ("start",), ("traffic", 1), ("traffic", 2), ("start", "traffic"))
    }
    assert len(draws) == 50 * 6


def test_stream_does_not_depend_on_the_process():
    """A frozen value: hashes of Python's own change from run to run."""
    assert generator(7, "traffic", 3).integers(0, 10**9) == np.random.default_rng(
        [7, 1432364592, 3]
    ).integers(0, 10**9)
