"""Rigid bodies in their place: which there are, who moves them, and where each lies in a state row.

A state row is `time, qpos, qvel, qacc_warmstart`: all that MuJoCo needs to continue exactly. Bodies either
move freely (six degrees), in the plane (slide x, slide y, hinge z: robots), about a fixed axis (a hinge: a
turning bar), by another joint or on a body that moves (the links of an arm), or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path

import mujoco
import numpy as np

from swerve.core.errors import BadInput, require

from . import shape
from .materials import Material, apply_material
from .pairing import pair_up
from .sound import check_model
from .spec import Motion, add_frame_sensors, add_sensor, is_ball, motion_of, read_spec
from .straight import check_straight, standing

TIMESTEP, SUBSTEPS = 1 / 240, 4  # [s] inside the engine, and how many of them make one planning step


class Role(Enum):
    """Who moves a body."""

    STATIC = "static"
    PASSIVE = "passive"
    CONTROLLED = "controlled"
    FOREIGN = "foreign"


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
    base: np.ndarray  # (3,) position when the joints are at zero, for all but free bodies
    mass: float
    inertia: float  # about the vertical [kg·m²]
    radius: float  # of a ball, or of the outline seen from above [m]
    dofs: int = 0  # how many degrees of freedom are its own
    heading: float = 0.0  # of what stands

    @cached_property
    def offset(self) -> bool:
        """Whether a planar body's place counts from somewhere else than the origin."""
        return bool(self.base[:2].any())

    @cached_property
    def numbers(self) -> np.ndarray:
        """For kernels, in the order of `steering`."""
        base = self.base[:2] if self.motion is not Motion.FREE else (0.0, 0.0)
        return np.array([self.qpos, self.qvel, self.dof, *base, self.mass, self.inertia, self.radius])


