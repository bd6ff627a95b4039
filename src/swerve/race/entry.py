"""Who drives and where from: the car, how far reality differs from it, its start and its line."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from swerve.core.clips import body_velocity
from swerve.core.errors import require
from swerve.core.geometry import wrap
from swerve.core.library import MotionLibrary
from swerve.core.seeding import generator

from .car import WIDTH, CarParameters
from .course import ALONG
from .reality import Reality
from .touch import leaving
from .track import Track

START = 8.0  # [m] progress at which the car stands when it sets off


@dataclass(frozen=True)
class Entry:
    """A car in a drive: by default the one that the tree was made for, in a reality that is its model, on the
    grid, on a line of its own making.
    """

    car: CarParameters | None = None
    reality: Reality = field(default_factory=Reality)
    start: np.ndarray | None = None  # state (6,)
    line: np.ndarray | None = None  # (k, 2)


def start_pose(track: Track, seed: int, width: float = WIDTH, at: float = START) -> np.ndarray:
    """On the grid, anywhere across the middle half of the road, unless the track says where."""
    if track.start is not None:
        return np.array(track.start)
    room = max(0.0, 0.5 * (min(track.left[4], track.right[4]) - width / 2 - 0.6))
    return track.pose(at, generator(seed, "start").uniform(-room, room))


def along_road(track: Track, start: np.ndarray | None = None) -> bool:
    """Whether a start, by default the track's own, faces along the road, so that a line leads on from it."""
    pose = track.start if start is None else start
    if pose is None:
        return True
    road = track.pose(float(track.progress(np.asarray(pose)[:2])[0]))[2]
    return bool(abs(wrap(pose[2] - road)) < ALONG)


def check_start(track: Track, start: np.ndarray) -> None:
    """Refuse a start (6,) beside the road, before its beginning or behind its finish, or with a wheel over
    its edge.
    """
    at, beside = (float(v) for v in track.progress(start[:2]))
    where = f"start {start[0]:g},{start[1]:g} on {track.name}"
    right, left = (float(track.way.at(width, at)) for width in (track.right, track.left))
    beyond = max(beside - left, -beside - right, float(np.hypot(*(track.pose(at, beside)[:2] - start[:2]))))
    why = "must be on the road; metres beside it"
    require(beyond < 0.5 and -right < beside < left, where, round(beyond, 3), why)
    ahead = np.inf if track.closed else track.finish - at
    require(ahead > 0.0, where, round(-ahead, 3), "must be before the finish; metres behind it")
    why = "must leave the car's outline within the edges; heading"
    require(not leaving(track, start[None, :3]).any(), where, float(start[2]), why)


def nearest_node(tree: MotionLibrary, state: np.ndarray) -> int:
    """The node of a tree to start from in `state` (6,); refused where none has about its speed."""
    apart = np.abs(body_velocity(state) - tree.node_velocity).sum(axis=1)
    node = int(np.argmin(apart))
    speeds = ", ".join(f"{u:g}" for u in sorted({round(float(u), 3) for u in tree.node_velocity[:, 0]}))
    where = f"start, speed for {tree.name}"
    require(apart[node] < 0.5, where, float(np.hypot(*state[3:5])), f"must be one of {speeds} m/s")
    return node
