"""How long a tree takes along a line: every clip laid on every point of it, backwards from the end."""

from __future__ import annotations

import numpy as np

from swerve.core.geometry import arc_length
from swerve.core.kernels import inlined, kernel
from swerve.core.library import MotionLibrary

from .moves import outline_of, tolls
from .track import Track

OFF_ROAD = 1e6  # [frames] estimate where there is no road
SAMPLES = 6  # poses of a clip that are held against the road
MISALIGNED = 30.0  # [frames/rad] a clip loses when it ends askew to the line
ASIDE = 0.5  # [frames/m] when it ends beside the line
OUTSIDE = 40.0  # [frames/m] when it leaves the road
WIDEST = 4.0  # [m] outside beyond which it does not matter any more
KEPT = 0.2  # [m] from the edge of the road
SHORTEST = 0.3  # points a clip must lead on along the line to be of use


def slip_of(tree: MotionLibrary) -> np.ndarray:
    """Angle (nodes,) [rad] from the nose to the course at every node of a tree."""
    u, v = tree.node_velocity[:, 0], tree.node_velocity[:, 1]
    return np.where(np.abs(u) > 1.0, np.arctan2(v, np.maximum(np.abs(u), 1.0)), 0.0)


def value_along(
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
    frames = np.array([tree.clips[k].frames for k in useful], dtype=np.float64) + tolls(tree)[useful]
    ends = np.array([tree.source[useful], tree.target[useful]], dtype=np.int64)
    room = np.column_stack([track.right + offset, track.left - offset])
    slip = slip_of(tree)[ends.T]
    half = np.array(outline_of(tree)) / 2
    loss, to = _lay_clips(points, heading, room, track.closed, samples, slip, half)
    nodes = len(tree.node_names)
    if track.closed:
        value = _drive_line(loss, to, frames, ends, nodes, 3 * n)
        best = int(np.argmin(value[n]))  # nobody is to gain by staying in front of the line
        lap = float(value[0, best] - value[n, best])
        return heading, value[: n + 1] - value[n, best], lap
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
