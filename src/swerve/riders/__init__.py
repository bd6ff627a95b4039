"""The riders wing: cyclists simulated in full, and what steers them (after Brogan & Hodgins 2002)."""

from .bicycle import bicycle_xml
from .body import Body, Motion, Ride, load_body
from .identify import check_bicycle, identify_bicycle
from .whipple import BicycleParameters, LinearBicycle

__all__ = [
    "BicycleParameters",
    "Body",
    "LinearBicycle",
    "Motion",
    "Ride",
    "bicycle_xml",
    "check_bicycle",
    "identify_bicycle",
    "load_body",
]
