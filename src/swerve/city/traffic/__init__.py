"""Vehicles with drivers: one batch that decides and moves together; and who wants to go where."""

from .demand import Demand, Flow, Trip, load_demand
from .fleet import Fleet
from .traffic import Traffic

__all__ = [
    "Demand",
    "Fleet",
    "Flow",
    "Traffic",
    "Trip",
    "load_demand",
]
