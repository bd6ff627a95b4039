"""Minigolf courses that are built with the mouse: checked, and made into a `Course`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from swerve.core.errors import BadInput
from swerve.tactics.domains.minigolf import CUP, Bar, Course, lay

BOUNCES = {"minigolf": 0, "minigolf-one-bounce": 1, "minigolf-two-bounces": 2}
LONGEST, LEAST_WALL, MOST_WALLS = 6.0, 0.04, 20  # [m] of a side, [m] of a wall, walls
EDGE = 0.1  # [m] from the frame to the ball
FREE = (0.0, 2 * np.pi)  # [rad] round the ball: on a new course any side may be the right one
STRENGTH = (0.8, 3.4)  # [m/s]


def drawn(given: object, domain: str) -> Course:
    """The course that a page drew: `ball` and `hole` x, y; `walls` x0, y0, x1, y1; `bar` x, y, or None; all
    [m]. What it leaves out is as in the domain."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise BadInput("course", None, "is not JSON") from error
    if not isinstance(given, Mapping):
        raise BadInput("course", None, "must have ball, hole, walls and bar")
    plain = lay(0, BOUNCES[domain])
    width, depth = _numbers(given.get("size") or plain.area[2:], 2, "size", 0.8, LONGEST)
    half = CUP / 2 + 0.04
    ball = _within("ball", given.get("ball", plain.ball), (EDGE, EDGE, width - EDGE, depth - EDGE))
    hole = _within("hole", given.get("hole", plain.hole), (half, half, width - half, depth - half))
    walls = given.get("walls", plain.inner)
    if not isinstance(walls, (list, tuple)) or len(walls) > MOST_WALLS:
        raise BadInput("walls", None, f"must be a list of at most {MOST_WALLS}")
    inner = tuple(_wall(one, width, depth, ball) for one in walls)
    if max(abs(ball[0] - hole[0]), abs(ball[1] - hole[1])) < half:
        raise BadInput("ball", ball, "lies in the hole")
    bar = given.get("bar", None if plain.bar is None else plain.bar.at)
    turning = None
    if bar is not None:
        model = plain.bar or Bar((0.0, 0.0), 1.1, np.pi / 3, 1.5)
        turning = replace(model, at=_within("bar", bar, (0.0, 0.0, width, depth)))
    return replace(
        plain, name="minigolf, built by hand", ball=ball, hole=hole, area=(0.0, 0.0, width, depth),
        inner=inner, bar=turning, behind=FREE, strength=STRENGTH, spread=0.2, run_up=(0.28, 0.36),
    )  # fmt: skip


def told(course: Course) -> dict[str, Any]:
    """The course as the page knows it."""
    return {
        "size": list(course.area[2:]),
        "ball": [float(v) for v in course.ball],
        "hole": [float(v) for v in course.hole],
        "walls": [list(wall) for wall in course.inner],
        "bar": None if course.bar is None else list(course.bar.at),
    }


def _numbers(given: object, count: int, name: str, low: float, high: float) -> tuple[float, ...]:
    good = isinstance(given, (list, tuple)) and len(given) == count
    values = list(given) if isinstance(given, (list, tuple)) else []
    good = good and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    if not good or not all(low <= v <= high for v in values):
        raise BadInput(name, None, f"must be {count} numbers between {low:g} and {high:g}")
    return tuple(float(v) for v in values)


def _within(name: str, given: object, box: tuple[float, float, float, float]) -> tuple[float, float]:
    """A place, moved into a box."""
    x, y = _numbers(given, 2, name, -LONGEST, 2 * LONGEST)
    return float(np.clip(x, box[0], box[2])), float(np.clip(y, box[1], box[3]))


def _wall(
    given: object, width: float, depth: float, ball: tuple[float, float]
) -> tuple[float, float, float, float]:
    a, b, c, d = _numbers(given, 4, "wall", -LONGEST, 2 * LONGEST)
    x0, x1 = np.clip([min(a, c), max(a, c)], 0.0, width)
    y0, y1 = np.clip([min(b, d), max(b, d)], 0.0, depth)
    x1, y1 = max(x1, x0 + LEAST_WALL), max(y1, y0 + LEAST_WALL)
    if x0 - EDGE / 2 < ball[0] < x1 + EDGE / 2 and y0 - EDGE / 2 < ball[1] < y1 + EDGE / 2:
        raise BadInput("wall", None, "lies on the ball")
    return float(x0), float(y0), float(x1), float(y1)
