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

    `mass` [kg], none keeps the MJCF's; `friction` Coulomb coefficient; `restitution` rebound speed over
    approach speed, none takes the other body's; `rolling` [m] resistance arm of a ball that rolls on this
    floor (deceleration 5/7·rolling·g/R); `damping` [N·s/m] and `spin_damping` [N·m·s] slow free motion.
    """

    mass: float | None = None
    friction: float = 0.0
    restitution: float | None = None
    rolling: float = 0.0
    damping: float = 0.0
    spin_damping: float = 0.0

    def validate(self, name: str) -> None:
        where = f"body {name}, material."
        if self.mass is not None:
            require(0 < self.mass < np.inf, where + "mass", self.mass, "must be positive")
        if self.restitution is not None:
            require(0 <= self.restitution <= 1, where + "restitution", self.restitution, "must be in [0, 1]")
        for field in ("friction", "rolling", "damping", "spin_damping"):
            value = getattr(self, field)
            require(0 <= value < np.inf, where + field, value, "must be zero or more")


def bounce(restitution: float, timestep: float, carrying: bool = False) -> tuple[float, float]:
    """MuJoCo's `solref` of a contact with that coefficient of restitution at that time step [s]."""
    return (-CARRYING_STIFFNESS / timestep**2 if carrying else 0.0, -(1.0 + restitution) / timestep)


def apply_material(model: mujoco.MjModel, body: int, material: Material, floor: bool, moving: bool) -> None:
    """Write a material into the compiled model: its geoms' contacts, its mass and its joints' damping."""
    h = model.opt.timestep
    for geom in np.flatnonzero(model.geom_bodyid == body):
        if floor:
            model.geom_priority[geom] = FLOOR
            model.geom_condim[geom] = 1
            model.geom_solref[geom] = bounce(material.restitution or 0.0, h, carrying=True)
        else:
            model.geom_priority[geom] = BOUNCING if moving else 0
            if not moving and material.restitution is not None:
                model.geom_priority[geom] = SURFACE if material.friction > 0 else SLICK
            model.geom_condim[geom] = 1
            model.geom_solref[geom] = bounce(material.restitution or 0.0, h)
            if moving and material.restitution is None:
                model.geom_priority[geom] = 0
        if moving and _is_die(model, body, int(geom)):
            model.geom_priority[geom] = DIE
            model.geom_condim[geom] = 3 if material.friction > 0 else 1
            model.geom_friction[geom, 0] = material.friction
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
        model.dof_damping[dof] = material.spin_damping if turning else material.damping


def _is_die(model: mujoco.MjModel, body: int, geom: int) -> bool:
    """Whether a geom belongs to a free body and is no ball."""
    return int(model.body_dofnum[body]) == 6 and model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_SPHERE
