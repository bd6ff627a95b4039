"""Cars that do not keep to their lane and speed: they brake for whoever is ahead, and some of them surprise.

What they will do is not known: a driver foresees each of them going on as it goes now, for a moment moving
over and braking as it does, and less surely the further ahead.
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import require
from swerve.core.geometry import wrap
from swerve.core.seeding import generator

from .car import FRAME, LENGTH, WIDTH
from .others import Others
from .track import Track
from .traffic import FAR, Traffic, length_of, line_up

KINDS = ("steady", "reacting", "surprising")
WIDENING = 0.35  # [m/s] by which the outline of a rival grows with the time ahead
HEADWAY, LEAST_GAP = 1.2, 3.0  # [s], [m] kept to whoever is ahead
BESIDE = 2.4  # [m] across within which somebody is ahead rather than beside
BRAKE, GAIN = 5.0, 2.0  # [m/s²] of a rival
SURPRISES = 0.1  # a second, of each rival
SHIFT, SHIFTING = 3.0, 2.0  # [m] and [s] of a change of lane
SWERVE = 0.35  # [m] by which who goes round in a loop swerves; the next loop is near
BRAKING = (0.8, 2.0)  # [s] of a surprising brake
MOVING_ON, BRAKING_ON = 1.0, 0.5  # [s] for which who moves over, or brakes, is foreseen to go on with it
WARNED = 12.0  # [m] to the driven car within which nobody swerves at it: rivals surprise, they do not ram
AWARE = 40.0  # [m] ahead within which the driven car counts
WATCHED = 5  # frames by which the way of a recorded car is told


class Rivals:
    """A `scene.Scene` of cars in the lanes and loops of a track."""

    def __init__(
        self, track: Track, frames: int, seed: int, kind: str = "surprising", cars: int | None = None
    ):
        require(kind in KINDS, "rivals", kind, f"must be one of {', '.join(KINDS)}")
        self.track, self.kind = track, kind
        self.starts = line_up(track, seed, cars)
        self.rng = generator(seed, "rivals")
        n = len(self.starts)
        self.in_lane = self.starts.loop < 0
        self.round = np.array([np.inf, *(length_of(loop) for loop in self.starts.loops)])[
            self.starts.loop + 1
        ]
        self.at, self.offset = self.starts.at.copy(), self.starts.offset.copy()
        self.aim, self.wished = self.offset.copy(), np.maximum(self.starts.speed, 3.0)
        self.speed = self.wished.copy()
        self.braking = np.zeros(n)
        self.across, self.push = np.zeros((2, n))  # [m/s] to the left, [m/s²] forward
        self.log = [self._poses()]

    def step(self, ego: np.ndarray) -> None:
        """Move everybody on by a frame; `ego` (6,) is the state of the driven car."""
        apart = np.hypot(*(self.log[-1][:, :2] - ego[:2]).T)
        if self.kind == "surprising":
            self._surprise(apart)
        gap = np.minimum(self._gap_to_rivals(), self._gap_to(ego))
        wanted = np.minimum(self.wished, np.maximum(0.0, gap - LEAST_GAP) / HEADWAY)
        wanted = np.where(self.braking > 0.0, np.minimum(wanted, 0.3 * self.wished), wanted)
        self.braking -= FRAME
        self.push = np.clip((wanted - self.speed) / FRAME, -BRAKE, GAIN)
        self.speed = self.speed + self.push * FRAME
        self.across = np.clip((self.aim - self.offset) / FRAME, -SHIFT / SHIFTING, SHIFT / SHIFTING)
        self.offset = self.offset + self.across * FRAME
        self.at = self.at + self.speed * FRAME
        self.log.append(self._poses())

    def foresee(self, frames: int) -> Others:
        """Everybody goes on along the road or the loop as now, and may do otherwise; what is seen of moving
        over and of braking fades away.
        """
        t = FRAME * np.arange(frames + 1)
        moving, braking = _fading(t, MOVING_ON), _fading(t, BRAKING_ON)
        push = np.maximum(self.push, -self.speed / BRAKING_ON)
        at = self.at[:, None] + self.speed[:, None] * t + np.outer(push, BRAKING_ON * (t - braking))
        return _unsure(self.starts.poses(at, self.offset[:, None] + np.outer(self.across, moving)))

    def traffic(self) -> Traffic:
        """What everybody did so far."""
        return Traffic(np.stack(self.log, axis=1))

    def _gap_to_rivals(self) -> np.ndarray:
        """[m] (n,) to the next one ahead in the same lane or loop."""
        ahead = self.at[None, :] - self.at[:, None]
        around = np.where(np.isfinite(self.round), self.round, 1.0)[:, None]
        ahead = np.where(np.isfinite(self.round)[:, None], ahead % around, ahead)
        near = (self.starts.loop[None, :] == self.starts.loop[:, None]) & (ahead > 0.1)
        beside = np.abs(self.offset[None, :] - self.offset[:, None]) < BESIDE
        return np.where(near & beside, ahead, np.inf).min(axis=1, initial=np.inf) - LENGTH

    def _gap_to(self, ego: np.ndarray) -> np.ndarray:
        """[m] (n,) to the driven car, where it is ahead: along the road, or before the nose in a loop."""
        s, o = self.track.progress(ego[None, :2])
        along, across = s[0] - self.at, o[0] - self.offset
        x, y, heading = self.log[-1].T
        dx, dy = ego[0] - x, ego[1] - y
        c, sn = np.cos(heading), np.sin(heading)
        along = np.where(self.in_lane, along, c * dx + sn * dy)
        across = np.where(self.in_lane, across, c * dy - sn * dx)
        near = (along > 0.1) & (np.abs(across) < BESIDE) & (self.in_lane | (along < AWARE))
        return np.where(near, along, np.inf) - LENGTH

    def _surprise(self, apart: np.ndarray) -> None:
        for k in np.flatnonzero(self.rng.random(len(self.at)) < SURPRISES * FRAME):
            if self.rng.random() < 0.5:
                self.braking[k] = self.rng.uniform(*BRAKING)
            elif apart[k] > WARNED:
                side = self.rng.choice([-1.0, 1.0])
                self.aim[k] = self._other_lane(int(k), side) if self.in_lane[k] else side * SWERVE

    def _other_lane(self, k: int, side: float) -> float:
        """Where rival `k` moves over to that wants to, to one side; where it is, if that is taken."""
        wanted, at = self.aim[k] + SHIFT * side, self.at[k]
        right, left = (np.interp(at, self.track.s, w) for w in (self.track.right, self.track.left))
        beside = self.in_lane & (np.abs(self.at - at) < 3 * LENGTH)
        beside[k] = False
        taken = (np.abs(self.offset - wanted) < BESIDE) | (np.abs(self.aim - wanted) < BESIDE)
        free = WIDTH - right < wanted < left - WIDTH and not np.any(beside & taken)
        return float(wanted if free else self.aim[k])

    def _poses(self) -> np.ndarray:
        return self.starts.poses(self.at[:, None], self.offset[:, None])[:, 0]


class Recorded:
    """A `scene.Scene` of cars that do what they did in a recording, whoever drives: what that will be is not
    known, only how each has moved so far.
    """

    def __init__(self, track: Track, traffic: Traffic):
        self.track, self._traffic, self.now = track, traffic, 0

    def step(self, ego: np.ndarray) -> None:
        self.now += 1

    def foresee(self, frames: int) -> Others:
        """Everybody goes on along the road as in the last moment, moving over less and less."""
        last = self._traffic.frames - 1
        now = min(self.now, last)
        before = max(0, min(self.now, last) - WATCHED)
        here, past = self._traffic.poses[:, now], self._traffic.poses[:, before]
        there = (np.abs(here[:, 0]) < FAR / 2) & (np.abs(past[:, 0]) < FAR / 2)
        t = FRAME * np.arange(frames + 1)
        poses = np.repeat(here[:, None], frames + 1, axis=1)
        if there.any() and now > before:
            s, o = self.track.progress(here[there, :2])
            s0, o0 = self.track.progress(past[there, :2])
            if self.track.closed:
                s0 = s0 + self.track.length * np.round((s - s0) / self.track.length)
            along, across = (s - s0) / (FRAME * (now - before)), (o - o0) / (FRAME * (now - before))
            ahead = s[:, None] + along[:, None] * t
            going = self.track.pose(ahead, o[:, None] + np.outer(across, _fading(t, MOVING_ON)))
            # as askew to the road as now
            going[..., 2] += wrap(here[there, 2] - going[:, 0, 2])[:, None]
            poses[there] = going
        return _unsure(poses)

    def traffic(self) -> Traffic:
        return self._traffic


def _fading(t: np.ndarray, time: float) -> np.ndarray:
    """How long (n,) [s] something has gone on at moments `t` (n,) that fades away with `time`."""
    return time * (1 - np.exp(-t / time))


def _unsure(poses: np.ndarray) -> Others:
    turned = np.stack([np.cos(poses[..., 2]), np.sin(poses[..., 2])], axis=-1)
    sizes = np.tile([LENGTH, WIDTH], (len(poses), 1))
    return Others(np.concatenate([poses[..., :2], turned], axis=-1), sizes, np.full(len(poses), WIDENING))
