"""What a herd did, and how well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swerve.core.errors import require
from swerve.core.plan import Plan, Status

from ..maps.trials import DECIDE
from .follow import LOOKS
from .herd_measure import extent_of, order_of
from .seen import Seen

STANDS = 0.3  # [m/s] below which a rider stands
SETTLED = 0.5  # [m] mean position error of a herd that has formed


@dataclass(frozen=True)
class Herded:
    """What a herd did: decisions at `t` (k,) [s]; `error` (k, n) distance of every rider from its wanted
    place [m]; `pose` (f, n, 3), `velocity` (f, n, 2), `roll` and `level` (f, n; in full or not) at
    `frame_times` (f,), the end among them; `fell` (n,); wall time spent on decisions and on everything [s].
    `told` (f, n, 2) are the headings [rad] and speeds [m/s] in force at the frames; `seen` what else there
    was to see. `groups` (f,) are chains of riders within two spacings of each other; `contacts` pairs that
    touched, of each its first time, or None where there were too many riders to look; `obstacle_contacts`
    riders and obstacles that touched, `contact` (f, n) who touched anything, where there are obstacles.
    """

    t: np.ndarray
    error: np.ndarray
    frame_times: np.ndarray
    pose: np.ndarray
    velocity: np.ndarray
    roll: np.ndarray
    level: np.ndarray
    fell: np.ndarray
    deciding: float
    seconds: float
    told: np.ndarray
    seen: Seen
    groups: np.ndarray
    contacts: int | None
    obstacle_contacts: int = 0
    contact: np.ndarray | None = None

    @property
    def extent(self) -> float:
        """Root mean square distance [m] from the middle of the herd, at the end."""
        return extent_of(self.pose[-1, :, 0], self.pose[-1, :, 1])

    @property
    def order(self) -> float:
        """1 if all head the same way at the end, 0 if they head anywhere."""
        return order_of(self.pose[-1, :, 2])

    @property
    def one_group_after(self) -> float | None:
        """From when on [s] they are one group; None if they are not at the end."""
        apart = np.flatnonzero(self.groups > 1)
        if len(apart) == 0:
            return 0.0
        return float(self.frame_times[apart[-1] + 1]) if apart[-1] + 1 < len(self.groups) else None

    @property
    def standing(self) -> np.ndarray:
        """(n,) who stands at the end, on its wheels."""
        still: np.ndarray = ~self.fell & (np.hypot(*self.velocity[-1].T) < STANDS)
        return still

    def plan(self, rider: int = 0) -> Plan:
        """The ride of one rider; its commands too, if a frame was kept for each of them."""
        count = self.pose.shape[1]
        require(0 <= rider < count, "rider", rider, f"must be one of {count}, from 0")
        every = len(self.frame_times) == len(self.t) + 1
        parts = (self.pose[:, rider], self.velocity[:, rider], self.roll[:, rider])
        return Plan(
            Status.STUCK if self.fell[rider] else Status.RAN,
            self.frame_times,
            np.column_stack(parts),
            ("x", "y", "heading", "vx", "vy", "roll"),
            self.told[:-1, rider] if every else np.zeros((0, 0)),
            ("target_heading", "target_speed") if every else (),
            float(self.error[-1, rider]),
            {"last_error": self.error[-1, rider], "riders": count},
            {"wing": "riders", "scene": f"herd of {count}", **LOOKS},
        )

    @property
    def position_error(self) -> np.ndarray:
        """(k,) mean over the riders on their wheels [m]."""
        up = ~self.fell
        return self.error[:, up].mean(axis=1) if up.any() else self.error.mean(axis=1)

    @property
    def settling_time(self) -> float | None:
        """From when on the mean position error stays below 0.5 m; None if it never does."""
        above = np.flatnonzero(self.position_error > SETTLED)
        if len(above) == 0:
            return 0.0
        return float(self.t[above[-1] + 1]) if above[-1] + 1 < len(self.t) else None

    @property
    def decisions_per_second(self) -> float:
        return self.error.size / max(self.deciding, 1e-9)

    @property
    def realtime_factor(self) -> float:
        return float(self.t[-1] + DECIDE) / max(self.seconds, 1e-9)
