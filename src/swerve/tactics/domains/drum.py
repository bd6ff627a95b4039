"""`drum`: two robots, or three, push a heavy drum through a gap and on to its place, planned in one tree.

Each robot has a tactic of its own: stand behind the drum at its side, wait for the others, push. None can
move the drum alone: what it pushes with is less than the drum's friction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from swerve.core.errors import require
from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..law import Asked, law, views
from ..materials import Material
from ..problem import Exploring, Problem
from ..scene import Scene, direction, length
from ..skill import Skill
from ..skills import PushOn, StandBehind, Wait
from ..tactic import Tactic, Weight
from . import build as make

Box = tuple[float, float, float, float]
Range = tuple[float, float]
Weigh = Callable[[Scene], np.ndarray]
LENGTH, WIDTH, WALL = 4.0, 2.4, 2.0  # [m] inside the outer walls, and where the dividing wall stands
DRUM, DRUM_HEIGHT = "drum", 0.15  # [m]
FRICTION = 0.3
SPEED, ACCELERATION = 0.5, 3.0  # [m/s], [m/s²] of a robot that pushes, with 7.5 N
AT_REST = 0.1  # [m/s]
REACH, BEHIND = 0.06, 0.15  # [m] from the drum, and behind its middle, where a robot is ready to push
TURNED, PUSHING, WAITING = (-0.15, 0.15), (0.5, 1.5), (0.05, 0.4)  # [rad], [s], [s]


@dataclass(frozen=True)
class Team:
    """The side of each robot from straight behind the drum [rad], and the drum that they can push: its radius
    [m] and its friction, as a multiple of what one robot pushes with. `gap` [m] is how wide the way is."""

    sides: Mapping[str, Range]
    radius: float
    share: float
    gap: float


TEAMS = {
    2: Team({"left": (-0.52, -0.36), "right": (0.36, 0.52)}, 0.16, 1.4, 0.8),
    3: Team({"left": (-0.64, -0.52), "right": (0.52, 0.64), "middle": (-0.04, 0.04)}, 0.3, 2.15, 1.0),
}


def build(seed: int = 0, robots: int = 2, pushing: int | None = None) -> Problem:
    """Layout 0 is the plain one; others move the gap, the drum, the robots and the goal.

    With `pushing` only so many of the robots take part, and the others stay where they are.
    """
    require(robots in TEAMS, "robots", robots, f"must be one of {', '.join(map(str, TEAMS))}")
    random, team = generator(seed, "drum layout"), TEAMS[robots]
    names = tuple(team.sides)
    shift = np.zeros(2) if seed == 0 else random.uniform([-0.1, -0.25], [0.1, 0.25])
    gap_y = WIDTH / 2 + (0.0 if seed == 0 else random.uniform(-0.2, 0.2))
    goal_y = WIDTH / 2 + (0.25 if seed == 0 else random.uniform(-0.35, 0.35))
    inside = (0.0, 0.0, LENGTH, WIDTH)
    goal = (LENGTH - 1.0, goal_y - 0.25, LENGTH - 0.5, goal_y + 0.25)
    boxes = [
        *make.frame(inside),
        (WALL - 0.05, 0.0, WALL + 0.05, gap_y - team.gap / 2),
        (WALL - 0.05, gap_y + team.gap / 2, WALL + 0.05, WIDTH),
    ]
    world = _world(names, team, boxes)
    start = world.initial.copy()
    make.place(start, world, DRUM, 1.1 + shift[0], WIDTH / 2 + shift[1])
    for name, y in zip(names, (0.5, -0.5, 0.0), strict=False):
        dx, dy = (0.0, 0.0) if seed == 0 else random.uniform(-0.1, 0.1, 2)
        make.place(start, world, name, 0.3 + dx, WIDTH / 2 + y + dy)
    legs = {"gap": (WALL + 0.1, gap_y - 0.06, WALL + 0.3, gap_y + 0.06), "goal": goal}
    at_work = names[: len(names) if pushing is None else pushing]
    at = world.slot(DRUM)
    return Problem(
        name="drum" if robots == 2 else f"drum-{robots}",
        world=world,
        start=start,
        tactics={"default": tuple(_tactic(name, at_work, team, legs) for name in names)},
        goal=Asked(_delivered, [at.qpos, at.qvel, *goal]),
        valid=Asked(_untouched, [len(world.watch)]),
        exploring=Exploring(DRUM, inside, SPEED, 1.0, goal, 0.3),
        horizon=30.0,
        ego=DRUM,
        show=(DRUM, *names),
        scenery=make.scenery(inside, boxes, goal, "pavement"),
    )


def _world(names: tuple[str, ...], team: Team, boxes: list[Box]) -> World:
    """Drum, robots and walls; of no two of them but drum and robot is it fair that they touch."""
    mass = team.share * make.ROBOT_MASS * ACCELERATION / (FRICTION * 9.81)
    model = make.mjcf(
        make.floor(),
        make.drum(DRUM, team.radius, DRUM_HEIGHT),
        *(make.robot(name) for name in names),
        make.walls("walls", boxes),
    )
    bodies = [
        Body("floor", Role.STATIC, Material(friction=FRICTION), floor=True),
        Body(DRUM, Role.PASSIVE, Material(mass=mass, friction=FRICTION, restitution=0.0)),
        *(Body(name, Role.CONTROLLED, make.ROBOT) for name in names),
        Body("walls", Role.STATIC, Material()),
    ]
    pairs = [(one, other) for k, one in enumerate(names) for other in names[:k]]
    return World(model, bodies, watch=[*((name, "walls") for name in (*names, DRUM)), *pairs])


def _tactic(name: str, at_work: tuple[str, ...], team: Team, legs: Mapping[str, Box]) -> Tactic:
    """What one of the robots does: behind the drum, and with the others on to the gap, then to the goal."""
    skills: dict[str, Skill] = {"wait": Wait(name, WAITING)}
    if name not in at_work:
        return Tactic(f"{name} robot", skills, {}, "wait")
    near = team.radius + make.ROBOT_RADIUS
    onward: dict[str, Weight] = {"wait": 0.1}
    for leg, box in legs.items():
        stand, push = f"behind, for the {leg}", f"push to the {leg}"
        skills[stand] = StandBehind(name, DRUM, box, team.sides[name], (near + 0.005, near + 0.02))
        skills[push] = PushOn(name, DRUM, box, TURNED, PUSHING, SPEED, ACCELERATION)
        ready = {one: _behind(one, box, near + REACH) for one in at_work}
        onward[stand] = _on(leg, _unless(ready[name]))
        onward[push] = _on(leg, _every(tuple(ready.values())))
    return Tactic(f"{name} robot", skills, dict.fromkeys(skills, onward), "behind, for the gap")


def _on(leg: str, weigh: Weigh) -> Weigh:
    """A weight that counts while the drum is on this leg of its way."""

    def here(scene: Scene) -> np.ndarray:
        return np.asarray(weigh(scene) * ((scene.xy(DRUM)[:, 0] < WALL + 0.1) == (leg == "gap")))

    return here


def _unless(test: Weigh) -> Weigh:
    return lambda scene: np.where(test(scene), 0.05, 1.0)


def _every(tests: tuple[Weigh, ...]) -> Weigh:
    return lambda scene: np.all([test(scene) for test in tests], axis=0)


def _behind(name: str, box: Box, reach: float) -> Weigh:
    """Whether a robot is at the drum, on the side away from where it is to go."""
    middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])

    def holds(scene: Scene) -> np.ndarray:
        way, off = direction(middle - scene.xy(DRUM)), scene.xy(DRUM) - scene.xy(name)
        return np.asarray((length(off) < reach) & ((way * off).sum(axis=1) > BEHIND))

    return holds


@law
def _delivered(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """The drum lies in its place. Numbers: where its place and its velocity begin, the goal."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    q, v = int(about[0]), int(about[1])
    inside = about[2] < here[q] < about[4] and about[3] < here[q + 1] < about[5]
    return inside and np.hypot(here[v], here[v + 1]) < AT_REST


@law
def _untouched(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Nothing touches the walls, and no robot another. Numbers: how many collisions there are to look at."""
    _, _, touch, _, about = views(forces, row, touched, variables, numbers)
    good = True
    for pair in range(int(about[0])):
        good = good and not touch[pair]
    return good
