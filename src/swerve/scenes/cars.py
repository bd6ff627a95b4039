"""Sliding cars of scene files: each with a move tree and a route search of its own."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput
from swerve.race import (
    Journey,
    Pilot,
    PilotChooser,
    SearchOptions,
    SlidingCar,
    Track,
    load_track,
    load_tree,
)

from .parts import CarPart
from .stage import Stage


def add_cars(stage: Stage, rng: np.random.Generator) -> None:
    """A car for each entry, from rest on its way or track to the end of it, around whoever is there."""
    for number, part in enumerate(stage.asked.cars):
        where = f"cars.{number}"
        options = SearchOptions(horizon=part.horizon, nodes=part.nodes, weight=1.1)
        place, tree = _place(stage, where, part), load_tree(stage.file(part.tree))
        pilot = Pilot(tree, place, options=options, progress=part.at)
        x, y, yaw = pilot.pose[:, None]
        cars = SlidingCar().start(1).put(x, y, yaw)
        stage.world.add(cars, PilotChooser(pilot), name=where, watch=True)
        stage.arrivals.append(lambda pilot=pilot: bool(pilot.arrived))  # type: ignore[misc]


def _place(stage: Stage, where: str, part: CarPart) -> Journey | Track:
    if (part.way is None) == (part.track is None):
        raise BadInput(where, part.way, "needs either a way or a track")
    if part.track is not None:
        track = load_track(stage.file(part.track))
        stage.draw(track.way)
        return track
    way = stage.way(f"{where}.way", str(part.way))
    if way.closed:
        raise BadInput(f"{where}.way", part.way, "must have an end to drive to")
    return Journey.along(way)
