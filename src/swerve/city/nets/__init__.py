"""Road networks of other programs: SUMO's `.net.xml` and OpenStreetMap's `.osm`."""

from .load import load_sumo

__all__ = ["load_sumo"]
