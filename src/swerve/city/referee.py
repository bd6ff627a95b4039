"""A referee that watches a simulation: red lights, vehicles off the road, deadlocks, speeds.

It looks at outlines and stop lines only, not at how the drivers decide. Contacts are the world's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.world import Contact, World

from .roads.lights import RED
from .roads.roads import CONNECTOR, LANE, LIGHT, Roads
from .traffic.fleet import Fleet
from .traffic.traffic import Traffic

ROAD_TOLERANCE = 0.05  # [m] a corner may be beyond the edge of its strip
JUNCTION_TOLERANCE = 0.4  # [m] likewise, where strips do not cover the whole road
ROAD_EVERY = 5  # steps between looks at the road's edge
STILL = 0.1  # [m/s]
DEADLOCK_WITHOUT_LIGHTS = 120.0  # [s] of standing, where there is no light cycle


class Referee:
    """Counts what must not happen. Call `watch` after every step."""

    def __init__(self, traffic: Traffic, world: World):
        self.traffic, self.world = traffic, world
        self.roads = traffic.town.roads
        cycle = self.roads.lights.cycle
        self.deadlock_after = 2 * float(cycle.max()) if len(cycle) else DEADLOCK_WITHOUT_LIGHTS
        self.longest_stand = 0.0  # [s] of any vehicle so far that wants to go on
        self.red_lights: list[tuple[float, int]] = []
        self.off_road: list[tuple[float, int]] = []
        self.deadlocks: set[int] = set()
        self._outside: set[int] = set()
        self._standing = np.zeros(len(traffic))
        self._distance, self._ahead = self._lines()
        self._way = np.zeros(len(traffic))
        self._time = np.zeros(len(traffic))  # [s] in the world
        self._delay = 0.0  # [s] lost by all, against driving at the desired speed

    def watch(self, dt: float) -> None:
        """Look at the state after a step of dt [s]."""
        traffic, fleet = self.traffic, self.traffic.fleet
        now = traffic.time
        self._watch_lights(now - dt)
        if traffic.steps % ROAD_EVERY == 0:
            outside = {int(i) for i in np.flatnonzero(self._off_road())}
            self.off_road += [(now, i) for i in sorted(outside - self._outside)]
            self._outside = outside
        here = fleet.driving
        still = (fleet.speed < STILL) & traffic.held_up
        self._standing = np.where(still, self._standing + dt, 0.0)
        self.longest_stand = max(self.longest_stand, float(self._standing.max(initial=0.0)))
        self.deadlocks |= {int(i) for i in np.flatnonzero(self._standing > self.deadlock_after)}
        self._way += fleet.speed * dt
        self._time += here * dt
        self._delay += dt * float((1.0 - fleet.speed / np.maximum(fleet.desired, 0.1))[here].clip(0.0).sum())

    @property
    def standing(self) -> np.ndarray:
        """For how long [s] every vehicle has stood by now (n,), other than of its own will."""
        return self._standing

    @property
    def collisions(self) -> list[Contact]:
        """Pairs that began to touch, whoever they are."""
        return self.world.contacts

    def grow(self) -> None:
        """Make room for vehicles that have joined the traffic; they must have their place by now."""
        more = len(self.traffic) - len(self._standing)
        self._standing = np.append(self._standing, np.zeros(more))
        self._way = np.append(self._way, np.zeros(more))
        self._time = np.append(self._time, np.zeros(more))
        distance, ahead = self._lines()
        self._distance = np.append(self._distance, distance[len(self._distance) :])
        self._ahead = np.append(self._ahead, ahead[len(self._ahead) :])

    def mean_speed(self, emergency: bool = False) -> float | None:
        """Mean speed [m/s] over vehicles and time, of those with or without their siren on."""
        rows = self.traffic.fleet.emergency == emergency
        time = float(self._time[rows].sum())
        return float(self._way[rows].sum() / time) if time else None

    def figures(self) -> dict[str, Any]:
        return {
            "collisions": len(self.collisions),
            "red_light_violations": len(self.red_lights),
            "off_road": len(self.off_road),
            "arrivals": self.traffic.arrivals,
            "mean_speed": self.mean_speed(),
            "mean_delay": self._delay / max(1, len(self.traffic)),
            "emergency_mean_speed": self.mean_speed(emergency=True),
            "deadlocks": len(self.deadlocks),
            "longest_stand": self.longest_stand,
        }

    def _lines(self) -> tuple[np.ndarray, np.ndarray]:
        """Distance [m] of the front bumper to the stop line ahead (negative beyond it), and the
        connector."""
        fleet, strips = self.traffic.fleet, self.traffic.net.strips
        front = fleet.station + fleet.overhang
        on_lane = strips["kind"][fleet.strip] == LANE
        distance = np.where(on_lane, strips["length"][fleet.strip] - front, -front)
        ahead = np.where(on_lane, fleet.next, fleet.strip)
        ahead[strips["kind"][ahead] != CONNECTOR] = -1
        return distance, ahead

    def _watch_lights(self, before: float) -> None:
        distance, ahead = self._lines()
        strips = self.traffic.net.strips
        crossed = (self._distance >= 0) & (distance < 0) & (ahead >= 0) & ~self.traffic.fleet.emergency
        crossed &= strips["control"][ahead] == LIGHT
        if crossed.any():
            state = self.roads.lights.state(before)[strips["light"][ahead[crossed]]]
            self.red_lights += [(before, int(i)) for i in np.flatnonzero(crossed)[state == RED]]
        self._distance, self._ahead = distance, ahead

    def _off_road(self) -> np.ndarray:
        """Whether any corner of a vehicle lies beyond the edge of every strip near it."""
        fleet, strips = self.traffic.fleet, self.traffic.net.strips
        reach = np.hypot(fleet.length, fleet.width)
        half = strips["width"][fleet.strip] / 2
        lean = np.cos(self.roads.bank_at(np.maximum(fleet.strip, 0), fleet.station))
        lateral = np.abs(fleet.lateral) + fleet.width * lean / 2
        straight = np.abs(fleet.steer) < 0.02
        sure = (fleet.strip < 0) | straight & (lateral + 0.1 * reach < half)
        outside = np.zeros(len(fleet), bool)
        rows = np.flatnonzero(~sure)
        if len(rows):
            x, y, heading, length, width = (column[rows] for column in outline_columns(fleet))
            width = width * lean[rows]  # as seen from above, like the road
            outside[rows] = corners_off_road(self.roads, x, y, heading, length, width)
        return outside


def outline_columns(fleet: Fleet) -> tuple[np.ndarray, ...]:
    """x, y, heading, length, width as contiguous columns."""
    return tuple(np.ascontiguousarray(fleet[name]) for name in ("x", "y", "heading", "length", "width"))


def corners_off_road(
    roads: Roads, x: np.ndarray, y: np.ndarray, heading: np.ndarray, length: np.ndarray, width: np.ndarray
) -> np.ndarray:
    """Whether any corner of each outline lies beyond the edge of the road.

    That is beyond the edge of the nearest strip, unless another lane begins there: strips of an OpenDRIVE
    road, whose lanes change their width, leave slivers between them.
    """
    left_is_inner = not roads.left_hand
    c, s = np.cos(heading), np.sin(heading)
    outside = np.zeros(len(x), bool)
    for ahead, aside in ((0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)):
        px = x + ahead * length * c - aside * width * s
        py = y + ahead * length * s + aside * width * c
        strip, station, lateral = roads.nearest(px, py)
        towards_middle = (lateral > 0) == left_is_inner
        inside = (roads.inner[strip] >= 0) | (roads.opposite[strip] >= 0)
        shared = np.where(towards_middle, inside, roads.outer[strip] >= 0)
        if len(roads.lay_bys):
            beyond = np.abs(lateral) - roads.breadth_at(strip, station) / 2
            shared |= ~towards_middle & roads.lay_bys.hold(strip, station, beyond - ROAD_TOLERANCE)
        slack = np.where(roads.kind[strip] == CONNECTOR, JUNCTION_TOLERANCE, ROAD_TOLERANCE)
        outside |= (np.abs(lateral) > roads.breadth_at(strip, station) / 2 + slack) & ~shared
    return outside
