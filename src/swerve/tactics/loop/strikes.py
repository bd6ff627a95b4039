"""How a robot strikes a ball, measured in reality and not fitted: its rebound and its friction.

A robot drives into a ball at rest, head-on and off its middle. With the angle a between the robot's way and
the line of their middles, the masses M and m, its speed v, its rebound e and friction μ, the ball leaves with

    along  = (1 + e)·M/(M + m)·v·cos a      in that line, and
    across = min(μ·along, 2/7·v·sin a)      aside: it slides on the robot's skin, or until it rolls there.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..bodies import World
from .episodes import YARD, yard
from .pymunk_world import Carpet, PymunkReality
from .reality import Command
from .sense import Noise

SPEEDS = np.linspace(1.0, 2.8, 10)  # [m/s] of the robot
ASIDE = np.radians([25.0, 35.0, 45.0, 50.0, 55.0, 60.0])
BEFORE, AFTER = 8, 10  # frames from which speeds are taken
FRICTIONS = np.linspace(0.0, 1.0, 501)  # of which the likeliest is taken
STRUCK = 5.0  # standard deviations by which a ball must have moved to have been struck


def measured_strikes(random: np.random.Generator, carpet: Carpet = Carpet()) -> tuple[float, float]:
    """Rebound and friction of the ball at the robot, as ten strikes and as many aside show to the camera."""
    world = yard().world
    share = world.slot("robot").mass / (world.slot("robot").mass + world.slot("ball").mass)
    found = [_strike(world, carpet, random, speed, 0.0) for speed in SPEEDS]
    rebound = float(np.mean([along / before / share - 1 for before, along, _ in found]))
    aside = [(a, *_strike(world, carpet, random, speed, a)) for a in ASIDE for speed in (1.5, 2.2)]

    a, before, along, across = np.array(aside).T
    foreseen = np.minimum(np.outer(FRICTIONS, along), 2 / 7 * before * np.sin(a))
    errors = np.square((foreseen - across) / before).sum(axis=1)
    return rebound, float(FRICTIONS[int(np.argmin(errors))])


def with_strikes(parameters: Mapping[str, float], rebound: float, friction: float) -> dict[str, float]:
    """Parameters with which robot and ball strike so: the mean of both bodies' numbers is felt."""
    found = dict(parameters)
    for name, pair in (("restitution", rebound), ("friction", friction)):
        found[f"robot.{name}"] = float(np.clip(2 * pair - found.get(f"ball.{name}", pair), 0.0, 1.0))
    return found


def _strike(
    world: World, carpet: Carpet, random: np.random.Generator, speed: float, angle: float
) -> tuple[float, float, float]:
    """The robot's speed before a strike, and the ball's after it, along and across the line of middles."""
    ball, robot = world.slot("ball"), world.slot("robot")
    row, reach = world.initial.copy(), ball.radius + robot.radius
    row[ball.qpos : ball.qpos + 2] = 4.0, reach * np.sin(angle)
    row[robot.qpos : robot.qpos + 2] = 2.5, 0.0
    reality = PymunkReality(world, YARD, row, carpet)
    seen: list[np.ndarray] = []
    while len(seen) < 200 and np.hypot(*(reality.row[ball.qpos :][:2] - row[ball.qpos :][:2])) < 1.2:
        places = np.concatenate([reality.row[robot.qpos :][:2], reality.row[ball.qpos :][:2]])
        seen.append(places + Noise().place * random.standard_normal(4))
        reality.step({"robot": Command(float(speed))})
    ways = np.array(seen)
    gone = np.hypot(*(ways[:, 2:] - row[ball.qpos :][:2]).T)
    hit = int(np.argmax(gone > STRUCK * Noise().place))
    before = np.polyfit(np.arange(BEFORE), ways[hit - BEFORE - 1 : hit - 1, 0], 1)[0]
    after = np.polyfit(np.arange(AFTER), ways[hit + 1 : hit + 1 + AFTER, 2:], 2)
    struck = 2 * after[0] * -1.5 + after[1]  # speeds a frame and a half earlier, at the strike
    line = np.array([np.cos(angle), np.sin(angle)])
    return float(before), float(struck @ line), float(struck @ (line[1], -line[0]))
