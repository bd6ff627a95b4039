"""Other cars: boxes that keep their lane and speed, so that where they will be can be predicted.

Poses of all cars for all frames of a run are worked out at once; a planner looks them up, it never steps
them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput, require
from swerve.core.seeding import generator

from .car import FRAME, HEIGHT, LENGTH, WIDTH
from .others import Others
from .track import Loop, Track

CLOSEST = 3 * LENGTH  # [m] from car to car in a crowded lane
MISSES = 2000  # places tried in vain after which a road counts as full
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

    def others(self) -> Others:
        """The cars as a search sees them."""
        heading = self.poses[..., 2]
        poses = np.stack([self.poses[..., 0], self.poses[..., 1], np.cos(heading), np.sin(heading)], axis=-1)
        return Others(poses, np.tile([self.length, self.width], (self.cars, 1)))


def no_traffic(frames: int = 2) -> Traffic:
    return Traffic(np.zeros((0, frames, 3)))


@dataclass(frozen=True)
class Starts:
    """Where cars (n,) begin: `loop` (n,) the number of the loop that each goes round, −1 in a lane; `at` (n,)
    [m] round the loop or along the track, `offset` (n,) from its middle, and `speed` (n,) [m/s].
    """

    track: Track
    loops: tuple[Loop, ...]
    loop: np.ndarray
    at: np.ndarray
    offset: np.ndarray
    speed: np.ndarray

    def __len__(self) -> int:
        return len(self.at)

    def poses(self, at: np.ndarray, offset: np.ndarray) -> np.ndarray:
        """Poses (n, frames, 3) of the cars when they are `at` (n, frames), `offset` (n, frames) beside their
        loop or the middle of the track.
        """
        poses = np.empty((*at.shape, 3))
        for k, loop in enumerate(self.loops):
            mine = self.loop == k
            poses[mine] = around_loop(self.track, loop, at[mine], offset[mine])
        mine = self.loop < 0
        s = at[mine]
        poses[mine] = self.track.pose(s, offset[mine])
        if not self.track.closed:
            gone = (s < 0) | (s > self.track.length - 1.0)
            poses[mine] = np.where(gone[..., None] & [True, True, False], FAR, poses[mine])
        return poses


def drive_lanes(track: Track, frames: int, seed: int, cars: int | None = None, dt: float = FRAME) -> Traffic:
    """Cars in the track's lanes and loops, with places and speeds drawn from `seed` (`line_up`)."""
    starts = line_up(track, seed, cars)
    t = np.arange(frames) * dt
    at = starts.at[:, None] + starts.speed[:, None] * t
    return Traffic(starts.poses(at, np.broadcast_to(starts.offset[:, None], at.shape)))


def line_up(track: Track, seed: int, cars: int | None = None) -> Starts:
    """By default as many cars as lanes and loops hold; fewer `cars` are a random choice of them, more drive
    closer together. On a track without lanes they drive at random places.
    """
    require(cars is None or cars >= 0, "cars", cars, "must not be negative")
    if track.lanes:
        starts, closer = _in_lanes(track, seed), 1.0
        while cars is not None and len(starts) < cars:
            closer *= min(0.97, len(starts) / cars)
            if closer * min(lane.spacing for lane in track.lanes) < CLOSEST:
                raise BadInput("cars", cars, f"the road is full with about {len(starts)} of them")
            starts = _in_lanes(track, seed, closer)
    else:
        rows = np.array(_anywhere(track, cars or 0, generator(seed, "traffic"))).reshape(-1, 3)
        starts = Starts(track, (), np.full(len(rows), -1), *rows.T)
    if cars is not None and cars < len(starts):
        chosen = np.sort(generator(seed, "traffic", "some").permutation(len(starts))[:cars])
        columns = starts.loop, starts.at, starts.offset, starts.speed
        starts = Starts(track, starts.loops, *(column[chosen] for column in columns))
    return starts


