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
    for i in range(len(after)):
        moved = float(np.hypot(*(after[i, :2] - before[i, :2])))
        stride = min(LOOKS, 0.8 * float(half[i, :2].min()))
        for when in np.linspace(0.0, 1.0, max(1, int(np.ceil(moved / stride))) + 1)[1:]:
            x, y, _, yaw, _, _ = before[i] + when * (after[i] - before[i])
            if not walls.hits_box(x, y, yaw, half[i, 0], half[i, 1]):
                continue
            normal, depth, point = _against(walls, x, y, yaw, half[i], before[i, :2])
            rows.append(i)
            whens.append(when)
            normals.append(normal)
            depths.append(depth)
            points.append(point)
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
    kinds = np.full(k, "wall", dtype=object)
    normal = np.column_stack([flat, np.zeros(k)])
    return Touch(found.a, np.full(k, WALL), kinds, normal, found.point, impulse, kick, shift)


def _against(
    walls: WallMap, x: float, y: float, yaw: float, half: np.ndarray, came_from: np.ndarray
) -> tuple:
    """Normal away from the wall, depth [m] and place of the deepest touch of one outline."""
    corners = outlines(np.array([[x, y, yaw]]), 2 * half[0], 2 * half[1])[0]
    a, b = walls.segments[:, :2], walls.segments[:, 2:]
    middle = np.array([x, y])
    d = b - a
    square = np.maximum((d * d).sum(-1), 1e-12)
    along = np.clip(((middle - a) * d).sum(-1) / square, 0.0, 1.0)
    foot = a + along[:, None] * d
    k = int(np.argmin(np.hypot(*(middle - foot).T)))
    away = middle - foot[k]
    size = float(np.hypot(*away))
    normal = away / size if size > 1e-9 else np.array([-d[k, 1], d[k, 0]]) / np.sqrt(square[k])
    if normal @ (came_from - foot[k]) < 0.0:  # its middle is beyond the wall already
        normal = -normal
    beyond = (foot[k] - corners) @ normal
    deepest = beyond > beyond.max() - FLAT
    return normal, max(float(beyond.max()), 0.0), corners[deepest].mean(axis=0)
