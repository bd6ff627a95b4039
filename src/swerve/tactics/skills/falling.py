"""The skill of dice that seem to fall by themselves: slight pushes in flight, all dice in one kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from swerve.core.kernels import kernel

from ..bodies import World
from ..chance import Chance
from ..scene import Action, Scene
from ..skill import Skill
from .driving import Range

FREE_FALL = 1e-6  # [m/s²] a body whose acceleration differs less from gravity touches nothing


@dataclass(frozen=True)
class BiasedFall(Skill):
    """Let many free bodies fall, each pushed sideways in flight towards a place on the floor of its own.

    One skill for all of them. For each body it samples the strength of its bias as a share of `acceleration`,
    and holds it for a sampled time. A body that touches anything is left alone. With T seconds left until it
    would reach the `floor`, offset d and velocity v, the push is the one that would bring it there at rest,
    6·d/T² - 4·v/T, cut at the sampled strength. Likewise a torque, cut at `turning`, lets whichever face is
    nearest to pointing down do so when it lands.
    """

    bodies: tuple[str, ...]
    targets: np.ndarray = field(repr=False)  # (bodies, 2) [m]
    floor: float  # [m] height of a body's middle when it lies
    acceleration: float  # [m/s²] most of the push
    turning: float = 0.0  # [rad/s²] most of the torque over the inertia
    strength: Range = (0.4, 1.0)  # share of the two that a body is given
    hold: Range = (0.1, 0.4)  # [s] before the strengths are drawn anew

    needs: ClassVar[dict[str, tuple[str, ...]]] = {"bodies": ("free",)}

    @cached_property
    def variables(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("until", *(f"strength of {name}" for name in self.bodies))

    def start(self, scene: Scene, chance: Chance) -> np.ndarray:
        until = scene.time + chance.uniform(*self.hold)
        return np.column_stack([until, *(chance.uniform(*self.strength) for _ in self.bodies)])

    def act(self, scene: Scene, variables: np.ndarray, action: Action) -> np.ndarray:
        world = scene.world
        slots = self._slots(world)
        gravity = -float(world.model.opt.gravity[2])
        _push(
            action.forces, scene.rows, world.model.nv, slots, self.targets, variables, self.floor, gravity,
            self.acceleration, self.turning, world.step_seconds,
        )  # fmt: skip
        return scene.time + world.step_seconds < variables[:, 0]

    def _slots(self, world: World) -> np.ndarray:
        """(bodies, 5): columns of place, velocity and force; mass and inertia."""
        known = self.__dict__.get("_known")
        if known is None or known[0] is not world:
            slots = [world.slot(name) for name in self.bodies]
            known = (world, np.array([(s.qpos, s.qvel, s.dof, s.mass, s.inertia) for s in slots]))
            self.__dict__["_known"] = known
        return known[1]


@kernel
def _push(
    forces: np.ndarray,
    rows: np.ndarray,
    nv: int,
    slots: np.ndarray,
    targets: np.ndarray,
    variables: np.ndarray,
    floor: float,
    gravity: float,
    acceleration: float,
    turning: float,
    step: float,
) -> None:
    for branch in range(rows.shape[0]):
        row = rows[branch]
        for k in range(slots.shape[0]):
            q, v, dof = int(slots[k, 0]), int(slots[k, 1]), int(slots[k, 2])
            if row[0] > 0.0 and _touches(row[v + nv : v + nv + 6], gravity, acceleration, turning):
                continue
            rise, drop = row[v + 2], row[q + 2] - floor
            left = (rise + np.sqrt(max(rise * rise + 2.0 * gravity * drop, 0.0))) / gravity
            if left < 2.0 * step:
                continue
            share = variables[branch, 1 + k]
            px = 6.0 * (targets[k, 0] - row[q]) / left**2 - 4.0 * row[v] / left
            py = 6.0 * (targets[k, 1] - row[q + 1]) / left**2 - 4.0 * row[v + 1] / left
            cut = slots[k, 3] * min(1.0, share * acceleration / max(np.hypot(px, py), 1e-12))
            forces[branch, dof] += cut * px
            forces[branch, dof + 1] += cut * py
            if turning > 0.0:
                _level(forces[branch], row, q, v, dof, left, share * turning, slots[k, 4])


@kernel
def _touches(felt: np.ndarray, gravity: float, acceleration: float, turning: float) -> bool:
    """Whether a body's last acceleration (6,) was more than gravity and this skill can account for."""
    sideways = felt[0] ** 2 + felt[1] ** 2
    turned = felt[3] ** 2 + felt[4] ** 2 + felt[5] ** 2
    return (
        abs(felt[2] + gravity) > FREE_FALL
        or sideways > (acceleration + FREE_FALL) ** 2
        or turned > (turning + FREE_FALL) ** 2
    )


@kernel
def _level(
    force: np.ndarray, row: np.ndarray, q: int, v: int, dof: int, left: float, most: float, inertia: float
) -> None:
    """Turn the face that is nearest to pointing down all the way down within `left` seconds."""
    w, x, y, z = row[q + 3], row[q + 4], row[q + 5], row[q + 6]
    # the vertical in the body's frame
    ux, uy, uz = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    ax, ay, az = 0.0, 0.0, 0.0
    if abs(ux) >= abs(uy) and abs(ux) >= abs(uz):
        ax = np.sign(ux)
    elif abs(uy) >= abs(uz):
        ay = np.sign(uy)
    else:
        az = np.sign(uz)
    # turning about a × u brings the axis a to the vertical u
    tx, ty, tz = ay * uz - az * uy, az * ux - ax * uz, ax * uy - ay * ux
    tx = 6.0 * tx / left**2 - 4.0 * row[v + 3] / left
    ty = 6.0 * ty / left**2 - 4.0 * row[v + 4] / left
    tz = 6.0 * tz / left**2 - 4.0 * row[v + 5] / left
    cut = inertia * min(1.0, most / max(np.sqrt(tx * tx + ty * ty + tz * tz), 1e-12))
    force[dof + 3] += cut * tx
    force[dof + 4] += cut * ty
    force[dof + 5] += cut * tz
