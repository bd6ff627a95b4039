"""The trials a mobility map is made of: a swinging ride to collect states, then turns out of each of them.

States cannot be set at will: leaning, steering and turning hang together. So they are collected while the
body swings from side to side, and every one is kept as a snapshot from which the body can go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.motion import Motion
from swerve.core.progress import track
from swerve.core.steered import Steerable, SteeredBodies

DECIDE = 0.1  # [s] between two commands, as in the seed
FOOT = 2.0  # [m/s] below which nobody balances: a rider that is to be slower puts a foot down
BATCH = 250  # bodies simulated at a time


@dataclass(frozen=True)
class Moments:
    """Snapshots (n, size) of a body under way and its state there (n, 4), as `state_of` tells it."""

    snapshots: np.ndarray
    states: np.ndarray

    def __len__(self) -> int:
        return len(self.states)

    def pick(self, rows: np.ndarray) -> Moments:
        return Moments(self.snapshots[rows], self.states[rows])


@dataclass(frozen=True)
class Tracks:
    """Where trials led, seen from their start: `pose` (n, m, 3) x, y, yaw; `velocity` (n, m, 3) forward,
    leftward and yaw rate; `lean` (n, m, 2) roll (or slip) and its rate; `fell` (n,) the time of the fall [s]
    or inf.

    The m samples are `dt` [s] apart; after a fall they repeat the last one on the wheels.
    """

    dt: float
    pose: np.ndarray
    velocity: np.ndarray
    lean: np.ndarray
    fell: np.ndarray


def state_names(sideways: str) -> tuple[str, str, str]:
    """What a state is told by besides its speed: for a rider that leans roll, yaw rate and roll rate; `slip`
    for one that slides instead."""
    return sideways, "yaw_rate", f"{sideways}_rate"


def begin(body: Steerable, count: int, threads: int, speed: float) -> SteeredBodies:
    """A batch that rides straight on at `speed` [m/s]; only bodies that know several can have another than
    their nominal one."""
    if speed == body.speed:
        return body.start(count, threads)
    start: Callable[..., SteeredBodies] = body.start
    return start(count, threads, speed)


def state_of(motion: Motion) -> np.ndarray:
    """(n, 4) roll, yaw rate, roll rate and speed; of bodies that slide, slip and its rate in place of the
    lean's."""
    if "slip" in motion.extras:
        sideways, rate = motion.extras["slip"], motion.extra("slip_rate")
    else:
        sideways, rate = motion.extras.get("map_roll", motion.roll), motion.roll_rate
    return np.column_stack([sideways, motion.yaw_rate, rate, motion.speed])


