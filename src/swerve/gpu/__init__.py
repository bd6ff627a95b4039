"""The room for accelerators: the car, the map riders and the following on lanes as pure JAX functions.

    from swerve import gpu
    road, car = gpu.road_arrays(["cornered"]), gpu.car_numbers()
    cars = gpu.place_cars(road, car, 1_000_000, seed=0)

`cars`, `riders` and `lanes` need nothing but NumPy and JAX; what they work on is made from the wings' own
objects by `pack` and can be written to one file (`arrays`). `bodies` are batches that go wherever those of
the wings go. All of it needs `pip install 'swerve[gpu]'`.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from swerve.core.errors import BadInput

if TYPE_CHECKING:
    from .bodies import JaxCars, JaxGlide, JaxNavigator, LaneTraffic
    from .pack import car_numbers, drivers_of, map_arrays, place_cars, road_arrays, way_arrays


class NoJax(BadInput, ImportError):
    """JAX is not installed."""


if find_spec("jax") is None:
    raise NoJax("swerve.gpu", None, "JAX is not installed; pip install 'swerve[gpu]'")

_HOMES = {
    "bodies": ("JaxCars", "JaxGlide", "JaxNavigator", "LaneTraffic"),
    "pack": ("car_numbers", "drivers_of", "map_arrays", "place_cars", "road_arrays", "way_arrays"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "JaxCars",
    "JaxGlide",
    "JaxNavigator",
    "LaneTraffic",
    "NoJax",
    "car_numbers",
    "drivers_of",
    "map_arrays",
    "place_cars",
    "road_arrays",
    "way_arrays",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: what only needs JAX must load without the rest."""
    if name not in _HOME:
        raise AttributeError(f"module 'swerve.gpu' has no attribute {name!r}")
    return getattr(import_module(f"swerve.gpu.{_HOME[name]}"), name)
