"""Batches of ours as stable-baselines3 wants them: of one agent each, and of many agents in one world."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from lives import Lives
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from swerve.envs.agents import Batch as World
from swerve.envs.batch import BatchEnv


class Rows(VecEnv):
    """What both have in common: who is over starts anew within the same step."""

    def __init__(self, held, count, seen, acts):
        self.held = held
        super().__init__(count, seen, acts)

    def begin(self):
        self.total, self.steps = np.zeros(self.num_envs), np.zeros(self.num_envs, int)

    def step_async(self, actions):
        self.actions = actions

    def told(self, seen, reward, over, late):
        """What stable-baselines3 wants to know of those that are over."""
        infos = [{} for _ in range(self.num_envs)]
        self.total += reward
        self.steps += 1
        for k in np.flatnonzero(over):
            episode = {"r": self.total[k], "l": int(self.steps[k]), "t": time.time()}
            infos[k] = {
                "terminal_observation": seen[k], "TimeLimit.truncated": bool(late[k]), "episode": episode
            }  # fmt: skip
        self.total[over], self.steps[over] = 0.0, 0
        return infos

    def close(self):
        pass

    def get_attr(self, attr_name, indices=None):
        return [getattr(self.held, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name, value, indices=None):
        setattr(self.held, attr_name, value)

    def env_method(self, method_name, *args, indices=None, **kwargs):
        return [getattr(self.held, method_name)(*args, **kwargs)]

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * self.num_envs


class Batch(Rows):
    """Many of one agent each, side by side."""

    def __init__(self, batch: BatchEnv, seed: int):
        self.seed_of_first = seed
        super().__init__(batch, batch.num_envs, batch.single_observation_space, batch.single_action_space)

    def reset(self):
        self.begin()
        return self.held.reset(seed=self.seed_of_first)[0]

    def step_wait(self):
        seen, reward, ended, cut, _ = self.held.step(self.actions)
        over = ended | cut
        infos = self.told(seen, reward, over, cut)
        return (self.held.restart() if over.any() else seen), reward.astype(np.float32), over, infos


class Agents(Rows):
    """All agents of some worlds, who learn one policy."""

    def __init__(self, worlds: Sequence[World], seed: int):
        self.lives = Lives(worlds, seed)
        one = worlds[0]
        super().__init__(one, self.lives.count, one.observation_space, one.action_space)

    def reset(self):
        self.begin()
        return self.lives.reset()

    def step_wait(self):
        now = self.lives.step(self.actions)
        self.counted = now.counted
        self.steps -= ~now.counted
        infos = self.told(now.last, now.reward, now.done, now.late)
        return now.seen, now.reward.astype(np.float32), now.done, infos


class Counted(RolloutBuffer):
    """What is learned from: nothing of agents that are over and wait for their world to start anew."""

    def __init__(self, *args, agents: Agents, **settings):
        self.agents, self.chance = agents, np.random.default_rng(0)
        super().__init__(*args, **settings)

    def reset(self):
        super().reset()
        self.counted = np.zeros((self.buffer_size, self.n_envs), bool)

    def add(self, *given):
        self.counted[self.pos] = self.agents.counted
        super().add(*given)

    def get(self, batch_size=None):
        next(super().get(1))  # lays the rows of all agents one after another
        kept = self.chance.permutation(np.flatnonzero(self.swap_and_flatten(self.counted)))
        size = batch_size or len(kept)
        for first in range(0, len(kept), size):
            yield self._get_samples(kept[first : first + size])


class Until(BaseCallback):
    """Ends training after some seconds of CPU time."""

    def __init__(self, seconds: float):
        super().__init__()
        self.end = time.process_time() + seconds

    def _on_step(self) -> bool:
        return time.process_time() < self.end
