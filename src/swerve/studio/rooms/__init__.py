"""The rooms of the studio, each a module with a class that runs in a worker process.

A room is made from what the page asks for. It answers `hear(message)`, and, if something moves in it by
itself, `step()` moves it on by `dt` seconds and `frame()` gives the rows to show.
"""

from __future__ import annotations

from importlib import import_module

from swerve.core.errors import BadInput

from .room import Outside, Room

ROOMS = {
    "scenes": "any world, by name or from a file, live",
    "recordings": "open any recording, compare two",
}


def open_room(asked: dict[str, object], outside: Outside) -> Room:
    """The room that the page asks for."""
    name = str(asked.get("room"))
    if name not in ROOMS:
        raise BadInput("room", name, f"must be one of {', '.join(ROOMS)}")
    return import_module(f"{__name__}.{name}").enter(asked, outside)
