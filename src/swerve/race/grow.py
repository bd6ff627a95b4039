"""The growth of a route tree: the loop that a search spends its time in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.frontier import known, mix, pop, push, see
from swerve.core.kernels import bare, inlined, inner
from swerve.core.movers import BUCKET, fill_layer

from .collide import clip_hits_cars, clip_hits_walls
from .guide import Guide, far_estimate, nearest_point, track_estimate
from .laid import OFF_ROAD
from .moves import Moves

RESOLUTION = 0.5  # [m] places closer than this, at the same frame, node and heading, are one
HEADINGS = 144  # directions told apart by the detection of duplicates
LATEST = 65535  # [frames] moments beyond are one

REACHED, AT_HORIZON, AT_LIMIT, BLOCKED = 0, 1, 2, 3
# columns of a node's state: cosine, sine and heading; node of the move tree; frames since the start; metres
# along the track, laps counted
X, Y, COS, SIN, HEADING, NODE, FRAME, PROGRESS = range(8)


class Nodes(NamedTuple):
    """Room for the nodes of a search."""

    state: np.ndarray  # (n, 8) of one node: all that its children need, in one line of the cache
    parent: np.ndarray  # (n,)
    clip: np.ndarray  # (n,) clip that led here
    cost: np.ndarray  # (n,) frames plus estimate and tolls
    paid: np.ndarray  # (n,) tolls of the clips that led here


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
    state, parent_of, clip_of, cost, paid = nodes
    far, improved, goal, turn, corner, nearest, line, value, lap = guide
    first_of, order, clip_target, clip_frames, end = moves[:5]
    piece_start, pieces, slice_start, slices = moves[5:9]
    pose_start, poses, outline, wait, toll = moves[9:]
    lap_length, lap_frames, closed = lap[0], lap[1], lap[2] > 0.0
    begin = state[0, PROGRESS]
    last_lap = np.ceil(target / lap_length) - 1.0 if np.isfinite(target) else 0.0
    moving = cars.shape[0] > 0
    if duplicates:
        seen[:] = np.uint64(0)
        see(seen, _signature(state[0, X], state[0, Y], state[0, HEADING], int(state[0, NODE]), 0), 0)
    parent_of[0], clip_of[0], cost[0], paid[0] = -1, -1, 0.0, 0.0
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
            paid[kept] = paid[at] + toll[clip]
            cost[kept] = late + paid[kept] + weight * frames
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


@inner
@inlined
def _signature(x: float, y: float, heading: float, node: int, frame: int) -> np.uint64:
    """A hash of the place, heading, node and frame, each rounded to what counts as the same."""
    turn = int(np.floor(heading * (HEADINGS / (2 * np.pi)) + 0.5)) % HEADINGS
    where = np.uint64(int(np.floor(x * (1.0 / RESOLUTION))) & 0xFFFFFFFF) << np.uint64(32)
    where |= np.uint64(int(np.floor(y * (1.0 / RESOLUTION))) & 0xFFFFFFFF)
    what = np.uint64(((frame * HEADINGS + turn) << 16) | node)
    return mix(mix(np.uint64(0x5157), where), what)


@inner
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
