"""What stands in a domain of a file, for whoever draws it: the ground, the places asked for, and all that is
fixed to the world, whether it is listed as a body, part of one that is not, or a geom of the world itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from ..bodies import World
from ..shape import GEOM, shadow
from .conditions import Box, Condition

ROUND = 48  # corners of a circle


def scenery_of(world: World, start: np.ndarray, goal: Condition, area: Box) -> dict[str, Any]:
    """Areas seen from above: the pavement, the goal's places, and obstacles as they stand."""
    areas = [{"points": _outline(area), "role": "pavement"}]
    areas += [{"points": outline, "role": "goal"} for outline in _goals(goal)]
    areas += [{"points": outline.tolist(), "role": "obstacle"} for outline in _obstacles(world, start)]
    return {"areas": areas, "lines": []}


def _goals(asked: Condition) -> Iterator[list[list[float]]]:
    """Outlines of the places that something is to be brought to."""
    if asked.inside is not None:
        yield _outline(asked.inside)
    elif asked.near is not None and not isinstance(asked.near, str):
        angles = np.linspace(0.0, 2 * np.pi, ROUND, endpoint=False)
        circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        yield (np.array(asked.near) + (asked.within or 0.0) * circle).tolist()
    for part in (*(asked.every or ()), *(asked.some or ())):
        yield from _goals(part)


def _obstacles(world: World, start: np.ndarray) -> Iterator[np.ndarray]:
    """Outlines of the geoms that never move, but for the ground: floors, and what some body begins on."""
    model, data = world.model, mujoco.MjData(world.model)
    data.qpos[:] = start[1 : 1 + model.nq]
    mujoco.mj_kinematics(model, data)
    moving = data.xpos[np.unique(model.body_rootid[model.jnt_bodyid])]
    for geom in np.flatnonzero(model.body_weldid[model.geom_bodyid] == 0):
        body = world.by_name.get(model.body(model.geom_bodyid[geom]).name)
        flat = GEOM(int(model.geom_type[geom])) in (GEOM.mjGEOM_PLANE, GEOM.mjGEOM_HFIELD)
        if flat or (body is not None and body.floor):
            continue
        if body is None and not (model.geom_contype[geom] or model.geom_conaffinity[geom]):
            continue  # there to be looked at
        outline = shadow(model, data, int(geom))
        if body is None and any(_over(place, outline, float(data.geom_xpos[geom, 2])) for place in moving):
            continue
        yield outline


def _over(place: np.ndarray, outline: np.ndarray, height: float) -> bool:
    """Whether a place (3,) is above a convex outline (n, 2) at a height."""
    along, to = np.roll(outline, -1, axis=0) - outline, place[:2] - outline
    inside = along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0] >= 0
    return bool(inside.all()) and bool(place[2] > height)


def _outline(box: Box) -> list[list[float]]:
    x0, y0, x1, y1 = box
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
