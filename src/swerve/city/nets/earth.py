"""A map about one point of the earth: the transverse Mercator projection, good to a millimetre in a town."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.earth import ECCENTRICITY_SQUARED as _E2
from swerve.core.earth import EQUATOR as _A


@dataclass(frozen=True)
class MiddleMap:
    """About a latitude and a longitude [deg]."""

    latitude: float
    longitude: float

    @property
    def reference(self) -> str:
        """The projection in PROJ's words."""
        return f"+proj=tmerc +lat_0={self.latitude!r} +lon_0={self.longitude!r} +k=1 +ellps=WGS84 +units=m"

    def project(self, latitude: np.ndarray, longitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x (east) and y (north) [m] of places [deg]."""
        phi = np.radians(latitude)
        s, c, t = np.sin(phi), np.cos(phi), np.tan(phi) ** 2
        n = _A / np.sqrt(1.0 - _E2 * s**2)
        tilt = _E2 / (1.0 - _E2) * c**2
        a = np.radians(longitude - self.longitude) * c
        x = n * (a + (1 - t + tilt) * a**3 / 6)
        up = a**2 / 2 + (5 - t + 9 * tilt + 4 * tilt**2) * a**4 / 24
        y = _meridian(phi) - _meridian(np.radians(np.float64(self.latitude))) + n * np.tan(phi) * up
        return x, y


def _meridian(phi: np.ndarray | np.float64) -> np.ndarray:
    """Distance [m] from the equator along a meridian."""
    e2, e4, e6 = _E2, _E2**2, _E2**3
    return _A * (
        (1 - e2 / 4 - 3 * e4 / 64 - 5 * e6 / 256) * phi
        - (3 * e2 / 8 + 3 * e4 / 32 + 45 * e6 / 1024) * np.sin(2 * phi)
        + (15 * e4 / 256 + 45 * e6 / 1024) * np.sin(4 * phi)
        - (35 * e6 / 3072) * np.sin(6 * phi)
    )
