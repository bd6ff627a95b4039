"""People on foot: behaviours, paths, avoidance and crossing the road."""

from .people import People

__all__ = [
    "People",
]
