"""Following ways: riders in one batch, a decision every 0.1 s, and how far off they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.geometry import wrap
from swerve.core.motion import Motion
from swerve.core.plan import Plan, Status
from swerve.core.progress import track
from swerve.core.seeding import generator
from swerve.core.steered import Steerable, SteeredBodies

from ..maps.trials import DECIDE
from .curves import Way, Ways
from .seen import Seen, Watcher

LOOKS = {  # of a plan that is drawn
    "kind": "cyclist",
    "size": (1.7, 0.6, 1.7),
    "units": {"aside": "m", "astray": "rad", "turn": "rad", "target_speed": "m/s", "target_heading": "rad"},
}


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
    off the way; `judged` (k, n) where a rider was in its corner; `fell` (n,); `turn` (k − 1, n) [rad] the
    command from each time to the next, at `speed` [m/s]; `seen` what else there was to see.
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
    turn: np.ndarray
    speed: float
    seen: Seen

    def plan(self, rider: int = 0) -> Plan:
        """The ride of one rider: place, velocity, lean, how far off its way; commanded turns and speed."""
        require(0 <= rider < len(self.ways), "rider", rider, f"must be one of {len(self.ways)}, from 0")
        pose, velocity = self.pose[:, rider], self.velocity[:, rider]
        off = (self.roll[:, rider], self.aside[:, rider], self.astray[:, rider])
        turn = self.turn[:, rider]
        return Plan(
            Status.STUCK if self.fell[rider] else Status.SOLVED,
            self.t,
            np.column_stack([pose, velocity, *off]),
            ("x", "y", "heading", "vx", "vy", "roll", "aside", "astray"),
            np.column_stack([turn, np.full(len(turn), self.speed)]),
            ("turn", "target_speed"),
            float(self.mean_error[rider]),
            {"mean_error": self.mean_error[rider], "max_error": self.max_error[rider]},
            {"wing": "riders", **LOOKS, "lines": [self.ways[rider].line()], "scene": self.ways[rider].name},
        )

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
    ride: SteeredBodies,
    speed: float,
    ways: Sequence[Way],
    steering: Steering,
    starts: np.ndarray,
    parts: bool = False,
) -> Followed:
    """Ride from `starts` (n, 3), x, y and yaw, along one way each, until all have passed their corner.

    With `parts` the limbs of bodies in full are noted too.
    """
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
    turns: list[np.ndarray] = []
    watcher = Watcher(ride, parts)
    for _ in track(range(ticks), "riding"):
        motion = ride.motion()
        watcher.note(motion)
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
        turns.append(steering.turns(motion, reference))
        ride.advance(motion.yaw + turns[-1], np.full(len(ride), speed), DECIDE)
    pose, velocity, roll, off, astray, judged = (np.array(part) for part in zip(*frames, strict=True))
    t = np.arange(len(frames)) * DECIDE
    given = np.array(turns[: len(t) - 1]).reshape(-1, len(ride))
    fell, seen = ride.motion().fell, watcher.seen()
    return Followed(list(ways), t, pose, velocity, roll, off, astray, judged, fell, given, speed, seen)


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
