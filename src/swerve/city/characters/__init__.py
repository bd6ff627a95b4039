"""Who acts in the city: kinds with their attributes, templates that share a brain, groups."""

from .attributes import Attribute, Kind, described
from .characters import Characters
from .groups import Group, Groups
from .kinds import BASIC, KINDS, PERSON, VEHICLE, WHEELED
from .templates import batches, brains, decide

__all__ = [
    "BASIC",
    "KINDS",
    "PERSON",
    "VEHICLE",
    "WHEELED",
    "Attribute",
    "Characters",
    "Group",
    "Groups",
    "Kind",
    "batches",
    "brains",
    "decide",
    "described",
]
