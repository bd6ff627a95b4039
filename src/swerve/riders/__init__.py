"""The riders wing: cyclists simulated in full, and what steers them (after Brogan & Hodgins 2002)."""

from .bicycle import bicycle_xml
from .body import Body, Motion, Ride, load_body
from .engine import CyclistRide
from .identify import check_bicycle, identify_bicycle
from .rider import Rider, load_rider
from .whipple import BicycleParameters, LinearBicycle

__all__ = [
    "BicycleParameters",
    "Body",
    "CyclistRide",
    "LinearBicycle",
    "Motion",
    "Ride",
    "Rider",
    "bicycle_xml",
    "check_bicycle",
    "identify_bicycle",
    "load_body",
    "load_rider",
]
