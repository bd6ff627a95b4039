"""What bodies are made of: plain numbers with a physical meaning, and how MuJoCo is made to honour them.

MuJoCo's contacts are soft; left at their defaults they have no coefficient of restitution. A contact whose
reference acceleration is -(1+e)/h times the approach speed, without stiffness, reverses that speed to e times
itself within one time step h, for any speed and angle. Friction solved together with it would corrupt the
normal impulse, so contacts of balls are frictionless for the solver and `friction.py` applies the impulses
of sliding and rolling friction after the step. Free bodies of other shapes (dice) keep the solver's friction,
and carry each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from swerve.core.errors import require

SLICK, DIE, FLOOR, SURFACE, BOUNCING = 5, 4, 3, 2, 1  # contact priorities: the higher decides how two touch
CARRYING_STIFFNESS = 0.01  # [1/h²] holds up what rests on a surface without changing a bounce
IMPEDANCE = (0.99, 0.99, 0.001, 0.5, 2.0)


@dataclass(frozen=True)
class Material:
    """Immutable parameters of a body.

    `mass` [kg], none keeps the MJCF's; `friction` Coulomb coefficient of sliding, `static_friction` that of
    sticking, none is the same; `restitution` rebound speed over approach speed; `rolling` [m] resistance arm
    of a ball that rolls on this floor (deceleration 5/7·rolling·g/R); `damping` [N·s/m] and `spin_damping`
    [N·m·s] slow free motion; `upright` is the share of its friction that balls feel up and down, less than 1
    of a skin that gives way to what rolls against it. Where two bodies touch, the mean of their coefficients
    counts; a body without friction, restitution or `upright` of its own takes the other's.
    """

    mass: float | None = None
    friction: float | None = None
    static_friction: float | None = None
    restitution: float | None = None
    rolling: float = 0.0
    damping: float = 0.0
    spin_damping: float = 0.0
    upright: float | None = None

    def validate(self, name: str) -> None:
        where = f"body {name}, material."
        if self.mass is not None:
            require(0 < self.mass < np.inf, where + "mass", self.mass, "must be positive")
        if self.restitution is not None:
            require(0 <= self.restitution <= 1, where + "restitution", self.restitution, "must be in [0, 1]")
        if self.upright is not None:
            require(0 <= self.upright <= 1, where + "upright", self.upright, "must be in [0, 1]")
        for field in ("friction", "static_friction", "rolling", "damping", "spin_damping"):
            value = getattr(self, field)
            if value is not None:
                require(0 <= value < np.inf, where + field, value, "must be zero or more")
        if self.static_friction is not None:
            least = self.friction or 0.0
            why = f"must not be less than the friction of sliding, {least:g}"
            require(self.static_friction >= least, where + "static_friction", self.static_friction, why)


def pair_friction(one: Material, other: Material) -> tuple[float, float]:
    """Coefficients of sliding and of sticking between two materials."""
    return (
        _mean(one.friction, other.friction),
        _mean(
            one.friction if one.static_friction is None else one.static_friction,
            other.friction if other.static_friction is None else other.static_friction,
        ),
    )


def pair_upright(one: Material, other: Material) -> float:
    """The share of the friction between two materials that is felt up and down."""
    return _mean(one.upright, other.upright) if (one.upright, other.upright) != (None, None) else 1.0


def pair_restitution(one: Material, other: Material, floor: bool = False) -> float:
    """Restitution between two materials. A floor without one of its own swallows bounces."""
    if floor and other.restitution is None:
        return 0.0
    return _mean(one.restitution, other.restitution)


def _mean(one: float | None, other: float | None) -> float:
    known = [value for value in (one, other) if value is not None]
    return sum(known) / len(known) if known else 0.0


def bounce(restitution: float, timestep: float, carrying: bool = False) -> tuple[float, float]:
    """MuJoCo's `solref` of a contact with that coefficient of restitution at that time step [s]."""
    return (-CARRYING_STIFFNESS / timestep**2 if carrying else 0.0, -(1.0 + restitution) / timestep)


def apply_material(
    model: mujoco.MjModel,
    body: int,
    material: Material,
    floor: bool,
    moving: bool,
    ball: bool,
    ground: float | None = None,
) -> None:
    """Write a material into the compiled model: its geoms' contacts, its mass and its joints' damping.

    Free bodies that are no balls rub everywhere as they do on the `ground`, whose friction is given.
    """
    h = model.opt.timestep
    for geom in np.flatnonzero(model.geom_bodyid == body):
        if floor:
            model.geom_priority[geom] = FLOOR
            model.geom_condim[geom] = 1
            model.geom_solref[geom] = bounce(material.restitution or 0.0, h, carrying=True)
        else:
            model.geom_priority[geom] = BOUNCING if moving else 0
            if not moving and material.restitution is not None:
                model.geom_priority[geom] = SURFACE if material.friction else SLICK
            model.geom_condim[geom] = 1
            model.geom_solref[geom] = bounce(material.restitution or 0.0, h)
            if moving and material.restitution is None:
                model.geom_priority[geom] = 0
        if moving and not ball and int(model.body_dofnum[body]) == 6:
            friction = _mean(material.friction, ground)
            model.geom_priority[geom] = DIE
            model.geom_condim[geom] = 3 if friction > 0 else 1
            model.geom_friction[geom, 0] = friction
            model.geom_solref[geom] = bounce(material.restitution or 0.0, h, carrying=True)
        model.geom_solimp[geom] = IMPEDANCE
    if material.mass is not None and moving:
        scale = material.mass / model.body_mass[body]
        model.body_mass[body] *= scale
        model.body_inertia[body] *= scale
    start, count = int(model.body_dofadr[body]), int(model.body_dofnum[body])
    for dof in range(start, start + count):
        joint = model.dof_jntid[dof]
        turning = (
            model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE
            if count < 6
            else dof - model.jnt_dofadr[joint] >= 3
        )
        damping = material.spin_damping if turning else material.damping
        if damping > 0:  # else the MJCF's own
            model.dof_damping[dof] = damping
