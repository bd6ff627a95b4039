"""The heap and the table of seen states against Python's own."""

import heapq

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swerve.core.frontier import Frontier, known, pop, push, see
from swerve.core.kernels import kernel


@kernel
def _push(keys, items, size, key, item):
    return push(keys, items, size, key, item)


@kernel
def _pop(keys, items, size):
    return pop(keys, items, size)


@kernel
def _known(seen, state, when):
    return known(seen, state, when)


@kernel
def _see(seen, state, when):
    return see(seen, state, when)


@given(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, 2.0])), max_size=200))
def test_heap_gives_the_least_key_first(orders):
    """A number is pushed, `None` pops."""
    frontier, size, plain, keys = Frontier(max(1, len(orders))), 0, [], {}
    for item, order in enumerate(orders):
        if order is not None:
            size = _push(frontier.keys, frontier.items, size, order, item)
            heapq.heappush(plain, order)
            keys[item] = order
        elif plain:
            size = _pop(frontier.keys, frontier.items, size)
            taken = int(frontier.items[size])
            assert keys.pop(taken) == heapq.heappop(plain) == frontier.keys[size]
        assert size == len(plain) == len(keys)
        assert sorted(frontier.items[:size].tolist()) == sorted(keys)


MOMENTS = st.one_of(st.integers(0, 3), st.integers(0, 65_535))
NAMES = st.one_of(st.integers(0, 40), st.integers(0, 2**48 - 1))


@given(st.lists(st.tuples(NAMES, MOMENTS), max_size=120))
def test_seen_table_knows_the_soonest_moment_of_every_state(visits):
    """Small numbers crowd the same slots; 0 and 1 are one state, since 0 marks an empty slot."""
    frontier, plain = Frontier(max(1, len(visits))), {}
    for name, when in visits:
        state, one = np.uint64(name << 16 | 0xABC), max(name, 1)
        known_before = plain.get(one, np.inf) <= when
        assert _known(frontier.seen, state, when) == known_before
        assert _see(frontier.seen, state, when) == (not known_before)
        plain[one] = min(plain.get(one, np.inf), when)
        assert _known(frontier.seen, state, when)
    for one, when in plain.items():
        assert when == 0 or not _known(frontier.seen, np.uint64(one << 16), when - 1)


def test_table_stays_half_empty():
    for capacity in (1, 2, 3, 1000, 45_000):
        slots = len(Frontier(capacity).seen)
        assert slots >= 2 * capacity and slots & (slots - 1) == 0
