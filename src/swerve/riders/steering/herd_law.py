"""The law of a herd: every rider wants to be a set distance from its neighbours, and nobody is left behind.

Places are told along a way, by station and offset; without one the herd rides towards +x. A rider's wanted
place is a weighted mean over its neighbours of the place at the right distance from each, on the line between
the two. The nearest six count, by 1/d⁶: with slower weights those beyond the nearest pull the herd together
(1/d² ends at 3 m when asked for 5). Such a law alone leaves groups that see nothing of each other. So whoever
is not of the largest group heads for its nearest member, and the largest group waits for those behind.

Neighbours move to their places too. A rider that heads for where its place is now always comes late, and what
a whole row is off by then shrinks slowly. So riders aim at where their places will be, as far as what steers
them can foresee it: a map tells what neighbours will do that lean already and have not yet turned. Whoever is
about to touch another, or an obstacle, gives way to the side and brakes for it.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.geometry import wrap
from swerve.core.kernels import kernel
from swerve.core.motion import Motion
from swerve.core.way import Way

from ..bodies.outline import WIDTH
from ..bodies.threads import in_slices
from ..maps.trials import DECIDE
from .decide import lay_lines
from .follow import Steering
from .gaps import AHEAD, ALONG, EDGE, Gaps, Lines
from .herd_measure import LINK, SPACING, check_spacing, groups_of, largest_group
from .neighbours import find_neighbours
from .pace import Pace
from .passing import lay_along, passing_speed

LOOK_AROUND = 5  # ticks between two looks for who the neighbours are
FORESEEN = 0.4  # [s] how far ahead; at twice that, foreseen turns answer each other and humans weave
BELIEVED = 0.8  # share of a foreseen move that is made: if all were, groups would never stop drifting
PACE_GAIN = 0.6  # [1/s] speed per metre behind
FASTER, SLOWER = 0.02, 0.06  # at most, as shares of the speed, within the group
CHASE, WAIT = 0.10, 0.35  # the same for riders that are not of the largest group: behind it, before it
WAIT_IN_STREET = 0.12  # before it where nobody can pass: legs take long to make up for more
EASE = 0.12  # share of its speed that the largest group gives up while somebody is behind
ASIDE = 4.0  # [m] at most that is made up sideways at a time
CLEAR_LONG, CLEAR_WIDE = 3.0, 1.6  # [m] half axes of the room that riders leave each other
GIVE_WAY = 2.5  # [m] to the side, at most, for somebody in that room
BLOCK = 4096  # riders that are thought of together: what is worked out of them stays in fast memory
LOOKED = 3.5  # [s] ahead for narrow places


class Foreseeing(Steering, Protocol):
    """What steers a herd: it also has an idea of where riders will be."""

    def foresee(self, motion: Motion, heading: np.ndarray, seconds: float) -> np.ndarray:
        """(n, 2) places `seconds` from now of riders that were told to head for `heading` (n,) [rad]."""
        ...


class HerdLaw:
    """What every rider of a herd does next; it remembers who the neighbours are and who was told what.

    `way` is what they ride along, by default towards +x; `pace` how fast it can be ridden; `gaps` are what
    obstacles leave free of it; `size` are length and width [m] of a rider.
    """

    def __init__(
        self,
        steering: Foreseeing,
        speed: float,
        spacing: float = SPACING,
        threads: int = 1,
        way: Way | None = None,
        pace: Pace | None = None,
        gaps: Gaps | None = None,
        size: tuple[float, float] = (1.7, WIDTH),
    ):
        check_spacing(spacing, size[0])
        self.steering, self.speed, self.spacing, self.threads = steering, speed, spacing, threads
        self.way, self.pace = way, pace
        self.gaps = gaps
        self.size = size
        self.heading: np.ndarray | None = None
        self.station: np.ndarray | None = None
        self.neighbours = np.empty((0, 0), dtype=np.int64)
        self.group: np.ndarray | None = None
        self.leader = np.empty(0, dtype=np.int64)
        self.looked = 0

    @property
    def _edged(self) -> bool:
        """Whether the way is a street, with edges."""
        return self.way is not None and bool(self.way.left.any() or self.way.right.any())

    def decide(self, motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Headings [rad] and speeds [m/s] for the next 0.1 s, and distances [m] from wanted places, (n,)."""
        x, y, course = self._along(motion)
        if self.looked % LOOK_AROUND == 0:
            self._look_around(x, y)
        self.looked += 1
        told = motion.yaw if self.heading is None else self.heading
        n = len(x)
        shift = wanted_shift(x, y, self.neighbours, self.spacing, self.threads)
        later = self.steering.foresee(motion, told, FORESEEN)
        then, move, going = np.empty((2, n)), np.empty((2, n)), np.empty((n, 2))
        error, base = np.empty(n), np.empty(n)
        change, left, across = np.empty(n), shift[1].copy(), np.empty(n)

        def foreseen(rows: slice) -> None:
            now, here = motion[rows], (x[rows], y[rows])
            c, s = np.cos(course[rows]), np.sin(course[rows])
            dx, dy = later[rows, 0] - now.x, later[rows, 1] - now.y
            then[0, rows], then[1, rows] = here[0] + c * dx + s * dy, here[1] + c * dy - s * dx
            move[:, rows] = then[:, rows] - here - shift[:, rows]
            going[rows, 0], going[rows, 1] = now.vx * c + now.vy * s, now.vy * c - now.vx * s
            error[rows] = np.hypot(*shift[:, rows])
            base[rows] = self._base(*here)

        in_slices(foreseen, n, self.threads, BLOCK)
        move += wanted_shift(then[0], then[1], self.neighbours, self.spacing, self.threads)
        middle = np.median(move, axis=1)  # what all do alike brings nobody nearer

        def wanted(rows: slice) -> None:
            along = BELIEVED * (move[0, rows] - middle[0]) / FORESEEN  # [m/s]
            across[rows] = BELIEVED * (move[1, rows] - middle[1]) / FORESEEN
            change[rows] = np.clip((PACE_GAIN * shift[0, rows] + along) / self.speed, -SLOWER, FASTER)

        in_slices(wanted, n, self.threads, BLOCK)
        change, left, across = self._gather(x, y, change, left, across)
        aside, slower = giving_way(x, y, going, self.neighbours, self.threads)
        aim, drift, pace, least = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
        reference = np.empty((n, max(self.steering.ticks, 1), 3))

        def settled(rows: slice) -> None:
            to, give = left[rows], aside[rows]
            to = np.where(to * give < 0, 0.0, np.clip(to, -ASIDE, ASIDE)) + give  # one or the other
            pace[rows] = base[rows] * (1 + change[rows]) - slower[rows]
            least[rows] = 0.3 * base[rows]
            aim[rows] = self._free(x[rows], y[rows] + to, pace[rows])
            drift[rows] = np.arctan2(across[rows], self.speed)
            fast = np.maximum(motion[rows].speed, 2.0)
            self._refer(x[rows], aim[rows], drift[rows], fast, reference[rows])

        in_slices(settled, n, self.threads, BLOCK)
        if self.gaps is not None:
            lines = self._lines(self.gaps, x, y, aim, drift)
            pace = passing_speed(lines, x, y, motion.speed, base, np.maximum(pace, least), self.size)
            least = np.where(lines.near, 0.0, least)
            lay_along(reference, lines, self.way, x, np.maximum(motion.speed, 2.0))
        self.heading = motion.yaw + self.steering.turns(motion, reference)
        return self.heading, np.maximum(pace, least), error

    def _along(self, motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Station, offset [m] and direction [rad] of the way where riders are."""
        if self.way is None:
            return motion.x, motion.y, np.zeros(len(motion.x))
        station, offset = self.way.locate(np.column_stack([motion.x, motion.y]), self.station)
        self.station = station
        return station, offset, self.way.place(station)[:, 2]

    def _look_around(self, x: np.ndarray, y: np.ndarray) -> None:
        self.neighbours = find_neighbours(x, y, self.threads)
        group = groups_of(x, y, self.neighbours, LINK * self.spacing)
        main = largest_group(group)
        self.group = group == main
        self.leader = np.arange(len(x))
        if not self.group.all():
            members = np.flatnonzero(self.group)
            strays = np.flatnonzero(~self.group)
            places = np.column_stack([x, y])
            self.leader[strays] = members[cKDTree(places[members]).query(places[strays])[1]]

    def _gather(
        self, x: np.ndarray, y: np.ndarray, change: np.ndarray, left: np.ndarray, across: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Lead whoever is not of the largest group to its nearest member, and let that group wait."""
        stray = self.leader != np.arange(len(x))
        if not stray.any():
            return change, left, across
        to_x, to_y = x[self.leader] - x, y[self.leader] - y
        far = np.maximum(np.hypot(to_x, to_y), 1e-6)
        short = (far - self.spacing) / far
        wait = WAIT_IN_STREET if self._edged else WAIT
        chase = np.clip(0.5 * short * to_x / self.speed, -wait, CHASE)
        change = np.where(stray, chase, change)
        if not self._edged:  # in a street all are beside each other anyway
            left = np.where(stray, short * to_y, left)
            across = np.where(stray, 0.0, across)
        if (stray & (to_x > 0)).any():
            change = np.where(stray, change, change - EASE)
        return change, left, across

    def _base(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """(n,) [m/s] how fast riders go where nobody is in their way; inside a bend they are slower."""
        if self.way is None:
            return np.full(len(x), self.speed)
        inner = np.maximum(1 - self.way.at(self.way.curvature, x) * y, 0.3)
        if self.pace is None:
            return self.speed * inner
        near = np.minimum.reduce([self.way.at(self.pace.speed, x + d) for d in (0.0, 5.0, 10.0)])
        return np.minimum(near, self.speed) * inner

    def _free(self, x: np.ndarray, aim: np.ndarray, pace: np.ndarray) -> np.ndarray:
        """Offsets (n,) near `aim` that the edges of the way leave free."""
        for d in (0.0, 0.5 * LOOKED, LOOKED):
            aim = self._within(x + d * pace, aim)
        return aim

    def _lines(self, gaps: Gaps, x: np.ndarray, y: np.ndarray, aim: np.ndarray, drift: np.ndarray) -> Lines:
        """Where riders go who want to be at offsets `aim` (n,) and drift with their places."""
        ahead = ALONG * np.arange(AHEAD + 1)
        wanted = aim[:, None] + ahead * np.tan(drift)[:, None]
        return gaps.lines(x, y, self._within(x[:, None] + ahead, wanted))

    def _within(self, station: np.ndarray, offset: np.ndarray) -> np.ndarray:
        """Offsets kept off the edges of a way that has a width."""
        if self.way is None or not self._edged:
            return offset
        left, right = (self.way.at(edge, station) - EDGE for edge in (self.way.left, self.way.right))
        return np.clip(offset, -np.maximum(right, 0.0), np.maximum(left, 0.0))

    def _refer(
        self, x: np.ndarray, aim: np.ndarray, drift: np.ndarray, pace: np.ndarray, out: np.ndarray
    ) -> None:
        """Write the reference (n, m, 3): along the way at the wanted offsets, drifting with their places."""
        if self.way is None:
            lay_lines(x, aim, drift, pace / np.cos(drift), out)
            return
        gone = pace[:, None] * DECIDE * np.arange(1, out.shape[1] + 1)
        offset = aim[:, None] + gone * np.tan(drift)[:, None]
        out[:] = self.way.place(x[:, None] + gone, self._within(x[:, None] + gone, offset))
        out[..., 2] = wrap(out[..., 2] + drift[:, None])


def wanted_shift(
    x: np.ndarray, y: np.ndarray, neighbours: np.ndarray, spacing: float, threads: int = 1
) -> np.ndarray:
    """(2, n) how far [m] every rider is from its wanted place: along the way and to its left."""
    out = np.zeros((2, len(x)))
    in_slices(lambda rows: _wanted(rows.start, rows.stop, x, y, neighbours, spacing, out), len(x), threads)
    return out


def giving_way(
    x: np.ndarray, y: np.ndarray, going: np.ndarray, neighbours: np.ndarray, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """How far [m] to the left riders give way to neighbours they are about to touch, and how much slower
    [m/s] they go for them; `going` (n, 2) [m/s] is their motion along the way and to its left."""
    out = np.zeros((2, len(x)))
    in_slices(lambda rows: _give_way(rows.start, rows.stop, x, y, going, neighbours, out), len(x), threads)
    return out[0], out[1]


@kernel
def _wanted(
    first: int,
    stop: int,
    x: np.ndarray,
    y: np.ndarray,
    neighbours: np.ndarray,
    spacing: float,
    out: np.ndarray,
) -> None:
    for i in range(first, stop):
        total, ahead, left = 0.0, 0.0, 0.0
        for k in range(neighbours.shape[1]):
            j = neighbours[i, k]
            dx, dy = x[i] - x[j], y[i] - y[j]
            square = max(dx * dx + dy * dy, 0.01)
            far = np.sqrt(square)
            weight = 1.0 / (square * square * square)
            out_by = (spacing - far) / far
            total += weight
            ahead += weight * out_by * dx
            left += weight * out_by * dy
        if total > 0.0:
            out[0, i], out[1, i] = ahead / total, left / total


@kernel
def _give_way(first, stop, x, y, going, neighbours, out):
    for i in range(first, stop):
        aside, slower = 0.0, 0.0
        for k in range(neighbours.shape[1]):
            j = neighbours[i, k]
            dx, dy = x[i] - x[j], y[i] - y[j]
            u, v = going[i, 0] - going[j, 0], going[i, 1] - going[j, 1]
            within = min(CLEAR_LONG + 1.6 * (abs(u) + abs(v)), 20.0)
            if dx * dx + dy * dy > within * within:
                continue
            for step in range(5):
                t = 0.4 * step
                px, py = dx + t * u, dy + t * v
                close = (px / CLEAR_LONG) ** 2 + (py / CLEAR_WIDE) ** 2
                if close < 1.0:
                    short = (1.0 - np.sqrt(close)) * (1.0 - 0.15 * step)
                    side = 1.0 if dy > 0 or (dy == 0 and i > j) else -1.0
                    aside += side * GIVE_WAY * short
                    if dx < 0:  # the other is before it
                        slower = max(slower, 4.0 * short)
                    break
        out[0, i] = min(max(aside, -GIVE_WAY), GIVE_WAY)
        out[1, i] = slower
