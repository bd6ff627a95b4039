"""Demand: who wants to go where, and when. Flows and single trips, from a file or from code.

flows:
  - {name: rush, from: {x: 0, y: -1.75}, to: out, per_hour: 600, end: 900}
trips:
  - {name: mine, depart: 12, from: {strip: 4}, via: [{strip: 9}], to: {x: 300, y: 150}}
detectors:
  - {name: bridge, at: {x: 90, y: 0}, every: 60}
closures:
  - {at: {x: 150, y: 0}, begin: 60, end: 300}
zones:
  - {at: {x: 80, y: 20}, radius: 40, limit: 5.5}
reroute: 30
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from swerve.core.errors import BadInput, require
from swerve.core.scene_file import load

from ..characters.paths import Refiner
from ..roads.roads import LANE, Roads
from .detectors import Detectors, Loop
from .fleet import Fleet
from .paths import RoadPaths
from .refiners import Closures, Detours, SlowZones

MOST = 200_000  # vehicles of a demand
FURTHEST = 30.0  # [m] a place may lie beside the lane that is meant
Vehicle = Literal["mini", "sedan", "suv", "van", "lorry", "bus", "bicycle"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Spot(_Part):
    """A place: x and y [m], or a strip and a station [m] on it; without one a way begins at its beginning,
    and ends halfway along it."""

    x: float | None = Field(None, allow_inf_nan=False)
    y: float | None = Field(None, allow_inf_nan=False)
    strip: int | None = Field(None, ge=0)
    station: float | None = Field(None, ge=0.0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _one(self) -> Spot:
        if (self.strip is None) == (self.x is None or self.y is None):
            raise ValueError("must be x and y, or a strip")
        return self


class Point(_Part):
    """x and y [m]."""

    x: float = Field(allow_inf_nan=False)
    y: float = Field(allow_inf_nan=False)


class Flow(_Part):
    """So many vehicles an hour from `begin` to `end` [s], at even times or at random ones."""

    name: str = "flow"
    start: Spot | Literal["in"] = Field(alias="from")
    to: Spot | Literal["out"]
    via: list[Spot] = Field(default=[], max_length=100)
    per_hour: float = Field(gt=0.0, le=20_000.0)
    begin: float = Field(0.0, ge=0.0)
    end: float = Field(gt=0.0, le=86_400.0)
    spacing: Literal["even", "random"] = "random"
    type: Vehicle = "sedan"


class Trip(_Part):
    """One vehicle that sets off at `depart` [s]."""

    name: str = "trip"
    depart: float = Field(ge=0.0, le=86_400.0)
    start: Spot | Literal["in"] = Field(alias="from")
    to: Spot | Literal["out"]
    via: list[Spot] = Field(default=[], max_length=100)
    type: Vehicle = "sedan"


class Detector(_Part):
    """A loop in the lane at a place, read out every so many seconds."""

    name: str = "detector"
    at: Spot
    every: float = Field(60.0, ge=1.0, le=86_400.0)


class Closure(_Part):
    """The road at a place, closed from `begin` to `end` [s]."""

    at: Spot
    begin: float = Field(0.0, ge=0.0)
    end: float = Field(86_400.0, gt=0.0, le=86_400.0)


class Zone(_Part):
    """A disc, `radius` [m] about a place, in which one drives at most at `limit` [m/s]."""

    at: Point
    radius: float = Field(gt=0.0, le=1e5)
    limit: float = Field(gt=0.0, le=100.0)


class Demand(_Part):
    """All that want to go somewhere, and what they find on the way; every `reroute` [s] they hear of jams."""

    flows: list[Flow] = []
    trips: list[Trip] = []
    closures: list[Closure] = []
    zones: list[Zone] = []
    detectors: list[Detector] = []
    reroute: float | None = Field(None, gt=0.0, le=86_400.0)

    @property
    def types(self) -> set[str]:
        """The types of the vehicles that come."""
        return {flow.type for flow in self.flows} | {trip.type for trip in self.trips}


class Departure(NamedTuple):
    """When [s], from which strip (-1: any way in) and station [m], to which strip (-1: out) and station [m],
    with what, over which roads."""

    time: float
    name: str
    strip: int
    station: float
    end: int
    end_station: float
    type: str
    via: tuple[int, ...] = ()


def load_demand(path: str | Path) -> Demand:
    """Read a file of flows and trips; what cannot be used is refused with a line that names the field."""
    return load(path, "flows", Demand)


def departures(demand: Demand, roads: Roads, rng: np.random.Generator) -> list[Departure]:
    """All departures of a demand in order of time; its places on lanes of the roads."""
    some: list[Departure] = []
    for trip in demand.trips:
        some.append(Departure(trip.depart, trip.name, *_way(trip, roads), trip.type, _via(trip, roads)))
    for flow in demand.flows:
        way, via = _way(flow, roads), _via(flow, roads)
        require(flow.end > flow.begin, f"flow {flow.name}, end", flow.end, f"must be after {flow.begin:g}")
        for k, time in enumerate(_times(flow, rng)):
            some.append(Departure(time, f"{flow.name} {k}", *way, flow.type, via))
    require(len(some) <= MOST, "flows", len(some), f"must be at most {MOST:,} vehicles")
    return sorted(some, key=lambda one: one.time)


def ways_told(demand: Demand, roads: Roads) -> list[Refiner[RoadPaths, Fleet]]:
    """What a demand says of the ways, as refiners of drivers' paths."""
    told: list[Refiner[RoadPaths, Fleet]] = []
    if demand.zones:
        told.append(SlowZones([(one.at.x, one.at.y, one.radius, one.limit) for one in demand.zones]))
    shut = []
    for one in demand.closures:
        require(one.end > one.begin, "closure, end", one.end, f"must be after {one.begin:g}")
        shut.append((int(roads.road[_lane(one.at, roads, "closure, at")[0]]), one.begin, one.end))
    if shut:
        told.append(Closures(shut))
    if demand.reroute is not None:
        told.append(Detours(demand.reroute))
    return told


