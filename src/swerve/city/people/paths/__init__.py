"""Paths of people: a manager that keeps them, and refiners that work on what lies just ahead."""

from .manager import PathManager, PathState
from .refiners import (
    LevelOfDetail,
    Obstacles,
    PedestrianTraffic,
    Refiner,
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
