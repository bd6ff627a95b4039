"""The room for accelerators: the car, the map riders and the following on lanes as pure JAX functions.

`cars`, `riders` and `lanes` need nothing but NumPy and JAX; what they work on is made from the wings' own
objects by `pack` and can be written to one file (`arrays`). `bodies` are batches that go wherever those of
the wings go. All of it needs `pip install 'swerve[gpu]'`.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from swerve.core.errors import BadInput

if TYPE_CHECKING:
    from .arrays import on_device
    from .bodies import JaxCar, JaxCars, JaxGlide, JaxNavigator, LaneTraffic
    from .drivers import begin, drive_steadily
    from .lanes import flow
    from .pack import (
        car_numbers,
        draw_lanes,
        lane_rules,
        map_arrays,
        place_cars,
        riders_at,
        road_arrays,
        start_places,
        way_arrays,
    )
    from .ways import Rides, ride


class NoJax(BadInput, ImportError):
    """JAX is not installed."""


if find_spec("jax") is None or find_spec("jaxlib") is None:
    raise NoJax("swerve.gpu", None, "JAX is not installed; pip install 'swerve[gpu]'")

_HOMES = {
    "arrays": ("on_device",),
    "bodies": ("JaxCar", "JaxCars", "JaxGlide", "JaxNavigator", "LaneTraffic"),
    "drivers": ("begin", "drive_steadily"),
    "lanes": ("flow",),
    "pack": (
        *("car_numbers", "draw_lanes", "lane_rules", "map_arrays", "place_cars"),
        *("riders_at", "road_arrays", "start_places", "way_arrays"),
    ),
    "ways": ("Rides", "ride"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "JaxCar",
    "JaxCars",
    "JaxGlide",
    "JaxNavigator",
    "LaneTraffic",
    "NoJax",
    "Rides",
    "begin",
    "car_numbers",
    "draw_lanes",
    "drive_steadily",
    "flow",
    "lane_rules",
    "map_arrays",
    "on_device",
    "place_cars",
    "ride",
    "riders_at",
    "road_arrays",
    "start_places",
    "way_arrays",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: what only needs JAX must load without the rest."""
    if name not in _HOME:
        raise AttributeError(f"module 'swerve.gpu' has no attribute {name!r}")
    return getattr(import_module(f"swerve.gpu.{_HOME[name]}"), name)
