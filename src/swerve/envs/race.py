"""`Race-v0`: a sliding car on a track, one alone or thousands at once in one kernel.

A step is a frame of 0.04 s (4 steps of the physics). The action is (2,) in [−1, 1]: the angle wanted of the
front wheels, positive left (they turn at no more than 4 rad/s), and the pedals, throttle above 0 and brake
below. The observation is `COLUMNS`, then the curvature [1/m, times 20] at `AHEAD` metres before the car. The
reward is the way made along the track [m, divided by 10], less `CRASH` when a corner leaves the road, which
ends the episode, as does crossing the finish of an open track. After `seconds` it is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium.spaces import Box

from swerve.core.errors import require
from swerve.race import load_track
from swerve.race.car import FRAME, CarParameters
from swerve.race.road import lay_out
from swerve.race.sight import LIMIT, SIZE, STATE, observe, race
from swerve.race.track import Track

from .batch import BatchEnv, Info, OneEnv, frames_of

START_SPEED = 8.0  # [m/s] at most
LEAD = 5.0  # [m] of an open track before the first start

Tracks = str | Track | Sequence[str | Track]


class RaceVectorEnv(BatchEnv):
    """`num_envs` cars on `tracks` (a name, a track, or several of which each start draws one).

    With `random_start` a car starts anywhere on its track, at up to 8 m/s; else it stands at the beginning.
    """

    def __init__(
        self,
        num_envs: int = 1,
        track: Tracks = "cornered",
        seconds: float = 60.0,
        random_start: bool = True,
        car: CarParameters | None = None,
    ):
        given = (
            [track] if isinstance(track, (str, Track)) else list(track) if isinstance(track, Sequence) else []
        )
        fine = bool(given) and all(isinstance(one, str | Track) for one in given)
        require(fine, "track", track, "must be at least one name or track")
        self.tracks = [load_track(one) if isinstance(one, str) else one for one in given]
        space = Box(-LIMIT, LIMIT, (SIZE,), np.float32)
        super().__init__(num_envs, space, Box(-1.0, 1.0, (2,), np.float32), frames_of(seconds, FRAME))
        self.random_start, self.roads = random_start, lay_out(self.tracks)
        self._car = (car or CarParameters()).packed()
        self.state = np.zeros((num_envs, STATE))

    def _move(self, actions: np.ndarray, skip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        reward, ended = np.zeros(self.num_envs), np.zeros(self.num_envs, bool)
        race(self.roads, self.state, actions, skip, self._car, reward, ended)
        return reward, ended

    def _see(self) -> tuple[np.ndarray, Info]:
        seen = np.empty((self.num_envs, SIZE), np.float32)
        observe(self.roads, self.state, seen)
        return seen, {"station": self.state[:, 7].copy()}

    def _ages(self) -> np.ndarray:
        return self.state[:, 9]

    def _start(self, who: np.ndarray, drawn: np.ndarray) -> None:
        track = (len(self.tracks) * drawn[:, 0]).astype(int)
        share, speed = drawn[:, 1:3].T if self.random_start else np.zeros((2, len(who)))
        room = np.where(self.roads.closed[track], self.roads.finish[track], 0.8 * self.roads.finish[track])
        station = LEAD + share * (room - LEAD)
        for k in np.unique(track):
            rows = track == k
            pose = self.tracks[k].pose(station[rows])
            self.state[who[rows], :3] = pose
        heading, pace = self.state[who, 2], START_SPEED * speed
        self.state[who, 3], self.state[who, 4] = pace * np.cos(heading), pace * np.sin(heading)
        self.state[who, 5:7] = 0.0
        self.state[who, 7], self.state[who, 8], self.state[who, 9] = station, track, 0.0


class RaceEnv(OneEnv):
    """One car, with the settings of `RaceVectorEnv`."""

    batch: RaceVectorEnv

    def __init__(
        self,
        track: Tracks = "cornered",
        seconds: float = 60.0,
        random_start: bool = True,
        car: CarParameters | None = None,
    ):
        super().__init__(RaceVectorEnv(1, track, seconds, random_start, car))
