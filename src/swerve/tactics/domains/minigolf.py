"""`minigolf`: putt a ball past a turning bar into a U-shaped hole (Zickler 2010, section 6.1.2).

The robot waits for a sampled time (a fifth of the layouts is not solved without), positions itself behind the
ball, and drives into it. The hole is a cup in the ground with walls on three sides and a soft lining; the
ball is holed when it lies still in there. Two more courses have no turning bar but walls in the way, so that
the ball must bounce once or twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from swerve.core.kernels import inner, kernel
from swerve.core.seeding import generator

from ..bodies import Body, Role, World
from ..law import Asked, law, views
from ..materials import Material
from ..problem import Exploring, Problem
from ..skills import KeepTurning, PositionAt, Putt, Wait
from ..tactic import Tactic
from . import build as make

COURSE = (0.0, 0.0, 2.6, 1.8)  # [m]
GOLF_BALL = Material(mass=make.BALL_MASS, restitution=0.75, friction=0.15)
WOOD = Material(friction=0.15)
CARPET, SMOOTH = Material(friction=0.4, rolling=0.002), Material(friction=0.4, rolling=0.001)
LINING = Material(friction=0.5, rolling=0.02)
CUP, DEPTH = 0.46, 0.04  # [m] inside of the hole, and how deep it is
WIDE = 0.25  # [m] between the hole and the frame from which on there is ground behind the hole, too
SLOW = 0.1  # [m/s] at least which a ball must roll
STILL = 0.02  # [m/s] slower than which a ball lies
NODES = ITERATIONS = (
    100_000  # at most: on some layouts one putt of four hundred goes in, and those that miss are nodes
)


@dataclass(frozen=True)
class Bar:
    """A bar that turns about its middle `at`, from `angle` [rad] at `rate` [rad/s]."""

    at: tuple[float, float]
    length: float
    angle: float
    rate: float


@dataclass(frozen=True)
class Course:
    """Where everything is [m], and what the golfer tries: the side of the ball on which it stands, `behind`
    [rad] around it, and the speeds of its putts, `strength` [m/s]."""

    name: str
    ball: tuple[float, float]
    hole: tuple[float, float]
    behind: tuple[float, float]
    strength: tuple[float, float]
    area: tuple[float, float, float, float] = COURSE
    inner: tuple[tuple[float, float, float, float], ...] = ()
    bar: Bar | None = None
    smooth: bool = False
    spread: float = 0.2  # [rad] by which a putt is turned at most
    run_up: tuple[float, float] = (0.28, 0.36)  # [m] from the ball, where the golfer stands

    @property
    def cup(self) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 inside the hole."""
        (x, y), half = self.hole, CUP / 2
        return (x - half, y - half, x + half, y + half)


def build(seed: int = 0, bounces: int = 0) -> Problem:
    """`bounces` 0 is the course with the turning bar; 1 and 2 need that many bounces."""
    return replace(play_on(lay(seed, bounces)), nodes=NODES, iterations=ITERATIONS)


def lay(seed: int = 0, bounces: int = 0) -> Course:
    """The course of that seed; 0 is the plain one."""
    random = generator(seed, "minigolf layout")
    jitter = np.zeros(4) if seed == 0 else random.uniform(-1.0, 1.0, 4)
    hole = (2.25 + 0.06 * jitter[0], 0.32 + 0.05 * jitter[1])
    ball = (0.55 + 0.1 * jitter[2], 1.15 + 0.2 * jitter[3])
    inner: tuple[tuple[float, float, float, float], ...] = ()
    if bounces == 1:  # a wall between ball and hole reaches nearly across
        ball, inner = (0.6 + 0.1 * jitter[2], 0.62 + 0.12 * jitter[3]), ((1.25, 0.0, 1.33, 1.05),)
    elif bounces == 2:  # two walls, one from either side
        ball = (0.55 + 0.1 * jitter[2], 0.58 + 0.1 * jitter[3])
        inner = ((0.95, 0.0, 1.03, 0.75), (1.55, 0.84, 1.63, 1.8))
    low, high = ((-1.1, 1.1), (0.8, 1.3), (1.05, 1.35))[bounces]
    return Course(
        ("minigolf", "minigolf-one-bounce", "minigolf-two-bounces")[bounces],
        ball,
        hole,
        (np.pi + low, np.pi + high),
        (2.2, 3.4) if bounces else (0.8, 2.6),
        inner=inner,
        bar=Bar((1.35, 0.9), 1.1, np.pi / 3 + jitter[0], 1.5) if bounces == 0 else None,
        smooth=bounces > 0,
        spread=0.1 if bounces else 0.2,
        run_up=(0.3, 0.42) if bounces == 2 else (0.28, 0.36),
    )


