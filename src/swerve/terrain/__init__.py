"""The fastest safe way over ground: surfaces, vehicle limits, speed profiles and path search."""

from .curves import limit_curves
from .fastest import PathOptions, fastest_path
from .path import SurfacePath
from .profile import Binding, Profile, Trouble, speed_profile
from .regions import Region, rectangle
from .route import Route, Routes
from .surface import Terrain
from .vehicle import Vehicle

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
