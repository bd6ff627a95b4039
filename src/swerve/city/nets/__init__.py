"""Road networks of other programs: SUMO's `.net.xml` and OpenStreetMap's `.osm`."""

from .load import load_osm, load_sumo

__all__ = ["load_osm", "load_sumo"]
