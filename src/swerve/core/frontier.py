"""Best-first search on arrays: a heap of open nodes and a table of states already seen.

Nothing is allocated while searching; the arrays are made once by `Frontier` and handed to kernels.
"""

from __future__ import annotations

import numpy as np

from .kernels import inlined, inner

_WHEN = np.uint64(0xFFFF)  # bits of an entry that hold the soonest moment a state was seen at


class Frontier:
    """Room for `capacity` open nodes and twice as many seen states."""

    def __init__(self, capacity: int):
        self.keys = np.empty(capacity + 1, dtype=np.float64)
        self.items = np.empty(capacity + 1, dtype=np.int32)
        self.seen = np.zeros(1 << max(4, int(2 * capacity - 1).bit_length()), dtype=np.uint64)


@inlined
def push(keys: np.ndarray, items: np.ndarray, size: int, key: float, item: int) -> int:
    """Add an item to the min-heap of `size` items; returns the new size."""
    i = size
    while i > 0:
        up = (i - 1) >> 2
        if keys[up] <= key:
            break
        keys[i] = keys[up]
        items[i] = items[up]
        i = up
    keys[i] = key
    items[i] = item
    return size + 1


@inlined
def pop(keys: np.ndarray, items: np.ndarray, size: int) -> int:
    """Take the item with the least key to `items[size - 1]`; the heap is one shorter afterwards."""
    top_key, top_item = keys[0], items[0]
    size -= 1
    key, item = keys[size], items[size]
    i = 0
    while True:
        first = 4 * i + 1
        if first >= size:
            break
        best = first
        for child in range(first + 1, min(first + 4, size)):
            if keys[child] < keys[best]:
                best = child
        if keys[best] >= key:
            break
        keys[i] = keys[best]
        items[i] = items[best]
        i = best
    keys[i] = key
    items[i] = item
    keys[size] = top_key
    items[size] = top_item
    return size


@inner
@inlined
def mix(a: np.uint64, b: np.uint64) -> np.uint64:
    """Fold `b` into the hash `a`."""
    x = (a ^ b) * np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(29)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(32)
    return x


@inlined
def known(seen: np.ndarray, state: np.uint64, when: int) -> bool:
    """Whether a state was entered before, at `when` (0 to 65535) or sooner."""
    entry = seen[_slot(seen, state)]
    return bool(entry != np.uint64(0) and int(entry & _WHEN) <= when)


@inlined
def see(seen: np.ndarray, state: np.uint64, when: int) -> bool:
    """Enter a state's hash into the table; whether it was new, or known only from later moments."""
    slot = _slot(seen, state)
    entry = seen[slot]
    if entry != np.uint64(0) and int(entry & _WHEN) <= when:
        return False
    seen[slot] = _name(state) | np.uint64(when)
    return True


@inlined
def _name(state: np.uint64) -> np.uint64:
    """The part of a hash that tells states apart: the low bits hold the moment, and 0 is an empty slot."""
    return max(state & ~_WHEN, _WHEN + np.uint64(1))


@inlined
def _slot(seen: np.ndarray, state: np.uint64) -> np.uint64:
    """Where a state stands or would stand; the table is a power of two long."""
    name, mask = _name(state), np.uint64(seen.size - 1)
    i = (name >> np.uint64(16)) & mask
    while seen[i] != np.uint64(0) and seen[i] & ~_WHEN != name:
        i = (i + np.uint64(1)) & mask
    return i
