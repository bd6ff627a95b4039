"""Global search: many good ways through a grid that knows directions.

A state is a directed edge of the grid, so that a way can only turn gently; the cost of an edge is a lower
bound on the time along it, the integral of ds / v_limit. The K best ways come from an A* whose estimate is
the exact cost to go, which expands nothing but beginnings of those ways. For ways that lie far apart, the
best one through every grid point is taken as well: K best alone are mostly small variations of the best.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swerve.core.errors import require

from .costs import parse
from .fences import clear_lines
from .footprint import KEPT
from .gaps import room_for, through
from .lattice import edge_costs, followers, joins
from .surface import Terrain
from .vehicle import Vehicle

EDGE_STEP = 0.3  # of a patch of the ground between them, at most


@dataclass(frozen=True)
class GridWay:
    """A way through the grid: its points (m, 2) from start to goal and the lower bound of its cost."""

    points: np.ndarray
    cost: float


class GridSearch:
    """The graph over `shape` (nx, ny) grid points and `chains` of places through gaps (see `gaps`), with the
    start and the goal tied in. Its edges keep the body clear of closed ground all along, and if `straight`
    none but the chains leads through narrow gaps."""

    def __init__(
        self,
        terrain: Terrain,
        vehicle: Vehicle,
        start: tuple[float, float],
        goal: tuple[float, float],
        shape: tuple[int, int] = (10, 10),
        cost: str = "time",
        must_drive: bool = True,
        chains: Sequence[np.ndarray] = (),
        straight: bool = True,
    ):
        require(min(shape) >= 2, "grid", shape, "must be at least 2 by 2")
        x0, y0, x1, y1 = terrain.extent
        nx, ny = shape
        gx, gy = np.meshgrid(*inside(terrain.extent, vehicle, shape))
        grid = np.column_stack([gx.ravel(), gy.ravel()])
        self.nodes = np.vstack([grid, *chains, [start], [goal]])
        self.start, self.goal = len(self.nodes) - 2, len(self.nodes) - 1
        cell = np.array([(x1 - x0) / (nx - 1), (y1 - y0) / (ny - 1)])
        edges = joins(self.nodes, nx, ny, cell, [len(chain) for chain in chains])
        open_ = terrain.mobility_at(*self.nodes.T) > 0.0
        edges = edges[open_[edges].all(axis=1)]
        ground = terrain.ground
        clear = np.ones(len(edges), bool)
        if len(ground.edges):
            fences = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
            tails, heads = self.nodes[edges[:, 0]], self.nodes[edges[:, 1]]
            clear_lines(tails, heads, room_for(vehicle), *fences, clear)
            if straight:
                clear &= (edges.min(axis=1) >= nx * ny) | ~through(tails, heads, chains, ground, vehicle)
        edges = edges[clear]
        fastest = _free_speed(vehicle, np.hypot(*np.subtract(goal, start)), np.ptp(terrain.heights))
        costs = np.empty((len(edges), 5))
        edge_costs(
            self.nodes[edges[:, 0]],
            self.nodes[edges[:, 1]],
            terrain.ground,
            vehicle.packed(),
            vehicle.drive_table(),
            fastest**2,
            EDGE_STEP * min(terrain.spacing),
            costs,
        )
        drivable = np.isfinite(costs[:, 0]) if must_drive else costs[:, 4] == 0.0
        weights = parse(cost)
        bounds = np.where(np.isfinite(costs[:, :4]), costs[:, :4], 0.0)[drivable]
        self.edges, self.costs = edges[drivable], bounds @ weights + 1e-6 * weights.max() * bounds[:, 1]
        self._followers = followers(self.nodes, self.edges)
        self._to_go = self._costs_to_go()

    @property
    def reaches(self) -> bool:
        """Whether any way leads to the goal."""
        return bool(np.isfinite(self._to_go[self.edges[:, 0] == self.start]).any())

    def closed_between(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the places that can be reached from the start and those from which the goal can be reached, the
        two that lie nearest to each other (2,) and (2,)."""
        so_far, _ = self._costs_so_far()
        near = np.unique(np.append(self.edges[np.isfinite(so_far), 1], self.start))
        far = np.unique(np.append(self.edges[np.isfinite(self._to_go), 0], self.goal))
        from scipy.spatial import cKDTree

        gap, k = cKDTree(self.nodes[far]).query(self.nodes[near])
        best = int(np.argmin(gap))
        return self.nodes[near[best]], self.nodes[far[k[best]]]

    def best(self, k: int) -> list[GridWay]:
        """The k best ways that visit no point twice, best first."""
        heap: list[tuple[float, int, float, int, int]] = []  # estimate, order, cost, edge, label before
        order = 0
        for first in np.flatnonzero(self.edges[:, 0] == self.start).tolist():
            cost = float(self.costs[first])
            heapq.heappush(heap, (cost + float(self._to_go[first]), order, cost, first, -1))
            order += 1
        labels: list[tuple[int, int]] = []
        ways: list[GridWay] = []
        while heap and len(ways) < k and len(labels) < 400 * k:
            estimate, _, cost, e, before = heapq.heappop(heap)
            if not np.isfinite(estimate):
                break
            labels.append((e, before))
            here = len(labels) - 1
            head = int(self.edges[e, 1])
            if head == self.goal:
                ways.append(GridWay(self.nodes[self._trace(labels, here)], cost))
                continue
            seen = set(self._trace(labels, here))
            for f in self._followers[e]:
                if int(self.edges[f, 1]) not in seen:
                    total = cost + float(self.costs[f])
                    heapq.heappush(heap, (total + self._to_go[f], order, total, f, here))
                    order += 1
        return ways

    def through_every_point(self) -> list[GridWay]:
        """The best way through each grid point, without repetitions, best first."""
        so_far, before = self._costs_so_far()
        total = so_far + self._to_go
        ways: dict[tuple[int, ...], float] = {}
        for node in range(len(self.nodes) - 2):
            candidates = np.flatnonzero((self.edges[:, 1] == node) & np.isfinite(total))
            if not len(candidates):
                continue
            e = int(candidates[np.argmin(total[candidates])])
            way = self._join(e, before)
            if len(set(way)) == len(way):
                ways[tuple(way)] = float(total[e])
        ranked = sorted(ways.items(), key=lambda item: item[1])
        return [GridWay(self.nodes[list(way)], cost) for way, cost in ranked]

    def _trace(self, labels: Sequence[tuple[int, int]], at: int) -> list[int]:
        way = [int(self.edges[labels[at][0], 1])]
        while at >= 0:
            e, at = labels[at]
            way.append(int(self.edges[e, 0]))
        return way[::-1]

    def _join(self, edge: int, before: np.ndarray) -> list[int]:
        """Nodes of the best way over an edge: back along `before`, ahead along the costs to go."""
        back = [edge]
        while before[back[-1]] >= 0:
            back.append(int(before[back[-1]]))
        way = [self.start, *(int(self.edges[e, 1]) for e in back[::-1])]
        e = edge
        while way[-1] != self.goal and len(way) < len(self.nodes):
            e = min(self._followers[e], key=lambda f: self.costs[f] + self._to_go[f])
            way.append(int(self.edges[e, 1]))
        return way

    def _costs_to_go(self) -> np.ndarray:
        """Exact cost from the end of every edge to the goal."""
        ends = np.flatnonzero(self.edges[:, 1] == self.goal)
        to_go = np.full(len(self.edges), np.inf)
        if len(ends):
            # a link from the goal to the edges that end there costs them, one from f back to e costs f
            e, f = self._links
            total, _ = _cheapest(len(self.edges), f, e, self.costs[e], ends, self.costs[ends])
            to_go = total - self.costs
        return to_go

    def _costs_so_far(self) -> tuple[np.ndarray, np.ndarray]:
        """Cost from the start over every edge, and the edge before it."""
        first = np.flatnonzero(self.edges[:, 0] == self.start)
        if not len(first):
            return np.full(len(self.edges), np.inf), np.full(len(self.edges), -1)
        e, f = self._links
        return _cheapest(len(self.edges), e, f, self.costs[f], first, self.costs[first])

    @cached_property
    def _links(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of edges that follow each other."""
        counts = [len(followers) for followers in self._followers]
        after = [f for followers in self._followers for f in followers]
        return np.repeat(np.arange(len(counts)), counts), np.array(after, dtype=int)


def _cheapest(
    count: int, tails: np.ndarray, heads: np.ndarray, costs: np.ndarray, roots: np.ndarray, first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Least cost (count,) from any of `roots`, each entered at its `first` cost, and who comes before, −1 for
    roots."""
    order = np.argsort(tails, kind="stable")
    first_link = np.searchsorted(tails[order], np.arange(count + 1)).tolist()
    to, price = heads[order].tolist(), costs[order].tolist()
    total, before = [np.inf] * count, [-1] * count
    heap = sorted(zip(first.tolist(), roots.tolist(), strict=True))
    for cost, root in heap:
        total[root] = min(total[root], cost)
    while heap:
        cost, here = heapq.heappop(heap)
        if cost > total[here]:
            continue
        for link in range(first_link[here], first_link[here + 1]):
            there, reached = to[link], cost + price[link] + 1e-12
            if reached < total[there]:
                total[there], before[there] = reached, here
                heapq.heappush(heap, (reached, there))
    return np.array(total), np.array(before)


def inside(
    extent: tuple[float, float, float, float], vehicle: Vehicle, shape: tuple[int, int]
) -> list[np.ndarray]:
    """Even places (nx,) and (ny,) along the sides of a map; along the outermost a body does not reach over
    its edge."""
    room = 0.5 * float(np.hypot(*vehicle.size[:2])) + 2.0 * KEPT
    x0, y0, x1, y1 = extent
    rooms = (min(room, 0.2 * (high - low) / n) for low, high, n in ((x0, x1, shape[0]), (y0, y1, shape[1])))
    return [
        np.linspace(low + room, high - room, n)
        for low, high, room, n in zip((x0, y0), (x1, y1), rooms, shape, strict=True)
    ]


def _free_speed(vehicle: Vehicle, distance: float, drop: float) -> float:
    """A speed that cannot be passed on the way: full drive over twice the distance, and the highest drop."""
    push = float(vehicle.drive_table().max())
    return min(
        vehicle.top_speed, float(np.sqrt(4.0 * push * max(distance, 1.0) + 2 * vehicle.gravity * drop))
    )
