"""Sliding cars of scene files: each with a move tree and a route search of its own."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.library import MotionLibrary, keep
from swerve.race import (
    Journey,
    Leg,
    Pilot,
    PilotChooser,
    SearchOptions,
    SlidingCar,
    Track,
    fitted_tree,
    load_car,
    load_track,
    load_tree,
)
from swerve.race.trees import car_of

from .parts import CarPart
from .stage import Stage
from .town import free_street

ROOM = 14.0  # [m] behind and before a start in a town that must be free


def add_cars(stage: Stage, rng: np.random.Generator) -> None:
    """A car for each entry, from rest on its way or track to the end of it, around whoever is there."""
    for number, part in enumerate(stage.asked.cars):
        where = f"cars.{number}"
        options = SearchOptions(horizon=part.horizon, nodes=part.nodes, weight=1.1)
        place, tree = _place(stage, where, part, rng), _tree(stage, where, part)
        kind = car_of(tree)
        if part.top is not None:
            slowest = min(float(np.hypot(*clip.velocity[:, :2].T).max()) for clip in tree.clips)
            if slowest > part.top:
                why = f"leaves none of the clips of {part.tree}, which reach {slowest:.1f} m/s and more"
                raise BadInput(f"{where}.top", part.top, why)
            tree = slower_tree(tree, part.top)
        if part.at >= place.length:
            why = f"must lie before the end of its way, at {place.length:.0f} m"
            raise BadInput(f"{where}.at", part.at, why)
        target = None
        if part.drive is not None and isinstance(place, Journey):
            target = min(part.at + part.drive, place.length)
        pilot = Pilot(tree, place, Leg(part.at, target), options=options)
        x, y, yaw = pilot.pose[:, None]
        cars = SlidingCar(kind).start(1).put(x, y, yaw)
        try:
            mind = PilotChooser(pilot, kind)
        except BadInput as error:
            raise BadInput(f"{where}.tree", part.tree, error.why) from error
        height = float(stage.way(where, part.way).z[0]) if part.way is not None else 0.0
        stage.world.add(cars, mind, name=where, watch=True, height=height)
        stage.arrivals.append(lambda pilot=pilot: bool(pilot.arrived))  # type: ignore[misc]


def slower_tree(tree: MotionLibrary, top: float) -> MotionLibrary:
    """A move tree without the clips that are faster than `top` [m/s] anywhere."""
    pace = np.array([np.hypot(*clip.velocity[:, :2].T).max() for clip in tree.clips])
    return keep(tree, np.flatnonzero(pace <= top + 1e-6), f"{tree.name} up to {top:g} metres a second")


def _tree(stage: Stage, where: str, part: CarPart) -> MotionLibrary:
    """The car's move tree, made for it."""
    tree = load_tree(stage.file(part.tree))
    if part.car is None:
        return tree
    try:
        car = load_car(stage.file(part.car))
    except BadInput as error:
        raise BadInput(f"{where}.{error.what}", error.value, error.why) from error
    return fitted_tree(car, part.tree, tree, f"{where}.tree")


def _place(stage: Stage, where: str, part: CarPart, rng: np.random.Generator) -> Journey | Track:
    if sum(asked is not None for asked in (part.way, part.track, part.drive)) + part.avenue != 1:
        why = "needs either a way or a track or, in a town, a drive or an avenue"
        raise BadInput(where, part.way, why)
    if part.track is not None:
        track = load_track(stage.file(part.track))
        stage.draw(track.way)
        return track
    if part.way is None:
        street = free_street(stage, where, part, (part.at, part.at), (ROOM, ROOM), rng)
        return Journey.along(street.way)
    way = stage.way(f"{where}.way", part.way)
    if way.closed:
        raise BadInput(f"{where}.way", part.way, "must have an end to drive to")
    return Journey.along(way)
