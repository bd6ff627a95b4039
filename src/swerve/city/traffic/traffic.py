"""Traffic: every vehicle of a town, decided and moved as one batch.

    traffic = Traffic(town, characters, seed=1)
    traffic.step(0.1)

The order of a step can be read off `Traffic.step`: who is where, who may enter junctions, pedals, lane
changes, motion, arrivals, moods, signals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require
from swerve.core.seeding import generator

from ..characters.characters import Characters
from ..characters.kinds import WHEELED
from ..towns.town import Town
from .destinations import arrive, make_field
from .drivers import accelerate
from .emergency import LONGEST_STEP, pass_others, watch_sirens, yield_to_sirens
from .fleet import Fleet, empty_fleet
from .frustration import feel
from .lane_change import change_lanes
from .motion import choose_next, move
from .net import SIDE_ACCELERATION, Net, build_net
from .order import empty_order, sort_entries
from .rules import empty_desk, grant, survey
from .signalling import signal
from .spawn import place_vehicles, stand_on_middle


class Traffic:
    """The vehicles among `characters` on the roads of `town`. State is in the arrays of `fleet`."""

    def __init__(self, town: Town, characters: Characters, seed: int = 0, destinations: int | None = None):
        self.town, self.characters, self.seed = town, characters, int(seed)
        self.net: Net = build_net(town.roads)
        self.ids = characters.of_kind(WHEELED)
        self.fleet: Fleet = empty_fleet(len(self.ids))
        self.everyone: Fleet = self.fleet  # and behind them the places that guests take
        self.time = 0.0
        self.steps = 0
        self.arrivals = 0
        crosswalks = len(town.roads.crossings.width)
        self.crossing_claims = np.zeros(crosswalks)
        self.crossing_due = np.zeros(crosswalks, bool)
        self._busy = np.zeros(crosswalks, bool)
        self._order = empty_order(len(self.ids), len(self.net.strips) - 1)
        self._desk = empty_desk(self.net, len(self.ids), crosswalks)
        self._version = -1
        self.read_attributes()
        rng = generator(seed, "traffic")
        most = {} if destinations is None else {"most": destinations}
        self.destination_roads, self.field = make_field(town.roads, rng, **most)
        self.fleet.destination[:] = rng.integers(len(self.destination_roads), size=len(self.ids))
        self.fleet.asked[:] = np.inf
        if len(self.ids):
            place_vehicles(self.net, self.fleet, rng)
        for i in range(len(self.ids)):
            self.fleet.next[i] = choose_next(
                self.net, self.field, self.fleet.strip[i], self.fleet.destination[i]
            )

    def read_attributes(self) -> None:
        """Copy what the characters' attributes say into the fleet, when any has changed."""
        if self._version == self.characters.version:
            return
        self._version = self.characters.version
        fleet, get = self.fleet, lambda name: self.characters.get(self.ids, name)
        if len(self.ids) == 0:
            return
        for column, name in _COPIED.items():
            getattr(fleet, column)[:] = get(name)
        fleet.middle[:] = fleet.wheelbase + fleet.overhang - fleet.length / 2
        # halfway between what the rear cuts inside a bend and what the front swings out of it
        fleet.swing[:] = (2 * fleet.wheelbase**2 - (fleet.wheelbase + fleet.overhang) ** 2) / 4
        fleet.bend_share[:] = np.sqrt(get("side_acceleration") / SIDE_ACCELERATION)
        respect = get("respect_limit")
        ratio = np.clip(_driver_share(fleet.driver), get("min_speed_ratio"), get("max_speed_ratio"))
        fleet.limit_share[:] = np.select([respect == 0, respect == 1], [1.0, ratio], 10.0)
        if self.steps == 0:
            fleet.frustration[:] = get("frustration")

    def step(self, dt: float, blocked: np.ndarray | None = None) -> None:
        """Advance all vehicles by dt [s]. `blocked` (crosswalks) says where people are on the road."""
        require(0 < dt <= LONGEST_STEP, "dt", dt, f"must be above 0 and at most {LONGEST_STEP} s")
        net, fleet, order, desk = self.net, self.everyone, self._order, self._desk
        busy = self._busy if blocked is None else np.asarray(blocked, bool)
        lights = self.town.roads.lights.state(self.time)
        until = self.town.roads.lights.until_change(self.time)
        self.read_attributes()
        sirens = np.flatnonzero(fleet.emergency)
        inwards = self.steps % 2 == 0
        sort_entries(net, fleet, order)
        watch_sirens(net, fleet, desk, lights, sirens)
        yield_to_sirens(net, fleet, sirens)
        survey(net, fleet, order, desk, lights, until, busy, dt)
        grant(net, fleet, order, desk, lights, busy, self.time)
        accelerate(net, fleet, order, lights, busy, dt)
        change_lanes(net, fleet, order, desk, self.field, inwards, self.steps)
        pass_others(net, fleet, order, desk, self.field, sirens, inwards, dt)
        move(net, fleet, self.field, dt)
        self.arrivals += int(arrive(net, fleet, self.field, self.destination_roads, self.seed))
        feel(fleet, dt)
        signal(net, fleet)
        self.crossing_claims[:] = desk.claims
        self.crossing_due[:] = desk.due
        self.steps += 1
        self.time = round(self.time + dt, 9)

    def add(self, ids: ArrayLike) -> np.ndarray:
        """Rows of characters that join while it runs; they are nowhere until they are placed."""
        before = len(self.ids)
        self.ids = np.append(self.ids, ids)
        kept = self.fleet.copy()
        self._make_room(0)
        self.fleet[:before] = kept
        self._version = -1
        self.read_attributes()
        self.fleet.destination[before:] = np.arange(before, len(self.ids)) % len(self.destination_roads)
        return np.arange(before, len(self.ids))

    def welcome(self, guests: Fleet) -> None:
        """Rows to keep clear of until the next call: where bodies that others move are on the strips.

        They stand in the order of their strips like vehicles; nothing here moves them.
        """
        n = len(self.ids)
        if n + len(guests) > len(self.everyone):
            kept = self.fleet.copy()
            self._make_room(2 * len(guests))
            self.fleet[:] = kept
        self.everyone.strip[n:] = -1
        self.everyone[n : n + len(guests)] = guests

    def _make_room(self, guests: int) -> None:
        """New arrays for the vehicles there are now and so many guests."""
        n = len(self.ids)
        self.everyone = empty_fleet(n + guests)
        self.fleet = self.everyone[:n].view(Fleet)
        self._order = empty_order(len(self.everyone), len(self.net.strips) - 1)
        self._desk = empty_desk(self.net, len(self.everyone), len(self.crossing_claims))

    def place(
        self,
        rows: ArrayLike,
        strip: ArrayLike,
        front: ArrayLike,
        speed: ArrayLike = 0.0,
        next_strip: ArrayLike | None = None,
    ) -> None:
        """Put vehicles somewhere else: on the middle of strips, front bumpers at `front` [m], at `speed`
        [m/s].

        Without `next_strip` they go on towards their destinations.
        """
        fleet = self.fleet
        some = fleet[np.atleast_1d(rows)]
        some.strip[:], some.station[:], some.speed[:] = strip, front - some.overhang, speed
        for name in ("previous", "earlier", "granted", "side"):
            some[name] = -1
        for name in ("accel", "steer", "shift_from", "shift_to", "waiting", "delayed", "frustration"):
            some[name] = 0.0
        some.asked[:] = np.inf
        stand_on_middle(self.net, some)
        ways = [
            choose_next(self.net, self.field, s, d) for s, d in zip(some.strip, some.destination, strict=True)
        ]
        some.next[:] = ways if next_strip is None else next_strip
        fleet[np.atleast_1d(rows)] = some

    def ground(self) -> np.ndarray:
        """Height [m] of the road under every vehicle."""
        roads = self.town.roads
        return roads.height(self.fleet.strip, self.fleet.station) if len(self.ids) else np.zeros(0)

    def pitch(self) -> np.ndarray:
        """Slope [rad] of the road under every vehicle, nose up, from axle to axle."""
        roads, fleet = self.town.roads, self.fleet
        if not len(self.ids) or not roads.z.any():
            return np.zeros(len(self.ids))
        front = roads.height(fleet.strip, fleet.station)
        rear = roads.height(fleet.strip, np.maximum(fleet.station - fleet.wheelbase, 0.0))
        return np.arctan2(front - rear, np.clip(fleet.station, 0.1, fleet.wheelbase))

    def __len__(self) -> int:
        return len(self.ids)


def _driver_share(driver: np.ndarray) -> np.ndarray:
    """How a driver type likes the speed limit: fast above, slow below, before its own ratios bound it."""
    return np.array([1.1, 1.0, 0.9])[driver]


_COPIED = {
    "length": "length",
    "width": "width",
    "wheelbase": "wheelbase",
    "overhang": "front_overhang",
    "max_speed": "max_speed",
    "max_accel": "max_acceleration",
    "max_brake": "max_deceleration",
    "max_steer": "max_steer",
    "steer_rate": "max_steer_rate",
    "comfort": "comfortable_deceleration",
    "headway": "headway",
    "clearance": "clearance",
    "person_clearance": "person_clearance",
    "driver": "driver_type",
    "threshold": "pass_frustration_threshold",
    "yield_distance": "yield_distance",
    "yield_oncoming": "yield_to_oncoming",
    "look_ahead": "look_ahead",
    "emergency": "emergency",
    "autonomous": "autonomous",
}
