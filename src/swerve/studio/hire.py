"""A worker process as the server holds it: our end of its pipe, and a way to end it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import select
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection

PATIENCE = 2.0  # [s] that a worker gets to end by itself


class Hired:
    """A worker that was asked for. `hear_birth` tells it the process number as soon as there is one."""

    def __init__(self, pipe: Connection):
        self.pipe = pipe
        self.pid: int | None = None
        self._handle: int | None = None  # refers to that process alone, unlike its number

    def hear_birth(self, word: bytes) -> None:
        self.pid = int(word[1:])
        with contextlib.suppress(OSError, AttributeError):
            self._handle = os.pidfd_open(self.pid)

    def send(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self.pipe.send_bytes(text.encode())

    def signal(self, number: int) -> None:
        if self._handle is not None:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._handle, number)

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.pipe.close()  # who is not born yet finds it closed, and ends
        if self._handle is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            self.signal(number)
            self.signal(signal.SIGCONT)  # it may rest
            if select.select([self._handle], [], [], PATIENCE)[0]:
                break
        os.close(self._handle)
        self._handle = None


class Spawned(Hired):
    """A process that was started by itself and lives by `life(pipe, folder)`."""

    def __init__(self, life: Callable[[Connection, str], None], folder: str):
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        super().__init__(ours)
        self.process = context.Process(target=life, args=(theirs, folder), daemon=True)
        self.process.start()
        self.pid = self.process.pid
        theirs.close()

    def hear_birth(self, word: bytes) -> None:
        """Known already."""

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.pipe.close()
        self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
