"""What learners are told of agents that share a world and end at different times."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

from swerve.envs import HerdBatch, parallel

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "learning"))
from lives import Lives


class Scripted:
    """Agent k is over after `ends[k]` steps; all are cut off after `frames`. What is seen is the start's
    number, the agent and the step."""

    def __init__(self, ends, frames):
        self.ends, self.frames, self.count, self.starts = np.array(ends), frames, len(ends), []

    def reset(self, seed):
        self.starts.append(seed)
        self.step_of = 0
        return self.see()

    def see(self):
        k = np.arange(self.count)
        return np.stack([0 * k + len(self.starts), k, 0 * k + self.step_of], -1).astype(float)

    def step(self, actions):
        self.step_of += 1
        return self.see(), np.ones(self.count), self.step_of >= self.ends, self.step_of >= self.frames


def test_an_episode_ends_once_and_nothing_counts_until_the_next():
    world = Scripted([1, 3, 99], 4)
    lives = Lives([world], seed=10)
    lives.reset()
    said = [lives.step(np.zeros((3, 1))) for _ in range(8)]
    one = {
        "done": [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]],
        "late": [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]],
        "counted": [[1, 1, 1], [0, 1, 1], [0, 1, 1], [0, 0, 1]],
    }
    for name, rows in one.items():
        np.testing.assert_array_equal([getattr(now, name) for now in said], np.array(rows + rows, bool))
    np.testing.assert_array_equal([now.reward for now in said], np.array(one["counted"] * 2, float))
    assert world.starts == [11, 12, 13]
    for k, now in enumerate(said):
        np.testing.assert_array_equal(now.last[:, 2], k % 4 + 1)  # also where a new start is seen
        np.testing.assert_array_equal(now.seen[:, 2], (k + 1) % 4)
        np.testing.assert_array_equal(now.seen[:, 0], 1 + (k + 1) // 4)


def test_a_world_starts_anew_when_all_in_it_are_over_whatever_the_others_do():
    worlds = [Scripted([2, 1], 9), Scripted([9, 9], 3)]
    lives = Lives(worlds, seed=0)
    lives.reset()
    done = np.array([lives.step(np.zeros((4, 1))).done for _ in range(6)])
    assert done.sum(axis=0).tolist() == [3, 3, 2, 2]
    assert len(worlds[0].starts) == 4 and len(worlds[1].starts) == 3


def test_a_herd_whose_riders_fall_one_by_one_is_told_as_its_agents_are():
    """Against PettingZoo's interface, in which who is over is gone."""
    lives, env = Lives([HerdBatch(riders=6, seconds=8.0)], seed=3), parallel("Herd-v0", riders=6, seconds=8.0)
    lives.reset()
    env.reset(seed=4)
    rng, ended_at = np.random.default_rng(0), {}
    for k in range(80):
        if k % 10 == 5 and k < 40:  # one more falls
            for batch in (lives.worlds[0], env.batch):
                batch.riders.fell[k // 10] = True
        actions = rng.uniform(-1, 1, (6, 2))
        names = list(env.agents)
        told, reward, ended, cut, _ = env.step({n: actions[int(n[6:])] for n in names})
        now = lives.step(actions)
        rows = [int(name[6:]) for name in names]
        assert np.flatnonzero(now.counted).tolist() == rows
        assert now.reward[rows].tolist() == list(reward.values())
        assert now.done[rows].tolist() == [ended[n] or cut[n] for n in names]
        assert now.late[rows].tolist() == [cut[n] for n in names]
        np.testing.assert_array_equal(now.last[rows], np.stack(list(told.values())))
        ended_at |= {name: k for name in names if ended[name]}
    assert len(set(ended_at.values())) >= 3 and not env.agents and not lives.over.any()
    np.testing.assert_array_equal(now.seen, HerdBatch(riders=6, seconds=8.0).reset(5))
