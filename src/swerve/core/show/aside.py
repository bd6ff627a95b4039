"""Pictures drawn aside: in a process of their own, which begins while what they show is still being found.

To load what draws, and to draw what is known already, takes as long as many a search; so a command begins its
pictures first, and hands over what it found when it has it.
"""

from __future__ import annotations

import pickle
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

from ..errors import SwerveError
from ..progress import be_quiet

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")
Draw = Callable[[Callable[[], T]], list[Path]]


class Aside(Generic[T]):
    """`draw(found)` begins at once, in another process, and calls `found()` whenever it needs what is to be
    handed over next by `show`; `files` waits for it and gives the files that it wrote, or raises what it
    raised. Unless it is handed what it asks for, nothing is drawn. Where a process cannot simply be forked,
    because of the system or of other threads, it draws in this one, when `files` is asked for.
    """

    def __init__(self, draw: Draw[T]) -> None:
        self._draw, self._found = draw, []  # type: tuple[Draw[T], list[T]]
        self._line: Connection | None = None
        if sys.platform == "linux" and threading.active_count() == 1:
            context = get_context("fork")
            self._line, far = context.Pipe()
            self._process = context.Process(target=_begin, args=(draw, far, self._line), daemon=True)
            self._process.start()
            far.close()

    def show(self, found: T) -> None:
        """Hand over what is to be drawn, without waiting until it is asked for."""
        if self._line is None:
            self._found.append(found)
            return
        with suppress(ConnectionError):  # it has ended, and `files` tells why
            self._line.send(found)

    def files(self) -> list[Path]:
        """What was drawn."""
        if self._line is None:
            return self._draw(iter(self._found).__next__)
        try:
            done = self._line.recv()
        except (EOFError, OSError) as error:
            raise SwerveError("the pictures could not be drawn: their process ended") from error
        if isinstance(done, BaseException):
            raise done
        files: list[Path] = done
        return files


def _begin(draw: Draw[T], line: Connection, other_end: Connection) -> None:
    """In the new process: draw, and tell what came of it; end without a word if nothing is handed over."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    be_quiet(True)
    other_end.close()  # or the end of whom we draw for would not be noticed

    class NothingToDraw(Exception):
        pass

    heard: SimpleQueue[bytes | None] = SimpleQueue()  # None, when there is no more
    threading.Thread(target=_listen, args=(line, heard), daemon=True).start()

    def found() -> T:
        sent = heard.get()
        if sent is None:
            raise NothingToDraw
        shown: T = pickle.loads(sent)
        return shown

    done: list[Path] | Exception
    try:
        done = draw(found)
    except NothingToDraw:
        return
    except Exception as error:
        done = error if isinstance(error, (SwerveError, OSError)) else SwerveError(repr(error))
    with suppress(OSError):  # whom we draw for has ended, and told why
        line.send(done)


def _listen(line: Connection, heard: SimpleQueue[bytes | None]) -> None:
    """Take what is handed over as it comes: who hands over much would wait for it."""
    with suppress(EOFError, OSError):
        while True:
            heard.put(line.recv_bytes())
    heard.put(None)
