"""The same work on a Ray cluster (extra `sweep`): as `core.workers`, on other machines."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .errors import BadInput, SwerveError
from .ledger import code_version
from .workers import Task

AHEAD = 2  # tasks a core that are handed over at once


class Cluster:
    """A cluster at `address`; `local` starts one on this machine that ends with this process."""

    def __init__(self, address: str, workers: int | None = None):
        try:
            import ray
        except ImportError as error:
            raise BadInput("--ray", address, "needs Ray (pip install 'swerve[sweep]')") from error
        self._ray: Any = ray
        self._actors: list[Any] = []
        self._told: list[Any] = []
        try:
            where = {"num_cpus": workers} if address == "local" else {"address": address}
            ray.init(**where, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise BadInput("--ray", address, f"cannot be reached ({error})") from error
        self._window = AHEAD * int(workers or ray.cluster_resources().get("CPU", 1))
        theirs = ray.get(ray.remote(_version).remote())
        if theirs != code_version():
            self.close()
            raise BadInput("--ray", address, "has another version of swerve, or of a library below it")

    def run(self, work: Callable[[Any], Any], tasks: Iterable[Task]) -> Iterator[tuple[int, Any]]:
        """Numbers of tasks with their results, as they are finished."""
        remote = self._ray.remote(_call).options(max_retries=-1)  # a machine may go away meanwhile
        shared = self._ray.put(work)
        todo, doing = iter(tasks), {}
        try:
            while True:
                for number, item in todo:
                    doing[remote.remote(shared, item)] = number
                    if len(doing) >= self._window:
                        break
                if not doing:
                    return
                (ready,), _ = self._ray.wait(list(doing), num_returns=1)
                yield doing.pop(ready), self._ray.get(ready)
        except self._ray.exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        finally:
            for one in doing:
                self._ray.cancel(one, force=True)

    def tell(self, work: Callable[[Any], Any], items: Sequence[Any]) -> None:
        """As `Workers.tell`: the k-th item to the k-th actor, wherever that lives."""
        if not self._actors:
            self._actors = [self._ray.remote(_Actor).remote() for _ in items]
        self._told = [
            actor.do.remote(pickle.dumps((work, item)))
            for actor, item in zip(self._actors, items, strict=True)
        ]

    def hear(self) -> list[Any]:
        """Results of what all actors were told, in their order."""
        try:
            return [pickle.loads(packed) for packed in self._ray.get(self._told)]  # from our own actors
        except self._ray.exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except self._ray.exceptions.RayActorError:
            raise SwerveError("an actor of the Ray cluster was lost, and all that it knew") from None

    def close(self) -> None:
        self._actors = []
        self._ray.shutdown()


def _version() -> str:
    """A plain function, as Ray wants it: one that remembers its result is none."""
    return code_version()


def _call(work: Callable[[Any], Any], item: Any) -> Any:
    return work(item)


class _Actor:
    """A process of the cluster that is told one thing after another. What it is handed travels packed: Ray
    would hand arrays over in memory that cannot be written to."""

    def do(self, packed: bytes) -> bytes:
        work, item = pickle.loads(packed)  # from whoever started it
        return pickle.dumps(work(item))