def play_on(course: Course, rolling: float | None = None) -> Problem:
    """The problem of holing the ball on a course. Who gives its floor another `rolling` says so, since the
    goal tells how far a ball will get."""
    x, y = course.hole
    half, bar, inside_cup, ball = CUP / 2, course.bar, course.cup, np.array(course.ball)
    cup = [
        (x - half, y - half - 0.03, x + half + 0.03, y - half),
        (x + half, y - half, x + half + 0.03, y + half),
        (x - half, y + half, x + half + 0.03, y + half + 0.03),
    ]
    boxes = [*make.frame(course.area), *course.inner, *cup]
    ground = _ground(course.area, inside_cup)
    parts = [ground, make.robot("robot"), make.ball("ball"), make.walls("walls", boxes)]
    bodies = [
        Body("floor", Role.STATIC, SMOOTH if course.smooth else CARPET, floor=True),
        Body("tray", Role.STATIC, LINING, floor=True),
        Body("robot", Role.CONTROLLED, make.ROBOT),
        Body("ball", Role.PASSIVE, GOLF_BALL),
        Body("walls", Role.STATIC, WOOD),
    ]
    watch = [("robot", "ball"), ("robot", "walls"), ("ball", "walls")]
    if bar is not None:
        parts.append(make.bar("bar", *bar.at, bar.length, 0.06))
        bodies.append(Body("bar", Role.FOREIGN, WOOD))
        watch += [("robot", "bar"), ("ball", "bar")]
    world = World(make.mjcf(*parts), bodies, watch)
    start = world.initial.copy()
    make.place(start, world, "robot", course.area[0] + 0.2, ball[1])
    make.place(start, world, "ball", *ball)
    if bar is not None:
        slot = world.slot("bar")
        start[slot.qpos], start[slot.qvel] = bar.angle, bar.rate

    obstacles = [world.pair("robot", name) for name in ("walls", *(["bar"] if bar is not None else []))]
    own, other = world.slot("robot"), world.slot("ball")
    rolling = (SMOOTH if course.smooth else CARPET).rolling if rolling is None else rolling
    slowing = 5 / 7 * rolling * make.GRAVITY / make.BALL_RADIUS
    swept = (0.0, 0.0, -1.0) if bar is None else (*bar.at, bar.length / 2 + make.BALL_RADIUS + 0.03)
    about = [other.qpos, other.qvel, own.qpos, *inside_cup, *ball]
    fair = Asked(_fair, [*about, len(obstacles), *obstacles])
    holed = Asked(_holed, about, lost=Asked(_short, [*about, slowing, *swept]))

    golfer = Tactic(
        "golfer",
        {
            "wait": Wait("robot", (0.0, 2.5) if bar is not None else (0.0, 0.1)),
            "position": PositionAt("robot", "ball", course.behind, course.run_up, speed=1.5, near=0.04),
            "putt": Putt(
                "robot",
                "ball",
                spread=course.spread,
                strength=course.strength,
                acceleration=12.0,
                still=0.5 * STILL,
            ),
        },
        {"wait": {"position": 1.0}, "position": {"putt": 1.0}},
        "wait",
    )
    tactics: tuple[Tactic, ...] = (golfer,)
    if bar is not None:
        tactics += (Tactic("bar", {"turn": KeepTurning("bar", bar.rate)}, {}, "turn"),)
    return Problem(
        name=course.name,
        world=world,
        start=start,
        tactics={"default": tactics},
        goal=holed,
        valid=fair,
        exploring=Exploring("robot", course.area, 2.0, 4.0),
        mu=150.0,
        horizon=20.0,
        ego="ball",
        show=("ball", "robot"),
        scenery=make.scenery(course.area, boxes, inside_cup),
    )


