"""What a search needs of a move tree, as flat arrays: where each clip leads and what it sweeps over.

A clip's outline is covered by *pieces*, boxes that together contain everywhere the car is during the clip:
a straight needs one, a skid a dozen. Against moving cars it is cut into *slices* of a few frames, each with
a circle around it. Both are made once, for the outline that the library names and a safety margin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swerve.core.broadphase import FIELD_UNIT
from swerve.core.geometry import outlines
from swerve.core.kernels import kernel, plain
from swerve.core.library import MotionLibrary
from swerve.core.movers import BUCKET

from .car import LENGTH, WIDTH

EXCESS = 0.35  # [m] how far the side of a piece may lie from the side of the car
BETWEEN_FRAMES = 0.02  # [m] how far a corner strays from the straight line between two frames
SLICE = BUCKET  # frames of a slice
IDLE = 0.05  # [m, rad] a clip that leads no further is a wait


class Moves(NamedTuple):
    """Arrays over clips (k), pieces, slices and frames; offsets say which belong to a clip."""

    first: np.ndarray  # (nodes + 1,) where a node's clips start in `order`
    order: np.ndarray  # (k,) clips by source node
    target: np.ndarray  # (k,) node a clip leads to
    frames: np.ndarray  # (k,) its duration
    end: np.ndarray  # (k, 5) x, y, cosine and sine of heading, heading at its end
    piece_start: np.ndarray  # (k + 1,)
    pieces: np.ndarray  # (p, 12) centre, axis, half length, half width, then `_circles` of two sizes
    slice_start: np.ndarray  # (k + 1,)
    slices: np.ndarray  # (q, 11) first and last frame, box (6), mean step (2), most a point strays from it
    pose_start: np.ndarray  # (k + 1,)
    poses: np.ndarray  # (f, 4) x, y, cosine and sine of heading at every frame
    outline: np.ndarray  # (3,) half length, half width, margin
    wait: np.ndarray  # (k,) whether it leads back to where it starts
    toll: np.ndarray  # (k,) [frames] that a search pays on top of its duration


def outline_of(tree: MotionLibrary) -> tuple[float, float]:
    """Length and width [m] of the body that a library moves: its meta's `outline`, else the car's."""
    length, width = tree.meta.get("outline", (LENGTH, WIDTH))[:2]
    return float(length), float(width)


def pack_moves(tree: MotionLibrary, margin: float = 0.15, excess: float = EXCESS) -> Moves:
    """Flatten a tree for a body of its outline, kept `margin` metres from everything.

    The sides of a piece lie at most `excess` metres from those of the body. Packed once for a tree.
    """
    return tree.once(("moves", margin, excess), lambda: _packed(tree, margin, excess))


def _packed(tree: MotionLibrary, margin: float, excess: float) -> Moves:
    length, width = outline_of(tree)
    piece_rows, slice_rows, pose_rows = [], [], []
    for clip in tree.clips:
        corners = outlines(clip.pose, length, width)
        piece_rows.append(_with_circles(_pieces(corners, clip.pose, margin + BETWEEN_FRAMES, excess)))
        slice_rows.append(_slices(corners, clip.pose))
        heading = clip.pose[:, 2]
        pose_rows.append(np.column_stack([clip.pose[:, :2], np.cos(heading), np.sin(heading)]))
    wait = (tree.source == tree.target) & np.array([np.abs(c.pose[-1]).max() < IDLE for c in tree.clips])
    order = np.lexsort([wait, tree.source]).astype(np.int32)  # waits last: a search asks about them last
    nodes = len(tree.node_names)
    return Moves(
        first=np.searchsorted(tree.source[order], np.arange(nodes + 1)).astype(np.int32),
        order=order,
        target=tree.target.astype(np.int32),
        frames=np.array([clip.frames for clip in tree.clips], dtype=np.int32),
        end=np.array(
            [[*rows[-1], clip.pose[-1, 2]] for rows, clip in zip(pose_rows, tree.clips, strict=True)]
        ),
        piece_start=_offsets(piece_rows),
        pieces=np.concatenate(piece_rows),
        slice_start=_offsets(slice_rows),
        slices=np.concatenate(slice_rows),
        pose_start=_offsets(pose_rows),
        poses=np.concatenate(pose_rows),
        outline=np.array([length / 2, width / 2, margin]),
        wait=wait,
        toll=tolls(tree),
    )


def tolls(tree: MotionLibrary) -> np.ndarray:
    """[frames] (k,) that a search pays for clips of a tree whose meta says `restless` [frames/rad], beside
    their duration: for all that the wheel turns on the way from hub to hub, and `changed` [frames] for going
    from one turn to another, so that turns are held.
    """
    price, steer = float(tree.meta.get("restless", 0.0)), tree.meta.get("steer")
    if price == 0.0 or steer is None:
        return np.zeros(len(tree.clips))
    changed, paid = float(tree.meta.get("changed", 0.0)), []
    for clip, a, b in zip(tree.clips, tree.source, tree.target, strict=True):
        wheel = np.array([steer[a], *clip.controls[:, 0], steer[b]])
        anew = a != b and steer[a] != 0.0 and steer[b] != 0.0
        paid.append(price * np.abs(np.diff(wheel)).sum() + changed * anew)
    return np.array(paid)


def _with_circles(pieces: np.ndarray) -> np.ndarray:
    """Append to every box how circles along its axis cover it: number, spacing and radius, large and small.

    Where the large ones have room there is no collision; where they do not, the small ones decide most of
    the rest, and the box itself only what is left. Radii are in units of the clearance field, rounded up.
    """
    columns = [pieces]
    for size in (4.0, 1.2):
        count = np.ceil(pieces[:, 4] / size)
        step = pieces[:, 4] / count
        radius = np.ceil(np.hypot(step, pieces[:, 5]) / FIELD_UNIT)
        columns.append(np.column_stack([count, 2 * step, radius]))
    return np.hstack(columns)[::-1]  # the end of a clip first: that is where most collisions are


def _offsets(rows: list[np.ndarray]) -> np.ndarray:
    return np.cumsum([0] + [len(r) for r in rows]).astype(np.int32)


def _slices(corners: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Boxes around the outline during every few frames, and how it moves: (n, 11)."""
    rows = []
    last = len(corners) - 1
    for a in range(0, last, SLICE):
        b = min(a + SLICE, last)
        x, y, ax, ay, half_length, half_width, _ = _fit(corners, pose, a, b)
        steps = np.diff(corners[a : b + 1], axis=0).reshape(-1, 2)
        mean = steps.mean(axis=0)
        stray = 1.02 * np.hypot(*(steps - mean).T).max() + 1e-6
        box = (x, y, ax, ay, half_length + BETWEEN_FRAMES, half_width + BETWEEN_FRAMES)
        rows.append((a, b, *box, *mean, stray))
    return np.array(rows)


