"""Pieces of which the ready-made domains are built: MJCF of robots, balls, walls, and their scenery.

Groups of geoms, a bit each. A robot has two forms: a cylinder as tall as it is, which balls hit, and in it
a ball of the same radius that walls and robots touch, because such contacts are computed directly. Robots do
not touch the ground, balls touch everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..bodies import World
from ..materials import Material

GRAVITY = 9.81  # [m/s²]
ROBOT_RADIUS, ROBOT_HEIGHT, ROBOT_MASS = 0.09, 0.15, 2.5  # [m], [m], [kg] a small-size-league robot
BALL_RADIUS, BALL_MASS = 0.0215, 0.046  # [m], [kg] a golf ball
WALL_HEIGHT = 0.2  # [m]
BUMPERS, GROUND, HULLS, BARRIERS = 1, 2, 4, 8
ROBOT = Material(mass=ROBOT_MASS, restitution=0.3)


def mjcf(*parts: str, gravity: float = GRAVITY) -> str:
    """A model of these parts."""
    inside = "\n".join(parts)
    return f'<mujoco><option gravity="0 0 {-gravity}"/><worldbody>\n{inside}\n</worldbody></mujoco>'


def floor() -> str:
    return f'<body name="floor"><geom type="plane" size="50 50 0.1" {_bits(GROUND)}/></body>'


def bed(name: str, boxes: Sequence[Sequence[float]], depth: float) -> str:
    """Ground with its top at z = 0 made of boxes x0, y0, x1, y1, between which a ball can fall, and a tray
    `depth` [m] below that catches it."""
    geoms = "".join(_box(box, -depth, 0.0, _bits(GROUND)) for box in boxes)
    tray = f'<geom type="plane" pos="0 0 {-depth}" size="50 50 0.1" {_bits(GROUND)}/>'
    return f'<body name="{name}">{geoms}</body><body name="tray">{tray}</body>'


def robot(name: str, radius: float = ROBOT_RADIUS, height: float = ROBOT_HEIGHT) -> str:
    """A round robot that drives in any direction."""
    half = height / 2
    return f"""<body name="{name}" pos="0 0 {half}">
  <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>
  <geom type="cylinder" size="{radius} {half}" mass="1" {_bits(HULLS)}/>
  <geom type="sphere" size="{radius}" mass="0" {_bits(BUMPERS)}/>
</body>"""


def ball(name: str, radius: float = BALL_RADIUS, mass: float = BALL_MASS) -> str:
    return f"""<body name="{name}" pos="0 0 {radius}"><freejoint/>
  <geom type="sphere" size="{radius}" mass="{mass}" {_bits(GROUND | HULLS | BARRIERS)}/>
</body>"""


def drum(name: str, radius: float, height: float) -> str:
    """An upright cylinder that lies on the ground, is pushed by robots and stopped by walls."""
    return f"""<body name="{name}" pos="0 0 {height / 2}"><freejoint/>
  <geom type="cylinder" size="{radius} {height / 2}" mass="1" {_bits(BUMPERS | GROUND)}/>
</body>"""


def walls(
    name: str, boxes: Sequence[Sequence[float]], height: float = WALL_HEIGHT, depth: float = 0.0
) -> str:
    """A static body of boxes, each x0, y0, x1, y1, that reaches `depth` [m] into the ground."""
    geoms = "".join(_box(box, -depth, height, _bits(BUMPERS | BARRIERS)) for box in boxes)
    return f'<body name="{name}">{geoms}</body>'


def bar(name: str, x: float, y: float, length: float, thickness: float, height: float = WALL_HEIGHT) -> str:
    """A bar that turns about its middle and is too heavy to notice what hits it."""
    return f"""<body name="{name}" pos="{x} {y} {height / 2}">
  <joint type="hinge" axis="0 0 1" armature="1e4"/>
  <geom type="box" size="{length / 2} {thickness / 2} {height / 2}" mass="1"
    {_bits(BUMPERS | BARRIERS)}/>
</body>"""


def _bits(groups: int) -> str:
    return f'contype="{groups}" conaffinity="{groups}"'


def _box(box: Sequence[float], low: float, high: float, bits: str) -> str:
    x0, y0, x1, y1 = box
    return (
        f'<geom type="box" pos="{(x0 + x1) / 2} {(y0 + y1) / 2} {(low + high) / 2}" '
        f'size="{(x1 - x0) / 2} {(y1 - y0) / 2} {(high - low) / 2}" {bits}/>'
    )


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
