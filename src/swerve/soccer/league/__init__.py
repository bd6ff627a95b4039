"""The league's language: SSL-Vision, the game controller and the simulation protocol, over UDP.

>>> from swerve.soccer.league import Ruling, read_referee, referee
>>> read_referee(referee(Ruling(stage=1, command=2, counter=3, since=0.5, score=(2, 1)), t=1.0)).score
(2, 1)
"""

from .desk import Desk
from .messages import message, parse
from .packets import (
    Ruling,
    detection,
    geometry,
    of_camera,
    read_detection,
    read_geometry,
    read_referee,
    referee,
    sighted,
)
from .server import Ports, Server, Vision
from .simulator import Order, Simulator

__all__ = [
    "Desk",
    "Order",
    "Ports",
    "Ruling",
    "Server",
    "Simulator",
    "Vision",
    "detection",
    "geometry",
    "message",
    "of_camera",
    "parse",
    "read_detection",
    "read_geometry",
    "read_referee",
    "referee",
    "sighted",
]
