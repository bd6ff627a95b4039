"""A drive as a recording: the car with its wheels, the others, and the road they are on."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core import attitude
from swerve.core.recording import Recording

from .car import HEIGHT, LENGTH, WIDTH, CarParameters
from .driven import Drive
from .follow import Execution
from .takes import Take
from .track import Track
from .traffic import FAR

EGO = 0  # id of the driven car
RADIUS, TYRE = 0.31, 0.2  # [m] of a wheel, and how wide it is
WHEELS = ("front left wheel", "front right wheel", "rear left wheel", "rear right wheel")


def record(
    drive: Drive, meta: dict[str, Any], real: Execution | None = None, parts: bool = True
) -> Recording:
    """Everything that moved; with `real`, as the car was really driven rather than as planned.

    With `parts` the driven car's four wheels are rows too, turned as they are steered and rolled.
    """
    states = drive.states if real is None else real.states
    n = len(states)
    contact = np.zeros(n, dtype=bool)
    contact[-1] = drive.crashed
    if real is not None and real.touched:
        contact[real.contact :] = True
    controls = drive.controls if real is None else real.controls
    controls = controls if len(controls) == n - 1 and n > 1 else np.zeros((0, 0))
    about, size = drive.tree.meta, (LENGTH, WIDTH, HEIGHT)
    if len(about.get("outline", ())) == 3:
        size = tuple(about["outline"])
    take = Take(drive.track.name, states, controls, contact, drive.tree.dt)
    ego = take.to_recording(EGO, body_of(drive), size)
    made = [ego]
    for k in range(drive.traffic.cars):
        poses = drive.traffic.poses[k, :n]
        there = np.flatnonzero(np.abs(poses[:, 0]) < FAR / 2)
        if len(there) < 2:
            continue
        poses = poses[there]
        size = (drive.traffic.length, drive.traffic.width, drive.traffic.height)
        velocity = np.gradient(poses[:, :2], drive.tree.dt, axis=0)
        t = there * drive.tree.dt
        made.append(Recording.planar(t, k + 1, "traffic", poses, velocity, size, drive.traffic.height / 2))
    if parts:
        steer = np.append(controls[:, 0], controls[-1:, 0]) if controls.size else np.zeros(n)
        made += wheels(states, steer, drive.traffic.cars + 1, drive.tree.dt)
    return Recording.join(made, {**meta, "ego": EGO, **scenery(drive.track)})


def wheels(states: np.ndarray, steer: np.ndarray, first: int, dt: float) -> list[Recording]:
    """The wheels of a car with states (n, 6), front ones steered by `steer` (n,) [rad]; ids from `first`,
    frames `dt` seconds apart.

    They stand at the axles of the model and roll with the ground under them.
    """
    p, t = CarParameters(), dt * np.arange(len(states))
    x, y, heading, vx, vy, yaw_rate = states.T
    c, s = np.cos(heading), np.sin(heading)
    made = []
    for k, part in enumerate(WHEELS):
        ahead = p.front_axle if k < 2 else -p.rear_axle
        left = (WIDTH - TYRE) / 2 * (1 - 2 * (k % 2))
        angle = steer if k < 2 else np.zeros(len(t))
        velocity = np.stack([vx - yaw_rate * (s * ahead + c * left), vy + yaw_rate * (c * ahead - s * left)])
        along = velocity[0] * np.cos(heading + angle) + velocity[1] * np.sin(heading + angle)
        rolled = np.concatenate([[0.0], np.cumsum((along[1:] + along[:-1]) / 2) * dt]) / RADIUS
        pose = np.column_stack([x + c * ahead - s * left, y + s * ahead + c * left, heading + angle])
        extra: dict[str, Any] = {"parent": EGO, "part": part, "steer": angle}
        size = (2 * RADIUS, TYRE, 2 * RADIUS)
        wheel = Recording.planar(t, first + k, "wheel", pose, velocity.T, size, RADIUS, **extra)
        turned = attitude.quaternion(pose[:, 2], -rolled)  # a wheel that rolls on turns its nose down
        wheel.columns |= attitude.columns(turned.astype(np.float32))
        made.append(wheel)
    return made


def body_of(drive: Drive) -> str:
    """What was driven: the body that a mobility map is of, else a car."""
    about = drive.tree.meta
    return str(about.get("kind", "car")) if "outline" in about else "car"


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
