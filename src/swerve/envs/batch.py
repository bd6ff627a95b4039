"""What environments of one agent have in common: many of them in one batch of arrays, and one as a batch of
one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from swerve.core.errors import require

Info = dict[str, Any]
DRAWS = 3  # numbers of chance that a start may take
STEP = np.uint64(0x9E3779B97F4A7C15)


class BatchEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` bodies whose episodes are cut off after `frames`; who is over starts anew in the next step,
    whatever its action."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(self, num_envs: int, observation: Box, action: Box, frames: int):
        whole = isinstance(num_envs, int | np.integer) and num_envs >= 1
        require(whole, "num_envs", num_envs, "must be at least 1, and whole")
        require(frames >= 1, "seconds", frames, "must be at least one frame; frames")
        self.num_envs, self.frames = num_envs, frames
        self.single_observation_space, self.single_action_space = observation, action
        self.observation_space = batch_space(observation, num_envs)
        self.action_space = batch_space(action, num_envs)
        self._over = np.zeros(num_envs, bool)
        self._seeds: np.ndarray | None = None  # (n,) of everybody's own chance, from the first reset on
        self._starts = np.zeros(num_envs, np.uint64)  # since those were given

    @abstractmethod
    def _start(self, who: np.ndarray, drawn: np.ndarray) -> None:
        """Put these bodies (k,) at new starts, by their own chance: `drawn` (k, DRAWS) in [0, 1)."""

    @abstractmethod
    def _move(self, actions: np.ndarray, skip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A frame of all but those to be skipped (n,): rewards and who has come to an end (n,)."""

    @abstractmethod
    def _see(self) -> tuple[np.ndarray, Info]:
        """A fresh array of observations, and what else is told of every body."""

    @abstractmethod
    def _ages(self) -> np.ndarray:
        """(n,) frames since everybody's start."""

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None
    ) -> tuple[np.ndarray, Info]:
        """Everybody at a new start, or only those of `options["reset_mask"]` (n,). Body i starts as the only
        one of a batch does with its own seed: `seed[i]`, or `seed + i`; with none it goes on drawing."""
        seeds = self._own_seeds(seed)
        super().reset(seed=next((s for s in seeds if s is not None), None))
        if self._seeds is None:
            self._seeds = self.np_random.integers(2**63, size=self.num_envs, dtype=np.uint64)
        for k, own in enumerate(seeds):
            if own is not None:
                self._seeds[k], self._starts[k] = own, 0
        mask = (options or {}).get("reset_mask")
        chosen = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask, bool)
        require(chosen.shape == (self.num_envs,), "reset_mask", chosen.shape, "must be one flag a body")
        self._begin(np.flatnonzero(chosen))
        return self._see()

    def _own_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """Everybody's."""
        if seed is None or isinstance(seed, int | np.integer):
            seeds = [None if seed is None else int(seed) + k for k in range(self.num_envs)]
        else:
            seeds = list(seed) if isinstance(seed, Sequence | np.ndarray) else []
            require(len(seeds) == self.num_envs, "seed", seed, f"must be one, or {self.num_envs}")
        for own in seeds:
            fine = own is None or (isinstance(own, int | np.integer) and 0 <= own < 2**63)
            require(fine, "seed", own, "must be a whole number from 0 to 2**63 - 1")
        return seeds

    def _begin(self, who: np.ndarray) -> None:
        """New starts of these."""
        if len(who):
            assert self._seeds is not None
            self._start(who, drawn_by(self._seeds[who], self._starts[who]))
            self._starts[who] += np.uint64(1)
            self._over[who] = False

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Info]:
        if self._seeds is None:
            raise gymnasium.error.ResetNeeded("reset comes before the first step")
        actions = checked_actions(actions, (self.num_envs, *(self.single_action_space.shape or ())))
        reward, ended = self._move(actions, self._over)
        self._begin(np.flatnonzero(self._over))
        cut = (self._ages() >= self.frames) & ~ended
        self._over = ended | cut
        seen, info = self._see()
        return seen, reward, ended, cut, info

    def restart(self) -> np.ndarray:
        """Start who is over anew at once, not in the next step, as some learners want it: observations."""
        self._begin(np.flatnonzero(self._over))
        return self._see()[0]


class OneEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """One body: a batch with one in it, which does not start anew by itself."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, batch: BatchEnv):
        self.batch = batch
        self.observation_space = batch.single_observation_space
        self.action_space = batch.single_action_space

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[np.ndarray, Info]:
        super().reset(seed=seed)
        seen, info = self.batch.reset(seed=seed)
        return seen[0], {name: float(value[0]) for name, value in info.items()}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, Info]:
        seen, reward, ended, cut, info = self.batch.step(np.asarray(action)[None])
        told = {name: float(value[0]) for name, value in info.items()}
        return seen[0], float(reward[0]), bool(ended[0]), bool(cut[0]), told


def drawn_by(seeds: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(k, DRAWS) numbers in [0, 1) by seeds (k,) and counts of starts (k,) alone: SplitMix64."""
    word = _mixed(_mixed(seeds.astype(np.uint64) + STEP)[:, None] + STEP * starts[:, None])
    word = _mixed(word + STEP * np.arange(1, DRAWS + 1, dtype=np.uint64))
    return np.asarray((word >> np.uint64(11)) * 2.0**-53)


def _mixed(word: np.ndarray) -> np.ndarray:
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(word ^ (word >> np.uint64(31)))


def checked_actions(actions: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Actions as numbers that a batch can be moved by, or an error that says what they are."""
    actions = np.asarray(actions, np.float64)
    require(actions.shape == shape, "actions", actions.shape, f"must be of shape {shape}")
    require(bool(np.isfinite(actions).all()), "actions", None, "must be finite")
    return actions


def frames_of(seconds: float, frame: float) -> int:
    """Steps of `frame` [s] in so many seconds, if there is at least one."""
    fine = isinstance(seconds, int | float | np.number) and bool(np.isfinite(seconds)) and seconds >= frame
    require(fine, "seconds", seconds, f"must be at least {frame:g}")
    return round(seconds / frame)
