"""The riders wing: cyclists simulated in full, and what steers them (after Brogan & Hodgins 2002)."""

from .bodies.bicycle import bicycle_xml
from .bodies.engine import CyclistRide
from .bodies.identify import check_bicycle, identify_bicycle
from .bodies.rider import Rider, load_rider
from .bodies.whipple import BicycleParameters, LinearBicycle
from .maps.carry import predict
from .maps.detail import Mixed
from .maps.glide import Glide
from .maps.mobility import MobilityMap
from .maps.stored import load_map
from .steering.curves import Way, curve
from .steering.decide import Navigator, Weights
from .steering.follow import follow, starts_beside
from .steering.herd import herd, scatter
from .steering.minds import HerdRiders, PathRiders
from .steering.simple import Simple
from .steering.tune import load_tuned

__all__ = [
    "BicycleParameters",
    "CyclistRide",
    "Glide",
    "HerdRiders",
    "LinearBicycle",
    "Mixed",
    "MobilityMap",
    "Navigator",
    "PathRiders",
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
    "load_map",
    "load_rider",
    "load_tuned",
    "predict",
    "scatter",
    "starts_beside",
]
