"""What stands in the way of riders in full physics: upright round posts, as wide as obstacles are.

Limbs, frames and wheels are held against them as they are against each other, each as a capsule, and pushed
off in every step of the physics. A post does not give way: who rides into one is stopped by it and falls.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import kernel

from .meeting import DAMPED, FRICTION, Meeting, apply_force, velocity_at

NEAR = 1.6  # [m] between a centre of mass and a post from which on they are looked at
STIFF, MOST = 60_000.0, 20_000.0  # [N/m] and [N] of one touch: harder than flesh against flesh
CREEP = 0.3  # [m/s] of slip at which friction is all there


class Solids:
    """Posts (k, 3) of places and radii [m]. `touched` holds who touched which."""

    def __init__(self, meeting: Meeting, posts: np.ndarray):
        self.meeting, self.posts = meeting, np.ascontiguousarray(posts, dtype=np.float64)
        self.touched: set[tuple[int, int]] = set()

    def near(self, rows: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """(k, 2) of riders `rows` at x, y (n,) and posts that are near enough to touch."""
        px, py, radius = self.posts.T
        far = np.hypot(x[:, None] - px, y[:, None] - py)
        who, which = np.nonzero(far < radius + NEAR)
        return np.column_stack([rows[who], which])

    def push(self, pairs: np.ndarray) -> None:
        """Let posts push riders in the next step, beside whatever else does."""
        who = np.unique(pairs[:, 0])
        shapes = self.meeting.shapes_of(who)
        row = np.column_stack([np.searchsorted(who, pairs[:, 0]), pairs[:, 1]])
        force, hit = np.zeros((len(who), shapes.middle.shape[1], 6)), np.zeros(len(pairs), dtype=np.bool_)
        _push_off(row, self.posts, *shapes, force, hit)
        self.meeting.applied[who] += force
        self.touched |= {(int(i), int(j)) for i, j in pairs[hit]}


@kernel
def _push_off(pairs, posts, place, axis, half, radius, body, middle, moving, centre, force, hit):
    """Add what posts push riders with to `force` (n, b, 6), and tell in `hit` who touched."""
    for p in range(len(pairs)):
        i = pairs[p, 0]
        px, py, wide = posts[pairs[p, 1]]
        for g in range(len(half)):
            dx, dy = place[i, g, 0] - px, place[i, g, 1] - py
            ax, ay, az = axis[i, g]
            flat = ax * ax + ay * ay
            t = min(max(-(dx * ax + dy * ay) / flat, -half[g]), half[g]) if flat > 1e-9 else 0.0
            nx, ny = dx + t * ax, dy + t * ay
            far = np.sqrt(nx * nx + ny * ny)
            deep = wide + radius[g] - far
            if deep <= 0.0 or far < 1e-9:
                continue
            hit[p] = True
            nx, ny = nx / far, ny / far
            x, y = px + (wide - deep / 2) * nx, py + (wide - deep / 2) * ny
            z = place[i, g, 2] + t * az
            b = body[g]
            ux, uy, uz = velocity_at(moving[i, b], centre[i, b], x, y, z)
            parting = ux * nx + uy * ny
            push = min(max(STIFF * deep - DAMPED * parting, 0.0), MOST)
            ux, uy = ux - parting * nx, uy - parting * ny
            drag = FRICTION * push / max(np.sqrt(ux * ux + uy * uy + uz * uz), CREEP)
            fx, fy, fz = push * nx - drag * ux, push * ny - drag * uy, -drag * uz
            apply_force(force[i, b], middle[i, b], x, y, z, fx, fy, fz)
