"""Following ways: riders in one batch, a decision every 0.1 s, and how far off they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.geometry import wrap
from swerve.core.motion import Motion
from swerve.core.progress import track
from swerve.core.seeding import generator
from swerve.core.steered import Steerable, SteeredBodies

from ..maps.trials import DECIDE
from .curves import Way, Ways


class Steering(Protocol):
    """What chooses turns: a `Navigator`, a `Simple`, or your own."""

    @property
    def ticks(self) -> int:
        """How many tenths of a second it wants to know of the way ahead."""
        ...

    def turns(self, motion: Motion, reference: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Followed:
    """What riders did, every 0.1 s: `t` (k,); `pose` (k, n, 3); `roll`, `aside` [m] and `astray` [rad] (k, n)
    off the way; `judged` (k, n) where a rider was in its corner; `fell` (n,).
    """

    ways: list[Way]
    t: np.ndarray
    pose: np.ndarray
    velocity: np.ndarray
    roll: np.ndarray
    aside: np.ndarray
    astray: np.ndarray
    judged: np.ndarray
    fell: np.ndarray

    @property
    def mean_error(self) -> np.ndarray:
        """(n,) mean distance from the way within the corner [m]."""
        return self._mean(np.abs(self.aside))

    @property
    def max_error(self) -> np.ndarray:
        return np.where(self.judged, np.abs(self.aside), 0.0).max(axis=0)

    @property
    def mean_astray(self) -> np.ndarray:
        """(n,) mean difference from the direction of the way within the corner [rad]."""
        return self._mean(np.abs(self.astray))

    def _mean(self, values: np.ndarray) -> np.ndarray:
        return np.where(self.judged, values, 0.0).sum(axis=0) / np.maximum(self.judged.sum(axis=0), 1)


def follow(
    ride: SteeredBodies, speed: float, ways: Sequence[Way], steering: Steering, starts: np.ndarray
) -> Followed:
    """Ride from `starts` (n, 3), x, y and yaw, along one way each, until all have passed their corner."""
    if not len(ways) == len(starts) == len(ride):
        raise BadInput(
            "starts", len(starts), f"must be one for each of {len(ride)} riders and {len(ways)} ways"
        )
    if not np.isfinite(starts).all():
        raise BadInput("starts", starts.tolist(), "must be finite")
    ride.put(*np.asarray(starts, dtype=float).T)
    lines = Ways(ways)
    ticks = int(1.2 * max(way.length for way in ways) / speed / DECIDE) + 10
    frames: list[tuple[np.ndarray, ...]] = []
    for _ in track(range(ticks), "riding"):
        motion = ride.motion()
        along, aside = lines.locate(motion.x, motion.y)
        reference = lines.ahead(speed, max(steering.ticks, 1))
        heading_here = lines.points[lines.at.astype(int), 2]
        astray = wrap(motion.yaw - heading_here)
        judged = (along >= lines.corner[:, 0]) & (along <= lines.corner[:, 1]) & ~motion.fell
        place = np.column_stack([motion.x, motion.y, motion.yaw])
        velocity = np.column_stack([motion.vx, motion.vy])
        frames.append((place, velocity, motion.roll, aside, astray, judged))
        if (motion.fell | (along >= np.minimum(lines.corner[:, 1] + speed, _ends(ways)))).all():
            break
        turn = steering.turns(motion, reference)
        ride.advance(motion.yaw + turn, np.full(len(ride), speed), DECIDE)
    pose, velocity, roll, off, astray, judged = (np.array(part) for part in zip(*frames, strict=True))
    t = np.arange(len(frames)) * DECIDE
    return Followed(list(ways), t, pose, velocity, roll, off, astray, judged, ride.motion().fell)


def starts_beside(ways: Sequence[Way], seed: int, spread: float = 0.5) -> np.ndarray:
    """(n, 3) a start a way: up to `spread` [m] beside its beginning, and up to 0.05 rad astray."""
    rng = generator(seed, "starts")
    aside, astray = rng.uniform(-spread, spread, len(ways)), rng.uniform(-0.05, 0.05, len(ways))
    first = np.array([way.points[0] for way in ways])
    x = first[:, 0] - aside * np.sin(first[:, 2])
    y = first[:, 1] + aside * np.cos(first[:, 2])
    return np.column_stack([x, y, first[:, 2] + astray])


def follow_in_full(
    body: Steerable,
    ways: Sequence[Way],
    steering: Steering,
    seed: int = 0,
    threads: int = 1,
    spread: float = 0.5,
) -> Followed:
    """`follow` with bodies in full physics, from random starts of that seed within `spread` [m]."""
    ride = body.start(len(ways), threads)
    return follow(ride, body.speed, ways, steering, starts_beside(ways, seed, spread))


def _ends(ways: Sequence[Way]) -> np.ndarray:
    return np.array([way.length - 0.5 for way in ways])
