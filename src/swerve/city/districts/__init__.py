"""A town over many processes: its roads cut into districts that tell each other who is near a border."""

from .digest import digest
from .run import Districts

__all__ = ["Districts", "digest"]
