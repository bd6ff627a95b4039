"""A plan as a recording: every body that moves, in the place where it moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from swerve.core import attitude
from swerve.core.recording import Recording

from .bodies import Motion, Role, World
from .plan import TacticsPlan


def record(plan: TacticsPlan, meta: dict[str, Any]) -> Recording:
    """The solution at the rate of the planning steps. A body's kind is its name."""
    problem = plan.problem
    assert problem is not None
    world, rows = problem.world, plan.rows
    n = len(rows)
    parts = []
    ids = {body.name: k for k, body in enumerate(world.bodies)}
    for body in world.bodies:
        if body.role is Role.STATIC:
            continue
        slot = world.slot(body.name)
        scene = problem.scene(rows)
        place = scene.position(body.name)
        velocity = np.zeros((n, 3))
        seen = scene.velocity(body.name)
        velocity[:, : seen.shape[1]] = seen
        if slot.motion in (Motion.JOINTED, Motion.TURNING):
            turn = scene.pose(body.name)[1]
            place = scene.middle(body.name)
        elif slot.motion is Motion.FREE:
            turn = rows[:, slot.qpos + 3 : slot.qpos + 7]
            if is_cube(world, body.name):
                turn = ending_upright(turn)
        else:
            turn = attitude.quaternion(scene.heading(body.name))
        columns: dict[str, Any] = {
            "t": plan.times,
            "id": np.full(n, ids[body.name]),
            "kind": np.full(n, kind_of(world, body.name), dtype=object),
            **dict(zip("xyz", place.T, strict=True)),
            **attitude.columns(turn),
            **dict(zip(("vx", "vy", "vz"), velocity.T, strict=True)),
        }
        size = world.size(body.name)
        columns |= {name: np.full(n, s) for name, s in zip(("length", "width", "height"), size, strict=True)}
        mine = [k for k, pair in enumerate(world.watch) if body.name in pair]
        columns["contact"] = plan.contacts[:, mine].any(axis=1)
        parts.append(Recording(columns))
    scenery = dict(problem.scenery)
    ego = {"ego": ids[problem.ego]} if problem.ego else {}
    return Recording.join(parts, {**meta, **scenery, **ego})


def is_cube(world: World, name: str) -> bool:
    """Whether a body is a free box with equal edges: a die."""
    size = world.size(name)
    return world.slot(name).motion is Motion.FREE and world.is_box(name) and max(size) == min(size)


def ending_upright(turn: np.ndarray) -> np.ndarray:
    """Attitudes (n, 4) of a cube, its faces named so that the one on top at the end is the upper one.

    All faces look the same. Seen from above, a cube that lies then has the heading of its sides.
    """
    attitudes = Rotation.from_quat(turn, scalar_first=True)
    renamings = Rotation.create_group("O")
    best = int(np.argmin((attitudes[-1] * renamings).magnitude()))
    return (attitudes * renamings[best]).as_quat(scalar_first=True)


def kind_of(world: World, name: str) -> str:
    """The name; robots and drums are round, and viewers draw what is called a disc so, and dice are all the
    same. What is on hinges is a bar."""
    if is_cube(world, name):
        return f"{name.rstrip(' 0123456789')} (cube)"
    if world.slot(name).motion in (Motion.JOINTED, Motion.TURNING):
        return name if "bar" in name else f"{name} (bar)"
    drum = not world.is_box(name) and name not in world.balls
    return f"{name} (disc)" if world.slot(name).motion is Motion.PLANAR or drum else name
