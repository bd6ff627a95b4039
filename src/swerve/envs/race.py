"""`Race-v0`: a sliding car on a track, one alone or thousands at once in one kernel.

A step is a frame of 0.04 s (4 steps of the physics). The action is (2,) in [−1, 1]: the angle wanted of the
front wheels, positive left (they turn at no more than 4 rad/s), and the pedals, throttle above 0 and brake
below. The observation is `COLUMNS`, then the curvature [1/m, times 20] at `AHEAD` metres before the car. The
reward is the way made along the track [m, divided by 10], less `CRASH` when a corner leaves the road, which
ends the episode, as does crossing the finish of an open track. After `seconds` it is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from swerve.core.errors import require
from swerve.race import load_track
from swerve.race.car import FRAME, CarParameters
from swerve.race.road import lay_out
from swerve.race.sight import LIMIT, SIZE, STATE, observe, race
from swerve.race.track import Track

START_SPEED = 8.0  # [m/s] at most
LEAD = 5.0  # [m] of an open track before the first start

Tracks = str | Track | Sequence[str | Track]


class RaceVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` cars on `tracks` (a name, a track, or several of which each start draws one).

    With `random_start` a car starts anywhere on its track, at up to 8 m/s; else it stands at the beginning.
    A car whose episode has ended starts anew in the next step, whatever its action.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        track: Tracks = "cornered",
        seconds: float = 60.0,
        random_start: bool = True,
        car: CarParameters | None = None,
    ):
        require(num_envs >= 1, "num_envs", num_envs, "must be at least 1")
        require(np.isfinite(seconds) and seconds >= FRAME, "seconds", seconds, f"must be at least {FRAME}")
        given = [track] if isinstance(track, (str, Track)) else list(track)
        require(len(given) >= 1, "track", track, "must be at least one")
        self.tracks = [load_track(one) if isinstance(one, str) else one for one in given]
        self.num_envs, self.random_start = num_envs, random_start
        self.frames = round(seconds / FRAME)
        self.roads = lay_out(self.tracks)
        self._car = (car or CarParameters()).packed()
        self.single_observation_space = Box(-LIMIT, LIMIT, (SIZE,), np.float32)
        self.single_action_space = Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.state = np.zeros((num_envs, STATE))
        self._over = np.zeros(num_envs, bool)
        self._seen = np.zeros((num_envs, SIZE), np.float32)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed if isinstance(seed, int) or seed is None else seed[0])
        self._start(np.arange(self.num_envs))
        self._over[:] = False
        observe(self.roads, self.state, self._seen)
        return self._seen.copy(), {"station": self.state[:, 7].copy()}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        actions = np.asarray(actions, np.float64)
        shape = (self.num_envs, 2)
        require(actions.shape == shape, "actions", actions.shape, f"must be of shape {shape}")
        require(bool(np.isfinite(actions).all()), "actions", None, "must be finite")
        reward = np.zeros(self.num_envs)
        ended = np.zeros(self.num_envs, bool)
        race(self.roads, self.state, actions, self._over, self._car, reward, ended)
        again = np.flatnonzero(self._over)
        self._start(again)
        cut = (self.state[:, 9] >= self.frames) & ~ended
        self._over = ended | cut
        observe(self.roads, self.state, self._seen)
        return self._seen.copy(), reward, ended, cut, {"station": self.state[:, 7].copy()}

    def _start(self, who: np.ndarray) -> None:
        """Put these cars at new starts."""
        if len(who) == 0:
            return
        rng, n = self.np_random, len(who)
        track = rng.integers(len(self.tracks), size=n)
        share, speed = rng.random(n), rng.random(n)
        if not self.random_start:
            share, speed = np.zeros(n), np.zeros(n)
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


class RaceEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """One car: the batch of `RaceVectorEnv` with one in it, which does not start anew by itself."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        track: Tracks = "cornered",
        seconds: float = 60.0,
        random_start: bool = True,
        car: CarParameters | None = None,
    ):
        self.batch = RaceVectorEnv(1, track, seconds, random_start, car)
        self.observation_space = self.batch.single_observation_space
        self.action_space = self.batch.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        seen, info = self.batch.reset(seed=seed)
        return seen[0], {"station": float(info["station"][0])}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        seen, reward, ended, cut, info = self.batch.step(np.asarray(action)[None])
        return seen[0], float(reward[0]), bool(ended[0]), bool(cut[0]), {"station": float(info["station"][0])}
