"""What a room is, what it is handed, and the usual one: a world that runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.recording import Recording
from swerve.core.show.looks import scenery_of
from swerve.core.world import World

from ..folder import Folder
from ..frames import Tap

Message = Mapping[str, Any]


@dataclass(frozen=True)
class Outside:
    """What a room knows of the world outside: the folder, and how to tell the page something."""

    folder: Folder
    say: Callable[..., None]  # say(type, **what): JSON
    send: Callable[[bytes, bytes], None]  # send(kind, bytes)


class Room:
    """A room in which nothing moves by itself; others are subclasses."""

    dt = 0.1  # [s] of a step
    moving = False  # whether `step` is to be called
    ego: int | None = None
    changed = False  # whether it has become another place since the page was told of it

    def scene(self) -> dict[str, Any]:
        """What the page draws around the bodies, and what it is called."""
        return {"title": "", "areas": [], "lines": [], "relief": None}

    def hear(self, message: Message) -> None:
        """Something the page says; what is not understood is an error."""
        raise BadInput("message", str(message.get("type"))[:40], "is not known here")

    def step(self) -> None:
        """Move on by `dt`."""

    def frame(self) -> dict[str, np.ndarray] | None:
        """Rows to show now."""
        return None

    def recording(self) -> Recording:
        """What happened so far, to take along."""
        raise BadInput("export", None, "there is nothing to take along here yet")

    def figures(self) -> dict[str, Any]:
        """Numbers to show beside it."""
        return {}


class WorldRoom(Room):
    """A world that runs until it ends or its time is over."""

    def __init__(self, world: World, title: str, seconds: float = 3600.0):
        self.world, self.title, self.seconds = world, title, seconds
        self.tap = Tap()
        world.recorder = self.tap
        world.begin_again()
        self.dt = world.dt
        self.moving = True
        self.ego = world.meta.get("ego")

    def scene(self) -> dict[str, Any]:
        return {"title": self.title, **scenery_of(self.world.meta), "ego": self.ego}

    def step(self) -> None:
        self.world.step()
        if self.over():
            self.moving = False

    def over(self) -> bool:
        """Whether nothing more is to come."""
        return self.world.time >= self.seconds

    def frame(self) -> dict[str, np.ndarray]:
        return self.tap.newest()

    def recording(self) -> Recording:
        return self.world.recording()

    def figures(self) -> dict[str, Any]:
        said = self.world.figures()
        return {
            "contacts": said["contacts"],
            "smallest gap [m]": said["min_gap"],
            **said["bodies"],
            **{f"mean speed of {kind} [m/s]": pace for kind, pace in said["mean_speed"].items()},
        }


def number(message: Message, name: str, low: float, high: float, default: float | None = None) -> float:
    """A number that the page sent, between two others."""
    value = message.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise BadInput(name, value, f"must be a number between {low:g} and {high:g}")
    return float(value)


def whole(message: Message, name: str, low: int, high: int, default: int = 0) -> int:
    """A whole number that the page sent."""
    value = number(message, name, low, high, default)
    if value != int(value):
        raise BadInput(name, value, "must be a whole number")
    return int(value)
