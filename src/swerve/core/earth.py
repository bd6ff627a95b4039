"""The ellipsoid of WGS 84, on which maps, towns and image generators lay their metres."""

from __future__ import annotations

import numpy as np

EQUATOR = 6_378_137.0  # [m] radius
ECCENTRICITY_SQUARED = 6.694379990141e-3


def metres_per_degree(latitude: float) -> tuple[float, float]:
    """[m] of a degree of longitude and of latitude at a latitude [°].

    >>> east, north = metres_per_degree(0.0)
    >>> round(east), round(north)
    (111319, 110574)
    """
    phi = np.radians(latitude)
    w = 1.0 - ECCENTRICITY_SQUARED * np.sin(phi) ** 2
    north_south = EQUATOR * (1.0 - ECCENTRICITY_SQUARED) / w**1.5
    east_west = EQUATOR / np.sqrt(w) * np.cos(phi)
    return float(np.radians(east_west)), float(np.radians(north_south))
