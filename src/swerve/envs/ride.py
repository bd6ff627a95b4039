"""`Ride-v0`: a cyclist on a mobility map who is to keep to a path, one alone or thousands at once.

A step is 0.1 s. An action (2,) in [−1, 1] is the turn that is wanted (`TURN` to either side, positive left)
and the pace, `SLOWER` below to `FASTER` above the rider's own. An observation is `COLUMNS`, then the
curvature of the path [1/m, times 20] at `AHEAD` metres before the rider. The reward is the way made along the
path [m, divided by 10] less the square of the distance to it [m], at most 1; and less `FALL` for falling or
being `ASTRAY` of it, which ends the episode, as does the end of the path. After `seconds` it is cut off.
"""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box

from swerve.core.errors import require
from swerve.core.geometry import wrap
from swerve.core.way import Way
from swerve.riders import Glide, curve, load_map, load_tuned
from swerve.riders.maps.trials import DECIDE
from swerve.riders.steering.ways import led_back

from .batch import BatchEnv, Info, OneEnv, frames_of
from .herd import FALL, FASTER, SLOWER, TURN

ASTRAY = 4.0  # [m]
BESIDE = 0.5  # [m] of the path at most, at the start
LAST = 5.0  # [m] before the end of an open path, where it counts as ridden
STARTS = 0.5  # of an open path in which riders start
AHEAD = np.array([2.0, 5.0, 9.0, 14.0, 20.0, 28.0])
COLUMNS = (
    "speed / 10 m/s",
    "lean [rad]",
    "yaw rate [rad/s]",
    "lean rate [rad/s]",
    "to the left of the path / 4 m",
    "heading against the path: sine",
    "heading against the path: cosine",
)
LIMIT = 10.0


class RideVectorEnv(BatchEnv):
    """`num_envs` riders of a shipped body (`human`, `alien`), each alone on the path: one of the seven curves
    of the experiment by number, or a way."""

    def __init__(self, num_envs: int = 1, path: int | Way = 3, body: str = "human", seconds: float = 30.0):
        require(isinstance(path, int | Way), "path", path, "must be the number of a curve, or a way")
        size = len(COLUMNS) + len(AHEAD)
        space = Box(-LIMIT, LIMIT, (size,), np.float32)
        super().__init__(num_envs, space, Box(-1.0, 1.0, (2,), np.float32), frames_of(seconds, DECIDE))
        self.map, self.body = load_map(body), body
        self.way: Way = curve(path, self.map.speed) if isinstance(path, int) else path
        self.riders = Glide(self.map, num_envs)
        self.station, self.offset = np.zeros(num_envs), np.zeros(num_envs)
        self.age = np.zeros(num_envs, np.int64)

    def _start(self, who: np.ndarray, drawn: np.ndarray) -> None:
        share, beside = drawn[:, 0], BESIDE * (2.0 * drawn[:, 1] - 1.0)
        self.station[who] = share * self.way.length * (1.0 if self.way.closed else STARTS)
        self.offset[who], self.age[who] = beside, 0
        fresh = Glide(self.map, len(who))
        fresh.put(*self.way.place(self.station[who], beside)[:, :3].T)
        self.riders.take(who, fresh.motion())
        self.riders.told[who] = fresh.told

    def _move(self, actions: np.ndarray, skip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        wanted, riders = np.clip(actions, -1.0, 1.0), self.riders
        pace = np.where(wanted[:, 1] < 0, SLOWER, FASTER) * wanted[:, 1]
        riders.advance(riders.pose[:, 2] + TURN * wanted[:, 0], self.map.speed * (1.0 + pace), DECIDE)
        self.age += 1
        before = self.station
        station, self.offset = self.way.locate(riders.pose[:, :2], before)
        if self.way.closed:
            station = station + self.way.length * np.round((before - station) / self.way.length)
        self.station = station
        lost = riders.fell | (np.abs(self.offset) > ASTRAY)
        done = np.zeros_like(lost) if self.way.closed else station >= self.way.length - LAST
        reward = 0.1 * (station - before) - np.minimum(self.offset**2, 1.0) - FALL * lost
        return np.where(skip, 0.0, reward), (lost | done) & ~skip

    def _see(self) -> tuple[np.ndarray, Info]:
        riders, way = self.riders, self.way
        seen = np.empty((self.num_envs, len(COLUMNS) + len(AHEAD)), np.float32)
        seen[:, 0] = np.hypot(*riders.velocity.T) / 10.0
        seen[:, 1:4] = riders.state
        seen[:, 4] = self.offset / ASTRAY
        askew = wrap(riders.pose[:, 2] - way.place(self.station)[:, 2])
        seen[:, 5], seen[:, 6] = np.sin(askew), np.cos(askew)
        seen[:, len(COLUMNS) :] = 20.0 * way.at(way.curvature, self.station[:, None] + AHEAD)
        return np.clip(seen, -LIMIT, LIMIT, out=seen), {"station": self.station.copy()}

    def _ages(self) -> np.ndarray:
        return self.age


class RideEnv(OneEnv):
    """One rider, with the settings of `RideVectorEnv`."""

    batch: RideVectorEnv

    def __init__(self, path: int | Way = 3, body: str = "human", seconds: float = 30.0):
        super().__init__(RideVectorEnv(1, path, body, seconds))


class RideExpert:
    """The riders' own navigator as an agent: it looks at the batch, not at observations."""

    def __init__(self, batch: RideVectorEnv):
        self.batch = batch
        self.navigator = load_tuned(batch.body).navigator(batch.map, "path")

    def __call__(self) -> np.ndarray:
        """Actions (n, 2)."""
        batch, motion = self.batch, self.batch.riders.motion()
        later = DECIDE * np.arange(1, max(self.navigator.ticks, 1) + 1)
        pace = np.maximum(motion.speed, 2.0)
        ahead = batch.way.place(batch.station[:, None] + pace[:, None] * later)[..., :3]
        turn = self.navigator.turns(motion, led_back(self.navigator, ahead, batch.offset, pace))
        return np.clip(np.stack([turn / TURN, np.zeros(len(turn))], -1), -1.0, 1.0)
