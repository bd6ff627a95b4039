"""Image generators over CIGI: a link to one, a stand-in for one, and captures of what was sent."""

from .geodesy import Origin, compass, heading_of
from .image_generator import ImageGenerator
from .link import PACES, CigiLink
from .pcap import Capture

__all__ = [
    "PACES",
    "Capture",
    "CigiLink",
    "ImageGenerator",
    "Origin",
    "compass",
    "heading_of",
]
