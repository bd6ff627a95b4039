"""Rigid bodies in their place: which there are, who moves them, and where each lies in a state row.

A state row is `time, qpos, qvel, qacc_warmstart`: all that MuJoCo needs to continue exactly. Bodies either
move freely (six degrees), in the plane (slide x, slide y, hinge z: robots), about a fixed axis (a hinge: a
turning bar), or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import mujoco
import numpy as np

from swerve.core.errors import BadInput, require

from .materials import Material, apply_material

TIMESTEP, SUBSTEPS = 1 / 240, 4  # [s] inside the engine, and how many of them make one planning step


class Role(Enum):
    """Who moves a body."""

    STATIC = "static"
    PASSIVE = "passive"
    CONTROLLED = "controlled"
    FOREIGN = "foreign"


class Motion(Enum):
    """How a body can move."""

    NONE = "none"
    FREE = "free"
    PLANAR = "planar"
    TURNING = "turning"


@dataclass(frozen=True)
class Body:
    """A named body of the MJCF with its role and its material. `floor` carries and rolls what lies on it."""

    name: str
    role: Role
    material: Material = field(default_factory=Material)
    floor: bool = False


@dataclass(frozen=True)
class Slot:
    """Where a body lies in rows and forces. `qpos`, `qvel` are columns of a row, `dof` of the forces."""

    motion: Motion
    qpos: int
    qvel: int
    dof: int
    base: np.ndarray  # (3,) position when the joints are at zero, for planar and turning bodies
    mass: float
    inertia: float  # about the vertical [kg·m²]
    radius: float  # of the largest sphere, or of the outline seen from above [m]

    @cached_property
    def numbers(self) -> np.ndarray:
        """For kernels, in the order of `steering`."""
        base = self.base[:2] if self.motion is not Motion.FREE else (0.0, 0.0)
        return np.array([self.qpos, self.qvel, self.dof, *base, self.mass, self.inertia, self.radius])


class World:
    """Bodies, their compiled model, and the pairs of bodies whose collisions are reported.

    `watch` names pairs; ("ball", "*") means any collision of the ball but with the floor it rolls on, or
    with anything at all where there is no floor.
    """

    def __init__(
        self,
        mjcf: str,
        bodies: Sequence[Body],
        watch: Sequence[tuple[str, str]] = (),
        timestep: float = TIMESTEP,
        substeps: int = SUBSTEPS,
    ):
        require(timestep > 0, "timestep", timestep, "must be positive")
        require(substeps >= 1, "substeps", substeps, "must be at least 1")
        self.mjcf, self.bodies, self.substeps = mjcf, tuple(bodies), substeps
        self.by_name: Mapping[str, Body] = {body.name: body for body in bodies}
        require(len(self.by_name) == len(bodies), "bodies", [b.name for b in bodies], "must differ in name")
        spec = _parse(mjcf)
        known = {b.name for b in spec.bodies}
        for body in bodies:
            body.material.validate(body.name)
            if body.name not in known:
                raise BadInput(f"body {body.name}", None, "is not in the MJCF")
        spec.option.timestep = timestep
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        self.watch = tuple(dict.fromkeys(_ordered(pair) for pair in watch))
        self.rubbing = _rubbing_pairs(spec, bodies)
        for first, second in self.watch:
            for name in (first, second):
                if name != "*" and name not in self.by_name:
                    raise BadInput(f"collision of {first} and {second}", name, "no such body")
            _add_sensor(spec, first, None if second == "*" else second, force=False)
        for first, second in self.rubbing:
            _add_sensor(spec, first, second, force=True)
        try:
            self.model = spec.compile()
        except ValueError as error:
            raise BadInput("MJCF", None, f"cannot be built ({error})") from error
        self.timestep = timestep
        for body in bodies:
            moving = body.role is not Role.STATIC
            apply_material(self.model, self.model.body(body.name).id, body.material, body.floor, moving)
        self.initial = self._initial_row()  # also derives constants from the masses
        self.slots = {body.name: self._slot(body) for body in bodies}

    @property
    def width(self) -> int:
        """Columns of a state row."""
        return 1 + self.model.nq + 2 * self.model.nv

    @property
    def step_seconds(self) -> float:
        return self.timestep * self.substeps

    def slot(self, name: str) -> Slot:
        if name not in self.slots:
            raise BadInput("body", name, f"must be one of {', '.join(self.slots)}")
        return self.slots[name]

    def size(self, name: str) -> tuple[float, float, float]:
        """Length, width and height of a body's first geom [m], in its own frame."""
        geom = int(self.model.body_geomadr[self.model.body(name).id])
        size, kind = self.model.geom_size[geom], self.model.geom_type[geom]
        if kind == mujoco.mjtGeom.mjGEOM_BOX:
            return (2 * float(size[0]), 2 * float(size[1]), 2 * float(size[2]))
        round_ = 2 * float(size[0])
        tall = round_ if kind == mujoco.mjtGeom.mjGEOM_SPHERE else 2 * float(size[1])
        return (round_, round_, tall)

    def is_box(self, name: str) -> bool:
        """Whether a body's first geom is a box."""
        geom = int(self.model.body_geomadr[self.model.body(name).id])
        return bool(self.model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX)

    def pair(self, first: str, second: str) -> int:
        """Column of the collision list for two bodies."""
        try:
            return self.watch.index(_ordered((first, second)))
        except ValueError:
            raise BadInput(f"collision of {first} and {second}", None, "is not being watched") from None

    def _initial_row(self) -> np.ndarray:
        data = mujoco.MjData(self.model)
        mujoco.mj_setConst(self.model, data)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, data, 0)
        return np.concatenate([[0.0], data.qpos, data.qvel, np.zeros(self.model.nv)])

    def _slot(self, body: Body) -> Slot:
        model = self.model
        index = model.body(body.name).id
        joints = np.flatnonzero(model.jnt_bodyid == index)
        kinds = tuple(int(model.jnt_type[j]) for j in joints)
        free, slide, hinge = (int(getattr(mujoco.mjtJoint, f"mjJNT_{n}")) for n in ("FREE", "SLIDE", "HINGE"))
        motions = {
            (): Motion.NONE,
            (free,): Motion.FREE,
            (slide, slide, hinge): Motion.PLANAR,
            (hinge,): Motion.TURNING,
        }
        if kinds not in motions:
            why = "must have a free joint, two slides (x, y) and a hinge (z), one hinge, or no joint"
            raise BadInput(f"body {body.name}", None, why)
        motion = motions[kinds]
        if (motion is Motion.NONE) != (body.role is Role.STATIC):
            raise BadInput(
                f"body {body.name}, class", body.role.value, f"does not fit its motion, {motion.value}"
            )
        qpos = 1 + int(model.jnt_qposadr[joints[0]]) if len(joints) else -1
        dof = int(model.jnt_dofadr[joints[0]]) if len(joints) else -1
        geoms = np.flatnonzero(model.geom_bodyid == index)
        radius = max((float(_outline(model, int(g))) for g in geoms), default=0.0)
        base = model.body_pos[index].copy() if motion is not Motion.FREE else np.zeros(3)
        return Slot(
            motion,
            qpos,
            1 + model.nq + dof,
            dof,
            base,
            float(model.body_mass[index]),
            float(
                model.body_inertia[index].max() if motion is not Motion.FREE else model.body_inertia[index, 2]
            ),
            radius,
        )


