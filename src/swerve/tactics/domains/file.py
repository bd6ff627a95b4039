"""Domains of users, from a YAML or TOML file: an MJCF scene, who its bodies are, what they do, and the goal.

`docs/tactics.md` explains every field with an example; `conditions` and `fields` check what stands in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, FiniteFloat, PositiveFloat

from swerve.core.errors import BadInput, require
from swerve.core.files import existing
from swerve.core.scene_file import load

from ..bodies import Body, Motion, Role, World
from ..materials import Material
from ..problem import Exploring, Problem
from ..spec import read_spec
from ..tactic import Tactic, Weight
from .coasting import lack_of
from .conditions import Box, Condition, Part, Term, Transition, evaluation
from .fields import check_bodies, make_skill
from .lawful import test_of
from .rubbing import friction_said, with_friction
from .scenery import scenery_of
from .sense import (
    around,
    check_condition,
    check_doers,
    check_middles,
    check_overlap,
    check_pairs,
    check_speed,
)

Class = Literal["static", "passive", "controlled", "foreign"]
Positive = Annotated[PositiveFloat, Field(allow_inf_nan=False, le=1e6)]


class _Material(Part):
    mass: float | None = None
    friction: float | None = None
    static_friction: float | None = None
    restitution: float | None = None
    rolling: float = 0.0
    damping: float = 0.0
    spin_damping: float = 0.0
    upright: float | None = None


class _Body(Part):
    role: Class = Field(alias="class")
    material: _Material = _Material()
    floor: bool = False


class _Tactic(Part):
    name: str
    skills: dict[str, dict[str, Any]]
    transitions: dict[str, dict[str, FiniteFloat | Transition]] = Field(default_factory=dict)
    start: str


class _Explore(Part):
    body: str
    area: Box
    speed: Positive = 2.0
    acceleration: Positive = 3.0


class _Domain(Part):
    name: str = Field(min_length=1)
    mjcf: str
    bodies: dict[str, _Body]
    tactics: list[_Tactic] = Field(min_length=1)
    goal: Condition
    explore: _Explore | None = None
    place: dict[str, list[FiniteFloat]] = Field(default_factory=dict)
    avoid: list[tuple[str, str]] = Field(default_factory=list)
    valid: Condition | None = None
    evaluate: list[Term] = Field(default_factory=list)
    anytime: bool = False
    watch: list[tuple[str, str]] = Field(default_factory=list)
    apart: list[tuple[Class, Class]] = Field(default_factory=list)
    planner: Literal["rrt", "bgt", "hybrid", "uniform"] = "bgt"
    mu: Positive | None = None
    horizon: Positive = 30.0
    nodes: int = Field(200_000, ge=1, le=10_000_000)
    iterations: int = Field(400_000, ge=1, le=10_000_000)


def read_domain(path: str | Path, allow_import: bool = False) -> Problem:
    """The problem described in a file. Skills of the user's own are imported only if allowed."""
    path = Path(path)
    asked = load(path, "domain", _Domain)
    try:
        return _build(asked, path, allow_import)
    except BadInput as error:
        raise BadInput(str(path), None, str(error)) from error


