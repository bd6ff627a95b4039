"""Environments for learning: Gymnasium's and PettingZoo's interfaces over our batches.

    import gymnasium
    one = gymnasium.make("swerve.envs:Race-v0", track="cornered")
    many = gymnasium.make_vec("swerve.envs:Race-v0", num_envs=1024, vectorization_mode="vector_entry_point")

    from swerve.envs import parallel
    town = parallel("City-v0", vehicles=50)

Importing this registers Gymnasium's. They need `pip install 'swerve[envs]'`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gymnasium

from swerve.core.errors import BadInput, require

from .chase import ChaseBatch, ChaseExpert
from .city import CityBatch, own_way
from .expert import steady
from .herd import HerdBatch, HerdExpert
from .minigolf import MinigolfEnv, MinigolfExpert, MinigolfVectorEnv
from .race import RaceEnv, RaceVectorEnv
from .ride import RideEnv, RideExpert, RideVectorEnv
from .soccer import SoccerEnv, SoccerExpert, SoccerVectorEnv

if TYPE_CHECKING:
    from .agents import Parallel

__all__ = [
    "ChaseBatch",
    "ChaseExpert",
    "CityBatch",
    "HerdBatch",
    "HerdExpert",
    "MinigolfEnv",
    "MinigolfExpert",
    "MinigolfVectorEnv",
    "RaceEnv",
    "RaceVectorEnv",
    "RideEnv",
    "RideExpert",
    "RideVectorEnv",
    "SoccerEnv",
    "SoccerExpert",
    "SoccerVectorEnv",
    "own_way",
    "parallel",
    "steady",
]

BATCHES = {
    "Chase-v0": ("car", ChaseBatch),
    "City-v0": ("vehicle", CityBatch),
    "Herd-v0": ("rider", HerdBatch),
}

for _name in ("Minigolf", "Race", "Ride", "Soccer"):
    _module = f"swerve.envs.{_name.lower()}:{_name}"
    gymnasium.register(f"{_name}-v0", entry_point=f"{_module}Env", vector_entry_point=f"{_module}VectorEnv")


def parallel(name: str, **settings: object) -> Parallel:
    """PettingZoo's parallel environment of that name, with the settings of its batch."""
    require(name in BATCHES, "environment", name, f"must be one of {', '.join(BATCHES)}")
    try:
        from .agents import Parallel
    except ModuleNotFoundError as error:
        raise BadInput(name, None, "pettingzoo is not installed; pip install 'swerve[envs]'") from error
    kind, batch = BATCHES[name]
    return Parallel(name, kind, batch(**settings))
