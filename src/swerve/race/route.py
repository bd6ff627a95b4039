"""The route tree: a finite-horizon A* over the clips of a move tree, in compiled code.

A node is a pose at a node of the tree and a frame; its children are the clips that may follow, as far as
they touch nothing. The cost is frames; the estimate of what is to come is a `Guide`. The search ends when
the best open node has reached the goal or the horizon, or when the limit of kept nodes is hit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from swerve.core.errors import require
from swerve.core.frontier import Frontier, known, mix, pop, push, see
from swerve.core.kernels import bare, inlined
from swerve.core.library import MotionLibrary
from swerve.core.movers import BUCKET, MoverMap, fill_layer
from swerve.core.plan import Status

from .collide import clip_hits_cars, clip_hits_walls
from .guide import OFF_ROAD, Guide, far_estimate, nearest_point, track_estimate
from .moves import SLICE, Moves, pack_moves
from .others import Movers, Others, nobody, pack_others
from .touch import least_contact
from .track import Track
from .traffic import Traffic

RESOLUTION = 0.5  # [m] places closer than this, at the same frame, node and heading, are one
HEADINGS = 144  # directions told apart by the detection of duplicates
LATEST = 65535  # [frames] moments beyond are one
SQUEEZED = 0.05  # [m] kept from others when nothing else is left

REACHED, AT_HORIZON, AT_LIMIT, BLOCKED = 0, 1, 2, 3
# columns of a node's state: cosine, sine and heading; node of the move tree; frames since the start; metres
# along the track, laps counted
X, Y, COS, SIN, HEADING, NODE, FRAME, PROGRESS = range(8)

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
        require(self.nodes >= 2, "nodes", self.nodes, "must be at least 2: the start and one more")
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
    ahead: int = 0  # [frames] for which it touches nothing


class Nodes(NamedTuple):
    """Room for the nodes of a search."""

    state: np.ndarray  # (n, 8) of one node: all that its children need, in one line of the cache
    parent: np.ndarray  # (n,)
    clip: np.ndarray  # (n,) clip that led here
    cost: np.ndarray  # (n,) frames plus estimate


class RouteSearch:
    """Searches routes on one track with one tree; keeps its memory from search to search.

    Frame length and outline are the library's. `traffic` is for a run whose other cars are all known
    beforehand; whoever meets bodies that are predicted anew gives `others` to every search.
    """

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
        self.movers = pack_others(traffic.others() if traffic else nobody(), tree.dt, SLICE)
        radius = np.hypot(*self.moves.slices[:, 6:8].T).max() + margin + 0.1
        self.reach = np.array([radius, tree.top_speed * tree.dt])
        self.map = MoverMap(self.options.horizon + int(self.moves.frames.max()) + 1)
        self.frontier = Frontier(self.options.nodes)
        n = self.options.nodes + 1
        self.nodes = Nodes(np.empty((n, 8)), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n))
        most = max(1, int(np.diff(self.moves.first).max(initial=1)))
        self.fresh = np.empty(most, np.int32), np.empty(most, np.uint64)
        self.kept = 0

    def move_to(self, track: Track, guide: Guide) -> None:
        """Go on searching on another track, such as the next stretch of a long way."""
        self.track, self.guide = track, guide

    def search(
        self,
        pose: np.ndarray,
        node: int,
        frame: int = 0,
        progress: float | None = None,
        target: float = np.inf,
        tail: np.ndarray | None = None,
        others: Others | None = None,
    ) -> Route:
        """The best route from `pose` (3,) at `node` of the tree, starting at `frame` of the run.

        `progress` so far [m] counts laps; the goal is reached at `target` metres. `tail`, the rest of an
        earlier route, is taken into the tree first, so that no plan is worse than the one it replaces.
        `others`, predicted from this very moment on, stand in for the traffic of the run.

        There is always an answer. Where every way is blocked, others are passed as closely as can be; where
        that is blocked too, the status says so, and the route is the one that touches something last.
        """
        movers = self.movers if others is None else pack_others(others, self.tree.dt, SLICE)
        frame = frame if others is None else 0
        if progress is None:
            progress = float(self.track.progress(pose[:2])[0])
        x, y, heading = (float(v) for v in pose)
        self.nodes.state[0] = x, y, np.cos(heading), np.sin(heading), heading, node, 0.0, progress
        first = np.zeros(0, np.int32) if tail is None else tail.astype(np.int32)
        route = self._grow(self.moves, movers, frame, target, first)
        if route.status is Status.STUCK and len(movers.poses):
            close = self.moves._replace(outline=np.minimum(self.moves.outline, [np.inf, np.inf, SQUEEZED]))
            sure = movers._replace(size=movers.size * [1.0, 1.0, 1.0, 0.0])
            for moves, seen in ((self.moves, movers), (close, sure)):
                again = self._grow(moves, seen, frame, target, first, patient=True)
                route = again if again.status is not Status.STUCK or again.ahead > route.ahead else route
                if route.status is not Status.STUCK:
                    return route
        if route.status is Status.STUCK:
            clips, ahead = least_contact(self.tree, pose, node, self.track.walls, movers, frame)
            if ahead >= route.ahead or len(route.clips) == 0:
                route = replace(route, clips=clips, ahead=ahead)
        return route

    def _grow(
        self, moves: Moves, movers: Movers, frame: int, target: float, tail: np.ndarray, patient: bool = False
    ) -> Route:
        o, f = self.options, self.frontier
        best, status, self.kept, expanded, generated = grow(
            float(target),
            tail,
            (o.horizon, o.nodes, float(o.weight), o.duplicates, o.exhaustive, patient),
            moves,
            self.guide,
            self.track.walls.arrays(),
            (self.map.cells, frame, *movers, self.reach),
            self.nodes,
            (f.keys, f.items, f.seen, *self.fresh),
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
            int(self.nodes.state[best, FRAME]),
        )


@bare
def grow(
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
    """Best-first growth of the route tree from the state of node 0, which is set.

    Returns the best node, how it ended, and the numbers of nodes kept, expanded and generated.
    """
    horizon, limit, weight, duplicates, exhaustive, patient = options
    keys, items, seen, fresh_clip, fresh_key = frontier
    segments, wall_start, wall_items, field, grid = walls
    cells, first_frame, cars, car_stray, car_size, car_reach = traffic
    # every array gets a name of its own: reaching into a tuple in the loop costs more than the work
    state, parent_of, clip_of, cost = nodes
    far, improved, goal, turn, corner, nearest, line, value, lap = guide
    first_of, order, clip_target, clip_frames, end = moves[:5]
    piece_start, pieces, slice_start, slices = moves[5:9]
    pose_start, poses, outline, wait = moves[9:]
    lap_length, lap_frames, closed = lap[0], lap[1], lap[2] > 0.0
    begin = state[0, PROGRESS]
    last_lap = np.ceil(target / lap_length) - 1.0 if np.isfinite(target) else 0.0
    moving = cars.shape[0] > 0
    if duplicates:
        seen[:] = np.uint64(0)
        see(seen, _signature(state[0, X], state[0, Y], state[0, HEADING], int(state[0, NODE]), 0), 0)
    parent_of[0], clip_of[0], cost[0] = -1, -1, 0.0
    kept, expanded, generated = 1, 0, 0
    size = layers = int(state[0, FRAME])  # 0: given a literal, Numba compiles what it is handed to twice
    at, step = 0, 0  # first walk down the tail of the last route, as far as it still holds
    best, status = 0, BLOCKED
    while kept < limit:
        walking = step < tail.shape[0]
        if not walking:
            if step == tail.shape[0]:  # the tail is done: go back to the root
                step += 1
                at = 0
            elif size == 0:
                break
            else:
                size = pop(keys, items, size)
                at = items[size]
            reached = state[at, PROGRESS] >= target and at > 0
            if reached or state[at, FRAME] >= horizon:
                if best == 0 or cost[at] < cost[best]:
                    best, status = at, REACHED if reached else AT_HORIZON
                if exhaustive:
                    continue
                break
            expanded += 1
        x, y, c, s = state[at, X], state[at, Y], state[at, COS], state[at, SIN]
        heading, frame = state[at, HEADING], int(state[at, FRAME])
        if walking:
            choices, first, stop = tail, step, step + 1
            step += 1
        else:
            node = int(state[at, NODE])
            choices, first, stop = order, first_of[node], first_of[node + 1]
        generated += stop - first
        # where nothing moves, a place is worth most at the soonest moment; half laps are told apart
        stretch = (
            int(np.floor(2.0 * (state[at, PROGRESS] - begin) / lap_length)) if closed and not moving else 0
        )
        # look up all children before testing any, so that the cache misses overlap
        fresh, hindered = 0, walking or patient
        for choice in range(first, stop):
            clip = choices[choice]
            nx, ny = x + c * end[clip, 0] - s * end[clip, 1], y + s * end[clip, 0] + c * end[clip, 1]
            if clip_target[clip] < 0 or (not far and nearest_point(nx, ny, corner, nearest) < 0):
                continue
            fresh_clip[fresh] = clip
            if duplicates:
                late = frame + clip_frames[clip]
                when = late if moving else stretch
                fresh_key[fresh] = _signature(nx, ny, heading + end[clip, 4], clip_target[clip], when)
                if known(seen, fresh_key[fresh], min(late, LATEST)):
                    continue
            fresh += 1
        for choice in range(fresh):
            clip = fresh_clip[choice]
            node = clip_target[clip]
            # waiting earns nothing unless somebody is in the way; waits are the last clips of a node
            if wait[clip] and not hindered:
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
            late = frame + clip_frames[clip]
            if cars.shape[0] > 0:
                while layers < cells.shape[0] and layers * BUCKET < late:
                    fill_layer(
                        cells,
                        layers,
                        cars,
                        first_frame,
                        car_size,
                        car_reach[0],
                        state[0, X],
                        state[0, Y],
                        car_reach[1],
                    )
                    layers += 1
                if clip_hits_cars(
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
                    car_stray,
                    car_size,
                ):
                    hindered = True
                    continue
            nx, ny = x + c * end[clip, 0] - s * end[clip, 1], y + s * end[clip, 0] + c * end[clip, 1]
            angle = heading + end[clip, 4]
            if far:
                frames, along = far_estimate(nx, ny, angle, node, goal, turn, improved), 0.0
            else:
                frames, along = track_estimate(
                    nx, ny, angle, node, corner, nearest, line, value, turn, improved
                )
            if not far and frames >= OFF_ROAD:
                continue
            if duplicates and not see(seen, fresh_key[choice], min(late, LATEST)):
                continue
            if closed:  # count laps: the equal place nearest to the parent's
                if along < 0.0:  # before the line, but seen from its far side
                    frames -= lap_frames
                elif along >= lap_length:
                    frames += lap_frames
                along += lap_length * np.round((state[at, PROGRESS] - along) / lap_length)
                frames += lap_frames * (last_lap - np.floor(along / lap_length))
            if along >= target:
                frames = -(along - target) / goal[2]
            state[kept, X], state[kept, Y], state[kept, HEADING] = nx, ny, angle
            state[kept, COS] = c * end[clip, 2] - s * end[clip, 3]
            state[kept, SIN] = s * end[clip, 2] + c * end[clip, 3]
            state[kept, NODE], state[kept, FRAME], state[kept, PROGRESS] = node, late, along
            parent_of[kept], clip_of[kept] = at, clip
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
        best = _least_to_come(state, cost, items, size)
        status = AT_LIMIT if best > 0 else BLOCKED
    if best == 0:  # all ways end: the one that lasts longest
        for at in range(1, kept):
            if state[at, FRAME] > state[best, FRAME]:
                best = at
    return best, status, kept, expanded, generated


@inlined
def _signature(x: float, y: float, heading: float, node: int, frame: int) -> np.uint64:
    """A hash of the place, heading, node and frame, each rounded to what counts as the same."""
    turn = int(np.floor(heading * (HEADINGS / (2 * np.pi)) + 0.5)) % HEADINGS
    where = np.uint64(int(np.floor(x * (1.0 / RESOLUTION))) & 0xFFFFFFFF) << np.uint64(32)
    where |= np.uint64(int(np.floor(y * (1.0 / RESOLUTION))) & 0xFFFFFFFF)
    what = np.uint64(((frame * HEADINGS + turn) << 16) | node)
    return mix(mix(np.uint64(0x5157), where), what)


@bare
def _least_to_come(state: np.ndarray, cost: np.ndarray, items: np.ndarray, size: int) -> int:
    """The open node with the least still to come, when the search was cut short.

    Costs of open nodes cannot be compared: where the estimate promises too much, whoever has got less far
    looks cheaper, and to set off later cheapest of all.
    """
    best, least = 0, np.inf
    for k in range(size):
        at = items[k]
        if at > 0 and cost[at] - state[at, FRAME] < least:
            best, least = at, cost[at] - state[at, FRAME]
    return best
