"""What `swerve terrain` plans over: a scene by name, a scene file or an elevation file."""

from pathlib import Path
from typing import Any

from .choices import Voids
from .options import program


def scene_of(
    place: str, start: str | None, goal: str | None, voids: Voids | None, spacing: float | None
) -> Any:
    """The scene with its start and goal, as the options of the command say."""
    from dataclasses import replace

    from swerve.core.errors import BadInput, require
    from swerve.terrain import Terrain, Vehicle
    from swerve.terrain.scenes import SCENES, Scene, scene

    for option, value in (("--voids", voids), ("--spacing", spacing)):
        require(place not in SCENES or value is None, option, value, f"is for files; {place} is whole")
    found = scene(place) if place in SCENES else _filed(place, voids, spacing)
    if found is not None:
        return replace(
            found,
            start=_at("--from", start, found.terrain) if start else found.start,
            goal=_at("--to", goal, found.terrain) if goal else found.goal,
        )
    from swerve.terrain.elevation import READERS

    if not Path(place).suffix or (not Path(place).exists() and Path(place).suffix.lower() not in READERS):
        raise BadInput(
            "scene", place, f"must be one of {', '.join(SCENES)}, an elevation file or a scene file"
        )
    if _is_circuit(place):
        raise BadInput(
            "scene", place, f"must be ground, not a circuit (try: {program()} terrain circuit {place})"
        )
    ground = Terrain.read(place, spacing, voids="open" if voids is Voids.FILL else "closed")
    if start is None or goal is None:
        missing = [option for option, text in (("--from", start), ("--to", goal)) if text is None]
        reach = ground.frame.reach(ground.extent)
        raise BadInput(
            " and ".join(missing), None, f"must be given with a file; the map reaches over {reach}"
        )
    return Scene(ground, _at("--from", start, ground), _at("--to", goal, ground), Vehicle(), None)


def _is_circuit(place: str) -> bool:
    from swerve.core.circuit_file import PLACE, WIDTHS, has_columns

    return Path(place).suffix.lower() in (".csv", ".txt") and has_columns(place, (*PLACE, *WIDTHS))


def _filed(place: str, voids: Voids | None, spacing: float | None) -> Any:
    """What a scene file holds; None where `place` is no scene file."""
    from swerve.core.scene_file import SUFFIXES
    from swerve.terrain.scene_file import load_scene

    if Path(place).suffix.lower() not in SUFFIXES:
        return None
    return load_scene(place, None if voids is None else voids.value, spacing)


def _at(option: str, text: str, ground: Any) -> tuple[float, float]:
    x, y = ground.frame.place(option, text, ground.extent)
    return x, y
