"""Whether a domain of a file makes sense as a whole: each field may be fine and their sum still nonsense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import mujoco
import numpy as np

from swerve.core.errors import BadInput, require

from ..bodies import Motion, Role, World
from ..scene import Scene
from ..shape import corners_of, geoms_of, middle_of
from ..skill import Skill
from ..tactic import Tactic
from .conditions import Box, Condition, Pair
from .fields import ACTING

OVERLAP = 2e-3  # [m] that bodies may be within each other at the start: nobody places them to a hair
STILL = 1e-9  # [m/s] of what does not move


def check_pairs(pairs: Iterable[Pair]) -> None:
    """Refuse a body that is to touch itself."""
    for one, other in pairs:
        require(one != other, "pair of bodies", [one, other], "must be two different ones")


def check_doers(tactics: Sequence[Tactic]) -> None:
    """Refuse two tactics that act on one body: their forces would be added."""
    by_body: dict[str, str] = {}
    for tactic in tactics:
        for body in dict.fromkeys(name for skill in tactic.skills.values() for name in _acted_on(skill)):
            why = f"acts on what {by_body.get(body)} acts on, and forces would add up: the body"
            require(body not in by_body, f"tactic {tactic.name}", body, why)
            by_body[body] = tactic.name


def _acted_on(skill: Skill) -> Iterator[str]:
    for name in (*ACTING, "bodies"):
        value = getattr(skill, name, ())
        yield from (value,) if isinstance(value, str) else value


def check_condition(where: str, condition: Condition, world: World, start: np.ndarray) -> None:
    """Refuse conditions on what never changes: they hold always or never."""
    for body in condition.speeds():
        check_speed(where, body, world, start)
    for part in condition.parts():
        require(
            part.near is None or part.near != part.body, where, part.body, "asks how near a body is to itself"
        )
    for body in condition.places():
        require(
            world.by_name[body].role is not Role.STATIC, where, body, "asks where a body is that never moves"
        )


def check_speed(where: str, body: str, world: World, start: np.ndarray) -> None:
    """Refuse to ask for the speed of a body whose middle cannot move: what stands, or turns about it."""
    model = world.model
    rows = np.tile(start, (max(model.nv, 1), 1))
    rows[:, 1 + model.nq : 1 + model.nq + model.nv] = np.eye(len(rows), model.nv)
    scene = Scene(world, rows, np.zeros((len(rows), len(world.watch)), bool), np.full((len(rows), 2), np.nan))
    moves = bool((scene.speed(body) > STILL).any())
    require(moves, where, body, "asks for the speed of a body whose middle cannot move")


def check_overlap(world: World, start: np.ndarray, avoid: Sequence[Pair]) -> None:
    """Refuse a start in which bodies lie within each other and would be thrown apart, or in which those touch
    that must not."""
    model, data = world.model, mujoco.MjData(world.model)
    data.qpos[:] = start[1 : 1 + model.nq]
    mujoco.mj_forward(model, data)
    apart = {frozenset(pair) for pair in avoid}
    found = [(*_owners(model, c), float(c.dist), _can_part(model, data, c)) for c in data.contact]
    for one, other, gap, can_part in [*found, *_between_balls(world, data)]:
        pair = f"{one} and {other}"
        if gap < -OVERLAP and can_part:
            raise BadInput("place", None, f"{pair} are {-gap:.3g} m within each other at the start")
        if gap < 0 and apart & {frozenset((one, other)), frozenset((one, "*")), frozenset((other, "*"))}:
            raise BadInput("avoid", None, f"{pair} touch at the start")


def check_middles(world: World) -> None:
    """Refuse a body that is driven or asked for by its origin, and whose form lies beside that."""
    model = world.model
    for name, slot in world.slots.items():
        index = model.body(name).id
        if slot.motion not in (Motion.PLANAR, Motion.FREE) or not len(geoms_of(model, index)):
            continue
        corners = np.vstack([corners_of(model, int(geom)) for geom in geoms_of(model, index)])[:, :2]
        beside = (corners.min(axis=0) > 0) | (corners.max(axis=0) < 0)
        why = "its geoms must lie about its origin, which counts as its middle; they are about"
        where = middle_of(model, index)[:2].round(6).tolist()
        require(not beside.any(), f"body {name}", where, why)


def _owners(model: mujoco.MjModel, contact: mujoco.MjContact) -> tuple[str, str]:
    first, second = (model.body(model.geom_bodyid[geom]).name or "the world" for geom in contact.geom)
    return first, second


def _can_part(model: mujoco.MjModel, data: mujoco.MjData, contact: mujoco.MjContact) -> bool:
    """Whether a contact can push its bodies apart: a robot in the plane may stick in the ground."""
    both = np.zeros((2, 3, model.nv))
    for moved, geom in zip(both, contact.geom, strict=True):
        mujoco.mj_jac(model, data, moved, None, contact.pos, int(model.geom_bodyid[geom]))
    return bool(np.abs(contact.frame[:3] @ (both[1] - both[0])).max(initial=0.0) > STILL)


def _between_balls(world: World, data: mujoco.MjData) -> Iterator[tuple[str, str, float, bool]]:
    """Balls meet outside of MuJoCo (`impacts`): their pairs and gaps [m]."""
    for i, one in enumerate(world.balls):
        for other in world.balls[:i]:
            if world.may_touch(one, other):
                apart = float(np.linalg.norm(data.body(one).xpos - data.body(other).xpos))
                yield other, one, apart - world.slot(one).radius - world.slot(other).radius, True


def around(world: World, start: np.ndarray) -> Box:
    """x0, y0, x1, y1 of the ground about all bodies, half as much again on either side."""
    model, data = world.model, mujoco.MjData(world.model)
    data.qpos[:] = start[1 : 1 + model.nq]
    mujoco.mj_kinematics(model, data)
    indices = [model.body(body.name).id for body in world.bodies]
    corners = [
        data.xpos[index] + corners_of(model, int(geom)) @ data.xmat[index].reshape(3, 3).T
        for index in indices
        for geom in geoms_of(model, index)
    ]
    places = np.vstack(corners or [data.xpos[indices]])[:, :2]
    low, high = places.min(axis=0), places.max(axis=0)
    room = 0.5 * float((high - low).max())
    return (float(low[0] - room), float(low[1] - room), float(high[0] + room), float(high[1] + room))
