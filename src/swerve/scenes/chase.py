"""`chase`: a sliding car through a town where everybody else has a mind too.

The car plans with the large move tree around everybody it foresees, at twice the pace of traffic, through
traffic, people on crosswalks, an ambulance and a group of cyclists. It stops at no light; all others do, and
brake for it. At the end of its drive it stands in the street until somebody has had to wait for it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from swerve.city import Simulation, SimulationOptions, Town, Traffic, grid
from swerve.city.record import scenery
from swerve.city.referee import corners_off_road
from swerve.city.roads import random_drive, way_along
from swerve.core.errors import require
from swerve.core.provenance import provenance
from swerve.core.recording import Recording
from swerve.core.seeding import generator
from swerve.core.way import Way
from swerve.core.world import Member, World
from swerve.race import load_tree
from swerve.race.body import SlidingCar
from swerve.race.chooser import PilotChooser
from swerve.race.journey import Journey
from swerve.race.pilot import Leg, Pilot
from swerve.race.route import SearchOptions
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.stored import load_map
from swerve.riders.steering.tune import load_tuned

from .cars import slower_tree
from .street_riders import StreetRiders, avenue
from .town import free

SECONDS = 120.0
CHASER, CYCLISTS = "chaser", "cyclists"
BLOCKS = (4, 4)  # junctions of the town
METRES = 800.0  # of the drive
TOP_SPEED = 20.0  # [m/s] of the clips that the car may use in a town
RIDING, GAP = 6.5, 6.0  # [m/s] of the cyclists, [m] from one to the next
ROOM = 14.0  # [m] around a start that must be free of everybody else
START = 12.0  # [m] along its drive at which the car stands at first
LOOK_AHEAD = 5.0  # [s]
NODES = 4000
STAND, LONGEST = 8.0, 25.0  # [s] that it stands in the street at the end of its drive, at least and at most
WAITING = 12.0  # [m] behind it within which whoever stands waits for it
TRIES = 60


def build(
    seed: int,
    vehicles: int = 100,
    people: int = 30,
    cyclists: int = 8,
    sirens: int = 1,
    blind: bool = False,
    metres: float = METRES,
) -> World:
    """The town at the start. With `blind` drivers do not see the car: they drive as if it were not there."""
    require(cyclists >= 1, "cyclists", cyclists, "must be at least 1")
    options = SimulationOptions(record=True, blind_to=(CHASER,) if blind else ())
    streets = populate(seed, vehicles, people, cyclists, sirens, options)
    world = streets.world
    world.meta |= {**provenance("chase", seed), **scenery(streets.town)}
    way = streets.free_drive(metres)
    pilot = pilot_along(way, metres)
    car = SlidingCar().start(1).put(*pilot.pose[:, None])
    world.add(car, PilotChooser(pilot), CHASER, watch=True)
    world.meta["ego"] = int(world.members[-1].ids[0])
    return world


class Streets(NamedTuple):
    """A town and whoever is in it but the car that is to come."""

    world: World
    town: Town
    rng: np.random.Generator

    def free_drive(self, metres: float) -> Way:
        """A way of that length through the town, at whose beginning there is room for a car."""
        require(100.0 <= metres <= 2000.0, "metres", metres, "must be between 100 and 2000")
        roads = self.town.roads
        for _ in range(TRIES):
            way = way_along(roads, random_drive(roads, metres, self.rng), lead_in=100.0)
            if free(self.world, way, START - ROOM, START + ROOM):
                break
        return way


def populate(
    seed: int, vehicles: int, people: int, cyclists: int, sirens: int, options: SimulationOptions
) -> Streets:
    """Traffic, people and a group of cyclists in the town of the chase."""
    town, rng = grid(*BLOCKS), generator(seed, "chase")
    simulation = Simulation(town, vehicles, people, sirens, seed, options=options)
    if cyclists:
        _add_cyclists(simulation.world, town, cyclists, rng)
    return Streets(simulation.world, town, rng)


def pilot_along(way: Way, metres: float) -> Pilot:
    """The route search of a car from its start on a way to so many metres along it."""
    options = SearchOptions(horizon=round(LOOK_AHEAD / 0.04), nodes=NODES, weight=1.1)
    tree = slower_tree(load_tree("large"), TOP_SPEED)
    return Pilot(tree, Journey.along(way), Leg(START, metres), options=options)


def figures(world: World) -> dict[str, Any]:
    """How far the car got, how hard others had to brake, what it did off the road and how it thought."""
    car, mind = _chaser(world)
    recording = world.recording().whole()
    chased = recording.where(recording["id"] == car.ids[0])
    speed = np.hypot(chased["vx"], chased["vy"])
    traffic = next(m for m in world.members if m.name == "traffic")
    mean = world.figures()["mean_speed"]
    others = [mean[kind] for kind in set(traffic.bodies.kinds)]
    counts = [int((traffic.bodies.kinds == kind).sum()) for kind in set(traffic.bodies.kinds)]
    everyday = float(np.average(others, weights=counts))
    return {
        "progress": mind.pilot.progress,
        "top_speed": float(speed.max()),
        "times_as_fast": float(mean["car"] / max(everyday, 1e-9)),
        "max_sideslip_deg": float(np.degrees(np.abs(chased["slip"]).max())),
        "hardest_braking": _hardest_braking(recording, car, traffic),
        "off_road": _off_road(chased, traffic),
        "falls": int(sum(m.motion.fell.sum() for m in world.members)),
        "plans": mind.plans,
        "braked": mind.braked,
        "lost": mind.lost,
    }


def finished(world: World) -> bool:
    """Whether the car has come to the end of its drive and has stood in somebody's way there, or for long."""
    car, mind = _chaser(world)
    return mind.stood > LONGEST or (mind.stood > STAND and _held_up(world, car) > 0)


