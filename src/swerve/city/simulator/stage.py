"""The scenario's characters on stage: bringing them in, finding them by name, telling traffic of guests."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.seeding import generator

from ..characters.kinds import PERSON, WHEELED
from ..roads.roads import LANE
from ..simulate import Simulation
from ..traffic.fleet import Fleet
from .guests import Guest, crossing_claims, on_strips
from .places import Body, Spot, clear_away, destination_for, in_the_way, spot_of
from .scenario import Character, Driver, Place, Who

TURNS = {"right": -1, "straight": 0, "left": 1}


class Stage:
    """Who takes part in a scenario, by name; works on a `Simulation`."""

    def __init__(self, simulation: Simulation):
        self.simulation = simulation
        self.traffic, self.characters = simulation.traffic, simulation.characters
        self.roads = simulation.town.roads
        self.ids: dict[str, int] = {}  # characters by name
        self.guests: dict[str, Guest] = {}
        self.who = np.asarray(self.traffic.ids)  # character of every row of everyone
        self._rng = generator(simulation.seed, "scenario")
        self._at_start: set[int] = set()  # lanes of those who are there from the start

    def identity(self, who: Who) -> int:
        """Id of a character by its name, or the id itself if there is one."""
        if isinstance(who, str):
            if who not in self.ids:
                raise BadInput("character", who, "has not been spawned yet")
            return self.ids[who]
        self.characters._known(who)
        return who

    def place_of(self, who: Who) -> tuple[float, float]:
        """x, y [m] of a character's middle."""
        guest = self._guest(who)
        if guest is not None:
            return guest.x, guest.y
        row = self.row(who)
        return float(self.traffic.fleet.x[row]), float(self.traffic.fleet.y[row])

    def row(self, who: Who) -> int:
        """Row of a vehicle in the traffic."""
        identity = self.identity(who)
        rows = np.flatnonzero(self.traffic.ids == identity)
        if len(rows) == 0:
            raise BadInput("character", who, "is not a vehicle of the traffic")
        return int(rows[0])

    def spot(self, place: Place, length: float, what: str) -> Spot:
        """Where a place of the scenario is now."""
        base = None if place.ahead_of is None else self._body(place.ahead_of)
        return spot_of(place, self.roads, length, base, what)

    def enter_driver(self, driver: Driver) -> Guest:
        """Bring the driver's car in, before the first frame."""
        ids = self.characters.add(WHEELED, 1, wheeled_type=driver.type, autonomous=False, name="driver")
        length, width, height = (
            float(self.characters.get(ids, name)[0]) for name in ("length", "width", "height")
        )
        spot = self.spot(driver.at, length, "driver, at")
        self._make_way(spot, length, driver.speed, "driver, at")
        guest = Guest(int(ids[0]), "driver", length, width, height, spot.x, spot.y)
        guest.heading = spot.heading
        guest.vx, guest.vy = driver.speed * np.cos(spot.heading), driver.speed * np.sin(spot.heading)
        self._enter("driver", guest)
        return guest

    def enter(self, name: str, given: Character, at_start: bool) -> bool:
        """Bring a character in; false if there is no room for it yet."""
        return (
            self._enter_person(name, given)
            if given.kind == "person"
            else self._enter_vehicle(name, given, at_start)
        )

    def tell_traffic(self) -> None:
        """Where guests are now, for the vehicles and for people at crosswalks."""
        traffic = self.traffic
        rows, owners = [], []
        for guest in self.guests.values():
            places = on_strips(guest, self.roads)
            places.brake[:] = guest.brake
            rows.append(places)
            owners.append(np.full(len(places), guest.character))
            if guest.strip >= 0:
                guest.z = float(self.roads.height(np.array([guest.strip]), np.array([guest.station]))[0])
            if guest.kind != "pedestrian":
                claims = crossing_claims(guest, self.roads.crossings)
                np.maximum(traffic.crossing_claims, claims, out=traffic.crossing_claims)
        if not rows:
            return
        every, owner = np.concatenate(rows).view(Fleet), np.concatenate(owners)
        traffic.welcome(every)
        n = len(traffic.ids)
        self.who = np.full(len(traffic.everyone), -1)
        self.who[:n] = traffic.ids
        self.who[n : n + len(every)] = owner

    def _enter(self, name: str, guest: Guest) -> None:
        self.ids[name], self.guests[name] = guest.character, guest
        self.simulation.guests.append(guest)
        self.tell_traffic()

    def _enter_person(self, name: str, given: Character) -> bool:
        spot = self.spot(given.at, 0.0, f"character {name}, at")
        ids = self.characters.add(PERSON, 1, autonomous=False, name=name, **given.attributes)
        radius, height = (float(self.characters.get(ids, n)[0]) for n in ("radius", "height"))
        guest = Guest(int(ids[0]), "pedestrian", 2 * radius, 2 * radius, height, spot.x, spot.y)
        guest.heading = spot.heading
        self._enter(name, guest)
        return True

    def _enter_vehicle(self, name: str, given: Character, at_start: bool) -> bool:
        what = f"character {name}, at"
        if name not in self.ids:
            known = {"name": name, **given.attributes}
            self.ids[name] = int(self.characters.add(WHEELED, 1, **known)[0])
        identity = self.ids[name]
        length = float(self.characters.get(identity, "length"))
        spot = self.spot(given.at, length, what)
        if at_start:
            self._make_way(spot, length, given.speed, what)
        elif self.roads.kind[spot.strip] != LANE or len(
            in_the_way(self.traffic, spot.strip, spot.station + length / 2, length, given.speed)
        ):
            return False
        rows = self.traffic.add([identity])
        self.traffic.fleet.destination[rows] = destination_for(self.traffic, spot.strip, TURNS[given.turn])
        self.traffic.place(rows, spot.strip, spot.station + length / 2, given.speed)
        self.simulation.notice_newcomers()
        self.tell_traffic()
        return True

    def _make_way(self, spot: Spot, length: float, speed: float, what: str) -> None:
        """Before the first frame: move the random traffic away from a place."""
        if self.roads.kind[spot.strip] != LANE:
            raise BadInput(what, [round(spot.x, 1), round(spot.y, 1)], "is inside a junction")
        self._at_start.add(spot.strip)
        rows = in_the_way(self.traffic, spot.strip, spot.station + length / 2, length, speed)
        taken = [i for i in rows if i >= len(self.traffic) or self.traffic.ids[i] in self.ids.values()]
        if taken:
            raise BadInput(
                what, [round(spot.x, 1), round(spot.y, 1)], "is too close to another of the scenario"
            )
        clear_away(self.traffic, rows, self._rng, tuple(self._at_start))

    def _guest(self, who: Who) -> Guest | None:
        identity = self.identity(who)
        return next((g for g in self.guests.values() if g.character == identity), None)

    def _body(self, who: Who) -> Body:
        guest = self._guest(who)
        if guest is not None:
            if guest.strip < 0:
                raise BadInput("place ahead of", who, "is not on a road")
            half = guest.length / 2
            return Body(guest.strip, guest.station + half, guest.station - half)
        fleet, row = self.traffic.fleet, self.row(who)
        front = float(fleet.station[row] + fleet.overhang[row])
        return Body(int(fleet.strip[row]), front, front - float(fleet.length[row]))
