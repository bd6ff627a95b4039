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
from itertools import pairwise

import numpy as np

from swerve.core.errors import require
from swerve.core.kernels import NO, kernel

from .costs import parse
from .fences import clear_lines
from .footprint import KEPT
from .gaps import room_for, through
from .lay import lay
from .limits import COLUMNS, POINT, STEP, UNBOUNDED, top_of_set
from .regions import Ground, between
from .steps import drive_at
from .surface import Terrain
from .sweep import BLOCKED, FINE, OUTSIDE, see_points
from .vehicle import BRAKE, MASS, TIP, TOP, Vehicle

GENTLE = np.radians(67.5)  # [rad] largest turn between edges
EDGE_SAMPLES = 16  # of an edge, at least
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
        edges = _edges(self.nodes, nx, ny, cell, [len(chain) for chain in chains])
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
        self._followers = _followers(self.nodes, self.edges)
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


@kernel
def edge_costs(
    tails: np.ndarray,
    heads: np.ndarray,
    ground: Ground,
    car: np.ndarray,
    drive: np.ndarray,
    fastest: float,
    step: float,
    out: np.ndarray,
) -> None:
    """Lower bounds (edges, 5) of time, distance, work against gravity and exposure, and points on closed
    ground; times are infinite where the vehicle cannot stand. Points lie at most `step` [m] apart."""
    ends = np.empty((2, 2))
    extent, exposure = ground.frame, ground.exposure
    top = min(fastest, car[TOP], UNBOUNDED)
    for k in range(len(tails)):
        ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1] = tails[k, 0], tails[k, 1], heads[k, 0], heads[k, 1]
        length = np.hypot(heads[k, 0] - tails[k, 0], heads[k, 1] - tails[k, 1])
        n = max(EDGE_SAMPLES, int(length / step) + 2)
        at = np.arange(n) / (n - 1.0)
        rows, frame = np.empty((n, COLUMNS)), np.empty((n, 9))
        points, mark = np.empty((n, POINT)), np.empty(n, np.int8)
        lay(at, ends, ground, rows, frame)
        see_points(rows, car, NO, points, mark)
        time = distance = work = exposed = 0.0
        slow = closed = 0.0
        for i in range(n):
            x = -1.0
            if mark[i] == FINE:
                x = top_of_set(points, i, drive_at(0.0, drive), car[BRAKE], car[TIP], top)
            if mark[i] == BLOCKED or mark[i] == OUTSIDE:
                closed += 1.0
            pace = 1.0 / np.sqrt(x) if x > 0.0 else np.inf
            if i > 0:
                length = rows[i - 1, STEP]
                took = 0.5 * length * (pace + slow)
                time += took
                distance += length
                work += max(0.0, car[MASS] * length * 0.5 * (points[i, 0] + points[i - 1, 0]))
                if exposure.size > 1:
                    exposed += took * between(frame[i, 0], frame[i, 1], exposure, extent)
            slow = pace
        out[k, 0], out[k, 1], out[k, 2], out[k, 3], out[k, 4] = time, distance, work, exposed, closed


def _edges(nodes: np.ndarray, nx: int, ny: int, cell: np.ndarray, chains: Sequence[int]) -> np.ndarray:
    """(edges, 2) pairs of nodes: the eight neighbours; start, goal and the ends of chains to all points
    within 1.5 cells, the chains within themselves and to each other, start and goal to what is near."""
    index = np.arange(nx * ny).reshape(ny, nx)
    pairs = []
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dx or dy:
                a = index[max(0, -dy) : ny - max(0, dy), max(0, -dx) : nx - max(0, dx)]
                b = index[max(0, dy) : ny + min(0, dy), max(0, dx) : nx + min(0, dx)]
                pairs.append(np.column_stack([a.ravel(), b.ravel()]))
    grid, start, goal = nodes[: nx * ny], len(nodes) - 2, len(nodes) - 1
    loose: list[int] = []
    first = nx * ny
    for size in chains:
        inner = np.arange(first, first + size)
        pairs += [np.column_stack([inner[:-1], inner[1:]]), np.column_stack([inner[1:], inner[:-1]])]
        loose += [inner[0], inner[-1]]
        first += size
    for node in (*loose, start, goal):
        gap = np.abs((grid - nodes[node]) / cell).max(axis=1)
        tied = node >= start
        near = np.flatnonzero((gap <= 1.5) & (gap > (0.3 if tied else 0.0)))
        same = np.full(len(near), node)
        if node != goal:
            pairs.append(np.column_stack([same, near]))
        if node != start:
            pairs.append(np.column_stack([near, same]))
    if loose:
        from scipy.spatial import cKDTree

        ends = np.array(loose)
        within = cKDTree(nodes[ends] / cell)
        close = [(ends[i], ends[j]) for i, j in within.query_pairs(3.0) if i // 2 != j // 2]
        pairs += [np.array(close).reshape(-1, 2), np.array(close).reshape(-1, 2)[:, ::-1]]
        near = ends[within.query_ball_point(nodes[start] / cell, 2.0)]
        pairs.append(np.column_stack([np.full(len(near), start), near]))
        near = ends[within.query_ball_point(nodes[goal] / cell, 2.0)]
        pairs.append(np.column_stack([near, np.full(len(near), goal)]))
    if np.abs((nodes[goal] - nodes[start]) / cell).max() <= 2.0:
        pairs.append(np.array([[start, goal]]))
    joined = np.vstack(pairs).astype(int)
    return joined[(nodes[joined[:, 0]] != nodes[joined[:, 1]]).any(axis=1)]


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


def _followers(nodes: np.ndarray, edges: np.ndarray) -> list[list[int]]:
    """For every edge the edges that go on from its end with a gentle turn."""
    way = nodes[edges[:, 1]] - nodes[edges[:, 0]]
    way = way / np.linalg.norm(way, axis=1, keepdims=True)
    order = np.argsort(edges[:, 0], kind="stable")
    tails = edges[order, 0]
    first, last = (np.searchsorted(tails, edges[:, 1], side) for side in ("left", "right"))
    count = last - first
    before = np.repeat(np.arange(len(edges)), count)
    place = np.arange(len(before)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    after = order[place]
    gentle = (way[before] * way[after]).sum(1) >= np.cos(GENTLE) - 1e-12
    before, after = before[gentle], after[gentle]
    stops = np.searchsorted(before, np.arange(len(edges) + 1))
    listed = after.tolist()
    return [listed[a:b] for a, b in pairwise(stops.tolist())]


def _free_speed(vehicle: Vehicle, distance: float, drop: float) -> float:
    """A speed that cannot be passed on the way: full drive over twice the distance, and the highest drop."""
    push = float(vehicle.drive_table().max())
    return min(
        vehicle.top_speed, float(np.sqrt(4.0 * push * max(distance, 1.0) + 2 * vehicle.gravity * drop))
    )
