"""A scene: a world that is ready to run, with what it wants to know about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from swerve.core.errors import require
from swerve.core.progress import track
from swerve.core.recording import Recording
from swerve.core.world import World

LONGEST = 86_400.0  # [s]


def _nothing(world: World) -> Mapping[str, Any]:
    return {}


def _never() -> bool:
    return False


@dataclass
class Scene:
    """`seconds` is how long it lasts; `own` gives figures besides those of every world; `ended` tells when it
    has come to an end before that."""

    name: str
    world: World
    seed: int = 0
    seconds: float = 60.0
    own: Callable[[World], Mapping[str, Any]] = _nothing
    ended: Callable[[World], bool] | None = None
    interrupted: bool = False

    def run(self, seconds: float | None = None, stop: Callable[[], bool] = _never) -> Recording:
        """Step until the time is over, the scene has ended or `stop()` says so; the frames so far."""
        seconds = self.seconds if seconds is None else seconds
        require(0 < seconds <= LONGEST, "seconds", seconds, f"must be above 0 and at most {LONGEST:g}")
        frames = round(seconds / self.world.dt)
        require(frames >= 1, "seconds", seconds, f"must be at least one frame of {self.world.dt:g} s")
        world = self.world
        for _ in track(range(frames), self.name):
            self.interrupted = stop()
            if self.interrupted or (self.ended is not None and self.ended(world)):
                break
            world.step()
        return world.recording()

    def figures(self) -> dict[str, Any]:
        """Contacts, the smallest gap, whether it finished, bodies and speeds by kind, and its own.

        A scene without an end of its own has finished when its time is over.
        """
        world = self.world
        said = dict(world.figures())
        finished = not self.interrupted if self.ended is None else bool(self.ended(world))
        first = {name: said.pop(name) for name in ("contacts", "min_gap")}
        return {**first, "finished": finished, **said, **self.own(world)}
