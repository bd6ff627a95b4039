"""The riders wing: cyclists simulated in full, and what steers them (after Brogan & Hodgins 2002)."""

from .bicycle import bicycle_xml
from .body import Body, Motion, Ride, load_body
from .curves import Way, curve
from .decide import Navigator, Weights
from .detail import Mixed
from .engine import CyclistRide
from .follow import follow, starts_beside
from .glide import Glide
from .herd import herd, scatter
from .identify import check_bicycle, identify_bicycle
from .maps import load_map
from .mobility import MobilityMap
from .plain import PlainBody
from .rider import Rider, load_rider
from .simple import Simple
from .tune import load_tuned
from .whipple import BicycleParameters, LinearBicycle

__all__ = [
    "BicycleParameters",
    "Body",
    "CyclistRide",
    "Glide",
    "LinearBicycle",
    "Mixed",
    "MobilityMap",
    "Motion",
    "Navigator",
    "PlainBody",
    "Ride",
    "Rider",
    "Simple",
    "Way",
    "Weights",
    "bicycle_xml",
    "check_bicycle",
    "curve",
    "follow",
    "herd",
    "identify_bicycle",
    "load_body",
    "load_map",
    "load_rider",
    "load_tuned",
    "scatter",
    "starts_beside",
]
