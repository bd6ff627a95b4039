"""Behaviours: each gives a steering force for a whole batch of people; they are blended into one."""

from ...characters.behaviour import Behaviour, Steering
from ...characters.blend import BLENDS, blend, by_dithering, by_intensity, by_priority
from .base import Target, Walkers
from .group import Align, Cohere, KeepFormation
from .look import LookAt
from .seek import SeekTo, Wander
from .yielding import YieldTo

__all__ = [
    "BLENDS",
    "Align",
    "Behaviour",
    "Cohere",
    "KeepFormation",
    "LookAt",
    "SeekTo",
    "Steering",
    "Target",
    "Walkers",
    "Wander",
    "YieldTo",
    "blend",
    "by_dithering",
    "by_intensity",
    "by_priority",
]
