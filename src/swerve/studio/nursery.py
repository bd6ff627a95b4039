"""The nursery: a process that opens every room once for nobody, and splits itself when a page wants a worker.

What a room needs (modules, compiled kernels, what is worked out once) is loaded once for the server, not for
every page, and workers share its memory. Who asks goes first: a request interrupts what is being prepared,
and the server stops the nursery as long as somebody waits for a room (`Nursery.pace`). Where processes cannot
be split, every worker is started by itself, and nothing is prepared.
"""

from __future__ import annotations

import contextlib
import gc
import json
import multiprocessing
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from types import FrameType
from typing import Any

from .hire import Hired, Spawned
from .words import MENU, READY

SPLITS = sys.platform == "linux" and hasattr(os, "pidfd_open")
AGAIN = 0.01  # [s] after which a request is looked at again that came while a module was being imported
STEPS = 3  # of a room that moves, when it is rehearsed
SHARE = 0.2  # of the time in which it goes on preparing while a page is open


class Wanted(BaseException):
    """Raised in the process that has just been split off."""


def tend(requests: Connection, folder: str, prepare: bool) -> None:
    """The nursery's life: it ends with the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends us
    from swerve.core.workers import end_with_parent

    from .menu import menu
    from .rooms import ROOMS
    from .worker import rehearse, work

    end_with_parent()
    requests.send_bytes(MENU + json.dumps(menu()).encode())
    crib = Crib(requests)
    with contextlib.suppress(Wanted):
        crib.listen()
        for name in ROOMS if prepare else ():
            rehearse(name, folder, STEPS)
            crib.check()
        gc.collect()
        gc.freeze()  # or counting would copy what is shared
        requests.send_bytes(READY)
        while crib.pipe is None:
            signal.pause()
    assert crib.pipe is not None
    work(crib.pipe, folder)


class Crib:
    """Splits the process when a request comes, wherever it is just then, but not within an import."""

    def __init__(self, requests: Connection):
        self.requests = requests
        self.pipe: Connection | None = None  # of the worker that this process has become

    def listen(self) -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
        for number in (signal.SIGURG, signal.SIGALRM):
            signal.signal(number, self._asked)
        self._asked(signal.SIGURG, None)

    def check(self) -> None:
        """For a process that has been split off where nothing can be raised, as in a finaliser."""
        if self.pipe is not None:
            raise Wanted

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if _importing(frame):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            return
        while self.requests.poll():
            handle = recv_handle(self.requests)
            if os.fork() == 0:
                self._become(Connection(handle))
            os.close(handle)

    def _become(self, pipe: Connection) -> None:
        for number in (signal.SIGURG, signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        self.requests.close()
        self.pipe = pipe
        raise Wanted


def _importing(frame: FrameType | None) -> bool:
    """Whether a module is half imported; to leave it so would spoil it."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


class Nursery:
    """The server's side: `take` gives a worker at once, which may still have to be born."""

    def __init__(self, folder: str, prepare: bool):
        self.folder, self.prepare = folder, prepare
        self._process: Any = None
        self._requests: Connection | None = None
        self._lock = threading.Lock()
        self.menu: dict[str, Any] | None = None
        self.ready = not SPLITS  # whether everything is prepared
        self._turn = 0

    def start(self) -> None:
        with self._lock:
            self._start()

    def _start(self) -> None:
        if not SPLITS:
            from .menu import menu

            self.menu = menu()
            return
        if self._process is not None and self._process.is_alive():
            return
        self.prepare &= self._process is None or self.ready  # who died of it does not try again
        context = multiprocessing.get_context("spawn")
        self._requests, theirs = context.Pipe()
        self.ready = False
        self._process = context.Process(target=tend, args=(theirs, self.folder, self.prepare), daemon=True)
        self._process.start()
        theirs.close()

    def take(self) -> Hired:
        with self._lock:
            if not SPLITS:
                return Spawned(self.folder)
            self._start()
            ours, theirs = multiprocessing.Pipe()
            assert self._requests is not None and self._process.pid is not None
            with contextlib.suppress(OSError):  # it is just dying: the worker is lost, and asked for again
                send_handle(self._requests, theirs.fileno(), self._process.pid)
            theirs.close()
            self._signal(signal.SIGCONT, signal.SIGURG)
            return Hired(ours)

    def pace(self, unborn: bool, waiting: bool, pages: bool) -> None:
        """Called every now and then: preparing goes on freely while no page is open, a little while one is,
        and not at all while one waits for a room."""
        with self._lock:
            if self.ready or self._requests is None or not self._process.is_alive():
                return
            with contextlib.suppress(OSError, EOFError):
                while self._requests.poll():
                    self._hear(self._requests.recv_bytes())
            self._turn = (self._turn + 1) % round(1 / SHARE)
            goes = self.ready or self.menu is None or unborn or not pages or (not waiting and self._turn == 0)
            self._signal(signal.SIGCONT if goes else signal.SIGSTOP)

    def _hear(self, word: bytes) -> None:
        if word[:1] == MENU:
            self.menu = json.loads(word[1:])
        self.ready |= word[:1] == READY

    def _signal(self, *numbers: int) -> None:
        for number in numbers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)

    def stop(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.join(2.0)
            self._process = None
