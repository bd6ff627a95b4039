"""The map of movers names every mover that could be where and when it is asked about."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swerve.core.movers import BUCKET, CELL, EVERYBODY, NOBODY, SIDE, MoverMap


@given(st.integers(0, 2**32 - 1))
def test_no_mover_is_forgotten(seed):
    rng = np.random.default_rng(seed)
    count, frames, start = int(rng.integers(1, 25)), int(rng.integers(5, 90)), int(rng.integers(0, 60))
    length = int(rng.integers(start + 1, start + 140))  # may end before the last question
    first = rng.uniform(-1, 1, (count, 1, 2)) * rng.choice([5.0, 60.0, 400.0])
    speed = rng.normal(0, rng.choice([0.1, 1.0, 9.0]), (count, 1, 2))
    poses = first + speed * np.arange(length)[:, None] + rng.normal(0, 0.1, (count, length, 2))
    radius, reach, pace = rng.uniform(0.3, 5), rng.uniform(0.5, 6), rng.uniform(0.2, 2)
    place = rng.uniform(-30, 30, 2)
    movers = MoverMap(frames)
    movers.fill(np.ascontiguousarray(poses), start, radius, reach, place, pace)
    for _ in range(40):
        frame = int(rng.integers(frames))
        late = frame + int(rng.integers(BUCKET + 1))
        angle, way = rng.uniform(0, 7), rng.uniform(0, pace * frame)
        x, y = place + way * np.array([np.cos(angle), np.sin(angle)])
        named = movers.cells[frame // BUCKET, int(x // CELL) % SIDE, int(y // CELL) % SIDE].tolist()
        when = np.minimum(np.arange(frame, late + 1) + start, length - 1)
        there = np.hypot(*(np.moveaxis(poses[:, when], -1, 0) - np.array([x, y])[:, None, None])).min(axis=1)
        if EVERYBODY not in named:
            assert set(np.flatnonzero(there <= radius + reach)) <= set(named)
        if NOBODY in named:  # nobody stands behind the first empty slot
            assert set(named[named.index(NOBODY) :]) == {NOBODY}


def test_far_movers_are_left_out():
    movers = MoverMap(30)
    movers.fill(np.full((3, 40, 2), 500.0), 0, 2.0, 2.0, np.zeros(2), 1.0)
    assert (movers.cells == NOBODY).all()
