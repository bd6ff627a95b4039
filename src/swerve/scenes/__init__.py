"""Worlds that mix wings: ready-made ones by name, and those of users from a file.

>>> from swerve.scenes import SCENES, load_scene
>>> sorted(set(SCENES) - {"chase", "peloton", "rally"})
[]

A scene is a module here with `build(seed, **options) -> World` and `figures(world) -> dict`, which may also
say `SECONDS`, how long it lasts, and `finished(world) -> bool`, whether it has come to its end. A scene file
makes a world by `file.read_scene`.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path

from swerve.core.errors import BadInput
from swerve.core.scene_file import SUFFIXES

from .scene import Scene

__all__ = ["SCENES", "Scene", "load_scene"]

SECONDS = 60.0  # [s] that a scene lasts which does not say so itself
_WORDS = {
    "chase": "a sliding car through a town with traffic, people, a siren and cyclists",
    "peloton": "cyclists on maps and in full physics along a winding street, with cars about them",
    "rally": "the sliding car round a hilly circuit, guided by the line of least time",
}
SCENES = {name: words for name, words in _WORDS.items() if find_spec(f"{__name__}.{name}") is not None}


def load_scene(
    name: str | Path, seed: int | None = None, seconds: float | None = None, **options: object
) -> Scene:
    """A scene by its name or from a YAML or TOML file, ready to run.

    `seed` is 0 and `seconds` is how long the scene lasts, or the file's own, if none is given; `options` are
    the named scene's.
    """
    if Path(name).suffix.lower() in SUFFIXES:
        from .file import read_scene

        if options:
            raise BadInput(f"scene {name}", sorted(options), "takes no options besides those in the file")
        scene = read_scene(name, seed)
        return scene if seconds is None else replace(scene, seconds=seconds)
    if str(name) not in SCENES:
        known = ", ".join(SCENES)
        raise BadInput("scene", str(name), f"must be {known + ' or ' if known else ''}a YAML or TOML file")
    module = import_module(f"{__name__}.{name}")
    usual = getattr(module, "SECONDS", SECONDS)
    lasts = usual if seconds is None else seconds
    if lasts > usual and "seconds" in signature(module.build).parameters:
        options["seconds"] = lasts  # its place must be made for as long
    return Scene(
        str(name),
        module.build(seed or 0, **options),
        seed or 0,
        lasts,
        module.figures,
        getattr(module, "finished", None),
    )