def _build(asked: _Domain, path: Path, allow_import: bool) -> Problem:
    model = asked.mjcf
    if "<" not in model:
        model = existing(path.parent / model, "mjcf").read_text(encoding="utf-8", errors="replace")
    read_spec(model, None)  # as it is, that errors name its lines
    said = friction_said(model)
    bodies = [
        Body(
            name,
            Role(body.role),
            with_friction(name, Material(**body.material.model_dump()), said),
            body.floor,
        )
        for name, body in asked.bodies.items()
    ]
    tactics = tuple(_tactic(one, allow_import) for one in asked.tactics)
    conditions = [asked.goal, *([asked.valid] if asked.valid else [])]
    conditions += [w.when for t in asked.tactics for to in t.transitions.values() for w in to.values()
                   if isinstance(w, Transition)]  # fmt: skip
    pairs = [pair for t in tactics for skill in t.skills.values() for pair in skill.watches()]
    pairs += [pair for condition in conditions for pair in condition.pairs()]
    known = ", ".join(sorted(asked.bodies))
    for what, names in (
        ("goal.body", asked.goal.bodies()),
        ("explore.body", [asked.explore.body] if asked.explore else ()),
        ("valid", asked.valid.bodies() if asked.valid else ()),
        ("a condition", (name for c in conditions for name in c.bodies())),
        ("evaluate", (name for term in asked.evaluate for name in term.bodies())),
        ("place", asked.place),
    ):
        for name in names:
            require(name in asked.bodies, what, name, f"must be one of {known}")
    world = World(
        model,
        bodies,
        [*asked.avoid, *asked.watch, *pairs],
        apart=[(Role(a), Role(b)) for a, b in asked.apart],
        folder=path.parent,
    )
    explore = asked.explore
    if explore is not None:
        moves = world.slot(explore.body).motion in (Motion.FREE, Motion.PLANAR)
        require(moves, "explore.body", explore.body, "must move freely or in the plane")
    why = f"{asked.planner} samples places: say where, and for which body"
    require(explore is not None or asked.planner not in ("rrt", "hybrid"), "explore", None, why)
    for tactic in tactics:
        for name, skill in tactic.skills.items():
            check_bodies(f"tactic {tactic.name}, skill {name}", skill, world)
    require(not asked.anytime or bool(asked.evaluate), "anytime", True, "needs an evaluation to improve")
    rules = [asked.valid] if asked.valid else []
    rules += [Condition.model_validate({"not": {"touching": pair}}) for pair in asked.avoid]
    start = _start(world, asked.place)
    check_doers(tactics)
    check_middles(world)
    _check_conditions(asked, world, start)
    check_overlap(world, start, asked.avoid)
    problem = Problem(
        name=asked.name,
        world=world,
        start=start,
        tactics={"default": tactics},
        goal=test_of([asked.goal], world),
        valid=test_of(rules, world),
        evaluate=evaluation(asked.evaluate) if asked.evaluate else None,
        lack=evaluation(asked.evaluate) if asked.anytime else lack_of(asked.goal, asked.valid, world, start),
        anytime=asked.anytime,
        exploring=None if explore is None else Exploring(**explore.model_dump()),
        planner=asked.planner,
        horizon=asked.horizon,
        nodes=asked.nodes,
        iterations=asked.iterations,
        ego="" if explore is None else explore.body,
        show=tuple(body.name for body in bodies if body.role is not Role.STATIC),
        scenery=scenery_of(
            world, start, asked.goal, around(world, start) if explore is None else explore.area
        ),
    )
    problem.validate(tactics)
    return problem if asked.mu is None else replace(problem, mu=asked.mu)


def _check_conditions(asked: _Domain, world: World, start: np.ndarray) -> None:
    """Refuse what is asked of bodies where the answer is always the same."""
    told = {"goal": asked.goal} | ({"valid": asked.valid} if asked.valid else {})
    for tactic in asked.tactics:
        for source, targets in tactic.transitions.items():
            for target, weight in targets.items():
                if isinstance(weight, Transition):
                    told[f"tactic {tactic.name}, transition {source} to {target}"] = weight.when
    check_pairs([*asked.avoid, *asked.watch, *(pair for c in told.values() for pair in c.pairs())])
    for where, condition in told.items():
        check_condition(where, condition, world, start)
    for term in asked.evaluate:
        if term.speed is not None:
            check_speed("evaluate", term.speed, world, start)


def _tactic(one: _Tactic, allow_import: bool) -> Tactic:
    where = f"tactic {one.name}, skill"
    skills = {
        name: make_skill(f"{where} {name}", dict(given), allow_import) for name, given in one.skills.items()
    }
    weights: Mapping[str, Mapping[str, Weight]] = {
        source: {to: w.weigh if isinstance(w, Transition) else w for to, w in targets.items()}
        for source, targets in one.transitions.items()
    }
    return Tactic(one.name, skills, weights, one.start)


def _start(world: World, places: Mapping[str, list[float]]) -> np.ndarray:
    """The initial row with bodies put in their places."""
    start = world.initial.copy()
    for name, numbers in places.items():
        slot = world.slot(name)
        most = {Motion.PLANAR: 3, Motion.FREE: 3, Motion.TURNING: 1, Motion.JOINTED: min(slot.dofs, 1)}
        allowed = most.get(slot.motion, 0)
        require(1 <= len(numbers) <= allowed, f"place.{name}", numbers, f"must be up to {allowed} numbers")
        offset = np.zeros(len(numbers))
        if slot.motion is Motion.PLANAR:
            offset[:2] = slot.base[: min(len(numbers), 2)]
        start[slot.qpos : slot.qpos + len(numbers)] = np.array(numbers) - offset
    return start
