"""Rides as recordings: one row a rider a frame, leaning as it leaned."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core import attitude
from swerve.core.recording import Recording

from .bodies.outline import HEIGHT, WIDTH, kind_of
from .steering.follow import Followed
from .steering.herd import Herded

MOST_ROWS = 1_000_000  # in a recording; longer ones keep fewer frames


def record_frames(
    t: np.ndarray,
    pose: np.ndarray,
    velocity: np.ndarray,
    roll: np.ndarray,
    body: str,
    radius: float,
    meta: dict[str, Any],
) -> Recording:
    """Frames `t` (f,) of riders: `pose` (f, n, 3), `velocity` (f, n, 2) in the world, `roll` (f, n)."""
    every = -(-roll.size // MOST_ROWS)
    t, pose, velocity, roll = t[::every], pose[::every], velocity[::every], roll[::every]
    frames, n = roll.shape
    rows = frames * n
    car = body == "car"
    columns = {
        "t": np.repeat(t, n),
        "id": np.tile(np.arange(n), frames),
        "kind": np.full(rows, "car" if car else kind_of(body), object),
        "x": pose[..., 0].ravel(),
        "y": pose[..., 1].ravel(),
        "z": np.full(rows, 0.7 if car else HEIGHT / 2),
        **attitude.columns(attitude.quaternion(pose[..., 2].ravel(), roll=roll.ravel())),
        "vx": velocity[..., 0].ravel(),
        "vy": velocity[..., 1].ravel(),
        "vz": np.zeros(rows),
        "length": np.full(rows, 2 * radius),
        "width": np.full(rows, 1.8 if car else WIDTH),
        "height": np.full(rows, 1.4 if car else HEIGHT),
    }
    return Recording(columns, meta)


def record_paths(done: Followed, body: str, radius: float, meta: dict[str, Any]) -> Recording:
    """Riders on their ways; the ways are drawn as lines."""
    ways = {way.name: way for way in done.ways}.values()
    lines = [{"points": way.points[::4, :2].round(2), "role": "path"} for way in ways]
    return record_frames(done.t, done.pose, done.velocity, done.roll, body, radius, {**meta, "lines": lines})


def record_herd(done: Herded, body: str, radius: float, meta: dict[str, Any]) -> Recording:
    return record_frames(done.frame_times, done.pose, done.velocity, done.roll, body, radius, meta)
