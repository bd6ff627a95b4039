"""Who is on the field, from pictures of others' cameras: numbers become places in a team's arrays, and a
filter follows each. Several cameras' views of a robot are averaged; of balls the one is believed that is
near where it is expected, else the surest. What no new picture shows is hidden: its filter goes on as in a
match by eyes.

Our teams know so many robots a side, the first of which is the keeper. Robots that are not there stand off
the field; those beyond that number are not looked at.
"""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import wrap

from .eyes.merge import SAME, Sighting
from .match.field import Field
from .match.model import FRAME, HEADING
from .match.sight import Sight, Tracker
from .match.slide import UNKNOWN
from .match.world import MatchWorld

GONE = 2.0  # [s] after which a robot that nobody sees is off the field
FRESH = 0.1  # [s] after which a picture of something is too old
LONGEST_STEP = 6  # frames that a filter is taken on at once
APART = 1.5 * FRAME  # [s] between views of several cameras that are merged
CARRIED = 0.75 * FRAME  # [s] that a view is carried on at most: by more, filters would swing
CAMERAS = 16  # that are told apart
NEAR = 0.3  # [m] from where the ball is expected; beyond it must have been put there
HALF_SURE = 0.5  # of the surest ball: what is less sure is none beside it

View = tuple[float, np.ndarray, float]  # capture time [s], place, how sure


class Roster(Tracker):
    """A tracker that is told what is seen. Everything in it has blue attack towards +x."""

    def __init__(self, place: Field, side: int, sight: Sight, random: np.random.Generator):
        super().__init__(MatchWorld(place), sight, random)
        self.side, self.keepers = side, (0, 0)
        self.t = -np.inf  # [s] of the newest picture
        self.flipped = False
        self._slots: dict[tuple[int, int], int] = {}  # row by team and number
        self._poses: dict[int, dict[int, View]] = {}  # by row and camera
        self._balls: dict[int, View] = {}  # by camera
        self._fresh: set[int] = set(range(self.n))  # rows whose filters begin anew
        self._shown: set[int] = set()  # rows, n for the ball, that were seen since the last `take`
        self._ahead = FRAME  # [s] from that one to the next

    def see(self, t: float, sighting: Sighting, flipped: bool) -> None:
        """Take in one camera's picture."""
        if flipped != self.flipped:  # sides were changed
            self.flipped, self.t, self.seen = flipped, -np.inf, False
            self._slots.clear()
            self._poses.clear()
            self._balls.clear()
            self._shown.clear()
        self.t = max(self.t, t)
        sign, camera = -1.0 if flipped else 1.0, sighting.camera % CAMERAS
        for (team, number), pose in sorted(sighting.robots.items()):
            row = self._row(team, number)
            if row is not None:
                turn = pose[HEADING] + (np.pi if flipped else 0.0)
                place = np.array([sign * pose[0], sign * pose[1], turn])
                self._poses.setdefault(row, {})[camera] = t, place, 1.0
                self._shown.add(row)
        if sighting.ball is not None:
            self._balls[camera] = t, sign * sighting.ball[:2], sighting.sure
            self._shown.add(self.n)

    def numbers(self) -> dict[int, int]:
        """Our robots that are there: the number of each slot (0 to n − 1)."""
        first = self.side * self.n // 2
        return {row - first: number for (team, number), row in self._slots.items() if team == self.side}

    def take(self, frames: int) -> None:
        """Follow everybody into the newest picture, so many frames after the last."""
        self._ahead = FRAME * min(max(frames, 1), LONGEST_STEP)
        picture = self.picture()
        self._shown.clear()
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
        self.take_in(picture, self.hidden, self._ahead)

    def picture(self) -> np.ndarray:
        """What is seen (n + 1, 3), what is expected of those who are `hidden`, and a place outside for those
        who are not there."""
        for key in [key for key, row in self._slots.items() if self.t - _newest(self._poses[row]) > GONE]:
            row = self._slots.pop(key)
            del self._poses[row]
            self._fresh.add(row)
        found = self.mean[:, :, 0] + self._ahead * self.mean[:, :, 1]
        self.hidden[:] = True
        field = self.world.field
        for row in range(self.n):
            views = self._poses.get(row)
            if not views:
                side = -1.0 if row < self.n // 2 else 1.0
                found[row] = side * (field.length / 2 + 1.0), field.width / 2 + 1.0 + 0.3 * row, 0.0
                self.hidden[row] = False
            elif row in self._shown and self.t - _newest(views) < FRESH:
                self.hidden[row] = False
                places, _ = self._carried(views, row)
                known = self.seen and row not in self._fresh
                best = np.argmin(_away(places, found[row])) if known else 0
                found[row] = _agreed(places, places[best])
        if self.n in self._shown and self.t - _newest(self._balls) < FRESH:
            self.hidden[self.n] = False
            places, sure = self._carried(self._balls, self.n)
            places, sure = places[sure >= HALF_SURE * sure.max()], sure[sure >= HALF_SURE * sure.max()]
            away = _away(places, found[self.n])
            best = np.argmin(away) if away.min() < NEAR else np.argmax(sure)
            found[self.n] = *_agreed(places, places[best]), 0.0
        return found

    def _carried(self, views: dict[int, View], row: int) -> tuple[np.ndarray, np.ndarray]:
        """Places (k, …) of about the same moment, carried on towards that of the newest picture, and how sure
        they are."""
        newest = _newest(views)
        recent = [view for view in views.values() if newest - view[0] < APART]
        velocity = self.mean[row, : len(recent[0][1]), 1]
        now = min(self.t, newest + CARRIED)
        places = np.array([place + (now - t) * velocity for t, place, _ in recent])
        return places, np.array([sure for _, _, sure in recent])

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
        self._shown.discard(row)


def _newest(views: dict[int, View]) -> float:
    return max(t for t, _, _ in views.values())


def _away(places: np.ndarray, at: np.ndarray) -> np.ndarray:
    return np.hypot(places[:, 0] - at[0], places[:, 1] - at[1])


def _agreed(places: np.ndarray, best: np.ndarray) -> np.ndarray:
    """The mean of those that speak of the same body as the `best`."""
    off = places[_away(places, best) < SAME] - best
    off[:, HEADING:] = wrap(off[:, HEADING:])
    return best + off.mean(axis=0)
