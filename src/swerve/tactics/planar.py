"""The engine's quick relation: discs, boxes and a ball in the plane, compiled, with the same materials.

A planning step is a law like any other (`law`), so that chains can be followed on it instead of on MuJoCo.
It moves robots as discs, walls and bars as boxes, and a ball as a ball: it slides until it rolls, hops when
it is chipped, falls where there is no ground below its middle. What it leaves out is what happens at edges,
on top of robots, and between bodies that are squeezed. `Planar.fits` tells whether a world is of that kind.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from swerve.core.kernels import inner, kernel

from .bodies import Motion, Role, World
from .detail import DETAILS
from .flat import solid, strange
from .law import law, views
from .materials import pair_friction, pair_restitution, pair_upright
from .planar_touch import (
    BALL,
    BALLS,
    BAR,
    BARS,
    BODIES,
    BOUNCE,
    BOX,
    BOXES,
    DISC,
    DISCS,
    FALL,
    GROUND,
    GROUNDS,
    HEAD,
    PAIR,
    STEP,
    SUBSTEPS,
    T_LOD,
    ball_on_disc,
    bar_velocity,
    bounce_ball,
    disc_back,
    into_bar,
    into_box,
    meet,
    move_ball,
    move_disc,
    note,
    off_box,
    on_ground,
    pair_of,
    two_discs,
    x_of,
    y_of,
)  # fmt: skip
from .shape import corners_of

if TYPE_CHECKING:
    from .law import Column

BOTTOMLESS = -1e3  # [m] the lowest floor, where there is none
_PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)


class Planar:
    """The numbers of a world for `step`. Branches older than `t_lod` seconds let the roles of `details` pass
    through each other."""

    def __init__(self, world: World, t_lod: float = np.inf, details: tuple[tuple[Role, Role], ...] = DETAILS):
        self.world, self.names = world, [body.name for body in world.bodies]
        self.coarse = {frozenset(pair) for pair in details}
        parts: dict[int, list[list[float]]] = {k: [] for k in (DISCS, BALLS, BARS, BOXES, GROUNDS)}
        for who, name in enumerate(self.names):
            kind, rows = self._shape(who, name)
            parts[kind] += rows
        head = [float(len(parts[k])) for k in (DISCS, BALLS, BARS, BOXES, GROUNDS)]
        gravity = -float(world.gravity[2])
        head += [len(self.names), world.timestep, world.substeps, gravity, t_lod, *self._lowest()]
        flat = [number for k in (DISCS, BALLS, BARS, BOXES, GROUNDS) for row in parts[k] for number in row]
        pairs = [self._pair(one, other) for one in self.names for other in self.names]
        alone = [[world.watch_column(name, "*"), world.by_name[name].material.rolling] for name in self.names]
        self.numbers = np.array([*head, *flat, *np.ravel(pairs), *np.ravel(alone)], dtype=float)

    @staticmethod
    def fits(world: World) -> bool:
        """Whether a world has nothing but what this model knows."""
        return not strange(world)

    def _shape(self, who: int, name: str) -> tuple[int, list[list[float]]]:
        world, slot = self.world, self.world.slot(name)
        places = [slot.qpos, slot.qvel, slot.dof]
        if slot.motion is Motion.FREE:
            damping = tuple(world.model.dof_damping[[slot.dof, slot.dof + 3]])
            return BALLS, [[*places, slot.mass, slot.radius, who, *damping]]
        if slot.motion is Motion.PLANAR:
            inertia, high = world.joint_inertia[slot.dof + 2], world.size(name)[2]
            damping = tuple(world.model.dof_damping[[slot.dof, slot.dof + 2]])
            return DISCS, [[*places, *slot.base[:2], slot.mass, inertia, slot.radius, who, *damping, high]]
        if slot.motion is Motion.TURNING:
            long, wide, high = world.size(name)
            inertia = world.joint_inertia[slot.dof]
            return BARS, [[*places, *slot.base[:2], long / 2, wide / 2, high, inertia, who]]
        index = world.model.body(name).id
        rows = []
        for geom in solid(world.model, index):
            corners = corners_of(world.model, int(geom)) + slot.base
            (x0, y0, low), (x1, y1, high) = corners.min(axis=0), corners.max(axis=0)
            floor = world.by_name[name].floor
            rows.append([x0, y0, x1, y1, high, who] if floor else [x0, y0, x1, y1, low, high, who])
        return (GROUNDS if world.by_name[name].floor else BOXES), rows

    def _lowest(self) -> tuple[float, int]:
        """Height of the lowest floor, a plane, and whose it is; none is far below and nobody's."""
        model, found = self.world.model, (BOTTOMLESS, -1)
        for who, name in enumerate(self.names):
            mine = np.flatnonzero((model.geom_bodyid == model.body(name).id) & (model.geom_type == _PLANE))
            for geom in mine:
                found = (float(model.geom_pos[geom, 2]), who)
        return found

    def _pair(self, one: str, other: str) -> list[float]:
        world = self.world
        if one == other:
            return [0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0]
        first, second = world.by_name[one], world.by_name[other]
        if one in world.balls or second.floor:
            bounce = pair_restitution(first.material, second.material, second.floor)
        else:
            bounce = pair_restitution(second.material, first.material, first.floor)
        detail = frozenset((first.role, second.role)) in self.coarse
        meets = world.may_touch(one, other)
        column = world.watch_column(one, other)
        rubs, upright = (
            pair_friction(first.material, second.material),
            pair_upright(first.material, second.material),
        )
        return [bounce, *rubs, meets, column, detail, upright]


