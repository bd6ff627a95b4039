"""Minigolf in the loop: one putt a trial, and the ball must lie in the hole at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from swerve.core.seeding import generator

from ..domains.minigolf import Bar, Course, lay, play_on
from ..plan import SolveOptions
from ..problem import Problem
from .frames import Loop
from .golfer import LOOKING, THINKING, Golfer
from .play import PlayOptions, Trial
from .pymunk_world import PymunkReality
from .reality import FRAME, Drive, MujocoReality, Reality, Will, with_materials
from .safest import USUAL
from .sense import Noise, reached

BOUNCES = {"minigolf": 0, "minigolf-one-bounce": 1, "minigolf-two-bounces": 2}
LONGEST = 30.0  # [s] of a trial
PUTTING = Drive(acceleration=14.0)  # of the robot
FIDELITY = "both"
RESTING = 0.005  # [m/s] of a ball that lies
OTHER = {  # materials of the MuJoCo reality
    "ball": {"restitution": 0.82, "friction": 0.1},
    "walls": {"friction": 0.1},
    "floor": {"friction": 0.3, "rolling": 0.0008},
}


def trial(game: str, options: PlayOptions, seed: int) -> Trial:
    """The course of that seed; another shot of the same course has another seed: see `shot`."""
    return shot(lay(seed, BOUNCES[game]), options, seed)


def shot(course: Course, options: PlayOptions, seed: int) -> Trial:
    """One putt on a course."""
    problem = planners(course, options)
    reality = world_of(course, options, seed)
    random = generator(seed, "golfer")
    golfer = Golfer(
        problem,
        seed,
        options.planner,
        SolveOptions(nodes=options.nodes, fidelity=options.fidelity or FIDELITY),
        options.driven or "state",
        (options.rate_noise or 0.0) * random.standard_normal(),
        options.scatter or USUAL,
    )
    noise = Noise().times(options.noise)
    loop = Loop(problem, reality, (golfer,), generator(seed, "camera"), noise, options.latency, PUTTING)
    slot = problem.world.slot("ball")
    against = [k for k, pair in enumerate(problem.world.watch) if "robot" in pair and "ball" not in pair]
    hit, last = False, round(LONGEST / FRAME)
    for frame in range(last):
        loop.frame()
        hit |= bool(reality.touched[against].any())
        still = float(np.hypot(*reality.row[slot.qvel : slot.qvel + 2])) < RESTING
        if golfer.gave_up or (golfer.over and still and frame > LOOKING + THINKING):
            break
    loop.end()
    stats = golfer.plan.stats if golfer.plan is not None else {}
    engine, planar = stats.get("engine_seconds", 0.0), stats.get("planar_seconds", 0.0)
    return Trial(reached(problem, reality.row), loop.log, problem, 1, int(hit), engine, planar)


def bar_course(distance: float, period: float, seed: int = 0) -> Course:
    """A straight course, `distance` metres to the hole, past a bar that turns once in `period` seconds."""
    random = generator(seed, "bar course")
    ball = (0.6, 0.9 + 0.05 * random.standard_normal())
    return Course(
        "minigolf",
        ball,
        (ball[0] + distance, 0.9),
        (np.pi - 0.25, np.pi + 0.25),
        (0.8, 2.0),
        area=(0.0, 0.0, ball[0] + distance + 0.4, 1.8),
        bar=Bar((ball[0] + 0.5 * distance, 1.15), 0.9, float(random.uniform(0, np.pi)), 2 * np.pi / period),
        spread=0.1,
    )


def check_parameters(game: str, values: Mapping[str, float], seed: int, where: str) -> None:
    """Refuse materials that a course of that game does not have; `where` says who gave them."""
    with_materials(play_on(lay(seed, BOUNCES[game])).world, values, where)


def planners(course: Course, options: PlayOptions) -> Problem:
    """The problem as the planner sees it."""
    problem = play_on(course, (options.parameters or {}).get("floor.rolling"))
    if options.parameters:
        problem = replace(problem, world=with_materials(problem.world, options.parameters))
    return problem


def world_of(course: Course, options: PlayOptions, seed: int) -> Reality:
    """A fresh reality of a course."""
    problem = play_on(course)
    if options.reality == "mujoco":
        turning = () if course.bar is None else (_turning(problem, course.bar.rate),)
        return MujocoReality(
            problem.world, problem.start, generator(seed, "reality"), OTHER, PUTTING, wills=turning
        )
    return PymunkReality(problem.world, course, problem.start, drive=PUTTING)


def fresh(game: str, options: PlayOptions, seed: int) -> Reality:
    """The reality of a trial as it begins."""
    return world_of(lay(seed, BOUNCES[game]), options, seed)


def _turning(problem: Problem, rate: float) -> Will:
    """A motor that keeps the bar turning."""
    slot = problem.world.slot("bar")

    def will(t: float, row: np.ndarray, forces: np.ndarray) -> None:
        forces[slot.dof] += (rate - row[slot.qvel]) * slot.inertia / FRAME

    return will
