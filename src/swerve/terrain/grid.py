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

import numpy as np

from swerve.core.errors import require
from swerve.core.kernels import kernel

from .limits import COLUMNS, POINT, STEP, UNBOUNDED, top_of_set
from .path import lay
from .regions import Ground, between
from .steps import drive_at
from .surface import Terrain
from .sweep import BLOCKED, FINE, OUTSIDE, see_points
from .vehicle import BRAKE, MASS, TIP, TOP, Vehicle

GENTLE = np.radians(67.5)  # [rad] largest turn between edges
EDGE_SAMPLES = 16


@dataclass(frozen=True)
class GridWay:
    """A way through the grid: its points (m, 2) from start to goal and the lower bound of its cost."""

    points: np.ndarray
    cost: float


class GridSearch:
    """The graph over `shape` (nx, ny) grid points with the start and the goal tied in."""

    def __init__(
        self,
        terrain: Terrain,
        vehicle: Vehicle,
        start: tuple[float, float],
        goal: tuple[float, float],
        shape: tuple[int, int] = (10, 10),
        cost: str = "time",
        must_drive: bool = True,
    ):
        require(min(shape) >= 2, "grid", shape, "must be at least 2 by 2")
        x0, y0, x1, y1 = terrain.extent
        nx, ny = shape
        gx, gy = np.meshgrid(np.linspace(x0, x1, nx), np.linspace(y0, y1, ny))
        self.nodes = np.vstack([np.column_stack([gx.ravel(), gy.ravel()]), [start], [goal]])
        self.start, self.goal = len(self.nodes) - 2, len(self.nodes) - 1
        cell = np.array([(x1 - x0) / (nx - 1), (y1 - y0) / (ny - 1)])
        edges = _edges(self.nodes, nx, ny, cell)
        fastest = _free_speed(vehicle, np.hypot(*np.subtract(goal, start)), np.ptp(terrain.heights))
        costs = np.empty((len(edges), 5))
        edge_costs(
            self.nodes[edges[:, 0]],
            self.nodes[edges[:, 1]],
            terrain.ground,
            vehicle.packed(),
            vehicle.drive_table(),
            fastest**2,
            costs,
        )
        column = {"time": 0, "distance": 1, "energy": 2, "exposure": 3}.get(cost, 0)
        open_ = np.isfinite(costs[:, 0]) if must_drive else costs[:, 4] == 0.0
        self.edges, self.costs = edges[open_], costs[open_, column] + 1e-6 * costs[open_, 1]
        self._followers = _followers(self.nodes, self.edges)
        self._to_go = self._costs_to_go()

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
        into: list[list[int]] = [[] for _ in self.edges]
        for e, followers in enumerate(self._followers):
            for f in followers:
                into[f].append(e)
        to_go = np.full(len(self.edges), np.inf)
        heap = [(0.0, int(e)) for e in np.flatnonzero(self.edges[:, 1] == self.goal)]
        to_go[self.edges[:, 1] == self.goal] = 0.0
        while heap:
            cost, f = heapq.heappop(heap)
            if cost > to_go[f]:
                continue
            for e in into[f]:
                longer = cost + float(self.costs[f])
                if longer < to_go[e]:
                    to_go[e] = longer
                    heapq.heappush(heap, (longer, e))
        return to_go

    def _costs_so_far(self) -> tuple[np.ndarray, np.ndarray]:
        """Cost from the start over every edge, and the edge before it."""
        so_far, before = np.full(len(self.edges), np.inf), np.full(len(self.edges), -1)
        first = np.flatnonzero(self.edges[:, 0] == self.start)
        so_far[first] = self.costs[first]
        heap = [(float(so_far[e]), int(e)) for e in first]
        heapq.heapify(heap)
        while heap:
            cost, e = heapq.heappop(heap)
            if cost > so_far[e]:
                continue
            for f in self._followers[e]:
                longer = cost + float(self.costs[f])
                if longer < so_far[f]:
                    so_far[f], before[f] = longer, e
                    heapq.heappush(heap, (longer, f))
        return so_far, before


