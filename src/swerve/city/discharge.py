"""How a queue leaves a light: saturation flow and start-up loss, measured at the stop line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.errors import require

from .roads.lights import GREEN
from .simulate import cast
from .towns.grid_plan import grid
from .traffic.following import JAM
from .traffic.traffic import Traffic

SETTLED = 4  # vehicles after which the headways are those of a flow


class Discharge(NamedTuple):
    """`times` [s] after green at which front bumpers crossed the line, in order."""

    times: np.ndarray

    @property
    def headway(self) -> float:
        """[s] between vehicles once the queue moves."""
        return float(np.diff(self.times)[SETTLED - 1 :].mean())

    @property
    def flow(self) -> float:
        """Vehicles an hour a lane."""
        return 3600.0 / self.headway

    @property
    def start_up_loss(self) -> float:
        """[s] that the first vehicles take longer than the flow would."""
        return float(self.times[SETTLED - 1] - SETTLED * self.headway)


def queue_discharge(vehicles: int = 12, seed: int = 0, dt: float = 0.1) -> Discharge:
    """Queue the usual mix of cars at a red light on a one-lane street, all going straight on; time them."""
    require(vehicles > SETTLED + 2, "vehicles", vehicles, f"must be above {SETTLED + 2}")
    town = grid(3, 3, block=300.0, lanes=1)
    roads = town.roads
    traffic = Traffic(town, cast(vehicles, 0, 0, seed), seed)
    straight = np.flatnonzero((roads.light >= 0) & (roads.turn == 0))
    lane_of = {int(c): int(roads.before[roads.before_first[c]]) for c in straight}
    connector = max(lane_of, key=lambda c: roads.length[lane_of[c]])
    lane = lane_of[connector]
    order = np.random.default_rng(seed).permutation(vehicles)
    behind = np.concatenate([[0.0], np.cumsum(traffic.fleet.length[order] + JAM)[:-1]])
    traffic.place(order, lane, roads.length[lane] - 1.0 - behind, 0.0, connector)
    light = roads.light[connector]
    while roads.lights.state(traffic.time)[light] == GREEN:
        traffic.time = round(traffic.time + dt, 9)
    green, before = None, roads.lights.state(traffic.time)[light]
    times: dict[int, float] = {}
    while len(times) < vehicles:
        state = roads.lights.state(traffic.time)[light]
        if green is None and state == GREEN and before != GREEN:
            green = traffic.time
        if green is not None and state != GREEN:
            break
        before = state
        lead = _past_line(traffic, lane)
        now = traffic.time
        traffic.advance(dt)
        after = _past_line(traffic, lane)
        for i in np.flatnonzero((lead < 0) & (after >= 0)):
            if green is not None:
                share = -lead[i] / max(after[i] - lead[i], 1e-9)
                times[int(i)] = now + share * dt - green
    return Discharge(np.sort(np.array(list(times.values()))))


def _past_line(traffic: Traffic, lane: int) -> np.ndarray:
    """How far [m] front bumpers are past the end of the lane; negative before it."""
    fleet = traffic.fleet
    front = fleet.station + fleet.overhang
    return np.where(fleet.strip == lane, front - traffic.net.strips["length"][lane], np.maximum(front, 0.0))
