"""How far a state is from a goal in which something must lie: counted from where that would come to lie.

A puck that slides by a zone at 2 m/s is nearer to it than one that slides towards it and will stop in it. So
bodies that the goal asks to be slow, and that only collisions move, are taken to be where the ground stops
them, or the first thing that stands in their way does; what would be not valid there has got no nearer.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from swerve.core.kernels import kernel

from ..bodies import Motion, Role, World
from ..friction import surface_velocity
from ..materials import pair_friction
from ..problem import Test
from ..scene import Scene
from ..shape import corners_of, geoms_of, shadow
from .conditions import Condition

SLOWEST = 0.02  # [m/s²] what is slowed by less does not stop soon enough to count
LOW = 0.5  # of its radius, that a body may be above where it began: what flies is where it is


def lack_of(goal: Condition, valid: Condition | None, world: World, start: np.ndarray) -> Test:
    """What states lack of a goal (`Condition.lack`)."""
    coasting = [Coasting(world, name, start) for name in dict.fromkeys(_to_lie(goal, world))]
    coasting = [one for one in coasting if one.stops]
    if not coasting:
        return goal.lack
    nothing = np.zeros((1, len(world.watch)), dtype=bool)
    whole = goal.lack(Scene(world, start[None], nothing, np.full((1, 2), np.nan)))

    def lack(scene: Scene) -> np.ndarray:
        later = Scene(world, scene.rows.copy(), scene.touched, scene.sample)
        moves = np.zeros(len(scene), dtype=bool)
        for one in coasting:
            moves |= one.move(scene, later.rows)
        now = goal.lack(scene)
        if not moves.any():
            return now
        fine = valid.holds(later) if valid is not None else np.ones(len(scene), dtype=bool)
        then = np.where(fine, goal.lack(later), np.maximum(whole, now))
        return np.where(moves, then, now)

    return lack


def _to_lie(goal: Condition, world: World) -> Iterator[str]:
    """Bodies that only collisions move, of which all must be slow and somewhere."""
    parts = list(goal.every or ())
    for part in parts:
        yield from _to_lie(part, world)
    placed = {part.body for part in parts if part.inside is not None or part.near is not None}
    for part in parts:
        name = part.body or ""
        if part.slower is None or name not in placed or world.by_name[name].role is not Role.PASSIVE:
            continue
        if world.slot(name).motion is Motion.FREE:
            yield name


class Coasting:
    """Where a free body comes to lie by itself."""

    def __init__(self, world: World, name: str, start: np.ndarray):
        self.slot, self.ball = world.slot(name), name in world.balls
        floors = [body.material for body in world.bodies if body.floor]
        material, model = world.by_name[name].material, world.model
        weight, level = max(-float(world.gravity[2]), 0.0), not world.gravity[:2].any()
        self.grip = pair_friction(material, floors[0])[0] * weight if floors else 0.0
        self.damping = float(model.dof_damping[self.slot.dof]) / self.slot.mass  # [1/s]
        self.slowing, self.slipping = self.grip, 0.0
        if self.ball:  # what rolling resists with slows a ball that slips in its turning
            arm = floors[0].rolling / self.slot.radius * weight if floors else 0.0
            self.slowing = 5 / 7 * min(arm, self.grip)
            self.slipping = 3.5 * self.grip - 2.5 * min(arm, self.grip)  # by which slipping gets less [m/s²]
        self.stops = level and (self.slowing > SLOWEST or self.damping > SLOWEST)
        self.height = float(start[self.slot.qpos + 2])
        self.walls = [_sides(outline) for outline in _standing(world, name, self.height)]

    def move(self, scene: Scene, rows: np.ndarray) -> np.ndarray:
        """Put it, in copies (b, width) of states, to where it would lie; (b,) where it moves at all."""
        q, v = self.slot.qpos, self.slot.qvel
        low = scene.rows[:, q + 2] < self.height + LOW * self.slot.radius
        way = np.where(low[:, None], self._way(scene.rows), 0.0)
        way *= self._free(scene.rows[:, q : q + 2], way)[:, None]
        rows[:, q : q + 2] += way
        rows[low, v : v + 6] = 0.0
        return low & np.any(way != 0.0, axis=1)

    def _way(self, rows: np.ndarray) -> np.ndarray:
        """(b, 2) from where it is to where the ground stops it."""
        velocity = rows[:, self.slot.qvel : self.slot.qvel + 2].copy()
        way = np.zeros_like(velocity)
        if self.slipping > 0.0:
            slip = _slips(rows, self.slot.qpos, self.slot.qvel, self.slot.radius)
            rolls = velocity - self.grip / self.slipping * slip
            way = 0.5 * (velocity + rolls) * np.hypot(*slip.T)[:, None] / self.slipping
            velocity = rolls
        speed = np.hypot(*velocity.T)
        a, k = self.slowing, self.damping
        if k <= 1e-9:
            far = speed**2 / (2 * a)
        else:
            far = speed / k - (a / k**2 * np.log1p(k * speed / a) if a > 0.0 else 0.0)
        return np.asarray(way + velocity / np.maximum(speed, 1e-12)[:, None] * far[:, None])

    def _free(self, places: np.ndarray, ways: np.ndarray) -> np.ndarray:
        """(b,) shares of ways that it can go before it meets what stands there."""
        share = np.ones(len(places))
        for normals, offsets in self.walls:
            off = offsets + self.slot.radius - places @ normals.T  # inside of a side where it is positive
            towards = ways @ normals.T
            with np.errstate(divide="ignore", invalid="ignore"):
                at = off / towards
            enters = np.max(np.where(towards < 0, at, np.where(off < 0, np.inf, -np.inf)), axis=1)
            leaves = np.min(np.where(towards > 0, at, np.inf), axis=1)
            share = np.where((enters < leaves) & (enters >= 0.0), np.minimum(share, enters), share)
        return share


@kernel
def _slips(rows: np.ndarray, q: int, v: int, radius: float) -> np.ndarray:
    """(b, 2) velocities of a ball's surface on the ground."""
    slips = np.empty((len(rows), 2))
    for i in range(len(rows)):
        slips[i, 0], slips[i, 1], _ = surface_velocity(rows[i], q, v, 0.0, 0.0, -radius)
    return slips


