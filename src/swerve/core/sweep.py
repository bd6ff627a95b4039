"""One map behind every study, tuning, fit and bench: the same work on many items, results in their order.

Where it is done is not its matter: here, in processes, or on a Ray cluster (`sweeping`). With a ledger what
is finished is written down as it comes, and a run that was killed goes on where it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from .cluster import Cluster
from .errors import require
from .ledger import NOTHING, Ledger
from .progress import track
from .workers import Task, Workers

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTH_A_POOL = 8  # items; starting processes takes seconds, so less is done here unless workers are asked for


class Pool(Protocol):
    """Whoever does the work."""

    def run(self, work: Callable[[Any], Any], tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]: ...

    def close(self) -> None: ...


@dataclass
class Place:
    """Where sweeps are done. `workers` None: one a core, if it is worth it. `lasting`: its processes are kept
    from one sweep to the next."""

    workers: int | None = None
    ray: str | None = None
    ledger: Ledger | None = None
    lasting: bool = False
    pool: Pool | None = None

    def __post_init__(self) -> None:
        fine = self.workers is None or self.workers >= 1
        require(fine, "workers", self.workers, "must be at least 1")

    def run(self, work: Callable[[Item], Result], todo: list[tuple[int, Item]]) -> Iterator[tuple[int, Any]]:
        """Numbers and results of tasks, in any order."""
        count = self.workers or os.cpu_count() or 1
        few = len(todo) < (WORTH_A_POOL if self.workers is None else 2)
        if not todo or (self.ray is None and (few or count < 2)):  # who asks for a cluster gets it
            yield from ((k, work(item)) for k, item in todo)
            return
        if self.pool is None:
            self.pool = Workers(count) if self.ray is None else Cluster(self.ray, self.workers)
        if self.ray is None:
            (k, item), *todo = todo
            yield k, work(item)
        yield from self.pool.run(work, todo)

    def close(self) -> None:
        if self.pool is not None:
            self.pool.close()
            self.pool = None


_place = Place()


@contextmanager
def sweeping(
    workers: int | None = None, ray: str | None = None, ledger: Ledger | None = None
) -> Iterator[Place]:
    """Do all sweeps within in that many processes, or on the Ray cluster at that address (`local`: one on
    this machine), and keep what is finished in the ledger."""
    global _place
    before, _place = _place, Place(workers, ray, ledger, lasting=True)
    try:
        yield _place
    finally:
        _place.close()
        _place = before


@contextmanager
def resumable(
    path: Path, resume: bool, workers: int | None = None, ray: str | None = None
) -> Iterator[Place]:
    """As `sweeping`, with a ledger at `path` that goes away when all has ended well."""
    with Ledger(path, resume) as ledger, sweeping(workers, ray, ledger) as place:
        yield place
        ledger.finish()


def sweep(
    work: Callable[[Item], Result], items: Sequence[Item], what: str, workers: int | None = None
) -> list[Result]:
    """`[work(item) for item in items]`, wherever sweeps are done now, showing how far it is.

    `work` must be a function of a module, or a `partial` of one, and depend on its item alone; then the
    result does not depend on where it is done. With a ledger anything else is refused. The first item is done
    here, so that kernels are compiled once, for all. With `workers` it is done in that many processes,
    wherever others are: 1 for what measures times.
    """
    place = _place if workers is None else Place(workers, None, _place.ledger)
    ledger = place.ledger
    known: list[Any] = [NOTHING if ledger is None else ledger.result(work, item) for item in items]
    results = {k: result for k, result in enumerate(known) if result is not NOTHING}
    todo = [(k, item) for k, item in enumerate(items) if k not in results]
    try:
        for k, result in track(place.run(work, todo), what, len(items), len(results)):
            if ledger is not None:
                ledger.add(work, items[k], result)
            results[k] = result
    finally:
        if not place.lasting:
            place.close()
    return [results[k] for k in range(len(items))]


def remember(work: Callable[..., Result], *given: object, about: tuple[object, ...] = ()) -> Result:
    """`work(*given)`, here, or what the ledger says it gave: for trials of which each depends on the last.

    `about` is all else that the result depends on; with it, `work` may be a function in a function.
    """
    ledger = _place.ledger
    if ledger is None:
        return work(*given)
    known: object = (work.__module__, work.__qualname__) if about else work
    result = ledger.result(known, (given, about))
    if result is NOTHING:
        result = work(*given)
        ledger.add(known, (given, about), result)
    return result
