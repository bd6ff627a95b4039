"""Vehicles with drivers: one batch that decides and moves together; and who wants to go where."""

from .behaviours import Drivers, DriveTo, KeepSpeed, along_way
from .demand import Demand, Flow, Trip, load_demand
from .fleet import Fleet
from .traffic import Traffic

__all__ = [
    "Demand",
    "DriveTo",
    "Drivers",
    "Fleet",
    "Flow",
    "KeepSpeed",
    "Traffic",
    "Trip",
    "along_way",
    "load_demand",
]
