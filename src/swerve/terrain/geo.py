"""Obstacles in, routes out as GeoJSON and CSV: in the coordinates of the map or in longitude and latitude."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from swerve.core.circuit_file import write_table
from swerve.core.errors import BadInput, require
from swerve.core.files import existing, write_json

from .mapframe import LONLAT
from .plans import slopes
from .profile import binding_names
from .regions import Region
from .route import Route
from .surface import Terrain
from .vehicle import Vehicle

WHEELS = ("load_front_left_N", "load_front_right_N", "load_rear_left_N", "load_rear_right_N")


def read_obstacles(
    path: str | Path, terrain: Terrain, what: str = "obstacles", closed: bool = True
) -> list[Region]:
    """Polygons of a GeoJSON file as regions, closed unless their property `mobility` says otherwise; with
    `closed` false each has to say it.

    Coordinates are of the system that the file names as its `crs`; else those of the map, or longitude and
    latitude where the file lies outside the map otherwise. Holes of polygons are left open.
    """
    path = existing(path, what)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{what} {path}", None, f"is not JSON ({error})") from error
    regions: list[Region] = []
    system = _system(f"{what} {path}, crs", data)
    for k, (rings, mobility) in enumerate(_polygons(f"{what} {path}", data, None if not closed else 0.0)):
        where = f"{what} {path}, polygon {k + 1}"
        if mobility is None:
            raise BadInput(where, None, "must have the property mobility, from 0 to 1")
        corners = [_corners(where, ring) for ring in rings]
        if system is None:
            laid = _local(terrain, corners)
        else:
            laid = [terrain.frame.from_system(f"{what} {path}, crs", system, ring) for ring in corners]
        outline, *holes = (tuple((float(x), float(y)) for x, y in ring) for ring in laid)
        regions.append(Region(outline, mobility, tuple(holes)))
    if regions and not any(_over(terrain, np.array(region.corners)) for region in regions):
        own = terrain.frame.crs or "of its own"
        why = f"does not lie over the map: its coordinates must be those of the map ({own}), or lon/lat"
        raise BadInput(f"{what} {path}", None, why)
    return regions


def _system(where: str, data: Any) -> str | None:
    """The coordinate system that a GeoJSON object names, such as EPSG:32633; None if it names none."""
    given = data.get("crs") if isinstance(data, dict) else None
    if given is None:
        return None
    about = given.get("properties") if isinstance(given, dict) else None
    name = about.get("name") if isinstance(about, dict) else None
    if not isinstance(name, str):
        raise BadInput(where, given, "must name a coordinate system, such as EPSG:32633")
    if name.upper().endswith("CRS84"):
        return LONLAT
    code = re.fullmatch(r"(?:urn:ogc:def:crs:)?EPSG:(?:[\d.]*:)?(\d+)", name, re.IGNORECASE)
    return f"EPSG:{code[1]}" if code else name


def _corners(where: str, ring: Any) -> np.ndarray:
    """Coordinates (k, 2) of a ring, which may be closed or not."""
    try:
        corners = np.array([place[:2] for place in ring], dtype=float).reshape(-1, 2)
    except (TypeError, ValueError, KeyError) as error:
        raise BadInput(where, None, f"must be a list of coordinates ({error})") from error
    if len(corners) > 1 and (corners[0] == corners[-1]).all():
        corners = corners[:-1]
    require(
        len(corners) >= 3 and bool(np.isfinite(corners).all()), where, len(corners), "needs three corners"
    )
    return corners


def _polygons(where: str, data: Any, unsaid: float | None) -> list[tuple[list[Any], float | None]]:
    """Rings, the outer one first, and mobility of all polygons in a GeoJSON object, `unsaid` where it is not
    given."""
    require(isinstance(data, dict), where, type(data).__name__, "must be a GeoJSON object")
    kind = data.get("type")
    if kind == "FeatureCollection":
        features = data.get("features")
        require(isinstance(features, list), where, None, "must have a list of features")
        return [found for feature in features for found in _polygons(where, feature, unsaid)]
    if kind == "Feature":
        about = data.get("properties") or {}
        require(isinstance(about, dict), f"{where}, properties", about, "must be a mapping")
        mobility = about.get("mobility", unsaid)
        if data.get("geometry") is None and "geometry" in data:  # allowed, and nowhere
            return []
        if mobility is None:
            return _polygons(where, data.get("geometry"), unsaid)
        good = isinstance(mobility, (int, float)) and not isinstance(mobility, bool)
        require(good and 0.0 <= mobility <= 1.0, f"{where}, mobility", mobility, "must be from 0 to 1")
        return [(rings, float(mobility)) for rings, _ in _polygons(where, data.get("geometry"), unsaid)]
    coordinates = data.get("coordinates")
    require(kind in ("Polygon", "MultiPolygon"), f"{where}, type", kind, "must hold polygons")
    require(
        isinstance(coordinates, list) and len(coordinates) > 0, where, None, "a polygon has no coordinates"
    )
    polygons = [coordinates] if kind == "Polygon" else coordinates
    for polygon in polygons:
        require(isinstance(polygon, list) and len(polygon) > 0, where, None, "a polygon has no coordinates")
        require(all(isinstance(ring, list) for ring in polygon), where, None, "a polygon has no coordinates")
    return [(polygon, unsaid) for polygon in polygons]


def _local(terrain: Terrain, rings: list[np.ndarray]) -> list[np.ndarray]:
    """x, y [m] of a polygon's rings in map coordinates, or in longitude and latitude."""
    own = [terrain.frame.local(ring) for ring in rings]
    if not _over(terrain, own[0]) and all((np.abs(ring) <= [180.0, 90.0]).all() for ring in rings):
        found = [terrain.frame.from_lonlat(ring) for ring in rings]
        turned = [ring for ring in found if ring is not None and np.isfinite(ring).all()]
        if len(turned) == len(rings):
            return turned
    return own


