"""A drill: one attack, staged anew from every seed, to compare attackers in the same situations.

Blue's robot 1 has the ball somewhere about the middle of the field or beyond, mates and opponents stand
about, both keepers are at home. It ends with a goal, a stop, the ball lost to blue's half, or when the time
is over.

>>> staged = stage(load_field("division-b"), 3)
>>> staged.robots.shape, bool(np.hypot(*(staged.robots[1, :2] - staged.ball)) < 0.1)
((12, 6), True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swerve.core.seeding import generator

from .game import Match
from .match.ball import stopping_distance
from .match.field import Field, load_field
from .match.model import BVX, BVY, FRAME, HELD, X, Y, Z
from .match.referee import State
from .match.sight import Sight, Tracker
from .team.plays import Playbook
from .team.team import Team
from .watch import Watching

APART = 0.4  # [m] between robots at the start
HOME = -1.0  # [m] beyond which a ball that they touched is lost
LEAST = 1.0  # [s] before it can be
RIGS = 4  # rigs of cameras that drills by eyes take turns with: to hang and calibrate one takes seconds


@dataclass(frozen=True)
class Staged:
    """How a drill begins: robots (2n, 6) and the ball (2,)."""

    robots: np.ndarray
    ball: np.ndarray


@dataclass(frozen=True)
class Attack:
    """How it ended: blue's goals (0 or 1), yellow's, in a word, and after how long [s]; blue's kicks, those
    of them that would have gone in by themselves, and the share of the time in which it had the ball."""

    goals: int
    against: int
    ended: str
    seconds: float
    kicks: int = 0
    on_goal: int = 0
    had: float = 0.0


def stage(field: Field, seed: int) -> Staged:
    """Random places on a field of six a side, as shares of it on others."""
    random, n = generator(seed, "drill"), field.robots
    scale = np.array([field.length / 9.0, field.width / 6.0])
    robots = np.zeros((2 * n, 6))
    ours, theirs = ((-2.0, -2.5), (3.0, 2.5)), ((0.5, -2.0), (3.2, 2.0))
    robots[1:n, :2] = random.uniform(*ours, (n - 1, 2)) * scale
    robots[n + 1 :, :2] = random.uniform(*theirs, (n - 1, 2)) * scale
    robots[0, :2], robots[n, :3] = (0.2 - field.length / 2, 0.0), (field.length / 2 - 0.2, 0.0, np.pi)
    heading = random.uniform(-1.5, 1.5)
    ball = random.uniform((-0.5, -2.0), (2.5, 2.0)) * scale
    robots[1, :3] = ball[0] - HELD * np.cos(heading), ball[1] - HELD * np.sin(heading), heading
    for _ in range(200):
        gaps = np.hypot(*(robots[:, None, :2] - robots[None, :, :2]).T) + np.eye(2 * n)
        near = [i for i in np.argwhere(gaps < APART).ravel() if i not in (0, 1, n)]
        if not near:
            break
        low = -2.0 if near[0] < n else 0.5
        robots[near[0], :2] = random.uniform((low, -2.5), (3.2, 2.5)) * scale
    return Staged(robots, ball)


def attack(
    blue: Playbook,
    yellow: Playbook,
    seed: int,
    place: str = "division-b",
    seconds: float = 10.0,
    sight: Sight = Sight(),
    eyes: bool = False,
    watch: Callable[[Match, np.ndarray, np.ndarray], None] | None = None,
) -> Attack:
    """Play one drill, with sight as good as told or by `eyes`: what cameras above the field see. `watch` is
    told what is believed in every frame, see `Match`."""
    field = load_field(place)
    sides = Team(blue, field, 0, seed), Team(yellow, field, 1, seed)
    match = Match(field, sides, 600.0, sight, seed, tracker=Watching if eyes else Tracker)
    if isinstance(match.tracker, Watching):
        match.tracker.hung = seed % RIGS
    match.watch = watch
    begin = stage(field, seed)
    world, referee = match.world, match.referee
    world.robots[0] = begin.robots
    world.place_ball(*begin.ball)
    referee.state = State.RUNNING
    referee.rules.start(world, None)
    referee.rules.last = 1
    ended, kicks, on_goal = "time", 0, 0
    for _ in range(round(seconds / FRAME)):
        match.frame()
        if match.log.kicks[0] > kicks:
            kicks = match.log.kicks[0]
            on_goal += goes_in(field, world.ball[0])
        if referee.state is not State.RUNNING:
            ended = referee.events[-1].what
            break
        if referee.t > LEAST and referee.rules.last >= field.robots and world.ball[0, 0] < HOME:
            ended = "lost"
            break
    had = match.log.possession[0]
    return Attack(referee.score[0], referee.score[1], ended, referee.t, kicks, on_goal, had)


def goes_in(field: Field, ball: np.ndarray) -> bool:
    """Whether a ball (8,) that rolls would end in yellow's goal, if nobody were in its way.

    >>> goes_in(load_field("seed"), np.array([0.0, 0.0, 0.0, 4.0, 0.1, 0.0, 0.0, 0.0]))
    True
    """
    left, speed = field.length / 2 - ball[X], float(np.hypot(ball[BVX], ball[BVY]))
    if ball[BVX] <= 0 or left <= 0 or ball[Z] > 0:
        return False
    far = left * speed / ball[BVX]
    at = ball[Y] + left * ball[BVY] / ball[BVX]
    return bool(abs(at) < field.goal_width / 2 and far < stopping_distance(speed))