class World:
    """Bodies, their compiled model, and the pairs of bodies whose collisions are reported.

    `watch` names pairs; ("ball", "*") means any collision of the ball. Bodies of two roles in `apart` pass
    through each other. `folder` is where the MJCF finds its meshes.
    """

    def __init__(
        self,
        mjcf: str,
        bodies: Sequence[Body],
        watch: Sequence[tuple[str, str]] = (),
        timestep: float = TIMESTEP,
        substeps: int = SUBSTEPS,
        *,
        apart: Sequence[tuple[Role, Role]] = (),
        folder: str | Path | None = None,
    ):
        require(0 < timestep < np.inf, "timestep", timestep, "must be positive")
        require(substeps >= 1, "substeps", substeps, "must be at least 1")
        self.mjcf, self.bodies, self.substeps = mjcf, tuple(bodies), substeps
        self.timestep, self.apart, self.folder = timestep, tuple(apart), folder
        self.by_name: Mapping[str, Body] = {body.name: body for body in bodies}
        require(len(self.by_name) == len(bodies), "bodies", [b.name for b in bodies], "must differ in name")
        spec = read_spec(mjcf, folder)
        self._check_bodies(spec)
        spec.option.timestep = timestep
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # what runs away is not valid
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        self.watch = tuple(dict.fromkeys(_ordered(pair) for pair in watch))
        self.balls = tuple(b.name for b in bodies if b.role is not Role.STATIC and is_ball(spec.body(b.name)))
        kept_apart = self._keep_apart(spec)
        pair_up(spec, self.bodies, self.balls, kept_apart, timestep)
        self.rubbing = tuple(
            (ball, b.name)
            for ball in self.balls
            for b in bodies
            if b.name not in self.balls and frozenset((ball, b.name)) not in kept_apart
        )
        for first, second in self.watch:
            for name in (first, second):
                if name != "*" and name not in self.by_name:
                    raise BadInput(f"collision of {first} and {second}", name, "no such body")
            add_sensor(spec, first, None if second == "*" else second, force=False)
        for first, second in self.rubbing:
            add_sensor(spec, first, second, force=True)
        motions = {b.name: motion_of(spec.body(b.name)) for b in bodies}
        self.felt = tuple(dict.fromkeys(b for _, b in self.rubbing if motions[b] is Motion.JOINTED))
        for name in self.felt:
            add_frame_sensors(spec, name)
        try:
            self.model = spec.compile()
        except ValueError as error:
            raise BadInput("MJCF", None, f"cannot be built ({error})") from error
        check_model(self.model)
        ground = next((b.material.friction for b in bodies if b.floor), None)
        for body in bodies:
            index, moving = self.model.body(body.name).id, body.role is not Role.STATIC
            apply_material(
                self.model, index, body.material, body.floor, moving, body.name in self.balls, ground
            )
        self.initial = self._initial_row()  # also derives constants from the masses
        self.slots = {body.name: self._slot(body, motions[body.name]) for body in bodies}
        planar, turning = (
            {name: slot.qpos - 1 for name, slot in self.slots.items() if slot.motion is motion}
            for motion in (Motion.PLANAR, Motion.TURNING)
        )
        check_straight(self.model, planar, turning)
        self._untouchable = kept_apart
        self._remembered: dict[int, tuple[object, np.ndarray]] = {}
        self._sizes: dict[str, tuple[float, float, float]] = {}

    def at_step(self, timestep: float) -> World:
        """The same world with another time step inside the same planning step, to check plans with."""
        substeps = round(self.step_seconds / timestep)
        return World(
            self.mjcf, self.bodies, self.watch, self.step_seconds / substeps, substeps,
            apart=self.apart, folder=self.folder,
        )  # fmt: skip

    @property
    def width(self) -> int:
        """Columns of a state row."""
        return 1 + self.model.nq + 2 * self.model.nv

    @property
    def step_seconds(self) -> float:
        return self.timestep * self.substeps

    @cached_property
    def gravity(self) -> np.ndarray:
        """(3,) as the model says [m/s²]."""
        off = self.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
        return np.zeros(3) if off else self.model.opt.gravity.copy()

    @cached_property
    def joint_inertia(self) -> np.ndarray:
        """(nv,) inertia that each degree of freedom feels in the initial state [kg·m² or kg]."""
        data = mujoco.MjData(self.model)
        data.qpos[:] = self.initial[1 : 1 + self.model.nq]
        mujoco.mj_forward(self.model, data)
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, data, full)
        return np.diag(full).copy()

    def slot(self, name: str) -> Slot:
        slot = self.slots.get(name)
        if slot is None:
            raise BadInput("body", name, f"must be one of {', '.join(self.slots)}")
        return slot

    def movable(self, name: str, *motions: Motion) -> Slot:
        """The slot of a body that skills may act on, and that moves in one of these ways."""
        slot, role = self.slot(name), self.by_name[name].role
        if role in (Role.STATIC, Role.PASSIVE):
            why = "only controlled and foreign bodies take forces; it is"
            raise BadInput(f"action on {name}", role.value, why)
        if motions and slot.motion not in motions:
            ways = " or ".join(motion.value for motion in motions)
            raise BadInput(f"action on {name}", slot.motion.value, f"must be {ways}")
        return slot

    def remembered(self, owner: object, make: Callable[[World], np.ndarray]) -> np.ndarray:
        """Numbers that somebody makes of this world, made once."""
        known = self._remembered.get(id(owner))
        if known is None or known[0] is not owner:
            known = self._remembered[id(owner)] = (owner, np.asarray(make(self), dtype=float))
        return known[1]

    def size(self, name: str) -> tuple[float, float, float]:
        """Length, width and height of a body [m], in its own frame."""
        if name not in self._sizes:
            self._sizes[name] = shape.size_of(self.model, self.model.body(name).id)
        return self._sizes[name]

    def is_box(self, name: str) -> bool:
        """Whether a body is not round, seen from above."""
        return not shape.is_round(self.model, self.model.body(name).id)

    def may_touch(self, first: str, second: str) -> bool:
        """Whether the geoms and roles of two bodies let them collide."""
        if frozenset((first, second)) in self._untouchable:
            return False
        model = self.model
        one, other = (np.flatnonzero(model.geom_bodyid == model.body(name).id) for name in (first, second))
        a, b = model.geom_contype[one][:, None], model.geom_conaffinity[one][:, None]
        return bool(((a & model.geom_conaffinity[other]) | (b & model.geom_contype[other])).any())

    def watch_column(self, first: str, second: str) -> int:
        """Column of the collision list for two bodies, -1 where they are not watched."""
        return self._columns.get((first, second), -1)

    @cached_property
    def _columns(self) -> dict[tuple[str, str], int]:
        """Columns of the watched pairs, by the names in either order."""
        return {names: k for k, (a, b) in enumerate(self.watch) for names in ((a, b), (b, a))}

    def pair(self, first: str, second: str) -> int:
        """Column of the collision list for two bodies."""
        column = self._columns.get((first, second))
        if column is None:
            raise BadInput(f"collision of {first} and {second}", None, "is not being watched")
        return column

    def _initial_row(self) -> np.ndarray:
        data = mujoco.MjData(self.model)
        mujoco.mj_setConst(self.model, data)
        if self.model.nkey:
            mujoco.mj_resetDataKeyframe(self.model, data, 0)
        return np.concatenate([[0.0], data.qpos, data.qvel, np.zeros(self.model.nv)])

    def _slot(self, body: Body, motion: Motion) -> Slot:
        model = self.model
        index = model.body(body.name).id
        joints = np.flatnonzero(model.jnt_bodyid == index)
        if motion is Motion.JOINTED and (len(joints) > 1 or model.body_dofnum[index] > 1):
            why = "must have a free joint, or slides x, y and a hinge z, on the world; or one joint, or none"
            raise BadInput(f"body {body.name}", None, why)
        if (motion is Motion.NONE) != (body.role is Role.STATIC):
            raise BadInput(
                f"body {body.name}, class", body.role.value, f"does not fit its motion, {motion.value}"
            )
        qpos = 1 + int(model.jnt_qposadr[joints[0]]) if len(joints) else -1
        dof = int(model.jnt_dofadr[joints[0]]) if len(joints) else -1
        inertia = model.body_inertia[index]
        base, heading = np.zeros(3) if motion is Motion.FREE else model.body_pos[index].copy(), 0.0
        if motion is Motion.NONE:
            base, heading = standing(model, index)
        return Slot(
            motion,
            qpos,
            1 + model.nq + dof,
            dof,
            base,
            float(model.body_mass[index]),
            float(inertia.max() if motion is not Motion.FREE else inertia[2]),
            shape.outline_radius(model, index),
            int(model.body_dofnum[index]),
            heading,
        )

    def _check_bodies(self, spec: mujoco.MjSpec) -> None:
        """Every body is in the MJCF with a material that can be, and whatever moves there is told of."""
        known = {b.name: b for b in spec.bodies}
        for body in self.bodies:
            body.material.validate(body.name)
            if body.name not in known:
                raise BadInput(f"body {body.name}", None, "is not in the MJCF")
        for name, found in known.items():
            if found.joints and name not in self.by_name:
                raise BadInput(
                    f"body {name or 'without a name'}", None, "moves in the MJCF but is not listed"
                )

    def _keep_apart(self, spec: mujoco.MjSpec) -> set[frozenset[str]]:
        """Exclude from MuJoCo's collisions balls among themselves, which `impacts` sees to, and bodies of
        roles that pass through each other. Gives the names of the latter."""
        never = {frozenset((a, b)) for a, b in self.apart}
        kept = set()
        for i, one in enumerate(self.bodies):
            for other in self.bodies[:i]:
                passing = frozenset((one.role, other.role)) in never
                if passing or (one.name in self.balls and other.name in self.balls):
                    spec.add_exclude(bodyname1=one.name, bodyname2=other.name)
                if passing:
                    kept.add(frozenset((one.name, other.name)))
        return kept


def _ordered(pair: tuple[str, str]) -> tuple[str, str]:
    first, second = pair
    return (first, second) if second == "*" or (first != "*" and first < second) else (second, first)
