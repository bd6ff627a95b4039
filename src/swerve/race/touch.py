"""Contacts of a driven path, worked out frame by frame and independently of the planner's shortcuts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from swerve.core.broadphase import WallMap, box_hits_walls
from swerve.core.clips import place_poses
from swerve.core.geometry import box_gap
from swerve.core.kernels import kernel
from swerve.core.library import MotionLibrary

from .car import LENGTH, WIDTH
from .moves import outline_of
from .others import Movers, Others
from .track import Track
from .traffic import Traffic

BETWEEN = 8  # poses looked at between two frames
LONGEST_ESCAPE = 8  # clips
STANDING = 0.1  # [m/s]


def first_contact(
    poses: np.ndarray,
    walls: WallMap,
    others: Traffic | Others,
    frame: int = 0,
    outline: tuple[float, float] = (LENGTH, WIDTH),
) -> int:
    """The first frame of `poses` (n, 3) by which the outline touched a wall or another body; −1 if none.

    `frame` is the frame of the run at which the poses begin; predictions count as they are, not widened.
    """
    bodies = others.others() if isinstance(others, Traffic) else others
    half = np.array([outline[0] / 2, outline[1] / 2])
    return int(
        _first_contact(
            np.ascontiguousarray(poses), walls.arrays(), bodies.poses, bodies.sizes / 2, frame, half
        )
    )


def touching(
    poses: np.ndarray, walls: WallMap, margin: float = 0.0, outline: tuple[float, float] = (LENGTH, WIDTH)
) -> np.ndarray:
    """At which of `poses` (n, 3) the outline, grown by `margin` [m] on all sides, touches a wall: (n,)."""
    half = np.array([outline[0] / 2 + margin, outline[1] / 2 + margin])
    return _touching(np.ascontiguousarray(poses), walls.arrays(), half)


def leaving(track: Track, poses: np.ndarray, margin: float = 0.0) -> np.ndarray:
    """At which of `poses` (n, 3) of a drive the car's outline, grown by `margin` [m], touches an edge of the
    road that it is on: (n,).
    """
    under, over = track.levels
    touches = touching(poses, under, margin)
    if track.bridges:
        level = track.on_bridge(track.progress_in_turn(poses[:, :2])[0])
        touches = np.where(level, touching(poses, over, margin), touches)
    return touches


def first_touch(track: Track, poses: np.ndarray, others: Traffic | Others) -> int:
    """`first_contact` of a drive on a track, each level of it with its own walls."""
    if not track.bridges:
        return first_contact(poses, track.walls, others)
    level = track.on_bridge(track.progress_in_turn(poses[:, :2])[0]).astype(int)
    changes = np.flatnonzero(np.diff(level)) + 1
    for begin, end in pairwise([0, *changes, len(poses)]):
        first = max(0, begin - 1)  # the way from the last frame of one level to the first of the next
        contact = first_contact(poses[first:end], track.levels[level[begin]], others, first)
        if contact >= 0:
            return first + contact
    return -1


def least_contact(
    tree: MotionLibrary, pose: np.ndarray, node: int, walls: WallMap, movers: Movers, frame: int
) -> tuple[np.ndarray, int]:
    """Clips (k,) for whoever cannot keep clear any more, and for how many frames they touch nothing: at every
    node the clip that touches something last, and of those that touch nothing the one that ends slowest,
    until the body stands or has touched.
    """
    half = np.array(outline_of(tree)) / 2
    sizes = np.ascontiguousarray(movers.size[:, :2])
    clips: list[int] = []
    clear = 0
    while len(clips) < LONGEST_ESCAPE:
        options = []
        for k in tree.out_of(node):
            if tree.target[k] < 0:
                continue
            poses = place_poses(tree.clips[k].pose, pose)
            contact = int(_first_contact(poses, walls.arrays(), movers.poses, sizes, frame, half))
            speed = float(np.hypot(*tree.clips[k].velocity[-1, :2]))
            options.append((float(-contact) if contact >= 0 else -np.inf, speed, int(k), poses[-1]))
        if not options:
            break
        least, _, k, pose = min(options, key=lambda option: option[:3])
        clips.append(k)
        if np.isfinite(least):
            clear += max(0, -int(least) - 1)
            break
        node, frame, clear = int(tree.target[k]), frame + tree.clips[k].frames, clear + tree.clips[k].frames
        if speed < STANDING:
            break
    return np.array(clips, dtype=np.int32), clear


@kernel
def _touching(poses: np.ndarray, walls: tuple, half: np.ndarray) -> np.ndarray:
    segments, start, items, _, grid = walls
    out = np.zeros(len(poses), np.bool_)
    radius = np.hypot(half[0], half[1])
    for f in range(poses.shape[0]):
        x, y, heading = poses[f]
        c, s = np.cos(heading), np.sin(heading)
        out[f] = box_hits_walls(x, y, c, s, half[0], half[1], x, y, radius, segments, start, items, grid)
    return out


@kernel
def _first_contact(
    poses: np.ndarray, walls: tuple, others: np.ndarray, sizes: np.ndarray, frame: int, half: np.ndarray
) -> int:
    """`others` (n, frames, 4), `sizes` (n, 2) and `half` (2,) half lengths and widths."""
    segments, start, items, _, grid = walls
    last = others.shape[1] - 1
    radius = np.hypot(half[0], half[1])
    for f in range(poses.shape[0]):
        for k in range(BETWEEN if f > 0 else 1):
            part = (k + 1) / BETWEEN if f > 0 else 1.0
            a = poses[f - 1] if f > 0 else poses[f]
            x, y, heading = a + part * (poses[f] - a)
            c, s = np.cos(heading), np.sin(heading)
            if box_hits_walls(x, y, c, s, half[0], half[1], x, y, radius, segments, start, items, grid):
                return f
            for n in range(others.shape[0]):
                o = others[n, min(last, max(0, frame + f - 1))]
                o = o + part * (others[n, min(last, frame + f)] - o)
                if abs(o[0] - x) + abs(o[1] - y) > 1.5 * (radius + sizes[n, 0] + sizes[n, 1]):
                    continue
                norm = np.hypot(o[2], o[3])
                gap = box_gap(
                    x,
                    y,
                    c,
                    s,
                    half[0],
                    half[1],
                    o[0],
                    o[1],
                    o[2] / norm,
                    o[3] / norm,
                    sizes[n, 0],
                    sizes[n, 1],
                )
                if gap <= 0.0:
                    return f
    return -1
