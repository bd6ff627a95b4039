"""The route tree: a finite-horizon A* over the clips of a move tree, in compiled code.

A node is a pose at a node of the tree and a frame; its children are the clips that may follow, as far as
they touch nothing. The cost is frames; the estimate of what is to come is a `Guide`. The search ends when
the best open node has reached the goal or the horizon, or when the limit of kept nodes is hit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swerve.core.errors import require
from swerve.core.frontier import Frontier, known, mix, pop, push, see
from swerve.core.kernels import kernel
from swerve.core.library import MotionLibrary
from swerve.core.movers import MoverMap
from swerve.core.plan import Status

from .collide import clip_hits_cars, clip_hits_walls
from .guide import OFF_ROAD, Guide, estimate
from .moves import Moves, pack_moves
from .track import Track
from .traffic import Traffic, no_traffic

RESOLUTION = 0.5  # [m] places closer than this, at the same frame, node and heading, are one
HEADINGS = 144  # directions told apart by the detection of duplicates
DEEP = 0.6  # of the deepest open node's frames: how deep a route cut short by the limit must reach

REACHED, AT_HORIZON, AT_LIMIT, BLOCKED = 0, 1, 2, 3
STATUS = (Status.SOLVED, Status.HORIZON, Status.LIMIT, Status.STUCK)


@dataclass(frozen=True)
class SearchOptions:
    """`horizon` in frames, `nodes` the most nodes kept, `weight` on the estimate (1: plain A*)."""

    horizon: int = 200
    nodes: int = 15000
    weight: float = 1.0
    duplicates: bool = True
    exhaustive: bool = False  # go on to the limit after the best route is known, as the seed did

    def __post_init__(self) -> None:
        require(self.horizon >= 1, "horizon", self.horizon, "must be at least 1 frame")
        require(self.nodes >= 1, "nodes", self.nodes, "must be at least 1")
        require(self.weight >= 0, "weight", self.weight, "must not be negative")


@dataclass(frozen=True)
class Route:
    """The chosen clips in order, and what the search did. `cost` in frames, estimate included."""

    status: Status
    clips: np.ndarray
    cost: float
    kept: int
    expanded: int
    generated: int


class Tree(NamedTuple):
    """Room for the nodes of a search."""

    pose: np.ndarray  # (n, 4) x, y, cosine and sine of heading
    node: np.ndarray  # (n,) node of the move tree
    frame: np.ndarray  # (n,) frames since the start
    parent: np.ndarray  # (n,)
    clip: np.ndarray  # (n,) clip that led here
    progress: np.ndarray  # (n,) [m] along the track, laps counted
    cost: np.ndarray  # (n,) frames plus estimate


class RouteSearch:
    """Searches routes on one track with one tree; keeps its memory from search to search."""

    def __init__(
        self,
        tree: MotionLibrary,
        track: Track,
        guide: Guide,
        options: SearchOptions | None = None,
        traffic: Traffic | None = None,
        margin: float = 0.15,
    ):
        self.tree, self.track, self.guide = tree, track, guide
        self.options = options or SearchOptions()
        self.moves = pack_moves(tree, margin)
        traffic = traffic or no_traffic()
        self.cars = traffic.packed()
        half = np.array([traffic.length / 2, traffic.width / 2])
        self.car_size = np.array([half[0], half[1], np.hypot(*half)])
        self.movers = MoverMap(self.options.horizon + int(self.moves.frames.max()) + 1)
        self.frontier = Frontier(self.options.nodes)
        n = self.options.nodes + 1
        self.nodes = Tree(
            np.empty((n, 4)),
            np.empty(n, np.int32),
            np.empty(n, np.int32),
            np.empty(n, np.int32),
            np.empty(n, np.int32),
            np.empty(n),
            np.empty(n),
        )
        self.kept = 0

    def search(
        self,
        pose: np.ndarray,
        node: int,
        frame: int = 0,
        progress: float | None = None,
        target: float = np.inf,
        tail: np.ndarray | None = None,
    ) -> Route:
        """The best route from `pose` (3,) at `node` of the tree, starting at `frame` of the run.

        `progress` so far [m] counts laps; the goal is reached at `target` metres. `tail`, the rest of an
        earlier route, is taken into the tree first, so that no plan is worse than the one it replaces.
        """
        if len(self.cars):
            reach = float(self.moves.slices[:, 4].max()) + self.moves.outline[2] + 0.1
            self.movers.fill(self.cars, frame, float(self.car_size[2]), reach)
        start = np.array([pose[0], pose[1], np.cos(pose[2]), np.sin(pose[2])])
        o, f = self.options, self.frontier
        if progress is None:
            progress = float(estimate(start[0], start[1], start[2], start[3], node, self.guide)[1])
        best, status, self.kept, expanded, generated = grow(
            start,
            node,
            float(progress),
            float(target),
            np.zeros(0, np.int32) if tail is None else tail.astype(np.int32),
            (o.horizon, o.nodes, o.weight, o.duplicates, o.exhaustive),
            self.moves,
            self.guide,
            self.track.walls.arrays(),
            (self.movers.cells, self.cars, frame, self.car_size),
            self.nodes,
            (f.keys, f.items, f.seen),
        )
        clips, at = [], best
        while at > 0:
            clips.append(int(self.nodes.clip[at]))
            at = int(self.nodes.parent[at])
        return Route(
            STATUS[status],
            np.array(clips[::-1], dtype=np.int32),
            float(self.nodes.cost[best]),
            self.kept,
            expanded,
            generated,
        )


@kernel
def grow(
    start: np.ndarray,
    start_node: int,
    progress: float,
    target: float,
    tail: np.ndarray,
    options: tuple,
    moves: Moves,
    guide: Guide,
    walls: tuple,
    traffic: tuple,
    nodes: Tree,
    frontier: tuple,
) -> tuple[int, int, int, int, int]:
    """Best-first growth of the route tree; returns best node, how it ended, kept, expanded, generated."""
    horizon, limit, weight, duplicates, exhaustive = options
    keys, items, seen = frontier
    if duplicates:
        seen[:] = np.uint64(0)
    nodes.pose[0] = start
    nodes.node[0], nodes.frame[0], nodes.parent[0], nodes.clip[0] = start_node, 0, -1, -1
    nodes.progress[0] = progress
    nodes.cost[0] = 0.0
    kept, expanded, generated = 1, 0, 0
    size = push(keys, items, 0, 0.0, 0)
    at = 0
    for clip in tail:  # what is left of the last route, as far as it still holds
        new = _add(at, clip, kept, target, weight, duplicates, moves, guide, walls, traffic, nodes, seen)
        if not new or kept >= limit:
            break
        at = kept
        size = push(keys, items, size, nodes.cost[kept], kept)
        kept += 1

    best, status = 0, BLOCKED
    while size > 0 and kept < limit:
        size = pop(keys, items, size)
        at = items[size]
        reached = nodes.progress[at] >= target and at > 0
        if reached or nodes.frame[at] >= horizon:
            if best == 0 or nodes.cost[at] < nodes.cost[best]:
                best, status = at, REACHED if reached else AT_HORIZON
            if exhaustive:
                continue
            break
        expanded += 1
        node = nodes.node[at]
        for k in range(moves.first[node], moves.first[node + 1]):
            generated += 1
            if _add(
                at,
                moves.order[k],
                kept,
                target,
                weight,
                duplicates,
                moves,
                guide,
                walls,
                traffic,
                nodes,
                seen,
            ):
                size = push(keys, items, size, nodes.cost[kept], kept)
                kept += 1
                if kept >= limit:
                    break
    if best == 0 and size > 0:
        best, status = _deep_and_cheap(nodes, items, size), AT_LIMIT
        if best == 0:
            status = BLOCKED
    return best, status, kept, expanded, generated


@kernel
def _add(
    at: int,
    clip: int,
    new: int,
    target: float,
    weight: float,
    duplicates: bool,
    moves: Moves,
    guide: Guide,
    walls: tuple,
    traffic: tuple,
    nodes: Tree,
    seen: np.ndarray,
) -> bool:
    """Write the node that `clip` leads to from `at` into place `new`, unless it collides or is known."""
    x, y, c, s = nodes.pose[at]
    e = moves.end[clip]
    nx, ny = x + c * e[0] - s * e[1], y + s * e[0] + c * e[1]
    nc, ns = c * e[2] - s * e[3], s * e[2] + c * e[3]
    node = moves.target[clip]
    frame = nodes.frame[at] + moves.frames[clip]
    frames, along = estimate(nx, ny, nc, ns, node, guide)
    if frames >= OFF_ROAD or node < 0:
        return False
    key = np.uint64(0)
    if duplicates:
        turn = int(np.floor(np.arctan2(ns, nc) * HEADINGS / (2 * np.pi) + 0.5)) % HEADINGS
        where = np.uint64(np.int64(np.floor(nx / RESOLUTION)) & 0xFFFFFFFF) << np.uint64(32)
        where |= np.uint64(np.int64(np.floor(ny / RESOLUTION)) & 0xFFFFFFFF)
        what = np.uint64((np.int64(frame) * HEADINGS + turn) << 16) | np.uint64(node)
        key = mix(mix(np.uint64(0x5157), where), what)
        if known(seen, key):
            return False
    if clip_hits_walls(x, y, c, s, clip, moves, walls):
        return False
    cells, cars, start, car_size = traffic
    if cars.shape[0] > 0 and clip_hits_cars(
        x, y, c, s, clip, nodes.frame[at], moves, cells, cars, start, car_size
    ):
        return False
    if duplicates:
        see(seen, key)
    progress = along
    if not guide.far and guide.lap[2] > 0.0:  # count laps: the nearest equal place to the parent's
        length = guide.lap[0]
        progress += length * np.round((nodes.progress[at] - along) / length)
        laps = np.ceil(target / length) - 1.0 if np.isfinite(target) else 0.0
        frames += guide.lap[1] * (laps - np.floor(progress / length))
    if progress >= target:
        frames = -(progress - target) / guide.goal[2]
    nodes.pose[new, 0], nodes.pose[new, 1], nodes.pose[new, 2], nodes.pose[new, 3] = nx, ny, nc, ns
    nodes.node[new], nodes.frame[new] = node, frame
    nodes.parent[new], nodes.clip[new] = at, clip
    nodes.progress[new] = progress
    nodes.cost[new] = frame + weight * frames
    return True


@kernel
def _deep_and_cheap(nodes: Tree, items: np.ndarray, size: int) -> int:
    """The cheapest of the open nodes that reach far ahead, when the search was cut short."""
    deepest = 0
    for k in range(size):
        deepest = max(deepest, nodes.frame[items[k]])
    best = 0
    for k in range(size):
        at = items[k]
        if nodes.frame[at] >= DEEP * deepest and at > 0 and (best == 0 or nodes.cost[at] < nodes.cost[best]):
            best = at
    return best
