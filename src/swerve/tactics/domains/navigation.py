"""`navigation`: drive through a U-shaped place without touching anything (Zickler 2010, section 6.1.1).

The start is at the top right, the goal at the bottom right, and a wall between them leaves a way round at the
left only. With BK-RRT one skill accelerates towards the planner's sample; with BK-BGT two skills drive to a
place anywhere or to the goal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from swerve.core.kernels import inner, kernel
from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..law import Asked, law, views
from ..materials import Material
from ..problem import Exploring, Problem
from ..skills import DriveToSample, DriveToSampledTarget
from ..tactic import Tactic
from .build import ROBOT, frame, mjcf, place, robot, scenery, walls

LENGTH, WIDTH = 5.0, 2.4  # [m] inside the outer walls
SPEED, ACCELERATION = 2.0, 3.0  # [m/s], [m/s²]
MOST = 1.05  # of that, to be sure that nothing could have been saved
COMMITTED = 0.15  # [s] to one place, with BK-BGT
EXTENT, NEAR = 0.9, 0.3  # [s], [m] to one sample, with BK-RRT: so long, or until so near
GOAL_BIAS = 0.1


def build(seed: int = 0) -> Problem:
    """Layout 0 is the plain one; others move the dividing wall, its gap, the start and the goal."""
    random = generator(seed, "navigation layout")
    shift, gap, jitter = (0.0, 0.7, np.zeros(2)) if seed == 0 else (
        random.uniform(-0.15, 0.15), random.uniform(0.55, 0.9), random.uniform(-0.3, 0.3, 2)
    )  # fmt: skip
    middle = WIDTH / 2 + shift
    inside = (0.0, 0.0, LENGTH, WIDTH)
    boxes = [*frame(inside), (gap, middle - 0.1, LENGTH, middle + 0.1)]
    goal = (LENGTH - 0.7, middle / 2 - 0.35, LENGTH - 0.1, middle / 2 + 0.25)
    model = mjcf(robot("robot"), walls("walls", boxes))
    bodies = [Body("robot", Role.CONTROLLED, ROBOT), Body("walls", Role.STATIC, Material())]
    world = World(model, bodies, watch=[("robot", "walls")])
    start = world.initial.copy()
    place(
        start, world, "robot", LENGTH - 0.5 + 0.8 * jitter[0], (middle + WIDTH) / 2 + 0.6 * jitter[1], np.pi
    )

    reached = Asked(_reached, [world.slot("robot").qpos, *goal])
    slot = world.slot("robot")
    safe = [world.pair("robot", "walls"), slot.qpos, slot.qvel, slot.radius, MOST * ACCELERATION]
    untouched = Asked(_untouched, [*safe, len(boxes), *np.ravel(boxes)])
    limits = {"speed": SPEED, "acceleration": ACCELERATION}
    anywhere = DriveToSampledTarget("robot", inside, **limits, seconds=COMMITTED)
    to_goal = DriveToSampledTarget("robot", goal, **limits, seconds=COMMITTED)
    extend = DriveToSample("robot", **limits, near=NEAR, seconds=EXTENT)
    either = {"anywhere": 0.7, "to the goal": 0.3}
    return Problem(
        name="navigation",
        world=world,
        start=start,
        tactics={
            "default": (
                Tactic(
                    "drive",
                    {"anywhere": anywhere, "to the goal": to_goal},
                    {"anywhere": either, "to the goal": either},
                    "anywhere",
                ),
            ),
            "rrt": (Tactic("extend", {"to the sample": extend}, {}, "to the sample"),),
        },
        goal=reached,
        valid=untouched,
        exploring=Exploring("robot", inside, SPEED, ACCELERATION, goal, GOAL_BIAS),
        planner="rrt",
        mu=1000.0,
        lanes=16,
        horizon=30.0,
        ego="robot",
        show=("robot",),
        scenery=scenery(inside, boxes, goal, "pavement"),
    )


@law
def _reached(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: where the robot's place begins, the goal."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    at = int(about[0])
    return about[1] < here[at] < about[3] and about[2] < here[at + 1] < about[4]


@law
def _untouched(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """The robot touches no wall, and will not whatever it does.

    Numbers: the column of the collisions with the walls, where the robot's place and velocity begin, its
    radius and what it can accelerate by, how many walls there are, and their boxes.
    """
    _, here, touch, _, about = views(forces, row, touched, variables, numbers)
    place, velocity = int(about[1]), int(about[2])
    sure = bool(touch[int(about[0])])
    for k in range(int(about[5])):
        box = about[6 + 4 * k : 10 + 4 * k]
        for axis in range(2):
            sure |= _runs_into(
                here, place + axis, velocity + axis, 1 - 2 * axis, box, axis, about[3], about[4]
            )
    return not sure


@inner
@kernel
def _runs_into(
    row: np.ndarray, at: int, v: int, other: int, box: np.ndarray, axis: int, radius: float, most: float
) -> bool:
    """Whether a disc is sure to run into a side of a box: it cannot stop before, nor get past it by then.

    `at` and `v` are where place and velocity along the `axis` are, the `other` axis is so far from there.
    """
    ahead, fast = box[axis] - radius - row[at], row[v]
    if fast < 0.0:
        ahead, fast = row[at] - radius - box[axis + 2], -fast
    left = fast**2 - 2 * most * ahead
    if ahead < 0.0 or left < 0.0:
        return False
    seconds = (fast - np.sqrt(left)) / most  # until it is there, if it brakes as it can
    aside = abs(row[v + other]) * seconds + 0.5 * most * seconds**2
    low, high = box[1 - axis], box[3 - axis]
    return low < row[at + other] - aside and row[at + other] + aside < high
