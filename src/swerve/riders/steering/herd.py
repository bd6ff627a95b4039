"""Herding: every rider wants to be a set distance from its neighbours while all ride the same way.

A rider's wanted place is a weighted mean over its neighbours of the place at the right distance from each, on
the line between the two. The nearest six count, by 1/d⁶: with slower weights those beyond the nearest pull
the herd together (1/d² ends at 3 m when asked for 5). Steering moves a rider sideways, speed ahead and back.

Neighbours move to their places too. A rider that heads for where its place is now always comes late, and what
a whole row is off by then shrinks slowly. So riders aim at where their places will be, as far as what steers
them can foresee it: a map tells what neighbours will do that lean already and have not yet turned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.errors import BadInput, require
from swerve.core.kernels import kernel
from swerve.core.motion import Motion
from swerve.core.plan import Plan, Status
from swerve.core.progress import track
from swerve.core.seeding import generator
from swerve.core.steered import SteeredBodies

from ..maps.trials import DECIDE
from .decide import line_ahead
from .follow import LOOKS, Steering
from .seen import Seen, Watcher

SPACING = 5.0  # [m] between riders, as in the seed
SQUARE = 20.0  # [m] side of the square they start in, for sixteen
NEIGHBOURS = 6  # that a rider minds
LOOK_AROUND = 5  # ticks between two looks for who the neighbours are
FORESEEN = 0.4  # [s] how far ahead; at twice that, foreseen turns answer each other and humans weave
BELIEVED = 0.8  # share of a foreseen move that is made: if all were, groups would never stop drifting
PACE_GAIN = 0.6  # [1/s] speed per metre behind
FASTER, SLOWER = 0.02, 0.06  # at most, as shares of the speed: legs have less to give than brakes
SETTLED = 0.5  # [m] mean position error of a herd that has formed


class Foreseeing(Steering, Protocol):
    """What steers a herd: it also has an idea of where riders will be."""

    def foresee(self, motion: Motion, heading: np.ndarray, seconds: float) -> np.ndarray:
        """(n, 2) places `seconds` from now of riders that were told to head for `heading` (n,) [rad]."""
        ...


@dataclass(frozen=True)
class Herded:
    """What a herd did: `t` (k,) [s]; `error` (k, n) distance of every rider from its wanted place [m];
    `pose` (f, n, 3), `velocity` (f, n, 2), `roll` and `level` (f, n; in full or not) at `frame_times` (f,);
    `fell` (n,); wall time spent on decisions and on everything [s]. `told` (f, n, 2) are the headings [rad]
    and speeds [m/s] that were commanded at the frames; `seen` what else there was to see.
    """

    t: np.ndarray
    error: np.ndarray
    frame_times: np.ndarray
    pose: np.ndarray
    velocity: np.ndarray
    roll: np.ndarray
    level: np.ndarray
    fell: np.ndarray
    deciding: float
    seconds: float
    told: np.ndarray
    seen: Seen

    def plan(self, rider: int = 0) -> Plan:
        """The ride of one rider; its commands too, if a frame was kept for each of them."""
        count = self.pose.shape[1]
        require(0 <= rider < count, "rider", rider, f"must be one of {count}, from 0")
        every = len(self.frame_times) == len(self.t)
        parts = (self.pose[:, rider], self.velocity[:, rider], self.roll[:, rider])
        return Plan(
            Status.STUCK if self.fell[rider] else Status.RAN,
            self.frame_times,
            np.column_stack(parts),
            ("x", "y", "heading", "vx", "vy", "roll"),
            self.told[:-1, rider] if every else np.zeros((0, 0)),
            ("target_heading", "target_speed") if every else (),
            float(self.error[-1, rider]),
            {"last_error": self.error[-1, rider], "riders": count},
            {"wing": "riders", "scene": f"herd of {count}", **LOOKS},
        )

    @property
    def position_error(self) -> np.ndarray:
        """(k,) mean over the riders on their wheels [m]."""
        up = ~self.fell
        return self.error[:, up].mean(axis=1) if up.any() else self.error.mean(axis=1)

    @property
    def settling_time(self) -> float | None:
        """From when on the mean position error stays below 0.5 m; None if it never does."""
        above = np.flatnonzero(self.position_error > SETTLED)
        if len(above) == 0:
            return 0.0
        return float(self.t[above[-1] + 1]) if above[-1] + 1 < len(self.t) else None

    @property
    def decisions_per_second(self) -> float:
        return self.error.size / max(self.deciding, 1e-9)

    @property
    def realtime_factor(self) -> float:
        return float(self.t[-1] + DECIDE) / max(self.seconds, 1e-9)


def scatter(count: int, seed: int, radius: float = 0.9) -> np.ndarray:
    """(n, 3) riders heading +x at random places, 25 m² of room each, none inside another."""
    if count < 1:
        raise BadInput("riders", count, "must be at least 1")
    rng = generator(seed, "herd")
    side = SQUARE * np.sqrt(count / 16)
    places = rng.uniform(0, side, (count, 2))
    for _ in range(200):
        if count == 1:
            break
        near = cKDTree(places).query(places, k=2)[0][:, 1] < 1.5 * radius
        if not near.any():
            break
        places[near] = rng.uniform(0, side, (int(near.sum()), 2))
    return np.column_stack([places - side / 2, np.zeros(count)])


def herd(
    ride: SteeredBodies,
    speed: float,
    steering: Foreseeing,
    starts: np.ndarray,
    seconds: float,
    spacing: float = SPACING,
    threads: int = 1,
    frame: float = DECIDE,
    watch: Callable[[Motion], None] | None = None,
    parts: bool = False,
) -> Herded:
    """Ride `seconds` in direction +x from `starts` (n, 3), each rider minding its neighbours every 0.1 s.

    Frames are kept every `frame` [s]; `watch` is called with the motion before every decision. With
    `parts` the limbs of bodies in full are noted too.
    """
    if len(starts) != len(ride) or not np.isfinite(starts).all():
        raise BadInput("starts", len(starts), f"must be {len(ride)} rows of finite numbers, riders")
    if not (np.isfinite(seconds) and seconds >= DECIDE):
        raise BadInput("seconds", seconds, f"must be at least {DECIDE:g}")
    if not (np.isfinite(spacing) and spacing > 0):
        raise BadInput("spacing", spacing, "must be positive")
    ride.put(*np.asarray(starts, dtype=float).T)
    law = HerdLaw(steering, speed, spacing, threads)
    ticks, keep = round(seconds / DECIDE), max(round(frame / DECIDE), 1)
    error, frames = np.empty((ticks, len(ride))), []
    watcher = Watcher(ride, parts)
    deciding, began = 0.0, perf_counter()
    for k in track(range(ticks), "herding"):
        motion = ride.motion()
        if watch is not None:
            watch(motion)
        started = perf_counter()
        heading, pace, error[k] = law.decide(motion)
        deciding += perf_counter() - started
        if k % keep == 0:
            level = getattr(ride, "in_full", np.zeros(len(ride), dtype=bool))
            place = np.column_stack([motion.x, motion.y, motion.yaw])
            velocity, told = np.column_stack([motion.vx, motion.vy]), np.column_stack([heading, pace])
            frames.append((k * DECIDE, place, velocity, motion.roll, level, told))
            watcher.note(motion)
        ride.advance(heading, pace, DECIDE)
    took = perf_counter() - began
    at, pose, velocity, roll, level, told = (np.array(part) for part in zip(*frames, strict=True))
    fell = ride.motion().fell
    t = np.arange(ticks) * DECIDE
    return Herded(t, error, at, pose, velocity, roll, level, fell, deciding, took, told, watcher.seen())


class HerdLaw:
    """What every rider of a herd does next; it remembers who the neighbours are and who was told what."""

    def __init__(self, steering: Foreseeing, speed: float, spacing: float = SPACING, threads: int = 1):
        self.steering, self.speed, self.spacing, self.threads = steering, speed, spacing, threads
        self.heading: np.ndarray | None = None
        self.neighbours = np.empty((0, 0), dtype=np.int64)
        self.looked = 0

    def decide(self, motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Headings [rad] and speeds [m/s] for the next 0.1 s, and distances [m] from wanted places, (n,)."""
        steering, speed = self.steering, self.speed
        if self.looked % LOOK_AROUND == 0:
            self.neighbours = find_neighbours(motion.x, motion.y, self.threads)
        self.looked += 1
        told = motion.yaw if self.heading is None else self.heading
        ahead, left = wanted_shift(motion.x, motion.y, self.neighbours, self.spacing)
        later = steering.foresee(motion, told, FORESEEN).T
        move = later - (motion.x, motion.y) - (ahead, left)
        move += wanted_shift(later[0], later[1], self.neighbours, self.spacing)
        move -= np.median(move, axis=1, keepdims=True)  # what all do alike brings nobody nearer
        along, across = BELIEVED * move / FORESEEN  # [m/s]
        course = np.arctan2(across, speed)
        reference = line_ahead(motion.x, motion.y + left, course, speed / np.cos(course), steering.ticks)
        self.heading = motion.yaw + steering.turns(motion, reference)
        pace = speed * (1 + np.clip((PACE_GAIN * ahead + along) / speed, -SLOWER, FASTER))
        return self.heading, pace, np.hypot(ahead, left)


