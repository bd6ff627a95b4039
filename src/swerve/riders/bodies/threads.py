"""Kernels hold no lock, so a batch can be cut into slices for several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

LEAST = 500  # rows a slice must have for a thread to pay


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads)


def in_slices(work: Callable[[slice], None], rows: int, threads: int) -> None:
    """Call `work` with slices that together cover `rows`; results do not depend on how many there are."""
    parts = max(1, min(threads, rows // LEAST))
    if parts == 1:
        work(slice(0, rows))
        return
    cuts = [slice(k * rows // parts, (k + 1) * rows // parts) for k in range(parts)]
    list(_pool(parts).map(work, cuts))
