"""The rooms of the studio, each a module with a class that runs in a worker process.

A room is made from what the page asks for. It answers `hear(message)`, and, if something moves in it by
itself, `step()` moves it on by `dt` seconds and `frame()` gives the rows to show.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from swerve.core.errors import BadInput

if TYPE_CHECKING:  # the server names the rooms, and does not load them
    from .room import Outside, Room

ROOMS = {
    "race": "drive a track against the planner and watch its route tree",
    "tactics": "watch a search tree grow, drag bodies before it is solved",
    "terrain": "bend a path over a mountain; limits, time and energy follow",
    "riders": "a herd at two levels of detail, its controller switched live",
    "city": "drive in traffic; call an ambulance or a pedestrian",
    "scenes": "any world, by name or from a file, live",
    "recordings": "open any recording, compare two",
}


def open_room(asked: dict[str, object], outside: Outside) -> Room:
    """The room that the page asks for."""
    name = str(asked.get("room"))
    if name not in ROOMS:
        raise BadInput("room", name, f"must be one of {', '.join(ROOMS)}")
    return import_module(f"{__name__}.{name}").enter(asked, outside)
