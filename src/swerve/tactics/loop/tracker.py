"""Where bodies are now, from late and noisy pictures: a Kalman filter each, and prediction over the latency.

Each axis has place and velocity, driven by unknown accelerations: with q the variance of those and r that of
what is seen, a frame of h seconds does

    x ← F·x,  P ← F·P·Fᵀ + q·[[h⁴/4, h³/2], [h³/2, h²]]
    K = P·Hᵀ/(P₀₀ + r),  x ← x + K·(seen − x₀),  P ← (1 − K·H)·P

A ball that bounces breaks the rule that accelerations are small. So a ball that is seen where four standard
deviations cannot explain it has bounced or been hit: its velocity is forgotten, not its place. Of the robot
whose tracker it is is known what it was told, so that hardly any of its accelerations are unknown, until it
is seen where it cannot have come by itself. Over the latency, it is assumed to follow what it was told, and
balls to roll on and to bounce off walls, and to fly where it was told to kick them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np

from ..bodies import Motion, World
from ..shape import rectangles
from ..skills.handling import CAPTURE, GAP
from .foresee import gone_on, obeyed, rolled_on, taken_in
from .reality import FRAME, Command, Drive, rolled
from .sense import Noise, Seen, whole_frames

SURPRISE = 4.0  # standard deviations after which a ball must have been hit
UNKNOWN = 25.0  # [m²/s²] variance of a velocity about which nothing is known
ACCELERATIONS = {Motion.PLANAR: 8.0, Motion.FREE: 1.5, Motion.TURNING: 0.3}  # [m/s²] or [rad/s²] not foreseen
TOLD = 1.0  # [m/s²] likewise, of a robot of which is known what it was told
WINDOW = 60  # frames over which the rate of a steadily turning body is averaged


class Tracker:
    """Filters for all moving bodies of a world. `start` is a row that says what cannot be seen: heights.
    `drive` is how robots are believed to follow what they are told."""

    def __init__(self, world: World, start: np.ndarray, noise: Noise, latency: float, drive: Drive = Drive()):
        self.world, self.start, self.drive = world, start, drive
        self.frames = whole_frames(latency)
        self.seen_at: float | None = None
        self.filters: dict[str, _Filter] = {}
        self.told: deque[Mapping[str, Command]] = deque(maxlen=self.frames + 1)
        self.angles: dict[str, deque[float]] = {}
        self.noise = noise
        corners = np.array(_walls(world)).reshape(-1, 4, 2)
        self.walls = corners.min(axis=1), corners.max(axis=1)

    def update(self, seen: Seen) -> None:
        """Take in a picture."""
        for name, pose in seen.poses.items():
            if name not in self.filters:
                self.filters[name] = _Filter(pose, self.noise, self.world.slot(name).motion)
            else:
                h = 0.0 if self.seen_at is None else seen.t - self.seen_at
                self.filters[name].update(pose, h, self._told(name, h))
            if self.world.slot(name).motion is Motion.TURNING:
                self.angles.setdefault(name, deque(maxlen=WINDOW + 1)).append(
                    float(self.filters[name].seen[2])
                )
        self.seen_at = seen.t

    def sent(self, commands: Mapping[str, Command]) -> None:
        """Remember what robots were told: it is still to be seen."""
        self.told.append(dict(commands))

    def rate(self, name: str) -> float:
        """Mean turning rate [rad/s] of a body over the last second."""
        angles = self.angles[name]
        return (angles[-1] - angles[0]) / max((len(angles) - 1) * FRAME, FRAME)

    def estimate(self, now: float) -> np.ndarray:
        """The state row that is most likely now."""
        row = self.start.copy()
        row[0] = now
        if self.seen_at is None:
            return row
        ahead = now - self.seen_at
        for name, known in self.filters.items():
            slot = self.world.slot(name)
            place, velocity = known.x[:, 0].copy(), known.x[:, 1].copy()
            if slot.motion is Motion.TURNING:
                rate = self.rate(name) if len(self.angles[name]) > 10 else float(velocity[2])
                row[slot.qpos], row[slot.qvel] = place[2] + rate * ahead, rate
                continue
            if slot.motion is Motion.PLANAR:
                place, velocity = self._follow(name, place, velocity, ahead)
                row[slot.qpos : slot.qpos + 2] = place[:2] - slot.base[:2]
                row[slot.qpos + 2] = place[2]
                row[slot.qvel : slot.qvel + 3] = velocity
            else:
                place[:2], velocity[:2] = self._roll(name, place[:2], velocity[:2], ahead)
                row[slot.qpos : slot.qpos + 2], row[slot.qvel : slot.qvel + 2] = place[:2], velocity[:2]
                rolled(self.world, name, row)
        return row

    def _told(self, name: str, h: float) -> np.ndarray | None:
        """What changed a robot's velocity (3,) before the last picture, if that is known."""
        if len(self.told) <= self.frames or name not in self.told[0] or abs(h - FRAME) > 1e-6:
            return None
        return self._change(self.told[0][name], self.filters[name].x[:, 1].copy())

    def _follow(
        self, name: str, place: np.ndarray, velocity: np.ndarray, ahead: float, frames: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """A robot does within the latency what it was told, if need be in its first `frames` alone; one of
        others goes on as it did."""
        told = [commands.get(name) for commands in self.told] if ahead > 0 else []
        if not told or told[-1] is None:
            return place + ahead * velocity, velocity
        for command in (told[-round(ahead / FRAME) :] if round(ahead / FRAME) else [])[:frames]:
            assert command is not None
            change = self._change(command, velocity)
            place, velocity = place + FRAME * (velocity + 0.5 * change), velocity + change
        return place, velocity

    def _change(self, command: Command, velocity: np.ndarray) -> np.ndarray:
        """By how much a robot's velocity (3,) changes in a frame that it is told so."""
        return obeyed(velocity, command.velocity, self.drive.limits, FRAME)

    def _roll(
        self, name: str, place: np.ndarray, velocity: np.ndarray, ahead: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """A ball rolls on, slower and slower, and is thrown back by the walls it meets; a robot that was told
        to kick does so if the ball is at its mouth."""
        place, velocity, (low, high) = place.copy(), velocity.copy(), self.walls
        frames, radius, rolled = round(ahead / FRAME), self.world.slot(name).radius, 0
        for k, commands in enumerate(list(self.told)[-frames:] if frames else []):
            for robot, command in commands.items():
                if command.kick <= 0.0 or robot not in self.filters:
                    continue
                rolled_on(place, velocity, k - rolled, FRAME, low - radius, high + radius)
                known, rolled = self.filters[robot].x, k
                (x, y, heading), _ = self._follow(robot, known[:, 0].copy(), known[:, 1].copy(), ahead, k)
                towards = np.array([np.cos(heading), np.sin(heading)])
                mouth = (x, y) + (self.world.slot(robot).radius + radius + GAP) * towards
                if float(np.hypot(*(place - mouth))) < CAPTURE:
                    velocity = command.kick * towards
        rolled_on(place, velocity, frames - rolled, FRAME, low - radius, high + radius)
        return place, velocity


class _Filter:
    """x, y and heading of one body, each with its rate: `x` (3, 2), variances `p` (3, 2, 2)."""

    def __init__(self, pose: np.ndarray, noise: Noise, motion: Motion):
        self.seen = np.array(pose, dtype=float)
        self.x = np.stack([self.seen, np.zeros(3)], axis=1)
        self.r = np.maximum([noise.place, noise.place, noise.heading], 1e-6) ** 2
        self.p = np.array([[[r, 0.0], [0.0, UNKNOWN]] for r in self.r])
        pushed = ACCELERATIONS[motion]
        self.q = np.array([pushed, pushed, 10 * pushed if motion is Motion.PLANAR else pushed]) ** 2
        self.ball = motion is Motion.FREE

    def update(self, pose: np.ndarray, h: float, told: np.ndarray | None = None) -> None:
        """Take in a pose `h` seconds after the last; `told` is by how much the rates were made to change."""
        turned = pose[2] - self.seen[2]
        turned -= 2 * np.pi * np.round(turned / (2 * np.pi))
        self.seen = np.array([pose[0], pose[1], self.seen[2] + turned])
        before = self.x.copy(), self.p.copy()
        if told is not None:
            gone_on(self.x, self.p, h, self.q * (TOLD / ACCELERATIONS[Motion.PLANAR]) ** 2)
            self.x = self.x + np.outer(told, (0.5 * h, 1.0))
            if self._surprised():  # something held it up
                self.x, self.p = before
                told = None
        if told is None:
            gone_on(self.x, self.p, h, self.q)
        if self.ball and self._surprised():
            self.p[:2, 1, :] = self.p[:2, :, 1] = 0.0
            self.p[:2, 1, 1] = UNKNOWN
            self.p[:2, 0, 0] += (UNKNOWN**0.5 * h) ** 2
            self.p[:2, 0, 1] = self.p[:2, 1, 0] = UNKNOWN * h
        taken_in(self.x, self.p, self.seen, self.r)

    def _surprised(self) -> bool:
        """Whether it is seen in a place that is hardly possible."""
        spread = np.sqrt(self.p[:2, 0, 0] + self.r[:2])
        return bool((np.abs(self.seen - self.x[:, 0])[:2] > SURPRISE * spread).any())


def _walls(world: World) -> Sequence[np.ndarray]:
    """Outlines of what stands still and is no floor."""
    here = np.zeros((1, 2)), np.zeros(1)
    found: list[np.ndarray] = []
    for body in world.bodies:
        if world.slot(body.name).motion is Motion.NONE and not body.floor:
            found += rectangles(world.model, world.model.body(body.name).id, *here)
    return found