def _ground(area: tuple[float, float, float, float], cup: tuple[float, float, float, float]) -> str:
    """The ground around the cup, but for where no ball fits between its walls and the frame."""
    x0, y0, x1, y1 = area[0] - 0.1, area[1] - 0.1, area[2] + 0.1, area[3] + 0.1
    boxes = [(x0, y0, cup[0], y1), (cup[0], cup[3], x1, y1)]
    if cup[1] - area[1] > 4 * make.BALL_RADIUS:
        boxes.append((cup[0], y0, x1, cup[1]))
    if area[2] - cup[2] > WIDE:
        boxes.append((cup[2], cup[1], x1, cup[3]))
    return make.bed("floor", boxes, DEPTH)


@law
def _holed(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """The ball lies in the cup. Numbers: those of `_fair` up to where the ball lay."""
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    return _dropped(here, about) and _speed(here, about) < STILL


@law
def _fair(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """The robot keeps off walls, bar and cup; the ball lies at its start, rolls, or is in the hole.

    Numbers: where the ball's place and velocity and the robot's place begin, the cup, where the ball lay, how
    many collisions the robot may not have, and which.
    """
    _, here, touch, _, about = views(forces, row, touched, variables, numbers)
    off = not _in_cup(here, int(about[2]), about)
    for k in range(int(about[9])):
        off = off and not touch[int(about[10 + k])]
    return off and (_waits(here, about) or _speed(here, about) > SLOW or _dropped(here, about))


@law
def _short(forces: Any, row: Any, touched: Any, variables: Any, numbers: Any) -> bool:
    """The ball rolls, but comes neither to the mouth of the cup nor to the bar, which might give it a push.

    Rolling it gets no farther than with all the energy that it has; what slips has less of it left. Numbers:
    those of `_fair` up to where the ball lay, what slows it where it rolls, where the bar turns and how far
    it reaches, less than nothing without one.
    """
    _, here, _, _, about = views(forces, row, touched, variables, numbers)
    x, y, v = here[int(about[0])], here[int(about[0]) + 1], int(about[1])
    turning = here[v + 3] ** 2 + here[v + 4] ** 2 + here[v + 5] ** 2
    energy = 5 / 7 * _speed(here, about) ** 2 + 2 / 7 * turning * make.BALL_RADIUS**2
    reach = energy / (2 * about[9])
    to_mouth = np.hypot(x - about[3], max(about[4] - y, 0.0, y - about[6]))
    to_bar = np.hypot(x - about[10], y - about[11]) - about[12] if about[12] > 0.0 else np.inf
    return not (_waits(here, about) or _dropped(here, about) or reach > min(to_mouth, to_bar))


@inner
@kernel
def _in_cup(row: np.ndarray, at: int, about: np.ndarray) -> bool:
    return about[3] < row[at] < about[5] and about[4] < row[at + 1] < about[6]


@inner
@kernel
def _dropped(row: np.ndarray, about: np.ndarray) -> bool:
    """Whether the ball is below the ground, in the cup: it cannot roll out again."""
    ball = int(about[0])
    return _in_cup(row, ball, about) and row[ball + 2] < 0.0


@inner
@kernel
def _waits(row: np.ndarray, about: np.ndarray) -> bool:
    """Whether the ball lies where it lay."""
    ball = int(about[0])
    return bool(np.hypot(row[ball] - about[7], row[ball + 1] - about[8]) < 0.02)


@inner
@kernel
def _speed(row: np.ndarray, about: np.ndarray) -> float:
    v = int(about[1])
    return float(np.sqrt(row[v] ** 2 + row[v + 1] ** 2 + row[v + 2] ** 2))
