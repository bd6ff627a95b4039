"""Train an agent of any environment with PPO of stable-baselines3, and hold what it gains in an episode
against agents of chance, one that has learned nothing yet and the expert, on seeds and layouts that it has
not seen.

    pip install 'swerve[envs]' stable-baselines3
    python docs/learning/train_any.py Minigolf-v0 --minutes 10 --out golfer.zip

Race-v0 has a script of its own, `train.py`, which also measures laps.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from batches import Agents, Batch, Counted, Until
from stable_baselines3 import PPO

from swerve import envs

SEEN, UNSEEN = range(1, 1001), range(7001, 7051)  # layouts of golf and soccer
FRESH = 90_000  # seed of what is measured
Act = Callable[[np.ndarray], np.ndarray]
ONE = {  # of one agent each: to train on, to measure on, the expert
    "Race-v0": (lambda n, _: envs.RaceVectorEnv(n, seconds=30.0), lambda batch: envs.steady),
    "Ride-v0": (lambda n, _: envs.RideVectorEnv(n), lambda batch: _alone(envs.RideExpert(batch))),
    "Minigolf-v0": (
        lambda n, layouts: envs.MinigolfVectorEnv(n, layouts=layouts),
        lambda batch: _alone(envs.MinigolfExpert(batch)),
    ),
    "Soccer-v0": (
        lambda n, layouts: envs.SoccerVectorEnv(n, layouts=layouts),
        lambda batch: _alone(envs.SoccerExpert(batch)),
    ),
}
MANY = {  # of many in one world
    "Herd-v0": (lambda: envs.HerdBatch(16, seconds=30.0), lambda batch: _alone(envs.HerdExpert(batch))),
    "City-v0": (lambda: envs.CityBatch(vehicles=50, seconds=30.0), lambda batch: envs.own_way),
    "Chase-v0": (
        lambda: envs.ChaseBatch(4, vehicles=30, people=6, cyclists=2, metres=300.0, seconds=40.0),
        lambda batch: _alone(envs.ChaseExpert(batch)),
    ),
}


def _alone(expert: Callable[[], np.ndarray]) -> Act:
    """An expert that looks at the batch, as one that is shown observations."""
    return lambda seen: expert()


def gained_side_by_side(batch: Any, make: Callable[[Any], Act]) -> float:
    """Mean reward of the first episodes of a batch."""
    seen, _ = batch.reset(seed=FRESH)
    act, total, over = make(batch), np.zeros(batch.num_envs), np.zeros(batch.num_envs, bool)
    while not over.all():
        seen, reward, ended, cut, _ = batch.step(act(seen))
        total += np.where(over, 0.0, reward)
        over |= ended | cut
    return float(total.mean())


def gained_in_one_world(world: Any, make: Callable[[Any], Act]) -> float:
    """Mean reward of an episode of a world's agents, over four starts."""
    gained = []
    for seed in range(FRESH, FRESH + 4):
        seen, cut = world.reset(seed), False
        act, total, over = make(world), np.zeros(world.count), np.zeros(world.count, bool)
        while not (cut or over.all()):
            seen, reward, ended, cut = world.step(act(seen))
            total += np.where(over, 0.0, reward)
            over |= ended
        gained.append(total.mean())
    return float(np.mean(gained))


def by_chance(batch: Any) -> Act:
    """An agent of chance."""
    rng, width = (
        np.random.default_rng(FRESH),
        getattr(batch, "single_action_space", batch.action_space).shape[0],
    )
    return lambda seen: rng.uniform(-1.0, 1.0, (len(seen), width))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    asked.add_argument("environment", choices=[*ONE, *MANY])
    asked.add_argument("--minutes", type=float, default=10.0, help="of CPU time")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument(
        "--agents", type=int, default=64, help="side by side, where an agent has a world of its own"
    )
    asked.add_argument("--worlds", type=int, default=4, help="side by side, where many agents share one")
    asked.add_argument("--out", default="agent.zip")
    given = asked.parse_args()
    settings: dict[str, Any] = {"n_steps": 128, "n_epochs": 6, "gamma": 0.99, "learning_rate": 5e-4}
    settings |= {"policy_kwargs": {"log_std_init": -0.7}}  # chance small against the range of actions
    if given.environment in ONE:
        make, expert = ONE[given.environment]
        held, measure = Batch(make(given.agents, SEEN), given.seed), gained_side_by_side
        fresh = lambda: make(32, UNSEEN)  # noqa: E731
    else:
        fresh, expert = MANY[given.environment]
        held, measure = Agents([fresh() for _ in range(given.worlds)], given.seed), gained_in_one_world
        settings |= {"rollout_buffer_class": Counted, "rollout_buffer_kwargs": {"agents": held}}
    size = min(1024, settings["n_steps"] * held.num_envs)
    model = PPO("MlpPolicy", held, seed=given.seed, device="cpu", batch_size=size, **settings)
    learned = lambda batch: lambda seen: model.predict(seen, deterministic=True)[0]  # noqa: E731
    rows = {"by chance": by_chance, "untrained": learned, "expert": expert}
    gained = {name: measure(fresh(), who) for name, who in rows.items()}
    model.learn(1_000_000_000, Until(60.0 * given.minutes))
    model.save(given.out)
    gained["trained"] = measure(fresh(), learned)
    for name, most in gained.items():
        print(f"{given.environment}, {name}: {most:.2f} an episode")
    print(f"{model.num_timesteps:,} steps of training")


if __name__ == "__main__":
    main()