def _standing(world: World, name: str, height: float) -> Iterator[np.ndarray]:
    """Outlines (n, 2) of what stands for good and can be run into by a body whose middle is at a height [m]:
    not what hangs above it."""
    model, data = world.model, mujoco.MjData(world.model)
    mujoco.mj_forward(model, data)
    mine = geoms_of(model, model.body(name).id)
    top = height + max((corners_of(model, int(geom))[:, 2].max() for geom in mine), default=0.0)
    floors = {model.body(body.name).id for body in world.bodies if body.floor}
    for body in np.flatnonzero(model.body_weldid == 0):
        for geom in geoms_of(model, int(body)):
            meets = (model.geom_contype[mine] & model.geom_conaffinity[geom]).any()
            meets |= (model.geom_contype[geom] & model.geom_conaffinity[mine]).any()
            corners = data.xpos[body] + corners_of(model, int(geom)) @ data.xmat[body].reshape(3, 3).T
            if meets and int(body) not in floors and corners[:, 2].min() < top:
                yield shadow(model, data, int(geom))


def _sides(outline: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normals (n, 2) outwards of a convex outline's sides, and how far these are along them (n,)."""
    along = np.roll(outline, -1, axis=0) - outline
    along = along[np.hypot(*along.T) > 1e-9]
    outline = outline[np.hypot(*(np.roll(outline, -1, axis=0) - outline).T) > 1e-9]
    normals = np.column_stack([along[:, 1], -along[:, 0]]) / np.hypot(*along.T)[:, None]
    return normals, np.sum(normals * outline, axis=1)
