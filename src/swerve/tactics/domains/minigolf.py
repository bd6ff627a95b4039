"""`minigolf`: putt a ball past a turning bar into a U-shaped hole (Zickler 2010, section 6.1.2).

The robot waits for a sampled time, positions itself behind the ball, and drives into it. The hole is a cup
in the ground with walls on three sides and a soft lining; the ball is holed when it lies still in there. Two
more courses have no turning bar but walls in the way, so that the ball must bounce once or twice.
"""

from __future__ import annotations

import numpy as np

from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..materials import Material
from ..problem import Exploring, Problem
from ..scene import Scene
from ..skills import KeepTurning, PositionAt, Putt, Wait
from ..tactic import Tactic
from . import build as make

COURSE = (0.0, 0.0, 2.6, 1.8)  # [m]
GOLF_BALL = Material(mass=make.BALL_MASS, restitution=0.75, friction=0.15)
WOOD = Material(friction=0.15)
CARPET, SMOOTH = Material(friction=0.4, rolling=0.002), Material(friction=0.4, rolling=0.001)
LINING = Material(friction=0.5, rolling=0.02)
CUP, DEPTH = 0.46, 0.04  # [m] inside of the hole, and how deep it is
STILL = 0.02  # [m/s] slower than which a ball lies


def build(seed: int = 0, bounces: int = 0) -> Problem:
    """`bounces` 0 is the course with the turning bar; 1 and 2 need that many bounces."""
    random = generator(seed, "minigolf layout")
    jitter = np.zeros(4) if seed == 0 else random.uniform(-1.0, 1.0, 4)
    hole = np.array([2.25 + 0.06 * jitter[0], 0.32 + 0.05 * jitter[1]])
    ball = np.array([0.55 + 0.1 * jitter[2], 1.15 + 0.2 * jitter[3]])
    if bounces == 1:  # a wall between ball and hole reaches nearly across
        ball, inner = np.array([0.6 + 0.1 * jitter[2], 0.62 + 0.12 * jitter[3]]), [(1.25, 0.0, 1.33, 1.05)]
    elif bounces == 2:  # two walls, one from either side
        ball = np.array([0.55 + 0.1 * jitter[2], 0.58 + 0.1 * jitter[3]])
        inner = [(0.95, 0.0, 1.03, 0.75), (1.55, 0.84, 1.63, 1.8)]
    else:
        inner = []
    cup = [
        (hole[0] - CUP / 2, hole[1] - CUP / 2 - 0.03, hole[0] + CUP / 2 + 0.03, hole[1] - CUP / 2),
        (hole[0] + CUP / 2, hole[1] - CUP / 2, hole[0] + CUP / 2 + 0.03, hole[1] + CUP / 2),
        (hole[0] - CUP / 2, hole[1] + CUP / 2, hole[0] + CUP / 2 + 0.03, hole[1] + CUP / 2 + 0.03),
    ]
    boxes = [*make.frame(COURSE), *inner, *cup]
    inside_cup = (hole[0] - CUP / 2, hole[1] - CUP / 2, hole[0] + CUP / 2, hole[1] + CUP / 2)
    parts = [_ground(inside_cup), make.robot("robot"), make.ball("ball"), make.walls("walls", boxes)]
    bodies = [
        Body("floor", Role.STATIC, SMOOTH if bounces else CARPET, floor=True),
        Body("tray", Role.STATIC, LINING, floor=True),
        Body("robot", Role.CONTROLLED, make.ROBOT),
        Body("ball", Role.PASSIVE, GOLF_BALL),
        Body("walls", Role.STATIC, WOOD),
    ]
    watch = [("robot", "ball"), ("robot", "walls"), ("ball", "walls")]
    if bounces == 0:
        parts.append(make.bar("bar", 1.35, 0.9, 1.1, 0.06))
        bodies.append(Body("bar", Role.FOREIGN, WOOD))
        watch += [("robot", "bar"), ("ball", "bar")]
    world = World(make.mjcf(*parts), bodies, watch)
    start = world.initial.copy()
    make.place(start, world, "robot", 0.2, ball[1])
    make.place(start, world, "ball", *ball)
    rate = 1.5
    if bounces == 0:
        slot = world.slot("bar")
        start[slot.qpos], start[slot.qvel] = np.pi / 3 + (jitter[0] if seed else 0.0), rate

    def dropped(scene: Scene) -> np.ndarray:
        """Whether the ball is below the ground, in the cup: it cannot roll out again."""
        return scene.inside("ball", inside_cup) & (scene.position("ball")[:, 2] < 0.0)

    def holed(scene: Scene) -> np.ndarray:
        return dropped(scene) & (scene.speed("ball") < STILL)

    def fair(scene: Scene) -> np.ndarray:
        """The robot keeps off walls, bar and cup; the ball lies at its start, rolls, or is in the hole."""
        off = ~scene.touching("robot", "walls") & ~scene.inside("robot", inside_cup)
        if bounces == 0:
            off &= ~scene.touching("robot", "bar")
        waiting = scene.distance("ball", np.broadcast_to(ball, (len(scene), 2))) < 0.02
        return off & (waiting | (scene.speed("ball") > 0.1) | dropped(scene))

    low, high = ((-1.1, 1.1), (0.8, 1.3), (1.05, 1.35))[bounces]
    behind = (np.pi + low, np.pi + high)
    strength = (2.2, 3.4) if bounces else (0.8, 2.6)
    golfer = Tactic(
        "golfer",
        {
            "wait": Wait("robot", (0.0, 2.5) if bounces == 0 else (0.0, 0.1)),
            "position": PositionAt("robot", "ball", behind, (0.28, 0.36), speed=1.5, near=0.04),
            "putt": Putt(
                "robot",
                "ball",
                spread=0.1 if bounces else 0.2,
                strength=strength,
                acceleration=12.0,
                still=0.5 * STILL,
            ),
        },
        {"wait": {"position": 1.0}, "position": {"putt": 1.0}},
        "wait",
    )
    tactics: tuple[Tactic, ...] = (golfer,)
    if bounces == 0:
        tactics += (Tactic("bar", {"turn": KeepTurning("bar", rate)}, {}, "turn"),)
    return Problem(
        name=("minigolf", "minigolf-one-bounce", "minigolf-two-bounces")[bounces],
        world=world,
        start=start,
        tactics={"default": tactics},
        goal=holed,
        valid=fair,
        exploring=Exploring("robot", COURSE, 2.0, 4.0),
        mu=150.0,
        horizon=20.0,
        ego="ball",
        show=("ball", "robot"),
        scenery=make.scenery(COURSE, boxes, inside_cup),
    )


def _ground(cup: tuple[float, float, float, float]) -> str:
    """The ground left of the cup and above it; to its right and below it no ball fits between the walls."""
    x0, y0, x1, y1 = COURSE[0] - 0.1, COURSE[1] - 0.1, COURSE[2] + 0.1, COURSE[3] + 0.1
    return make.bed("floor", [(x0, y0, cup[0], y1), (cup[0], cup[3], x1, y1)], DEPTH)
