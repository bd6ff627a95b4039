"""What a search needs of a move tree, as flat arrays: where each clip leads and what it sweeps over.

A clip's outline is covered by *pieces*, boxes that together contain everywhere the car is during the clip:
a straight needs one, a skid a dozen. Against moving cars it is cut into *slices* of a few frames, each with
a circle around it. Both are made once, for a car of given size and a safety margin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.geometry import outlines
from swerve.core.kernels import kernel
from swerve.core.library import MotionLibrary

from .car import LENGTH, WIDTH

CORNER_EXCESS = 0.4  # [m] how far a corner of a piece may lie from where the car really was
BETWEEN_FRAMES = 0.02  # [m] how far a corner strays from the straight line between two frames
SLICE = 4  # frames of a slice


class Moves(NamedTuple):
    """Arrays over clips (k), pieces, slices and frames; offsets say which belong to a clip."""

    first: np.ndarray  # (nodes + 1,) where a node's clips start in `order`
    order: np.ndarray  # (k,) clips by source node
    target: np.ndarray  # (k,) node a clip leads to
    frames: np.ndarray  # (k,) its duration
    end: np.ndarray  # (k, 4) x, y, cosine and sine of heading at its end
    piece_start: np.ndarray  # (k + 1,)
    pieces: np.ndarray  # (p, 6) centre, axis, half length, half width
    slice_start: np.ndarray  # (k + 1,)
    slices: np.ndarray  # (q, 6) first frame, last frame, centre, radius, way a frame of its fastest point
    pose_start: np.ndarray  # (k + 1,)
    poses: np.ndarray  # (f, 4) x, y, cosine and sine of heading at every frame
    outline: np.ndarray  # (3,) half length, half width, margin
    heading: np.ndarray  # (k,) heading change [rad]


def pack_moves(
    tree: MotionLibrary, margin: float = 0.15, length: float = LENGTH, width: float = WIDTH
) -> Moves:
    """Flatten a tree for a car of this outline, kept `margin` metres from everything."""
    piece_rows, slice_rows, pose_rows = [], [], []
    for clip in tree.clips:
        corners = outlines(clip.pose, length, width)
        piece_rows.append(_pieces(corners, clip.pose, margin + BETWEEN_FRAMES))
        slice_rows.append(_slices(corners))
        heading = clip.pose[:, 2]
        pose_rows.append(np.column_stack([clip.pose[:, :2], np.cos(heading), np.sin(heading)]))
    order = np.argsort(tree.source, kind="stable").astype(np.int32)
    nodes = len(tree.node_names)
    return Moves(
        first=np.searchsorted(tree.source[order], np.arange(nodes + 1)).astype(np.int32),
        order=order,
        target=tree.target.astype(np.int32),
        frames=np.array([clip.frames for clip in tree.clips], dtype=np.int32),
        end=np.array([rows[-1] for rows in pose_rows]),
        piece_start=_offsets(piece_rows),
        pieces=np.concatenate(piece_rows),
        slice_start=_offsets(slice_rows),
        slices=np.concatenate(slice_rows),
        pose_start=_offsets(pose_rows),
        poses=np.concatenate(pose_rows),
        outline=np.array([length / 2, width / 2, margin]),
        heading=np.array([clip.pose[-1, 2] for clip in tree.clips]),
    )


def _offsets(rows: list[np.ndarray]) -> np.ndarray:
    return np.cumsum([0] + [len(r) for r in rows]).astype(np.int32)


def _slices(corners: np.ndarray) -> np.ndarray:
    """Circles around the outline during every few frames: (n, 6)."""
    rows = []
    last = len(corners) - 1
    for a in range(0, last, SLICE):
        b = min(a + SLICE, last)
        points = corners[a : b + 1].reshape(-1, 2)
        centre = (points.max(axis=0) + points.min(axis=0)) / 2
        radius = np.hypot(*(points - centre).T).max() + BETWEEN_FRAMES
        way = np.hypot(*np.moveaxis(np.diff(corners[a : b + 1], axis=0), -1, 0)).max()
        rows.append((a, b, *centre, radius, way * 1.01 + 1e-6))
    return np.array(rows)


@kernel
def _fit(corners: np.ndarray, pose: np.ndarray, a: int, b: int) -> tuple:
    """Box around the outlines of frames a to b along their chord, and the excess of its corners."""
    dx, dy = pose[b, 0] - pose[a, 0], pose[b, 1] - pose[a, 1]
    way = np.hypot(dx, dy)
    if way > 0.5:
        ax, ay = dx / way, dy / way
    else:
        middle = (pose[a, 2] + pose[b, 2]) / 2
        ax, ay = np.cos(middle), np.sin(middle)
    u0, u1, v0, v1 = np.inf, -np.inf, np.inf, -np.inf
    for f in range(a, b + 1):
        for k in range(4):
            x, y = corners[f, k, 0], corners[f, k, 1]
            u, v = ax * x + ay * y, -ay * x + ax * y
            u0, u1, v0, v1 = min(u0, u), max(u1, u), min(v0, v), max(v1, v)
    excess = 0.0
    for i in range(2):
        for j in range(2):
            u, v = (u0, u1)[i], (v0, v1)[j]
            x, y = ax * u - ay * v, ay * u + ax * v
            nearest = np.inf
            for f in range(a, b + 1):
                for k in range(4):
                    nearest = min(nearest, np.hypot(corners[f, k, 0] - x, corners[f, k, 1] - y))
            excess = max(excess, nearest)
    u, v = (u0 + u1) / 2, (v0 + v1) / 2
    return ax * u - ay * v, ay * u + ax * v, ax, ay, (u1 - u0) / 2, (v1 - v0) / 2, excess


@kernel
def _pieces(corners: np.ndarray, pose: np.ndarray, grow: float) -> np.ndarray:
    """Cover a clip by as few boxes as its bends allow: (n, 6), each grown on all sides."""
    last = corners.shape[0] - 1
    rows = np.empty((last, 6))
    count, a = 0, 0
    while a < last:
        b = a + 1
        box = _fit(corners, pose, a, b)
        while b < last:
            longer = _fit(corners, pose, a, b + 1)
            if longer[6] > CORNER_EXCESS:
                break
            b, box = b + 1, longer
        for k in range(4):
            rows[count, k] = box[k]
        rows[count, 4] = box[4] + grow
        rows[count, 5] = box[5] + grow
        count += 1
        a = b
    return rows[:count].copy()
