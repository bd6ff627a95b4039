"""`City-v0`: every driver of a town an agent, all of them one batch of arrays.

A step is 0.1 s. An action (2,) in [−1, 1] is the pace that is wanted, −1 to stand and 1 as fast as the driver
would go on this lane, and the turn at the next junction: below −⅓ to the right, above ⅓ to the left, else as
the driver's own way goes. Rules, gaps and leave to enter junctions stay what they are: drivers choose among
safe moves. An observation is `COLUMNS`. The reward is the way made [m, divided by 10], and 1 for arriving at
a destination; then there is another one. Who begins to touch somebody, as the world's referee sees it, gets
`TOUCH` less. Nobody's episode ends by itself; after `seconds` it is cut off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gymnasium.spaces import Box

from swerve.city import Simulation, SimulationOptions, Town, load_town
from swerve.city.characters.behaviour import Behaviour
from swerve.city.roads.roads import CONNECTOR
from swerve.city.traffic.behaviours import Drivers, along_way
from swerve.core.errors import require

from .batch import checked_actions, frames_of

FRAME = 0.1  # [s]
TOUCH = 5.0
TURN = 1.0 / 3.0  # of an action from which on it is one to turn
FAR = 2.0  # what a gap is where nobody is, in units of the column
COLUMNS = (
    "speed / 20 m/s",
    "speed limit / 20 m/s",
    "way to the end of the lane / 50 m",
    "inside a junction",
    "where the way goes on there: sine",
    "where the way goes on there: cosine",
    "gap to the vehicle ahead on the lane / 50 m, at most 2",
    "its speed / 20 m/s",
    "gap to the vehicle behind on the lane / 50 m, at most 2",
    "its speed / 20 m/s",
    "aside from the middle of the lane / 2 m",
    "somebody with a siren",
)
MOST = 1_000_000  # vehicles
LIMIT = 10.0


@dataclass(kw_only=True)
class _Wished(Behaviour[Drivers]):
    """Paces as shares (n,) of top speeds, and angles (n,) [rad] to turn by."""

    pace: np.ndarray
    turn: np.ndarray

    def velocity(self, bodies: Drivers, /) -> np.ndarray:
        straight = along_way(bodies, self.pace * bodies.top_speeds)
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.stack(
            [c * straight[:, 0] - s * straight[:, 1], s * straight[:, 0] + c * straight[:, 1]], -1
        )


class CityBatch:
    """`vehicles` in a town (a name, or a `Town`), of which `emergency` have a siren."""

    def __init__(
        self, town: str | Town = "grid", vehicles: int = 50, emergency: int = 0, seconds: float = 60.0
    ):
        require(1 <= vehicles <= MOST, "vehicles", vehicles, f"must be from 1 to {MOST:,}")
        require(0 <= emergency <= vehicles, "emergency", emergency, f"must be from 0 to {vehicles}")
        self.town = load_town(town) if isinstance(town, str) else town
        self.count, self.emergency, self.frames = vehicles, emergency, frames_of(seconds, FRAME)
        self.observation_space = Box(-LIMIT, LIMIT, (len(COLUMNS),), np.float32)
        self.action_space = Box(-1.0, 1.0, (2,), np.float32)
        self.seed = 0
        self.reset(0)

    def reset(self, seed: int | None = None) -> np.ndarray:
        """Everybody somewhere in the town: observations (n, columns). Without a seed, the next one."""
        self.seed = self.seed + 1 if seed is None else seed
        options = SimulationOptions(dt=FRAME)
        simulation = Simulation(self.town, self.count, 0, self.emergency, self.seed, options=options)
        self.world, self.traffic = simulation.world, simulation.traffic
        self._wished = _Wished(pace=np.ones(self.count), turn=np.zeros(self.count))
        self.traffic.behaviours.append(self._wished)
        self.frame = 0
        return self.see()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """Observations (n, columns), rewards (n,), who is over (n,: nobody), and whether all are cut off."""
        actions = checked_actions(actions, (self.count, 2))
        fleet = self.traffic.fleet
        way, arrivals = fleet.odometer.copy(), fleet.arrivals.copy()
        pace = 0.5 + 0.5 * np.clip(actions[:, 0], -1.0, 1.0)
        self._wished.pace = np.where(pace < 1.0, pace * self._allowed(), 1.0)
        self._wished.turn = 0.5 * np.pi * ((actions[:, 1] > TURN) * 1.0 - (actions[:, 1] < -TURN))
        known = len(self.world.contacts)
        self.world.step()
        self.frame += 1
        reward = 0.1 * (fleet.odometer - way) + (fleet.arrivals - arrivals)
        for contact in self.world.contacts[known:]:
            reward[np.isin(self.world.members[0].ids, (contact.a, contact.b))] -= TOUCH
        return self.see(), reward, np.zeros(self.count, bool), self.frame >= self.frames

    def _allowed(self) -> np.ndarray:
        """(n,) shares of top speeds that drivers go at on their lanes, by themselves."""
        fleet, top = self.traffic.fleet, self.traffic.top_speeds
        limit = self.traffic.net.strips["limit"][np.maximum(fleet.strip, 0)] * fleet.limit_share
        return np.minimum(limit / top, 1.0)

    def see(self) -> np.ndarray:
        """What every driver sees (n, columns)."""
        fleet, roads = self.traffic.fleet, self.town.roads
        on = np.maximum(fleet.strip, 0)
        seen = np.zeros((self.count, len(COLUMNS)), np.float32)
        seen[:, 0] = fleet.speed / 20.0
        seen[:, 1] = self.traffic.net.strips["limit"][on] / 20.0
        seen[:, 2] = (roads.length[on] - fleet.station) / 50.0
        seen[:, 3] = roads.kind[on] == CONNECTOR
        after = np.maximum(fleet.next, 0)
        leaving = np.asarray(roads.heading)[roads.first[after + 1] - 1] - fleet.heading
        seen[:, 4], seen[:, 5] = np.sin(leaving), np.cos(leaving)
        seen[:, 6:10] = self._neighbours()
        seen[:, 10] = fleet.lateral / 2.0
        seen[:, 11] = self.emergency > 0 and bool(fleet.emergency.any())
        seen[fleet.strip < 0] = 0.0
        return np.clip(seen, -LIMIT, LIMIT, out=seen)

    def _neighbours(self) -> np.ndarray:
        """(n, 4) gaps and speeds of who is ahead and behind on the same lane."""
        fleet = self.traffic.fleet
        front = fleet.station + fleet.overhang
        order = np.lexsort((front, fleet.strip))
        strip, front, rear = fleet.strip[order], front[order], (front - fleet.length)[order]
        speed = fleet.speed[order] / 20.0
        same = (strip[1:] == strip[:-1]) & (strip[1:] >= 0)
        gap = np.clip((rear[1:] - front[:-1]) / 50.0, 0.0, FAR)
        found = np.tile(np.array([FAR, 0.0, FAR, 0.0]), (self.count, 1))
        found[order[:-1], 0] = np.where(same, gap, FAR)
        found[order[:-1], 1] = np.where(same, speed[1:], 0.0)
        found[order[1:], 2] = np.where(same, gap, FAR)
        found[order[1:], 3] = np.where(same, speed[:-1], 0.0)
        return found


def own_way(seen: np.ndarray) -> np.ndarray:
    """Actions (..., 2) of the town's own drivers: as fast as rules and others allow, to one's destination."""
    return np.tile(np.array([1.0, 0.0], np.float32), (*np.shape(seen)[:-1], 1))