def _over(terrain: Terrain, places: np.ndarray) -> bool:
    """Whether the box round places (n, 2) [m] and the map have a place in common."""
    x0, y0, x1, y1 = terrain.extent
    return bool((places.max(axis=0) >= [x0, y0]).all() and (places.min(axis=0) <= [x1, y1]).all())


def write_route_csv(path: str | Path, route: Route, vehicle: Vehicle, terrain: Terrain) -> Path:
    """One row a point: time, map coordinates, height, speed, steering, slopes, what binds, wheel loads."""
    pitch, roll = slopes(route.path)
    east, north = terrain.frame.mapped(route.path.points[:, :2]).T
    columns = {
        "t_s": route.profile.clock,
        "s_m": route.profile.distance,
        "east": east,
        "north": north,
        "z_m": route.path.points[:, 2],
        "v_mps": route.profile.speed,
        "ax_mps2": route.profile.acceleration,
        "steer_rad": route.path.orientation(vehicle)[1],
        "pitch_rad": pitch,
        "roll_rad": roll,
        "binding": np.array(binding_names(route.profile.binding)),
        **dict(zip(WHEELS, route.profile.wheel_loads, strict=True)),
    }
    return write_table(path, columns, mark="", decimals=9 if terrain.frame.in_degrees else 6)


def write_route_geojson(path: str | Path, route: Route, vehicle: Vehicle, terrain: Terrain) -> Path:
    """The way as a line with what holds at each of its points, its switching points as points; longitude and
    latitude where the map tells them."""
    found = terrain.frame.lonlat(route.path.points[:, :2])
    places = terrain.frame.mapped(route.path.points[:, :2]) if found is None else found
    line = np.column_stack([places, route.path.points[:, 2]])
    profile = route.profile
    pitch, roll = slopes(route.path)
    features: list[dict[str, Any]] = [
        {
            "type": "Feature",
            "geometry": {"type": "LineString", "coordinates": line},
            "properties": {
                "time": profile.time,
                "length": profile.length,
                "energy": profile.energy,
                "times": profile.clock,
                "distances": profile.distance,
                "speeds": profile.speed,
                "steering": route.path.orientation(vehicle)[1],
                "pitch": pitch,
                "roll": roll,
                "binding": binding_names(profile.binding),
            },
        }
    ]
    for point in profile.switching_points:
        i = point["index"]
        features.append(
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": line[i]},
                "properties": {k: v for k, v in point.items() if k != "index"},
            }
        )
    whole: dict[str, Any] = {"type": "FeatureCollection", "features": features}
    if found is None and terrain.frame.crs:
        whole["crs"] = {"type": "name", "properties": {"name": terrain.frame.crs}}
    return write_json(path, whole, indent=None)
