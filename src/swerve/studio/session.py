"""A session: one page and the worker process that belongs to it.

A thread waits on the worker's pipe, so the server never does. Of poses only the newest is kept until the page
has taken it: a slow page sees fewer frames, never old ones. A worker that dies is replaced, and the page is
told; one that is never born is replaced by one that is started by itself, and gets what the page said since.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections import deque
from multiprocessing.connection import Connection
from typing import Protocol

from .hire import Hired
from .words import BORN, FRAME, JSON

OPENING = JSON + b'{"type": "opening"'  # a worker's first word on a new room
OPENED = (JSON + b'{"type": "opened"', JSON + b'{"type": "error"')  # its last
MOST_WAITING = 64  # messages that wait for a page besides the newest frame
MOST_RESTARTS = 5  # of the worker of one page
BIRTH = 15.0  # [s] until a worker that is not born yet is given up


class Agency(Protocol):
    """Where workers come from. If one can be had `at_once`, a page that goes to another room gets another
    worker, whatever its own is busy with."""

    def take(self) -> Hired: ...

    def take_alone(self) -> Hired: ...

    def at_once(self) -> bool: ...


class Session:
    """What goes to a page and what comes from it."""

    def __init__(self, agency: Agency, loop: asyncio.AbstractEventLoop):
        self.agency, self.loop = agency, loop
        self.ready = asyncio.Event()
        self.waiting: deque[bytes] = deque()
        self.newest: bytes | None = None
        self.dropped = self.restarts = 0
        self.closed = False
        self.opening = False  # whether a room is being waited for
        self.room: str | None = None  # the one that was asked for
        self.to_worker: deque[str] = deque(maxlen=512)
        self.wanted = threading.Event()
        self._employ(agency.take())

    def tell(self, text: str, opens: str | None = None) -> None:
        """Hand a message of the page to the worker; a worker that does not listen loses the oldest. `opens`
        is the room that it asks for."""
        if opens is not None:
            elsewhere = self.room is not None and (self.opening or opens != self.room)
            if elsewhere and self.agency.at_once():
                threading.Thread(target=self.worker.stop, daemon=True).start()
                self._change()
            self.opening, self.room = True, opens
        self.to_worker.append(text)
        self.wanted.set()

    async def next(self) -> bytes:
        """What the page is to get next: words first, then the newest frame."""
        while True:
            if self.waiting:
                return self.waiting.popleft()
            if self.newest is not None:
                frame, self.newest = self.newest, None
                return frame
            self.ready.clear()
            await self.ready.wait()

    def close(self) -> None:
        """End the worker."""
        self.closed = True
        self.wanted.set()
        self.worker.stop()

    def _employ(self, worker: Hired) -> None:
        self.worker = worker
        self.wanted.set()
        self.loop.call_later(BIRTH, self._overdue, worker)
        for target in (self._read, self._write):
            threading.Thread(target=target, args=(worker,), daemon=True).start()

    def _write(self, worker: Hired) -> None:
        """Runs in a thread: messages to the worker, which may be too busy to read them now."""
        while not self.closed and worker is self.worker:
            self.wanted.wait(1.0)
            self.wanted.clear()
            while self.to_worker and worker.pid is not None and worker is self.worker:
                worker.send(self.to_worker.popleft())

    def _read(self, worker: Hired) -> None:
        """Runs in a thread: whatever the worker says, until it is gone."""
        pipe: Connection = worker.pipe
        try:
            while True:
                data = pipe.recv_bytes()
                if data[:1] == BORN:
                    worker.hear_birth(data)
                    self.wanted.set()
                else:
                    self.loop.call_soon_threadsafe(self._arrived, data, worker)
        except (EOFError, OSError, TypeError):  # closed, by the worker or by us
            pass
        if not self.closed:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self.loop.call_soon_threadsafe(self._lost, worker)

    def _arrived(self, data: bytes, worker: Hired) -> None:
        if worker is not self.worker:
            return  # of a room that was left
        if data[:1] == FRAME:
            self.dropped += self.newest is not None
            self.newest = data
        else:
            if data.startswith(OPENING):
                self.newest = None  # it shows the room that was left
            elif data.startswith(OPENED):
                self.opening = False
            self.waiting.append(data)
            while len(self.waiting) > MOST_WAITING:
                self.waiting.popleft()
        self.ready.set()

    def _change(self) -> None:
        self.newest = None
        self.to_worker.clear()
        self._employ(self.agency.take())

    def _lost(self, worker: Hired) -> None:
        """The worker is gone: say so, and start another."""
        if self.closed or worker is not self.worker:
            return
        if worker.pid is None:
            self._overdue(worker)
            return
        self.restarts += 1
        self.newest, self.opening, self.room = None, False, None
        over = self.restarts > MOST_RESTARTS
        self._say("worker", state="lost", text="The simulation stopped unexpectedly.")
        if over:
            self._say("worker", state="gone", text="It stopped too often; reload the page to try again.")
            return
        self.worker.stop()
        self._change()
        self._say("worker", state="restarted", text="The simulation is being started again.")

    def _overdue(self, worker: Hired) -> None:
        """If it is not born yet, it may never be: another one is started, and is told all that was said."""
        if not self.closed and worker is self.worker and worker.pid is None:
            worker.stop()  # at once, as there is no process
            self._employ(self.agency.take_alone())

    def _say(self, kind: str, **what: object) -> None:
        self._arrived(JSON + json.dumps({"type": kind, **what}).encode(), self.worker)
