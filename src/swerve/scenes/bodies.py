"""Bodies by name, from any wing: a cyclist, an alien, a car, or a rider of your own."""

from __future__ import annotations

from pathlib import Path

from swerve.core.errors import BadInput
from swerve.core.scene_file import SUFFIXES
from swerve.core.steered import Steerable
from swerve.race.heading_car import heading_car
from swerve.riders.bodies.rider import NAMES, load_rider

KNOWN = (*NAMES, "car")


def load_body(name_or_file: str | Path) -> Steerable:
    """`human`, `alien`, `car`, or a YAML or TOML file with a rider definition.

    Every one is told a heading and a speed, and `start(count)` gives a batch of it for a world.

    >>> car = load_body("car")
    >>> car.start(2).motion().vx.tolist()
    [20.0, 20.0]
    """
    if str(name_or_file) == "car":
        return heading_car()
    if str(name_or_file) in NAMES or Path(name_or_file).suffix in SUFFIXES:
        return load_rider(name_or_file)
    raise BadInput("body", str(name_or_file), f"must be {', '.join(KNOWN)} or a YAML or TOML file")
