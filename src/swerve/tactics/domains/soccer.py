"""`soccer`: bring the ball into the goal past two defenders and a goalie (Zickler 2010, section 6.1.3).

Half a small-size-league field. The attacker gets the ball, dribbles it, chips or pushes it past somebody to
get it again, or kicks it at the goal and watches. The opponents act by rules that the planner knows.
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
from ..scene import Scene
from ..skills import ChipOver, Defend, Dribble, GetBall, GuardGoal, Kick, Watch, has_ball
from ..skills.reactive import ShootAtGap
from ..tactic import Tactic
from . import build as make

FIELD = (0.0, -2.0, 3.0, 2.0)  # [m] the goal line is x = 3
GOAL_HALF, GOAL_DEPTH = 0.35, 0.18  # [m]
CROSSBAR = 0.15  # [m] below which a ball is in the goal
KICKED = 1.0  # [m/s] from which a ball is on its way
BALL = Material(mass=make.BALL_MASS, restitution=0.5, friction=0.1)
OPPONENTS = ("left defender", "right defender", "goalie")
BODY, THE_BALL = "attacker", "ball"


def build(seed: int = 0, goalie: bool = True) -> Problem:
    """Attacker and ball start anywhere in the half away from the goal."""
    random = generator(seed, "soccer layout")
    opponents = OPPONENTS if goalie else OPPONENTS[:2]
    x1 = FIELD[2]
    goal_box = (x1 + 0.02, -GOAL_HALF, x1 + GOAL_DEPTH, GOAL_HALF)
    between_posts = (x1 - 0.05, -GOAL_HALF, np.inf, GOAL_HALF)
    posts = [
        (x1, -GOAL_HALF - 0.03, x1 + GOAL_DEPTH, -GOAL_HALF),
        (x1, GOAL_HALF, x1 + GOAL_DEPTH, GOAL_HALF + 0.03),
        (x1 + GOAL_DEPTH, -GOAL_HALF - 0.03, x1 + GOAL_DEPTH + 0.03, GOAL_HALF + 0.03),
    ]
    parts = [make.floor(), make.robot(BODY), make.ball(THE_BALL), make.walls("goal", posts)]
    parts += [make.robot(name) for name in opponents]
    bodies = [
        Body("floor", Role.STATIC, Material(friction=0.4, rolling=0.001, restitution=0.3), floor=True),
        Body(BODY, Role.CONTROLLED, make.ROBOT),
        Body(THE_BALL, Role.PASSIVE, BALL),
        Body("goal", Role.STATIC, Material()),
        *(Body(name, Role.FOREIGN, make.ROBOT) for name in opponents),
    ]
    watch = [(BODY, name) for name in (*opponents, "goal")]
    world = World(make.mjcf(*parts), bodies, watch)
    start = world.initial.copy()
    ball = np.array([1.2, 0.5]) if seed == 0 else random.uniform([0.6, -1.2], [1.5, 1.2])
    away = random.uniform(-1.0, 1.0) + np.pi
    attacker = ball + 0.5 * np.array([np.cos(away), np.sin(away)])
    make.place(start, world, BODY, *np.clip(attacker, [0.1, -1.9], [2.9, 1.9]))
    make.place(start, world, THE_BALL, *ball)
    for name, y in zip(opponents, (0.35, -0.35, 0.0), strict=False):
        make.place(start, world, name, 2.2 if name != "goalie" else 2.85, y, np.pi)

    columns = [world.slot(name).qpos for name in (THE_BALL, BODY)]
    scored = Asked(_scored, [*columns, *goal_box])
    fair = Asked(_fair, [*columns, *between_posts, len(world.watch)])

    def to_go(scene: Scene) -> np.ndarray:
        """How far the ball is from the goal, and a little how far the attacker is from the ball [m]."""
        goal = np.broadcast_to(np.array([x1 + GOAL_DEPTH / 2, 0.0]), (len(scene), 2))
        return scene.distance(THE_BALL, goal) + 0.2 * scene.distance(BODY, THE_BALL)

    def ball_held(scene: Scene) -> np.ndarray:
        """Until then it goes on getting the ball: where no weight is above zero, a skill follows itself."""
        return has_ball(scene, BODY, THE_BALL)

    def kicked(scene: Scene) -> np.ndarray:
        return scene.speed(THE_BALL) > KICKED

    def not_kicked(scene: Scene) -> np.ndarray:
        return ~kicked(scene)

    mouth = (x1 + 0.1, -GOAL_HALF + 0.03, x1 + 0.11, GOAL_HALF - 0.03)
    near = (-0.8, -0.8, 0.8, 0.8)
    skills = {
        "get ball": GetBall(BODY, THE_BALL),
        "dribble": Dribble(BODY, THE_BALL),
        "kick": Kick(BODY, THE_BALL, mouth, (4.5, 6.0)),
        "mini kick": Kick(BODY, THE_BALL, near, (0.8, 2.0), around=True),
        "mini chip": ChipOver(BODY, THE_BALL, opponents),
        "watch": Watch(BODY, THE_BALL, (x1 + GOAL_DEPTH / 2, 0.0)),
    }
    attack = Tactic(
        "attacker",
        skills,
        {
            "get ball": {"dribble": ball_held},
            "dribble": {"dribble": 0.5, "kick": 0.3, "mini kick": 0.1, "mini chip": 0.1},
            "kick": {"watch": kicked, "get ball": not_kicked},
            "mini kick": {"get ball": 1.0},
            "mini chip": {"get ball": 1.0},
            "watch": {"get ball": 1.0},
        },
        "get ball",
    )
    policy = Tactic(
        "reactive attacker",
        {"get ball": skills["get ball"], "shoot": ShootAtGap(BODY, THE_BALL, x1, GOAL_HALF, opponents)},
        {"get ball": {"shoot": ball_held}, "shoot": {"get ball": 1.0}},
        "get ball",
    )
    at = (x1, 0.0)
    defence = tuple(
        Tactic(name, {"act": skill}, {}, "act")
        for name, skill in (
            ("left defender", Defend("left defender", THE_BALL, at, 0.55, 0.16)),
            ("right defender", Defend("right defender", THE_BALL, at, 0.55, -0.16)),
            ("goalie", GuardGoal("goalie", THE_BALL, x1 - 0.12, GOAL_HALF - 0.05)),
        )[: len(opponents)]
    )
    lines = [
        {"points": [*make.outline(FIELD), list(FIELD[:2])], "role": "line"},
        {"points": [[x1, -GOAL_HALF], [x1, GOAL_HALF]], "role": "goal"},
    ]
    ground = (FIELD[0] - 0.1, FIELD[1] - 0.1, x1 + GOAL_DEPTH + 0.1, FIELD[3] + 0.1)
    return Problem(
        name="soccer" if goalie else "soccer-two-defenders",
        world=world,
        start=start,
        tactics={"default": (attack, *defence), "deterministic": (policy, *defence)},
        goal=scored,
        valid=fair,
        evaluate=to_go,
        exploring=Exploring(BODY, FIELD, 2.0, 4.0),
        horizon=15.0,
        ego=BODY,
        show=(THE_BALL, BODY, *opponents),
        scenery={**make.scenery(ground, posts, goal_box), "lines": lines},
    )


@law
def _scored(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Numbers: where the places of ball and robot begin, the goal's box."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    ball = int(about[0])
    return _within(here, ball, about[2:6]) and here[ball + 2] < CROSSBAR


@law
def _fair(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """Nobody is run into, and the ball is on the field or between the posts.

    Numbers: where the places of ball and robot begin, the box between the posts, how many collisions there
    are to look at.
    """
    _, here, touch, _, about = views(forces, row, touched, variables, numbers)
    ball, robot = int(about[0]), int(about[1])
    good = _within(here, ball, FIELD) or _within(here, ball, about[2:6])
    good = good and _within(here, robot, FIELD)
    for pair in range(int(about[6])):
        good = good and not touch[pair]
    return good


@inner
@kernel
def _within(row: np.ndarray, at: int, box: np.ndarray | tuple[float, float, float, float]) -> bool:
    return box[0] < row[at] < box[2] and box[1] < row[at + 1] < box[3]
