"""Cyclists in a street: along a way, clear of others, and waiting at red lights."""

from __future__ import annotations

import numpy as np

from swerve.city.roads import Roads, way_along
from swerve.city.roads.lights import GREEN, Lights
from swerve.city.roads.roads import CONNECTOR, LANE, STRAIGHT
from swerve.core.errors import BadInput
from swerve.core.view import View
from swerve.core.way import Way
from swerve.riders.steering.clear import BRAKING, DELAY, braked
from swerve.riders.steering.follow import Steering
from swerve.riders.steering.minds import PathRiders

Stops = list[tuple[float, int]]  # stations [m] of stop lines and the groups of their lights
BEFORE = 3.0  # [m] between the middle of a rider who waits and the stop line
QUEUE = 3.0  # [m] of street that each who waits takes
HARD = 3.0  # [m/s²] whoever would have to brake harder for a yellow light goes on


class StreetRiders(PathRiders):
    """`PathRiders` who stop at the red lights of `stops`, and at the end of their way."""

    def __init__(
        self,
        steering: Steering,
        way: Way,
        offsets: float | np.ndarray,
        speed: float,
        stops: Stops,
        lights: Lights,
    ):
        super().__init__(steering, way, offsets, speed)
        self.stops, self.lights = stops, lights
        self._going: dict[int, np.ndarray] = {}  # of every light, who has to go on if it changes

    def choose(self, view: View, dt: float) -> np.ndarray:
        """Headings [rad] and speeds [m/s], (n, 2)."""
        commands = super().choose(view, dt)
        state = self.lights.state(view.t)
        station, _ = self.way.locate(np.column_stack([view.mine.x, view.mine.y]), self.station)
        speed = view.mine.speed
        for k, (line, group) in enumerate([*self.stops, (self.way.length - 5.0, -1)]):  # and the street's end
            room = line - BEFORE - station
            going = self._going.setdefault(k, np.zeros(len(room), bool))
            if group >= 0 and state[group] == GREEN:
                going[:] = room < speed**2 / (2 * HARD)  # who could not stop any more goes on
                continue
            late = BRAKING * DELAY
            bound = ~going & (room > -BEFORE)
            before_me = (bound & (station > station[:, None])).sum(axis=1)  # who waits in front of each
            room = np.maximum(room - QUEUE * before_me, 0.0)
            most = np.sqrt(late**2 + 2 * BRAKING * room) - late
            commands[:, 1] = np.where(bound, braked(speed, commands[:, 1], most), commands[:, 1])
        return commands


def avenue(roads: Roads, rng: np.random.Generator) -> tuple[Way, Stops]:
    """A way straight on from junction to junction along kerb lanes, and its stop lines with their lights."""
    starts = np.flatnonzero(
        (roads.kind == CONNECTOR) & (roads.turn == STRAIGHT) & (roads.lane == 0) & (roads.length > 1.0)
    )
    lanes = roads.before[roads.before_first[starts]]
    begins = [
        int(k) for k, lane in zip(starts, lanes, strict=True) if not _straight(roads, int(lane), before=True)
    ]
    if not begins:
        raise BadInput("avenue", roads.name, "has no street that leads straight on")
    chosen = [int(rng.choice(begins))]
    while True:
        onwards = _straight(roads, int(roads.after[roads.after_first[chosen[-1]]]))
        if not onwards:
            break
        chosen.append(onwards[0])
    way = way_along(roads, chosen)
    return way, stops_along(roads, way, chosen)


def stops_along(roads: Roads, way: Way, connectors: list[int]) -> Stops:
    """The stop lines with lights of a way over `connectors`."""
    lines = np.array([roads.place(np.array([k]), np.zeros(1))[:2] for k in connectors]).reshape(-1, 2)
    stations, _ = way.locate(lines)
    lights = roads.light[connectors]
    return [(float(s), int(light)) for s, light in zip(stations, lights, strict=True) if light >= 0]


def _straight(roads: Roads, lane: int, before: bool = False) -> list[int]:
    """Connectors that go straight on from a lane, or straight into it."""
    first, links = (roads.before_first, roads.before) if before else (roads.after_first, roads.after)
    assert roads.kind[lane] == LANE
    found = links[first[lane] : first[lane + 1]]
    return [int(c) for c in found if roads.kind[c] == CONNECTOR and roads.turn[c] == STRAIGHT]
