"""Bodies by name, from any wing: a cyclist, an alien, a car, or a rider of your own."""

from __future__ import annotations

from pathlib import Path

from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary
from swerve.core.scene_file import SUFFIXES
from swerve.core.steered import Steerable
from swerve.race.heading_car import heading_car
from swerve.race.trees import load_tree
from swerve.riders.bodies.rider import NAMES, load_rider
from swerve.riders.maps.stored import load_map

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


def load_moves(name_or_file: str | Path) -> MotionLibrary:
    """What a route search drives on: a move tree by name or from a file, or what a mobility map holds, by the
    name of its rider or from its file.

    >>> load_moves("large").dt, load_moves("human").dt
    (0.04, 0.1)
    """
    if str(name_or_file) in NAMES:
        return load_map(name_or_file).library()
    tree = load_tree(name_or_file)
    return load_map(name_or_file).library() if "mobility map" in tree.meta else tree
