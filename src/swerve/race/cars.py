"""Cars by name and from files, and the move trees that are made for them."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from swerve.core.errors import BadInput, require
from swerve.core.files import is_there, to_json
from swerve.core.library import MotionLibrary
from swerve.core.progress import say
from swerve.core.scene_file import load

from .car import CarParameters
from .trees import OF_ANY_CAR, build_tree, car_of, load_tree

CARS = Path(__file__).parent / "data" / "cars"
SHIPPED = tuple(sorted(path.stem for path in CARS.glob("*.yaml")))

RECIPES = {"large": 5, "bends": 6}  # raised when trees are made otherwise: then older ones are made anew

# what a car can have; beyond, it is a slip of the pen rather than a car
RANGES = {
    "mass": (100.0, 50_000.0),
    "inertia": (50.0, 500_000.0),
    "front_axle": (0.3, 6.0),
    "rear_axle": (0.3, 6.0),
    "max_grip": (0.1, 5.0),
    "front_stiffness": (-30.0, -0.5),
    "rear_stiffness": (-30.0, -0.5),
    "gravity": (1.0, 30.0),
    "drive_gain": (5.0, 5000.0),
    "drag": (0.0, 100.0),
    "resistance": (0.0, 1000.0),
}
_FIELDS: Any = {f.name: (float, f.default) for f in fields(CarParameters)}
_Model: type[BaseModel] = create_model("CarFile", __config__=ConfigDict(extra="forbid"), **_FIELDS)


def load_car(name: str | Path) -> CarParameters:
    """A shipped car by its name (`seed`, `heavy`, `ice`), or one from a YAML or TOML file of constants.

    >>> load_car("heavy").mass
    3000.0
    """
    path = CARS / f"{name}.yaml" if str(name) in SHIPPED else Path(name)
    if not path.suffix and not is_there(path):
        raise BadInput("car", str(name), f"must be one of {', '.join(SHIPPED)} or a file")
    given = load(path, "car", _Model).model_dump()
    for name, (least, most) in RANGES.items():
        require(
            least <= given[name] <= most,
            f"car {path}, {name}",
            given[name],
            f"must be between {least:g} and {most:g}",
        )
    try:
        return CarParameters(**given)
    except BadInput as error:
        raise BadInput(
            f"car {path}, {error.what.removeprefix('car parameter ')}", error.value, error.why
        ) from None


def tree_for(car: CarParameters, seed: int = 0, name: str = "large") -> MotionLibrary:
    """The move tree `large` or `bends` of a car: the shipped one, or one that was made before, or a new one,
    which takes minutes and is kept in the user's cache folder.
    """
    made = made_tree(car, seed, name)
    if made is not None:
        return made
    path = _tree_file(car, seed, name)
    say(f"building the move tree {name} of this car: takes minutes, and is kept in {path.parent}")
    tree = build_tree(name, seed, car)
    tree.save(path)
    return tree


def made_tree(car: CarParameters, seed: int = 0, name: str = "large") -> MotionLibrary | None:
    """The same, if it need not be built."""
    if car == CarParameters() and seed == 0:
        return load_tree(name)
    path = _tree_file(car, seed, name)
    return MotionLibrary.load(path) if path.exists() else None


def tree_that_fits(car: CarParameters, name: str, loaded: MotionLibrary) -> MotionLibrary | None:
    """The tree `name`, as it was `loaded`, if it was made for the car; else one that was made for it before,
    or None.
    """
    if car_of(loaded) == car:
        return loaded
    return made_tree(car, name=name) if name in OF_ANY_CAR else None


def fitted_tree(car: CarParameters, name: str, loaded: MotionLibrary, what: str = "tree") -> MotionLibrary:
    """The same, or a new one, where one called `name` can be made; `what` is who asks, in messages."""
    fits = tree_that_fits(car, name, loaded)
    known = fits is not None or name in OF_ANY_CAR
    require(known, what, name, f"must be {' or '.join(OF_ANY_CAR)}, or a file made for the car")
    return fits or tree_for(car, name=name)


def _tree_file(car: CarParameters, seed: int, name: str) -> Path:
    return cache_folder() / f"{name}-{_key(car, seed, RECIPES[name])}.npz"


def cache_folder() -> Path:
    """`SWERVE_CACHE`, or swerve's folder in the user's cache."""
    own = os.environ.get("SWERVE_CACHE")
    return Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "swerve"


def _key(car: CarParameters, seed: int, recipe: int) -> str:
    told = {"car": asdict(car), "seed": seed, "recipe": recipe}
    return hashlib.sha256(to_json(told).encode()).hexdigest()[:16]
