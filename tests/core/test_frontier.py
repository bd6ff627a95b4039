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
def _known(seen, state):
    return known(seen, state)


@kernel
def _see(seen, state):
    see(seen, state)


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


@given(st.lists(st.one_of(st.integers(0, 40), st.integers(0, 2**64 - 1)), max_size=120))
def test_seen_table_is_a_set(states):
    """Small numbers crowd the same slots; 0 and 1 are one state, since 0 marks an empty slot."""
    frontier, plain = Frontier(max(1, len(states))), set()
    for state in states:
        assert _known(frontier.seen, np.uint64(state)) == (max(state, 1) in plain)
        _see(frontier.seen, np.uint64(state))
        plain.add(max(state, 1))
        assert _known(frontier.seen, np.uint64(state))


def test_table_stays_half_empty():
    for capacity in (1, 2, 3, 1000, 45_000):
        slots = len(Frontier(capacity).seen)
        assert slots >= 2 * capacity and slots & (slots - 1) == 0