def _held_up(world: World, car: Member) -> int:
    """How many drivers stand close behind the car."""
    traffic = next(m for m in world.members if m.name == "traffic")
    here, there = car.motion, traffic.motion
    dx, dy = there.x - here.x[0], there.y - here.y[0]
    along = dx * np.cos(here.yaw[0]) + dy * np.sin(here.yaw[0])
    beside = np.abs(dy * np.cos(here.yaw[0]) - dx * np.sin(here.yaw[0]))
    return int(((along < 0.0) & (along > -WAITING) & (beside < 1.5) & (there.speed < 0.5)).sum())


def _chaser(world: World) -> tuple[Member, PilotChooser]:
    member = next(m for m in world.members if m.name == CHASER)
    assert isinstance(member.chooser, PilotChooser)
    return member, member.chooser


def _add_cyclists(world: World, town: Town, count: int, rng: np.random.Generator) -> None:
    """In a row at the kerb of a street that leads straight through the town, where there is room."""
    length = GAP * count + 10.0
    for _ in range(TRIES):
        way, stops = avenue(town.roads, rng)
        first = float(rng.uniform(20.0, 80.0))
        if free(world, way, first - 10.0, first + length):
            break
    map_, tuned = load_map("human"), load_tuned("human")
    riders = Glide(map_, count)
    offsets = np.full(count, -0.8) + rng.uniform(-0.1, 0.1, count)
    riders.put(*way.place(first + length - 10.0 - GAP * np.arange(count), offsets).T)
    riders.velocity *= RIDING / map_.speed
    riders.pace[:] = RIDING
    steering = tuned.navigator(map_, "path")
    mind = StreetRiders(steering, way, offsets, RIDING, stops, town.roads.lights)
    world.add(riders, mind, CYCLISTS)


def _off_road(chased: Recording, traffic: Member) -> int:
    """In how many frames a corner of the car lay beyond the edge of the road."""
    assert isinstance(traffic.bodies, Traffic)
    roads = traffic.bodies.town.roads
    length, width = (chased[name].astype(float) for name in ("length", "width"))
    return int(corners_off_road(roads, chased["x"], chased["y"], chased.heading, length, width).sum())


def _hardest_braking(recording: Recording, car: Member, traffic: Member) -> float:
    """The hardest braking [m/s²] of traffic within 40 m of the car."""
    chased = recording.where(recording["id"] == car.ids[0])
    worst = 0.0
    for identity in traffic.ids:
        one = recording.where(recording["id"] == identity)
        n = min(len(one), len(chased))
        speed = np.hypot(one["vx"][:n], one["vy"][:n]).astype(float)
        near = np.hypot(one["x"][:n] - chased["x"][:n], one["y"][:n] - chased["y"][:n]) < 40.0
        slowing = -np.diff(speed) / np.diff(one["t"][:n])
        worst = max(worst, float(slowing[near[1:]].max(initial=0.0)))
    return worst
