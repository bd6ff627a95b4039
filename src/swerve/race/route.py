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
from .guide import OFF_ROAD, Guide, far_estimate, track_estimate
from .moves import SLICE, Moves, pack_moves
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


class Nodes(NamedTuple):
    """Room for the nodes of a search."""

    pose: np.ndarray  # (n, 5) x, y, cosine and sine of heading, heading
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
        self.car_size = np.array(
            [traffic.length / 2, traffic.width / 2, traffic.radius, traffic.stray(SLICE)]
        )
        self.movers = MoverMap(self.options.horizon + int(self.moves.frames.max()) + 1)
        self.frontier = Frontier(self.options.nodes)
        n = self.options.nodes + 1
        self.nodes = Nodes(
            np.empty((n, 5)),
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
            reach = float(np.hypot(*self.moves.slices[:, 6:8].T).max()) + self.moves.outline[2] + 0.1
            top = self.tree.top_speed * self.tree.dt
            self.movers.fill(self.cars, frame, float(self.car_size[2]), reach, pose, top)
        start = np.array([pose[0], pose[1], np.cos(pose[2]), np.sin(pose[2]), pose[2]])
        o, f = self.options, self.frontier
        if progress is None:
            progress = float(self.track.progress(pose[:2])[0])
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
    nodes: Nodes,
    frontier: tuple,
) -> tuple[int, int, int, int, int]:
    """Best-first growth of the route tree; returns best node, how it ended, kept, expanded, generated."""
    horizon, limit, weight, duplicates, exhaustive = options
    keys, items, seen = frontier
    segments, wall_start, wall_items, field, grid = walls
    cells, cars, first_frame, car_size = traffic
    # every array gets a name of its own: reaching into a tuple in the loop costs more than the work
    pose, node_of, frame_of, parent_of, clip_of, progress_of, cost = nodes
    far, improved, goal, turn, corner, nearest, line, value, lap = guide
    first_of, order, clip_target, clip_frames, end = moves[:5]
    piece_start, pieces, slice_start, slices = moves[5:9]
    pose_start, poses, outline = moves[9:]
    closed = lap[2] > 0.0
    last_lap = np.ceil(target / lap[0]) - 1.0 if np.isfinite(target) else 0.0
    if duplicates:
        seen[:] = np.uint64(0)
    pose[0] = start
    node_of[0], frame_of[0], parent_of[0], clip_of[0] = start_node, 0, -1, -1
    progress_of[0] = progress
    cost[0] = 0.0
    kept, expanded, generated = 1, 0, 0
    size = 0
    at, step = 0, 0  # first walk down the tail of the last route, as far as it still holds
    best, status = 0, BLOCKED
    while kept < limit:
        walking = step < tail.shape[0]
        if walking:
            first, stop = step, step + 1
        else:
            if step == tail.shape[0]:  # the tail is done: go back to the root
                step += 1
                at = 0
            elif size == 0:
                break
            else:
                size = pop(keys, items, size)
                at = items[size]
            reached = progress_of[at] >= target and at > 0
            if reached or frame_of[at] >= horizon:
                if best == 0 or cost[at] < cost[best]:
                    best, status = at, REACHED if reached else AT_HORIZON
                if exhaustive:
                    continue
                break
            expanded += 1
            first, stop = first_of[node_of[at]], first_of[node_of[at] + 1]
        x, y, c, s, heading = pose[at, 0], pose[at, 1], pose[at, 2], pose[at, 3], pose[at, 4]
        frame = frame_of[at]
        step += walking
        for choice in range(first, stop):
            clip = tail[choice] if walking else order[choice]
            generated += 1
            nx, ny = x + c * end[clip, 0] - s * end[clip, 1], y + s * end[clip, 0] + c * end[clip, 1]
            angle = heading + end[clip, 4]
            node = clip_target[clip]
            late = frame + clip_frames[clip]
            if node < 0:
                continue
            key = np.uint64(0)
            if duplicates:
                key = _signature(nx, ny, angle, node, late)
                if known(seen, key):
                    continue
            if clip_hits_walls(
                x,
                y,
                c,
                s,
                piece_start[clip],
                piece_start[clip + 1],
                pieces,
                segments,
                wall_start,
                wall_items,
                field,
                grid,
            ):
                continue
            if cars.shape[0] > 0 and clip_hits_cars(
                x,
                y,
                c,
                s,
                slice_start[clip],
                slice_start[clip + 1],
                frame,
                first_frame,
                slices,
                poses,
                pose_start[clip],
                outline,
                cells,
                cars,
                car_size,
            ):
                continue
            if far:
                frames, along = far_estimate(nx, ny, angle, node, goal, turn, improved), 0.0
            else:
                frames, along = track_estimate(
                    nx, ny, angle, node, corner, nearest, line, value, turn, improved
                )
                if frames >= OFF_ROAD:
                    continue
            if duplicates:
                see(seen, key)
            if closed:  # count laps: the equal place nearest to the parent's
                if along < 0.0:  # before the line, but seen from its far side
                    frames -= lap[1]
                elif along >= lap[0]:
                    frames += lap[1]
                along += lap[0] * np.round((progress_of[at] - along) / lap[0])
                frames += lap[1] * (last_lap - np.floor(along / lap[0]))
            if along >= target:
                frames = -(along - target) / goal[2]
            pose[kept, 0], pose[kept, 1] = nx, ny
            pose[kept, 2] = c * end[clip, 2] - s * end[clip, 3]
            pose[kept, 3] = s * end[clip, 2] + c * end[clip, 3]
            pose[kept, 4] = angle
            node_of[kept], frame_of[kept] = node, late
            parent_of[kept], clip_of[kept] = at, clip
            progress_of[kept] = along
            cost[kept] = late + weight * frames
            size = push(keys, items, size, cost[kept], kept)
            if walking:
                at = kept
            kept += 1
            if kept >= limit:
                break
        if walking and (kept == 1 or at != kept - 1):
            step = tail.shape[0]  # the tail is blocked here
    if best == 0 and size > 0:
        best = _deep_and_cheap(frame_of, cost, items, size)
        status = AT_LIMIT if best > 0 else BLOCKED
    return best, status, kept, expanded, generated


@kernel
def _signature(x: float, y: float, heading: float, node: int, frame: int) -> np.uint64:
    """A hash of the place, heading, node and frame, each rounded to what counts as the same."""
    turn = int(np.floor(heading * (HEADINGS / (2 * np.pi)) + 0.5)) % HEADINGS
    where = np.uint64(int(np.floor(x * (1.0 / RESOLUTION))) & 0xFFFFFFFF) << np.uint64(32)
    where |= np.uint64(int(np.floor(y * (1.0 / RESOLUTION))) & 0xFFFFFFFF)
    what = np.uint64(((frame * HEADINGS + turn) << 16) | node)
    return mix(mix(np.uint64(0x5157), where), what)


@kernel
def _deep_and_cheap(frames: np.ndarray, cost: np.ndarray, items: np.ndarray, size: int) -> int:
    """The cheapest of the open nodes that reach far ahead, when the search was cut short."""
    deepest = 0
    for k in range(size):
        deepest = max(deepest, frames[items[k]])
    best = 0
    for k in range(size):
        at = items[k]
        if frames[at] >= DEEP * deepest and at > 0 and (best == 0 or cost[at] < cost[best]):
            best = at
    return best
