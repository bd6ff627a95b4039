"""Levels of detail at run time: riders near the viewer or near each other in full physics, the rest on maps.

Those in full physics touch each other and can bring each other down. From full to map a rider goes on from
exactly its place and state. From map to full the body is set to the stored snapshot of the nearest state,
moved to the rider's place, leant as far as the rider leans and made as fast as it rides. What still jumps is
noted down at every switch: at its moment, by what either level says of the rider, and over the 0.1 s with the
switch in it, by how far place and lean are off from where their rates lead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from swerve.core.bodies import Parts
from swerve.core.contact import Touch
from swerve.core.errors import BadInput
from swerve.core.motion import Motion
from swerve.core.steered import PlainSteered, Steerable, SteeredBodies

from ..bodies.engine import CyclistRide
from .glide import Glide
from .mobility import MobilityMap
from .trials import DECIDE

STAY = 1.0  # [s] that a rider stays at a level at least

Near = Callable[[Motion], np.ndarray]


class Mixed(SteeredBodies):
    """A batch with at most `most` riders in full physics. `wanted(motion)` says who should be (n,) bool.

    The batch takes commands as full bodies and riders on maps do. `in_full` (n,) says who is.
    """

    period = DECIDE

    def __init__(
        self,
        body: Steerable,
        map_: MobilityMap,
        count: int,
        most: int,
        wanted: Near | None = None,
        threads: int = 1,
    ):
        if most < 1:
            raise BadInput("most", most, "must be at least 1")
        self.map, self.count = map_, count
        self.predictor = map_
        self.light = Glide(map_, count, threads)
        self.kinds, self.outline = self.light.kinds, self.light.outline
        self.slots = min(most, count)
        self.full = body.start(self.slots, threads)
        self.wanted = wanted or (lambda motion: near_each_other(motion, body.radius))
        self.slot_of = np.full(count, -1)  # a rider's place in the full batch, or −1
        self.rider_of = np.full(self.slots, -1)
        self.since = np.full(count, -np.inf)
        self.jumps: list[tuple[float, float, float]] = []  # at every switch: lean [°], speed [m/s], place [m]
        self.now = 0.0
        self.switches = 0
        self.touched_posts: set[tuple[int, int]] = set()
        if isinstance(self.full, CyclistRide):
            self.full.bring_together()

    @property
    def mass(self) -> np.ndarray:
        return self.light.mass

    @property
    def in_full(self) -> np.ndarray:
        return self.slot_of >= 0

    @property
    def largest_jump(self) -> dict[str, float]:
        """Over all switches: of the lean [°], the speed [m/s] and the place [m]."""
        most = np.max(self.jumps, axis=0) if self.jumps else np.zeros(3)
        return dict(zip(("lean", "speed", "place"), (float(v) for v in most), strict=True))

    @property
    def told(self) -> np.ndarray:  # type: ignore[override]
        return self.light.told

    def stand(self, posts: np.ndarray) -> None:
        """From now on riders in full physics meet `posts` (k, 3) of places and radii [m]; `touched_posts`
        tells who touched which."""
        if isinstance(self.full, CyclistRide):
            self.full.stand(posts)

    def put(self, x: np.ndarray, y: np.ndarray, yaw: np.ndarray) -> None:
        self.light.put(x, y, yaw)
        self.slot_of[:], self.rider_of[:] = -1, -1
        self._choose()
        self.jumps.clear()
        self.switches = 0

    def go_at(self, speed: np.ndarray) -> None:
        """Before the ride: those in full physics are brought there anew."""
        self.light.go_at(speed)
        riders = np.flatnonzero(self.in_full)
        if len(riders):
            self._bring(riders, self.slot_of[riders])
        self.jumps.clear()

    def advance(self, heading: np.ndarray, speed: np.ndarray, seconds: float) -> None:
        heading, speed, _ = np.broadcast_arrays(heading, speed, np.empty(self.count))
        for _ in range(self.ticks(seconds)):
            before = self.motion()
            switched = self._choose()
            used = self.rider_of >= 0
            if used.any():
                yaw = self.full.motion().yaw
                riders = np.maximum(self.rider_of, 0)
                if isinstance(self.full, CyclistRide):
                    self.full.meets[:] = used
                self.full.advance(
                    np.where(used, heading[riders], yaw),
                    np.where(used, speed[riders], self.map.speed),
                    DECIDE,
                )
                self._note_posts()
            self.light.advance(heading, speed, DECIDE)
            if used.any():
                riders = self.rider_of[used]
                self.light.take(riders, self.full.motion()[used])
            self.now += DECIDE
            if len(switched):
                self._follow_up(switched, before)

    def motion(self) -> Motion:
        """How the riders truly move now."""
        return self.light.motion()

    def parts(self) -> Parts | None:
        """Segments of those in full physics."""
        parts = self.full.parts()
        if parts is None:
            return None
        owner = self.rider_of[parts.parent]
        kept = np.flatnonzero(owner >= 0)
        return Parts(parts.motion[kept], owner[kept], parts.names[kept], parts.outline[kept])

    def touched(self, touch: Touch) -> None:
        slot = self.slot_of[touch.rows]
        for batch, rows, mine in (
            (self.light, touch.rows, slot < 0),
            (self.full, slot, slot >= 0),
        ):
            if mine.any():
                batch.touched(replace(touch[mine], rows=rows[mine]))
        riders = np.unique(touch.rows[slot >= 0])
        if len(riders):
            self.light.take(riders, self.full.motion()[self.slot_of[riders]])

    def snapshot(self) -> np.ndarray:
        """The riders' rows, and behind them those of the full bodies that they have."""
        light, full = self.light.snapshot(), self.full.snapshot()
        own = np.where(self.in_full[:, None], full[np.maximum(self.slot_of, 0)], 0.0)
        return np.column_stack([light, self.slot_of, self.now - self.since, own])

    def restore(self, rows: np.ndarray) -> None:
        width = self.light.row
        self.light.restore(rows[:, :width])
        self.slot_of, self.since = rows[:, width].astype(np.int64), self.now - rows[:, width + 1]
        self.rider_of[:] = -1
        riders = np.flatnonzero(self.in_full)
        self.rider_of[self.slot_of[riders]] = riders
        full = self.full.snapshot()
        full[self.slot_of[riders]] = rows[riders, width + 2 :]
        self.full.restore(full)

    def _choose(self) -> np.ndarray:
        """Switch who should be at another level and has stayed long enough at this one; who did."""
        wanted = self.wanted(self.motion()) & ~self.light.fell
        ready = self.now - self.since >= STAY - 1e-9
        leaving = np.flatnonzero(self.in_full & ~wanted & ready)
        if len(leaving):
            in_full = self.full.motion()[self.slot_of[leaving]]
            self.rider_of[self.slot_of[leaving]] = -1
            self.slot_of[leaving] = -1
            self._compare(in_full, self.light.motion()[leaving])
            self._note(leaving)
        free = np.flatnonzero(self.rider_of < 0)
        coming = np.flatnonzero(~self.in_full & wanted & ready)[: len(free)]
        if len(coming):
            self._bring(coming, free[: len(coming)])
            self._note(coming)
        return np.concatenate([leaving, coming])

    def _bring(self, riders: np.ndarray, slots: np.ndarray) -> None:
        """Put `riders` into full physics: the nearest stored state, moved to where they are."""
        before = self.light.motion()
        state = np.column_stack([self.light.state[riders], self.light.pace[riders]])
        rows = self.full.snapshot()
        stored = self.map.snapshots[self.map.nearest(state)]
        rows[slots, : stored.shape[1]] = stored
        kept = self.full.motion()
        self.full.restore(rows)
        if isinstance(self.full, CyclistRide):
            self.full.fit(slots, before.roll[riders], before.roll_rate[riders], before.speed[riders])
        elif isinstance(self.full, PlainSteered):
            self.full.hasten(slots, before.speed[riders])
        x, y, yaw = kept.x.copy(), kept.y.copy(), kept.yaw.copy()
        x[slots], y[slots], yaw[slots] = before.x[riders], before.y[riders], before.yaw[riders]
        self.full.put(x, y, yaw)
        self.slot_of[riders], self.rider_of[slots] = slots, riders
        after = self.full.motion()[slots]
        self._compare(before[riders], after)
        self.light.take(riders, after)

    def _compare(self, before: Motion, after: Motion) -> None:
        """Note what jumped at the moment of a change: what the level that is left says, and the other."""
        lean, place = np.abs(after.roll - before.roll), np.hypot(after.x - before.x, after.y - before.y)
        rows = np.column_stack([np.degrees(lean), np.abs(after.speed - before.speed), place])
        self.jumps += [(float(a), float(b), float(c)) for a, b, c in rows]

    def _follow_up(self, riders: np.ndarray, before: Motion) -> None:
        """Note how far `riders`, who were the last to change, are 0.1 s later from where the rates of both
        moments lead."""
        a, b, half = before[riders], self.motion()[riders], DECIDE / 2
        lean = np.degrees(np.abs(b.roll - a.roll - half * (a.roll_rate + b.roll_rate))) * ~b.fell
        place = np.hypot(b.x - a.x - half * (a.vx + b.vx), b.y - a.y - half * (a.vy + b.vy)) * ~b.fell
        for k, (leant, moved) in enumerate(zip(lean, place, strict=True), len(self.jumps) - len(riders)):
            at_once = self.jumps[k]
            self.jumps[k] = (max(at_once[0], float(leant)), at_once[1], max(at_once[2], float(moved)))

    def _note_posts(self) -> None:
        if isinstance(self.full, CyclistRide) and self.full.solids is not None:
            touched = self.full.solids.touched
            self.touched_posts |= {(int(self.rider_of[slot]), post) for slot, post in touched}
            touched.clear()

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
