"""The same work on a Ray cluster (extra `sweep`): as `core.workers`, on other machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .errors import BadInput
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

    def close(self) -> None:
        self._ray.shutdown()


def _version() -> str:
    """A plain function, as Ray wants it: one that remembers its result is none."""
    return code_version()


def _call(work: Callable[[Any], Any], item: Any) -> Any:
    return work(item)
