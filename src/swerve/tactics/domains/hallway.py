"""`hallway` and `maze`: drive to the other end between obstacles that move to and fro (Zickler 2010, section
9.2). In the maze, horseshoes of walls must be driven round as well.

The planner expects every obstacle to go straight on and turn back at the ends of its lane. What they really
do is up to `tactics.loop`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..law import Asked, law, views
from ..materials import Material
from ..problem import Exploring, Problem
from ..scene import Scene
from ..skills import DriveToSample, PaceLanes
from ..tactic import Tactic
from . import build as make

LENGTH, WIDTH = 6.0, 1.4  # [m]
SPEED, ACCELERATION = 1.6, 3.0  # [m/s], [m/s²] of the robot
PACE = (0.7, 1.2)  # [m/s] of obstacles
COMMITTED = 0.15  # [s] to one sample
OFF = make.ROBOT_RADIUS + 0.03  # [m] from walls to the ends of lanes
ASIDE, THICK = 0.85, 0.08  # [m] from the sides to what is inside of horseshoes, and their walls
ROBOT = "robot"


def build(seed: int = 0, maze: bool = False) -> Problem:
    """Obstacles begin anywhere in their lanes, with paces of their own."""
    random = generator(seed, "hallway layout", int(maze))
    inside = (0.0, 0.0, LENGTH, WIDTH + 1.4 if maze else WIDTH)
    lanes = _maze_lanes() if maze else _hallway_lanes()
    count = len(lanes)
    names = tuple(f"obstacle {k + 1}" for k in range(count))
    boxes = [*make.frame(inside), *(_horseshoes(inside[3]) if maze else [])]
    goal = (LENGTH - 0.6, 0.15, LENGTH - 0.1, inside[3] - 0.15)
    parts = [make.robot(ROBOT), make.walls("walls", boxes), *(make.robot(name) for name in names)]
    bodies = [
        Body(ROBOT, Role.CONTROLLED, make.ROBOT),
        Body("walls", Role.STATIC, Material()),
        *(Body(name, Role.FOREIGN, make.ROBOT) for name in names),
    ]
    watch = [(ROBOT, "walls"), *((ROBOT, name) for name in names)]
    world = World(make.mjcf(*parts), bodies, watch, apart=[(Role.FOREIGN, Role.FOREIGN)])
    start = world.initial.copy()
    make.place(start, world, ROBOT, 0.3, inside[3] / 2)
    paces = random.uniform(*PACE, count)
    for name, (x, low, high), pace in zip(names, lanes, paces, strict=True):
        make.place(start, world, name, x, random.uniform(low, high))
        start[world.slot(name).qvel + 1] = pace * random.choice([-1.0, 1.0])

    def to_go(scene: Scene) -> np.ndarray:
        return LENGTH - scene.xy(ROBOT)[:, 0]

    drive = DriveToSample(ROBOT, SPEED, ACCELERATION, seconds=COMMITTED)
    pace = PaceLanes(names, tuple(lanes), tuple(paces.tolist()))
    return Problem(
        name="maze" if maze else "hallway",
        world=world,
        start=start,
        tactics={
            "default": (
                Tactic("drive", {"to the sample": drive}, {}, "to the sample"),
                Tactic("obstacles", {"pace": pace}, {}, "pace"),
            )
        },
        goal=Asked(_reached, [world.slot(ROBOT).qpos, *world.slot(ROBOT).base[:2], *goal]),
        valid=Asked(_untouched, [len(watch), 0.0]),
        evaluate=to_go,
        exploring=Exploring(ROBOT, inside, SPEED, ACCELERATION, goal, 0.2),
        planner="rrt",
        lanes=16,
        nodes=12_000,
        horizon=15.0,
        ego=ROBOT,
        show=(ROBOT,),
        scenery=make.scenery(inside, boxes, goal, "pavement"),
    )


def _hallway_lanes() -> list[tuple[float, float, float]]:
    """x, least and greatest y of twelve obstacles."""
    return [(0.9 + 0.37 * k, OFF, WIDTH - OFF) for k in range(12)]


def _maze_lanes() -> list[tuple[float, float, float]]:
    """The same of ten; those beside horseshoes turn back before they touch them."""
    high, end = WIDTH + 1.4, ASIDE - THICK - OFF
    return [
        *((x, OFF, high - OFF) for x in (0.85, 2.15, 3.65, 5.1)),
        *((x, OFF, end) for x in (1.55, 4.5)),
        *((x, high - end, high - OFF) for x in (1.55, 2.95, 4.5)),
        (2.95, OFF, end),
    ]


def _horseshoes(high: float) -> list[tuple[float, float, float, float]]:
    """Walls that are open to the left, so that the straight way ends in them."""
    found, y0, y1 = [], ASIDE, high - ASIDE
    for x in (1.75, 3.2, 4.75):
        found += [
            (x, y0, x + THICK, y1),
            (x - 0.5, y0 - THICK, x + THICK, y0),
            (x - 0.5, y1, x + THICK, y1 + THICK),
        ]
    return found


def forgiving(problem: Problem, seconds: float) -> Problem:
    """The problem, in which nothing that touches within the first `seconds` counts."""
    assert isinstance(problem.valid, Asked)
    return replace(problem, valid=Asked(problem.valid.law, [problem.valid.numbers[0], seconds]))


def keeping_off(problem: Problem, seconds: float, margin: float, until: float) -> Problem:
    """As `forgiving`, and the robot comes no nearer than `margin` [m] to what moves by itself either, up to
    the time `until` [s]."""
    assert isinstance(problem.valid, Asked)
    world = problem.world
    names = [ROBOT, *(body.name for body in world.bodies if body.role is Role.FOREIGN)]
    discs = [(s.qpos, *s.base[:2], s.radius) for s in map(world.slot, names)]
    numbers = [problem.valid.numbers[0], seconds, margin, min(until, 1e9), len(discs), *np.ravel(discs)]
    return replace(problem, valid=Asked(_clear, numbers))


@law
def _reached(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: where the robot's place begins and what it counts from, the goal's box."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    q = int(about[0])
    x, y = here[q] + about[1], here[q + 1] + about[2]
    return about[3] < x < about[5] and about[4] < y < about[6]


@law
def _untouched(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: how many collisions there are to look at, and from when on they count."""
    _, here, touch, _, about = views(forces, row, touched, variables, numbers)
    good = True
    for pair in range(int(about[0])):
        good = good and not touch[pair]
    return good or here[0] < about[1]


@law
def _clear(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: those of `_untouched`, the margin, until when it counts, how many discs there are, and of
    each, the robot's first, where its place begins, what it counts from and its radius."""
    _, here, touch, _, about = views(forces, row, touched, variables, numbers)
    if here[0] < about[1]:
        return True
    for pair in range(int(about[0])):
        if touch[pair]:
            return False
    if here[0] > about[3]:
        return True
    q = int(about[5])
    x, y, reach = here[q] + about[6], here[q + 1] + about[7], about[8] + about[2]
    for k in range(1, int(about[4])):
        at = 5 + 4 * k
        other = int(about[at])
        dx, dy = here[other] + about[at + 1] - x, here[other + 1] + about[at + 2] - y
        if dx * dx + dy * dy < (reach + about[at + 3]) ** 2:
            return False
    return True
