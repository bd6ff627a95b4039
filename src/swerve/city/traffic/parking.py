"""Parking at the kerb: who has arrived may look for a bay, pulls in forwards, stays, pulls out into a gap.

Until a car stands in its bay, and from the moment it leaves it, it is in the order of its lane like
everybody: those behind it wait. While it stands there nobody minds it. A bay belongs to one car from when it
is chosen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..roads.lay_bys import WIDTH
from ..roads.roads import LANE, Roads
from .fleet import BOUND, PARKED, PULLS_IN, PULLS_OUT, SEEKS, Fleet
from .net import Net
from .room import in_the_way
from .spawn import stand_on_middle

SWING = 12.0  # [m] over which a car swings into a bay or out of it
STRAIGHTEN = 4.0  # [m] of a bay in which it gets straight
PACE = 3.5  # [m/s] at which it swings
BRAKING = 1.5  # [m/s²] before
EASY = 0.8  # [m/s²] in the bay
NEAR = 0.3  # [m] from the end of a bay at which one stands
STILL = 0.05  # [m/s]
SPARE = 4.0  # [m] before one swings by which one has slowed down
LONGEST, WIDEST = 5.7, 2.1  # [m] that a bay takes
MOVE_OVER = 30.0  # [m] more that it takes to get to the kerb
SIREN = 80.0  # [m] from which nobody pulls out
SEEKS_FOR = 180.0  # [s] that a driver looks for a bay
KNOCKED = 0.6  # [m] off its place from which on a car is no longer parked
AT_START = 0.5  # share of those who park, and of the bays, that are taken from the beginning on


class Parking:
    """The bays of roads (k,): their lanes `strip`, `front` [m] and who has them, `taken` (row, or -1).

    Of drivers (n,): their `bay` or -1, `speed` [m/s] that they may go because of it, `left` [s] to stay, or
    to look for a bay. `parkings` counts who has come to stand in one.
    """

    def __init__(self, roads: Roads, rng: np.random.Generator):
        self.roads, self.rng = roads, rng
        self.strip, self.front = roads.lay_bys.bays()
        edge = roads.breadth_at(self.strip, self.front) / 2 + WIDTH / 2
        self.lateral = edge if roads.left_hand else -edge  # [m] of a car in the bay, to the left
        self.taken = np.full(len(self.strip), -1)
        self.parkings = 0
        self.bay, self.speed, self.left = np.zeros(0, int), np.zeros(0), np.zeros(0)
        self.seeks = np.zeros(0, bool)
        self.parks, self.stay, self.fits = np.zeros(0), np.zeros(0), np.zeros(0, bool)
        self._arrivals = np.zeros(0, int)

    def read(self, fleet: Fleet, get: Callable[[str], np.ndarray]) -> None:
        """Take what attributes say of all vehicles; those who are new have no bay."""
        more = len(fleet) - len(self.bay)
        self.bay = np.append(self.bay, np.full(more, -1))
        self.speed = np.append(self.speed, np.full(more, np.inf))
        self.left = np.append(self.left, np.zeros(more))
        self.seeks = np.append(self.seeks, np.zeros(more, bool))
        self._arrivals = np.append(self._arrivals, fleet.arrivals[len(fleet) - more :])
        self.parks, self.stay = np.asarray(get("parks"), float), np.asarray(get("stay"), float)
        self.fits = (fleet.length <= LONGEST) & (fleet.width <= WIDEST) & ~fleet.emergency

    def fill(self, net: Net, fleet: Fleet) -> None:
        """Before the first step: some of those who park stand in bays, others look for one."""
        drawn = self.rng.random(len(fleet)) / np.maximum(self.parks, 1e-9)
        self.seeks[:] = self.fits & (drawn >= AT_START) & (drawn < 1.0)
        self.left[:] = SEEKS_FOR
        want = np.flatnonzero(self.fits & (drawn < AT_START))
        count = min(len(want), int(AT_START * len(self.strip)))
        bays = np.sort(self.rng.permutation(len(self.strip))[:count])
        rows = self.rng.permutation(want)[:count]
        some = fleet[rows].view(Fleet)
        some.strip[:] = self.strip[bays]
        some.station[:] = self.front[bays] - some.overhang
        stand_on_middle(net, some)
        some.x -= self.lateral[bays] * np.sin(some.heading)
        some.y += self.lateral[bays] * np.cos(some.heading)
        some.lateral[:] = some.shift_from[:] = some.shift_to[:] = self.lateral[bays]
        some.speed[:] = 0.0
        some.berth[:] = PARKED
        fleet[rows] = some
        self.bay[rows], self.taken[bays] = bays, rows
        self.left[rows] = self.rng.uniform(0.0, self.stay[rows])

    def forget(self, fleet: Fleet, rows: np.ndarray) -> None:
        """Those are no more: their bays are free."""
        self.seeks[rows] = False
        self._set_free(fleet, rows[self.bay[rows] >= 0])
        fleet.berth[rows] = 0

    def step(self, net: Net, everyone: Fleet, dt: float) -> None:
        """After all have moved: choose bays, pull in, stand, pull out."""
        fleet = everyone[: len(self.bay)].view(Fleet)
        self._look_out(fleet, dt)
        self.speed[:] = np.inf
        rows = np.flatnonzero(fleet.berth > SEEKS)
        if len(rows) == 0:
            return
        left = self.front[self.bay[rows]] - fleet.station[rows] - fleet.overhang[rows]
        phase = fleet.berth[rows]
        self._approach(fleet, rows[phase == BOUND], left[phase == BOUND])
        self._pull_in(fleet, rows[phase == PULLS_IN], left[phase == PULLS_IN])
        self._stand(net, everyone, rows[phase == PARKED], left[phase == PARKED], dt)
        self._join(fleet, rows[phase == PULLS_OUT])

    def _look_out(self, fleet: Fleet, dt: float) -> None:
        """Who has arrived may begin to look for a bay; who looks takes the next one that it can reach."""
        new = np.flatnonzero(fleet.arrivals > self._arrivals)
        self._arrivals[:] = fleet.arrivals
        new = new[self.fits[new] & (fleet.berth[new] <= SEEKS) & (self.parks[new] > 0)]
        new = new[self.rng.random(len(new)) < self.parks[new]]
        self.seeks[new], self.left[new] = True, SEEKS_FOR
        rows = np.flatnonzero(self.seeks)
        self.left[rows] -= dt
        over = rows[(self.left[rows] <= 0) | (fleet.strip[rows] < 0)]
        self.seeks[over], fleet.berth[over] = False, 0
        rows = rows[self.seeks[rows] & fleet.autonomous[rows]]
        settled = (fleet.side[rows] < 0) & (fleet.granted[rows] < 0) & (fleet.yielding[rows] == 0)
        settled &= fleet.shift_to[rows] == 0.0
        road, free = np.asarray(self.roads.road), self.taken < 0
        for i, ready in zip(rows.tolist(), settled.tolist(), strict=True):
            way = max(0.0, fleet.speed[i] ** 2 - PACE**2) / (2.0 * BRAKING) + 2.0 * SPARE + SWING + STRAIGHTEN
            ahead = self.front - fleet.station[i] - fleet.overhang[i]
            here = free & (self.strip == fleet.strip[i]) & (ahead > way)
            if ready and here.any():
                some = np.flatnonzero(here)
                self.bay[i] = some[np.argmin(self.front[some])]
                self.taken[self.bay[i]] = i
                free[self.bay[i]] = False
                fleet.berth[i], self.seeks[i] = BOUND, False
            elif self.roads.kind[fleet.strip[i]] == LANE:
                beside = free & (road[self.strip] == road[fleet.strip[i]]) & (ahead > way + MOVE_OVER)
                fleet.berth[i] = SEEKS if beside.any() else 0

    def _approach(self, fleet: Fleet, rows: np.ndarray, left: np.ndarray) -> None:
        """Slow down, and begin to swing; whom a siren or its own pace keeps from it goes on looking."""
        way = left - SWING - STRAIGHTEN
        self.speed[rows] = np.sqrt(PACE**2 + 2.0 * BRAKING * np.maximum(way - SPARE, 0.0))
        begin = way <= 0.0
        swing = begin & (way > -1.0) & (fleet.speed[rows] < PACE + 1.0) & (fleet.yielding[rows] == 0)
        lost = (begin & ~swing) | (fleet.yielding[rows] > 0) | ~fleet.autonomous[rows]
        lost |= fleet.strip[rows] != self.strip[self.bay[rows]]
        self._set_free(fleet, rows[lost])
        self.seeks[rows[lost]], self.left[rows[lost]] = True, SEEKS_FOR
        some = rows[swing & ~lost]
        fleet.berth[some] = PULLS_IN
        _swing(fleet, some, self.lateral[self.bay[some]])
        bound = rows[~begin & ~lost]
        fleet.indicator[bound] = np.sign(self.lateral[self.bay[bound]])

    def _pull_in(self, fleet: Fleet, rows: np.ndarray, left: np.ndarray) -> None:
        self.speed[rows] = np.minimum(PACE, np.sqrt(2.0 * EASY * np.maximum(left - NEAR / 2, 0.0)))
        done = (left < NEAR) & (fleet.speed[rows] < STILL)
        some = rows[done]
        fleet.berth[some] = PARKED
        for name in ("speed", "accel", "steer", "waiting", "delayed", "frustration"):
            fleet[name][some] = 0.0
        fleet.brake[some], fleet.indicator[some] = False, 0
        self.left[some] = self.rng.uniform(0.5, 1.5, len(some)) * self.stay[some]
        self.parkings += len(some)

    def _stand(self, net: Net, everyone: Fleet, rows: np.ndarray, left: np.ndarray, dt: float) -> None:
        """Stay, then leave as soon as there is room; who was pushed out of its bay is on the road again."""
        fleet = everyone[: len(self.bay)].view(Fleet)
        self.left[rows] -= dt
        off = np.maximum(np.abs(left), np.abs(fleet.lateral[rows] - self.lateral[self.bay[rows]])) > KNOCKED
        pushed = rows[off & fleet.autonomous[rows]]
        for i in [*pushed, *rows[~off & (self.left[rows] <= 0.0) & fleet.autonomous[rows]]]:
            if i in pushed or self._has_room(net, everyone, int(i)):
                fleet.berth[i] = PULLS_OUT
                self._set_free(fleet, np.array([i]), PULLS_OUT)
                _swing(fleet, np.array([i]), np.zeros(1))

    def _has_room(self, net: Net, everyone: Fleet, i: int) -> bool:
        """Whether those on the lane, and who comes onto it, leave room to swing out before them."""
        front = float(everyone.station[i] + everyone.overhang[i]) + SWING
        length = float(everyone.length[i]) + SWING
        sirens = np.flatnonzero(everyone.emergency & (everyone.strip >= 0))
        if (np.hypot(everyone.x[sirens] - everyone.x[i], everyone.y[sirens] - everyone.y[i]) < SIREN).any():
            return False
        return len(in_the_way(net, everyone, int(everyone.strip[i]), front, length, 0.0)) == 0

    def _join(self, fleet: Fleet, rows: np.ndarray) -> None:
        self.speed[rows] = PACE + 1.5
        fleet.berth[rows[fleet.odometer[rows] > fleet.shift_at[rows] + fleet.shift_length[rows]]] = 0

    def _set_free(self, fleet: Fleet, rows: np.ndarray, berth: int = 0) -> None:
        """Give bays up."""
        self.taken[self.bay[rows]] = -1
        self.bay[rows] = -1
        fleet.berth[rows] = berth


def _swing(fleet: Fleet, rows: np.ndarray, to: np.ndarray) -> None:
    fleet.shift_from[rows], fleet.shift_to[rows] = fleet.lateral[rows], to
    fleet.shift_at[rows], fleet.shift_length[rows] = fleet.odometer[rows], SWING
