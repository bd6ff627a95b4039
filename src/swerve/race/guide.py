"""Goals and the estimate of what is still to come.

A guide answers, for a pose and a node of the tree: how many frames to the goal? Two goals, each with two
estimates:

- a far point: distance over top speed (never too much), or better, with the frames lost by turning towards
  the goal and reaching top speed, worked out exactly for the tree in open space;
- progress along a track (a finish line, laps, or as far as possible): shortest way over top speed (never
  too much), or better, the time the tree itself would need along the racing line, corners included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import maximum_filter1d
from scipy.spatial import cKDTree

from swerve.core.geometry import arc_length
from swerve.core.kernels import inlined, inner, kernel
from swerve.core.library import MotionLibrary

from .line import EDGE, racing_line
from .moves import outline_of
from .track import Track

BINS = 72  # headings the turn table knows
MAP_CELL = 1.0  # [m] of the map from places to progress
SETTLED = 200  # rounds of iteration after which only a steady loss goes on
BEYOND = 1.5  # [m] past the wall, a cell of the map is surely off the road
OFF_ROAD = 1e6  # [frames] estimate where there is no road
SAMPLES = 6  # poses of a clip that are held against the road
MISALIGNED = 30.0  # [frames/rad] a clip loses when it ends askew to the line
ASIDE = 0.5  # [frames/m] when it ends beside the line
OUTSIDE = 40.0  # [frames/m] when it leaves the road
WIDEST = 4.0  # [m] outside beyond which it does not matter any more
KEPT = 0.2  # [m] from the edge of the road
SHORTEST = 0.3  # points a clip must lead on along the line to be of use
OFF_LINE = 0.1  # [frames/m] for being beside the racing line
NEAR_EDGE = 8.0  # [frames/m] for being so near an edge that turning away from it swings the tail into it


class Guide(NamedTuple):
    """Tables for `estimate`; all times in frames."""

    far: bool
    improved: bool
    goal: np.ndarray  # (3,) far point x, y and top speed [m/frame]
    turn: np.ndarray  # (nodes, BINS) frames lost by a heading that is off
    corner: np.ndarray  # (2,) of the map
    nearest: np.ndarray  # (nx, ny) nearest point of the centre line, −1 off the road
    line: np.ndarray  # (n, 9) x, y, tangent x, y, line heading, line offset, spacing, room right and left
    value: np.ndarray  # (n + 1, nodes) frames from here to the end of the lap or track
    lap: np.ndarray  # (3,) length of the track [m], frames of a lap, 1 if closed


def far_guide(tree: MotionLibrary, point: np.ndarray, improved: bool = True) -> Guide:
    """Towards a point so far away that only its direction matters."""
    top = tree.top_speed * tree.dt
    turn = lost_frames(tree) if improved else np.zeros((len(tree.node_names), BINS))
    return Guide(
        True,
        improved,
        np.array([point[0], point[1], top]),
        turn,
        np.zeros(2),
        np.zeros((1, 1), dtype=np.int32),
        np.zeros((1, 9)),
        np.zeros((2, len(tree.node_names))),
        np.array([1.0, 0.0, 0.0]),
    )


def track_guide(tree: MotionLibrary, track: Track, improved: bool = True) -> Guide:
    """Along a track, to its end or round and round."""
    n = len(track.centre)
    top = tree.top_speed * tree.dt
    offset = racing_line(track, outline_of(tree)[1])
    if improved:
        turn = lost_frames(tree)
        along = (
            np.round(slip_of(tree) * BINS / (2 * np.pi)).astype(int) % BINS
        )  # where the course is the line
        turn = turn - turn[np.arange(len(turn)), along][:, None]
        line_end = int(np.searchsorted(track.s, track.finish - 1e-6))
        heading, value, lap_frames = _value_along(tree, track, offset, line_end)
    else:
        turn = np.zeros((len(tree.node_names), BINS))
        heading = np.arctan2(track.tangent[:, 1], track.tangent[:, 0])
        to_go, lap_frames = _shortest(track, top)
        value = np.repeat(to_go[:, None], len(tree.node_names), axis=1)
    line = np.zeros((n, 9))
    line[:, :2], line[:, 2:4] = track.centre, track.tangent
    line[:, 4], line[:, 5] = heading[:n], offset if improved else 0.0
    line[:, 6] = track.s[1] - track.s[0]
    line[:, 7], line[:, 8] = (side - outline_of(tree)[1] / 2 - EDGE for side in (track.right, track.left))
    corner, index = _progress_map(track)
    return Guide(
        False,
        improved,
        np.array([0.0, 0.0, top]),
        turn,
        corner,
        index,
        line,
        value,
        np.array([track.length, lap_frames, float(track.closed)]),
    )


def slip_of(tree: MotionLibrary) -> np.ndarray:
    """Angle (nodes,) [rad] from the nose to the course at every node of a tree."""
    u, v = tree.node_velocity[:, 0], tree.node_velocity[:, 1]
    return np.where(np.abs(u) > 1.0, np.arctan2(v, np.maximum(np.abs(u), 1.0)), 0.0)


@inner
@inlined
def far_estimate(
    x: float, y: float, heading: float, node: int, goal: np.ndarray, turn: np.ndarray, improved: bool
) -> float:
    """Frames to the far point."""
    dx, dy = goal[0] - x, goal[1] - y
    frames = np.sqrt(dx * dx + dy * dy) / goal[2]
    if improved:
        frames += turn[node, _bin(np.arctan2(dy, dx) - heading)]
    return frames


@inner
@inlined
def track_estimate(
    x: float,
    y: float,
    heading: float,
    node: int,
    corner: np.ndarray,
    index: np.ndarray,
    line: np.ndarray,
    value: np.ndarray,
    turn: np.ndarray,
    improved: bool,
) -> tuple[float, float]:
    """Frames to the end of the track or lap, and progress along it [m]; `OFF_ROAD` frames off the road."""
    k = nearest_point(x, y, corner, index)
    if k < 0:
        return OFF_ROAD, 0.0
    dx, dy = x - line[k, 0], y - line[k, 1]
    along = dx * line[k, 2] + dy * line[k, 3]
    spacing = line[k, 6]
    frames = value[k, node]
    if along >= 0.0:
        frames += min(1.0, along / spacing) * (value[k + 1, node] - frames)
    elif k > 0:
        frames += min(1.0, -along / spacing) * (value[k - 1, node] - frames)
    if improved:
        frames += turn[node, _bin(line[k, 4] - heading)]
        aside = dy * line[k, 2] - dx * line[k, 3]
        frames += OFF_LINE * abs(aside - line[k, 5])
        frames += NEAR_EDGE * max(0.0, max(aside - line[k, 8], -aside - line[k, 7]))
    return frames, k * spacing + along


@inner
@inlined
def nearest_point(x: float, y: float, corner: np.ndarray, index: np.ndarray) -> int:
    """The point of the centre line nearest to a place; −1 off the road."""
    i, j = int((x - corner[0]) * (1.0 / MAP_CELL)), int((y - corner[1]) * (1.0 / MAP_CELL))
    if i < 0 or j < 0 or i >= index.shape[0] or j >= index.shape[1]:
        return -1
    return index[i, j]


@inner
@inlined
def _bin(angle: float) -> int:
    return int(np.floor(angle * (BINS / (2 * np.pi)) + 0.5)) % BINS


def lost_frames(tree: MotionLibrary) -> np.ndarray:
    """Frames lost (nodes, BINS) on the way to a far point that lies `bin` to the left of the nose.

    In open space the time to a far point is distance over top speed plus what turning and accelerating
    lose: L(node, θ) = min over clips of frames − advance/top + L(target, θ − turn), solved by iteration.

    A tree whose turns are multiples of 10° never faces a goal that lies 5° beside them, and loses a little
    with every clip; this steady loss is the same whatever is chosen, and is taken out.
    """
    top = tree.top_speed * tree.dt
    angle = 2 * np.pi * np.arange(BINS) / BINS
    end = np.array([clip.pose[-1] for clip in tree.clips])
    frames = np.array([clip.frames for clip in tree.clips])
    cost = frames[:, None] - (np.cos(angle) * end[:, :1] + np.sin(angle) * end[:, 1:2]) / top
    shift = np.round(end[:, 2] * BINS / (2 * np.pi)).astype(np.int64)
    ways = np.column_stack([tree.source, tree.target, shift])[tree.target >= 0]
    return _settle(cost[tree.target >= 0], ways, len(tree.node_names))


@kernel
def _settle(cost: np.ndarray, ways: np.ndarray, nodes: int) -> np.ndarray:
    lost = np.zeros((nodes, BINS))
    halfway = lost
    for count in range(2 * SETTLED):
        if count == SETTLED:
            halfway = lost
        better = np.full((nodes, BINS), OFF_ROAD)
        for k in range(ways.shape[0]):
            a, b, shift = ways[k, 0], ways[k, 1], ways[k, 2]
            for i in range(BINS):
                better[a, i] = min(better[a, i], cost[k, i] + lost[b, (i - shift) % BINS])
        better -= better.min()
        change = np.abs(better - lost).max()
        lost = better
        if change < 1e-6:
            return lost
    steady = (lost - halfway) / SETTLED
    lost = lost - 2 * SETTLED * steady
    return lost - lost.min()


def _shortest(track: Track, top: float) -> tuple[np.ndarray, float]:
    """Frames (n + 1,) at top speed along the shortest way inside the track to the finish, and of a lap: never
    too much. Behind the finish of an open track they are negative.
    """
    n = len(track.centre)
    heading = np.unwrap(np.arctan2(track.tangent[:, 1], track.tangent[:, 0]))
    spacing = track.s[1] - track.s[0]
    bend = np.gradient(heading) / spacing
    inside = np.where(bend > 0, track.left, track.right)
    rate = np.clip(1.0 - np.abs(bend) * (inside + 1.0), 0.0, 1.0)
    step = np.minimum(rate, np.roll(rate, -1)) * spacing / top
    if not track.closed:
        step[-1] = 0.0
    to_go = np.concatenate([np.cumsum(step[::-1])[::-1], [0.0]])
    if not track.closed:
        to_go -= np.interp(track.finish, track.s, to_go[:n])
    return to_go[: n + 1], float(step.sum())


def _progress_map(track: Track) -> tuple[np.ndarray, np.ndarray]:
    """Corner of the map and the nearest point of the centre line for every cell that may hold road.

    A cell that lies beyond the wall as a whole is off the road: what ends there has crossed the wall.
    """
    reach = np.maximum(track.left, track.right).max() + 2.0
    corner = track.centre.min(axis=0) - reach
    shape = np.ceil((track.centre.max(axis=0) + reach - corner) / MAP_CELL).astype(int)
    index = np.full(tuple(shape), -1, dtype=np.int32)
    _paint(index, corner, np.ascontiguousarray(track.centre), reach)
    cells = np.argwhere(index >= 0)
    middle = corner + (cells + 0.5) * MAP_CELL
    _, nearest = cKDTree(track.centre).query(middle)
    offset = ((middle - track.centre[nearest]) * track.normal[nearest]).sum(axis=1)
    # where the road widens, the widths of the neighbours count too
    left, right = (maximum_filter1d(width, 11, mode="wrap") for width in (track.left, track.right))
    beyond = (offset > left[nearest] + BEYOND) | (-offset > right[nearest] + BEYOND)
    index[cells[:, 0], cells[:, 1]] = np.where(beyond, -1, nearest)
    return corner, index


@kernel
def _paint(index: np.ndarray, corner: np.ndarray, points: np.ndarray, reach: float) -> None:
    """Mark every cell within `reach` of a point."""
    r = int(np.ceil(reach / MAP_CELL))
    for k in range(points.shape[0]):
        i0, j0 = int((points[k, 0] - corner[0]) / MAP_CELL), int((points[k, 1] - corner[1]) / MAP_CELL)
        for i in range(max(0, i0 - r), min(index.shape[0], i0 + r + 1)):
            for j in range(max(0, j0 - r), min(index.shape[1], j0 + r + 1)):
                index[i, j] = 0


def _value_along(
    tree: MotionLibrary, track: Track, offset: np.ndarray, finish: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Frames to the finish along the racing line if the tree were driven on it, clip by clip.

    Every clip is laid on every point of the line. It leads to the point beside its end, and loses time for
    ending beside the line or askew, and more for leaving the road on the way:
    V(i, node) = min frames + loss + V(end, target), backwards from the end: from the point `finish` of an
    open track, behind which top speed counts, or from the third lap of a closed one. Returns the line's
    heading (n,), V (n + 1, nodes) and the frames of a flying lap.
    """
    points = track.centre + offset[:, None] * track.normal
    n = len(points)
    step = np.roll(points, -1, axis=0) - points
    if not track.closed:
        step[-1] = step[-2]
    heading = np.unwrap(np.arctan2(step[:, 1], step[:, 0]))
    useful = [k for k, clip in enumerate(tree.clips) if clip.pose[-1, 0] > -0.1 and clip.length > 1.0]
    samples = np.array(
        [
            tree.clips[k].pose[np.linspace(0, tree.clips[k].frames, SAMPLES + 1).astype(int)[1:]]
            for k in useful
        ]
    ).reshape(-1, SAMPLES, 3)
    frames = np.array([tree.clips[k].frames for k in useful], dtype=np.float64)
    ends = np.array([tree.source[useful], tree.target[useful]], dtype=np.int64)
    room = np.column_stack([track.right + offset, track.left - offset])
    slip = slip_of(tree)[ends.T]
    half = np.array(outline_of(tree)) / 2
    loss, to = _lay_clips(points, heading, room, track.closed, samples, slip, half)
    nodes = len(tree.node_names)
    if track.closed:
        value = _drive_line(loss, to, frames, ends, nodes, 3 * n)
        fast = int(np.argmax(tree.node_velocity[:, 0]))
        lap = float(value[0, fast] - value[n, fast])
        return heading, value[: n + 1] - value[n, fast], lap
    value = _drive_line(loss, to, frames, ends, nodes, finish)
    way = arc_length(points, False)
    behind = (way[finish] - way[finish + 1 :]) / (tree.top_speed * tree.dt)
    value = np.vstack([value, np.repeat(behind[:, None], nodes, axis=1)])
    return heading, np.vstack([value, value[-1:]]), 0.0


