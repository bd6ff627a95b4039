"""Choosers for riders in a world: along a way, or in a herd; both keep clear of others."""

from __future__ import annotations

import numpy as np

from swerve.core.errors import require
from swerve.core.view import View
from swerve.core.way import Way

from ..maps.trials import DECIDE
from .clear import braked, keep_clear
from .follow import Steering
from .herd_law import SPACING, Foreseeing, HerdLaw
from .ways import led_back

CATCH_UP = 0.5  # [1/s] speed per metre behind one's place
FASTER, SLOWER = 0.08, 0.25  # at most, as shares of the speed, to get to one's place
LEAST_PACE = 3.0  # [m/s] below which the way ahead is looked at as if at this speed
EDGE = 0.6  # [m] that wanted offsets keep from the edge of the way


class PathRiders:
    """One mind for a batch of riders along a way, each at an `offset` [m] to its left.

    With `places` (n,), stations at time 0, riders keep a formation that goes along the way at `speed` [m/s];
    without, each rides at that speed. `errors` grows by an array (n,) a frame: how far [m] each is from its
    place, or from its line where it has no place.

    `steering` chooses turns: a `Navigator`, a `Simple`.
    """

    def __init__(
        self,
        steering: Steering,
        way: Way,
        offsets: float | np.ndarray,
        speed: float,
        places: np.ndarray | None = None,
    ):
        require(bool(np.isfinite(speed) and speed > 0), "speed", speed, "must be positive")
        self.steering, self.way, self.speed = steering, way, float(speed)
        self.offsets = np.atleast_1d(np.asarray(offsets, dtype=np.float64))
        self.places = None if places is None else np.asarray(places, dtype=np.float64)
        self.station: np.ndarray | None = None
        self.errors: list[np.ndarray] = []

    def choose(self, view: View, dt: float) -> np.ndarray:
        """Headings [rad] and speeds [m/s], (n, 2)."""
        motion, way = view.mine, self.way
        offsets = np.broadcast_to(self.offsets, len(motion))
        station, offset = self._locate(view)
        # a line to the left of the way is shorter in a bend to the left
        speed = self.speed * np.maximum(1 - way.at(way.curvature, station) * offsets, 0.2)
        late = np.zeros(len(motion))
        if self.places is not None:
            late = self.places + self.speed * view.t - station
            speed *= 1 + np.clip(CATCH_UP * late / self.speed, -SLOWER, FASTER)
        self.errors.append(np.hypot(late, offset - offsets))
        limit, shift = keep_clear(view, way, station, offset, offsets)
        left, right = way.at(way.left, station), way.at(way.right, station)
        aim = np.clip(offsets + shift, np.minimum(EDGE - right, offsets), np.maximum(left - EDGE, offsets))
        turn = self.steering.turns(motion, self._ahead(motion.speed, station, offset, aim))
        return np.column_stack([motion.yaw + turn, braked(motion.speed, speed, limit)])

    def _locate(self, view: View) -> tuple[np.ndarray, np.ndarray]:
        """Where the riders are on their way; round a closed one, laps are counted."""
        xy = np.column_stack([view.mine.x, view.mine.y])
        station, offset = self.way.locate(xy, self.station)
        if self.way.closed and self.station is not None:
            station = station + self.way.length * np.round((self.station - station) / self.way.length)
        self.station = station
        return station, offset

    def _ahead(
        self, speed: np.ndarray, station: np.ndarray, offset: np.ndarray, aim: np.ndarray
    ) -> np.ndarray:
        """Reference (n, m, 3): the way ahead at the riders' pace, and back to their lines by and by."""
        pace, ticks = np.maximum(speed, LEAST_PACE), max(self.steering.ticks, 1)
        later = station[:, None] + pace[:, None] * DECIDE * np.arange(1, ticks + 1)
        reference = self.way.place(later, aim[:, None])
        return led_back(self.steering, reference, offset - aim, pace)


class HerdRiders:
    """One mind for a batch that rides towards +x, each at `spacing` [m] from its neighbours of the batch."""

    def __init__(self, steering: Foreseeing, speed: float, spacing: float = SPACING):
        require(bool(np.isfinite(speed) and speed > 0), "speed", speed, "must be positive")
        self.law = HerdLaw(steering, speed, spacing)
        self.errors: list[np.ndarray] = []

    def choose(self, view: View, dt: float) -> np.ndarray:
        """Headings [rad] and speeds [m/s], (n, 2)."""
        motion = view.mine
        heading, pace, error = self.law.decide(motion)
        self.errors.append(error)
        x = motion.x
        straight = Way.through([[float(x.min()) - 100.0, 0.0], [float(x.max()) + 100.0, 0.0]])
        station, offset = straight.locate(np.column_stack([x, motion.y]))
        limit, _ = keep_clear(view, straight, station, offset, offset)
        return np.column_stack([heading, braked(motion.speed, pace, limit)])
