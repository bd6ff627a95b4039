"""Names for what a state row and a step's forces hold: `ball.x`, `robot.heading`, `robot.fx`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bodies import Motion, Role, World
from .problem import Problem

_PLACE = {
    Motion.FREE: ("x", "y", "z", "qw", "qx", "qy", "qz"),
    Motion.PLANAR: ("x", "y", "heading"),
    Motion.TURNING: ("heading",),
    Motion.JOINTED: ("joint",),
    Motion.NONE: (),
}
_RATE = {
    Motion.FREE: ("vx", "vy", "vz", "spin_x", "spin_y", "spin_z"),
    Motion.PLANAR: ("vx", "vy", "yaw_rate"),
    Motion.TURNING: ("yaw_rate",),
    Motion.JOINTED: ("joint_rate",),
    Motion.NONE: (),
}
_FORCE = {
    Motion.FREE: ("fx", "fy", "fz", "torque_x", "torque_y", "torque_z"),
    Motion.PLANAR: ("fx", "fy", "torque"),
    Motion.TURNING: ("torque",),
    Motion.JOINTED: ("effort",),
    Motion.NONE: (),
}
_UNITS = {
    **dict.fromkeys(("fx", "fy", "fz"), "N"),
    **dict.fromkeys(("torque", "torque_x", "torque_y", "torque_z"), "N·m"),
    **dict.fromkeys(("spin_x", "spin_y", "spin_z"), "rad/s"),
}


def main_body(problem: Problem) -> str:
    """The body that a problem is about: its own choice, or the first that can be moved."""
    moving = [body for body in problem.world.bodies if body.role is not Role.STATIC]
    chosen = [body for body in moving if body.role is Role.CONTROLLED]
    return problem.ego or (chosen or moving)[0].name


def named_states(problem: Problem, rows: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Columns, and states (n, d) of rows (n, width): x, y and heading of the main body, then every moving
    body's place and rates under its own name."""
    world, scene, main = problem.world, problem.scene(rows), main_body(problem)
    found: dict[str, np.ndarray] = {}
    for body in world.bodies:
        slot, name = world.slot(body.name), body.name
        if slot.motion is Motion.NONE:
            continue
        carried = slot.motion is Motion.JOINTED and slot.dofs == 0  # held to another body
        places, rates = ((), ()) if carried else (_PLACE[slot.motion], _RATE[slot.motion])
        mine = {f"{name}.{place}": rows[:, slot.qpos + k] for k, place in enumerate(places)}
        x, y = scene.xy(name).T  # a planar body's own count from its base
        mine |= {f"{name}.x": x, f"{name}.y": y, f"{name}.heading": scene.heading(name)}
        found |= mine | {f"{name}.{rate}": rows[:, slot.qvel + k] for k, rate in enumerate(rates)}
    first = {name: found[f"{main}.{name}"] for name in ("x", "y", "heading")}
    names = tuple(first | found)
    states = np.array([*first.values(), *found.values()]).T.copy()
    turning = [k for k, name in enumerate(names) if name.endswith("heading")]
    states[:, turning] = np.unwrap(states[:, turning], axis=0)
    return names, states


def force_columns(world: World) -> tuple[str, ...]:
    """A name for every generalised force (nv)."""
    names = [f"force {k}" for k in range(world.model.nv)]
    for body in world.bodies:
        slot = world.slot(body.name)
        for k, name in enumerate(_FORCE[slot.motion][: slot.dofs]):
            names[slot.dof + k] = f"{body.name}.{name}"
    return tuple(names)


def drawing(problem: Problem) -> dict[str, Any]:
    """What a viewer of the plan needs: the main body, its size, units, and the scene."""
    main = main_body(problem)
    return {
        "wing": "tactics",
        "scene": problem.name,
        "kind": main,
        "size": problem.world.size(main),
        "units": _UNITS,
        **problem.scenery,
    }
