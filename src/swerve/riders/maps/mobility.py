"""Mobility maps: where a body gets from here with every turn it can make, tried out beforehand.

A map holds, for every state met on swinging rides at several speeds and every turn, the way of the centre of
mass seen from the state, and whether the body fell. It is a `core` motion library: states are nodes, trials
are clips, and the poses and velocities of a clip together are a cubic spline. The spline is sampled every 0.1
s on loading, for the kernels.
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
from swerve.core.motion import Motion
from swerve.core.steered import Steerable

from ..bodies.outline import HEIGHT, WIDTH, kind_of
from .carry import fit_carry, ways_from
from .limits import paces_of, speeds_of, spread, widest_turn
from .nearest import Index, find_nearest, index_states
from .trials import DECIDE, FOOT, Moments, Tracks, state_names, state_of, swing, try_turns

KNOT = 0.2  # [s] between the knots of a spline
PERIOD = 6.0  # [s] of the swinging ride
SWINGS = (0.15, 0.4, 0.7, 1.0)  # amplitudes of the swinging ride, as shares of the largest turn
GRAIN = 2.0**-13  # stored numbers are multiples of this (0.12 mm, 0.007°), which halves the file
EXTRA = ("lean", "fell", "states", "snapshots", "turns", "paces", "pacing")
RISK = 0.05  # share of states that may fall in a turn that is planned with
VERSION = 2  # of the file; maps of one speed were 1


@dataclass(frozen=True)
class MapOptions:
    """How a map is built: `states` at each of `speeds` speeds (1: the nominal one), `actions` turns of
    `seconds` each. `swings` are amplitudes as shares of the body's own largest turn, of `period` [s]; the
    seed rode one. `widest` [rad] is the largest turn, by default the body's own; `by_trial` finds it by
    trial. `dimensions` names what the nearest state of a speed is found by."""

    states: int = 100
    actions: int = 10
    seconds: float = 5.0
    speeds: int = 1
    swings: Sequence[float] = SWINGS
    period: float = PERIOD
    widest: float | None = None
    by_trial: bool = False
    dimensions: Sequence[str] | None = None
    threads: int = 1

    def __post_init__(self) -> None:
        _positive("states", self.states, 1)
        _positive("actions", self.actions, 2)
        _positive("seconds", self.seconds, 2 * KNOT)
        _positive("speeds", self.speeds, 1)
        if self.widest is not None and not 0 < self.widest < np.pi:
            raise BadInput("widest", self.widest, "must lie between 0 and half a turn")


@dataclass(frozen=True, eq=False)
class MobilityMap:
    """A predictor: where turns lead, from a state.

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

    @classmethod
    def build(cls, body: Steerable, options: MapOptions | None = None) -> MobilityMap:
        """Let `body` swing from side to side, then try turns from the states it met."""
        o = options or MapOptions()
        names = state_names(body.sideways)
        dimensions = names[:2] if o.dimensions is None else o.dimensions
        if not dimensions or any(name not in names for name in dimensions):
            raise BadInput("dimensions", list(dimensions), f"must be some of {', '.join(names)}")
        speeds = speeds_of(body, o.speeds)
        tried: list[tuple[float, float]] = []
        turns = np.linspace(body.turns[0], body.turns[1], o.actions)
        if o.by_trial:
            widest, tried = widest_turn(body, speeds, o.threads)
            turns = spread(widest, o.actions)
        elif o.widest is not None:
            turns = spread(o.widest, o.actions)
        swings = np.asarray(o.swings) * max(body.turns)
        rides = [swing(body, swings, o.states, o.period, o.threads, float(v)) for v in speeds]
        snapshots = np.concatenate([ride.snapshots for ride in rides])
        moments = Moments(snapshots, np.concatenate([ride.states for ride in rides]))
        paces = np.repeat(speeds, [len(ride) for ride in rides])
        each = np.repeat(np.arange(len(moments)), o.actions)
        commands = np.tile(turns, len(moments))
        tracks = try_turns(body, moments.pick(each), commands, o.seconds, KNOT, o.threads, paces[each])
        meta = {
            "swings": list(o.swings),
            "period": o.period,
            "seconds": o.seconds,
            "kind": body.kind,
            "outline": list(body.outline),
            "sideways": body.sideways,
            "turns tried": [list(pair) for pair in tried],
        }
        return cls(
            body.name,
            body.speed,
            body.radius,
            turns,
            moments.states,
            moments.snapshots,
            _grained(tracks),
            paces,
            paces_of(body, speeds, o.threads),
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

    # -- where it leads

    def foresee(self, motion: Motion, commands: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Poses (n, k, 3) of bodies that turn by `commands` (n,) [rad] from here, at their present speed.

        Whoever fell stays; beyond the map's seconds they go straight on.
        """
        times = np.asarray(times, dtype=np.float64)
        turns = np.asarray(commands, dtype=np.float64).reshape(len(motion))
        ticks = self.samples.pose.shape[1] - 1
        last = min(ticks, int(np.ceil(float(times.max(initial=0.0)) / DECIDE - 1e-9)) + 1)
        ways = ways_from(self, state_of(motion), turns, slice(0, last + 1))
        at = np.minimum(times / DECIDE, last)
        low = np.minimum(at.astype(np.int64), last - 1)
        share = (at - low)[:, None]
        way = (1 - share) * ways[:, low] + share * ways[:, low + 1]
        beyond = motion.speed[:, None] * np.maximum(times - last * DECIDE, 0.0)
        ahead = way[..., 0] + beyond * np.cos(way[..., 2])
        left = way[..., 1] + beyond * np.sin(way[..., 2])
        moved = np.exp(1j * motion.yaw)[:, None] * (ahead + 1j * left)
        moved *= np.where(motion.fell, 0.0, 1.0)[:, None]
        turned = np.where(motion.fell, 0.0, np.minimum(1.0, motion.speed / FOOT))[:, None] * way[..., 2]
        return np.stack(
            [motion.x[:, None] + moved.real, motion.y[:, None] + moved.imag, motion.yaw[:, None] + turned], -1
        )

    @cached_property
    def carry(self) -> np.ndarray:
        """(k, m, 3, 6) what a difference from the nearest state adds at every 0.1 s, by speed."""
        return fit_carry(self)

    @cached_property
    def cornering(self) -> np.ndarray:
        """(k,) the sideways acceleration [m/s²] that is kept up for a second without a risk, at each speed:
        speed times yaw rate, at the median over the states, of the best turn that nearly never ends in a
        fall."""
        samples, ticks = self.samples, round(1.0 / DECIDE)
        turned = np.abs(samples.pose[:, ticks:, 2] - samples.pose[:, :-ticks, 2]).max(axis=1)  # [rad] in 1 s
        turned = turned.reshape(len(self.states), self.actions)
        fell = np.isfinite(self.tracks.fell).reshape(turned.shape)
        found = []
        for v in self.speeds:
            mine = self.paces == v
            safe = fell[mine].mean(axis=0) <= RISK
            typical = np.median(turned[mine], axis=0)
            found.append(v * float(typical[safe].max() if safe.any() else typical.min()))
        return np.array(found)

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

    def library(self, seconds: float = 1.0, states: int | None = None) -> MotionLibrary:
        """The first `seconds` of every trial as clips of 0.1 s a frame, for a search to drive on.

        Nodes are the states of its nominal speed, or so many of them, spread evenly. A clip leads to the node
        nearest to how it ends; one that falls in it leads nowhere.
        """
        if not DECIDE <= seconds <= self.seconds:
            raise BadInput("seconds", seconds, f"must lie within {DECIDE:g} and {self.seconds:g}")
        level = int(self.nearest_level(np.array([self.speed]))[0])
        first, stop = self.index.begins[level : level + 2]
        count = stop - first if states is None else min(states, stop - first)
        _positive("states", count, 1)
        kept = np.linspace(first, stop - 1, count).round().astype(np.int64)
        ticks, t = round(seconds / DECIDE), self.samples
        rows = (kept[:, None] * self.actions + np.arange(self.actions)).ravel()
        names = [f"{row // self.actions} {self.turns[row % self.actions]:+.2f}" for row in rows]
        clips = [
            Clip(name, DECIDE, t.pose[row, : ticks + 1], t.velocity[row, : ticks + 1])
            for name, row in zip(names, rows, strict=True)
        ]
        ends = np.column_stack([t.lean[rows, ticks, 0], t.velocity[rows, ticks, 2], t.lean[rows, ticks, 1]])
        index = cKDTree(self.index.points[kept])
        target = index.query(ends[:, self.columns] * self.scale)[1].astype(np.int64)
        target[self.tracks.fell[rows] <= seconds + self.tracks.dt] = -1
        return self._as_library(clips, np.repeat(np.arange(count), self.actions), target, kept)

    def _as_library(
        self, clips: Sequence[Clip], source: np.ndarray, target: np.ndarray, kept: np.ndarray
    ) -> MotionLibrary:
        nodes = tuple(
            f"{self.sideways} {r:+.3f}, yaw rate {w:+.3f}, speed {v:.1f}"
            for (r, w, *_), v in zip(self.states[kept], self.paces[kept], strict=True)
        )
        meta = {
            **self.meta,
            "mobility map": VERSION,
            "speed": self.speed,
            "radius": self.radius,
            "outline": list(self.outline),
            "kind": self.kind,
            "dimensions": list(self.dimensions),
        }
        first = self.tracks.velocity[kept * self.actions, 0]
        return MotionLibrary(self.name, tuple(clips), source, target, nodes, first, meta)

    # -- on disk

    def _whole(self) -> MotionLibrary:
        """All trials at full length; one that falls is a clip that ends there and leads nowhere."""
        t = self.tracks
        clips, target = [], []
        for k in range(len(t.pose)):
            frames = t.pose.shape[1] - 1
            if np.isfinite(t.fell[k]):
                frames = max(round(t.fell[k] / t.dt) - 1, 1)
            name = f"{k // self.actions} {self.turns[k % self.actions]:+.2f}"
            clips.append(Clip(name, t.dt, t.pose[k, : frames + 1], t.velocity[k, : frames + 1]))
            pace = self.paces[k // self.actions]
            end = np.array([[t.lean[k, -1, 0], t.velocity[k, -1, 2], t.lean[k, -1, 1], pace]])
            target.append(-1 if np.isfinite(t.fell[k]) else int(self.nearest(end)[0]))
        source = np.repeat(np.arange(len(self.states)), self.actions)
        return self._as_library(clips, source, np.array(target), np.arange(len(self.states)))

    def save(self, path: str | Path) -> Path:
        """Write as a motion library with the map's own arrays beside the library's."""
        t = self.tracks
        arrays = (t.lean, t.fell, self.states, self.snapshots, self.turns, self.paces, self.pacing)
        with replacing(path) as draft:
            self._whole().save(draft)
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
        if library.meta["mobility map"] != VERSION:
            raise BadInput(
                f"mobility map {path}", library.meta["mobility map"], f"must be of version {VERSION}"
            )
        try:
            found = cls._read(path, library)
        except Exception as error:  # zip and array readers fail in a dozen ways on damaged bytes
            raise BadInput(f"mobility map {path}", None, "is damaged") from error
        wrong = found._wrong()
        if wrong:
            raise BadInput(f"mobility map {path}", None, f"is damaged: {wrong}")
        return found

    @classmethod
    def _read(cls, path: str | Path, library: MotionLibrary) -> MobilityMap:
        with np.load(path, allow_pickle=False) as archive:
            lean, fell, states, snapshots, turns, paces, pacing = (archive[name] for name in EXTRA)
        count, samples = lean.shape[:2]
        if len(library.clips) != count:
            raise ValueError
        pose, velocity = np.empty((count, samples, 3)), np.empty((count, samples, 3))
        for k, clip in enumerate(library.clips):
            for whole, piece in ((pose, clip.pose), (velocity, clip.velocity)):
                whole[k, : len(piece)], whole[k, len(piece) :] = piece, piece[-1]
        tracks = Tracks(library.dt, pose, velocity, lean.astype(float), fell)
        meta = dict(library.meta)
        fields = (float(meta.pop("speed")), float(meta.pop("radius")), turns, states, snapshots, tracks)
        return cls(library.name, *fields, paces, pacing, tuple(meta.pop("dimensions")), meta)

    def _wrong(self) -> str:
        """What cannot be in a map, in words; empty if nothing."""
        s, a = self.states.shape[0], len(self.turns)
        known = state_names(self.sideways)
        checks = (
            (
                self.states.shape == (s, 4) and self.paces.shape == (s,) and self.turns.ndim == 1,
                "shapes of states",
            ),
            (len(self.tracks.fell) == s * a and len(self.snapshots) == s, "a trial for every state and turn"),
            (a >= 2 and bool((np.diff(self.turns) > 0).all()), "turns that rise"),
            (bool((np.diff(self.paces) >= 0).all() and (self.paces > 0).all()), "speeds that rise"),
            (self.pacing.shape == (len(np.unique(self.paces)), 3), "what legs and brakes give"),
            (bool(self.dimensions) and all(name in known for name in self.dimensions), "dimensions"),
            (self.speed > 0 and self.radius > 0 and self.tracks.dt > 0, "speed, radius and step above zero"),
            (all(np.isfinite(part).all() for part in self._numbers()), "finite numbers"),
            (not np.isnan(self.tracks.fell).any(), "times of falls"),
        )
        return "; ".join(f"it lacks {what}" for fine, what in checks if not fine)

    def _numbers(self) -> tuple[np.ndarray, ...]:
        t = self.tracks
        return (self.states, self.paces, self.turns, self.pacing, self.snapshots, t.pose, t.velocity, t.lean)


def _grained(tracks: Tracks) -> Tracks:
    """Numbers as they will be stored, so that a map behaves the same before and after."""
    coarse = [np.round(part / GRAIN) * GRAIN for part in (tracks.pose, tracks.velocity, tracks.lean)]
    pose, velocity, lean = (part.astype(np.float32).astype(float) for part in coarse)
    return Tracks(tracks.dt, pose, velocity, lean, tracks.fell)


def _positive(what: str, value: float, least: float) -> None:
    if not (np.isfinite(value) and value >= least):
        raise BadInput(what, value, f"must be at least {least:g}")
