"""What the loop sees of reality: late and noisy places of bodies, as overhead cameras give them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from ..bodies import Motion, World
from ..problem import Problem
from ..scene import Scene
from .reality import FRAME, moving


@dataclass(frozen=True)
class Noise:
    """Standard deviations of what is seen of a body."""

    place: float = 0.0015  # [m]
    heading: float = 0.006  # [rad]

    def times(self, factor: float) -> Noise:
        return Noise(factor * self.place, factor * self.heading)


@dataclass(frozen=True)
class Seen:
    """What a picture taken at `t` shows: x, y and heading of every moving body."""

    t: float
    poses: dict[str, np.ndarray]


class Camera:
    """Looks at reality once a frame; what it saw arrives `latency` seconds later, in whole frames."""

    def __init__(
        self, world: World, random: np.random.Generator, noise: Noise = Noise(), latency: float = 0.05
    ):
        self.world, self.random, self.noise = world, random, noise
        self.names = moving(world)
        self.frames = whole_frames(latency)
        self.late: deque[Seen] = deque()

    def look(self, row: np.ndarray) -> Seen | None:
        """Take a picture of the truth; returns the one that arrives now, if any has yet."""
        scene = one(self.world, row)
        poses = {}
        for name in self.names:
            error = self.random.standard_normal(3)
            pose = np.array([*scene.xy(name)[0], scene.heading(name)[0]])
            if self.world.slot(name).motion is Motion.TURNING:
                error[:2] = 0.0
            pose += error * (self.noise.place, self.noise.place, self.noise.heading)
            poses[name] = pose
        self.late.append(Seen(float(row[0]), poses))
        return self.late.popleft() if len(self.late) > self.frames else None


def whole_frames(latency: float) -> int:
    """The frames after which a picture arrives."""
    return round(latency / FRAME)


def one(world: World, row: np.ndarray, touched: np.ndarray | None = None) -> Scene:
    """A scene of a single state."""
    if touched is None:
        touched = np.zeros(len(world.watch), dtype=bool)
    return Scene(world, row[None], touched[None], np.full((1, 2), np.nan))


def reached(problem: Problem, row: np.ndarray) -> bool:
    """Whether a state is a goal."""
    return bool(problem.goal(one(problem.world, row))[0])
