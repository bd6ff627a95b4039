"""Roads as flat arrays: strips, junctions, lights, crosswalks, and the quickest ways over them."""

from .crossings import Crossings
from .lights import Lights, SignalTimes
from .roads import Roads
from .routes import Routes, find_routes, is_strongly_connected
from .ways import lone_road, random_drive, way_along

__all__ = [
    "Crossings",
    "Lights",
    "Roads",
    "Routes",
    "SignalTimes",
    "find_routes",
    "is_strongly_connected",
    "lone_road",
    "random_drive",
    "way_along",
]
