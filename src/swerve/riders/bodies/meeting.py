"""Riders of one batch that touch: what their limbs, frames and wheels push each other with.

Every rider is simulated in a state of its own, and MuJoCo sees nobody else in it. Where two come near, the
shapes of both are held against each other in every step of the physics, each as a capsule, and what overlaps
is pushed apart: a spring and a damper along the normal, friction across it. The forces act on the segments
that touch, so a hooked handlebar turns the bar and a shoulder pushes the trunk; whether a rider keeps its
balance then is up to it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import mujoco
import numpy as np
from mujoco.batch import Batch
from scipy.spatial import cKDTree

from swerve.core.kernels import inlined, inner, kernel

from .bicycle import FRONT_WHEEL, REAR_WHEEL

NEAR = 2.4  # [m] between centres of mass beyond which nobody touches
STIFF, DAMPED = 25_000.0, 400.0  # [N/m] and [N s/m] of flesh and tubes
MOST = 6_000.0  # [N] of one touch
FRICTION, CREEP = 0.5, 0.3  # of skin and cloth; [m/s] of slip at which it is all there
TYRE = 0.03  # [m] half the width of a wheel, for touching


class Shapes(NamedTuple):
    """Capsules of k riders: `place` and `axis` (k, g, 3), half length, radius and body (g,) of each; of their
    bodies the `middle` (k, b, 3), how they are `moving` (k, b, 6), and about which `centre` (k, b, 3)."""

    place: np.ndarray
    axis: np.ndarray
    half: np.ndarray
    radius: np.ndarray
    body: np.ndarray
    middle: np.ndarray
    moving: np.ndarray
    centre: np.ndarray


class Meeting:
    """Who of a batch pushes whom. `touching` (k, 2) are the pairs that touched in the last step."""

    def __init__(self, model: mujoco.MjModel, batch: Batch):
        self.shapes = _capsules(model)
        names = ("geom_xpos", "geom_xmat", "xipos", "cvel", "subtree_com")
        self.fields = [batch.bind(name) for name in names]  # filled by every step
        self.applied = batch.bind("xfrc_applied")
        self.root = model.body_rootid.copy()
        self.touching = np.empty((0, 2), dtype=np.int64)

    def near(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """(k, 2) pairs of riders at x, y (n,) [m] that are near enough to touch."""
        found: np.ndarray = cKDTree(np.column_stack([x, y])).query_pairs(NEAR, output_type="ndarray")
        return found.astype(np.int64)

    def push(self, pairs: np.ndarray, others: np.ndarray) -> None:
        """Let `pairs` push each other in the next step, beside the `others` (n, b, 6): forces and torques
        from elsewhere."""
        who = np.unique(pairs)
        shapes = self.shapes_of(who)
        row = np.searchsorted(who, pairs)
        force, hit = np.zeros((len(who), len(self.root), 6)), np.zeros(len(pairs), dtype=np.bool_)
        _push(row, *shapes, force, hit)
        self.applied[who] = others[who].reshape(force.shape) + force
        self.touching = pairs[hit]

    def shapes_of(self, who: np.ndarray) -> Shapes:
        """The shapes of riders `who` (k,) where they are now."""
        geoms, half, radius, longest, wheel, body = self.shapes
        place, turn, middle, moving, mass_at = self.fields
        turn = turn[who].reshape(len(who), -1, 3, 3)
        axis = np.take_along_axis(turn, longest[None, :, None, None], axis=3)[..., 0]
        wheels = turn[:, wheel]
        axis[:, wheel] = _level(wheels[..., 1], wheels[..., 0])
        shapes = (np.ascontiguousarray(place[who][:, geoms]), np.ascontiguousarray(axis[:, geoms]))
        sizes = (half[geoms], radius[geoms], body[geoms])
        return Shapes(*shapes, *sizes, middle[who], moving[who], mass_at[who][:, self.root])


def _level(axle: np.ndarray, spoke: np.ndarray) -> np.ndarray:
    """The level line through a wheel (…, 3); of one that lies, any spoke."""
    across = np.stack([axle[..., 1], -axle[..., 0], np.zeros(axle.shape[:-1])], axis=-1)
    size = np.linalg.norm(across, axis=-1, keepdims=True)
    return np.where(size > 0.2, across / np.maximum(size, 1e-9), spoke)


@lru_cache(maxsize=8)
def _capsules(model: mujoco.MjModel) -> tuple[np.ndarray, ...]:
    """Which geoms (g,) count; of all geoms half length and radius [m], which axis is the longest, which are
    wheels, and whose body they are."""
    count = model.ngeom
    half, radius, longest = np.zeros(count), np.zeros(count), np.full(count, 2)
    wheel = np.zeros(count, dtype=bool)
    for k in range(count):
        size, kind = model.geom_size[k], model.geom_type[k]
        wheel[k] = model.geom(k).name in (REAR_WHEEL, FRONT_WHEEL)
        if wheel[k]:
            half[k], radius[k] = size.max() - TYRE, TYRE
        elif kind in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER):
            half[k], radius[k] = size[1], size[0]
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            radius[k] = size[0]
        else:
            longest[k] = int(np.argmax(size))
            radius[k] = float(np.sort(size)[:2].mean())
            half[k] = max(size.max() - radius[k], 0.0)
    geoms = np.flatnonzero(model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE)
    return geoms, half, radius, longest, wheel, model.geom_bodyid.astype(np.int64)


@kernel
def _push(pairs, place, axis, half, radius, body, middle, moving, centre, force, hit):
    """Add what pairs of riders push each other with to `force` (n, b, 6), and tell in `hit` who touched."""
    for p in range(len(pairs)):
        i, j = pairs[p]
        for g in range(len(half)):
            for h in range(len(half)):
                reach = half[g] + half[h] + radius[g] + radius[h]
                dx = place[i, g, 0] - place[j, h, 0]
                dy = place[i, g, 1] - place[j, h, 1]
                dz = place[i, g, 2] - place[j, h, 2]
                if dx * dx + dy * dy + dz * dz > reach * reach:
                    continue
                s, t = _closest(dx, dy, dz, axis[i, g], axis[j, h], half[g], half[h])
                nx = dx + s * axis[i, g, 0] - t * axis[j, h, 0]
                ny = dy + s * axis[i, g, 1] - t * axis[j, h, 1]
                nz = dz + s * axis[i, g, 2] - t * axis[j, h, 2]
                far = np.sqrt(nx * nx + ny * ny + nz * nz)
                deep = radius[g] + radius[h] - far
                if deep <= 0.0 or far < 1e-9:
                    continue
                hit[p] = True
                nx, ny, nz = nx / far, ny / far, nz / far
                back = t, radius[h] - deep / 2
                x = place[j, h, 0] + back[0] * axis[j, h, 0] + back[1] * nx
                y = place[j, h, 1] + back[0] * axis[j, h, 1] + back[1] * ny
                z = place[j, h, 2] + back[0] * axis[j, h, 2] + back[1] * nz
                a, b = body[g], body[h]
                ux, uy, uz = velocity_at(moving[i, a], centre[i, a], x, y, z)
                vx, vy, vz = velocity_at(moving[j, b], centre[j, b], x, y, z)
                ux, uy, uz = ux - vx, uy - vy, uz - vz
                parting = ux * nx + uy * ny + uz * nz
                push = min(max(STIFF * deep - DAMPED * parting, 0.0), MOST)
                ux, uy, uz = ux - parting * nx, uy - parting * ny, uz - parting * nz
                drag = FRICTION * push / max(np.sqrt(ux * ux + uy * uy + uz * uz), CREEP)
                fx, fy, fz = push * nx - drag * ux, push * ny - drag * uy, push * nz - drag * uz
                apply_force(force[i, a], middle[i, a], x, y, z, fx, fy, fz)
                apply_force(force[j, b], middle[j, b], x, y, z, -fx, -fy, -fz)


@inner
@inlined
def _closest(dx, dy, dz, a, b, half_a, half_b):
    """Where on two lines, along unit directions `a` and `b` from middles that are d apart, they come nearest,
    within their half lengths."""
    ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    ad = a[0] * dx + a[1] * dy + a[2] * dz
    bd = b[0] * dx + b[1] * dy + b[2] * dz
    low = 1.0 - ab * ab
    s = min(max((ab * bd - ad) / low, -half_a), half_a) if low > 1e-9 else 0.0
    t = min(max(bd + s * ab, -half_b), half_b)
    s = min(max(t * ab - ad, -half_a), half_a)
    return s, t


@inlined
def velocity_at(moving, centre, x, y, z):
    """Of a point of a body that turns and moves as `moving` (6,) says about `centre`."""
    rx, ry, rz = x - centre[0], y - centre[1], z - centre[2]
    return (
        moving[3] + moving[1] * rz - moving[2] * ry,
        moving[4] + moving[2] * rx - moving[0] * rz,
        moving[5] + moving[0] * ry - moving[1] * rx,
    )


@inner
@inlined
def apply_force(force, middle, x, y, z, fx, fy, fz):
    rx, ry, rz = x - middle[0], y - middle[1], z - middle[2]
    force[0] += fx
    force[1] += fy
    force[2] += fz
    force[3] += ry * fz - rz * fy
    force[4] += rz * fx - rx * fz
    force[5] += rx * fy - ry * fx
