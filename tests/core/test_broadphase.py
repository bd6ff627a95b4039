"""The map of walls against brute force over all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plain_shapes import boxes_touch_segments, point_to_segments
from swerve.core.broadphase import FIELD_UNIT, WallMap


def random_walls(rng: np.random.Generator, count: int, spread: float) -> np.ndarray:
    """Long, short, upright, level and pointlike segments."""
    start = rng.uniform(-spread, spread, (count, 2))
    reach = rng.normal(0, 1, (count, 2)) * rng.choice([0.0, 0.2, 3.0, spread], (count, 1))
    reach[rng.random(count) < 0.2, 0] = 0.0
    reach[rng.random(count) < 0.2, 1] = 0.0
    start = np.where(rng.random((count, 1)) < 0.2, np.round(start / 4) * 4, start)  # on borders of cells
    return np.hstack([start, start + reach])


@pytest.mark.parametrize("seed", range(4))
def test_boxes_of_any_size_hit_exactly_what_brute_force_says(seed):
    rng = np.random.default_rng(seed)
    segments = random_walls(rng, [1, 5, 40, 200][seed], [3.0, 40.0, 80.0, 150.0][seed])
    walls = WallMap(segments)
    hits = 0
    for _ in range(250):
        near = segments[rng.integers(len(segments)), :2]
        x, y = near + rng.normal(0, rng.choice([1.0, 10.0, 60.0]), 2)
        heading = rng.uniform(-7, 7)
        a, b = rng.choice([0.05, 1.0, 5.0, 40.0]) * rng.uniform(0.3, 1, 2)
        found = walls.hits_box(x, y, heading, a, b)
        pose = np.array([[x, y, heading]])
        sure = boxes_touch_segments(pose, 2 * a - 1e-9, 2 * b - 1e-9, segments).any()
        maybe = boxes_touch_segments(pose, 2 * a + 1e-9, 2 * b + 1e-9, segments).any()
        assert sure <= found <= maybe
        hits += found
    assert 20 < hits < 240


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.5, 1.0, 2.0]))
def test_clearance_never_exceeds_the_true_distance(seed, cell):
    rng = np.random.default_rng(seed)
    segments = random_walls(rng, int(rng.integers(1, 12)), 15.0)
    walls = WallMap(segments, cell)
    _, _, _, field, frame = walls.arrays()
    points = rng.uniform(-25, 25, (300, 2))
    index = ((points - frame[:2]) / frame[3]).astype(int)
    known = ((index >= 0) & (index < field.shape)).all(axis=1)
    claimed = field[tuple(index[known].T)] * FIELD_UNIT
    true = point_to_segments(points[known], segments).min(axis=1)
    assert (claimed <= true + 1e-9).all()
    near = true < 5.0
    assert (claimed[near] >= true[near] - 2 * cell * np.sqrt(0.5) - FIELD_UNIT - 1e-9).all()  # nor is it idle


def test_nothing_is_known_to_be_free_outside_the_map():
    walls = WallMap(np.array([[0.0, 0.0, 1.0, 0.0]]))
    assert not walls.hits_box(500.0, 500.0, 0.3, 5.0, 5.0)
    assert walls.hits_box(500.0, 0.0, 0.0, 600.0, 1.0)
