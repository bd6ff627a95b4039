"""Plain bodies of scene files: things that roll, drift or stand, and a mind that follows a way."""

from __future__ import annotations

import numpy as np

from swerve.core.bodies import PlainBody
from swerve.core.view import View
from swerve.core.way import Way

NAMES = ("x", "y", "yaw", "vx", "vy", "yaw_rate", "bend")
REACTION = 0.5  # [s] ahead of which a follower looks along its way
STRONGEST_TURN = 1.5  # [rad/s]
LANE = 0.5  # [m] beside its outline that a follower keeps free
SIDE_GRIP = 8.0  # [m/s²] of wheels across their heading
EASE, BRAKE = 2.0, 6.0  # [m/s²] speeding up, and slowing down at most


def rolling(
    kind: str, size: tuple[float, float, float], drag: float = 0.0, mass: float | None = None
) -> PlainBody:
    """A thing that goes on as it is pushed, slowed by `drag` [m/s²], spin included.

    Its course turns by `bend` [rad/s]; a knock makes it spin, which bends no course. Its command, if it has
    a mind, is speed along itself [m/s] and yaw rate [rad/s].
    """
    arm = (size[0] + size[1]) / 4  # [m] at which drag holds a spin

    def move(rows: np.ndarray, commands: np.ndarray, dt: float) -> np.ndarray:
        rows = rows.copy()
        if commands.shape[1]:
            c, s = np.cos(rows[:, 2]), np.sin(rows[:, 2])
            aside = rows[:, 4] * c - rows[:, 3] * s  # what wheels do not follow rubs off
            aside = np.sign(aside) * np.maximum(np.abs(aside) - SIDE_GRIP * dt, 0.0)
            rows[:, 3] = commands[:, 0] * c - aside * s
            rows[:, 4] = commands[:, 0] * s + aside * c
            rows[:, 5] = rows[:, 6] = commands[:, 1]
        speed = np.hypot(rows[:, 3], rows[:, 4])
        slower = np.maximum(speed - drag * dt, 0.0) / np.maximum(speed, 1e-9)
        turned = np.exp(1j * rows[:, 6] * dt) * slower
        velocity = (rows[:, 3] + 1j * rows[:, 4]) * turned
        rows[:, 3], rows[:, 4] = velocity.real, velocity.imag
        rows[:, :2] += dt * rows[:, 3:5]
        rows[:, 2] += dt * rows[:, 5]
        spin = rows[:, 5] - rows[:, 6]
        rows[:, 5] = rows[:, 6] + np.sign(spin) * np.maximum(np.abs(spin) - drag / arm * dt, 0.0)
        return rows

    return PlainBody(kind, size, NAMES, (0.0,) * len(NAMES), move, mass=mass)


class AlongWay:
    """A `Chooser` that follows a way at `speed` (n,) [m/s] and stops behind whoever is in front.

    Its commands are those of `rolling`. It looks where others are and how fast, no further: a body that
    comes from the side must look out itself.
    """

    def __init__(self, way: Way, speed: np.ndarray, offset: np.ndarray | float = 0.0):
        self.way, self.speed, self.offset = way, speed, offset
        self._station: np.ndarray | None = None

    def choose(self, view: View, dt: float) -> np.ndarray:
        mine = view.mine
        places = np.stack([mine.x, mine.y], axis=-1)
        station, _ = self.way.locate(places, self._station)
        self._station = station
        now = mine.along
        aim = self.way.place(station + 2.0 + REACTION * np.maximum(now, 0.0), self.offset)
        bearing = np.arctan2(aim[:, 1] - mine.y, aim[:, 0] - mine.x)
        far = np.hypot(aim[:, 0] - mine.x, aim[:, 1] - mine.y)
        wanted = np.clip(self._free_speed(view), now - BRAKE * dt, now + EASE * dt)
        turn = 2 * wanted * np.sin(bearing - mine.yaw) / np.maximum(far, 1e-6)
        return np.stack([wanted, np.clip(turn, -STRONGEST_TURN, STRONGEST_TURN)], axis=-1)

    def stopping_speed(self, station: np.ndarray) -> np.ndarray:
        """(n,) [m/s] from which a body can well stop at the end of the way."""
        if self.way.closed:
            return np.full(np.shape(station), np.inf)
        return np.sqrt(BRAKE * np.maximum(self.way.length - station, 0.0))

    def _free_speed(self, view: View) -> np.ndarray:
        """The speed (n,) from which a body can still stop behind whoever is in its lane ahead."""
        everyone, mine = view.everyone, view.mine
        assert self._station is not None
        free = np.minimum(self.speed, self.stopping_speed(self._station))
        first, rows = view.near(10.0 + float(np.max(self.speed)) ** 2 / BRAKE)
        who = np.repeat(np.arange(len(mine)), np.diff(first))  # one entry for each pair of neighbours
        me, them, motion = everyone.outline[view.first + who], everyone.outline[rows], everyone.motion
        c, s = np.cos(mine.yaw)[who], np.sin(mine.yaw)[who]
        dx, dy = motion.x[rows] - mine.x[who], motion.y[rows] - mine.y[who]
        turned = motion.yaw[rows] - mine.yaw[who]
        tc, ts = np.abs(np.cos(turned)) / 2, np.abs(np.sin(turned)) / 2
        along = dx * c + dy * s
        ahead = along - me[:, 0] / 2 - (tc * them[:, 0] + ts * them[:, 1])
        beside = np.abs(dy * c - dx * s) - me[:, 1] / 2 - (ts * them[:, 0] + tc * them[:, 1]) - LANE
        theirs = np.maximum(motion.vx[rows] * c + motion.vy[rows] * s, 0.0)
        front = (beside < 0) & (along > 0)
        gap = np.maximum(ahead[front] - 1.0, 0.0)
        np.minimum.at(free, who[front], np.sqrt(theirs[front] ** 2 + BRAKE * gap))
        return free
