"""Cyclists of scene files: in a row along a way or through a town, on maps or in full physics."""

from __future__ import annotations

import numpy as np

from swerve.city.roads.lights import no_lights
from swerve.core.errors import BadInput
from swerve.core.steered import SteeredBodies
from swerve.riders.bodies.rider import load_rider
from swerve.riders.maps.glide import Glide
from swerve.riders.maps.mobility import MobilityMap
from swerve.riders.maps.stored import load_map
from swerve.riders.steering.minds import PathRiders
from swerve.riders.steering.tune import load_tuned

from .parts import CyclistPart
from .stage import Stage
from .street_riders import StreetRiders
from .town import Street, free_street

ROOM = 10.0  # [m] behind the last and before the first that must be free in a town
STARTS = (20.0, 80.0)  # [m] along a street where the last of a row may start
KERB = 0.8  # [m] from the middle of a lane towards the kerb
SLOWEST = 0.5  # of its nominal speed that a rider in full physics can ride at
RUN_OUT = 10.0  # [m] that riders in full physics need besides
SETTLING = 6.0  # [s] in which they come to their speed, before the scene begins


def add_cyclists(stage: Stage, rng: np.random.Generator) -> None:
    """A row of riders for each entry, at its speed; who is on a map stops at red lights and at the end."""
    for number, part in enumerate(stage.asked.cyclists):
        where = f"cyclists.{number}"
        if (part.way is not None) + (part.drive is not None) + part.avenue != 1:
            raise BadInput(where, part.way, "needs either a way or, in a town, a drive or an avenue")
        map_ = load_map(part.rider)
        street = _street(stage, where, part, rng)
        station = street.at + part.gap * np.arange(part.count)
        _check(stage, where, part, street, map_)
        in_full = np.zeros(part.count, dtype=bool)
        in_full[rng.choice(part.count, part.full, replace=False)] = True
        for who, name, full in ((in_full, f"{where} in full", True), (~in_full, where, False)):
            if who.any():
                _add(stage, name, part, street, station[who], map_, full)


def _street(stage: Stage, where: str, part: CyclistPart, rng: np.random.Generator) -> Street:
    if part.way is not None:
        return Street(stage.way(f"{where}.way", part.way), [], 5.0 if part.at is None else part.at)
    starts = STARTS if part.at is None else (part.at, part.at)
    room = (ROOM, part.gap * (part.count - 1) + ROOM)
    return free_street(stage, where, part, starts, room, rng)


def _check(stage: Stage, where: str, part: CyclistPart, street: Street, map_: MobilityMap) -> None:
    way, last = street.way, street.at + part.gap * (part.count - 1)
    if last > way.length - (part.gap if way.closed else 0.0):
        raise BadInput(f"{where}.count", part.count, f"do not fit on {way.length:.0f} m of {way.name}")
    if part.speed > map_.speeds[-1]:
        raise BadInput(f"{where}.speed", part.speed, f"must be at most {map_.speeds[-1]:g} m/s, its fastest")
    if part.full > part.count:
        raise BadInput(f"{where}.full", part.full, f"must be at most count ({part.count})")
    if not part.full:
        return
    if part.way is None:
        raise BadInput(f"{where}.full", part.full, "must be 0 in a town: in full physics nobody can stand")
    if part.speed < SLOWEST * map_.speed:
        least = SLOWEST * map_.speed
        raise BadInput(f"{where}.speed", part.speed, f"must be at least {least:g} m/s in full physics")
    if not way.closed and last + part.speed * stage.asked.seconds + RUN_OUT > way.length:
        why = f"cannot stop at the end of {way.length:.0f} m of {way.name}, and would come to it"
        raise BadInput(f"{where}.full", part.full, why)


def _add(
    stage: Stage,
    name: str,
    part: CyclistPart,
    street: Street,
    station: np.ndarray,
    map_: MobilityMap,
    in_full: bool,
) -> None:
    way, count = street.way, len(station)
    riders = _in_full(part, count, map_) if in_full else _on_map(part, count, map_)
    offset = _offset(stage, part)
    riders.put(*way.place(station, offset).T)
    steering = load_tuned(part.rider).navigator(map_, "path")
    if in_full or way.closed:
        mind = PathRiders(steering, way, offset, part.speed)
    else:
        lights = no_lights() if stage.town is None else stage.town.roads.lights
        mind = StreetRiders(steering, way, offset, part.speed, street.stops, lights)
    stage.world.add(riders, mind, name, watch=True, height=float(way.z[0]))


def _on_map(part: CyclistPart, count: int, map_: MobilityMap) -> SteeredBodies:
    riders = Glide(map_, count)
    riders.velocity *= part.speed / map_.speed
    riders.pace[:] = part.speed
    return riders


def _in_full(part: CyclistPart, count: int, map_: MobilityMap) -> SteeredBodies:
    riders = load_rider(part.rider).start(count)
    riders.advance(np.zeros(count), np.full(count, part.speed), SETTLING)
    riders.predictor = map_
    return riders


def _offset(stage: Stage, part: CyclistPart) -> float:
    if part.offset is not None:
        return part.offset
    if part.way is not None or stage.town is None:
        return 0.0
    return KERB if stage.town.roads.left_hand else -KERB
