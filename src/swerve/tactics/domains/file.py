"""Domains of users, from a YAML or TOML file: an MJCF scene, who its bodies are, what they do, and the goal.

name: fetch
mjcf: fetch.xml            # beside this file, or the text itself
bodies:
  robot: {class: controlled, material: {mass: 2.5, restitution: 0.3}}
  ball: {class: passive, material: {restitution: 0.6}}
  ground: {class: static, floor: true, material: {friction: 0.4, rolling: 0.002}}
place: {robot: [0, 0, 1.57], ball: [1, 0.5]}
tactics:
  - name: fetcher
    skills:
      get: {skill: GetBall, body: robot, ball: ball}
      push: {skill: Dribble, body: robot, ball: ball}
    transitions: {get: {push: 1}, push: {push: 0.8, get: 0.2}}
    start: get
goal: {body: ball, inside: [2, -0.5, 3, 0.5]}
avoid: [[robot, wall]]
explore: {body: robot, area: [-3, -3, 3, 3]}
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from swerve.core.errors import BadInput, require
from swerve.core.files import existing
from swerve.core.scene_file import load

from .. import skills as library
from ..bodies import Body, Motion, Role, World
from ..materials import Material
from ..problem import Exploring, Problem
from ..scene import Scene
from ..skill import Skill
from ..tactic import Tactic

Box = tuple[float, float, float, float]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class _Material(_Part):
    mass: float | None = None
    friction: float = 0.0
    restitution: float | None = None
    rolling: float = 0.0
    damping: float = 0.0
    spin_damping: float = 0.0


class _Body(_Part):
    role: Literal["static", "passive", "controlled", "foreign"] = Field(alias="class")
    material: _Material = _Material()
    floor: bool = False


class _Tactic(_Part):
    name: str
    skills: dict[str, dict[str, Any]]
    transitions: dict[str, dict[str, float]] = {}
    start: str


class _Goal(_Part):
    body: str
    inside: Box


class _Explore(_Part):
    body: str
    area: Box
    speed: float = 2.0
    acceleration: float = 3.0


class _Domain(_Part):
    name: str
    mjcf: str
    bodies: dict[str, _Body]
    tactics: list[_Tactic]
    goal: _Goal
    explore: _Explore
    place: dict[str, list[float]] = {}
    avoid: list[tuple[str, str]] = []
    watch: list[tuple[str, str]] = []
    planner: Literal["rrt", "bgt", "hybrid", "uniform"] = "bgt"
    mu: float | None = None
    horizon: float = 30.0


def read_domain(path: str | Path) -> Problem:
    """The problem described in a file."""
    path = Path(path)
    asked = load(path, "domain", _Domain)
    try:
        return _build(asked, path)
    except BadInput as error:
        raise BadInput(str(path), None, str(error)) from error


def _build(asked: _Domain, path: Path) -> Problem:
    model = asked.mjcf
    if "<" not in model:
        model = existing(path.parent / model, "mjcf").read_text(encoding="utf-8")
    bodies = [
        Body(name, Role(body.role), Material(**body.material.model_dump()), body.floor)
        for name, body in asked.bodies.items()
    ]
    tactics = tuple(
        Tactic(
            one.name,
            {
                name: _skill(f"tactic {one.name}, skill {name}", dict(given))
                for name, given in one.skills.items()
            },
            one.transitions,
            one.start,
        )
        for one in asked.tactics
    )
    asked_for = [pair for t in tactics for skill in t.skills.values() for pair in skill.watches()]
    world = World(model, bodies, [*asked.avoid, *asked.watch, *asked_for])
    for what, name in (("goal.body", asked.goal.body), ("explore.body", asked.explore.body)):
        require(name in world.slots, what, name, f"must be one of {', '.join(world.slots)}")
    start = world.initial.copy()
    for name, numbers in asked.place.items():
        slot = world.slot(name)
        most = {Motion.PLANAR: 3, Motion.FREE: 3, Motion.TURNING: 1}.get(slot.motion, 0)
        require(1 <= len(numbers) <= most, f"place.{name}", numbers, f"must be up to {most} numbers")
        offset = slot.base[: len(numbers)] if slot.motion is Motion.PLANAR else np.zeros(len(numbers))
        offset = np.where(np.arange(len(numbers)) < 2, offset, 0.0)
        start[slot.qpos : slot.qpos + len(numbers)] = np.array(numbers) - offset
    goal, avoid = asked.goal, tuple(asked.avoid)

    def reached(scene: Scene) -> np.ndarray:
        return scene.inside(goal.body, goal.inside)

    def untouched(scene: Scene) -> np.ndarray:
        fine = np.ones(len(scene), dtype=bool)
        for first, second in avoid:
            fine &= ~scene.touching(first, second)
        return fine

    moving = tuple(body.name for body in bodies if body.role is not Role.STATIC)
    corners = [[goal.inside[i], goal.inside[j]] for i, j in ((0, 1), (2, 1), (2, 3), (0, 3))]
    area = asked.explore.area
    ground = [[area[i], area[j]] for i, j in ((0, 1), (2, 1), (2, 3), (0, 3))]
    return Problem(
        name=asked.name,
        world=world,
        start=start,
        tactics={"default": tactics},
        goal=reached,
        valid=untouched,
        exploring=Exploring(**asked.explore.model_dump()),
        planner=asked.planner,
        mu=asked.mu,
        horizon=asked.horizon,
        ego=asked.explore.body,
        show=moving,
        scenery={"areas": [{"points": ground, "role": "pavement"}, {"points": corners, "role": "goal"}]},
    )


def _skill(where: str, given: dict[str, Any]) -> Skill:
    """A skill of the library by its name and fields."""
    name = given.pop("skill", None)
    found = getattr(library, str(name), None) if str(name) in library.__all__ else None
    if not (isinstance(found, type) and issubclass(found, Skill)):
        known = [n for n in library.__all__ if n[0].isupper()]
        raise BadInput(f"{where}, skill", name, f"must be one of {', '.join(known)}")
    known = [f.name for f in fields(found)]  # type: ignore[arg-type]
    for key in given:
        require(key in known, f"{where}, {key}", given[key], f"{name} has {', '.join(known)}")
    try:
        return found(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
    except TypeError as error:
        raise BadInput(where, None, str(error).replace("__init__() ", "")) from error
