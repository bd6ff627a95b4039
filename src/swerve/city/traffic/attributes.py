"""What the characters' attributes say of vehicles and drivers, as columns of the fleet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from swerve.core.errors import require

from ..characters.avoidance import OF_DRIVERS, WAYS
from ..characters.kinds import WHEELED_TYPES
from ..roads.swept import Largest
from .fleet import Fleet
from .net import SIDE_ACCELERATION

LIMITED = ("length", "width", "wheelbase", "front_overhang")  # by `Largest`, in its order
COPIED = {
    "length": "length",
    "width": "width",
    "wheelbase": "wheelbase",
    "overhang": "front_overhang",
    "max_speed": "max_speed",
    "max_accel": "max_acceleration",
    "max_brake": "max_deceleration",
    "max_steer": "max_steer",
    "steer_rate": "max_steer_rate",
    "comfort": "comfortable_deceleration",
    "headway": "headway",
    "clearance": "clearance",
    "person_clearance": "person_clearance",
    "driver": "driver_type",
    "threshold": "pass_frustration_threshold",
    "yield_distance": "yield_distance",
    "yield_oncoming": "yield_to_oncoming",
    "look_ahead": "look_ahead",
    "keeps_lane": "keeps_lane",
    "emergency": "emergency",
    "autonomous": "autonomous",
}


_ROUND = np.array([sum(one << kind for kind, one in enumerate(OF_DRIVERS[way])) for way in WAYS], np.int8)


def copy_attributes(fleet: Fleet, get: Callable[[str], np.ndarray], largest: Largest) -> None:
    """Fill the columns that attributes say, where `get(name)` gives one of all vehicles, none of which may be
    larger than the `largest` that junctions are laid out for."""
    for name, most in zip(LIMITED, largest, strict=False):
        here = float(get(name).max(initial=0.0))
        require(here <= most, f"attribute {name}", here, f"must be at most {most} m on these roads")
    for column, name in COPIED.items():
        getattr(fleet, column)[:] = get(name)
    fleet.goes_round[:] = _ROUND[get("avoidance")]
    fleet.middle[:] = fleet.wheelbase + fleet.overhang - fleet.length / 2
    # halfway between what the rear cuts inside a bend and what the front swings out of it
    fleet.swing[:] = (2 * fleet.wheelbase**2 - (fleet.wheelbase + fleet.overhang) ** 2) / 4
    fleet.bend_share[:] = np.sqrt(get("side_acceleration") / SIDE_ACCELERATION)
    respect = get("respect_limit")
    ratio = np.clip(_driver_share(fleet.driver), get("min_speed_ratio"), get("max_speed_ratio"))
    fleet.limit_share[:] = np.select([respect == 0, respect == 1], [1.0, ratio], 10.0)


def kinds_told(get: Callable[[str], np.ndarray]) -> np.ndarray:
    """The word for every vehicle in recordings."""
    known = ["vehicle" if word == "other" else word for word in WHEELED_TYPES]
    words = np.array(known, dtype=object)[get("wheeled_type")]
    words[get("name") == "ambulance"] = "ambulance"
    return words


def _driver_share(driver: np.ndarray) -> np.ndarray:
    """How a driver type likes the speed limit: fast above, slow below, before its own ratios bound it."""
    return np.array([1.1, 1.0, 0.9])[driver]
