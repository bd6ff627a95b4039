"""A progress bar on standard error for long work; silent when nobody is looking at a terminal."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_quiet = False


def be_quiet(quiet: bool = True) -> None:
    """Turn progress bars and notices off (the command's --quiet)."""
    global _quiet
    _quiet = quiet


def is_quiet() -> bool:
    return _quiet


def say(notice: str) -> None:
    """A line on standard error about what takes so long, for who sees no bar too."""
    if not _quiet:
        print(f"swerve: {notice}", file=sys.stderr, flush=True)


def track(items: Iterable[T], what: str, total: int | None = None, done: int = 0) -> Iterator[T]:
    """Pass `items` on, showing how many are done of the `total`, `done` of them before, and the time left."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    if _quiet or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console  # to load it takes longer than much of what shows no bar
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(items, total=total, completed=done, description=what)


@contextmanager
def share_done(what: str) -> Iterator[Callable[[float], None]]:
    """A function to be told what share of the work is done, 0 to 1, which a bar then shows."""
    if _quiet or not sys.stderr.isatty():
        yield lambda share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)