def _in_lanes(track: Track, seed: int, closer: float = 1.0) -> Starts:
    """Cars in all loops and lanes, at `closer` times their spacing."""
    rng = generator(seed, "traffic")
    round_: list[tuple[float, float, float, float]] = []
    along: list[tuple[float, float, float, float]] = []
    loops: list[Loop] = []
    for lane in track.lanes:
        speed, spacing = lane.speed * rng.uniform(0.9, 1.1), lane.spacing * closer
        if isinstance(lane, Loop):
            count = max(1, int(length_of(lane) / spacing))
            first = length_of(lane) * (np.arange(count) + rng.uniform(-0.2, 0.2, count)) / count
            round_ += [(len(loops), u, 0.0, speed) for u in first]
            loops.append(lane)
            continue
        places = np.arange(lane.first, min(lane.last, track.length - 20.0), spacing)
        places = places + rng.uniform(-0.3, 0.3, len(places)) * spacing
        along += [(-1, s, lane.offset, speed) for s in places]
    loop, at, offset, speeds = np.array([*round_, *along]).reshape(-1, 4).T
    return Starts(track, tuple(loops), loop.astype(int), at, offset, speeds)


def length_of(loop: Loop) -> float:
    """[m] once round."""
    return 2 * (loop.stop - loop.start + np.pi * abs(loop.up - loop.down) / 2)


def around_loop(track: Track, loop: Loop, at: np.ndarray, beside: np.ndarray) -> np.ndarray:
    """Poses (n, frames, 3) of cars `at` (n, frames) [m] on a stadium in the road's own coordinates: up, half
    a circle, down, half a circle; `beside` (n, frames) to their left of it.
    """
    radius = abs(loop.up - loop.down) / 2
    straight = loop.stop - loop.start
    arc = np.pi * radius
    u = at % length_of(loop)
    side = np.sign(loop.down - loop.up)
    middle = (loop.up + loop.down) / 2
    top, bottom = (u - straight) / radius, (u - 2 * straight - arc) / radius
    where = [u < straight, u < straight + arc, u < 2 * straight + arc]
    s = np.select(
        where,
        [loop.start + u, loop.stop + radius * np.sin(top), loop.stop - (u - straight - arc)],
        loop.start - radius * np.sin(bottom),
    )
    offset = np.select(
        where,
        [np.full_like(u, loop.up), middle - side * radius * np.cos(top), np.full_like(u, loop.down)],
        middle + side * radius * np.cos(bottom),
    )
    turn = np.select(
        where, [np.zeros_like(u), side * top, np.full_like(u, side * np.pi)], side * (np.pi + bottom)
    )
    phase = 2 * np.pi * loop.waves * (s - loop.start) / straight
    swaying = (s >= loop.start) & (s <= loop.stop)
    offset = offset + np.where(swaying, loop.sway * (1 - np.cos(phase)) / 2, 0.0)
    slope = np.where(swaying, np.pi * loop.waves / straight * loop.sway * np.sin(phase), 0.0)
    poses = track.pose(s, offset)
    heading = poses[..., 2] = np.unwrap(poses[..., 2] + turn + np.arctan(slope), axis=1)
    poses[..., :2] += beside[..., None] * np.stack([-np.sin(heading), np.cos(heading)], axis=-1)
    return poses


def _anywhere(track: Track, cars: int, rng: np.random.Generator) -> list[tuple[float, float, float]]:
    """Start, offset and speed of cars at random places in four strips of the road.

    Those in one strip share a speed, so none runs into another.
    """
    strips = np.linspace(-1, 1, 4) * max(0.0, min(track.left.min(), track.right.min()) - WIDTH)
    speeds = rng.uniform(8.0, 14.0, len(strips))
    rows: list[tuple[float, float, float]] = []
    misses = 0
    while len(rows) < cars:
        strip = int(rng.integers(len(strips)))
        s, offset, speed = float(rng.uniform(60.0, track.length - 30.0)), strips[strip], speeds[strip]
        same = [row for row in rows if abs(row[1] - offset) < WIDTH + 0.6]
        if all(abs(row[0] - s) > 4 * LENGTH and abs(row[2] - speed) < 1e-9 for row in same):
            rows.append((s, float(offset), float(speed)))
            misses = 0
            continue
        misses += 1
        if misses > MISSES:
            raise BadInput("cars", cars, f"the road is full with {len(rows)} of them")
    return rows
