"""Markers for recorders of the body's signals: every event of a drive over the Lab Streaming Layer.

An EEG or eye-tracking recorder on the same network sees one stream of text, "swerve-city" of type "Markers",
and puts its own clock to it. A marker is `kind:name`, such as `stimulus:lead brakes` or `input:brake on`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from swerve.core.errors import BadInput

from .driver_log import Note

STREAM, TYPE = "swerve-city", "Markers"
SENT = ("stimulus", "event", "spawn", "mark", "input", "contact", "red light")


class Outlet(Protocol):
    """What takes samples: `pylsl.StreamOutlet`, or anything like it."""

    def push_sample(self, x: list[str], /) -> Any: ...


def marker_text(note: Note) -> str:
    """
    >>> marker_text(Note(1.5, "stimulus", "lead brakes"))
    'stimulus:lead brakes'
    """
    return f"{note.kind}:{note.name}"


def to_outlet(outlet: Outlet) -> Callable[[Note], None]:
    """A function for `ScenarioManager(mark=...)` that sends every note to an outlet."""

    def mark(note: Note) -> None:
        if note.kind in SENT:
            outlet.push_sample([marker_text(note)])

    return mark


def open_outlet(name: str = STREAM, source: str = "swerve-city") -> Outlet:
    """A stream of markers on the network; needs `pip install 'swerve[lsl]'` and the library liblsl."""
    try:
        import pylsl
    except ImportError as error:
        raise BadInput("--lsl", None, "needs pylsl: pip install 'swerve[lsl]'") from error
    except (RuntimeError, OSError) as error:
        raise BadInput(
            "--lsl",
            None,
            "pylsl is there, but the library liblsl is not; install it or set PYLSL_LIB to its file",
        ) from error
    info = pylsl.StreamInfo(name, TYPE, 1, pylsl.IRREGULAR_RATE, pylsl.cf_string, source)
    outlet: Outlet = pylsl.StreamOutlet(info)
    return outlet
