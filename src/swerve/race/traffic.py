"""Other cars: boxes that keep their lane and speed, so that where they will be can be predicted.

Poses of all cars for all frames of a run are worked out at once; a planner looks them up, it never steps
them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.errors import require
from swerve.core.seeding import generator

from .car import FRAME, HEIGHT, LENGTH, WIDTH
from .track import Track

FAR = 1e6  # [m] where a car is that has left the track


@dataclass(frozen=True)
class Traffic:
    """`poses` (cars, frames, 3) x, y, heading of every car at every frame; all have the same outline."""

    poses: np.ndarray
    length: float = LENGTH
    width: float = WIDTH
    height: float = HEIGHT

    @property
    def cars(self) -> int:
        return self.poses.shape[0]

    @property
    def frames(self) -> int:
        return self.poses.shape[1]

    @property
    def radius(self) -> float:
        """Of the circle around an outline [m]."""
        return float(np.hypot(self.length, self.width) / 2)

    def stray(self, frames: int) -> float:
        """The most that the step of any point of a car differs from the car's mean step over `frames` [m]."""
        steps = np.diff(self.poses[..., :2], axis=1)
        there = np.hypot(*np.moveaxis(steps, -1, 0)) < 100.0  # a car that leaves the track vanishes
        change = np.hypot(*np.moveaxis(np.diff(steps, axis=1), -1, 0))
        change = change[there[:, 1:] & there[:, :-1]].max(initial=0.0)
        turn = np.abs((np.diff(self.poses[..., 2], axis=1) + np.pi) % (2 * np.pi) - np.pi)
        return float(frames * change + self.radius * turn[there].max(initial=0.0))

    def packed(self) -> np.ndarray:
        """(cars, frames, 4) x, y, cosine and sine of the heading, for kernels."""
        heading = self.poses[..., 2]
        return np.ascontiguousarray(
            np.stack([self.poses[..., 0], self.poses[..., 1], np.cos(heading), np.sin(heading)], axis=-1)
        )


def no_traffic(frames: int = 2) -> Traffic:
    return Traffic(np.zeros((0, frames, 3)))


def drive_lanes(track: Track, frames: int, seed: int, cars: int | None = None) -> Traffic:
    """Cars in the track's lanes, with places and speeds drawn from `seed`.

    By default as many as the lanes hold; `cars` takes that many of them, evenly, or adds cars at random
    places between the lanes' ends when there are not enough.
    """
    require(cars is None or cars >= 0, "cars", cars, "must not be negative")
    rng = generator(seed, "traffic")
    rows = []
    for lane in track.lanes:
        last = min(lane.last, track.length - 20.0)
        places = np.arange(lane.first, last, lane.spacing)
        places = places + rng.uniform(-0.3, 0.3, len(places)) * lane.spacing
        speed = lane.speed * rng.uniform(0.9, 1.1)
        rows += [(s, lane.offset, speed) for s in places]
    table = np.array(rows).reshape(-1, 3)
    if cars is not None:
        if cars <= len(table):
            table = table[np.sort(rng.permutation(len(table))[:cars])]
        else:
            table = _with_more(track, table, cars, rng)
    t = np.arange(frames) * FRAME
    s = table[:, :1] + table[:, 2:] * t
    poses = track.pose(s, np.broadcast_to(table[:, 1:2], s.shape))
    if not track.closed:
        poses[(s < 0) | (s > track.length - 1.0), :2] = FAR
    return Traffic(poses)


def _with_more(track: Track, table: np.ndarray, cars: int, rng: np.random.Generator) -> np.ndarray:
    """Add cars at random places; those in one strip of the road share a speed, so none runs into another."""
    strips = np.linspace(-1, 1, 4)
    speeds = rng.uniform(8.0, 14.0, len(strips))
    rows = [tuple(row) for row in table]
    for _ in range(200 * cars):
        if len(rows) >= cars:
            break
        strip = int(rng.integers(len(strips)))
        s = float(rng.uniform(60.0, track.length - 30.0))
        i = int(np.searchsorted(track.s, s)) - 1
        reach = min(track.left[i], track.right[i]) - WIDTH
        offset = float(strips[strip] * reach)
        same = [row for row in rows if abs(row[1] - offset) < WIDTH + 0.6]
        if all(abs(row[0] - s) > 4 * LENGTH and abs(row[2] - speeds[strip]) < 1e-9 for row in same):
            rows.append((s, offset, float(speeds[strip])))
    return np.array(rows).reshape(-1, 3)
