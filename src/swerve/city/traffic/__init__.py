"""Vehicles with drivers: one batch that decides and moves together."""

from .fleet import Fleet
from .traffic import Traffic

__all__ = [
    "Fleet",
    "Traffic",
]
