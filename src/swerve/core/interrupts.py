"""Ctrl-C at any moment: one line, whatever was under way.

An interrupt may come out of a compiler or an import as some other error, or vanish in a callback of theirs or
in the finaliser of an object. So the command notes that it was pressed; what vanished comes again a moment
later; and while kernels compile it ends at once: nothing is open then.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], object]
INTERRUPTED = 130  # exit status
AGAIN = 0.02  # [s] after which an interrupt that vanished comes again
_INTERRUPTING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]
_compiling = 0  # kernels that are being compiled for each other


def compiling(more: int) -> None:
    """A kernel has begun to be compiled (1), or has ended (−1)."""
    global _compiling
    _compiling += more


def stop(number: int, frame: FrameType | None) -> None:
    """End the process now, with one line."""
    os.write(2, b"swerve: interrupted\n")
    os._exit(INTERRUPTED)


@contextmanager
def ending_by_interrupts() -> Iterator[Callable[[], bool]]:
    """Ctrl-C raises `KeyboardInterrupt`, or ends the process while kernels compile; the function given tells
    whether it was pressed."""
    pressed = False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        if _compiling:
            stop(number, frame)
        raise KeyboardInterrupt

    with _handled_by(end), _that_vanish_again():
        yield lambda: pressed


@contextmanager
def _that_vanish_again() -> Iterator[None]:
    """Python drops what is raised in a finaliser, and tells its hook."""
    usual = sys.unraisablehook

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        if dropped.exc_type is KeyboardInterrupt:
            threading.Timer(AGAIN, _thread.interrupt_main).start()
        else:
            usual(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = usual


@contextmanager
def noticing_interrupts() -> Iterator[Callable[[], bool]]:
    """A function that tells whether Ctrl-C was pressed meanwhile; pressed again, it interrupts at once."""
    pressed = False
    usual = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, usual)

    with _handled_by(note):
        yield lambda: pressed


@contextmanager
def deferring_interrupts() -> Iterator[Callable[[], None]]:
    """Ctrl-C, and what else the process would be interrupted by, waits until the function given is called, or
    the end: what is being changed meanwhile is whole then. Pressed again, or while kernels compile, it
    interrupts at once."""
    waiting: list[int] = []
    usual: dict[int, Handler] = {}

    def come() -> None:
        while waiting:
            number = waiting.pop()
            usual[number](number, None)

    def wait(number: int, frame: FrameType | None) -> None:
        if _compiling or number in waiting:
            waiting.clear()
            usual[number](number, frame)
        else:
            waiting.append(number)

    here = threading.current_thread() is threading.main_thread()
    for number in _INTERRUPTING if here else ():
        handler = signal.getsignal(number)
        if callable(handler):
            usual[number] = handler
            signal.signal(number, wait)
    try:
        yield come
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
        come()


@contextmanager
def _handled_by(handler: Handler) -> Iterator[None]:
    """Where a shell has told us to ignore Ctrl-C, or in another thread, nothing changes."""
    usual = signal.getsignal(signal.SIGINT)
    mine = callable(usual)
    try:
        if mine:
            signal.signal(signal.SIGINT, handler)
    except ValueError:  # not the main thread: nobody presses keys there
        mine = False
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGINT, usual)
