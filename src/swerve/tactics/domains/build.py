"""Pieces of which the ready-made domains are built: MJCF of robots, balls, walls, and their scenery.

Collision bits: 1 everything that stands or drives, 2 the floor; balls touch both, so robots cost no floor
contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..bodies import World
from ..materials import Material

ROBOT_RADIUS, ROBOT_HEIGHT, ROBOT_MASS = 0.09, 0.15, 2.5  # [m], [m], [kg] a small-size-league robot
BALL_RADIUS, BALL_MASS = 0.0215, 0.046  # [m], [kg] a golf ball
WALL_HEIGHT = 0.2  # [m]
CARPET = Material(friction=0.4, rolling=0.0006, restitution=0.3)
ROBOT = Material(mass=ROBOT_MASS, restitution=0.3)


def mjcf(*parts: str, gravity: float = 9.81) -> str:
    """A model of these parts."""
    inside = "\n".join(parts)
    return f'<mujoco><option gravity="0 0 {-gravity}"/><worldbody>\n{inside}\n</worldbody></mujoco>'


def floor() -> str:
    return '<body name="floor"><geom type="plane" size="50 50 0.1" contype="2" conaffinity="2"/></body>'


def robot(name: str, radius: float = ROBOT_RADIUS) -> str:
    """A round robot that drives in any direction. A capsule, because its contacts are computed directly."""
    half = ROBOT_HEIGHT / 2
    return f"""<body name="{name}" pos="0 0 {half}">
  <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>
  <geom type="capsule" fromto="0 0 {-half} 0 0 {half}" size="{radius}" mass="1" contype="1" conaffinity="1"/>
</body>"""


def ball(name: str, radius: float = BALL_RADIUS, mass: float = BALL_MASS) -> str:
    return f"""<body name="{name}" pos="0 0 {radius}"><freejoint/>
  <geom type="sphere" size="{radius}" mass="{mass}" contype="3" conaffinity="3"/>
</body>"""


def walls(name: str, boxes: Sequence[Sequence[float]], height: float = WALL_HEIGHT) -> str:
    """A static body of boxes, each x0, y0, x1, y1."""
    geoms = "".join(
        f'<geom type="box" pos="{(x0 + x1) / 2} {(y0 + y1) / 2} {height / 2}" '
        f'size="{(x1 - x0) / 2} {(y1 - y0) / 2} {height / 2}" contype="1" conaffinity="1"/>'
        for x0, y0, x1, y1 in boxes
    )
    return f'<body name="{name}">{geoms}</body>'


def bar(name: str, x: float, y: float, length: float, thickness: float, height: float = WALL_HEIGHT) -> str:
    """A bar that turns about its middle and is too heavy to notice what hits it."""
    return f"""<body name="{name}" pos="{x} {y} {height / 2}">
  <joint type="hinge" axis="0 0 1" armature="1e4"/>
  <geom type="box" size="{length / 2} {thickness / 2} {height / 2}" mass="1" contype="1" conaffinity="1"/>
</body>"""


def frame(box: Sequence[float], thickness: float = 0.05) -> list[tuple[float, float, float, float]]:
    """Four walls around the inside x0, y0, x1, y1."""
    x0, y0, x1, y1 = box
    t = thickness
    return [
        (x0 - t, y0 - t, x1 + t, y0),
        (x0 - t, y1, x1 + t, y1 + t),
        (x0 - t, y0, x0, y1),
        (x1, y0, x1 + t, y1),
    ]


def place(row: np.ndarray, world: World, name: str, x: float, y: float, heading: float = 0.0) -> None:
    """Put a planar or free body somewhere; a free one keeps its height."""
    slot = world.slot(name)
    row[slot.qpos : slot.qpos + 2] = np.array([x, y]) - slot.base[:2]
    if slot.motion.value == "planar":
        row[slot.qpos + 2] = heading


def outline(box: Sequence[float]) -> list[list[float]]:
    x0, y0, x1, y1 = box
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def scenery(
    ground: Sequence[float],
    obstacles: Sequence[Sequence[float]] = (),
    goal: Sequence[float] | None = None,
    ground_role: str = "field",
) -> dict[str, Any]:
    """Areas for whoever draws the recording."""
    areas = [{"points": outline(ground), "role": ground_role}]
    if goal is not None:
        areas.append({"points": outline(goal), "role": "goal"})
    areas += [{"points": outline(box), "role": "obstacle"} for box in obstacles]
    return {"areas": areas, "lines": []}
