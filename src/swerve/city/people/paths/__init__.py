"""Paths of people: a manager that keeps them, and refiners that work on what lies just ahead."""

from ...characters.paths import LevelOfDetail, PathState, Refiner
from .manager import PathManager
from .refiners import (
    Obstacles,
    PedestrianTraffic,
    Smoothing,
    VehicleTraffic,
    usual_refiners,
)

__all__ = [
    "LevelOfDetail",
    "Obstacles",
    "PathManager",
    "PathState",
    "PedestrianTraffic",
    "Refiner",
    "Smoothing",
    "VehicleTraffic",
    "usual_refiners",
]
