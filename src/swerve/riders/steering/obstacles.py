"""Obstacles of a herd: read from files, kept clear of at the start, and what happens to who touches one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np

from swerve.core.contact import NOBODY, Touch
from swerve.core.errors import BadInput
from swerve.core.files import existing
from swerve.core.motion import Motion
from swerve.core.steered import SteeredBodies

from ..bodies.engine import CyclistRide
from ..maps.detail import Mixed
from ..maps.mobility import MobilityMap
from .gaps import Gaps

FAR = 1e7  # [m] at most from the origin
SPENT = 0.5  # share of the sideways acceleration that a body sustains
CLEARED = 0.01  # [m] between a rider and what it was pushed off

Blocked = Callable[[np.ndarray], np.ndarray]


class Starts(Protocol):
    """Gives (n, 3) starts, no wider than `within` [m], none of them `blocked`: places (n, 2) to (n,) bool."""

    def __call__(self, within: float = np.inf, blocked: Blocked | None = None) -> np.ndarray: ...


def grip_of(map_: MobilityMap) -> float:
    """[m/s²] that a body with that map spends on turning round obstacles."""
    return SPENT * float(map_.cornering.mean())


def clear_starts(
    starts: Starts, gaps: Gaps | None, speed: float, street: tuple[float, float] | None = None
) -> np.ndarray:
    """(n, 3) starts from where riders at `speed` [m/s] get round what stands in their way, or can stop before
    it. In a `street`, of which the middle and the width [m] that is free are told, they are along it: from
    station 0 on, and about its middle."""
    middle, within = street or (0.0, np.inf)
    begin = starts(within=within)
    first = 0.0 if street is None else float(begin[:, 0].min())
    shift = np.array([-first, middle])
    if gaps is not None:

        def blocked(places: np.ndarray) -> np.ndarray:
            station, offset = (places[:, :2] + shift).T
            return (places[:, 0] < first) & (street is not None) | ~gaps.safe(station, offset, speed)

        begin = starts(within=within, blocked=blocked)
    return begin + np.array([*shift, 0.0])


class Posts:
    """Obstacles (k, 3) of places and radii [m] that riders of a `length` and `width` [m] can run into.

    Those in full physics are pushed off in every step; those on maps are put back, and fall if they were too
    fast. `touched` holds who touched which.
    """

    def __init__(self, ride: SteeredBodies, posts: np.ndarray, length: float, width: float):
        self.ride, self.posts, self.half = ride, posts, (length / 2, width / 2)
        self.touched: set[tuple[int, int]] = set()
        if isinstance(ride, CyclistRide | Mixed):
            ride.stand(posts)

    def meet(self, motion: Motion) -> tuple[Motion, np.ndarray]:
        """How the riders move once who rode into an obstacle was stopped, and (n,) who touches one."""
        rows, which, normal, deep = self._overlaps(motion)
        self.touched |= {(int(i), int(j)) for i, j in zip(rows, which, strict=True)}
        touches = np.zeros(len(motion), dtype=bool)
        touches[rows] = True
        if isinstance(self.ride, CyclistRide):
            solids = self.ride.solids
            self.touched |= solids.touched if solids is not None else set()
            return motion, touches
        if isinstance(self.ride, Mixed):
            self.touched |= self.ride.touched_posts
        mine = ~np.asarray(getattr(self.ride, "in_full", np.zeros(len(motion), dtype=bool)))[rows]
        if mine.any():
            self.ride.touched(_stopped(motion, rows[mine], normal[mine], deep[mine]))
            motion = self.ride.motion()
        return motion, touches

    def _overlaps(self, motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Riders and obstacles whose outlines overlap, unit vectors (k, 2) off the latter and depths [m]."""
        x, y, radius = self.posts.T
        dx, dy = motion.x[:, None] - x, motion.y[:, None] - y
        rows, which = np.nonzero(np.hypot(dx, dy) < radius + np.hypot(*self.half))
        dx, dy, yaw = dx[rows, which], dy[rows, which], motion.yaw[rows]
        c, s = np.cos(yaw), np.sin(yaw)
        along, left = -(c * dx + s * dy), -(c * dy - s * dx)  # the obstacle, as the rider sees it
        near = np.clip(along, -self.half[0], self.half[0]), np.clip(left, -self.half[1], self.half[1])
        far = np.hypot(along - near[0], left - near[1])
        deep = radius[which] - far
        hit = deep > 0
        off = np.column_stack([dx, dy])[hit] / np.maximum(np.hypot(dx, dy), 1e-9)[hit, None]
        return rows[hit], which[hit], off, deep[hit]


def _stopped(motion: Motion, rows: np.ndarray, normal: np.ndarray, deep: np.ndarray) -> Touch:
    """What riders are told who ride into something that stands: off it, and no further into it."""
    into = np.minimum(motion.vx[rows] * normal[:, 0] + motion.vy[rows] * normal[:, 1], 0.0)
    kick = np.column_stack([-into[:, None] * normal, np.zeros(len(rows))])
    shift = normal * (deep + CLEARED)[:, None]
    flat = np.zeros((len(rows), 1))
    point = np.column_stack([motion.x[rows], motion.y[rows], flat])
    kinds = np.full(len(rows), "obstacle", dtype=object)
    others = np.full(len(rows), NOBODY)
    return Touch(rows, others, kinds, np.hstack([normal, flat]), point, -into, kick, shift)


def read_obstacles(file: str | Path) -> np.ndarray:
    """(k, 3) x, y and radius [m] from a CSV file; a first line of names is skipped."""
    rows: list[tuple[float, float, float]] = []
    path = existing(file, "obstacles")
    for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            x, y, radius = (float(word) for word in line.replace(";", ",").split(","))
            if not (abs(x) <= FAR and abs(y) <= FAR and 0 < radius < 1000):
                raise ValueError
        except ValueError as error:
            if number == 1 and not rows and any(c.isalpha() for c in line):
                continue
            raise BadInput(
                f"obstacles {file}, line {number}",
                line[:60],
                "must be x, y, radius, above 0 and below 1000, within 10,000 km:",
            ) from error
        rows.append((x, y, radius))
    if not rows:
        raise BadInput(f"obstacles {file}", None, "holds no obstacles")
    return np.array(rows).reshape(-1, 3)
