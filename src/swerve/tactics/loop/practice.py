"""How planned putts come out, practised in reality before anything is played for.

What a robot is told it does late and not quite: it meets the ball a little slower or faster than was planned
and a little aside, and so leaves the ball. A few putts of a plan each, on a carpet without anything in the
way, show how much the ball gets of what was planned, on average and from putt to putt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from swerve.core.geometry import wrap
from swerve.core.seeding import generator
from swerve.core.sweep import sweep

from ..domains.conditions import Condition
from ..domains.lawful import test_of
from ..domains.minigolf import Course
from ..plan import SolveOptions
from .frames import Loop
from .golf import FIDELITY, PUTTING, planners, world_of
from .golfer import Golfer
from .play import PlayOptions
from .safest import Scatter
from .sense import Noise
from .strikes import measured_strikes, with_strikes

PUTTS = 32
FEWEST = 3  # strikes from which one can tell how they scatter
COURSE = Course(
    "minigolf-practice",
    (3.0, 3.0),
    (7.4, 0.5),
    (np.pi - 1.1, np.pi + 1.1),
    (2.2, 3.4),
    area=(1.8, 0.0, 8.0, 6.0),
    smooth=True,
    spread=0.1,
    run_up=(0.28, 0.42),
)
GONE = 0.8  # [m] that the ball has rolled when a putt has been seen
STRUCK = 0.015  # [m] by which a ball must have moved to have been struck: ten standard deviations
SEEN = 8  # frames in which it is watched then
LONGEST = 600  # frames of a putt


def measured(parameters: Mapping[str, float], seed: int = 0) -> tuple[dict[str, float], Scatter | None]:
    """The parameters with the robot's own strike as it is measured and practised, and how strikes scatter;
    None where too few of them could be practised."""
    struck = measured_strikes(generator(seed, "strikes"))
    return with_practice(with_strikes(parameters, *struck), seed)


def with_practice(parameters: Mapping[str, float], seed: int = 0) -> tuple[dict[str, float], Scatter | None]:
    """The parameters with what makes planned strikes come out as planned on average, and how they scatter.

    Strikes of a robot with rebound e that give the ball f times the planned speed have a rebound of
    (1 + e)·f − 1 in effect; of what no robot's number can make so, the rest stays a factor. Where practice
    tells nothing, the parameters stay as they are.
    """
    found = practised(parameters, seed)
    if found is None:
        return dict(parameters), None
    ball, robot = (parameters[f"{body}.restitution"] for body in ("ball", "robot"))
    rebound = (1 + 0.5 * (ball + robot)) * found.factor - 1
    needed = 2 * rebound - ball
    possible = float(np.clip(needed, 0.0, 1.0))
    left = 1.0 if possible == needed else (1 + rebound) / (1 + 0.5 * (ball + possible))
    return {**parameters, "robot.restitution": possible}, replace(found, factor=float(left))


def practised(parameters: Mapping[str, float], seed: int = 0, putts: int = PUTTS) -> Scatter | None:
    """What comes of putts that are planned with these materials; None where there are too few, as with a
    ball that hardly rolls in the model."""
    seeds = range(1000 * seed, 1000 * seed + putts)
    done = sweep(partial(_putt, PlayOptions(parameters=dict(parameters))), seeds, "practising")
    ways = [way for way in done if way is not None]
    if len(ways) < FEWEST:
        return None
    planned, seen = np.array(ways).transpose(1, 0, 2)
    factors = np.hypot(*seen.T) / np.hypot(*planned.T)
    turned = wrap(np.arctan2(*seen.T[::-1]) - np.arctan2(*planned.T[::-1]))
    return Scatter(float(factors.mean()), float(factors.std(ddof=1)), float(np.sqrt(np.mean(turned**2))))


class _Beginner(Golfer):
    """Plays the first putt that it finds, whatever it is like."""

    solutions = 1


def _putt(options: PlayOptions, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The ball's velocity [m a frame] (2,) after a strike, as planned and as seen; None without a strike."""
    problem = planners(COURSE, options)
    here = Condition.model_validate({"body": "ball", "near": COURSE.ball, "within": GONE})
    problem = replace(problem, goal=test_of([Condition.model_validate({"not": here})], problem.world))
    golfer = _Beginner(problem, seed, options=SolveOptions(fidelity=FIDELITY))
    random = generator(seed, "camera")
    loop = Loop(
        problem, world_of(COURSE, options, seed), (golfer,), random, Noise(), options.latency, PUTTING
    )
    slot = problem.world.slot("ball")
    seen: list[np.ndarray] = []
    while len(seen) < LONGEST and not golfer.gave_up:
        loop.frame()
        place = loop.reality.row[slot.qpos : slot.qpos + 2]
        seen.append(place + Noise().place * random.standard_normal(2))
        if np.hypot(*(place - COURSE.ball)) > GONE:
            break
    if golfer.plan is None or golfer.gave_up:
        return None
    left = [_left(way) for way in (golfer.plan.rows[:, slot.qpos : slot.qpos + 2], np.array(seen))]
    return None if left[0] is None or left[1] is None else (left[0], left[1])


def _left(places: np.ndarray) -> np.ndarray | None:
    """The velocity [m a frame] with which a ball leaves; places (n, 2) at frames."""
    gone = np.hypot(*(places - COURSE.ball).T) > STRUCK
    first = int(np.argmax(gone)) + 1
    if not gone.any() or first + SEEN > len(places):
        return None
    found: np.ndarray = np.polyfit(np.arange(SEEN), places[first : first + SEEN], 1)[0]
    return found
