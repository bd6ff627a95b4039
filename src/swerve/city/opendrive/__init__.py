"""Towns from OpenDRIVE files."""

from .load import load_opendrive
from .read import read_opendrive

__all__ = [
    "load_opendrive",
    "read_opendrive",
]
