"""A city that runs: traffic and people of a town in a world.

    simulation = Simulation(grid(5, 5), vehicles=250, seed=1)
    for _ in range(400):
        simulation.step()

`simulation.world.add(bodies, chooser)` lets anybody else in: a sliding car, cyclists, a driver's car. A frame
is one of the world: all look round → minds choose → people move, then traffic, then whoever came later →
contacts → recorder; then the city's own referee.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import BadInput, require
from swerve.core.plan import Plan
from swerve.core.seeding import generator
from swerve.core.world import World

from .characters.attributes import Kind
from .characters.characters import Characters
from .characters.groups import Groups
from .characters.kinds import PERSON, WHEELED, WHEELED_PRESETS
from .people.people import People
from .record import Recorder
from .referee import Referee
from .towns.town import Town
from .traffic.crosswalks import cars_in_the_way
from .traffic.demand import Demand
from .traffic.fleet import PARKED
from .traffic.newcomers import come_in
from .traffic.traffic import LONGEST_STEP, Traffic

TYPE_SHARES = {"mini": 0.25, "sedan": 0.5, "suv": 0.25}
DRIVER_SHARES = {"fast": 0.25, "medium": 0.5, "slow": 0.25}
RATIOS = {"max_speed_ratio": 1.1, "min_speed_ratio": 0.9}
AMBULANCE: dict[str, Any] = {
    "wheeled_type": "other",
    "name": "ambulance",
    "length": 5.7,
    "width": 2.0,
    "height": 2.6,
    "wheelbase": 3.4,
    "front_overhang": 1.0,
    "max_speed": 32.0,
    "max_acceleration": 2.4,
    "max_steer": 0.7,
    "respect_limit": "range",
    "max_speed_ratio": 1.3,
    "min_speed_ratio": 1.3,
    "headway": 1.0,
    "driver_type": "fast",
    "emergency": True,
}


@dataclass(frozen=True)
class SimulationOptions:
    """How a simulation runs: by steps of `dt` [s], watched by a `referee` or not, with a recording or not.

    Drivers are `blind_to` kinds and batches with these names: to see what meeting them is worth. With
    `least_green` [s] all lights look who comes, and green may end after so long. `mix` says which types of
    vehicles come, in which shares. After a share `parking` of their arrivals drivers park at the kerb, where
    there are bays, for about `stay` [s].
    """

    dt: float = 0.1
    referee: bool = True
    record: bool = False
    blind_to: Collection[str] = ()
    least_green: float | None = None
    mix: Mapping[str, float] = field(default_factory=lambda: dict(TYPE_SHARES))
    parking: float = 0.0
    stay: float = 60.0

    def __post_init__(self) -> None:
        for word, share in self.mix.items():
            require(word in WHEELED_PRESETS, "mix", word, f"must be of {', '.join(WHEELED_PRESETS)}")
            require(bool(np.isfinite(share)) and share >= 0, f"mix, {word}", share, "must not be negative")
        require(sum(self.mix.values()) > 0, "mix", dict(self.mix), "must have a share above 0")
        require(0 <= self.parking <= 1, "parking", self.parking, "must be from 0 to 1")
        require(1 <= self.stay <= 86_400, "stay", self.stay, "must be from 1 to 86400 s")
        require(0 < self.dt <= LONGEST_STEP, "dt", self.dt, f"must be above 0 and at most {LONGEST_STEP} s")


class Simulation:
    """Vehicles and people in a town, advanced together in a `world`.

    Those of a `demand` come and go besides; `trips()` tells how they fared. `groups` are pedestrians,
    vehicles and those with their siren on, for behaviours of whoever belongs to them.
    """

    def __init__(
        self,
        town: Town,
        vehicles: int = 100,
        pedestrians: int = 0,
        emergency: int = 0,
        seed: int = 0,
        demand: Demand | None = None,
        options: SimulationOptions | None = None,
    ):
        for name, value in (("vehicles", vehicles), ("pedestrians", pedestrians), ("emergency", emergency)):
            require(value >= 0, name, value, "must not be negative")
        require(emergency <= vehicles, "emergency", emergency, f"must be at most vehicles ({vehicles})")
        walked = pedestrians == 0 or len(town.pavements) > 0
        require(walked, "pedestrians", pedestrians, f"must be 0: {town.name} has no pavements")
        self.options = options or SimulationOptions()
        self._given, self.seed, self.dt = town, seed, self.options.dt
        self.town = town = _with_own_lights(town, self.options.least_green)
        self._made_of = (vehicles, pedestrians, emergency, seed, demand)
        self.characters = cast(vehicles, pedestrians, emergency, seed, self.options.mix)
        parking = self.options.parking
        require(parking == 0 or len(town.roads.lay_bys) > 0, "parking", parking, f"{town.name} has no bays")
        self._let_park()
        self.groups = Groups(self.characters)
        self.traffic = Traffic(town, self.characters, seed, blind_to=self.options.blind_to)
        if demand is not None:
            self.traffic.serve(demand)
            self._let_park()
        walks = self.traffic.crosswalks
        self.people = People(town, self.characters, seed, crosswalks=walks) if pedestrians else None
        record, referee = self.options.record, self.options.referee
        self.world = World(self.dt, record=record, referee=referee)
        if self.people is not None:
            self.world.add(self.people, name="people")  # first: they reserve crosswalks before drivers decide
        self.world.add(self.traffic, name="traffic")
        self.characters.others = lambda: self.world.ids
        self.referee = Referee(self.traffic, self.world) if referee else None
        self.recorder = Recorder(self) if record else None
        self.step_seconds: list[float] = []  # CPU time of every step, decisions and motion only

    def _let_park(self) -> None:
        cars = self.characters.of_kind(WHEELED)
        if self.options.parking > 0 and len(cars):
            template = self.characters.template[cars]
            told = np.unique(np.where(template >= 0, template, cars))
            self.characters.set(told, "parks", self.options.parking)
            self.characters.set(told, "stay", self.options.stay)

    def again(self) -> Simulation:
        """The same simulation from its beginning, without a recording."""
        return Simulation(self._given, *self._made_of, options=replace(self.options, record=False))

    @property
    def time(self) -> float:
        return self.world.time

    @property
    def agents(self) -> int:
        """How many take part, also those who wait outside."""
        removed = sum(int((~self.characters.alive[batch.ids]).sum()) for batch in self._batches)
        return sum(len(member.bodies) for member in self.world.members) - removed

    @property
    def _batches(self) -> list[Traffic | People]:
        return [self.traffic] if self.people is None else [self.traffic, self.people]

    @property
    def first_character(self) -> int:
        """Identity of the first vehicle, or of the first person where there is none."""
        traffic_first = [m.ids for m in reversed(self.world.members[: 1 if self.people is None else 2])]
        return int(np.concatenate(traffic_first)[0])

    def step(self) -> None:
        """One frame."""
        before = self._spent()
        self.world.step()
        self.step_seconds.append(self._spent() - before)
        if self.referee is not None:
            self.referee.watch(self.dt)

    def spawn(self, kind: Kind, count: int = 1, at: ArrayLike | None = None, **values: Any) -> np.ndarray:
        """Ids of new characters (attributes or a `template` as `values`) that come into the running town, at
        places (count, 2) [m] or anywhere: vehicles stand on the nearest lane, people on pavements.

        They come where nobody has to brake hard for them; where there is no room, nobody comes.
        `characters.remove` takes them out again, as it does anybody.
        """
        places = None if at is None else np.atleast_2d(np.asarray(at, float))
        require(places is None or places.shape == (count, 2), "at", at, f"must be {count} places x, y")
        require(
            kind.is_a(WHEELED) or self.people is not None, "people", 0, "must be in a town from the start"
        )
        ids = self.characters.add(kind, count, **values)
        try:
            if kind.is_a(WHEELED):
                come_in(self.traffic, ids, places, generator(self.seed, f"spawn {ids[0]}"))
            elif self.people is not None:
                self.people.add(ids, places)
        except BadInput:
            self.characters.remove(ids)
            self.traffic.read_attributes()
            self.notice_newcomers()
            raise
        self.notice_newcomers()
        return ids

    def notice_newcomers(self) -> None:
        """After vehicles were added to the traffic and placed."""
        self.world.refresh()
        if self.referee is not None:
            self.referee.grow()

    def warm_up(self) -> None:
        """Compile what a step needs, on a copy, so that the first step is timed like the others."""
        self.traffic.foresee(np.array([self.dt]))
        kept, traffic = self.traffic.fleet.copy(), self.traffic
        steps, now, arrivals = traffic.steps, traffic.time, traffic.arrivals
        claims, due = traffic.crosswalks.claims.copy(), traffic.crosswalks.due.copy()
        doors, trips, parking = deepcopy(traffic.doors), deepcopy(traffic.trips), deepcopy(traffic.parking)
        detectors = deepcopy(traffic.detectors)
        traffic.advance(self.dt)
        cars_in_the_way(traffic.net, traffic.fleet)
        traffic.fleet[:] = kept
        traffic.steps, traffic.time, traffic.arrivals = steps, now, arrivals
        traffic.doors, traffic.trips, traffic.parking = doors, trips, parking
        traffic.detectors = detectors
        traffic.crosswalks.claims[:], traffic.crosswalks.due[:] = claims, due

    def figures(self) -> dict[str, Any]:
        """What `swerve city --json` says of a run."""
        spent = np.array(self.step_seconds)
        total = float(spent.sum())
        result: dict[str, Any] = {
            "agents": self.agents,
            "vehicles": int(self.characters.alive[self.traffic.ids].sum()),
            "steps": len(spent),
            "seconds": self.time,
            "updates_per_cpu_second": self.agents * len(spent) / total if total else None,
            "realtime_factor": self.time / total if total else None,
            "step_ms_p99": 1e3 * float(np.percentile(spent, 99)) if len(spent) else None,
        }
        trips = self.traffic.trips
        due, done = (0, 0) if trips is None else (len(trips), trips.done)
        come = 0 if trips is None else int(np.isfinite(trips.entered).sum())
        result |= {
            "spawned": len(self.traffic) - due + come + self.traffic.doors.entered,
            "arrived": self.traffic.doors.left + done,
            "vanished": self.traffic.doors.vanished + (0 if trips is None else trips.vanished),
            "waiting": self.traffic.waiting,
            "parkings": 0 if self.traffic.parking is None else self.traffic.parking.parkings,
            "parked": int((self.traffic.fleet.berth == PARKED).sum()),
            "lanes_unused": self.town.lanes_unused,
            "unsupported": list(self.town.notes),
        }
        return result | (self.referee.figures() if self.referee else {})

    def trips(self) -> dict[str, Any]:
        """Columns over the trips of the demand that were due so far, see `traffic.trips.COLUMNS`."""
        if self.traffic.trips is None:
            raise BadInput("demand", None, "this simulation has none")
        return self.traffic.trips.table(self.traffic.ids)

    def detectors(self) -> dict[str, Any]:
        """Columns over the detectors of the demand and their intervals, see `traffic.detectors.COLUMNS`."""
        if self.traffic.detectors is None:
            raise BadInput("detectors", None, "the demand of this simulation has none")
        return self.traffic.detectors.table(self.time)

    def plan(self, character: int) -> Plan:
        """How one vehicle or person has gone so far, as a plan; the simulation must have been recorded."""
        if self.recorder is None:
            raise BadInput("record", False, "must be true for a plan")
        return self.recorder.plan(character)

    def _spent(self) -> float:
        """[s] of CPU time in decisions and motion so far."""
        return sum(self.world.spent[phase] for phase in ("sense", "choose", "move"))


def _with_own_lights(town: Town, least: float | None) -> Town:
    """The town itself, or, where lights look who comes, one whose clocks are of this simulation alone."""
    lights = town.roads.lights
    if least is None and not np.isfinite(lights.least).any():
        return town
    return replace(town, roads=replace(town.roads, lights=lights.actuated(least)))


def cast(
    vehicles: int, pedestrians: int, emergency: int, seed: int, mix: Mapping[str, float] | None = None
) -> Characters:
    """Vehicles of the types of a mix (by default three of cars) and three tempers, ambulances, people; those
    that are alike copy a template, which comes after all of them."""
    mix = TYPE_SHARES if mix is None else mix
    share = np.array(list(mix.values())) / sum(mix.values())
    characters = Characters()
    rng = generator(seed, "cast")
    cars = vehicles - emergency
    some: list[tuple[np.ndarray, Kind, dict[str, Any]]] = []  # who is alike, and how
    if cars:
        types = rng.choice(list(mix), size=cars, p=share)
        tempers = rng.choice(list(DRIVER_SHARES), size=cars, p=list(DRIVER_SHARES.values()))
        for word in mix:
            for temper in DRIVER_SHARES:
                count = int(((types == word) & (tempers == temper)).sum())
                if count:
                    alike: dict[str, Any] = {"wheeled_type": word, "driver_type": temper, **RATIOS}
                    some.append((characters.add(WHEELED, count), WHEELED, alike))
    if emergency:
        some.append((characters.add(WHEELED, emergency), WHEELED, AMBULANCE))
    if pedestrians:
        some.append((characters.add(PERSON, pedestrians), PERSON, {}))
    for ids, kind, told in some:
        characters.follow(ids, characters.add_template(kind, None, **told))
    return characters