def swing(
    body: Steerable,
    amplitudes: Sequence[float] | np.ndarray,
    states: int,
    period: float,
    threads: int = 1,
    speed: float | None = None,
) -> Moments:
    """Ride sinusoidal headings of `amplitudes` [rad], and sample `states` moments evenly from one `period`
    [s] of them, at `speed` [m/s] or the nominal one; the states are shared out among the amplitudes. A ride
    that falls gives none.
    """
    amplitudes = np.asarray(amplitudes, dtype=float)
    speed = body.speed if speed is None else speed
    ride = begin(body, len(amplitudes), threads, speed)
    each = -(-states // len(amplitudes))
    times = period * np.arange(each) / each
    pace, now, taken = np.full(len(amplitudes), speed), -1.5 * period, 0
    snapshots, found = [], []
    while taken < each:
        until = min(_next_command(now), times[taken])
        heading = amplitudes * np.sin(2 * np.pi * (np.floor(now / DECIDE + 1e-6) * DECIDE) / period)
        until = now + max(round((until - now) / ride.period), 1) * ride.period
        ride.advance(heading, pace, until - now)
        now = until
        if now >= times[taken] - 1e-9 - ride.period / 2:
            motion = ride.motion()
            snapshots.append(ride.snapshot())
            found.append(np.column_stack([state_of(motion), motion.fell]))
            taken += 1
    rows = np.concatenate(found)
    upright = np.flatnonzero((rows[:, -1] == 0) & np.isfinite(rows).all(axis=1))
    if len(upright) == 0:
        raise BadInput(f"body {body.name}", list(amplitudes), "falls on every sinusoidal ride of amplitudes")
    kept = upright[np.linspace(0, len(upright) - 1, min(states, len(upright))).round().astype(int)]
    return Moments(np.concatenate(snapshots)[kept], rows[kept, :-1])


def wander(
    body: Steerable,
    states: int,
    rng: np.random.Generator,
    riders: int = 20,
    threads: int = 1,
    every: float = 0.7,
    speed: float | None = None,
) -> Moments:
    """Moments from rides with random changes of heading: what a body meets in use, and no sinusoid.

    Every rider gets a new command within its range after a random while; moments are `every` [s] apart.
    """
    speed = body.speed if speed is None else speed
    ride = begin(body, riders, threads, speed)
    heading, left = np.zeros(riders), np.zeros(riders)
    low, high = body.turns
    snapshots: list[np.ndarray] = []
    found: list[np.ndarray] = []
    ticks, per = 0, max(round(every / DECIDE), 1)
    while sum(len(rows) for rows in found) < states:
        motion = ride.motion()
        left -= DECIDE
        new = left <= 0
        shrink = rng.choice([0.15, 0.4, 0.8], riders)
        heading = np.where(new, motion.yaw + shrink * rng.uniform(low, high, riders), heading)
        left = np.where(new, rng.uniform(0.3, 2.0, riders), left)
        ride.advance(heading, np.full(riders, speed), DECIDE)
        ticks += 1
        if ticks % per == 0 and ticks * DECIDE > 1.0:
            motion = ride.motion()
            up = ~motion.fell
            if not up.any():
                raise BadInput(f"body {body.name}", riders, "falls on every random ride; riders")
            snapshots.append(ride.snapshot()[up])
            found.append(state_of(motion)[up])
    return Moments(np.concatenate(snapshots)[:states], np.concatenate(found)[:states])


def try_turns(
    body: Steerable,
    moments: Moments,
    turns: np.ndarray,
    seconds: float,
    dt: float,
    threads: int = 1,
    speeds: np.ndarray | None = None,
) -> Tracks:
    """From every moment (n), one turn command (n,) [rad] held for `seconds`, sampled every `dt` [s].

    `speeds` (n,) [m/s] are commanded with them; by default the nominal one.
    """
    count = len(moments)
    samples = round(seconds / dt) + 1
    pose, velocity = np.empty((count, samples, 3)), np.empty((count, samples, 3))
    lean, fell = np.empty((count, samples, 2)), np.full(count, np.inf)
    size = min(BATCH, count)
    ride = body.start(size, threads)
    pace = np.full(count, body.speed) if speeds is None else np.asarray(speeds, dtype=float)
    starts = range(0, count, size)
    for start in track(starts, f"turns of {body.name}"):
        rows = np.arange(start, min(start + size, count))
        padded = np.resize(rows, size)  # a last, smaller batch repeats its rows
        part = _turns_at_once(ride, moments.snapshots[padded], turns[padded], pace[padded], samples, dt)
        for whole, piece in zip((pose, velocity, lean, fell), part, strict=True):
            whole[rows] = piece[: len(rows)]
    return Tracks(dt, pose, velocity, lean, fell)


def _turns_at_once(
    ride: SteeredBodies, snapshots: np.ndarray, turns: np.ndarray, speed: np.ndarray, samples: int, dt: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    n = len(turns)
    ride.restore(snapshots)
    ride.put(np.zeros(n), np.zeros(n), np.zeros(n))
    pose, velocity = np.empty((n, samples, 3)), np.empty((n, samples, 3))
    lean, fell = np.empty((n, samples, 2)), np.full(n, np.inf)
    for k in range(samples):
        if k:
            ride.advance(turns, speed, dt)
        motion = ride.motion()
        c, s = np.cos(motion.yaw), np.sin(motion.yaw)
        pose[:, k] = np.column_stack([motion.x, motion.y, motion.yaw])
        forward, left = c * motion.vx + s * motion.vy, c * motion.vy - s * motion.vx
        velocity[:, k] = np.column_stack([forward, left, motion.yaw_rate])
        lean[:, k] = state_of(motion)[:, [0, 2]]
        bad = motion.fell | ~np.isfinite(pose[:, k]).all(axis=1) | ~np.isfinite(velocity[:, k]).all(axis=1)
        fell = np.where(bad & np.isinf(fell), k * dt, fell)
        down = np.isfinite(fell)
        if down.any() and k:
            for samples_of in (pose, velocity, lean):
                samples_of[down, k] = samples_of[down, k - 1]
    return pose, velocity, lean, fell


def _next_command(now: float) -> float:
    return (np.floor(now / DECIDE + 1e-6) + 1) * DECIDE
