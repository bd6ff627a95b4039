"""A worker process: runs one room for one page, and never lets the page wait for it.

It reads JSON messages from its end of a pipe and writes messages that begin with one byte: J for JSON, and
those of `frames` for bytes. Whatever goes wrong in a room is told to the page in a line; the worker goes on.
`rehearse` opens a room for nobody: what it needs is then loaded already.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

from swerve.core.errors import BadInput, SwerveError
from swerve.core.files import to_json
from swerve.core.workers import end_with_parent

from .folder import Folder
from .frames import Newcomers, packet
from .rooms import open_room
from .rooms.room import Outside, Room
from .words import BORN, FRAME, JSON

QUICKEST = 1 / 31  # [s] between frames that are sent
FIGURES = 1.0  # [s] between figures
SPEEDS = (0.1, 20.0)


def work(pipe: Connection, folder: str) -> None:
    """Serve until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends us
    end_with_parent()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send_bytes(BORN + str(os.getpid()).encode())
        Worker(pipe, Folder(folder)).serve()


def rehearse(name: str, folder: str, steps: int) -> None:
    """Open a room for nobody, and let it move a little; what is wrong with it is said to whoever asks."""
    silent = Outside(Folder(folder), lambda kind, **what: None, lambda kind, data: None)
    with contextlib.suppress(Exception):
        room = open_room({"room": name}, silent)
        to_json(room.scene())
        for _ in range(steps if room.moving else 0):
            room.step()
            if (rows := room.frame()) is not None:
                packet(rows)


class Worker:
    """One room at a time, on a clock."""

    def __init__(self, pipe: Connection, folder: Folder):
        self.pipe = pipe
        self.outside = Outside(folder, self.say, self.send)
        self.room: Room | None = None
        self.newcomers = Newcomers()
        self.playing, self.speed = True, 1.0
        self.due = self.next = self.told = 0.0

    def serve(self) -> None:
        while True:
            while self.pipe.poll(self._patience()):
                self._guarded(self._hear, self.pipe.recv_bytes())
            if self._runs() and time.monotonic() >= self.due:
                self._guarded(self._step)

    def say(self, kind: str, **what: Any) -> None:
        self.pipe.send_bytes(JSON + to_json({"type": kind, **what}).encode())

    def send(self, kind: bytes, data: bytes) -> None:
        self.pipe.send_bytes(kind + data)

    def _runs(self) -> bool:
        return self.playing and self.room is not None and self.room.moving

    def _patience(self) -> float | None:
        """[s] until there is something to do; None is for ever."""
        if self._runs():
            return max(0.0, self.due - time.monotonic())
        return None

    def _guarded(self, work: Any, *given: Any) -> None:
        try:
            work(*given)
        except SwerveError as error:
            root = f"{self.outside.folder.root}{os.sep}"
            self.say("error", text=str(error).replace(root, ""))  # where it lies is the server's affair
        except (EOFError, OSError):
            raise
        except Exception as error:  # a fault of ours: the page says so, the terminal has the details
            traceback.print_exc(file=sys.stderr)
            self.say("error", text=f"this went wrong inside: {type(error).__name__}: {error}")
            self.playing = False

    def _hear(self, text: bytes) -> None:
        message = json.loads(text)
        kind = message.get("type")
        if kind == "open":
            self._open(message)
        elif kind == "play":
            self.playing, self.due = bool(message.get("on", True)), time.monotonic()
            self._state()
        elif kind == "speed":
            value = message.get("value")
            if not isinstance(value, (int, float)) or not SPEEDS[0] <= value <= SPEEDS[1]:
                raise BadInput("speed", value, f"must be between {SPEEDS[0]} and {SPEEDS[1]}")
            self.speed = float(value)
        elif kind == "step":
            self._step()
        elif kind == "export":
            self._export(message)
        elif self.room is not None:
            self.room.hear(message)
            if self.room.changed:
                self.room.changed, self.newcomers = False, Newcomers(self.room.ego)
                self.say("place", **self.room.scene())
            if not self._runs():
                self._show()

    def _open(self, message: dict[str, Any]) -> None:
        self.room = None
        self.say("opening", room=message.get("room"), ask=message.get("ask"))
        began = time.perf_counter()
        room = open_room(message, self.outside)
        self.newcomers = Newcomers(room.ego)
        self.room, self.playing, self.due = room, True, time.monotonic()
        self.say("scene", room=message.get("room"), asked=message, **room.scene())
        self._show()
        self.say("opened", room=message.get("room"), seconds=time.perf_counter() - began)
        self._state()

    def _step(self) -> None:
        room = self.room
        if room is None:
            return
        room.step()
        now = time.monotonic()
        self.due = max(self.due + room.dt / self.speed, now - 0.2)
        if now >= self.next or not room.moving:
            self._show()
            self.next = max(self.next, now - QUICKEST) + QUICKEST  # who is late delays nobody
        if now - self.told >= FIGURES or not room.moving:
            self.say("figures", values=room.figures())
            self.told = now
        if not room.moving:
            self._state()

    def _show(self) -> None:
        columns = None if self.room is None else self.room.frame()
        if columns is None or not len(columns.get("id", ())):
            return
        fresh = self.newcomers.looks(columns)
        if fresh:
            self.say("bodies", rows=[look.row() for look in fresh])
        self.send(FRAME, packet(columns)[1:])

    def _state(self) -> None:
        room = self.room
        self.say("state", playing=self._runs(), over=room is not None and not room.moving, speed=self.speed)

    def _export(self, message: dict[str, Any]) -> None:
        from .takeaway import take_away

        if self.room is None:
            raise BadInput("export", None, "open a room first")
        take_away(self.room.recording(), str(message.get("as")), message.get("fps"), self.outside)
