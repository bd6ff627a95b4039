"""The nursery: where workers come from.

One process loads what all rooms need, and is split whenever a page wants a worker; so is the next nursery,
which opens one more room for nobody and then takes over. What a room needs (modules, compiled kernels, what
is worked out once) is so loaded once for the server, not for every page; workers share that memory; and who
asks goes first: a nursery that serves is never busy, and the one to come rests as long as a page waits for a
room. Where processes cannot be split, every worker is started by itself, and nothing is prepared.
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
from typing import Any

from .hire import Hired, Spawned
from .words import BORN, MENU, READY

SPLITS = sys.platform == "linux" and hasattr(os, "pidfd_open")
WORKER = b""  # what is asked for, if it is no room to prepare
STEPS = 3  # of a room that moves, when it is rehearsed
LONGEST = 1200  # times that a nursery that prepares a room is told to go on, until it is given up
TURNS = 5 if (os.cpu_count() or 1) < 4 else 1  # of which one goes on preparing while a page is open


def tend(requests: Connection, folder: str) -> None:
    """The life of the first nursery, of those that follow, and of the workers: all end with the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends us
    from swerve.core.workers import end_with_parent

    from .menu import menu

    end_with_parent()
    requests.send_bytes(MENU + json.dumps(menu()).encode())
    with contextlib.suppress(EOFError, OSError):
        _attend(requests, folder)


def _attend(requests: Connection, folder: str) -> None:
    """Split off whatever is asked for; go on as what was split off."""
    from swerve.core.workers import end_with_parent

    from .worker import rehearse, work

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
    gc.freeze()  # or counting would copy what is shared
    while True:
        room, handle = requests.recv_bytes(), recv_handle(requests)
        if os.fork():
            os.close(handle)
            continue
        requests.close()
        requests = Connection(handle)
        if room == WORKER:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return work(requests, folder)
        end_with_parent()
        requests.send_bytes(BORN + str(os.getpid()).encode())
        rehearse(room.decode(), folder, STEPS)
        gc.collect()
        gc.freeze()
        requests.send_bytes(READY)


class Nursery:
    """The server's side: `take` gives a worker at once, which may still have to be born."""

    def __init__(self, folder: str, rooms: list[str]):
        self.folder, self.rooms = folder, rooms  # that are to be prepared
        self.menu: dict[str, Any] | None = None
        self._lock = threading.Lock()
        self._serving: Hired | None = None
        self._coming: Hired | None = None  # busy preparing
        self._turn = self._spent = 0

    def start(self) -> None:
        with self._lock:
            self._start()

    def _start(self) -> None:
        if SPLITS:
            self._serving = Spawned(tend, self.folder)
        else:
            self.know_menu()

    def know_menu(self) -> dict[str, Any]:
        """What a nursery would tell, worked out here if none did: that takes a while."""
        if self.menu is None:
            from .menu import menu

            self.menu = menu()
        return self.menu

    def take(self) -> Hired:
        """A worker of its own for a page."""
        if SPLITS:
            with self._lock:
                return self._split(WORKER)
        return self.take_alone()

    def take_alone(self) -> Hired:
        """A worker that needs no nursery; for whoever has waited for one in vain."""
        from .worker import work

        with self._lock:
            if self.menu is not None:  # it has been at work, and hangs: the next who asks starts another
                self._dismiss_serving()
        return Spawned(work, self.folder)

    def _dismiss_serving(self) -> None:
        if isinstance(self._serving, Spawned):
            self._serving.process.kill()
        elif self._serving is not None:
            self._serving.signal(signal.SIGKILL)
        self._serving = None

    def _split(self, what: bytes) -> Hired:
        ours, theirs = multiprocessing.Pipe()
        for _ in range(2):
            if self._serving is None:
                self._start()
            assert self._serving is not None
            try:
                self._serving.pipe.send_bytes(what)
                send_handle(self._serving.pipe, theirs.fileno(), 0)
                break
            except OSError:  # it died
                self._serving = None
        theirs.close()
        return Hired(ours)

    def has_died(self) -> bool:
        """Whether nothing is there that could still tell the menu, or prepare a room."""
        return SPLITS and self._serving is None

    def at_once(self) -> bool:
        """Whether a worker that is taken now has everything prepared."""
        return SPLITS and self.menu is not None and not self.rooms and self._coming is None

    def pace(self, waiting: bool, pages: bool) -> None:
        """Called every now and then: preparing goes on freely while no page is open, a little while one is,
        and not at all while one waits for a room."""
        with self._lock:
            if self._serving is not None and not self._heard(self._serving):
                self._serving = None  # the next who wants a worker starts another
            if self._coming is not None and not self._heard(self._coming):
                self._coming = None  # its room cannot be prepared
            if self._serving and self.menu is not None and self.rooms and self._coming is None:
                self._coming, self._spent = self._split(self.rooms.pop(0).encode()), 0
            if self._coming is not None:
                self._turn = (self._turn + 1) % TURNS
                goes = not pages or (not waiting and self._turn == 0)
                self._coming.signal(signal.SIGCONT if goes else signal.SIGSTOP)
                self._spent += goes
                if self._spent > LONGEST:  # its room would never be prepared
                    self._coming.signal(signal.SIGKILL)
                    self._coming.pipe.close()
                    self._coming = None

    def _heard(self, one: Hired) -> bool:
        """Whether a nursery is still there, after listening to it."""
        try:
            while one.pipe.poll():
                word = one.pipe.recv_bytes()
                if word[:1] == MENU:
                    self.menu = json.loads(word[1:])
                elif word[:1] == BORN:
                    one.hear_birth(word)
                elif word[:1] == READY and self._serving is not None:
                    self._serving.pipe.close()  # it ends when it has done what it was asked for
                    self._serving, self._coming = one, None
                    one.signal(signal.SIGCONT)  # it may have been told to rest since it said so
        except (EOFError, OSError):
            return False
        return True

    def stop(self) -> None:
        with self._lock:
            for one in (self._serving, self._coming):
                if one is not None:
                    one.stop()
            self._serving = self._coming = None
