"""Clips: short pieces of recorded motion, kept in the frame of their first moment.

A clip can be laid down anywhere: only its start pose is changed. What must fit between two clips is the
velocity in the body's own frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .errors import BadInput


@dataclass(frozen=True)
class Clip:
    """`pose` (n+1, 3) x, y, heading relative to the first frame; `velocity` (n+1, 3) forward, leftward and
    yaw rate in the body's frame; `controls` (n, c), the inputs held during each frame; `dt` [s] a frame.
    """

    name: str
    dt: float
    pose: np.ndarray
    velocity: np.ndarray
    controls: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self) -> None:
        if self.pose.ndim != 2 or self.pose.shape[1] != 3 or len(self.pose) < 2:
            raise BadInput(f"clip {self.name}", self.pose.shape, "pose must be (frames + 1, 3)")
        if self.velocity.shape != self.pose.shape:
            raise BadInput(f"clip {self.name}", self.velocity.shape, f"velocity must be {self.pose.shape}")
        if not (np.isfinite(self.pose).all() and np.isfinite(self.velocity).all()):
            raise BadInput(f"clip {self.name}", None, "holds a number that is not finite")

    @classmethod
    def from_states(
        cls, name: str, states: np.ndarray, dt: float, controls: np.ndarray | None = None
    ) -> Clip:
        """Cut from a recording: `states` (n+1, 6) x, y, heading, vx, vy, yaw_rate in the world."""
        states = np.asarray(states, dtype=np.float64)
        pose = relative_poses(states[:, :3], states[0, :3])
        velocity = body_velocity(states)
        return cls(name, dt, pose, velocity, np.zeros((0, 0)) if controls is None else np.asarray(controls))

    @property
    def frames(self) -> int:
        return len(self.pose) - 1

    @property
    def duration(self) -> float:
        return self.frames * self.dt

    @property
    def length(self) -> float:
        """Way of the reference point [m]."""
        return float(np.hypot(*np.diff(self.pose[:, :2], axis=0).T).sum())

    def piece(self, start: int, stop: int, name: str | None = None) -> Clip:
        """Frames `start` to `stop`, both included, as a clip of its own."""
        if not 0 <= start < stop <= self.frames:
            raise BadInput(f"clip {self.name}", (start, stop), f"piece must lie within 0 and {self.frames}")
        controls = self.controls[start:stop] if len(self.controls) else self.controls
        return Clip(
            name or f"{self.name}[{start}:{stop}]",
            self.dt,
            relative_poses(self.pose[start : stop + 1], self.pose[start]),
            self.velocity[start : stop + 1].copy(),
            controls,
        )

    def placed(self, pose: np.ndarray) -> np.ndarray:
        """World poses (n+1, 3) of the clip when its first frame lies at `pose`."""
        return place_poses(self.pose, pose)


def relative_poses(poses: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """`poses` (n, 3) seen from the pose `origin` (3,)."""
    c, s = np.cos(origin[2]), np.sin(origin[2])
    d = poses[:, :2] - origin[:2]
    return np.stack([c * d[:, 0] + s * d[:, 1], -s * d[:, 0] + c * d[:, 1], poses[:, 2] - origin[2]], axis=1)


def place_poses(poses: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """`poses` (n, 3) given in the frame of `origin` (3,), in the world."""
    c, s = np.cos(origin[2]), np.sin(origin[2])
    x, y = poses[:, 0], poses[:, 1]
    return np.stack([origin[0] + c * x - s * y, origin[1] + s * x + c * y, origin[2] + poses[:, 2]], axis=1)


def body_velocity(states: np.ndarray) -> np.ndarray:
    """Velocity in the body's frame (..., 3) of `states` (..., 6): forward, leftward, yaw rate."""
    c, s = np.cos(states[..., 2]), np.sin(states[..., 2])
    vx, vy = states[..., 3], states[..., 4]
    return np.stack([c * vx + s * vy, -s * vx + c * vy, states[..., 5]], axis=-1)


def world_states(poses: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """States (n, 6) from `poses` (n, 3) and velocities in the body's frame (n, 3), as in a clip."""
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    u, v, w = velocity.T
    return np.column_stack([poses, c * u - s * v, s * u + c * v, w])


def mismatch(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far two moments are from fitting together: |Δu| + |Δv| + |Δω| over the last axis."""
    return np.abs(np.asarray(a) - np.asarray(b)).sum(axis=-1)
