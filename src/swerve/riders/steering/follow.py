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
from swerve.core.way import Way

from ..maps.mobility import MobilityMap
from ..maps.trials import DECIDE
from .curves import Course, courses
from .pace import SLOWEST, Pace, plan_pace
from .seen import Seen, Watcher
from .ways import Ways, run_in

LEFT = 3.0  # [m] off its course from which a rider has left it
FALL_ERROR = 1000.0  # [m] mean error of a fall: no ride counts as much, however far off
LOOKS = {  # of a plan that is drawn
    "kind": "cyclist",
    "size": (1.7, 0.6, 1.7),
    "units": {"aside": "m", "astray": "rad", "turn": "rad", "target_speed": "m/s", "target_heading": "rad"},
}


class Steering(Protocol):
    """What chooses turns: a `Navigator`, a `Simple`, or your own.

    Riders that are off their line are led back to it by and by, wherever they ride along one; not if what
    steers them has an attribute `at_once` that is true.
    """

    @property
    def ticks(self) -> int:
        """How many tenths of a second it wants to know of the way ahead."""
        ...

    def turns(self, motion: Motion, reference: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Followed:
    """What riders did, every 0.1 s: `t` (k,); `pose` (k, n, 3); `roll`, `aside` [m] and `astray` [rad] (k, n)
    off the way; `judged` (k, n) where a rider was in its corner; `fell` (n,); `turn` and `wish` (k − 1, n)
    the turns [rad] and speeds [m/s] commanded from each time to the next; `fell_at` and `left_path` (n,) [s],
    NaN for never; `seen` what else there was to see; `arrived` (n,) who came to the end.
    """

    ways: list[Course]
    t: np.ndarray
    pose: np.ndarray
    velocity: np.ndarray
    roll: np.ndarray
    aside: np.ndarray
    astray: np.ndarray
    judged: np.ndarray
    fell: np.ndarray
    turn: np.ndarray
    wish: np.ndarray
    fell_at: np.ndarray
    left_path: np.ndarray
    seen: Seen
    arrived: np.ndarray

    def plan(self, rider: int = 0) -> Plan:
        """The ride of one rider: place, velocity, lean, how far off its way; commanded turns and speed."""
        require(0 <= rider < len(self.ways), "rider", rider, f"must be one of {len(self.ways)}, from 0")
        pose, velocity = self.pose[:, rider], self.velocity[:, rider]
        off = (self.roll[:, rider], self.aside[:, rider], self.astray[:, rider])
        return Plan(
            Status.STUCK if self.fell[rider] else Status.SOLVED,
            self.t,
            np.column_stack([pose, velocity, *off]),
            ("x", "y", "heading", "vx", "vy", "roll", "aside", "astray"),
            np.column_stack([self.turn[:, rider], self.wish[:, rider]]),
            ("turn", "target_speed"),
            float(self.mean_error[rider]),
            {"mean_error": self.mean_error[rider], "max_error": self.max_error[rider]},
            {"wing": "riders", **LOOKS, "lines": [self.ways[rider].line()], "scene": self.ways[rider].name},
        )

    @property
    def mean_error(self) -> np.ndarray:
        """(n,) mean distance from the way within the corner [m]; who fell has `FALL_ERROR`, and who never
        came to the corner nearly as much."""
        return self._mean(np.abs(self.aside))

    @property
    def max_error(self) -> np.ndarray:
        """(n,) largest distance from the way within the corner [m]; a fall as in `mean_error`."""
        most = np.where(self.judged, np.abs(self.aside), 0.0).max(axis=0)
        return np.where(self.fell, FALL_ERROR, np.where(self.judged.any(axis=0), most, FALL_ERROR - 1))

    @property
    def farthest(self) -> np.ndarray:
        """(n,) largest distance from the way [m] from the start to where judging ends, also on the straight
        before a corner; a fall as in `mean_error`."""
        until = self.judged[::-1].cumsum(axis=0)[::-1] > 0
        most = np.where(until, np.abs(self.aside), 0.0).max(axis=0)
        return np.where(self.fell, FALL_ERROR, np.where(until.any(axis=0), most, FALL_ERROR - 1))

    @property
    def slowest(self) -> float:
        """[m/s] that anybody rode at within its corner; NaN if nobody came there."""
        speed = np.hypot(self.velocity[..., 0], self.velocity[..., 1])[self.judged]
        return float(speed.min()) if len(speed) else np.nan

    @property
    def mean_astray(self) -> np.ndarray:
        """(n,) mean difference from the direction of the way within the corner [rad]."""
        return self._mean(np.abs(self.astray))

    def _mean(self, values: np.ndarray) -> np.ndarray:
        seen = self.judged.sum(axis=0)
        mean = np.where(self.judged, values, 0.0).sum(axis=0) / np.maximum(seen, 1)
        mean = np.where(seen > 0, np.minimum(mean, FALL_ERROR - 1), FALL_ERROR - 1)
        return np.where(self.fell, FALL_ERROR, mean)


def follow(
    ride: SteeredBodies,
    speed: float,
    ways: Sequence[Way],
    steering: Steering,
    starts: np.ndarray,
    paces: Sequence[Pace] | None = None,
    parts: bool = False,
) -> Followed:
    """Ride from `starts` (n, 3), x, y and yaw, along one way each, until all have passed their corner.

    Riders ride at `speed` [m/s], or as fast as `paces` say along their ways, from the start on. Whoever has
    lost its way heads back to it; whoever has arrived is judged no more, and who comes to a closed way not
    before its first point. With `parts` the limbs of
    bodies in full are noted too.
    """
    if not len(ways) == len(starts) == len(ride):
        raise BadInput(
            "starts", len(starts), f"must be one for each of {len(ride)} riders and {len(ways)} ways"
        )
    if not np.isfinite(starts).all():
        raise BadInput("starts", starts.tolist(), "must be finite")
    ride.put(*np.asarray(starts, dtype=float).T)
    lines = Ways(courses(ways), running_in=True)
    lines.begin_at(*starts[:, :2].T)
    allowed = _Allowed(lines, speed, paces)
    if paces is not None:
        ride.go_at(np.array([pace.speed[k] for pace, k in zip(paces, lines.row(), strict=True)]))
    ends = np.array([way.length - (0.0 if way.closed else 0.5) for way in lines.ways])
    finish = np.minimum(lines.corner[:, 1] + np.where(lines.closed, -1.0, speed), ends)
    frames: list[tuple[np.ndarray, ...]] = []
    turns: list[tuple[np.ndarray, np.ndarray]] = []
    arrived = np.zeros(len(ride), dtype=bool)
    fell_at, left = np.full(len(ride), np.nan), np.full(len(ride), np.nan)
    watcher = Watcher(ride, parts)
    for k in track(range(allowed.ticks), "riding"):
        motion = ride.motion()
        watcher.note(motion)
        along, aside = lines.locate(motion.x, motion.y)
        astray = wrap(motion.yaw - lines.heading())
        arrived |= along >= finish
        judged = (along >= lines.corner[:, 0]) & (along <= lines.corner[:, 1]) & ~motion.fell & ~arrived
        fell_at = np.where(motion.fell & np.isnan(fell_at), k * DECIDE, fell_at)
        off = (np.abs(aside) > LEFT) & (along >= 0) & ~motion.fell & ~arrived
        left = np.where(off & np.isnan(left), k * DECIDE, left)
        place = np.column_stack([motion.x, motion.y, motion.yaw])
        velocity = np.column_stack([motion.vx, motion.vy])
        frames.append((place, velocity, motion.roll, aside, astray, judged))
        if (motion.fell | arrived).all():
            break
        wish = allowed.at(motion.speed)
        pace = motion.speed if paces is not None else np.full(len(ride), speed)
        reference = lines.ahead(np.maximum(pace, 2.0), max(steering.ticks, 1))
        reference = lines.back(reference, motion.x, motion.y, pace)
        reference = lines.led_back(steering, reference, np.maximum(pace, 2.0))
        turns.append((steering.turns(motion, reference), wish))
        ride.advance(motion.yaw + turns[-1][0], wish, DECIDE)
    pose, velocity, roll, off, astray, judged = (np.array(part) for part in zip(*frames, strict=True))
    t = np.arange(len(frames)) * DECIDE
    given = np.array(turns[: len(t) - 1]).reshape(-1, 2, len(ride))
    fell, seen = ride.motion().fell, watcher.seen()
    fell_at = np.where(fell & np.isnan(fell_at), t[-1], fell_at)
    told = (given[:, 0], given[:, 1])
    return Followed(
        list(lines.ways),
        t,
        pose,
        velocity,
        roll,
        off,
        astray,
        judged,
        fell,
        *told,
        fell_at,
        left,
        seen,
        arrived,
    )


class _Allowed:
    """Speeds [m/s] that riders may have where they are, and a little ahead."""

    def __init__(self, lines: Ways, speed: float, paces: Sequence[Pace] | None):
        self.lines, self.speed, self.paces = lines, speed, paces
        self.slow = np.full(len(lines.ways), speed)
        lengths = [way.length + run_in(way) for way in lines.ways]
        seconds = max(lengths) / speed
        if paces is not None:
            self.slow = np.array([pace.speed.min() for pace in paces])
            seconds = max(
                length * float(np.mean(1 / pace.speed)) for length, pace in zip(lengths, paces, strict=True)
            )
        self.ticks = int(1.3 * seconds / DECIDE) + 30

    def at(self, speed: np.ndarray) -> np.ndarray:
        """(n,) to tell riders at `speed`: they look 0.3 s ahead, and who is too fast brakes the more."""
        if self.paces is None:
            return np.full(len(self.slow), self.speed)
        lines = self.lines
        rows = lines.row(0.3 * speed)
        told = np.array([pace.told[k] for pace, k in zip(self.paces, rows, strict=True)])
        planned = np.array([pace.speed[k] for pace, k in zip(self.paces, rows, strict=True)])
        wish = np.maximum(told - np.maximum(speed - planned, 0.0), SLOWEST * self.slow)
        return np.where(lines.lost, np.minimum(wish, self.slow), wish)


def paces_for(ways: Sequence[Way], map_: MobilityMap) -> list[Pace]:
    """How fast each way can be ridden by the body of that map; the same way is planned once."""
    lines = courses(ways)
    known = {id(line): plan_pace(line, map_) for line in lines}
    return [known[id(line)] for line in lines]


def starts_beside(ways: Sequence[Way], seed: int, spread: float = 0.5) -> np.ndarray:
    """(n, 3) a start a way: up to `spread` [m] beside its beginning, of a closed one `run_in` before it, and
    up to 0.05 rad astray."""
    rng = generator(seed, "starts")
    aside, astray = rng.uniform(-spread, spread, len(ways)), rng.uniform(-0.05, 0.05, len(ways))
    first = np.array([way.place(way.length - run_in(way) if way.closed else 0.0) for way in ways])
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
    paces: Sequence[Pace] | None = None,
) -> Followed:
    """`follow` with bodies in full physics, from random starts of that seed within `spread` [m]."""
    ride = body.start(len(ways), threads)
    return follow(ride, body.speed, ways, steering, starts_beside(ways, seed, spread), paces)
