"""Kernels hold no lock, so a batch can be cut into slices for several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

LEAST = 500  # rows a slice must have for a thread to pay


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads)


def cut(columns: tuple[np.ndarray, ...], rows: slice) -> tuple[Any, ...]:
    """Those rows of all of them, as kernels take them."""
    return tuple(column[rows] for column in columns)


def in_slices(work: Callable[[slice], None], rows: int, threads: int, most: int | None = None) -> None:
    """Call `work` with slices that together cover `rows`, none longer than `most`; results do not depend on
    how many there are."""
    parts = max(1, min(threads, rows // LEAST))
    cut = max(parts, -(-rows // most)) if most else parts
    cuts = [slice(k * rows // cut, (k + 1) * rows // cut) for k in range(cut)]
    if parts == 1:
        for one in cuts:
            work(one)
        return
    list(_pool(parts).map(work, cuts))
