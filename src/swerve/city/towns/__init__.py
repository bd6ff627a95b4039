"""Towns: grids, winding towns, and those that a scene file describes."""

from .grid_plan import grid
from .scene_file import read_scene
from .street_plan import Node, Street, StreetPlan, build_town
from .town import Area, Town
from .winding_plan import winding

__all__ = [
    "Area",
    "Node",
    "Street",
    "StreetPlan",
    "Town",
    "build_town",
    "grid",
    "read_scene",
    "winding",
]
