"""Image generators over CIGI: a link to one, a stand-in for one, and captures of what was sent."""

from .geodesy import Origin, compass, heading_of
from .image_generator import ImageGenerator
from .link import PACES, CigiLink, LinkOptions
from .pcap import Capture

__all__ = [
    "PACES",
    "Capture",
    "CigiLink",
    "ImageGenerator",
    "LinkOptions",
    "Origin",
    "compass",
    "heading_of",
]
