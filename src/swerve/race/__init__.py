"""The race wing: a car at the limit of grip, driven by move trees (after Adam 2007).

>>> from swerve.race import Setting, drive, load_track, load_tree
>>> result = drive(load_track("sharp-cornered"), load_tree("large"), Setting(planner="tree"), seed=1)
>>> result.finished, result.figures()["max_sideslip_deg"] > 20
(True, True)
"""

from .body import SlidingCar
from .car import Car, CarParameters
from .cars import fitted_tree, load_car
from .chooser import PilotChooser
from .course import Course, plan_course
from .drive import Setting, drive
from .driven import Drive
from .entry import Entry
from .follow import follow
from .journey import Journey
from .line_driver import LineDriver
from .others import Others
from .pilot import Leg, Pilot
from .predictor import TreePredictor
from .racer import Racer, Reality
from .rivals import Rivals
from .route import Route, RouteSearch, SearchOptions
from .track import Track
from .tracks import generate, load_track, read_circuit
from .traffic import Traffic
from .trees import load_tree

__all__ = [
    "Car",
    "CarParameters",
    "Course",
    "Drive",
    "Entry",
    "Journey",
    "Leg",
    "LineDriver",
    "Others",
    "Pilot",
    "PilotChooser",
    "Racer",
    "Reality",
    "Rivals",
    "Route",
    "RouteSearch",
    "SearchOptions",
    "Setting",
    "SlidingCar",
    "Track",
    "Traffic",
    "TreePredictor",
    "drive",
    "fitted_tree",
    "follow",
    "generate",
    "load_car",
    "load_track",
    "load_tree",
    "plan_course",
    "read_circuit",
]
