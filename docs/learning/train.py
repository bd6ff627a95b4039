"""Train a driver of `Race-v0` with PPO of stable-baselines3, and hold it against the steady driver, and
against the best of many settings of a pure pursuit, on tracks that it has not seen.

    pip install 'swerve[envs]' stable-baselines3
    python docs/learning/train.py --minutes 20 --out driver.zip
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from batches import Batch, Until
from stable_baselines3 import PPO

from swerve.bench.pursuit import best_pursuit
from swerve.envs import RaceVectorEnv, steady
from swerve.race.car import FRAME
from swerve.race.track import Track
from swerve.race.tracks import generate

CARS, ROLL = 64, 128
SEEN, UNSEEN = range(100, 116), range(900, 908)  # seeds of tracks


def drive(act: Callable[[np.ndarray], np.ndarray]) -> tuple[float, int]:
    """Metres a second of 64 cars in 30 s on the unseen tracks, and how often one left the road."""
    many = RaceVectorEnv(64, [generate(seed=k) for k in UNSEEN], seconds=30.0)
    seen, _ = many.reset(seed=1)
    way, off = 0.0, 0
    for _ in range(many.frames):
        seen, reward, ended, *_ = many.step(act(seen))
        left = ended & (reward < -1.0)
        way, off = way + 10.0 * float(reward.sum()) + 50.0 * int(left.sum()), off + int(left.sum())
    return way / (many.num_envs * 30.0), off


def seconds(act: Callable[[np.ndarray], np.ndarray], track: Track) -> float:
    """[s] from a stand at the beginning of a track to its finish; infinite for who leaves the road."""
    many = RaceVectorEnv(1, track, seconds=200.0, random_start=False)
    seen, _ = many.reset(seed=0)
    for frame in range(1, many.frames + 1):
        seen, reward, ended, *_ = many.step(act(seen))
        if ended[0]:
            return frame * FRAME if reward[0] > -1.0 else np.inf
    return np.inf


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--minutes", type=float, default=20.0, help="of CPU time")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--out", default="driver.zip")
    given = asked.parse_args()
    batch = Batch(RaceVectorEnv(CARS, [generate(seed=k) for k in SEEN], seconds=30.0), given.seed)
    settings = {"n_steps": ROLL, "batch_size": 1024, "n_epochs": 6, "gamma": 0.98, "learning_rate": 5e-4}
    policy = {"log_std_init": -0.7, "net_arch": [64, 64]}
    model = PPO("MlpPolicy", batch, seed=given.seed, device="cpu", policy_kwargs=policy, **settings)
    model.learn(1_000_000_000, Until(60.0 * given.minutes))
    model.save(given.out)
    compare(lambda seen: model.predict(seen, deterministic=True)[0])
    print(f"{model.num_timesteps:,} steps of training")


def compare(trained: Callable[[np.ndarray], np.ndarray]) -> None:
    """Print how drivers fare on the unseen tracks."""
    for name, act in (("steady", steady), ("trained", trained)):
        pace, off = drive(act)
        print(f"{name}: {pace:.2f} m/s, off the road {off} times")
    for seed in UNSEEN:
        track = generate(seed=seed)
        times = seconds(trained, track), best_pursuit(track), seconds(steady, track)
        print(f"track {seed}: trained {times[0]:.2f} s, pursuit {times[1]:.2f} s, steady {times[2]:.2f} s")


if __name__ == "__main__":
    main()
