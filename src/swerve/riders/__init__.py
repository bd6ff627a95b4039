"""The riders wing: cyclists simulated in full, and what steers them (after Brogan & Hodgins 2002)."""

from .body import Body, Motion, Ride, load_body

__all__ = ["Body", "Motion", "Ride", "load_body"]
