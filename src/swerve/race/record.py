"""A drive as a recording: the car, the others, and the road they are on."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.recording import Recording

from .car import HEIGHT, LENGTH, WIDTH
from .drive import Drive
from .follow import Execution
from .takes import Take
from .track import Track
from .traffic import FAR

EGO = 0  # id of the driven car


def record(drive: Drive, meta: dict[str, Any], real: Execution | None = None) -> Recording:
    """Everything that moved; with `real`, as the car was really driven rather than as planned."""
    states = drive.states if real is None else real.states
    n = len(states)
    contact = np.zeros(n, dtype=bool)
    contact[-1] = drive.crashed
    if real is not None and real.touched:
        contact[real.contact :] = True
    controls = drive.controls if len(drive.controls) == n - 1 and n > 1 else np.zeros((0, 0))
    about, size = drive.tree.meta, (LENGTH, WIDTH, HEIGHT)
    if len(about.get("outline", ())) == 3:
        size = tuple(about["outline"])
    take = Take(drive.track.name, states, controls, contact, drive.tree.dt)
    ego = take.to_recording(EGO, str(about.get("kind", "car")), size)
    parts = [ego]
    for k in range(drive.traffic.cars):
        poses = drive.traffic.poses[k, :n]
        there = np.flatnonzero(np.abs(poses[:, 0]) < FAR / 2)
        if len(there) < 2:
            continue
        poses = poses[there]
        size = (drive.traffic.length, drive.traffic.width, drive.traffic.height)
        velocity = np.gradient(poses[:, :2], drive.tree.dt, axis=0)
        parts.append(
            Recording.planar(
                there * drive.tree.dt, k + 1, "traffic", poses, velocity, size, drive.traffic.height / 2
            )
        )
    return Recording.join(parts, {**meta, "ego": EGO, **scenery(drive.track)})


def scenery(track: Track) -> dict[str, Any]:
    """Walls, centre and finish line and the road's surface, for whoever draws the recording."""
    right, left = track.edges
    walls = [right, left]
    finish = track.pose(track.finish if not track.closed else 0.0)
    across = np.array([-np.sin(finish[2]), np.cos(finish[2])])
    i = int(np.argmin(np.abs(track.s - (track.finish if not track.closed else 0.0))))
    line = np.stack([finish[:2] - track.right[i] * across, finish[:2] + track.left[i] * across])
    if track.closed:
        walls = [np.vstack([w, w[:1]]) for w in walls]
    return {
        "lines": [
            *({"points": w.round(2), "role": "wall"} for w in walls),
            {"points": track.centre.round(2), "role": "centre"},
            {"points": line.round(2), "role": "finish"},
        ],
        "areas": [{"points": np.vstack([walls[0], walls[1][::-1]]).round(2), "role": "road"}],
    }
