"""Scenes: any world by its name, or from a file in the folder, running live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from swerve.core.errors import BadInput
from swerve.scenes import SCENES, Scene, load_scene

from .room import Message, Outside, WorldRoom, whole


def enter(asked: Message, outside: Outside) -> ScenesRoom:
    name, seed = str(asked.get("scene") or next(iter(SCENES))), whole(asked, "seed", 0, 2**31)
    if name in SCENES:
        return ScenesRoom(load_scene(name, seed))
    path = outside.folder.file(name)
    try:
        return ScenesRoom(load_scene(path, seed if asked.get("seed") is not None else None))
    except BadInput as error:  # without the place of the folder on this machine
        raise BadInput("scene", None, str(error).replace(str(path), name)) from error


class ScenesRoom(WorldRoom):
    def __init__(self, scene: Scene):
        super().__init__(scene.world, Path(scene.name).stem, scene.seconds)
        self.shown = scene

    def scene(self) -> dict[str, Any]:
        return {**super().scene(), "seed": self.world.meta.get("seed")}

    def over(self) -> bool:
        return super().over() or (self.shown.ended is not None and self.shown.ended(self.world))

    def figures(self) -> dict[str, Any]:
        return {"time [s]": self.world.time, **super().figures()}