@kernel
def _pieces(corners: np.ndarray, pose: np.ndarray, grow: float, excess: float) -> np.ndarray:
    """Cover a clip by as few boxes as its bends allow: (n, 6), each grown on all sides."""
    last = corners.shape[0] - 1
    rows = np.empty((last, 6))
    count, a = 0, plain(0)
    while a < last:
        b = a + 1
        box = _fit(corners, pose, a, b)
        while b < last:
            longer = _fit(corners, pose, a, b + 1)
            if longer[6] > excess:
                break
            b, box = b + 1, longer
        for k in range(4):
            rows[count, k] = box[k]
        rows[count, 4] = box[4] + grow
        rows[count, 5] = box[5] + grow
        count += 1
        a = b
    return rows[:count].copy()


@kernel
def _fit(corners: np.ndarray, pose: np.ndarray, a: int, b: int) -> tuple:
    """Box around the outlines of frames a to b along their chord, and how much wider it is than they are."""
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
    for f in range(a, b + 1):
        low, high = np.inf, -np.inf
        for k in range(4):
            v = -ay * corners[f, k, 0] + ax * corners[f, k, 1]
            low, high = min(low, v), max(high, v)
        excess = max(excess, low - v0, v1 - high)
    u, v = (u0 + u1) / 2, (v0 + v1) / 2
    return ax * u - ay * v, ay * u + ax * v, ax, ay, (u1 - u0) / 2, (v1 - v0) / 2, excess
