"""Mobility maps: where a body gets from here with every turn it can make, tried out beforehand.

A map holds, for every state met on swinging rides at several speeds and every turn, the way of the centre of
mass seen from the state, and whether the body fell. It is a `core` motion library: states are nodes, trials
are clips, and the poses and velocities of a clip together are a cubic spline. The spline is sampled every 0.1
s on loading, for the kernels.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.clips import Clip
from swerve.core.errors import BadInput
from swerve.core.files import replacing
from swerve.core.library import MotionLibrary
from swerve.core.motion import Motion
from swerve.core.steered import Steerable
from swerve.core.untrusted import read_arrays

from .build import MapOptions, at_least, gather
from .carry import fit_carry, ways_from
from .data import MapData
from .trials import DECIDE, FOOT, Tracks, state_names, state_of

EXTRA = ("lean", "fell", "states", "snapshots", "turns", "paces", "pacing")
RISK = 0.05  # share of states that may fall in a turn that is planned with
VERSION = 2  # of the file; maps of one speed were 1


class MobilityMap(MapData):
    """A predictor: where turns lead, from a state."""

    @classmethod
    def build(cls, body: Steerable, options: MapOptions | None = None) -> MobilityMap:
        """Let `body` swing from side to side, then try turns from the states it met."""
        return cls(**vars(gather(body, options or MapOptions())))

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
        at_least("states", count, 1)
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
            "mass": self.mass,
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
        with replacing(path) as draft, draft.open("w+b") as file:
            self._whole().write(file)
            with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
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
        held = read_arrays(path)
        lean, fell, states, snapshots, turns, paces, pacing = (held[name] for name in EXTRA)
        count, samples = lean.shape[:2]
        if len(library.clips) != count or held["controls"].shape[1]:  # turns are a map's controls
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
            (bool((self.tracks.fell > 0).all()), "times of falls"),
            (_finite(self.meta), "finite numbers about the body"),
        )
        return "; ".join(f"it lacks {what}" for fine, what in checks if not fine)

    def _numbers(self) -> tuple[np.ndarray, ...]:
        t = self.tracks
        return (self.states, self.paces, self.turns, self.pacing, self.snapshots, t.pose, t.velocity, t.lean)


def _finite(value: object) -> bool:
    """Whether all numbers in what a file says are finite."""
    if isinstance(value, dict | list):
        return all(_finite(one) for one in (value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or bool(np.isfinite(value))
