"""Bodies that run into walls: what of an outline lies beyond one, and how the wall throws it back.

Walls have no top: whoever minds them is stopped at any height.
"""

from __future__ import annotations

import numpy as np

from .broadphase import WallMap
from .contact import WALL, Contacts, Touch, inertia, settle
from .geometry import outlines
from .motion import Motion

LOOKS = 0.5  # [m] a body may move between two looks at the walls
ALIKE = 0.94  # cosine of the angle between normals (20°) within which walls count as one
CLOSE = 0.02  # [m] that an outline may lie in a wall and be at rest against it
FLAT = 0.05  # [m] corners that are deep within so little of each other lie flat against the wall


def wall_contacts(
    walls: WallMap,
    before: np.ndarray,
    after: np.ndarray,
    half: np.ndarray,
    motion: Motion,
    mass: np.ndarray,
    dt: float,
) -> Touch:
    """What bodies are told that touched a wall on their way of `dt` [s] from `before` to `after` (n, 6)."""
    rows, whens, normals, depths, points = [], [], [], [], []
    free = after[:, :2].copy()  # where they were last without touching
    for i in range(len(after)):
        moved = float(np.hypot(*(after[i, :2] - before[i, :2])))
        stride = min(LOOKS, 0.8 * float(half[i, :2].min()))
        last = before[i, :2]
        for when in np.linspace(0.0, 1.0, max(1, int(np.ceil(moved / stride))) + 1)[1:]:
            x, y, _, yaw, _, _ = before[i] + when * (after[i] - before[i])
            if not walls.hits_box(x, y, yaw, half[i, 0], half[i, 1]):
                last = np.array([x, y])
                continue
            velocity = np.array([motion.vx[i], motion.vy[i]])
            for normal, depth, point in _against(walls, (x, y, yaw), half[i], before[i, :2], velocity):
                rows.append(i)
                whens.append(when)
                normals.append(normal)
                depths.append(depth)
                points.append(point)
            free[i] = last
            break
    k = len(rows)
    n = len(after)
    flat = np.array(normals).reshape(k, 2)
    # the wall is one more body, behind all others, that nothing moves
    found = Contacts(
        np.array(rows, dtype=np.int64),
        np.full(k, n),
        np.array(whens),
        np.column_stack([-flat, np.zeros(k)]) if k else np.zeros((0, 3)),
        np.array(depths),
        np.column_stack([np.array(points).reshape(k, 2), after[rows, 2]]) if k else np.zeros((0, 3)),
    )
    place = np.vstack([after, np.zeros(6)])
    velocity = np.vstack([np.stack([motion.vx, motion.vy, motion.yaw_rate], -1), np.zeros(3)])
    was = np.vstack([before, np.zeros(6)])
    bulk = inertia(np.append(mass, np.inf), np.vstack([half, np.ones(3)]), np.zeros(n + 1, bool))
    done = settle(found, was, place, velocity, *bulk, dt)
    impulse, kick, shift = done.impulse, done.kick_a, done.shift_a
    for i in set(rows):
        own = np.flatnonzero(found.a == i)
        if not _jammed(walls, before[i], after[i], half[i], shift[own].sum(axis=0)):
            continue
        shift[own], shift[own[0]] = 0.0, free[i] - after[i, :2]
        left = velocity[i] + kick[own].sum(axis=0)
        if (flat[own] @ left[:2]).min() < 0.0:
            kick[own[0]] -= left
            impulse[own[0]] += mass[i] * np.hypot(*left[:2])
    kinds = np.full(k, "wall", dtype=object)
    normal = np.column_stack([flat, np.zeros(k)])
    return Touch(found.a, np.full(k, WALL), kinds, normal, found.point, impulse, kick, shift)


def _jammed(
    walls: WallMap, before: np.ndarray, after: np.ndarray, half: np.ndarray, shift: np.ndarray
) -> bool:
    """Whether a body that is shifted (2,) out of one wall gets into another or through it, as in a corner. It
    then stays where it was free, and stands."""
    place = after[:2] + shift
    way = place - before[:2]
    middle, course = (before[:2] + place) / 2, float(np.arctan2(way[1], way[0]))
    crosses = walls.hits_box(middle[0], middle[1], course, float(np.hypot(*way)) / 2, 0.0)
    return crosses or walls.hits_box(place[0], place[1], after[3], half[0] - CLOSE, half[1] - CLOSE)


def _touching(segments: np.ndarray, x: float, y: float, yaw: float, half: np.ndarray) -> np.ndarray:
    """(n,) which segments reach into a box: something of them lies within its length and its width."""
    c, s = np.cos(yaw), np.sin(yaw)
    ends = segments.reshape(-1, 2, 2) - np.array([x, y])
    ends = ends @ np.array([[c, -s], [s, c]])  # seen from the box
    step = ends[:, 1] - ends[:, 0]
    first, last = np.zeros(len(segments)), np.ones(len(segments))
    for axis in (0, 1):
        flat = np.abs(step[:, axis]) < 1e-12
        safe = np.where(flat, 1.0, step[:, axis])
        sides = (np.array([[-half[axis]], [half[axis]]]) - ends[:, 0, axis]) / safe
        outside = np.abs(ends[:, 0, axis]) > half[axis]
        first = np.maximum(first, np.where(flat, np.where(outside, 2.0, 0.0), sides.min(axis=0)))
        last = np.minimum(last, np.where(flat, 1.0, sides.max(axis=0)))
    return first <= last


def _against(
    walls: WallMap,
    pose: tuple[float, float, float],
    half: np.ndarray,
    came_from: np.ndarray,
    velocity: np.ndarray,
) -> list[tuple[np.ndarray, float, np.ndarray]]:
    """Normals away from the walls that an outline touches, depths [m] and places of the deepest touches; the
    ones that it runs into fastest first, pieces of one wall once."""
    corners = outlines(np.array([pose]), 2 * half[0], 2 * half[1])[0]
    segments = walls.segments[_touching(walls.segments, *pose, half + 1e-9)]
    a, b = segments[:, :2], segments[:, 2:]
    middle = np.array(pose[:2])
    d = b - a
    square = np.maximum((d * d).sum(-1), 1e-12)
    along = np.clip(((middle - a) * d).sum(-1) / square, 0.0, 1.0)
    foot = a + along[:, None] * d
    away = middle - foot
    size = np.hypot(*away.T)
    across = np.column_stack([-d[:, 1], d[:, 0]]) / np.sqrt(square)[:, None]
    normals = np.where((size > 1e-9)[:, None], away / np.maximum(size, 1e-9)[:, None], across)
    beyond = (normals * (came_from - foot)).sum(-1) < 0.0  # its middle is beyond the wall already
    normals[beyond] *= -1.0
    found: list[tuple[np.ndarray, float, np.ndarray]] = []
    for k in np.lexsort((size, np.round(normals @ velocity, 6))):
        if any(normals[k] @ other > ALIKE for other, _, _ in found):
            continue
        deep = (foot[k] - corners) @ normals[k]
        deepest = deep > deep.max() - FLAT
        found.append((normals[k], max(float(deep.max()), 0.0), corners[deepest].mean(axis=0)))
    return found
