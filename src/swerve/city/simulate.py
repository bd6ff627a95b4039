"""A city that runs: the clock, and the order of a frame.

    simulation = Simulation(grid(5, 5), vehicles=250, seed=1)
    for _ in range(400):
        simulation.step()

A frame: lights → people decide, seeing what cars claim → traffic decides, seeing who is on the crosswalks →
all move → referee and recorder.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.plan import Plan
from swerve.core.seeding import generator

from .characters.characters import Characters
from .characters.kinds import PERSON, WHEELED
from .people.crossing import cars_in_the_way
from .people.people import People
from .record import Framed, Recorder, kind_words
from .referee import Referee
from .towns.town import Town
from .traffic.traffic import LONGEST_STEP, Traffic

TYPE_SHARES = {"mini": 0.25, "sedan": 0.5, "suv": 0.25}
DRIVER_SHARES = {"fast": 0.25, "medium": 0.5, "slow": 0.25}
AMBULANCE: dict[str, Any] = {
    "wheeled_type": "other",
    "name": "ambulance",
    "length": 5.7,
    "width": 2.0,
    "height": 2.6,
    "wheelbase": 3.4,
    "front_overhang": 1.0,
    "radius": 3.02,
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


class Simulation:
    """Vehicles and people in a town, advanced together by steps of dt [s]."""

    def __init__(
        self,
        town: Town,
        vehicles: int = 100,
        pedestrians: int = 0,
        emergency: int = 0,
        seed: int = 0,
        dt: float = 0.1,
        characters: Characters | None = None,
        referee: bool = True,
        record: bool = False,
    ):
        for name, value in (("vehicles", vehicles), ("pedestrians", pedestrians), ("emergency", emergency)):
            require(value >= 0, name, value, "must not be negative")
        require(emergency <= vehicles, "emergency", emergency, f"must be at most vehicles ({vehicles})")
        require(0 < dt <= LONGEST_STEP, "dt", dt, f"must be above 0 and at most {LONGEST_STEP} s")
        self.town, self.seed, self.dt = town, seed, dt
        self.characters = characters or cast(vehicles, pedestrians, emergency, seed)
        self.traffic = Traffic(town, self.characters, seed)
        self.people = People(town, self.characters, seed) if pedestrians else None
        self.person_ids = self.characters.of_kind(PERSON) if pedestrians else np.zeros(0, np.int64)
        self._heights: tuple[int, np.ndarray] = (-1, np.zeros(0))
        self.kind_words = kind_words(self.traffic)
        self.referee = Referee(self.traffic, self.people) if referee else None
        self.guests: list[Framed] = []  # bodies moved from outside; each tells its part of a frame
        self.recorder = Recorder(self) if record else None
        self.step_seconds: list[float] = []  # CPU time of every step, decisions and motion only

    @property
    def time(self) -> float:
        return self.traffic.time

    @property
    def agents(self) -> int:
        return len(self.traffic) + (0 if self.people is None else len(self.people.x)) + len(self.guests)

    def step(self) -> None:
        """One frame."""
        started = time.process_time()
        blocked = None
        if self.people is not None:
            lights = self.town.roads.lights.state(self.time)
            crossings = self.town.roads.crossings
            walk = np.where(crossings.light >= 0, lights[crossings.light] == 2, True)
            walk &= ~self.traffic.crossing_due  # people let a driver go who has waited for long
            free = self.traffic.crossing_claims <= 0.0
            seen = cars_in_the_way(self.traffic.net, self.traffic.fleet)
            self.people.step(self.dt, free, walk, self._sirens(), seen)
            blocked = np.asarray(self.people.on_crossing) > 0
        self.traffic.step(self.dt, blocked)
        self.step_seconds.append(time.process_time() - started)
        if self.referee is not None:
            self.referee.watch(self.dt)
        if self.recorder is not None:
            self.recorder.frame()

    @property
    def vehicle_heights(self) -> np.ndarray:
        """[m], read again only when an attribute has changed."""
        if self._heights[0] != self.characters.version or len(self._heights[1]) != len(self.traffic):
            ids = self.traffic.ids
            heights = self.characters.get(ids, "height") if len(ids) else np.zeros(0)
            self._heights = (self.characters.version, heights)
        return self._heights[1]

    def notice_newcomers(self) -> None:
        """After vehicles were added to the traffic and placed."""
        self.kind_words = kind_words(self.traffic)
        if self.referee is not None:
            self.referee.grow()

    def warm_up(self) -> None:
        """Compile what a step needs, on a copy, so that the first step is timed like the others."""
        kept = self.traffic.fleet.copy()
        steps, now = self.traffic.steps, self.traffic.time
        self.traffic.step(self.dt)
        if self.people is not None:
            cars_in_the_way(self.traffic.net, self.traffic.fleet)
        self.traffic.fleet[:] = kept
        self.traffic.steps, self.traffic.time = steps, now
        self.traffic.arrivals = 0
        self.traffic.crossing_claims[:] = 0.0
        self.traffic.crossing_due[:] = False

    def figures(self) -> dict[str, Any]:
        """What `swerve city --json` says of a run."""
        spent = np.array(self.step_seconds)
        total = float(spent.sum())
        result: dict[str, Any] = {
            "agents": self.agents,
            "vehicles": len(self.traffic),
            "steps": len(spent),
            "seconds": self.time,
            "updates_per_cpu_second": self.agents * len(spent) / total if total else None,
            "realtime_factor": self.time / total if total else None,
            "step_ms_p99": 1e3 * float(np.percentile(spent, 99)) if len(spent) else None,
        }
        return result | (self.referee.figures() if self.referee else {})

    def plan(self, character: int) -> Plan:
        """How one vehicle or person has gone so far, as a plan; the simulation must have been recorded."""
        if self.recorder is None:
            raise BadInput("record", False, "must be true for a plan")
        return self.recorder.plan(character)

    def people_frame(self) -> dict[str, np.ndarray]:
        """The people's part of a recorded frame."""
        people = self.people
        assert people is not None
        ids = self.person_ids
        n = len(ids)
        size = 2 * np.asarray(people.radius)
        heading = np.asarray(people.heading)
        return {
            "id": ids,
            "kind": np.full(n, "pedestrian", dtype=object),
            "x": np.array(people.x),
            "y": np.array(people.y),
            "z": np.full(n, 0.85),
            "heading": heading.copy(),
            "direction": heading.copy(),
            "speed": np.array(people.speed),
            "length": size,
            "width": size,
            "height": np.full(n, 1.7),
            "brake": np.zeros(n, bool),
            "indicator": np.zeros(n, np.int8),
            "emergency": np.zeros(n, bool),
        }

    def _sirens(self) -> np.ndarray:
        fleet = self.traffic.fleet
        rows = np.flatnonzero(fleet.emergency)
        return np.stack([fleet.x[rows], fleet.y[rows], fleet.heading[rows]], -1)


def cast(vehicles: int, pedestrians: int, emergency: int, seed: int) -> Characters:
    """The usual mix: cars of three types and three tempers from templates, ambulances, people."""
    characters = Characters()
    rng = generator(seed, "cast")
    cars = vehicles - emergency
    if cars:
        types = rng.choice(list(TYPE_SHARES), size=cars, p=list(TYPE_SHARES.values()))
        tempers = rng.choice(list(DRIVER_SHARES), size=cars, p=list(DRIVER_SHARES.values()))
        for word in TYPE_SHARES:
            for temper in DRIVER_SHARES:
                count = int(((types == word) & (tempers == temper)).sum())
                if count:
                    first = int(
                        characters.add(
                            WHEELED,
                            1,
                            wheeled_type=word,
                            driver_type=temper,
                            max_speed_ratio=1.1,
                            min_speed_ratio=0.9,
                        )[0]
                    )
                    characters.add(WHEELED, count - 1, template=first)
    if emergency:
        first = int(characters.add(WHEELED, 1, **AMBULANCE)[0])
        characters.add(WHEELED, emergency - 1, template=first)
    if pedestrians:
        first = int(characters.add(PERSON, 1)[0])
        characters.add(PERSON, pedestrians - 1, template=first)
    return characters
