"""A world while it is being filled from a scene file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from swerve.city import Town
from swerve.core.errors import BadInput
from swerve.core.way import Way
from swerve.core.world import World

from .parts import SceneFile


@dataclass
class Stage:
    """What the file asks for, the folder it lies in, the world, its town if it has one, ways by name;
    `arrivals` tell of all who have somewhere to go whether they are there."""

    asked: SceneFile
    folder: Path
    world: World
    seed: int
    town: Town | None = None
    ways: dict[str, Way] = field(default_factory=dict)
    arrivals: list[Callable[[], bool]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    areas: list[dict[str, Any]] = field(default_factory=list)

    def way(self, where: str, name: str) -> Way:
        if name not in self.ways:
            known = ", ".join(self.ways) or "there are none"
            raise BadInput(where, name, f"must be one of the ways ({known})")
        return self.ways[name]

    def file(self, name: str) -> str:
        """A name as it is; a file where it lies beside the scene file."""
        return str(self.folder / name) if Path(name).suffix else name

    def arrived(self) -> bool:
        return all(there() for there in self.arrivals)

    def draw(self, way: Way) -> None:
        """Show a way as a road."""
        right, left = (edge.round(2) for edge in way.edges())
        if way.closed:
            right, left = np.vstack([right, right[:1]]), np.vstack([left, left[:1]])
        self.areas.append({"points": np.vstack([right, left[::-1]]), "role": "road"})
        self.lines.append({"points": way.points[::4].round(2), "role": "centre"})

    def scenery(self) -> dict[str, Any]:
        return {"lines": self.lines, "areas": self.areas}
