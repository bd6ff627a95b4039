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
from swerve.core.kernels import kernel
from swerve.race import load_track
from swerve.race.car import (
    FRAME,
    LENGTH,
    MAX_DRIVE,
    MAX_STEER,
    MAX_STEER_RATE,
    SUBSTEPS,
    WIDTH,
    CarParameters,
    advance,
)
from swerve.race.track import Track

from .road import Roads, follow, lay_out, value_at

COLUMNS = (
    "forward speed / 20 m/s",
    "speed to the left / 20 m/s",
    "yaw rate [rad/s] / 2",
    "front wheels / 0.6 rad",
    "heading against the track: sine",
    "heading against the track: cosine",
    "room to the left edge / 10 m",
    "room to the right edge / 10 m",
)
AHEAD = np.array([4.0, 8.0, 14.0, 20.0, 28.0, 38.0, 50.0, 65.0, 85.0])
SIZE = len(COLUMNS) + len(AHEAD)
LIMIT = 10.0  # no number of an observation is larger
CRASH = 5.0
START_SPEED = 8.0  # [m/s] at most
LEAD = 5.0  # [m] of an open track before the first start
STATE = 10  # x, y, heading, vx, vy, yaw rate, front wheels, station, track, frames

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


@kernel
def race(
    roads: Roads,
    state: np.ndarray,
    actions: np.ndarray,
    skip: np.ndarray,
    car: np.ndarray,
    reward: np.ndarray,
    ended: np.ndarray,
) -> None:
    """A frame of every car that is not to be skipped: `state` (n, STATE) moves on."""
    dt = FRAME / SUBSTEPS
    reach = MAX_STEER_RATE * dt
    for i in range(len(state)):
        if skip[i]:
            continue
        k, before = int(state[i, 8]), state[i, 7]
        wanted = min(1.0, max(-1.0, actions[i, 0])) * MAX_STEER
        pedal = min(1.0, max(-1.0, actions[i, 1])) * MAX_DRIVE
        wheel = state[i, 6]
        s = (state[i, 0], state[i, 1], state[i, 2], state[i, 3], state[i, 4], state[i, 5])
        for _ in range(SUBSTEPS):
            wheel = min(wheel + reach, max(wheel - reach, wanted))
            s = advance(s, wheel, max(pedal, 0.0), max(-pedal, 0.0), False, dt, car)
        for j in range(6):
            state[i, j] = s[j]
        state[i, 6] = wheel
        station, offset, heading = follow(roads, k, s[0], s[1], before)
        state[i, 7] = station
        state[i, 9] += 1.0
        askew = s[2] - heading
        half = 0.5 * (WIDTH * abs(np.cos(askew)) + LENGTH * abs(np.sin(askew)))
        off = offset + half > value_at(roads, k, 4, station) or half - offset > value_at(roads, k, 5, station)
        reward[i] = 0.1 * (station - before) - (CRASH if off else 0.0)
        ended[i] = off or (not roads.closed[k] and station >= roads.finish[k])


@kernel
def observe(roads: Roads, state: np.ndarray, out: np.ndarray) -> None:
    """What every car sees, into `out` (n, SIZE)."""
    known = len(COLUMNS)
    for i in range(len(state)):
        k, station, heading = int(state[i, 8]), state[i, 7], state[i, 2]
        c, s = np.cos(heading), np.sin(heading)
        road = value_at(roads, k, 2, station)
        dx = state[i, 0] - value_at(roads, k, 0, station)
        dy = state[i, 1] - value_at(roads, k, 1, station)
        offset = np.cos(road) * dy - np.sin(road) * dx
        out[i, 0] = (c * state[i, 3] + s * state[i, 4]) / 20.0
        out[i, 1] = (c * state[i, 4] - s * state[i, 3]) / 20.0
        out[i, 2] = state[i, 5] / 2.0
        out[i, 3] = state[i, 6] / MAX_STEER
        out[i, 4], out[i, 5] = np.sin(heading - road), np.cos(heading - road)
        out[i, 6] = (value_at(roads, k, 4, station) - offset) / 10.0
        out[i, 7] = (value_at(roads, k, 5, station) + offset) / 10.0
        for j in range(len(AHEAD)):
            out[i, known + j] = 20.0 * value_at(roads, k, 3, station + AHEAD[j])
        for j in range(known + len(AHEAD)):
            out[i, j] = min(LIMIT, max(-LIMIT, out[i, j]))
