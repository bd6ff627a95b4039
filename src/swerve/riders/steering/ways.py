"""One course a rider, as arrays: where riders are on them, what lies ahead, and how to get back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from swerve.core.kernels import kernel
from swerve.core.way import Way

from ..maps.trials import DECIDE
from .curves import SPACING, Course

LOST = 4.0  # [m] off the course from which a rider looks for the way back
RUN_IN = 35.0  # [m] that riders get to come round to a closed course
NEAR, EASED = 0.2, 1.5  # [m] off it from which a rider comes back by and by, and [s] in which a third is left
BACK = 2.5  # times as far ahead on the course as it is off it: where a lost rider heads for


def run_in(way: Way) -> float:
    """[m] before the first point of a closed course where a ride begins: upright, and a closed course may
    begin in a bend. Nobody comes to the beginning of an open one."""
    return min(RUN_IN, 0.5 * way.length) if way.closed else 0.0


class Ways:
    """Where riders are on their courses, and what lies ahead of them. With `running_in` closed courses can be
    come to from behind their first point, at negative stations."""

    def __init__(self, ways: Sequence[Course], running_in: bool = False):
        self.ways = list(ways)
        distinct = {id(way): way for way in ways}
        lead = {id(way): int(run_in(way) / SPACING) if running_in else 0 for way in ways}
        rows = {name: _rows(way, lead[name]) for name, way in distinct.items()}
        offsets = dict(zip(distinct, np.cumsum([0, *(len(r) for r in rows.values())]), strict=False))
        self.points = np.concatenate(list(rows.values()))
        self.begin = np.array([offsets[id(way)] for way in ways])
        self.first = self.begin + np.array([lead[id(way)] for way in ways])
        self.last = self.first + np.array([len(way.points) + way.closed - 1 for way in ways])
        self.closed = np.array([way.closed for way in ways])
        self.step = np.array([way.length / (len(way.points) - 1 + way.closed) for way in ways])
        self.corner = np.array([way.corner for way in ways])
        self.at = self.first.astype(np.float64)
        self.lost, self.aside = np.zeros(len(self.ways), dtype=bool), np.zeros(len(self.ways))

    def begin_at(self, x: np.ndarray, y: np.ndarray) -> None:
        """Riders start at x, y (n,): by the beginning of the run-in or by the first point."""
        ends = (self.points[self.begin], self.points[self.first])
        far = [np.hypot(point[:, 0] - x, point[:, 1] - y) for point in ends]
        self.at = np.where(far[0] < far[1], self.begin, self.first).astype(np.float64)

    def locate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Go along with riders at x, y: how far [m] along their ways and how far off to the left (n,).

        A rider that is lost is looked for on the whole course ahead.
        """
        aside = np.empty(len(self.at))
        _locate(x, y, self.points, self.begin, self.last, self.step, self.lost, self.at, aside)
        self.lost, self.aside = np.abs(aside) > LOST, aside
        return (self.at - self.first) * self.step, aside

    def row(self, ahead: float | np.ndarray = 0.0) -> np.ndarray:
        """(n,) which point of its course each rider is at, or will be `ahead` [m] from now."""
        at = np.floor(self.at - self.first + ahead / self.step).astype(int)
        count = np.array([len(way.points) for way in self.ways])
        rows: np.ndarray = np.where(self.closed, at % count, np.clip(at, 0, count - 1))
        return rows

    def heading(self) -> np.ndarray:
        """(n,) [rad] of the courses where the riders are."""
        heading: np.ndarray = self.points[np.minimum(self.at.astype(int), self.last), 2]
        return heading

    def ahead(self, speed: float | np.ndarray, ticks: int) -> np.ndarray:
        """Reference (n, ticks, 3): where each rider should be every 0.1 s from now at `speed` [m/s]."""
        out = np.empty((len(self.at), ticks, 3))
        step = np.broadcast_to(np.asarray(speed) * DECIDE / self.step, len(self.at))
        _ahead(self.points, self.first, self.last, self.closed, self.step, self.at, step, out)
        return out

    def back(self, reference: np.ndarray, x: np.ndarray, y: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """The same reference, but lost riders head straight for a place ahead on their course."""
        lost = np.flatnonzero(self.lost)
        if not len(lost):
            return reference
        near = self.points[self.at[lost].astype(int)]
        far = np.hypot(x[lost] - near[:, 0], y[lost] - near[:, 1])
        goal = np.minimum(self.at[lost] + BACK * far / self.step[lost], self.last[lost]).astype(int)
        aim = self.points[goal]
        heading = np.arctan2(aim[:, 1] - y[lost], aim[:, 0] - x[lost])
        gone = speed[lost, None] * DECIDE * np.arange(1, reference.shape[1] + 1)
        reference = reference.copy()
        reference[lost, :, 0] = x[lost, None] + gone * np.cos(heading)[:, None]
        reference[lost, :, 1] = y[lost, None] + gone * np.sin(heading)[:, None]
        reference[lost, :, 2] = heading[:, None]
        return reference

    def led_back(self, steering: object, reference: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """The same reference, but who is off its course is led back to it by and by."""
        begun = self.at >= self.first  # who comes to a closed course is to be on it when it begins
        aside = np.where(begun & ~self.lost, self.aside, 0.0)
        return led_back(steering, reference, aside, speed)


def led_back(steering: object, reference: np.ndarray, aside: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """The same reference (n, m, 3), but riders that are `aside` [m] of it, to the left (n,), are led back to
    it by and by. Told to be on it at once, riders who look less than a second ahead turn as hard as they can,
    too long, and never come to rest.

    What steers and comes back by a rule of its own says so: its `at_once` is true.
    """
    rows = np.flatnonzero(np.abs(aside) > NEAR)
    if getattr(steering, "at_once", False) or not len(rows):
        return reference
    later = DECIDE * np.arange(1, reference.shape[1] + 1)
    off = (aside[rows] - np.copysign(NEAR, aside[rows]))[:, None] * np.exp(-later / EASED)
    reference, heading = reference.copy(), reference[rows, :, 2]
    reference[rows, :, 0] -= off * np.sin(heading)
    reference[rows, :, 1] += off * np.cos(heading)
    reference[rows, :, 2] -= np.arctan(off / EASED / speed[rows, None])
    return reference


def _rows(way: Course, lead: int) -> np.ndarray:
    """(m, 3) x, y, heading; of a closed course its first point once more, a turn further, and its last `lead`
    points before it all, a turn back."""
    rows = np.column_stack([way.points, way.heading])
    if not way.closed:
        return rows
    turn = way.heading[0] - way.heading[-1]
    end = rows[:1].copy()
    end[0, 2] = way.heading[-1] + (turn + np.pi) % (2 * np.pi) - np.pi
    before = rows[len(rows) - lead :].copy()
    before[:, 2] -= end[0, 2] - rows[0, 2]
    return np.vstack([before, rows, end])


@kernel
def _locate(x, y, points, first, last, step, lost, at, aside):
    for i in range(len(x)):
        k = int(at[i])
        low, high = max(k - 8, first[i]), min(k + 48, last[i])  # riders do not leap along a way
        if lost[i]:
            high = last[i]
        found, best = k, np.inf
        for j in range(low, high + 1):
            far = (points[j, 0] - x[i]) ** 2 + (points[j, 1] - y[i]) ** 2
            if far < best:
                best, found = far, j
        c, s = np.cos(points[found, 2]), np.sin(points[found, 2])
        dx, dy = x[i] - points[found, 0], y[i] - points[found, 1]
        along = (c * dx + s * dy) / step[i]
        at[i] = min(max(found + min(max(along, -0.5), 0.5), first[i]), last[i])
        aside[i] = c * dy - s * dx
        if best > 16 * aside[i] ** 2 and best > 1.0:  # beyond an end of the course
            aside[i] = np.sqrt(best) if aside[i] >= 0 else -np.sqrt(best)


@kernel
def _ahead(points, first, last, closed, spacing, at, step, out):
    for i in range(len(at)):
        for k in range(out.shape[1]):
            u = at[i] + (k + 1) * step[i]
            turn = 0.0
            if u > last[i] and closed[i]:  # once more round
                u -= last[i] - first[i]
                turn = points[last[i], 2] - points[first[i], 2]
            if u > last[i]:  # straight on behind the end
                end = points[last[i]]
                out[i, k, 0] = end[0] + (u - last[i]) * spacing[i] * np.cos(end[2])
                out[i, k, 1] = end[1] + (u - last[i]) * spacing[i] * np.sin(end[2])
                out[i, k, 2] = end[2]
            else:
                j = min(int(u), last[i] - 1)
                share = u - j
                for d in range(3):
                    out[i, k, d] = (1 - share) * points[j, d] + share * points[j + 1, d]
                out[i, k, 2] += turn
