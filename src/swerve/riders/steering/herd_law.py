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
from swerve.core.motion import Motion
from swerve.core.way import Way

from ..bodies.outline import WIDTH
from ..bodies.threads import in_slices
from ..maps.trials import DECIDE
from .decide import lay_lines
from .follow import Steering
from .gaps import AHEAD, ALONG, EDGE, Gaps, Lines
from .herd_measure import LINK, SPACING, check_spacing, groups_of, largest_group
from .minding import FORESEEN, along_way, mind, settle
from .neighbours import find_neighbours
from .pace import Pace
from .passing import lay_along, passing_speed

LOOK_AROUND = 5  # ticks between two looks for who the neighbours are
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
        self.leader = self.strays = np.empty(0, dtype=np.int64)
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
        later = self.steering.foresee(motion, told, FORESEEN)
        moves = along_way(motion, x, y, course, later, self.threads)
        drawn = mind(moves, self.neighbours, self.spacing, self.threads)
        middle = np.median(drawn[:, 2:4].T.copy(), axis=1)  # what all do alike brings nobody nearer
        waited_for = bool((x[self.leader[self.strays]] > x[self.strays]).any())
        law = (moves, middle, self.speed, self.spacing, self._edged, waited_for)
        n = len(x)
        base, wants = np.empty(n), np.empty((5, n))
        aim, drift, pace, least, error = wants
        now = motion.speed
        reference = np.empty((n, max(self.steering.ticks, 1), 3))

        def settled(rows: slice) -> None:
            base[rows] = self._base(x[rows], y[rows])
            settle(moves[rows], drawn[rows], self.leader[rows], base[rows], *law, wants[:, rows])
            aim[rows] = self._free(x[rows], aim[rows], pace[rows])
            self._refer(x[rows], aim[rows], drift[rows], np.maximum(now[rows], 2.0), reference[rows])

        in_slices(settled, n, self.threads, BLOCK)
        if self.gaps is not None:
            lines = self._lines(self.gaps, x, y, aim, drift)
            pace = passing_speed(lines, x, y, now, base, np.maximum(pace, least), self.size)
            least = np.where(lines.near, 0.0, least)
            lay_along(reference, lines, self.way, x, np.maximum(now, 2.0))
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
        member = group == largest_group(group)
        self.strays, self.leader = np.flatnonzero(~member), np.full(len(x), -1)
        if len(self.strays):
            places, members = np.column_stack([x, y]), np.flatnonzero(member)
            nearest = cKDTree(places[members]).query(places[self.strays])[1]
            self.leader[self.strays] = members[nearest]

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
