"""A town over many processes: its roads cut into districts that tell each other who is near a border."""

from .cut import MOST, check_count, cut
from .digest import digest
from .run import Districts

__all__ = ["MOST", "Districts", "check_count", "cut", "digest"]
