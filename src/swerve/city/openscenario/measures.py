"""Distances between entities and places, as conditions and actions of a storyboard mean them."""

from __future__ import annotations

import numpy as np

from swerve.core.boxes import gap_between as box_gap

from .actors import Actor, Place
from .stage import Stage


def gap_between(
    stage: Stage, one: Actor, other: Actor, way: str, free: bool, system: str = "entity"
) -> float | None:
    """[m] from one entity to another; None where one of them is not there.

    `way` is longitudinal (positive: ahead), lateral (positive: left) or cartesianDistance; `free` between the
    outlines instead of the reference points; `system` is entity, or road and lane, which count along roads.
    """
    if one.place is None or other.place is None:
        return None
    if way in ("cartesianDistance", "euclidianDistance", "euclideanDistance"):
        return _apart(one, other) if free else float(
            np.hypot(other.place.x - one.place.x, other.place.y - one.place.y)
        )  # fmt: skip
    value = gap_to(stage, one, other.place, way, system)
    if value is None or not free:
        return value
    if way == "lateral":
        room = (one.outline[1] + other.outline[1]) / 2
        return float(np.sign(value) * max(abs(value) - room, 0.0))
    value += other.ahead - one.ahead
    room = (one.outline[0] + other.outline[0]) / 2
    return float(np.sign(value) * max(abs(value) - room, 0.0))


def gap_to(stage: Stage, one: Actor, goal: Place, way: str, system: str = "entity") -> float | None:
    """The same to a place."""
    at = one.here
    dx, dy = goal.x - at.x, goal.y - at.y
    if way in ("cartesianDistance", "euclidianDistance", "euclideanDistance"):
        return float(np.hypot(dx, dy))
    if system in ("road", "lane", "trajectory") and at.road and goal.road:
        if way == "lateral":
            here = stage.roads.middle(at.road, at.lane, at.s) + at.offset
            there = stage.roads.middle(goal.road, goal.lane, goal.s) + goal.offset
            return (there - here) * (1.0 if at.forward else -1.0)
        ahead = stage.roads.distance(at.road, at.s, at.forward, goal.road, goal.s)
        if ahead is None:
            back = stage.roads.distance(at.road, at.s, not at.forward, goal.road, goal.s)
            return None if back is None else -back
        return ahead
    c, s = np.cos(at.heading), np.sin(at.heading)
    return float(dx * c + dy * s) if way == "longitudinal" else float(dy * c - dx * s)


def _apart(one: Actor, other: Actor) -> float:
    """[m] between two outlines from above; 0 where they overlap."""
    rows = [np.array([*actor.middle, 0.0, actor.here.heading, 0.0, 0.0]) for actor in (one, other)]
    halves = [np.array(actor.outline) / 2 for actor in (one, other)]
    return float(box_gap(rows[0], halves[0], False, rows[1], halves[1], False))
