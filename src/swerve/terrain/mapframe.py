"""Where a map lies on the earth: coordinates in and out.

Planning happens in metres, x east and y north. Maps in metres or feet keep their own eastings and
northings, so x and y are map coordinates; a map that is turned against them is planned over along its own
rows and columns, x along these. Maps in degrees are laid flat with the metres that a degree of
longitude and of latitude has on the ellipsoid of WGS84 at their middle latitude.
pyproj, where it is installed (`pip install 'swerve[maps]'`), turns places of a projected map into latitude
and longitude and back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.core.earth import metres_per_degree
from swerve.core.errors import BadInput

LONLAT = "EPSG:4326"
MOST_STRETCH = 0.003  # share by which lengths on a map may be off without a word
SLACK = 1e-3  # [m] beyond its edge that a place is told to be off a map
NEARBY = 50.0  # [m] over which it is measured how a projection stretches
FOOT = {9002: 0.3048, 9003: 1200 / 3937}  # [m] of GeoTIFF's linear units: international, US survey


@dataclass(frozen=True)
class MapFrame:
    """`crs` such as EPSG:32633, empty if unknown; `unit` [m] of its coordinates, `shrunk` times that of its
    system, where that stretches. Maps in degrees have
    `latitude` in the middle and x = 0, y = 0 at `corner` (longitude, latitude); maps whose x points `turn`
    [rad] to the left of east have it at `corner` (easting, northing)."""

    crs: str = ""
    unit: float = 1.0
    latitude: float | None = None
    corner: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0
    shrunk: float = 1.0

    @property
    def in_degrees(self) -> bool:
        return self.latitude is not None

    @property
    def _per_degree(self) -> np.ndarray:
        return np.array(metres_per_degree(self.latitude or 0.0))

    def local(self, coordinates: np.ndarray) -> np.ndarray:
        """x, y (n, 2) [m] of map coordinates: easting and northing, or longitude and latitude."""
        given = np.asarray(coordinates, dtype=float)
        if self.in_degrees:
            off = given - self.corner
            east = off[..., 0]  # a map may cross the line where dates change, or count from 0° to 360°
            off[..., 0] = east + 360.0 * (east < -180.0) - 360.0 * (east >= 360.0)
            return off * self._per_degree
        if self.turn:
            return ((given - self.corner) * self.unit) @ self._turned
        return given * self.unit

    def mapped(self, places: np.ndarray) -> np.ndarray:
        """Map coordinates (n, 2) of x, y [m]: what `local` takes."""
        given = np.asarray(places, dtype=float)
        if self.in_degrees:
            return given / self._per_degree + self.corner
        if self.turn:
            return given @ self._turned.T / self.unit + self.corner
        return given / self.unit

    @property
    def _turned(self) -> np.ndarray:
        """(2, 2) whose columns are the map's x and y as easting and northing."""
        c, s = math.cos(self.turn), math.sin(self.turn)
        return np.array([[c, -s], [s, c]])

    def stretch(self, extent: tuple[float, float, float, float]) -> float:
        """The largest share by which lengths are off at the corners and in the middle of the map; 0 where
        nothing tells."""
        if self.latitude is None:
            west, south, east, north = extent
            places = [(west, south), (east, south), (west, north), (east, north)]
            lengths = map(self.true_lengths, [*places, (0.5 * (west + east), 0.5 * (south + north))])
            return max(
                (float(np.abs(found - 1.0).max()) for found in lengths if found is not None), default=0.0
            )
        edges = self.mapped(np.reshape(extent, (2, 2)))[:, 1]
        there = np.array([metres_per_degree(min(max(edge, -89.9), 89.9)) for edge in edges])
        return float(np.abs(self._per_degree / there - 1.0).max())

    def true_lengths(self, place: tuple[float, float]) -> np.ndarray | None:
        """[m] on the earth of a metre along x and along y (2,) at a place of a projected map; None where
        nothing tells."""
        if not math.isclose(self.unit / self.shrunk, unit_of(self.crs), rel_tol=1e-3):
            return None  # the file tells another unit than its system has
        ends = self.lonlat(np.add(place, [[0.0, 0.0], [NEARBY, 0.0], [0.0, NEARBY]]))
        if self.in_degrees or ends is None or not np.isfinite(ends).all():
            return None
        from pyproj import Geod

        here, *there = ends
        return np.array([Geod(ellps="WGS84").inv(*here, *other)[2] for other in there]) / NEARBY

    def lonlat(self, places: np.ndarray) -> np.ndarray | None:
        """Longitude and latitude (n, 2) of x, y [m]; None where the map does not say, or without pyproj."""
        if self.in_degrees:
            found = self.mapped(places)
            found[:, 0] -= 360.0 * np.round(found[:, 0].mean() / 360.0)  # as a whole: lines stay in one piece
            return found
        turn = self._transformer(LONLAT, out=True)
        return None if turn is None else np.column_stack(turn.transform(*self.mapped(places).T))

    def from_lonlat(self, coordinates: np.ndarray) -> np.ndarray | None:
        """x, y (n, 2) [m] of longitude and latitude; None as for `lonlat`."""
        if self.in_degrees:
            return self.local(coordinates)
        turn = self._transformer(LONLAT, out=False)
        return (
            None if turn is None else self.local(np.column_stack(turn.transform(*np.asarray(coordinates).T)))
        )

    def from_frame(self, other: MapFrame, places: np.ndarray) -> np.ndarray:
        """x, y (n, 2) [m] here of x, y on a map of another frame; as they are where nothing tells how the two
        lie to each other."""
        if self == other:
            return places
        if self.crs == other.crs or not (self.crs and other.crs):
            alike = self.in_degrees == other.in_degrees
            return self.local(other.mapped(places)) if alike else places
        earth = other.lonlat(places)
        there = None if earth is None else self.from_lonlat(earth)
        return places if there is None else there

    def from_system(self, what: str, crs: str, coordinates: np.ndarray) -> np.ndarray:
        """x, y (n, 2) [m] of easting and northing, or longitude and latitude, of another system."""
        if crs == self.crs:
            return self.local(coordinates)
        if not self.crs:
            raise BadInput(what, crs, "cannot be laid on a map that does not tell its own")
        turn = self._transformer(crs, out=False, what=what)
        if turn is None:
            raise BadInput(what, crs, f"is not the map's, {self.crs}: that needs pip install 'swerve[maps]'")
        found = self.local(np.column_stack(turn.transform(*np.asarray(coordinates).T)))
        if not np.isfinite(found).all():
            raise BadInput(what, crs, "does not reach where the coordinates lie")
        return found

    def _transformer(self, other: str, out: bool, what: str = "coordinate system") -> Any:
        if not self.crs:
            return None
        try:
            from pyproj import CRS, Transformer
            from pyproj.exceptions import ProjError
        except ImportError:
            return None
        try:
            own = CRS.from_user_input(self.crs)
        except (
            ProjError
        ):  # a private number, or a newer one: what the map says of itself is all that is known
            return None
        try:
            source, target = (own, other) if out else (other, own)
            return Transformer.from_crs(source, target, always_xy=True)
        except ProjError as error:
            raise BadInput(what, other, f"is not known ({error})") from error

    def place(self, what: str, text: str, extent: tuple[float, float, float, float]) -> tuple[float, float]:
        """x, y [m] of a place that a person wrote: E,N, or latitude,longitude where the map allows it."""
        try:
            a, b = (float(word) for word in text.split(","))
        except ValueError as error:
            raise BadInput(what, text, "must be two numbers X,Y or LAT,LON") from error
        if not (math.isfinite(a) and math.isfinite(b)):
            raise BadInput(what, text, "must be finite")
        x, y = self.local(np.array([b, a] if self.in_degrees else [a, b]))
        if not _inside(x, y, extent) and not self.in_degrees and abs(a) <= 90.0 and abs(b) <= 180.0:
            found = self.from_lonlat(np.array([[b, a]]))
            if found is not None and np.isfinite(found).all():
                x, y = found[0]
        if not _inside(x, y, extent):
            raise BadInput(what, text, f"lies outside the map, {self.reach(extent)}")
        return float(x), float(y)

    def reach(self, extent: tuple[float, float, float, float]) -> str:
        """From where to where a map reaches, in its coordinates, in the order in which places are written."""
        x0, y0, x1, y1 = extent
        corners = self.mapped(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))
        (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
        if self.in_degrees:
            return f"latitude {south:.7g} to {north:.7g}, longitude {west:.7g} to {east:.7g}"
        return f"x {west:.10g} to {east:.10g}, y {south:.10g} to {north:.10g}"


def _inside(x: float, y: float, extent: tuple[float, float, float, float]) -> bool:
    x0, y0, x1, y1 = extent
    return bool(x0 - SLACK <= x <= x1 + SLACK and y0 - SLACK <= y <= y1 + SLACK)


def unit_of(crs: str) -> float:
    """[m] of a projected system's coordinates, by pyproj; 1 where that is not there, or does not know."""
    if not crs:
        return 1.0
    try:
        from pyproj import CRS

        return float(CRS.from_user_input(crs).axis_info[0].unit_conversion_factor)
    except Exception:  # without pyproj, or a system that it does not know
        return 1.0


UNPLACED = MapFrame()
