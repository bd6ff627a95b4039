"""Who is on the field, from pictures of others' cameras: numbers become places in a team's arrays, and a
filter follows each.

Our teams know so many robots a side, the first of which is the keeper. Robots that are not there stand off
the field; those beyond that number are not looked at.
"""

from __future__ import annotations

import numpy as np

from .eyes.merge import Sighting
from .match.field import Field
from .match.model import FRAME, HEADING
from .match.sight import UNKNOWN, Sight, Tracker, take_in
from .match.world import MatchWorld

GONE = 2.0  # [s] after which a robot that nobody sees is off the field
FRESH = 0.1  # [s] after which a picture of something is too old
LONGEST_STEP = 6  # frames that a filter is taken on at once


class Roster(Tracker):
    """A tracker that is told what is seen. Everything in it has blue attack towards +x."""

    def __init__(self, place: Field, side: int, sight: Sight, random: np.random.Generator):
        super().__init__(MatchWorld(place), sight, random)
        self.side, self.keepers = side, (0, 0)
        self.t = -np.inf  # [s] of the newest picture
        self.flipped = False
        self._slots: dict[tuple[int, int], int] = {}  # row by team and number
        self._poses: dict[int, tuple[float, np.ndarray]] = {}  # by row
        self._ball: tuple[float, np.ndarray] | None = None
        self._fresh: set[int] = set(range(self.n))  # rows whose filters begin anew

    def see(self, t: float, sighting: Sighting, flipped: bool) -> None:
        """Take in one camera's picture."""
        if flipped != self.flipped or t < self.t - GONE:  # sides were changed, or time began anew
            self.flipped, self.t, self.seen = flipped, -np.inf, False
            self._slots.clear()
            self._poses.clear()
        self.t = max(self.t, t)
        sign = -1.0 if flipped else 1.0
        for (team, number), pose in sorted(sighting.robots.items()):
            row = self._row(team, number)
            if row is not None:
                turn = pose[HEADING] + (np.pi if flipped else 0.0)
                self._poses[row] = t, np.array([sign * pose[0], sign * pose[1], turn])
        if sighting.ball is not None:
            self._ball = t, sign * sighting.ball[:2]

    def numbers(self) -> dict[int, int]:
        """Our robots that are there: the number of each slot (0 to n − 1)."""
        first = self.side * self.n // 2
        return {row - first: number for (team, number), row in self._slots.items() if team == self.side}

    def take(self, frames: int) -> None:
        """Follow everybody into the newest picture, so many frames after the last."""
        picture = self.picture()
        if not self.seen:
            self.mean[:, :, 0], self.seen = picture, True
            self.mean[:, :, 1] = 0.0
            self.spread[:] = 0.0
            self.spread[:, :, 0, 0], self.spread[:, :, 1, 1] = self.noise**2, UNKNOWN
            self._fresh.clear()
            return
        for row in self._fresh:
            self.mean[row, :, 0], self.mean[row, :, 1], self.spread[row] = picture[row], 0.0, 0.0
            self.spread[row, :, 0, 0], self.spread[row, :, 1, 1] = self.noise[row] ** 2, UNKNOWN
        self._fresh.clear()
        h = FRAME * min(max(frames, 1), LONGEST_STEP)
        take_in(self.mean, self.spread, picture, self.noise, self.push, h)

    def picture(self) -> np.ndarray:
        """What is seen (n + 1, 3), what is expected of those who are not seen, and a place outside for those
        who are not there."""
        for key in [key for key, row in self._slots.items() if self.t - self._poses[row][0] > GONE]:
            row = self._slots.pop(key)
            del self._poses[row]
            self._fresh.add(row)
        found = self.mean[:, :, 0] + FRAME * self.mean[:, :, 1]
        field = self.world.field
        for row in range(self.n):
            t, pose = self._poses.get(row, (None, None))
            if pose is None:
                side = -1.0 if row < self.n // 2 else 1.0
                found[row] = side * (field.length / 2 + 1.0), field.width / 2 + 1.0 + 0.3 * row, 0.0
            elif t is not None and self.t - t < FRESH:
                found[row] = pose
        if self._ball is not None and self.t - self._ball[0] < FRESH:
            found[self.n] = *self._ball[1], 0.0
        return found

    def _row(self, team: int, number: int) -> int | None:
        """The row of a robot, given to it when it is first seen; the keeper has its team's first."""
        key, first = (team, number), team * self.n // 2
        keeper = number == self.keepers[team]
        row = self._slots.get(key)
        if row is not None and (row == first) == keeper:
            return row
        if row is not None:  # who keeps goal has changed
            self._free(key)
        if keeper:
            for other in [one for one, taken in self._slots.items() if taken == first]:
                self._free(other)
            row = first
        else:
            taken = set(self._slots.values())
            free = [k for k in range(first + 1, first + self.n // 2) if k not in taken]
            if not free:
                return None
            row = free[0]
        self._slots[key] = row
        self._fresh.add(row)
        return row

    def _free(self, key: tuple[int, int]) -> None:
        row = self._slots.pop(key)
        self._poses.pop(row, None)
        self._fresh.add(row)
