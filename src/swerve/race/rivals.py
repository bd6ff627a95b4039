"""Cars that do not keep to their lane and speed: they brake for whoever is ahead, and some of them surprise.

What they will do is not known: a driver foresees each of them going on as it goes now, for a moment moving
over and braking as it does, and less surely the further ahead.
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import require
from swerve.core.seeding import generator

from .car import FRAME, LENGTH, WIDTH
from .others import Others
from .track import Lane, Track
from .traffic import FAR, Traffic, drive_lanes

KINDS = ("steady", "reacting", "surprising")
WIDENING = 0.35  # [m/s] by which the outline of a rival grows with the time ahead
HEADWAY, LEAST_GAP = 1.2, 3.0  # [s], [m] kept to whoever is ahead
BESIDE = 2.4  # [m] across within which somebody is ahead rather than beside
BRAKE, GAIN = 5.0, 2.0  # [m/s²] of a rival
SURPRISES = 0.1  # a second, of each rival
SHIFT, SHIFTING = 3.0, 2.0  # [m] and [s] of a change of lane
BRAKING = (0.8, 2.0)  # [s] of a surprising brake
MOVING_ON, BRAKING_ON = 1.0, 0.5  # [s] for which who moves over, or brakes, is foreseen to go on with it
WARNED = 12.0  # [m] to the driven car within which nobody swerves at it: rivals surprise, they do not ram


class Rivals:
    """A `racer.Scene` of cars in the lanes of a track; those that go round in loops keep to them."""

    def __init__(
        self, track: Track, frames: int, seed: int, kind: str = "surprising", cars: int | None = None
    ):
        require(kind in KINDS, "rivals", kind, f"must be one of {', '.join(KINDS)}")
        self.track, self.kind = track, kind
        first = drive_lanes(track, frames, seed, cars).poses
        self.rng = generator(seed, "rivals")
        lanes = [lane for lane in track.lanes if isinstance(lane, Lane)]
        there = np.abs(first[:, 0, 0]) < FAR / 2
        station, offset = track.progress(np.where(there[:, None], first[:, 0, :2], 0.0))
        speed = np.hypot(*(first[:, 1, :2] - first[:, 0, :2]).T) / FRAME
        in_lane = np.array([any(abs(o - lane.offset) < 0.2 for lane in lanes) for o in offset], dtype=bool)
        turned = np.abs(np.sin(first[:, 1, 2] - first[:, 0, 2])) < 0.02
        self.fixed, self.free = first[~(in_lane & there & turned)], np.flatnonzero(in_lane & there & turned)
        self.station, self.offset = station[self.free], offset[self.free]
        self.aim, self.wished = self.offset.copy(), np.maximum(speed[self.free], 3.0)
        self.speed = self.wished.copy()
        self.braking = np.zeros(len(self.free))
        self.across, self.push = np.zeros((2, len(self.free)))  # [m/s] to the left, [m/s²] forward
        self.now = 0
        self.log = [self._poses()]

    def step(self, ego: np.ndarray) -> None:
        """Move everybody on by a frame; `ego` (6,) is the state of the driven car."""
        s, o = self.track.progress(ego[None, :2])
        if self.kind == "surprising":
            self._surprise(float(s[0]), float(o[0]))
        gap = np.full(len(self.station), np.inf)
        ahead = np.append(self.station, s), np.append(self.offset, o)
        for k in range(len(self.station)):
            d = ahead[0] - self.station[k]
            near = (d > 0.1) & (np.abs(ahead[1] - self.offset[k]) < BESIDE)
            gap[k] = d[near].min(initial=np.inf) - LENGTH
        wanted = np.minimum(self.wished, np.maximum(0.0, gap - LEAST_GAP) / HEADWAY)
        wanted = np.where(self.braking > 0.0, 0.3 * self.wished, wanted)
        self.braking -= FRAME
        self.push = np.clip((wanted - self.speed) / FRAME, -BRAKE, GAIN)
        self.speed = self.speed + self.push * FRAME
        self.across = np.clip((self.aim - self.offset) / FRAME, -SHIFT / SHIFTING, SHIFT / SHIFTING)
        self.offset = self.offset + self.across * FRAME
        self.station = self.station + self.speed * FRAME
        self.now += 1
        self.log.append(self._poses())

    def foresee(self, frames: int) -> Others:
        """Everybody goes on along the road as now, and may do otherwise; what is seen of moving over and of
        braking fades away.
        """
        t = FRAME * np.arange(frames + 1)
        moving, braking = MOVING_ON * (1 - np.exp(-t / MOVING_ON)), BRAKING_ON * (1 - np.exp(-t / BRAKING_ON))
        push = np.maximum(self.push, -self.speed / BRAKING_ON)
        s = self.station[:, None] + self.speed[:, None] * t + np.outer(push, BRAKING_ON * (t - braking))
        poses = self._on_track(s, self.offset[:, None] + np.outer(self.across, moving))
        last = self.fixed.shape[1] - 1
        known = self.fixed[:, np.minimum(self.now + np.arange(frames + 1), last)]
        poses = np.concatenate([poses, known])
        turned = np.stack([np.cos(poses[..., 2]), np.sin(poses[..., 2])], axis=-1)
        widening = np.concatenate([np.full(len(s), WIDENING), np.zeros(len(known))])
        return Others(
            np.concatenate([poses[..., :2], turned], axis=-1),
            np.tile([LENGTH, WIDTH], (len(poses), 1)),
            widening,
        )

    def traffic(self) -> Traffic:
        """What everybody did so far."""
        return Traffic(np.stack(self.log, axis=1))

    def _surprise(self, station: float, offset: float) -> None:
        for k in np.flatnonzero(self.rng.random(len(self.station)) < SURPRISES * FRAME):
            if self.rng.random() < 0.5:
                self.braking[k] = self.rng.uniform(*BRAKING)
            elif abs(self.station[k] - station) > WARNED:
                side = self.aim[k] + SHIFT * self.rng.choice([-1.0, 1.0])
                at = self.station[k]
                right, left = (np.interp(at, self.track.s, w) for w in (self.track.right, self.track.left))
                beside = np.abs(self.station - at) < 3 * LENGTH
                beside[k] = False
                free = not np.any(beside & (np.abs(self.offset - side) < BESIDE))
                if WIDTH - right < side < left - WIDTH and free:
                    self.aim[k] = side

    def _poses(self) -> np.ndarray:
        poses = self._on_track(self.station[:, None], self.offset[:, None])[:, 0]
        return np.concatenate([poses, self.fixed[:, min(self.now, self.fixed.shape[1] - 1)]])

    def _on_track(self, s: np.ndarray, offset: np.ndarray) -> np.ndarray:
        poses = self.track.pose(s, offset)
        if not self.track.closed:
            poses[s > self.track.length - 1.0, :2] = FAR
        return poses