@kernel
def _lay_clips(
    points: np.ndarray,
    heading: np.ndarray,
    room: np.ndarray,
    closed: bool,
    samples: np.ndarray,
    slip: np.ndarray,
    half: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Frames lost (n, k) by clip k laid on point i of the line, and how many points on (n, k) it leads.

    `room` (n, 2) [m] to the right and left edge, `samples` (k, m, 3) poses of the clips, `slip` (k, 2) [rad]
    from nose to course at their ends: the course is laid along the line, not the nose.
    """
    n, k = points.shape[0], samples.shape[0]
    loss, to = np.zeros((n, k), np.float32), np.zeros((n, k), np.float32)
    for i in range(n):
        for clip in range(k):
            nose = heading[i] - slip[clip, 0]
            c, s = np.cos(nose), np.sin(nose)
            j, along, aside, askew, outside = i, 0.0, 0.0, 0.0, 0.0
            for m in range(samples.shape[1]):
                lx, ly = samples[clip, m, 0], samples[clip, m, 1]
                x, y = points[i, 0] + c * lx - s * ly, points[i, 1] + s * lx + c * ly
                for _ in range(64):  # the stretch of the line beside it, sought from the last one on
                    a, b = j % n, (j + 1) % n
                    tx, ty = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1]
                    dx, dy = x - points[a, 0], y - points[a, 1]
                    square = tx * tx + ty * ty
                    along = (dx * tx + dy * ty) / square
                    if along < 1.0 or (not closed and j >= n - 2):
                        break
                    j += 1
                width = np.sqrt(square)
                aside = (tx * dy - ty * dx) / width
                askew = nose + samples[clip, m, 2] - heading[a]
                askew -= 2 * np.pi * np.round(askew / (2 * np.pi))
                reach = half[1] * abs(np.cos(askew)) + half[0] * abs(np.sin(askew)) + KEPT
                outside = max(outside, reach - aside - room[a, 0], reach + aside - room[a, 1])
            turned = heading[a] + min(1.0, max(0.0, along)) * _turn(heading[b] - heading[a])
            askew = nose + samples[clip, -1, 2] + slip[clip, 1] - turned
            askew -= 2 * np.pi * np.round(askew / (2 * np.pi))
            lost = MISALIGNED * abs(askew) + ASIDE * abs(aside) + OUTSIDE * min(outside, WIDEST)
            loss[i, clip], to[i, clip] = lost, j - i + min(1.0, max(0.0, along))
    return loss, to


@inlined
def _turn(angle: float) -> float:
    return angle - 2 * np.pi * np.round(angle / (2 * np.pi))


@kernel
def _drive_line(
    loss: np.ndarray, to: np.ndarray, frames: np.ndarray, ends: np.ndarray, nodes: int, last: int
) -> np.ndarray:
    """Frames (last + 1, nodes) to point `last`, backwards; points beyond the first lap repeat."""
    n = loss.shape[0]
    value = np.zeros((last + 1, nodes))
    for i in range(last - 1, -1, -1):
        for node in range(nodes):
            value[i, node] = np.inf
        row = i % n
        for k in range(frames.shape[0]):
            way = to[row, k]
            if way < SHORTEST:
                continue
            cost, b = frames[k] + loss[row, k], ends[1, k]
            if i + way >= last:  # only the part up to the line
                cost = frames[k] * (last - i) / way + loss[row, k]
            elif way < 1.0:
                cost = cost / way + value[i + 1, b]
            else:
                j = i + int(way)
                cost += value[j, b] + (way - int(way)) * (value[j + 1, b] - value[j, b])
            value[i, ends[0, k]] = min(value[i, ends[0, k]], cost)
        for node in range(nodes):
            if not np.isfinite(value[i, node]):
                value[i, node] = OFF_ROAD
    return value
