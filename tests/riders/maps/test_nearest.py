import numpy as np
import pytest

from swerve.riders.maps.nearest import find_nearest, index_states


@pytest.mark.parametrize("dimensions", [(0,), (0, 2), (0, 1, 2)])
def test_the_nearest_state_is_the_one_of_all_that_is(dimensions):
    rng = np.random.default_rng(3)
    states = rng.normal(0, 1, (70, 4))
    begins, columns = np.array([0, 30, 70]), np.array(dimensions)
    scale = np.array([1.0, 3.0, 0.2])[: len(columns)]
    index = index_states(states, begins, columns, scale)
    asked, level = rng.normal(0, 1.5, (2000, 4)), rng.integers(2, size=2000)
    asked[:200] *= 20  # far outside everything that is stored
    asked[200:240] = states[rng.integers(70, size=40)]
    found = np.empty(2000, dtype=np.int64)
    find_nearest(asked, level, index, found)
    far = np.square((asked[:, None, columns] - states[None, :, columns]) * scale).sum(axis=-1)
    far[level == 0, 30:] = far[level == 1, :30] = np.inf
    np.testing.assert_array_equal(found, far.argmin(axis=1))


def test_a_state_stored_twice_is_found_at_its_first_place():
    states = np.zeros((6, 4))
    index = index_states(states, np.array([0, 6]), np.array([0, 2]), np.ones(2))
    found = np.empty(1, dtype=np.int64)
    find_nearest(np.full((1, 4), 0.01), np.zeros(1, dtype=np.int64), index, found)
    assert found[0] == 0
