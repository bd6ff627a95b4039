"""Levels of detail at run time: riders near the viewer or near each other in full physics, the rest on maps.

From full to map a rider goes on from exactly its place and state. From map to full the body is set to the
stored snapshot of the nearest state, moved to the rider's place; what lean and heading differ by is shown
blended out over half a second, so that nobody sees the change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.bodies import Parts
from swerve.core.errors import BadInput

from ..bodies.body import Body, Motion
from .glide import Glide
from .mobility import MobilityMap
from .trials import DECIDE

BLEND = 0.5  # [s] over which a difference at a switch is shown to vanish
STAY = 1.0  # [s] that a rider stays at a level at least

Near = Callable[[Motion], np.ndarray]


class Mixed:
    """A batch with at most `most` riders in full physics. `wanted(motion)` says who should be (n,) bool.

    The batch takes commands as full bodies and riders on maps do. `in_full` (n,) says who is.
    """

    def __init__(
        self,
        body: Body,
        map_: MobilityMap,
        count: int,
        most: int,
        wanted: Near | None = None,
        threads: int = 1,
    ):
        if most < 1:
            raise BadInput("most", most, "must be at least 1")
        self.map, self.count, self.step = map_, count, DECIDE
        self.light = Glide(map_, count, threads)
        self.slots = min(most, count)
        self.full = body.ride(self.slots, threads)
        self.wanted = wanted or (lambda motion: near_each_other(motion, body.radius))
        self.slot_of = np.full(count, -1)  # a rider's place in the full batch, or −1
        self.rider_of = np.full(self.slots, -1)
        self.since = np.full(count, -np.inf)
        self.shown_off = np.zeros((count, 4))  # x, y, yaw, roll that are still shown off the truth
        self.now = 0.0
        self.switches = 0

    @property
    def in_full(self) -> np.ndarray:
        return self.slot_of >= 0

    def move(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> None:
        self.light.move(x, y, yaw)
        self.slot_of[:], self.rider_of[:] = -1, -1
        self._choose()
        self.shown_off[:] = 0.0
        self.switches = 0

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        for _ in range(round(seconds / DECIDE)):
            self._choose()
            heading = np.broadcast_to(heading, self.count)
            speed = np.broadcast_to(speed, self.count)
            used = self.rider_of >= 0
            if used.any():
                yaw = self.full.motion().yaw
                riders = np.maximum(self.rider_of, 0)
                self.full.advance(
                    np.where(used, heading[riders], yaw),
                    np.where(used, speed[riders], self.map.speed),
                    DECIDE,
                )
            self.light.advance(heading, speed, DECIDE)
            if used.any():
                riders = self.rider_of[used]
                self.light.put(riders, _rows(self.full.motion(), used))
            self.now += DECIDE
            self.shown_off *= np.exp(-DECIDE / (BLEND / 3))

    def motion(self) -> Motion:
        """How the riders truly move now."""
        return self.light.motion()

    def parts(self) -> Parts:
        """Limbs and machines of the riders in full."""
        found = self.full.parts()  # type: ignore[attr-defined]
        rider = self.rider_of[found.parent]
        some = rider >= 0
        return Parts(found.motion[some], rider[some], found.names[some], found.outline[some])

    def shown(self) -> Motion:
        """How they are shown: as they move, with differences at a switch blended out."""
        true = self.motion()
        dx, dy, dyaw, droll = self.shown_off.T
        return replace(true, x=true.x + dx, y=true.y + dy, yaw=true.yaw + dyaw, roll=true.roll + droll)

    def _choose(self) -> None:
        """Switch who should be at another level and has stayed long enough at this one."""
        wanted = self.wanted(self.motion()) & ~self.light.fell
        ready = self.now - self.since >= STAY - 1e-9
        leaving = np.flatnonzero(self.in_full & ~wanted & ready)
        if len(leaving):
            self.rider_of[self.slot_of[leaving]] = -1
            self.slot_of[leaving] = -1
            self._note(leaving)
        free = np.flatnonzero(self.rider_of < 0)
        coming = np.flatnonzero(~self.in_full & wanted & ready)[: len(free)]
        if len(coming):
            self._bring(coming, free[: len(coming)])
            self._note(coming)

    def _bring(self, riders: np.ndarray, slots: np.ndarray) -> None:
        """Put `riders` into full physics: the nearest stored state, moved to where they are."""
        before = self.light.motion()
        nearest = self.map.nearest(self.light.state[riders])
        rows = self.full.snapshot()
        rows[slots] = self.map.snapshots[nearest]
        kept = self.full.motion()
        self.full.restore(rows)
        x, y, yaw = kept.x.copy(), kept.y.copy(), kept.yaw.copy()
        x[slots], y[slots], yaw[slots] = before.x[riders], before.y[riders], before.yaw[riders]
        self.full.move(x, y, yaw)
        self.slot_of[riders], self.rider_of[slots] = slots, riders
        after = _rows(self.full.motion(), slots)
        self.shown_off[riders] += np.column_stack(
            [
                before.x[riders] - after.x,
                before.y[riders] - after.y,
                before.yaw[riders] - after.yaw,
                before.roll[riders] - after.roll,
            ]
        )
        self.light.put(riders, after)

    def _note(self, riders: np.ndarray) -> None:
        self.since[riders] = self.now
        self.switches += len(riders)


def near_each_other(motion: Motion, radius: float) -> np.ndarray:
    """(n,) who is so near another that they touch or nearly do: centres within 2.5 half lengths."""
    close = np.zeros(len(motion.x), dtype=bool)
    pairs = cKDTree(np.column_stack([motion.x, motion.y])).query_pairs(2.5 * radius, output_type="ndarray")
    close[pairs.ravel()] = True
    return close


def near_viewer(place: Callable[[Motion], tuple[float, float]], distance: float, radius: float) -> Near:
    """Who is within `distance` [m] of the viewer's `place`, or near another rider."""

    def wanted(motion: Motion) -> np.ndarray:
        x, y = place(motion)
        return (np.hypot(motion.x - x, motion.y - y) <= distance) | near_each_other(motion, radius)

    return wanted


def _rows(motion: Motion, rows: np.ndarray) -> Motion:
    return Motion(**{name: getattr(motion, name)[rows] for name in Motion.__dataclass_fields__})
