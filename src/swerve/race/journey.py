"""A long way, such as a route through a town, seen as the stretch that lies ahead.

A route may pass the same junction twice, where a map from places to progress has no single answer. A
stretch of a few hundred metres does not: it is cut short before it would meet itself.
"""

from __future__ import annotations

import numpy as np

from swerve.core.errors import BadInput
from swerve.core.geometry import arc_length
from swerve.core.way import Way

from .track import NARROWEST, Track

BEHIND = 40.0  # [m] of the way that a stretch keeps behind the body
AHEAD = 400.0  # [m] that it shows ahead, where the way does not meet itself
LEAST = 60.0  # [m] ahead; a way that meets itself sooner is refused


class Journey:
    """A centre line (n, 2) with widths to the right and left [m], one number or one for every point.

    >>> line = np.column_stack([np.arange(0.0, 1000.0, 5.0), np.zeros(200)])
    >>> track, begin = Journey("street", line, 2.2, 4.8).stretch(500.0)
    >>> begin, round(track.finish)
    (460.0, 440)
    """

    def __init__(
        self,
        name: str,
        centre: np.ndarray,
        right: float | np.ndarray,
        left: float | np.ndarray,
        narrowest: float = NARROWEST,
    ):
        centre = np.asarray(centre, dtype=np.float64)
        if centre.ndim != 2 or centre.shape[1] != 2 or len(centre) < 3:
            raise BadInput(f"journey {name}", centre.shape, "needs at least 3 points of x and y; shape")
        moved = np.concatenate([[True], np.hypot(*np.diff(centre, axis=0).T) > 1e-9])
        self.name, self.narrowest = name, narrowest
        sides = [np.broadcast_to(width, len(centre)) for width in (right, left)]
        self.table = np.column_stack([centre, *sides])[moved]
        self.s = arc_length(self.table[:, :2], False)

    @classmethod
    def along(cls, way: Way, narrowest: float = NARROWEST) -> Journey:
        """A way with widths, such as a drive through a town."""
        return cls(way.name, way.points, way.right, way.left, narrowest)

    @property
    def length(self) -> float:
        """[m]"""
        return float(self.s[-1])

    def stretch(self, station: float) -> tuple[Track, float]:
        """The track around `station` [m], and the station at which its progress is 0."""
        begin = max(0.0, min(station, self.length) - BEHIND)
        ahead = AHEAD
        while True:
            end = min(self.length, station + ahead)
            inside = self.s[(self.s > begin + 0.5) & (self.s < end - 0.5)]
            at = np.concatenate([[begin], inside, [end]])
            table = np.column_stack([np.interp(at, self.s, column) for column in self.table.T])
            try:
                return self._track(table), begin
            except BadInput:
                ahead *= 0.8
                if ahead < LEAST:
                    raise

    def _track(self, table: np.ndarray) -> Track:
        return Track.from_centre(self.name, table[:, :2], table[:, 2], table[:, 3], narrowest=self.narrowest)
