"""Where a scenario's characters go: places of a file as places on strips, and whether there is room."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.errors import BadInput, require

from ..roads.roads import Roads
from ..traffic.room import free_front
from ..traffic.traffic import Traffic
from .outsiders import likely_next
from .scenario import Place


class Spot(NamedTuple):
    """On a strip: station and lateral [m]; and in the town: x, y [m], heading [rad]."""

    strip: int
    station: float
    lateral: float
    x: float
    y: float
    heading: float


class Body(NamedTuple):
    """Of whoever a place is relative to: strip, front and rear station [m] there."""

    strip: int
    front: float
    rear: float


def spot_of(place: Place, roads: Roads, length: float, base: Body | None, what: str) -> Spot:
    """The middle of a body of that length [m] at a place; `base` is who the place is relative to."""
    if place.ahead_of is not None:
        assert base is not None
        if place.gap >= 0:
            strip, station = base.strip, base.front + place.gap + length / 2
        else:
            strip, station = base.strip, base.rear + place.gap - length / 2
        strip, station = along(roads, strip, station, what)
        return _spot(roads, strip, station, place.lateral)
    if place.strip is not None:
        require(0 <= place.strip < len(roads), f"{what}, strip", place.strip, f"must be below {len(roads)}")
        most = float(roads.length[place.strip])
        require(
            0 <= place.station <= most, f"{what}, station", place.station, f"must be between 0 and {most:.1f}"
        )
        return _spot(roads, place.strip, place.station, place.lateral)
    assert place.x is not None and place.y is not None
    strips, stations, laterals = roads.nearest(np.array([place.x]), np.array([place.y]))
    spot = _spot(roads, int(strips[0]), float(stations[0]), float(laterals[0]))
    return spot._replace(x=place.x, y=place.y)


def along(roads: Roads, strip: int, station: float, what: str) -> tuple[int, float]:
    """A place some way along a strip, on the strips after or before it if it does not lie on it."""
    while station > roads.length[strip]:
        ahead = likely_next(roads, strip, 0)
        if ahead < 0:
            raise BadInput(what, round(station, 1), "the road ends before that")
        station -= float(roads.length[strip])
        strip = ahead
    while station < 0:
        ways = roads.before[roads.before_first[strip] : roads.before_first[strip + 1]]
        if len(ways) == 0:
            raise BadInput(what, round(station, 1), "the road begins after that")
        strip = int(ways[np.argmin(np.abs(roads.turn[ways].astype(int)))])
        station += float(roads.length[strip])
    return strip, station


def clear_away(traffic: Traffic, rows: np.ndarray, rng: np.random.Generator, keep: tuple[int, ...]) -> None:
    """Put vehicles that stand in the way of a scenario's start onto other lanes than `keep`, standing."""
    for row in rows:
        found = free_front(traffic.net, traffic.everyone, float(traffic.fleet.length[row]), rng, keep)
        if found is None:
            raise BadInput("vehicles", len(traffic), "too many to clear the scenario's start")
        traffic.place([row], *found, 0.0)


def destination_for(traffic: Traffic, lane: int, turn: int) -> int:
    """A destination whose quickest way leaves `lane` by that turn (-1 right, 0 straight, 1 left)."""
    roads, field = traffic.town.roads, traffic.paths.field
    ways = roads.after[roads.after_first[lane] : roads.after_first[lane + 1]]
    wanted = [way for way in ways if int(roads.turn[way]) == turn]
    if not wanted:
        return 0
    others = [way for way in ways if way not in wanted]
    cost = field[:, wanted].min(axis=1)
    worse = field[:, others].min(axis=1) - cost if others else -cost
    return int(np.argmax(worse))


def _spot(roads: Roads, strip: int, station: float, lateral: float) -> Spot:
    x, y, heading = roads.place(np.array([strip]), np.array([station]), lateral)
    return Spot(strip, station, lateral, float(x[0]), float(y[0]), float(heading[0]))