@kernel
def edge_costs(
    tails: np.ndarray,
    heads: np.ndarray,
    ground: Ground,
    car: np.ndarray,
    drive: np.ndarray,
    fastest: float,
    out: np.ndarray,
) -> None:
    """Lower bounds (edges, 5) of time, distance, work against gravity and exposure, and points on closed
    ground; times are infinite where the vehicle cannot stand."""
    at = np.arange(EDGE_SAMPLES) / (EDGE_SAMPLES - 1.0)
    rows, frame = np.empty((EDGE_SAMPLES, COLUMNS)), np.empty((EDGE_SAMPLES, 9))
    points, mark = np.empty((EDGE_SAMPLES, POINT)), np.empty(EDGE_SAMPLES, np.int8)
    ends = np.empty((2, 2))
    extent, exposure = ground.frame, ground.exposure
    top = min(fastest, car[TOP], UNBOUNDED)
    for k in range(len(tails)):
        ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1] = tails[k, 0], tails[k, 1], heads[k, 0], heads[k, 1]
        lay(at, ends, ground, rows, frame)
        see_points(rows, car, False, points, mark)
        time = distance = work = exposed = 0.0
        slow = closed = 0.0
        for i in range(EDGE_SAMPLES):
            x = -1.0
            if mark[i] == FINE:
                x = top_of_set(points, i, drive_at(0.0, drive), car[BRAKE], car[TIP], top)
            if mark[i] == BLOCKED or mark[i] == OUTSIDE:
                closed += 1.0
            pace = 1.0 / np.sqrt(x) if x > 0.0 else np.inf
            if i > 0:
                step = rows[i - 1, STEP]
                took = 0.5 * step * (pace + slow)
                time += took
                distance += step
                work += max(0.0, car[MASS] * step * 0.5 * (points[i, 0] + points[i - 1, 0]))
                if exposure.size > 1:
                    exposed += took * between(frame[i, 0], frame[i, 1], exposure, extent)
            slow = pace
        out[k, 0], out[k, 1], out[k, 2], out[k, 3], out[k, 4] = time, distance, work, exposed, closed


def _edges(nodes: np.ndarray, nx: int, ny: int, cell: np.ndarray) -> np.ndarray:
    """(edges, 2) pairs of nodes: the eight neighbours, and start and goal to all points within 1.5 cells."""
    index = np.arange(nx * ny).reshape(ny, nx)
    pairs = []
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dx or dy:
                a = index[max(0, -dy) : ny - max(0, dy), max(0, -dx) : nx - max(0, dx)]
                b = index[max(0, dy) : ny + min(0, dy), max(0, dx) : nx + min(0, dx)]
                pairs.append(np.column_stack([a.ravel(), b.ravel()]))
    grid = nodes[:-2]
    for end in (len(nodes) - 2, len(nodes) - 1):
        gap = np.abs((grid - nodes[end]) / cell)
        near = np.flatnonzero((gap.max(axis=1) <= 1.5) & (gap.max(axis=1) > 0.3))
        same = np.full(len(near), end)
        pairs.append(np.column_stack([same, near] if end == len(nodes) - 2 else [near, same]))
    if np.abs((nodes[-1] - nodes[-2]) / cell).max() <= 2.0:
        pairs.append(np.array([[len(nodes) - 2, len(nodes) - 1]]))
    return np.vstack(pairs)


def _followers(nodes: np.ndarray, edges: np.ndarray) -> list[list[int]]:
    """For every edge the edges that go on from its end with a gentle turn."""
    way = nodes[edges[:, 1]] - nodes[edges[:, 0]]
    way = way / np.linalg.norm(way, axis=1, keepdims=True)
    leaving: dict[int, list[int]] = {}
    for e, tail in enumerate(edges[:, 0].tolist()):
        leaving.setdefault(tail, []).append(e)
    result = []
    for e, head in enumerate(edges[:, 1].tolist()):
        others = np.array(leaving.get(head, []), dtype=int)
        gentle = way[others] @ way[e] >= np.cos(GENTLE) if len(others) else others
        result.append(others[np.asarray(gentle, dtype=bool)].tolist())
    return result


def _free_speed(vehicle: Vehicle, distance: float, drop: float) -> float:
    """A speed that cannot be passed on the way: full drive over twice the distance, and the highest drop."""
    push = float(vehicle.drive_table().max())
    return min(
        vehicle.top_speed, float(np.sqrt(4.0 * push * max(distance, 1.0) + 2 * vehicle.gravity * drop))
    )
