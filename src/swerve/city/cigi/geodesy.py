"""Where the town lies on the earth: a flat map about one point.

Image generators want latitude, longitude and height. The town's metres are laid on the plane that touches the
WGS 84 ellipsoid at `Origin`: with the radii of curvature M (north-south) and N (east-west) there,

    latitude = φ₀ + y / M,        longitude = λ₀ + x / (N cos φ₀).

The way back is exact; true distances on the ellipsoid differ by about 1 part in 10⁵ within ten kilometres.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from swerve.core.earth import metres_per_degree
from swerve.core.errors import BadInput, require

Number = TypeVar("Number", float, np.ndarray)


@dataclass(frozen=True)
class Origin:
    """Latitude and longitude [deg] and height [m] of the town's point (0, 0, 0).

    >>> origin = Origin(48.0, 11.0)
    >>> latitude, longitude, height = origin.to_earth(100.0, -50.0, 2.0)
    >>> x, y, z = origin.to_town(latitude, longitude, height)
    >>> round(float(x), 6), round(float(y), 6), z
    (100.0, -50.0, 2.0)
    """

    latitude: float = 48.0
    longitude: float = 11.0
    height: float = 0.0

    def __post_init__(self) -> None:
        require(abs(self.latitude) <= 85.0, "origin latitude", self.latitude, "must be within ±85 degrees")
        require(
            abs(self.longitude) <= 180.0, "origin longitude", self.longitude, "must be within ±180 degrees"
        )

    def to_earth(self, x: Number, y: Number, z: Number) -> tuple[Number, Number, Number]:
        """Latitude, longitude [deg] and height [m] of places [m] in the town."""
        east, north = metres_per_degree(self.latitude)
        return self.latitude + y / north, self.longitude + x / east, self.height + z

    def to_town(self, latitude: Number, longitude: Number, height: Number) -> tuple[Number, Number, Number]:
        """x, y, z [m] in the town."""
        east, north = metres_per_degree(self.latitude)
        return (longitude - self.longitude) * east, (latitude - self.latitude) * north, height - self.height


class OnEarth(Protocol):
    """Whatever knows where the town's metres lie."""

    def to_earth(self, x: Number, y: Number, z: Number) -> tuple[Number, Number, Number]: ...


class Projected:
    """A town whose file says by a `geoReference` how its metres were projected; needs pyproj.

    `offset` is what is added to x, y, z [m] (after turning by the heading [rad]) before projecting back.
    """

    def __init__(self, reference: str, offset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)):
        try:
            from pyproj import Transformer
            from pyproj.exceptions import CRSError
        except ImportError as error:
            raise BadInput("geoReference", reference, "needs pyproj: pip install 'swerve[maps]'") from error
        try:
            self._way = Transformer.from_crs(reference, "EPSG:4326", always_xy=True)
        except CRSError as error:
            raise BadInput("geoReference", reference, "is not a projection that pyproj knows") from error
        self._offset = offset

    def to_earth(self, x: Number, y: Number, z: Number) -> tuple[Number, Number, Number]:
        """Latitude, longitude [deg] and height [m] of places [m] in the town."""
        east, north, up, turn = self._offset
        c, s = float(np.cos(turn)), float(np.sin(turn))
        longitude, latitude = self._way.transform(c * x - s * y + east, s * x + c * y + north)
        return latitude, longitude, z + up


def compass(heading: np.ndarray) -> np.ndarray:
    """Degrees clockwise from north, from radians counter-clockwise from east."""
    return np.mod(90.0 - np.degrees(heading), 360.0)


def heading_of(compass_degrees: np.ndarray) -> np.ndarray:
    """Radians counter-clockwise from east, between -π and π."""
    return np.radians(np.mod(270.0 - compass_degrees, 360.0) - 180.0)
