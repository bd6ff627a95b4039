"""The riders wing: cyclists simulated in full, and what steers them (after Brogan & Hodgins 2002)."""

from .bodies.bicycle import bicycle_xml
from .bodies.engine import CyclistRide
from .bodies.identify import check_bicycle, identify_bicycle
from .bodies.rider import Rider, load_rider
from .bodies.whipple import BicycleParameters, LinearBicycle
from .maps.build import MapOptions
from .maps.carry import predict
from .maps.detail import Mixed
from .maps.glide import Glide
from .maps.mobility import MobilityMap
from .maps.stored import load_map
from .steering.curves import Course, curve
from .steering.decide import Navigator, Weights
from .steering.follow import follow, paces_for, starts_beside
from .steering.herd import HerdOptions, herd, scatter
from .steering.minds import HerdRiders, PathRiders
from .steering.simple import Simple
from .steering.tune import load_tuned

__all__ = [
    "BicycleParameters",
    "Course",
    "CyclistRide",
    "Glide",
    "HerdOptions",
    "HerdRiders",
    "LinearBicycle",
    "MapOptions",
    "Mixed",
    "MobilityMap",
    "Navigator",
    "PathRiders",
    "Rider",
    "Simple",
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
    "paces_for",
    "predict",
    "scatter",
    "starts_beside",
]
