"""The fastest safe way over ground: surfaces, vehicle limits, speed profiles and path search."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .curves import limit_curves
    from .fastest import PathOptions, fastest_path
    from .path import SurfacePath
    from .profile import Binding, Profile, Trouble, speed_profile
    from .regions import Region, rectangle
    from .route import Route, Routes
    from .surface import Terrain
    from .vehicle import Vehicle

_HOMES = {
    "curves": ("limit_curves",),
    "fastest": ("PathOptions", "fastest_path"),
    "path": ("SurfacePath",),
    "profile": ("Binding", "Profile", "Trouble", "speed_profile"),
    "regions": ("Region", "rectangle"),
    "route": ("Route", "Routes"),
    "surface": ("Terrain",),
    "vehicle": ("Vehicle",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Binding",
    "PathOptions",
    "Profile",
    "Region",
    "Route",
    "Routes",
    "SurfacePath",
    "Terrain",
    "Trouble",
    "Vehicle",
    "fastest_path",
    "limit_curves",
    "rectangle",
    "speed_profile",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: what draws needs none of what plans."""
    if name not in _HOME:
        raise AttributeError(f"module 'swerve.terrain' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
