"""Herding: riders from random places ride as one, at a set distance from each other; and how well they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.motion import Motion
from swerve.core.progress import track
from swerve.core.seeding import generator
from swerve.core.steered import SteeredBodies
from swerve.core.way import Way

from ..bodies.engine import CyclistRide
from ..bodies.outline import WIDTH
from ..maps.mobility import MobilityMap
from ..maps.trials import DECIDE
from .curves import Course
from .gaps import EDGE, GRIP, Gaps
from .herd_law import SPACING, Foreseeing, HerdLaw
from .herd_measure import LINK, check_spacing, touching_pairs
from .herded import Herded
from .neighbours import count_groups, into_cells
from .obstacles import Blocked, Posts, Starts, clear_starts, grip_of
from .pace import Pace, plan_pace
from .seen import Watcher

SQUARE = 20.0  # [m] side of the square they start in, for sixteen
MEASURED = 400  # riders up to which contacts are looked for
MANY = 2000  # riders from which on fast memory does not hold what all know of each other
SLOW_START = 0.5  # [m/s] by which riders start slower at least, if they do
ROOMY = 5.0  # times its own room that is left to a body at the start, at least
GAP_LONG, GAP_WIDE = 0.4, 0.4  # [m] between outlines at the start


@dataclass(frozen=True)
class HerdOptions:
    """`spacing` [m] between riders; frames are kept every `frame` [s], with `parts` limbs too. Riders go
    along `way`, as fast as `pace` says, round `obstacles` (k, 3) of places and radii [m] with `grip` [m/s²];
    `length` and `width` [m] of a rider."""

    spacing: float = SPACING
    threads: int = 1
    frame: float = DECIDE
    parts: bool = False
    way: Way | None = None
    pace: Pace | None = None
    obstacles: np.ndarray | None = None
    length: float = 1.7
    width: float = WIDTH
    grip: float = GRIP

    def __post_init__(self) -> None:
        check_spacing(self.spacing, self.length)

    @cached_property
    def gaps(self) -> Gaps | None:
        """What the obstacles leave free of the way; None where there are none."""
        return (
            Gaps(self.way, self.standing, self.grip, (self.length, self.width))
            if len(self.standing)
            else None
        )

    def closed_behind(self, starts: np.ndarray) -> float | None:
        """Station [m] where nobody gets any further who rides from `starts` (n, 3), or None."""
        if self.gaps is None or self.way is None:
            return None
        return self.gaps.closed_behind(float(self.way.locate(starts[:, :2])[0].min()))

    def left_street(self, pose: np.ndarray) -> int | None:
        """How many riders with `pose` (f, n, 3) were beyond an edge of the way, between its ends; None where
        it has none."""
        if self.way is None or not (self.way.left.any() or self.way.right.any()):
            return None
        station, offset = self.way.locate(pose[..., :2])
        out = (offset > self.way.at(self.way.left, station)) | (
            -offset > self.way.at(self.way.right, station)
        )
        inside = self.way.closed | ((station >= 0) & (station <= self.way.length))
        return int((out & inside).any(axis=0).sum())

    @property
    def standing(self) -> np.ndarray:
        """(k, 3) the obstacles, also where there are none."""
        return np.empty((0, 3)) if self.obstacles is None else np.asarray(self.obstacles, dtype=float)

    def scenery(self) -> dict[str, list[dict[str, Any]]]:
        """The way with its edges as lines and the obstacles as areas, as recordings hold them."""
        lines, areas = [], []
        if self.way is not None:
            lines.append({"points": self.way.points[::4, :2].round(2), "role": "path"})
            station = self.way.station[::4]
            for offset in (self.way.left[::4], -self.way.right[::4]):
                if offset.any():
                    edge = self.way.place(station, offset)[:, :2]
                    lines.append({"points": edge.round(2), "role": "edge"})
        turn = np.exp(1j * np.linspace(0, 2 * np.pi, 25))
        for x, y, radius in self.standing:
            ring = np.column_stack([x + radius * turn.real, y + radius * turn.imag])
            areas.append({"points": ring.round(2), "role": "obstacle"})
        return {"lines": lines, "areas": areas}


def scatter(
    count: int,
    seed: int,
    radius: float = 0.9,
    square: float | None = None,
    within: float = np.inf,
    blocked: Blocked | None = None,
    width: float = WIDTH,
) -> np.ndarray:
    """(n, 3) riders heading +x at random places of a square, 25 m² of room each unless `square` [m] is its
    side; no two touch. Where it is wider than `within` [m], it is drawn out to as much room of that width.
    Nobody starts where places (n, 2) are `blocked`; riders are `width` [m] wide. Large herds are in the order
    of where they are: who is near is near in memory, too."""
    if count < 1:
        raise BadInput("riders", count, "must be at least 1")
    room = (2 * radius + GAP_LONG) * (width + GAP_WIDE)
    usual = max(SQUARE * np.sqrt(count / 16), np.sqrt(ROOMY * room * count))
    side = usual if square is None else square
    if not (np.isfinite(side) and side**2 >= 4 * room * count):
        raise BadInput("square", side, f"is too small for {count} riders; side in metres")
    wide = min(side, within)
    sides = np.array([side**2 / wide, wide])
    rng = generator(seed, "herd")
    places = rng.uniform(0, sides, (count, 2))
    for _ in range(500):
        again = np.unique(_crowded(places, radius, width)[:, 1])
        if blocked is not None:
            again = np.union1d(again, np.flatnonzero(blocked(places - sides / 2)))
        if not len(again):
            if count > MANY:
                places = places[into_cells(places[:, 0], places[:, 1], SPACING).order]
            return np.column_stack([places - sides / 2, np.zeros(count)])
        places[again] = rng.uniform(0, sides, (len(again), 2))
    if blocked is not None and square is None:
        raise BadInput("obstacles", None, f"leave no room for {count} riders to start clear of them")
    raise BadInput("square", side, f"leaves no room for {count} riders; side in metres")


def _crowded(places: np.ndarray, radius: float, width: float) -> np.ndarray:
    """(k, 2) pairs of riders that head +x and would touch or nearly do."""
    pose = np.column_stack([places, np.zeros(len(places))])
    return touching_pairs(pose, 2 * radius + GAP_LONG, width + GAP_WIDE)


def herd(
    ride: SteeredBodies,
    speed: float,
    steering: Foreseeing,
    starts: np.ndarray,
    seconds: float,
    options: HerdOptions | None = None,
    watch: Callable[[Motion], None] | None = None,
) -> Herded:
    """Ride `seconds` from `starts` (n, 3), each rider minding its neighbours every 0.1 s; `watch` is called
    with the motion before every decision."""
    o = options or HerdOptions()
    if len(starts) != len(ride) or not np.isfinite(starts).all():
        raise BadInput("starts", len(starts), f"must be {len(ride)} rows of finite numbers, riders")
    if not (np.isfinite(seconds) and seconds >= DECIDE):
        raise BadInput("seconds", seconds, f"must be at least {DECIDE:g}")
    ride.put(*np.asarray(starts, dtype=float).T)
    if isinstance(ride, CyclistRide):
        ride.bring_together()
    if o.way is not None and o.pace is not None:
        allowed = o.way.at(o.pace.speed, o.way.locate(np.asarray(starts)[:, :2])[0])
        if (allowed < speed - SLOW_START).any():  # a way may begin in a bend
            ride.go_at(np.minimum(allowed, speed))
    law = HerdLaw(steering, speed, o.spacing, o.threads, o.way, o.pace, o.gaps, (o.length, o.width))
    ticks, keep = round(seconds / DECIDE), max(round(o.frame / DECIDE), 1)
    error, frames = np.empty((ticks, len(ride))), []
    touched: set[tuple[int, int]] = set()
    posts = None if o.gaps is None else Posts(ride, o.standing, o.length, o.width)
    contact: list[np.ndarray] = []
    groups: list[int] = []
    watcher = Watcher(ride, o.parts)
    deciding, began = 0.0, perf_counter()
    for k in track(range(ticks + 1), "herding"):
        motion, touches = ride.motion(), np.zeros(len(ride), dtype=bool)
        if posts is not None:
            motion, touches = posts.meet(motion)
        if watch is not None:
            watch(motion)
        if k < ticks:  # at the end nobody decides any more
            started = perf_counter()
            heading, pace, error[k] = law.decide(motion)
            deciding += perf_counter() - started
        if len(ride) <= MEASURED:
            pairs = touching_pairs(motion.pose, o.length, o.width)
            touches[pairs.ravel()] = True
            touched |= {(int(a), int(b)) for a, b in pairs}
        if k % keep == 0:
            level = getattr(ride, "in_full", np.zeros(len(ride), dtype=bool))
            velocity, told = np.column_stack([motion.vx, motion.vy]), np.column_stack([heading, pace])
            frames.append((k * DECIDE, motion.pose, velocity, motion.roll, level, told))
            groups.append(count_groups(motion.x, motion.y, LINK * o.spacing))
            watcher.note(motion)
            contact.append(touches)
        if k < ticks:
            ride.advance(heading, pace, DECIDE)
    took = perf_counter() - began
    at, pose, velocity, roll, level, told = (np.array(part) for part in zip(*frames, strict=True))
    fell, t = ride.motion().fell, np.arange(ticks) * DECIDE
    found = (np.array(groups), len(touched) if len(ride) <= MEASURED else None)
    done = Herded(
        t, error, at, pose, velocity, roll, level, fell, deciding, took, told, watcher.seen(), *found
    )
    if posts is None:
        return done
    return replace(done, obstacle_contacts=len(posts.touched), contact=np.array(contact))


def on_way(
    path: Course | str | Path,
    options: HerdOptions,
    starts: Starts,
    map_: MobilityMap,
) -> tuple[HerdOptions, np.ndarray]:
    """The options for a herd along a path, of a CSV file by default, and its starts at the beginning of it,
    between its edges where it has some and clear of the obstacles."""
    way = path if isinstance(path, Course) else Course.read(path)
    pace = plan_pace(way, map_)
    if pace.infeasible:
        raise BadInput(f"path {way.name}", None, f"cannot be ridden: {pace.infeasible}")
    middle, wide = 0.0, np.inf
    if way.left.any() or way.right.any():
        left, right = float(way.left.min()) - EDGE, float(way.right.min()) - EDGE
        middle, wide = (left - right) / 2, left + right
        if wide < 1.0:
            raise BadInput(
                f"path {way.name}", wide + 2 * EDGE, "must be wider for a herd, at its narrowest [m]"
            )
    options = replace(options, way=way, pace=pace, grip=grip_of(map_))
    begin = clear_starts(starts, options.gaps, map_.speed, (middle, wide))
    return options, way.place(begin[:, 0], begin[:, 1])
