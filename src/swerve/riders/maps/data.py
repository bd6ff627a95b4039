"""What a mobility map holds, and how its states and trials are looked up."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from swerve.core.bodies import DENSITY

from ..bodies.outline import HEIGHT, WIDTH, kind_of
from .nearest import Index, find_nearest, index_states
from .trials import DECIDE, Moments, Tracks, state_names

MASSES = {"cyclist": 79.1, "alien cyclist": 68.1}  # [kg] of the bodies shipped, machine included


@dataclass(frozen=True, eq=False)
class MapData:
    """States of a body, and where turns lead from each of them.

    `states` (s, 4) roll, yaw rate, roll rate (of a body that slides, its slip for the roll) and speed;
    `paces` (s,) the speeds [m/s] that were commanded, rising; `turns` (a,) [rad], rising; `tracks` of s·a
    trials, state by state; `snapshots` (s, size) of the full body; `pacing` (k, 3) what legs and brakes give
    at each speed, as `limits.paces_of` measures it; `dimensions` names what the nearest state is found by.
    """

    name: str
    speed: float
    radius: float
    turns: np.ndarray
    states: np.ndarray
    snapshots: np.ndarray
    tracks: Tracks
    paces: np.ndarray
    pacing: np.ndarray
    dimensions: tuple[str, ...] = ("roll", "yaw_rate")
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def actions(self) -> int:
        return len(self.turns)

    @property
    def seconds(self) -> float:
        """How far ahead the map looks [s]."""
        return (self.tracks.pose.shape[1] - 1) * self.tracks.dt

    @property
    def fall_share(self) -> float:
        return float(np.isfinite(self.tracks.fell).mean())

    @property
    def kind(self) -> str:
        """What recordings call the body."""
        return str(self.meta.get("kind", kind_of(self.name)))

    @property
    def outline(self) -> tuple[float, float, float]:
        """Length, width and height [m] of the body."""
        length, width, height = self.meta.get("outline", (2 * self.radius, WIDTH, HEIGHT))
        return float(length), float(width), float(height)

    @property
    def mass(self) -> float:
        """[kg] of body and machine; maps that do not say are of the riders shipped, or as dense as cars."""
        known = MASSES.get(self.kind, DENSITY * float(np.prod(self.outline)))
        return float(self.meta.get("mass", known))

    @property
    def sideways(self) -> str:
        """What a state begins with: the `roll` of a body that leans, or the `slip` of one that slides."""
        return str(self.meta.get("sideways", "roll"))

    def moments(self) -> Moments:
        return Moments(self.snapshots, self.states)

    # -- which state is the nearest

    @cached_property
    def scale(self) -> np.ndarray:
        """(d,) one over the range of every dimension met in the trials: distances are in shares of it."""
        t = self.tracks
        met = (t.lean[..., 0], t.velocity[..., 2], t.lean[..., 1])
        return np.array([1.0 / max(np.ptp(met[k]), 1e-9) for k in self.columns])

    @cached_property
    def columns(self) -> np.ndarray:
        """(d,) where the dimensions stand in a state."""
        return np.array([state_names(self.sideways).index(name) for name in self.dimensions])

    @cached_property
    def speeds(self) -> np.ndarray:
        """(k,) the speeds [m/s] it was built at, rising."""
        return np.unique(self.paces)

    @cached_property
    def index(self) -> Index:
        """What the nearest state of each speed is found by."""
        first = np.append(np.searchsorted(self.paces, self.speeds), len(self.states))
        return index_states(self.states, first, self.columns, self.scale)

    def levels(self, speed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For speeds (n,) [m/s] the map's speed below each (n,) and the share of the one above (n,)."""
        if len(self.speeds) == 1:
            return np.zeros(len(speed), dtype=np.int64), np.zeros(len(speed))
        low = np.clip(np.searchsorted(self.speeds, speed, side="right") - 1, 0, len(self.speeds) - 2)
        share = (speed - self.speeds[low]) / (self.speeds[low + 1] - self.speeds[low])
        return low, np.clip(share, 0.0, 1.0)

    def nearest_level(self, speed: np.ndarray) -> np.ndarray:
        """For speeds (n,) [m/s] the nearest speed of the map (n,)."""
        low, share = self.levels(speed)
        return low + (share > 0.5)

    def nearest(self, states: np.ndarray, level: np.ndarray | None = None) -> np.ndarray:
        """For `states` (n, 4), the nearest state of the map (n,) by normalised distance, among those of the
        speed `level` (n,), by default the nearest one."""
        states = np.atleast_2d(states)
        if level is None:
            level = self.nearest_level(states[:, 3])
        out = np.empty(len(states), dtype=np.int64)
        find_nearest(np.ascontiguousarray(states, dtype=np.float64), level, self.index, out)
        return out

    def spline(self, state: int, action: int) -> CubicHermiteSpline:
        """x, y, yaw and roll over time [s] as a cubic spline."""
        return CubicHermiteSpline(self.knots, *self._spline_data(state * self.actions + action))

    @property
    def knots(self) -> np.ndarray:
        return np.arange(self.tracks.pose.shape[1]) * self.tracks.dt

    @cached_property
    def samples(self) -> Tracks:
        """The splines sampled every 0.1 s."""
        times = np.arange(round(self.seconds / DECIDE) + 1) * DECIDE
        values, rates = self._spline_data(slice(None))
        spline = CubicHermiteSpline(self.knots, values.swapaxes(0, 1), rates.swapaxes(0, 1))
        at, speed = spline(times).swapaxes(0, 1), spline(times, 1).swapaxes(0, 1)
        c, s = np.cos(at[..., 2]), np.sin(at[..., 2])
        forward, left = c * speed[..., 0] + s * speed[..., 1], c * speed[..., 1] - s * speed[..., 0]
        return Tracks(
            DECIDE,
            np.ascontiguousarray(at[..., :3]),
            np.stack([forward, left, speed[..., 2]], axis=-1),
            np.stack([at[..., 3], speed[..., 3]], axis=-1),
            self.tracks.fell,
        )

    def _spline_data(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        pose, velocity, lean = self.tracks.pose[rows], self.tracks.velocity[rows], self.tracks.lean[rows]
        c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
        vx = c * velocity[..., 0] - s * velocity[..., 1]
        vy = s * velocity[..., 0] + c * velocity[..., 1]
        rates = np.stack([vx, vy, velocity[..., 2], lean[..., 1]], axis=-1)
        knots = np.arange(pose.shape[-2]) * self.tracks.dt
        fell = np.asarray(self.tracks.fell[rows])[..., None, None]
        rates = np.where(knots[:, None] >= fell - self.tracks.dt - 1e-9, 0.0, rates)  # it lies there
        return np.concatenate([pose, lean[..., :1]], axis=-1), rates

    def between(self, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For `turns` (n,) the action below each (n,) and the share of the one above (n,)."""
        turns = np.clip(turns, self.turns[0], self.turns[-1])
        low = np.clip(np.searchsorted(self.turns, turns, side="right") - 1, 0, self.actions - 2)
        return low, (turns - self.turns[low]) / (self.turns[low + 1] - self.turns[low])