def find_neighbours(x: np.ndarray, y: np.ndarray, threads: int = 1) -> np.ndarray:
    """(n, k) the nearest others of every rider; fewer than `NEIGHBOURS` in a small herd."""
    count = min(NEIGHBOURS, len(x) - 1)
    if count < 1:
        return np.empty((len(x), 0), dtype=np.int64)
    places = np.column_stack([x, y])
    found: np.ndarray = cKDTree(places, balanced_tree=False).query(places, k=count + 1, workers=threads)[1]
    return np.ascontiguousarray(found[:, 1:])


def wanted_shift(
    x: np.ndarray, y: np.ndarray, neighbours: np.ndarray, spacing: float
) -> tuple[np.ndarray, np.ndarray]:
    """How far [m] every rider is from its wanted place: along +x (n,) and along +y (n,)."""
    out = np.zeros((2, len(x)))
    _wanted(x, y, neighbours, spacing, out)
    return out[0], out[1]


@kernel
def _wanted(x: np.ndarray, y: np.ndarray, neighbours: np.ndarray, spacing: float, out: np.ndarray) -> None:
    for i in range(len(x)):
        total, ahead, left = 0.0, 0.0, 0.0
        for k in range(neighbours.shape[1]):
            j = neighbours[i, k]
            dx, dy = x[i] - x[j], y[i] - y[j]
            far = max(np.sqrt(dx * dx + dy * dy), 0.1)
            weight = far**-6
            out_by = (spacing - far) / far
            total += weight
            ahead += weight * out_by * dx
            left += weight * out_by * dy
        if total > 0.0:
            out[0, i], out[1, i] = ahead / total, left / total
