"""A plan as a recording: every body that moves, in the place where it moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.recording import Recording

from .bodies import Motion, Role, Slot
from .plan import TacticsPlan


def record(plan: TacticsPlan, meta: dict[str, Any]) -> Recording:
    """The solution at the rate of the planning steps. A body's kind is its name."""
    problem = plan.problem
    assert problem is not None
    world, rows = problem.world, plan.states
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
        turn = np.zeros((n, 4))
        if slot.motion is Motion.FREE:
            turn[:] = rows[:, slot.qpos + 3 : slot.qpos + 7]
        else:
            turn[:, 0], turn[:, 3] = (
                np.cos(scene.heading(body.name) / 2),
                np.sin(scene.heading(body.name) / 2),
            )
        columns: dict[str, Any] = {
            "t": plan.times,
            "id": np.full(n, ids[body.name]),
            "kind": np.full(n, _kind(body.name, slot), dtype=object),
            **dict(zip("xyz", place.T, strict=True)),
            **dict(zip(("qw", "qx", "qy", "qz"), turn.T, strict=True)),
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


def _kind(name: str, slot: Slot) -> str:
    """The name; robots are round, and viewers draw what is called a disc so."""
    return f"{name} (disc)" if slot.motion is Motion.PLANAR else name
