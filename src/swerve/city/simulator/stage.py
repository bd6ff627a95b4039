"""The scenario's characters on stage: bringing them in, finding them by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from swerve.core.bodies import Chooser
from swerve.core.errors import BadInput
from swerve.core.seeding import generator

from ..characters.characters import Characters
from ..characters.kinds import PERSON, WHEELED
from ..roads.roads import LANE
from ..simulate import AMBULANCE, Simulation
from ..traffic.room import in_the_way
from .outsiders import CarModel, DriverCar, Walker, WalkScript
from .places import Body, Spot, clear_away, destination_for, spot_of
from .scenario import Character, Driver, Place, Who

MakeCar = Callable[[Characters, int], CarModel]  # from characters and the driver's id
TURNS = {"right": -1, "straight": 0, "left": 1}


class Stage:
    """Who takes part in a scenario, by name; works on a `Simulation`."""

    def __init__(self, simulation: Simulation):
        self.simulation = simulation
        self.traffic, self.characters = simulation.traffic, simulation.characters
        self.roads = simulation.town.roads
        self.ids: dict[str, int] = {}  # characters by name
        self.car: DriverCar | None = None
        self.walkers: dict[str, tuple[Walker, WalkScript]] = {}
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
        outsider = self.outsider(who)
        if outsider is not None:
            x, y, _ = outsider.motion().pose[0]
            return float(x), float(y)
        row = self.row(who)
        return float(self.traffic.fleet.x[row]), float(self.traffic.fleet.y[row])

    def outsider(self, who: Who) -> DriverCar | Walker | None:
        """The driver's car or a person of the scenario, if a character is one."""
        identity = self.identity(who)
        known: list[DriverCar | Walker] = [person for person, _ in self.walkers.values()]
        everyone = known if self.car is None else [self.car, *known]
        return next((one for one in everyone if one.character == identity), None)

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

    def enter_driver(self, driver: Driver, make: MakeCar) -> DriverCar:
        """Bring the driver's car in, before the first frame; whoever drives it comes with `seat`."""
        kind: dict[str, Any] = AMBULANCE if driver.type == "ambulance" else {"wheeled_type": driver.type}
        ids = self.characters.add(WHEELED, 1, **{**kind, "autonomous": False, "name": "driver"})
        length, width, height = (
            float(self.characters.get(ids, name)[0]) for name in ("length", "width", "height")
        )
        spot = self.spot(driver.at, length, "driver, at")
        self._make_way(spot, length, driver.speed, "driver, at")
        me = int(ids[0])
        car = DriverCar(
            me, (length, width, height), make(self.characters, me), self.roads,
            siren=lambda: bool(self.characters.last(me, "emergency")),
        )  # fmt: skip
        car.put(spot.x, spot.y, spot.heading, driver.speed)
        self.characters.fix(me, free=("emergency", "name"))
        self.ids["driver"], self.car = car.character, car
        return car

    def seat(self, car: DriverCar, mind: Chooser) -> None:
        """Let the car into the world with whoever drives it."""
        self.simulation.world.add(car, mind, name="driver", ids=[car.character])
        self.look_again()

    def look_again(self) -> None:
        """After somebody came or was put elsewhere: let the traffic see it."""
        world = self.simulation.world
        world.refresh()
        for member in world.members:
            if member.bodies is self.traffic:
                self.traffic.look(world.view(member))

    def enter(self, name: str, given: Character, at_start: bool) -> bool:
        """Bring a character in; false if there is no room for it yet."""
        return (
            self._enter_person(name, given)
            if given.kind == "person"
            else self._enter_vehicle(name, given, at_start)
        )

    def _enter_person(self, name: str, given: Character) -> bool:
        spot = self.spot(given.at, 0.0, f"character {name}, at")
        ids = self.characters.add(PERSON, 1, autonomous=False, name=name, **given.attributes)
        radius, height = (float(self.characters.get(ids, n)[0]) for n in ("radius", "height"))
        where = spot.x, spot.y, spot.heading
        person, script = Walker(int(ids[0]), radius, height, *where, self.roads), WalkScript()
        self.characters.fix(person.character, free=("name",))
        self.ids[name], self.walkers[name] = person.character, (person, script)
        self.simulation.world.add(person, script, name=name, ids=[person.character])
        self.look_again()
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
        elif self.roads.kind[spot.strip] != LANE or len(self._too_near(spot, length, given.speed)):
            return False
        rows = self.traffic.add([identity])
        self.traffic.fleet.destination[rows] = destination_for(self.traffic, spot.strip, TURNS[given.turn])
        self.traffic.place(rows, spot.strip, spot.station + length / 2, given.speed)
        self.simulation.notice_newcomers()
        self.look_again()
        return True

    def _make_way(self, spot: Spot, length: float, speed: float, what: str) -> None:
        """Before the first frame: move the random traffic away from a place."""
        if self.roads.kind[spot.strip] != LANE:
            raise BadInput(what, [round(spot.x, 1), round(spot.y, 1)], "is inside a junction")
        self._at_start.add(spot.strip)
        rows = self._too_near(spot, length, speed)
        taken = [i for i in rows if i >= len(self.traffic) or self.traffic.ids[i] in self.ids.values()]
        if taken:
            raise BadInput(
                what, [round(spot.x, 1), round(spot.y, 1)], "is too close to another of the scenario"
            )
        clear_away(self.traffic, rows, self._rng, tuple(self._at_start))

    def _too_near(self, spot: Spot, length: float, speed: float) -> np.ndarray:
        """Rows of whoever is in the way of a vehicle there."""
        front = spot.station + length / 2
        return in_the_way(self.traffic.net, self.traffic.everyone, spot.strip, front, length, speed)

    def _body(self, who: Who) -> Body:
        outsider = self.outsider(who)
        if isinstance(outsider, DriverCar):
            if outsider.on.strip < 0:
                raise BadInput("place ahead of", who, "is not on a road")
            half = outsider.length / 2
            return Body(outsider.on.strip, outsider.on.station + half, outsider.on.station - half)
        if isinstance(outsider, Walker):
            strip, station, _ = self.roads.nearest(np.array([outsider.x]), np.array([outsider.y]))
            return Body(int(strip[0]), float(station[0]), float(station[0]))
        fleet, row = self.traffic.fleet, self.row(who)
        front = float(fleet.station[row] + fleet.overhang[row])
        return Body(int(fleet.strip[row]), front, front - float(fleet.length[row]))
