"""People on foot: behaviours, paths, avoidance and crossing the road."""

from .options import PeopleOptions
from .people import People

__all__ = [
    "People",
    "PeopleOptions",
]
