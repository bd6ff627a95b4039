"""Agents of worlds as rows of one table: who counts, who is over, and what was last seen of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from swerve.envs.agents import Batch as World


class Moment(NamedTuple):
    """What a step gives of every row (n,)."""

    seen: np.ndarray  # (n, columns), of a new start where the world starts anew
    reward: np.ndarray
    done: np.ndarray  # whose episode ends in this step: once an episode
    late: np.ndarray  # of those, who was only cut off
    last: np.ndarray  # (n, columns) what this step led to, before any new start
    counted: np.ndarray  # who was in an episode; of the others nothing means anything


class Lives:
    """All agents of `worlds`. Who is over stays in its world, counts for nothing and ends no further episode
    until that world starts anew, which it does when it is cut off or all in it are over."""

    def __init__(self, worlds: Sequence[World], seed: int):
        self.worlds, self.next_seed = worlds, seed
        ends = np.cumsum([world.count for world in worlds])
        self.rows = [slice(end - world.count, end) for end, world in zip(ends, worlds, strict=True)]
        self.count = int(ends[-1])

    def reset(self) -> np.ndarray:
        self.over = np.zeros(self.count, bool)
        return np.concatenate([self._begin(world) for world in self.worlds])

    def _begin(self, world: World) -> np.ndarray:
        self.next_seed += 1
        return world.reset(self.next_seed)

    def step(self, actions: np.ndarray) -> Moment:
        parts = [self._moment(*one, actions) for one in zip(self.worlds, self.rows, strict=True)]
        return Moment(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _moment(self, world: World, rows: slice, actions: np.ndarray) -> Moment:
        last, reward, ended, cut = world.step(actions[rows])
        counted = ~self.over[rows]
        done = counted & (ended | cut)
        self.over[rows] |= ended
        seen = last
        if cut or self.over[rows].all():
            seen, self.over[rows] = self._begin(world), False
        return Moment(seen, np.where(counted, reward, 0.0), done, done & ~ended, last, counted)
