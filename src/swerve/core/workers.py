"""Worker processes that do one thing after another for their parent, and never outlive it.

They do not hear Ctrl-C: the parent does, and ends them. If it is killed, a thread in each of them sees a
pipe close and ends the process, whatever it is busy with.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

from .errors import SwerveError

Task = tuple[int, Any]  # number and item


class Workers:
    """So many processes, started when first needed; `close` ends them, at once."""

    def __init__(self, count: int):
        self.count = count
        self._lines: dict[Connection, BaseProcess] = {}

    def run(self, work: Callable[[Any], Any], tasks: Iterable[Task]) -> Iterator[tuple[int, Any]]:
        """Numbers of tasks with their results, as they are finished."""
        todo = iter(tasks)
        idle, doing = list(self._lines), {}
        try:
            while True:
                for number, item in todo:
                    line = idle.pop() if idle else self._start()
                    line.send_bytes(pickle.dumps((work, item)))
                    doing[line] = number
                    if len(doing) == self.count:
                        break
                if not doing:
                    return
                for line in cast("list[Connection]", wait(list(doing))):
                    yield doing.pop(line), self._answer(line)
                    idle.append(line)
        except BaseException:
            self.close()  # whoever is still busy works for nobody
            raise

    def tell(self, work: Callable[[Any], Any], items: Sequence[Any]) -> None:
        """Hand the k-th process the k-th item; `hear` gives what comes of it. What such work keeps in its
        module it finds there again the next time."""
        try:
            while len(self._lines) < len(items):
                self._start()
            for line, item in zip(self._lines, items, strict=True):
                line.send_bytes(pickle.dumps((work, item)))
        except BaseException as error:
            self.close()
            if isinstance(error, BrokenPipeError):
                raise SwerveError("a worker process ended by itself") from None
            raise

    def hear(self) -> list[Any]:
        """Results of what all processes were told, in their order."""
        try:
            return [self._answer(line) for line in self._lines]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for line, process in self._lines.items():
            process.kill()
            line.close()
        for process in self._lines.values():
            process.join()
        self._lines = {}

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        resource_tracker.ensure_running()  # it would hear again when the first process starts
        with _deaf_to_interrupts():  # and what is started meanwhile stays so
            process.start()
        theirs.close()
        self._lines[ours] = process
        return ours

    def _answer(self, line: Connection) -> Any:
        try:
            error, result = line.recv()
        except (EOFError, ConnectionResetError):
            process = self._lines[line]
            process.join(1.0)
            raise SwerveError(f"a worker process ended by itself (exit status {process.exitcode})") from None
        if error is not None:
            error.add_note(result)
            raise error
        return result


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(line: Connection) -> None:
    """A worker's life: take a piece of work, do it, give the result back."""
    end_with_parent()
    while True:
        try:
            work, item = pickle.loads(line.recv_bytes())  # from our own parent
        except EOFError:
            return
        try:
            packed = pickle.dumps((None, work(item)))
        except Exception as error:
            packed = _packed(error, traceback.format_exc())
        try:
            line.send_bytes(packed)
        except BrokenPipeError:
            return


def _packed(error: Exception, where: str) -> bytes:
    try:
        pickle.loads(packed := pickle.dumps((error, where)))
        return packed
    except Exception:  # an error that cannot travel
        return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), where))


def end_with_parent() -> None:
    """Let this process end when the one that started it ends, however that comes about."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)
