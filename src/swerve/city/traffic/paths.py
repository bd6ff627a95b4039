"""Paths of drivers: to which road each of them goes, by which strips, and how fast it may be there.

The coarse path is a table: the seconds from every strip to every destination. What lies just ahead is laid
out as strips and places when somebody asks for it, a refiner or a viewer. Roads may be closed and take
longer than they should; then whoever is on the way takes another one.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import require
from swerve.core.kernels import bare, inner, kernel

from ..characters.paths import Paths
from ..roads.roads import CONNECTOR, LANE, Roads
from .destinations import CLOSED, make_field, times_to, times_to_lanes
from .fleet import Fleet
from .motion import choose_next
from .net import Net

STRIPS = 12  # of a path that are laid out at most
NODES, APART = 16, 10.0  # [m] places ahead, and how far from each other


class RoadPaths(Paths[Fleet]):
    """Paths of n drivers. `destinations` (k,) are roads and `field` (k, strips) the seconds to them, or to
    one of their `lanes` (k,) where that is not -1; whose is which says `fleet.destination`.

    Pieces are strips: `strips` (n, STRIPS), of which `kept` (n,), beginning with one's own. Nodes are `APART`
    metres from each other, the first of them that far ahead.
    """

    def __init__(self, net: Net, roads: Roads, count: int, rng: np.random.Generator):
        super().__init__(count, NODES, look=STRIPS)
        self.net, self.roads = net, roads
        self.destinations, self.field = make_field(roads, rng, net.strips["ring"][:-1] >= 0)
        self.lanes = np.full(len(self.destinations), -1, np.int32)
        self.strips = np.full((count, STRIPS), -1, np.int32)
        self.kept = np.zeros(count, np.int32)
        self.closed = np.zeros(len(roads), bool)  # strips of closed roads
        self.late = np.zeros(len(roads))  # [s] that strips take longer than with nobody about
        self.time = 0.0
        self._changed = False

    fresh: ClassVar[dict[str, float]] = {**Paths.fresh, "look": STRIPS, "strips": -1, "kept": 0}

    # -- where to

    def road_at(self, places: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Roads (k,) nearest to places (k, 2) [m], and at which share of their length; before a junction
        where a place is inside one."""
        roads = self.roads
        strip, station, _ = roads.nearest(*np.reshape(np.asarray(places, float), (-1, 2)).T)
        across = roads.kind[strip] == CONNECTOR
        station = np.where(across, np.inf, station)
        strip = np.where(across, roads.before[roads.before_first[strip]], strip)
        return np.asarray(roads.road)[strip], np.minimum(station / roads.length[strip], 1.0)

    def rows_of(self, goals: np.ndarray) -> np.ndarray:
        """Rows of `field` for roads (k,), made where there are none yet."""
        known = np.where(self.lanes < 0, self.destinations, -1)
        fresh = np.setdiff1d(goals, known)
        if len(fresh):
            self._grow(fresh, np.full(len(fresh), -1), times_to(self.roads, fresh, self._later()))
            known = np.append(known, fresh)
        order = np.argsort(known, kind="stable")
        return order[np.searchsorted(known, goals, sorter=order)]

    def rows_of_lanes(self, lanes: np.ndarray) -> np.ndarray:
        """Rows of `field` for single lanes (k,), strips; made where there are none yet."""
        fresh = np.setdiff1d(lanes, self.lanes)
        if len(fresh):
            road = np.asarray(self.roads.road)[fresh]
            self._grow(road, fresh, times_to_lanes(self.roads, fresh, self._later()))
        order = np.argsort(self.lanes, kind="stable")
        return order[np.searchsorted(self.lanes, lanes, sorter=order)]

    def _grow(self, roads: np.ndarray, lanes: np.ndarray, field: np.ndarray) -> None:
        self.destinations = np.append(self.destinations, roads).astype(np.int32)
        self.lanes = np.append(self.lanes, lanes).astype(np.int32)
        self.field = np.vstack([self.field, field])

    def send(self, fleet: Fleet, rows: np.ndarray, to: np.ndarray) -> None:
        """From now on drivers `rows` want to go to rows `to` of the field."""
        fleet.destination[rows] = to
        _turn(self.net, self.field, fleet, np.asarray(rows, np.int64))

    def lead_somewhere(self, fleet: Fleet) -> None:
        """Give those whose destination no way leads to the next one that they can get to, if any."""
        rows = np.flatnonzero(fleet.strip >= 0)
        open_to = self.field[:, fleet.strip[rows]] < CLOSED
        k, count = fleet.destination[rows], len(self.field)
        lost = ~open_to[k, np.arange(len(rows))] & open_to.any(axis=0)
        turns = (k[lost] + np.arange(count)[:, None]) % count
        first = np.argmax(open_to[turns, np.flatnonzero(lost)], axis=0)
        fleet.destination[rows[lost]] = turns[first, np.arange(int(lost.sum()))]

    # -- what is in the way

    def close(self, roads: ArrayLike, closed: bool = True) -> None:
        """Close roads, by number, or open them again: nobody comes onto a closed one who has another way from
        its lane."""
        which = np.atleast_1d(np.asarray(roads))
        known = np.unique(np.asarray(self.roads.road)[np.asarray(self.roads.kind) == LANE])
        for road in which[~np.isin(which, known)][:1]:
            require(False, "road", road, f"must be one of the {len(known)} roads, {known[0]} to {known[-1]}")
        self.closed[np.isin(self.roads.road, which) & (self.roads.kind == LANE)] = closed
        self._changed = True

    def set_late(self, late: np.ndarray) -> None:
        """Strips take so many seconds (strips,) longer than with nobody about."""
        self.late[:] = late
        self._changed = True

    def _later(self) -> np.ndarray:
        return np.where(self.closed, CLOSED, self.late)

    def _find_again(self, fleet: Fleet) -> None:
        """New times to all destinations; who cannot get to its own is led as near to it as can be."""
        whole, one = np.flatnonzero(self.lanes < 0), np.flatnonzero(self.lanes >= 0)
        whole = whole[np.argsort(self.destinations[whole])]
        self.field = np.empty_like(self.field)
        self.field[whole] = times_to(self.roads, self.destinations[whole], self._later())
        if len(one):
            self.field[one] = times_to_lanes(self.roads, self.lanes[one], self._later())
        rows = np.flatnonzero(fleet.strip >= 0)
        _lead_near(self.net, self.field, self._middles(), fleet, rows)
        _turn(self.net, self.field, fleet, rows)

    def _middles(self) -> np.ndarray:
        """(k, 2) [m] some place on every destination."""
        lanes = np.flatnonzero(self.roads.kind == LANE)
        road, first = np.unique(np.asarray(self.roads.road)[lanes], return_index=True)
        strip = lanes[first[np.searchsorted(road, self.destinations)]]
        point = (self.net.strips["first"][strip] + self.net.strips["first"][strip + 1] - 1) // 2
        return np.stack([self.net.points["x"][point], self.net.points["y"][point]], -1)

    # -- what lies ahead

    def trace(self, fleet: Fleet, rows: np.ndarray) -> None:
        """Lay out the strips and nodes ahead of drivers `rows`, and find the states of their paths."""
        _trace(
            self.net, self.field, self.destinations, fleet, np.asarray(rows, np.int64), self.look,
            self.strips, self.kept, self.node, self.nodes, self.state,
        )  # fmt: skip

    def advance(self, fleet: Fleet, now: float, dt: float) -> None:
        """Refine where it is due, when there is a refiner; look for other ways when roads have changed."""
        self.time = now
        if self.refiners:
            rows = self.due(dt, fleet.driving)
            if len(rows):
                self.trace(fleet, rows)
                for refiner in self.refiners:
                    refiner.refine(self, fleet, rows)
        elif np.isfinite(self.speed).any():
            self.speed[:] = np.inf
        if self._changed:
            self._changed = False
            self._find_again(fleet)


