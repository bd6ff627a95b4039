"""The same work on many items, on all cores, with results in the order of the items."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from .progress import track

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTH_A_POOL = 8  # items; starting processes takes seconds, so less is done here


def sweep(
    work: Callable[[Item], Result], items: Sequence[Item], what: str, workers: int | None = None
) -> list[Result]:
    """`[work(item) for item in items]`, in several processes, showing how far it is.

    `work` must be a function of a module and depend on its item alone; then the result does not depend on
    the number of workers. The first item is done here, so that kernels are compiled once, for all.
    """
    workers = workers if workers is not None else os.cpu_count() or 1
    if workers < 2 or len(items) < WORTH_A_POOL:
        return [work(item) for item in track(items, what)]
    return list(track(_in_processes(work, items, min(workers, len(items))), what, len(items)))


def _in_processes(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Iterator[Result]:
    yield work(items[0])
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield from pool.map(work, items[1:])
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
