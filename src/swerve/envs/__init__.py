"""Environments for learning: Gymnasium's interface over our batches.

    import gymnasium
    one = gymnasium.make("swerve.envs:Race-v0", track="cornered")
    many = gymnasium.make_vec("swerve.envs:Race-v0", num_envs=1024, vectorization_mode="vector_entry_point")

Importing this registers them. They need `pip install 'swerve[envs]'`.
"""

from __future__ import annotations

import gymnasium

from .expert import steady
from .race import RaceEnv, RaceVectorEnv

__all__ = ["RaceEnv", "RaceVectorEnv", "steady"]

gymnasium.register(
    "Race-v0",
    entry_point="swerve.envs.race:RaceEnv",
    vector_entry_point="swerve.envs.race:RaceVectorEnv",
)
