"""Batches of ours as stable-baselines3 wants them: of one agent each, and of many agents in one world."""

from __future__ import annotations

import time

import numpy as np
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
    """All agents of one world, who learn one policy. Who is over stays there until the world starts anew;
    what it sees and does until then counts for nothing."""

    def __init__(self, world: World, seed: int):
        self.next_seed = seed
        super().__init__(world, world.count, world.observation_space, world.action_space)

    def reset(self):
        self.begin()
        self.over = np.zeros(self.num_envs, bool)
        self.next_seed += 1
        return self.held.reset(self.next_seed)

    def step_wait(self):
        seen, reward, ended, cut = self.held.step(self.actions)
        reward = np.where(self.over, 0.0, reward)
        done = (ended & ~self.over) | cut
        late = done & ~ended
        infos = self.told(seen, reward, done, late)
        self.over |= ended
        if cut or self.over.all():
            seen, done = self.reset(), np.ones(self.num_envs, bool)
            for info in infos:
                info.setdefault("terminal_observation", seen[0])
        return seen, reward.astype(np.float32), done, infos


class Until(BaseCallback):
    """Ends training after some seconds."""

    def __init__(self, seconds: float):
        super().__init__()
        self.end = time.monotonic() + seconds

    def _on_step(self) -> bool:
        return time.monotonic() < self.end
