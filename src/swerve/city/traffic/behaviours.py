"""Behaviours of drivers, of the same type as those of people: what they want of their next step.

A behaviour gives a velocity. Its speed bounds the one that a driver aims at, and where the way parts a driver
takes the turn that leads most nearly there. Rules, gaps and leave to enter junctions stay what they are, and
nobody is made to stand inside a junction: behaviours choose among safe moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require

from ..characters.behaviour import RESPONSE, Behaviour, Steered
from ..characters.blend import blend
from ..roads.roads import LANE
from ..towns.town import Town
from .destinations import ARRIVED_AT
from .fleet import Fleet
from .net import Net
from .parking import Parking
from .paths import RoadPaths

THROUGH = 4.0  # [m/s] at least, inside junctions and on the way into one
ASIDE = np.radians(25.0)  # [rad] off one's way on from which on a wish is one to turn
PASSED = 8.0  # [m] beyond a place from which on one has to come again
SLOW = 0.5  # [m/s] below which a wish has no direction


class Drivers(Steered, Protocol):
    """What a behaviour may know of the vehicles it steers; `Traffic` is it."""

    town: Town
    net: Net
    fleet: Fleet
    paths: RoadPaths
    behaviours: list[Behaviour[Drivers]]
    how: str
    wished: bool  # whether behaviours have bounded speeds
    rests: np.ndarray  # (n,) bool: whose behaviours want it to stand
    parking: Parking | None
    rng: np.random.Generator


@dataclass(kw_only=True)
class DriveTo(Behaviour[Drivers]):
    """Drive to a place (2,) or places (n, 2) [m] near lanes, and stop there (`arrive="stop"`) or drive on."""

    target: ArrayLike = (0.0, 0.0)
    arrive: str = "stop"
    contact: float = 1.0  # [m] before the place where a driver wants to stand
    braking: float = 1.5  # [m/s²]
    _goal: tuple[np.ndarray, ...] | None = field(default=None, init=False, repr=False)

    def velocity(self, bodies: Drivers, /) -> np.ndarray:
        fleet, roads = bodies.fleet, bodies.town.roads
        n = len(bodies)
        if self._goal is None or len(self._goal[0]) != n:
            self._goal = self._find(bodies)
        road, share, row = self._goal
        mine = self.holds_for(bodies)
        strip = np.maximum(fleet.strip, 0)
        there = (fleet.strip >= 0) & (np.asarray(roads.road)[strip] == road)
        left = share * roads.length[strip] - fleet.station - fleet.overhang - self.contact
        there &= left > -PASSED
        lost = mine & (fleet.destination != row) & (fleet.strip >= 0) & (fleet.granted < 0)
        if lost.any():
            bodies.paths.send(fleet, np.flatnonzero(lost), row[lost])
            length, here = roads.length[strip], np.asarray(roads.road)[strip] == road
            again = lost & here & (fleet.station >= ARRIVED_AT * length)  # has arrived: once a round
            fleet.arrives_after[again] = fleet.odometer[again] + length[again]
        speed = np.full(n, np.inf)
        if self.arrive == "stop":
            speed[there] = np.sqrt(2.0 * self.braking * np.maximum(left[there], 0.0))
        return along_way(bodies, np.minimum(speed, bodies.top_speeds))

    def _find(self, bodies: Drivers) -> tuple[np.ndarray, ...]:
        """Roads, shares of their length and rows of the field of all targets (n,)."""
        n = len(bodies)
        points = np.asarray(self.target, float)
        good = points.shape in ((2,), (n, 2)) and bool(np.isfinite(points).all())
        require(good, "target", points.shape, f"must be one finite point or {n} of them")
        places = np.broadcast_to(points, (n, 2))
        bodies.paths.goal[:] = np.where(self.holds_for(bodies)[:, None], places, bodies.paths.goal)
        road, share = bodies.paths.road_at(places)
        return road, share, bodies.paths.rows_of(road)


@dataclass(kw_only=True)
class KeepSpeed(Behaviour[Drivers]):
    """Go no faster than so many m/s."""

    speed: float = 8.0

    def velocity(self, bodies: Drivers, /) -> np.ndarray:
        return along_way(bodies, self.speed)


def along_way(drivers: Drivers, speed: float | np.ndarray) -> np.ndarray:
    """Velocities (n, 2) of so many m/s along everybody's own way; NaN for who is not on the road."""
    fleet = drivers.fleet
    towards = np.where(fleet.next >= 0, _leaving(drivers, fleet.next), fleet.heading)
    wanted = np.stack([speed * np.cos(towards), speed * np.sin(towards)], -1)
    wanted[fleet.strip < 0] = np.nan
    return wanted


def _leaving(drivers: Drivers, strip: np.ndarray) -> np.ndarray:
    """Headings [rad] at the ends of strips."""
    roads = drivers.town.roads
    return np.asarray(roads.heading[roads.first[np.maximum(strip, 0) + 1] - 1])


def wish(drivers: Drivers) -> None:
    """Let the paths of drivers bound their speeds, and their behaviours too; those choose turns as well."""
    fleet, some = drivers.fleet, drivers.behaviours
    parking = drivers.parking
    drivers.rests = np.zeros(len(drivers), bool)
    if not some and not drivers.paths.refiners and parking is None:
        if drivers.wished:
            fleet.max_speed[:], drivers.wished = drivers.top_speeds, False
        return
    drivers.wished = True
    on_lane = drivers.net.strips["kind"][np.maximum(fleet.strip, 0)] == LANE
    free = on_lane & (fleet.granted < 0)
    limit = drivers.paths.speed if parking is None else np.minimum(drivers.paths.speed, parking.speed)
    top = np.minimum(drivers.top_speeds, np.where(free, limit, np.maximum(limit, THROUGH)))
    if not some:
        fleet.max_speed[:] = top
        return
    steering = blend(drivers.how, some, [one.steer(drivers) for one in some], drivers.rng)
    wanted = drivers.velocities + RESPONSE * steering.force
    pace = np.hypot(wanted[:, 0], wanted[:, 1])
    towards = np.arctan2(wanted[:, 1], wanted[:, 0])
    aside = np.cos(_leaving(drivers, fleet.next) - towards) < np.cos(ASIDE)
    speed = np.where(free, pace, np.maximum(pace, THROUGH))
    fleet.max_speed[:] = np.where(steering.active, np.minimum(speed, top), top)
    drivers.rests = steering.active & (pace < SLOW)
    turns = steering.active & free & (fleet.strip >= 0) & (pace > SLOW) & aside
    _turn(drivers, np.flatnonzero(turns).tolist(), towards)


def _turn(drivers: Drivers, rows: Sequence[int], towards: np.ndarray) -> None:
    """Choose the way on that ends most nearly in the wanted direction."""
    roads, fleet = drivers.town.roads, drivers.fleet
    for i in rows:
        strip = int(fleet.strip[i])
        options = roads.after[roads.after_first[strip] : roads.after_first[strip + 1]]
        if len(options) > 1:
            leaves = _leaving(drivers, options)
            fleet.next[i] = options[int(np.argmax(np.cos(leaves - towards[i])))]
