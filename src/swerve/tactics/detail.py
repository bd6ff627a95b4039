"""Variable level of detail: beyond a horizon, a search lets some pairs of bodies pass through each other.

Zickler (2010, chapter 9): what a controlled body does with bodies that others move, or that can be pushed, is
a detail that nobody can foresee far ahead. Walls are not. A branch older than `t_lod` no longer collides in
such pairs. The collision bits of every branch are its own, so nothing is compiled anew.

MuJoCo lets two geoms collide if one's type shares a bit with the other's affinity. Here a bit stands for one
group of the model and one role, so that types and affinities can also say which roles may meet.
"""

from __future__ import annotations

import copy

import mujoco
import numpy as np

from swerve.core.errors import require

from .bodies import Role, World
from .engine import Engine
from .pairing import NEVER

ROLES = tuple(Role)
DETAILS = ((Role.CONTROLLED, Role.FOREIGN), (Role.CONTROLLED, Role.PASSIVE))
FIELDS = ("geom_contype", "geom_conaffinity", "body_contype", "body_conaffinity", "pair_margin")


class DetailEngine(Engine):
    """An engine whose branches, once they are `t_lod` seconds old, ignore `details`, pairs of roles."""

    def __init__(
        self,
        world: World,
        lanes: int,
        threads: int = 1,
        t_lod: float = np.inf,
        details: tuple[tuple[Role, Role], ...] = DETAILS,
    ):
        super().__init__(world, lanes, threads)
        both_balls = (Role.PASSIVE, Role.PASSIVE) in details
        require(not both_balls, "details", "passive, passive", "balls meet outside of MuJoCo; cannot be")
        self.t_lod, self.since = t_lod, 0.0  # [s] and the time at which the tree begins
        self.full, self.coarse = masks(world, ()), masks(world, details)
        self.fields: dict[int, list[np.ndarray]] = {}  # by the number of branches, as the batches are
        self.is_coarse: dict[int, np.ndarray] = {}

    def step(self, rows: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n, wanted = len(rows), rows[:, 0] > self.since + self.t_lod
        if n not in self.fields:
            bare = self.bare.get(n) or self._bare(n)
            self.fields[n] = [bare.batch.expand(name) for name in FIELDS]
            self.is_coarse[n] = np.zeros(n, dtype=bool)
            for field, values in zip(self.fields[n], self.full, strict=True):
                field[:] = values
        for lane in np.flatnonzero(wanted != self.is_coarse[n]):
            chosen = self.coarse if wanted[lane] else self.full
            for field, values in zip(self.fields[n], chosen, strict=True):
                field[lane] = values
        self.is_coarse[n] = wanted
        return super().step(rows, forces)


def coarse_model(world: World, details: tuple[tuple[Role, Role], ...] = DETAILS) -> mujoco.MjModel:
    """A copy of the world's model in which `details` pass through each other."""
    model = copy.copy(world.model)
    for name, values in zip(FIELDS, masks(world, details), strict=True):
        getattr(model, name)[:] = values
    return model


def masks(world: World, ignored: tuple[tuple[Role, Role], ...]) -> tuple[np.ndarray, ...]:
    """Types and affinities of all geoms, then of all bodies, and the margins of all pairs (`pairing`), such
    that the roles in `ignored` never meet and everything else meets as in the world's own model."""
    model = world.model
    used = int(np.bitwise_or.reduce(model.geom_contype | model.geom_conaffinity))
    groups = [g for g in range(32) if used >> g & 1]
    require(len(groups) * len(ROLES) <= 32, "collision groups", len(groups), "must be at most 8")
    roles = {model.body(body.name).id: body.role for body in world.bodies}
    apart = {frozenset(pair) for pair in ignored}
    types, affinities = np.zeros(model.ngeom, dtype=np.int64), np.zeros(model.ngeom, dtype=np.int64)
    for geom in range(model.ngeom):
        role = roles.get(int(model.geom_bodyid[geom]), Role.STATIC)
        meets = [r for r in ROLES if frozenset((role, r)) not in apart]
        for index, group in enumerate(groups):
            if int(model.geom_contype[geom]) >> group & 1:
                types[geom] |= 1 << (index * len(ROLES) + ROLES.index(role))
            if int(model.geom_conaffinity[geom]) >> group & 1:
                for other in meets:
                    affinities[geom] |= 1 << (index * len(ROLES) + ROLES.index(other))
    bodies = []
    for values in (types, affinities):
        whole = np.zeros(model.nbody, dtype=np.int64)
        np.bitwise_or.at(whole, model.geom_bodyid, values)
        bodies.append(whole)
    bits = (v.astype(np.uint32).view(np.int32) for v in (types, affinities, *bodies))
    margins = model.pair_margin.copy()
    for k in range(model.npair):
        geoms = (int(model.pair_geom1[k]), int(model.pair_geom2[k]))
        if frozenset(roles.get(int(model.geom_bodyid[g]), Role.STATIC) for g in geoms) in apart:
            margins[k] = NEVER
    return (*bits, margins)
