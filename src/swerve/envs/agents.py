"""PettingZoo's parallel interface over a batch whose every body is an agent.

    from swerve.envs import parallel
    env = parallel("Herd-v0", riders=16)
    seen, info = env.reset(seed=1)
    seen, reward, ended, cut, info = env.step({name: env.action_space(name).sample() for name in env.agents})

The batches themselves, `CityBatch` and `HerdBatch`, do the same for all agents at once, without dictionaries.
They need `pip install 'swerve[envs]'`.
"""

from __future__ import annotations

from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from pettingzoo import ParallelEnv

from swerve.core.errors import require


class Batch(Protocol):
    """Agents of a kind, all at once."""

    count: int
    observation_space: Box
    action_space: Box

    def reset(self, seed: int | None = None) -> np.ndarray: ...

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]: ...


class Parallel(ParallelEnv[str, np.ndarray, np.ndarray]):
    """A batch as an environment of agents `kind`_0, `kind`_1 and so on. Who is over goes; the rest go on.
    Who is given no action has one of zeros."""

    def __init__(self, name: str, kind: str, batch: Batch):
        self.metadata = {"name": name, "render_modes": [], "is_parallelizable": True}
        self.batch = batch
        self.possible_agents = [f"{kind}_{k}" for k in range(batch.count)]
        self.agents: list[str] = []
        self._rows = {agent: k for k, agent in enumerate(self.possible_agents)}
        self._begun = False

    def observation_space(self, agent: str) -> Box:
        return self.batch.observation_space

    def action_space(self, agent: str) -> Box:
        return self.batch.action_space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, dict[str, Any]]]:
        self.agents, self._begun = list(self.possible_agents), True
        seen = self.batch.reset(seed)
        return dict(zip(self.agents, seen, strict=True)), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, np.ndarray]
    ) -> tuple[
        dict[str, np.ndarray],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        if not self._begun:
            raise gymnasium.error.ResetNeeded("reset comes before the first step")
        table = np.zeros((self.batch.count, *self.batch.action_space.shape))
        for agent, action in actions.items():
            require(agent in self._rows, "actions", agent, "names nobody; agent")
            given = np.asarray(action, float)
            require(
                given.shape == table.shape[1:],
                f"action of {agent}",
                given.shape,
                f"must be {table.shape[1:]}",
            )
            table[self._rows[agent]] = given
        seen, reward, ended, cut = self.batch.step(table)
        rows = [(agent, self._rows[agent]) for agent in self.agents]
        self.agents = [agent for agent, k in rows if not ended[k] and not cut]
        return (
            {agent: seen[k] for agent, k in rows},
            {agent: float(reward[k]) for agent, k in rows},
            {agent: bool(ended[k]) for agent, k in rows},
            {agent: cut and not ended[k] for agent, k in rows},
            {agent: {} for agent, _ in rows},
        )