class PlanarEngine:
    """`engine.Engine` on the planar model."""

    def __init__(self, world: World):
        self.world, self.numbers, self.seconds = world, Planar(world).numbers, 0.0

    def step(self, rows: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        began = time.thread_time()
        new, touched = np.array(rows, dtype=float), np.zeros((len(rows), len(self.world.watch)), dtype=bool)
        step.over(forces, new, touched, np.empty((len(rows), 0)), self.numbers)
        self.seconds += time.thread_time() - began
        return new, touched


@law
def step(forces: Column, row: Column, touched: Column, variables: Column, numbers: Column) -> bool:
    """One planning step of a branch. Numbers: those of a `Planar`."""
    push, here, touch, _, about = views(forces, row, touched, variables, numbers)
    for _ in range(int(about[SUBSTEPS])):
        _substep(push, here, touch, about)
    return True


@inner
@kernel
def _substep(push: np.ndarray, row: np.ndarray, touch: np.ndarray, about: np.ndarray) -> None:
    discs, balls, bars = int(about[DISCS]), int(about[BALLS]), int(about[BARS])
    boxes, grounds, bodies, h = int(about[BOXES]), int(about[GROUNDS]), int(about[BODIES]), about[STEP]
    ball_at = HEAD + discs * DISC
    bar_at = ball_at + balls * BALL
    box_at = bar_at + bars * BAR
    ground_at = box_at + boxes * BOX
    pair_at = ground_at + grounds * GROUND
    pairs, alone = about[pair_at:], about[pair_at + bodies * bodies * PAIR :]
    coarse = row[0] > about[T_LOD]
    row[0] += h
    for k in range(bars):
        bar = about[bar_at + k * BAR : bar_at + (k + 1) * BAR]
        row[int(bar[1])] += h * push[int(bar[2])] / bar[8]
        row[int(bar[0])] += h * row[int(bar[1])]
    for k in range(discs):
        disc = about[HEAD + k * DISC : HEAD + (k + 1) * DISC]
        move_disc(row, push, disc, h)
    for k in range(discs):
        disc = about[HEAD + k * DISC : HEAD + (k + 1) * DISC]
        for i in range(k):
            other = about[HEAD + i * DISC : HEAD + (i + 1) * DISC]
            if not meet(pairs, disc[8], other[8], bodies, coarse):
                continue
            if two_discs(row, disc, other, pair_of(pairs, disc[8], other[8], bodies)):
                note(touch, pairs, alone, disc[8], other[8], bodies)
        for i in range(boxes):
            box = about[box_at + i * BOX : box_at + (i + 1) * BOX]
            if off_box(x_of(row, disc), y_of(row, disc), disc[7], box):
                continue
            if meet(pairs, disc[8], box[6], bodies, coarse):
                depth, nx, ny = into_box(
                    x_of(row, disc), y_of(row, disc), disc[7], box[0], box[1], box[2], box[3]
                )
                if depth > 0.0:
                    disc_back(row, disc, depth, nx, ny, pair_of(pairs, disc[8], box[6], bodies)[BOUNCE], 0.0)
                    note(touch, pairs, alone, disc[8], box[6], bodies)
        for i in range(bars):
            bar = about[bar_at + i * BAR : bar_at + (i + 1) * BAR]
            if meet(pairs, disc[8], bar[9], bodies, coarse):
                x, y = x_of(row, disc), y_of(row, disc)
                depth, nx, ny = into_bar(row, bar, x, y, disc[7])
                if depth > 0.0:
                    ox, oy = bar_velocity(row, bar, x + disc[7] * nx, y + disc[7] * ny)
                    bounce = pair_of(pairs, disc[8], bar[9], bodies)[BOUNCE]
                    disc_back(row, disc, depth, nx, ny, bounce, ox * nx + oy * ny)
                    note(touch, pairs, alone, disc[8], bar[9], bodies)
    for k in range(balls):
        ball = about[ball_at + k * BALL : ball_at + (k + 1) * BALL]
        move_ball(row, push, ball, h, about[FALL])
        on_ground(row, touch, ball, about, ground_at, grounds, pairs, alone, bodies, h)
        for i in range(discs):
            disc = about[HEAD + i * DISC : HEAD + (i + 1) * DISC]
            if not meet(pairs, ball[5], disc[8], bodies, coarse):
                continue
            if ball_on_disc(row, ball, disc, pair_of(pairs, ball[5], disc[8], bodies)):
                note(touch, pairs, alone, ball[5], disc[8], bodies)
        q = int(ball[0])
        for i in range(boxes):
            box = about[box_at + i * BOX : box_at + (i + 1) * BOX]
            if off_box(row[q], row[q + 1], ball[4], box):
                continue
            if box[4] - ball[4] < row[q + 2] < box[5] and meet(pairs, ball[5], box[6], bodies, coarse):
                depth, nx, ny = into_box(row[q], row[q + 1], ball[4], box[0], box[1], box[2], box[3])
                if depth > 0.0:
                    pair = pair_of(pairs, ball[5], box[6], bodies)
                    bounce_ball(row, ball, depth, nx, ny, 0.0, 0.0, 0.0, pair)
                    note(touch, pairs, alone, ball[5], box[6], bodies)
        for i in range(bars):
            bar = about[bar_at + i * BAR : bar_at + (i + 1) * BAR]
            if row[q + 2] < bar[7] and meet(pairs, ball[5], bar[9], bodies, coarse):
                depth, nx, ny = into_bar(row, bar, row[q], row[q + 1], ball[4])
                if depth > 0.0:
                    ox, oy = bar_velocity(row, bar, row[q] + ball[4] * nx, row[q + 1] + ball[4] * ny)
                    pair = pair_of(pairs, ball[5], bar[9], bodies)
                    bounce_ball(row, ball, depth, nx, ny, ox, oy, 0.0, pair)
                    note(touch, pairs, alone, ball[5], bar[9], bodies)
