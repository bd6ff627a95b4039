"""Towns of scene files: traffic and people in them, streets through them, and starts that are free."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from swerve.city import Simulation, SimulationOptions, Town, grid, load_town
from swerve.city.record import scenery
from swerve.city.roads import lone_road, random_drive, way_along
from swerve.city.roads.roads import CONNECTOR
from swerve.core.errors import BadInput
from swerve.core.way import Way
from swerve.core.world import World

from .parts import RoutePart, TownPart
from .stage import Stage
from .street_riders import Stops, avenue, stops_along

LEAD_IN = 100.0  # [m] of the first road that a drive keeps
TRIES = 60  # streets that are looked at for a free start


class Street(NamedTuple):
    """A way through a town, its stop lines, and the station [m] at which one starts."""

    way: Way
    stops: Stops
    at: float


def add_town(stage: Stage, rng: np.random.Generator) -> None:
    """A town with its traffic and people; its world is the scene's from now on."""
    part = stage.asked.town
    assert part is not None
    stage.town = _town(stage, part)
    try:
        options = SimulationOptions(stage.asked.dt, record=True)
        if part.mix is not None:
            options = replace(options, mix=part.mix)
        simulation = Simulation(
            stage.town,
            part.vehicles,
            part.pedestrians,
            part.emergency,
            stage.seed,
            options=options,
        )
    except BadInput as error:
        place = f"town.{error.what}" if error.what.split(",")[0] in TownPart.model_fields else error.what
        raise BadInput(place, error.value, error.why) from error
    stage.world = simulation.world
    around = scenery(stage.town)
    stage.areas += around["areas"]
    stage.lines += around["lines"]


def free_street(
    stage: Stage,
    where: str,
    part: RoutePart,
    starts: tuple[float, float],
    room: tuple[float, float],
    rng: np.random.Generator,
) -> Street:
    """A random drive or avenue, as `part` asks, or a whole road where none meets another, with nobody from
    `room[0]` metres behind to `room[1]` metres ahead of a start between two stations `starts` [m]."""
    name, value = ("avenue", part.avenue) if part.avenue else ("drive", part.drive)
    if stage.town is None:
        raise BadInput(f"{where}.{name}", value, "needs a town")
    roads = stage.town.roads
    for _ in range(TRIES):
        try:
            if not (roads.kind == CONNECTOR).any():  # a road alone, or several that do not meet
                way, stops = lone_road(roads, part.drive or 0.0, rng), []
            elif part.drive is not None:
                chosen = random_drive(roads, part.drive, rng)
                way = way_along(roads, chosen, lead_in=LEAD_IN)
                stops = stops_along(roads, way, chosen)
            else:
                way, stops = avenue(roads, rng)
        except BadInput as error:
            raise BadInput(f"{where}.{name}", value, error.why.rstrip(";")) from error
        at = float(rng.uniform(*starts))
        if at + room[1] < way.length and free(stage.world, way, at - room[0], at + room[1]):
            return Street(way, stops, at)
    raise BadInput(f"{where}.{name}", value, f"no start at {starts[0]:g} m is free of others")


def free(world: World, way: Way, first: float, last: float) -> bool:
    """Whether nobody is on that stretch [m] of a way, from edge to edge."""
    motion = world.everyone.motion
    station, offset = way.locate(np.column_stack([motion.x, motion.y]))
    beside = (offset < way.at(way.left, station) + 1.0) & (-offset < way.at(way.right, station) + 1.0)
    long = world.everyone.outline[:, 0] / 2
    return not (beside & (station + long > first) & (station - long < last)).any()


def _town(stage: Stage, part: TownPart) -> Town:
    buses = (part.mix or {}).get("bus", 0.0) > 0
    if part.name == "grid":
        try:
            return grid(part.columns or 5, part.rows or 5, buses=buses)
        except BadInput as error:
            raise BadInput(f"town.{error.what}", error.value, error.why) from error
    for field in ("columns", "rows"):
        if getattr(part, field) is not None:
            raise BadInput(f"town.{field}", getattr(part, field), "is for a grid only")
    try:
        return load_town(stage.file(part.name), stage.seed, vehicles=part.vehicles, buses=buses)
    except BadInput as error:
        raise BadInput("town.name", None, str(error)) from error
