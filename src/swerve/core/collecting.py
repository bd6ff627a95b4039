"""Garbage collection that does not stand in the way of what must keep time.

A full collection looks at every object there is, which takes a tenth of a second in a program of this size:
six frames of a match. While something is `undisturbed`, only what is young is looked at, when it says that it
has time (`tidy`).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def undisturbed() -> Iterator[None]:
    """No collection in a `with` block but by `tidy`."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def tidy() -> None:
    """Collect what is young, if nothing else does."""
    if not gc.isenabled():
        gc.collect(1)