@kernel
def _turn(net: Net, field: np.ndarray, fleet: Fleet, rows: np.ndarray) -> None:
    """Let `rows` choose their ways on anew, but those who already may enter one."""
    for i in rows:
        if fleet[i].strip >= 0 and fleet[i].granted < 0:
            fleet[i].next = choose_next(net, field, fleet[i].strip, fleet[i].destination)


@kernel
def _lead_near(net: Net, field: np.ndarray, middle: np.ndarray, fleet: Fleet, rows: np.ndarray) -> None:
    """Give those of `rows` whose destination is behind closed roads the nearest one that is not."""
    for i in rows:
        aim = fleet[i].destination
        if not CLOSED <= _seconds_on(net, field, fleet[i].strip, aim) < np.inf:
            continue
        nearest = np.inf
        for k in range(len(field)):
            apart = np.hypot(middle[k, 0] - middle[aim, 0], middle[k, 1] - middle[aim, 1])
            if apart < nearest and _seconds_on(net, field, fleet[i].strip, k) < CLOSED:
                nearest, fleet[i].destination = apart, k


@inner
@bare
def _seconds_on(net: Net, field: np.ndarray, strip: int, destination: int) -> float:
    """[s] from the end of a strip to a destination by the best way on, from it or from lanes beside it."""
    best = np.inf
    for inwards in (True, False):
        lane = strip
        while lane >= 0:
            for k in range(net.strips[lane].after_first, net.strips[lane + 1].after_first):
                best = min(best, field[destination, net.after[k]])
            lane = net.strips[lane].inner if inwards else net.strips[lane].outer
    return best


