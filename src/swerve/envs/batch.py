"""What environments of one agent have in common: many of them in one batch of arrays, and one as a batch of
one."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from swerve.core.errors import require

Info = dict[str, Any]


class BatchEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` bodies whose episodes are cut off after `frames`; who is over starts anew in the next step,
    whatever its action."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(self, num_envs: int, observation: Box, action: Box, frames: int):
        require(num_envs >= 1, "num_envs", num_envs, "must be at least 1")
        require(frames >= 1, "seconds", frames, "must be at least one frame; frames")
        self.num_envs, self.frames = num_envs, frames
        self.single_observation_space, self.single_action_space = observation, action
        self.observation_space = batch_space(observation, num_envs)
        self.action_space = batch_space(action, num_envs)
        self._over = np.zeros(num_envs, bool)

    @abstractmethod
    def _start(self, who: np.ndarray) -> None:
        """Put these bodies (k,) at new starts, drawn from `np_random`; none of them is old."""

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
        self, *, seed: int | list[int | None] | None = None, options: Info | None = None
    ) -> tuple[np.ndarray, Info]:
        super().reset(seed=seed if isinstance(seed, int) or seed is None else seed[0])
        self._start(np.arange(self.num_envs))
        self._over[:] = False
        return self._see()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Info]:
        actions = checked_actions(actions, (self.num_envs, *(self.single_action_space.shape or ())))
        reward, ended = self._move(actions, self._over)
        again = np.flatnonzero(self._over)
        if len(again):
            self._start(again)
        cut = (self._ages() >= self.frames) & ~ended
        self._over = ended | cut
        seen, info = self._see()
        return seen, reward, ended, cut, info

    def restart(self) -> np.ndarray:
        """Start who is over anew at once, not in the next step, as some learners want it: observations."""
        again = np.flatnonzero(self._over)
        if len(again):
            self._start(again)
            self._over[:] = False
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


def checked_actions(actions: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Actions as numbers that a batch can be moved by, or an error that says what they are."""
    actions = np.asarray(actions, np.float64)
    require(actions.shape == shape, "actions", actions.shape, f"must be of shape {shape}")
    require(bool(np.isfinite(actions).all()), "actions", None, "must be finite")
    return actions
