"""Vehicles that come into streets in which others drive."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput, require

from ..roads.roads import LANE
from .fleet import Fleet
from .room import free_front, in_the_way
from .traffic import Traffic


def come_in(traffic: Traffic, ids: np.ndarray, places: np.ndarray | None, rng: np.random.Generator) -> None:
    """Let characters stand on the lanes nearest to their places (n, 2) [m], or on any where there is room."""
    net, roads = traffic.net, traffic.town.roads
    for k, row in enumerate(traffic.add(ids).tolist()):
        length = float(traffic.fleet.length[row])
        if places is None:
            found = free_front(net, traffic.everyone, length, rng)
            if found is None:
                raise BadInput("vehicles", len(traffic), "leave no room for another")
        else:
            strips, stations, _ = roads.nearest(*places[k : k + 1].T)
            strip, front = int(strips[0]), float(stations[0]) + length / 2
            at = tuple(places[k].tolist())
            require(roads.kind[strip] == LANE, "at", at, "is inside a junction")
            within = length <= front <= roads.length[strip]
            require(within, "at", at, "is too near the end of the lane for the vehicle")
            free = len(in_the_way(net, traffic.everyone, strip, front, length, 0.0)) == 0
            require(free, "at", at, "is too near somebody")
            found = strip, front
        traffic.place([row], *found, 0.0)
        traffic.paths.lead_somewhere(traffic.fleet[row : row + 1].view(Fleet))
        traffic.paths.send(traffic.fleet, np.array([row]), traffic.fleet.destination[[row]])
