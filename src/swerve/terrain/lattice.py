"""What a grid is made of: which of its places are joined, how much each join costs at least, and what may
follow on what."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from swerve.core.kernels import NO, kernel

from .lay import lay
from .limits import COLUMNS, POINT, STEP, UNBOUNDED
from .regions import Ground, between
from .steps import drive_at
from .sweep import BLOCKED, FINE, OUTSIDE, see_points
from .topmost import top_of_set
from .vehicle import BRAKE, MASS, TIP, TOP

GENTLE = np.radians(67.5)  # [rad] largest turn between edges
EDGE_SAMPLES = 16  # of an edge, at least


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


def joins(nodes: np.ndarray, nx: int, ny: int, cell: np.ndarray, chains: Sequence[int]) -> np.ndarray:
    """(edges, 2) pairs of nodes: the eight neighbours; start, goal and the ends of chains to all points
    within 1.5 cells, the chains within themselves and, where it is no sharp turn, to each other, start and
    goal to what is near."""
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
    outward: list[np.ndarray] = []
    first = nx * ny
    for size in chains:
        inner = np.arange(first, first + size)
        pairs += [np.column_stack([inner[:-1], inner[1:]]), np.column_stack([inner[1:], inner[:-1]])]
        loose += [inner[0], inner[-1]]
        outward += [nodes[inner[0]] - nodes[inner[1]], nodes[inner[-1]] - nodes[inner[-2]]]
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
        close = within.query_pairs(3.0, output_type="ndarray")
        close = close[close[:, 0] // 2 != close[:, 1] // 2]
        way, out = nodes[ends[close[:, 1]]] - nodes[ends[close[:, 0]]], np.array(outward)
        close = close[_gentle(out[close[:, 0]], way) & _gentle(way, -out[close[:, 1]])]
        pairs += [ends[close], ends[close][:, ::-1]]
        near = ends[within.query_ball_point(nodes[start] / cell, 2.0)]
        pairs.append(np.column_stack([np.full(len(near), start), near]))
        near = ends[within.query_ball_point(nodes[goal] / cell, 2.0)]
        pairs.append(np.column_stack([near, np.full(len(near), goal)]))
    if np.abs((nodes[goal] - nodes[start]) / cell).max() <= 2.0:
        pairs.append(np.array([[start, goal]]))
    joined = np.vstack(pairs).astype(int)
    return joined[(nodes[joined[:, 0]] != nodes[joined[:, 1]]).any(axis=1)]


def _gentle(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n,) whether ways (n, 2) may follow on each other."""
    sizes = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    gentle: np.ndarray = (one * other).sum(1) >= (np.cos(GENTLE) - 1e-12) * sizes
    return gentle


def followers(nodes: np.ndarray, edges: np.ndarray) -> list[list[int]]:
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
