"""People on foot: behaviours, paths, avoidance and crossing the road."""

from .people import People, PeopleOptions

__all__ = [
    "People",
    "PeopleOptions",
]