@kernel
def _trace(
    net: Net,
    field: np.ndarray,
    destinations: np.ndarray,
    fleet: Fleet,
    rows: np.ndarray,
    look: np.ndarray,
    strips: np.ndarray,
    kept: np.ndarray,
    node: np.ndarray,
    nodes: np.ndarray,
    state: np.ndarray,
) -> None:
    for i in rows:
        kept[i] = nodes[i] = 0
        strip, aim = fleet[i].strip, fleet[i].destination
        if strip < 0:
            state[i] = 1
            continue
        state[i] = 4
        strips[i, 0] = strip
        kept[i] = 1
        _lay(net, strip, fleet[i].station, -fleet[i].station, node, nodes, i)
        start = net.strips[strip].length - fleet[i].station
        while kept[i] < min(look[i], strips.shape[1]):
            last = strips[i, kept[i] - 1]
            if net.strips[last].kind == LANE and net.strips[last].road == destinations[aim] and kept[i] > 1:
                state[i] = 6
                break
            ahead = fleet[i].next if kept[i] == 1 else choose_next(net, field, last, aim)
            if ahead < 0 or field[aim, ahead] >= CLOSED:
                state[i] = 2 if kept[i] == 1 and ahead >= 0 else 5
                break
            strips[i, kept[i]] = ahead
            kept[i] += 1
            _lay(net, ahead, 0.0, start, node, nodes, i)
            start += net.strips[ahead].length
        if state[i] == 4 and net.strips[strips[i, kept[i] - 1]].road == destinations[aim]:
            state[i] = 6 if net.strips[strips[i, kept[i] - 1]].kind == LANE else 4


@inner
@bare
def _lay(
    net: Net, strip: int, station: float, start: float, node: np.ndarray, nodes: np.ndarray, i: int
) -> None:
    """Put the nodes that lie on a strip beyond `station` [m]; the strip begins `start` [m] ahead."""
    p = net.strips[strip].first
    end = net.strips[strip].length
    while nodes[i] < node.shape[1]:
        there = APART * (nodes[i] + 1) - start
        if there < station or there > end:
            return
        while p + 2 < net.strips[strip + 1].first and net.points[p + 1].station < there:
            p += 1
        length = net.points[p + 1].station - net.points[p].station
        share = (there - net.points[p].station) / max(length, 1e-9)
        node[i, nodes[i], 0] = net.points[p].x + share * (net.points[p + 1].x - net.points[p].x)
        node[i, nodes[i], 1] = net.points[p].y + share * (net.points[p + 1].y - net.points[p].y)
        nodes[i] += 1
