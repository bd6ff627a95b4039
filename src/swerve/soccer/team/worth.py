"""What the ball is worth where a future ends, and whether it has ended."""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import bare, kernel

from ..match.field import AREA_DEPTH, AREA_HALF, GOAL_HALF, GOAL_HEIGHT, HALF_LENGTH, HALF_WIDTH
from ..match.model import BALL_RADIUS, ROBOT_RADIUS, X, Y, Z
from .frame import opening

GOAL, OUT = 1.0, 0.05  # what ends are worth: a goal, a ball behind their line
# What the ball is worth where it is: goals within eight seconds less those of the others, as counted in eight
# matches of five minutes against `reactive`. Having it counts for more than the 0.045 that were counted then:
# a side that knows what it has keeps the ball, and lets it go only for something better.
TERRITORY = 0.27  # share of half the field, over which it turns from theirs to ours
OURS, THEIRS, SIDE = 0.12, 0.0, 0.06  # in the middle, and what either end adds or takes away
FREE_GOAL, FREE_ANGLE = 0.25, 0.25  # and what a free angle of so many [rad] on their goal adds
# To a mate who is passed to a free goal is worth more: of 178 passes that arrived where less than 0.08 rad
# was free, 22 in a hundred led to a goal before the attack was over, of 156 others 47.
MATES_GOAL, MATES_ANGLE = 0.3, 0.14
DANGER, NEAR = 0.3, 2.5  # what a ball lost at our goal costs more, and how near [m] that begins
HURRY = 0.15  # that a goal is worth less each second it takes
SAVED = 0.02  # a shot that must be saved is something
NEAREST_SAFE, PRESSED = 0.2, 0.8  # [m] from an opponent, where holding the ball is not safe


@bare
def _ground(field: np.ndarray, x: float) -> float:
    """What the place of the ball adds, whoever has it."""
    return SIDE * np.tanh(x / (TERRITORY * field[HALF_LENGTH]))


@bare
def _worth(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """Of having the ball somewhere."""
    angle, _ = opening(robots, field, x, y)
    return OURS + _ground(field, x) + FREE_GOAL * min(angle / FREE_ANGLE, 1.0)


@bare
def lost(field: np.ndarray, x: float, y: float) -> float:
    """Of their having it there."""
    near = max(0.0, 1 - np.hypot(x + field[HALF_LENGTH], y) / NEAR)
    return THEIRS + _ground(field, x) - DANGER * near


@bare
def received(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """Of a pass that gets to a mate there, those that do not stop it counted in."""
    angle, _ = opening(robots, field, x, y)
    return OURS + _ground(field, x) + MATES_GOAL * min(angle / MATES_ANGLE, 1.0)


@bare
def ended(
    robots: np.ndarray, ball: np.ndarray, field: np.ndarray, touched: np.ndarray, air: bool, t: float
) -> tuple[bool, float]:
    """Whether it is over, and what that is worth: a goal, the ball out, or theirs."""
    n, x, y = robots.shape[1] // 2, ball[0, X], ball[0, Y]
    if abs(x) > field[HALF_LENGTH] + BALL_RADIUS:
        inside = abs(y) < field[GOAL_HALF] - 0.01 and ball[0, Z] < field[GOAL_HEIGHT]
        if inside and (not air or x < 0):  # a goal through the air does not count
            return True, (GOAL - HURRY * t if x > 0 else -GOAL)
        return True, (OUT if x > 0 else lost(field, x, y))
    if abs(y) > field[HALF_WIDTH] + BALL_RADIUS:
        return True, lost(field, x, y)
    for i in range(n, 2 * n):
        if touched[0, i] and ball[0, Z] < 0.1:
            return True, lost(field, x, y) + (SAVED if i == n else 0.0)
    return False, 0.0


@bare
def fouled(robots: np.ndarray, field: np.ndarray, who: int, off: float) -> bool:
    """Whether our attacker has got into a defence area with the ball, or is less than `off` outside."""
    deep = abs(robots[0, who, X]) > field[HALF_LENGTH] - field[AREA_DEPTH] - ROBOT_RADIUS - off
    return who > 0 and deep and abs(robots[0, who, Y]) < field[AREA_HALF] + ROBOT_RADIUS + off


@bare
def held(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """A ball that our attacker still has: worth less the nearer an opponent is."""
    n = robots.shape[1] // 2
    nearest = np.inf
    for j in range(n, 2 * n):
        nearest = min(nearest, np.hypot(robots[0, j, X] - x, robots[0, j, Y] - y))
    safe = min(max((nearest - NEAREST_SAFE) / PRESSED, 0.0), 1.0)
    return safe * _worth(robots[0], field, x, y) + (1 - safe) * lost(field, x, y)


@bare
def loose(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """A ball that nobody has: whoever is nearer will have it."""
    n = robots.shape[1] // 2
    ours, theirs = np.inf, np.inf
    for i in range(n):
        ours = min(ours, np.hypot(robots[0, i, X] - x, robots[0, i, Y] - y))
        theirs = min(theirs, np.hypot(robots[0, n + i, X] - x, robots[0, n + i, Y] - y))
    share = min(max(0.5 + 0.7 * (theirs - ours), 0.05), 0.9)
    return share * _worth(robots[0], field, x, y) + (1 - share) * lost(field, x, y)


@kernel
def worth_of_having(robots: np.ndarray, field: np.ndarray, x: float, y: float) -> float:
    """Of stopping the ball somewhere, as in the futures."""
    return received(robots, field, x, y)