def _outline(model: mujoco.MjModel, geom: int) -> float:
    size = model.geom_size[geom]
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
        return float(np.hypot(size[0], size[1]))
    return float(size[0])


def _ordered(pair: tuple[str, str]) -> tuple[str, str]:
    first, second = pair
    return (first, second) if second == "*" or (first != "*" and first < second) else (second, first)


def _parse(mjcf: str) -> mujoco.MjSpec:
    try:
        return mujoco.MjSpec.from_string(mjcf)
    except ValueError as error:
        raise BadInput("MJCF", None, f"does not parse ({error})") from error


def _rubbing_pairs(spec: mujoco.MjSpec, bodies: Sequence[Body]) -> tuple[tuple[str, str], ...]:
    """Pairs that need friction impulses: a ball and a floor, or a ball and something rough."""
    balls = [
        body
        for body in bodies
        if body.role is not Role.STATIC
        and all(geom.type == mujoco.mjtGeom.mjGEOM_SPHERE for geom in spec.body(body.name).geoms)
    ]
    pairs = []
    for i, ball in enumerate(balls):
        for other in bodies:
            rough = other.material.friction > 0 and (other.floor or ball.material.friction > 0)
            if other not in balls[: i + 1] and (rough or (other.floor and other.material.rolling > 0)):
                pairs.append((ball.name, other.name))
    return tuple(pairs)


def _add_sensor(spec: mujoco.MjSpec, first: str, second: str | None, force: bool) -> None:
    """A contact sensor: whether two bodies touch, and for a bounce with what force, where and which way."""
    found, with_force = 1, 1 | 1 << 1 | 1 << 4 | 1 << 5  # found; found, force, position, normal
    sensor = spec.add_sensor(
        type=mujoco.mjtSensor.mjSENS_CONTACT, objtype=mujoco.mjtObj.mjOBJ_BODY, objname=first
    )
    if second is not None:
        sensor.reftype, sensor.refname = mujoco.mjtObj.mjOBJ_BODY, second
    sensor.intprm[:3] = (with_force if force else found, 2, 1)  # the strongest contact, one of them
