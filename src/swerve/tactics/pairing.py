"""Pairs of bodies whose contacts MuJoCo is told of one by one.

MuJoCo makes a contact out of what its two geoms say alone: of two coefficients of restitution it takes one,
and a box that is to rub on the floor would rub on balls too, whose friction is applied after the step
(`friction`). Where that is wrong, the two geoms become a `pair`, with a contact of its own: frictionless, and
with the restitution of both materials together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import mujoco

from .materials import IMPEDANCE, Material, bounce, pair_restitution

NEVER = -1e6  # [m] margin of a pair that does not touch (`detail`)


class Paired(Protocol):
    """What a body says of itself that its contacts hang on."""

    @property
    def name(self) -> str: ...
    @property
    def floor(self) -> bool: ...
    @property
    def material(self) -> Material: ...


def pair_up(
    spec: mujoco.MjSpec,
    bodies: Sequence[Paired],
    balls: Collection[str],
    apart: Collection[frozenset[str]],
    timestep: float,
) -> None:
    """Add the pairs of a world; none of `apart`, whose bodies pass through each other."""
    for i, one in enumerate(bodies):
        for other in bodies[:i]:
            if frozenset((one.name, other.name)) in apart or not _differ(spec, one, other, balls):
                continue
            thing, ground = (other, one) if one.floor else (one, other)
            restitution = pair_restitution(thing.material, ground.material, ground.floor)
            carrying = ground.floor or any(_carries(spec, body, balls) for body in (one, other))
            _add(spec, one.name, other.name, bounce(restitution, timestep, carrying))


def _differ(spec: mujoco.MjSpec, one: Paired, other: Paired, balls: Collection[str]) -> bool:
    """Whether two bodies need a contact of their own."""
    played = [body.name in balls for body in (one, other)]
    boxes = any(_carries(spec, body, balls) for body in (one, other))
    if all(played) or (boxes and not any(played)):
        return False  # balls meet outside of MuJoCo (`impacts`); boxes rub on other things
    values = (one.material.restitution, other.material.restitution)
    return boxes or (None not in values and values[0] != values[1])


def _carries(spec: mujoco.MjSpec, body: Paired, balls: Collection[str]) -> bool:
    """Whether a body is free, and no ball: it has friction of the solver's, and things may lie on it."""
    joints = spec.body(body.name).joints
    return body.name not in balls and any(j.type == mujoco.mjtJoint.mjJNT_FREE for j in joints)


def _add(spec: mujoco.MjSpec, one: str, other: str, solref: tuple[float, float]) -> None:
    bodies = [spec.body(name) for name in (one, other)]
    if _top(spec, bodies[0]) == _top(spec, bodies[1]):
        return
    for k, a in enumerate(bodies[0].geoms):
        for i, b in enumerate(bodies[1].geoms):
            if (a.contype & b.conaffinity) | (b.contype & a.conaffinity):
                names = [_named(a, one, k), _named(b, other, i)]
                spec.add_pair(
                    geomname1=names[0], geomname2=names[1], condim=1, solref=solref, solimp=IMPEDANCE
                )


def _top(spec: mujoco.MjSpec, body: mujoco.MjsBody) -> str:
    """The body on the world that carries this one: links of one arm have MuJoCo's own contacts."""
    while body.parent is not None and body.parent.name != spec.worldbody.name:
        body = body.parent
    return str(body.name)


def _named(geom: mujoco.MjsGeom, body: str, k: int) -> str:
    """The name of a body's k-th geom, which gets one if it has none."""
    geom.name = geom.name or f"paired {k} of {body}"
    return str(geom.name)
