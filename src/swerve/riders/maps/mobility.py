"""Mobility maps: where a body gets from here with every turn it can make, tried out beforehand.

A map holds, for every state met on a swinging ride and every turn, the way of the centre of mass seen from
the state. It is a `core` motion library: states are nodes, trials are clips, and the poses and velocities of
a clip together are a cubic spline. The spline is sampled every 0.1 s on loading, for the kernels.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial import cKDTree

from swerve.core.clips import Clip
from swerve.core.errors import BadInput
from swerve.core.files import replacing
from swerve.core.library import MotionLibrary

from ..bodies.body import Body
from .trials import DECIDE, STATE, Moments, Tracks, swing, try_turns

KNOT = 0.2  # [s] between the knots of a spline
PERIOD = 6.0  # [s] of the swinging ride
SWINGS = (0.15, 0.4, 0.7, 1.0)  # amplitudes of the swinging ride, as shares of the largest turn
GRAIN = 2.0**-13  # stored numbers are multiples of this (0.12 mm, 0.007°), which halves the file
EXTRA = ("lean", "fell", "states", "snapshots", "turns")


@dataclass(frozen=True, eq=False)
class MobilityMap:
    """`states` (s, 3) roll, yaw rate and roll rate; `turns` (a,) [rad], rising; `tracks` of s·a trials, state
    by state; `snapshots` (s, size) of the full body; `dimensions` names what the nearest state is found by.
    """

    name: str
    speed: float
    radius: float
    turns: np.ndarray
    states: np.ndarray
    snapshots: np.ndarray
    tracks: Tracks
    dimensions: tuple[str, ...] = ("roll", "yaw_rate")
    meta: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def build(
        cls,
        body: Body,
        states: int = 100,
        actions: int = 10,
        seconds: float = 5.0,
        swings: Sequence[float] = SWINGS,
        period: float = PERIOD,
        dimensions: Sequence[str] = ("roll", "yaw_rate"),
        threads: int = 1,
    ) -> MobilityMap:
        """Let `body` swing from side to side, then try `actions` turns for `seconds` from each of `states`.

        `swings` are amplitudes as shares of the largest turn; the seed rode one.
        """
        _positive("states", states, 1)
        _positive("actions", actions, 2)
        _positive("seconds", seconds, 2 * KNOT)
        wrong = [name for name in dimensions if name not in STATE]
        if wrong or not dimensions:
            raise BadInput("dimensions", list(dimensions), f"must be some of {', '.join(STATE)}")
        moments = swing(body, np.asarray(swings) * max(body.turns), states, period, threads)
        turns = np.linspace(body.turns[0], body.turns[1], actions)
        everyone = np.repeat(np.arange(len(moments)), actions)
        tracks = try_turns(body, moments.pick(everyone), np.tile(turns, len(moments)), seconds, KNOT, threads)
        meta = {"swings": list(swings), "period": period, "seconds": seconds}
        return cls(
            body.name,
            body.speed,
            body.radius,
            turns,
            moments.states,
            moments.snapshots,
            _grained(tracks),
            tuple(dimensions),
            meta,
        )

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

    def moments(self) -> Moments:
        return Moments(self.snapshots, self.states)

    # -- which state is the nearest

    @cached_property
    def scale(self) -> np.ndarray:
        """(d,) one over the range of every dimension met in the trials: distances are in shares of it."""
        t = self.tracks
        met = {"roll": t.lean[..., 0], "yaw_rate": t.velocity[..., 2], "roll_rate": t.lean[..., 1]}
        return np.array([1.0 / max(np.ptp(met[name]), 1e-9) for name in self.dimensions])

    @cached_property
    def columns(self) -> np.ndarray:
        """(d,) where the dimensions stand in a state."""
        return np.array([STATE.index(name) for name in self.dimensions])

    @cached_property
    def index(self) -> cKDTree:
        return cKDTree(self.states[:, self.columns] * self.scale)

    def nearest(self, states: np.ndarray) -> np.ndarray:
        """For `states` (n, 3), the nearest state of the map (n,) by normalised distance."""
        found: np.ndarray = self.index.query(np.atleast_2d(states)[:, self.columns] * self.scale)[1]
        return found.astype(np.int64)

    # -- where it leads

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

    # -- on disk

    def library(self) -> MotionLibrary:
        """The map as a motion library; a trial that falls is a clip that ends there and leads nowhere."""
        t = self.tracks
        clips, target = [], []
        for k in range(len(t.pose)):
            frames = t.pose.shape[1] - 1
            if np.isfinite(t.fell[k]):
                frames = max(round(t.fell[k] / t.dt) - 1, 1)
            name = f"{k // self.actions} {self.turns[k % self.actions]:+.2f}"
            clips.append(Clip(name, t.dt, t.pose[k, : frames + 1], t.velocity[k, : frames + 1]))
            end = np.array([[t.lean[k, -1, 0], t.velocity[k, -1, 2], t.lean[k, -1, 1]]])
            target.append(-1 if np.isfinite(t.fell[k]) else int(self.nearest(end)[0]))
        source = np.repeat(np.arange(len(self.states)), self.actions)
        nodes = tuple(f"roll {r:+.3f}, yaw rate {w:+.3f}" for r, w, _ in self.states)
        first = t.velocity[:: self.actions, 0]
        meta = {
            **self.meta,
            "mobility map": 1,
            "speed": self.speed,
            "radius": self.radius,
            "dimensions": list(self.dimensions),
        }
        return MotionLibrary(self.name, tuple(clips), source, np.array(target), nodes, first, meta)

    def save(self, path: str | Path) -> Path:
        """Write as a motion library with the map's own arrays beside the library's."""
        t = self.tracks
        arrays = (t.lean, t.fell, self.states, self.snapshots, self.turns)
        with replacing(path) as draft:
            self.library().save(draft)
            with zipfile.ZipFile(draft, "a", zipfile.ZIP_DEFLATED) as archive:
                for name, array in zip(EXTRA, arrays, strict=True):
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                        np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> MobilityMap:
        """Read a map; a file that is cut short, damaged or another kind of library is refused."""
        library = MotionLibrary.load(path)
        if "mobility map" not in library.meta:
            raise BadInput(f"mobility map {path}", library.name, "is a motion library of another kind")
        try:
            with np.load(path, allow_pickle=False) as archive:
                lean, fell, states, snapshots, turns = (archive[name] for name in EXTRA)
            count, samples = lean.shape[:2]
            pose, velocity = np.empty((count, samples, 3)), np.empty((count, samples, 3))
            for k, clip in enumerate(library.clips):
                for whole, piece in ((pose, clip.pose), (velocity, clip.velocity)):
                    whole[k, : len(piece)], whole[k, len(piece) :] = piece, piece[-1]
            tracks = Tracks(library.dt, pose, velocity, lean.astype(float), fell)
            meta = dict(library.meta)
            fields = (meta.pop("speed"), meta.pop("radius"), turns, states, snapshots, tracks)
            found = cls(library.name, *fields, tuple(meta.pop("dimensions")), meta)
            if count != len(states) * len(turns) or len(library.clips) != count:
                raise ValueError
        except Exception as error:  # zip and array readers fail in a dozen ways on damaged bytes
            raise BadInput(f"mobility map {path}", None, "is damaged") from error
        return found


def _grained(tracks: Tracks) -> Tracks:
    """Numbers as they will be stored, so that a map behaves the same before and after."""
    coarse = [np.round(part / GRAIN) * GRAIN for part in (tracks.pose, tracks.velocity, tracks.lean)]
    pose, velocity, lean = (part.astype(np.float32).astype(float) for part in coarse)
    return Tracks(tracks.dt, pose, velocity, lean, tracks.fell)


def _positive(what: str, value: float, least: float) -> None:
    if not (np.isfinite(value) and value >= least):
        raise BadInput(what, value, f"must be at least {least:g}")