def loops_told(demand: Demand, roads: Roads) -> Detectors | None:
    """The detectors of a demand, if it has any."""
    places = [_lane(one.at, roads, f"{one.name}, at") for one in demand.detectors]
    loops = [Loop(one.name, *at, one.every) for one, at in zip(demand.detectors, places, strict=True)]
    return Detectors(loops, roads.length) if loops else None


def _times(flow: Flow, rng: np.random.Generator) -> list[float]:
    gap = 3600.0 / flow.per_hour
    if flow.spacing == "even":
        return np.arange(flow.begin, flow.end - 1e-9, gap).tolist()
    expected = (flow.end - flow.begin) / gap
    count = int(expected + 6.0 * np.sqrt(expected) + 10.0)
    times = flow.begin + np.cumsum(rng.exponential(gap, count))
    return times[times < flow.end].tolist()


def _way(one: Flow | Trip, roads: Roads) -> tuple[int, float, int, float]:
    start = (-1, 0.0) if one.start == "in" else _lane(one.start, roads, f"{one.name}, from")
    end = (-1, 0.0) if one.to == "out" else _lane(one.to, roads, f"{one.name}, to", 0.5)
    return *start, *end


def _via(one: Flow | Trip, roads: Roads) -> tuple[int, ...]:
    return tuple(int(roads.road[_lane(spot, roads, f"{one.name}, via")[0]]) for spot in one.via)


def _lane(spot: Any, roads: Roads, what: str, share: float = 0.0) -> tuple[int, float]:
    """The lane and the station [m] that a place means; that is a `share` of the lane where it says none."""
    if spot.strip is not None:
        require(spot.strip < len(roads), f"{what}, strip", spot.strip, f"must be below {len(roads)}")
        strip = spot.strip
        station = share * float(roads.length[strip]) if spot.station is None else spot.station
    else:
        strips, stations, aside = roads.nearest(np.array([spot.x]), np.array([spot.y]))
        strip, station = int(strips[0]), float(stations[0])
        if abs(float(aside[0])) > FURTHEST:
            raise BadInput(what, [spot.x, spot.y], "is far from every lane")
    if roads.kind[strip] != LANE:
        raise BadInput(what, strip, "is inside a junction")
    return strip, min(station, float(roads.length[strip]))
