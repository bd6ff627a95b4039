"""Two riders on ways that cross: whether they see each other in time, and what becomes of them if not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from swerve.core.seeding import generator
from swerve.core.steered import SteeredBodies
from swerve.core.way import Way
from swerve.core.world import World

from .follow import Steering
from .minds import PathRiders

ANGLES = (0.7, 2.4)  # [rad] between the ways
BEFORE = (35.0, 50.0)  # [m] from the crossing, where riders start
LATE = 0.05  # [s] at most between their arrivals, if neither slows down
LENGTH = 200.0  # [m] of a way


def crossing(
    one: Callable[[], SteeredBodies], speed: float, steering: Steering, seed: int, careful: bool = True
) -> World:
    """Two riders at `speed` [m/s], each from `one()`, that would meet in the middle of a crossing at a random
    angle; only those who are `careful` look where others are going."""
    rng = generator(seed, "crossing")
    angle = rng.uniform(*ANGLES) * rng.choice([-1.0, 1.0])
    start = rng.uniform(*BEFORE)
    late = speed * rng.uniform(-LATE, LATE)
    world = World()
    for name, heading, place in (("first", 0.0, start), ("second", angle, start + late)):
        ahead = np.array([np.cos(heading), np.sin(heading)])
        way = Way.through(np.outer([-LENGTH / 2, LENGTH / 2], ahead), right=2.0, left=2.0)
        ride = one()
        ride.put(*way.place(np.array([LENGTH / 2 - place]), 0.0).T)
        world.add(ride, PathRiders(steering, way, 0.0, speed) if careful else None, name, watch=True)
    return world


def outcome(world: World) -> dict[str, Any]:
    """Contacts, falls and the least distance [m] between the two."""
    fell = [bool(member.bodies.motion().fell.any()) for member in world.members]
    gap = min(member.least_gap for member in world.members)
    return {"contacts": len(world.contacts), "falls": sum(fell), "least_gap": float(gap)}
