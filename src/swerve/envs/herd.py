"""`Herd-v0`: every rider of a herd an agent, all of them one batch on a mobility map.

A step is 0.1 s. An action (2,) in [−1, 1] is the turn that is wanted (`TURN` to either side, positive left)
and the pace, `SLOWER` below to `FASTER` above the rider's own. An observation is `COLUMNS`, then of the
`NEAREST` riders, nearest first, `OTHERS`, all `LIMIT` where there are fewer. The reward is 0.1, less `SHY`
times how far off the nearest is from the wanted distance, as a share of it and at most 1, and less `FALL` for
falling, which ends a rider's episode. After `seconds` all are cut off. Riders start at random places of a
square, heading +x.
"""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box
from scipy.spatial import cKDTree

from swerve.core.errors import require
from swerve.core.motion import Motion
from swerve.riders import Glide, load_map, load_tuned, scatter
from swerve.riders.maps.trials import DECIDE
from swerve.riders.steering.herd_law import SPACING, HerdLaw
from swerve.riders.steering.herd_measure import check_spacing

from .batch import checked_actions, frames_of

TURN = 0.5  # [rad]
SLOWER, FASTER = 0.3, 0.1  # of the pace
SHY, FALL = 0.2, 5.0
NEAREST = 4
COLUMNS = (
    "speed / 10 m/s",
    "lean [rad]",
    "yaw rate [rad/s]",
    "lean rate [rad/s]",
    "heading: sine",
    "heading: cosine",
)
OTHERS = ("ahead / 20 m", "to the left / 20 m", "faster ahead / 10 m/s", "faster to the left / 10 m/s")
SIZE = len(COLUMNS) + NEAREST * len(OTHERS)
LIMIT = 10.0


class HerdBatch:
    """`riders` of a shipped body (`human`, `alien`), who are to ride `spacing` [m] apart."""

    def __init__(
        self, riders: int = 16, body: str = "human", spacing: float = SPACING, seconds: float = 60.0
    ):
        require(riders >= 2, "riders", riders, "must be at least 2")
        self.map, self.body = load_map(body), body
        check_spacing(spacing, self.map.outline[0])
        self.count, self.spacing, self.frames = riders, spacing, frames_of(seconds, DECIDE)
        self.observation_space = Box(-LIMIT, LIMIT, (SIZE,), np.float32)
        self.action_space = Box(-1.0, 1.0, (2,), np.float32)
        self.seed = 0
        self.reset(0)

    def reset(self, seed: int | None = None) -> np.ndarray:
        """Everybody on their wheels: observations (n, columns). Without a seed, the next one."""
        self.seed = self.seed + 1 if seed is None else seed
        self.riders = Glide(self.map, self.count)
        self.riders.put(*scatter(self.count, self.seed, self.map.radius).T)
        self.frame = 0
        return self.see()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """Observations (n, columns), rewards (n,), who has fallen (n,), and whether all are cut off."""
        actions = checked_actions(actions, (self.count, 2))
        wanted = np.clip(actions, -1.0, 1.0)
        before = self.riders.fell.copy()
        pace = np.where(wanted[:, 1] < 0, SLOWER, FASTER) * wanted[:, 1]
        turned = self.riders.pose[:, 2] + TURN * wanted[:, 0]
        self.riders.advance(turned, self.map.speed * (1.0 + pace), DECIDE)
        self.frame += 1
        seen = self.see()
        off = np.minimum(np.abs(self._gap - self.spacing) / self.spacing, 1.0)
        fell = self.riders.fell & ~before
        reward = np.where(before, 0.0, 0.1 - SHY * off - FALL * fell)
        return seen, reward, self.riders.fell.copy(), self.frame >= self.frames

    def see(self) -> np.ndarray:
        """What every rider sees (n, columns)."""
        riders, near = self.riders, min(NEAREST, self.count - 1)
        x, y, yaw = riders.pose.T
        c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
        apart, others = cKDTree(riders.pose[:, :2]).query(riders.pose[:, :2], near + 1)
        others = others[:, 1:]
        self._gap = apart[:, 1]
        seen = np.zeros((self.count, SIZE), np.float32)
        seen[:, 0] = np.hypot(*riders.velocity.T) / 10.0
        seen[:, 1:4] = riders.state[:, [0, 1, 2]]
        seen[:, 4], seen[:, 5] = s[:, 0], c[:, 0]
        table = seen[:, len(COLUMNS) :].reshape(self.count, NEAREST, len(OTHERS))
        table[:, near:] = LIMIT  # nobody
        for k, (a, b, unit) in enumerate(((x, y, 20.0), (*riders.velocity.T, 10.0))):
            ahead, left = a[others] - a[:, None], b[others] - b[:, None]
            table[:, :near, 2 * k] = (c * ahead + s * left) / unit
            table[:, :near, 2 * k + 1] = (c * left - s * ahead) / unit
        seen[:, len(COLUMNS) :] = table.reshape(self.count, -1)
        return np.clip(seen, -LIMIT, LIMIT, out=seen)


class HerdExpert:
    """The herd's own law as an agent: it looks at the batch, not at observations."""

    def __init__(self, batch: HerdBatch):
        navigator = load_tuned(batch.body).navigator(batch.map, "herd")
        self.batch, self.law = batch, HerdLaw(navigator, batch.map.speed, batch.spacing)

    def __call__(self) -> np.ndarray:
        """Actions (n, 2)."""
        motion: Motion = self.batch.riders.motion()
        heading, pace, _ = self.law.decide(motion)
        share = pace / self.batch.map.speed - 1.0
        speed = share / np.where(share < 0, SLOWER, FASTER)
        return np.clip(np.stack([(heading - motion.yaw) / TURN, speed], -1), -1.0, 1.0)
