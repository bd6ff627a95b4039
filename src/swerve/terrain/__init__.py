"""The fastest safe way over ground: surfaces, vehicle limits, speed profiles and path search."""

from .path import SurfacePath
from .profile import Binding, Profile, Trouble, speed_profile
from .regions import Region, rectangle
from .surface import Terrain
from .vehicle import Vehicle

__all__ = [
    "Binding",
    "Profile",
    "Region",
    "SurfacePath",
    "Terrain",
    "Trouble",
    "Vehicle",
    "rectangle",
    "speed_profile",
]
