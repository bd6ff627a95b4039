"""How fast a course can be ridden: by what the body has been seen to corner at, brake and push.

Where a course bends by κ [1/m] a rider at v needs v²·κ sideways. What a body sustains without falling was
measured when its map was built. Speeds are lowered ahead of a bend as far as brakes allow, and raised behind
it as legs do. A bend that is too tight for the slowest speed the body can ride at cannot be ridden at all.

A body comes to the speed it is told by and by. What it is told therefore runs ahead of what it should have,
by as much as the plan's own change of speed makes it lag behind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..maps.mobility import MobilityMap
from .curves import SPACING, Course

USED = 0.6  # share of the sideways acceleration that was sustained which is planned with
HELD = 0.9  # share of it beyond which riders are carried out of a bend by more than half a metre
BRAKED = 0.6  # share of the braking that was measured which is planned with
SLOWEST = 0.6  # share of the slowest speed that was tried below which nobody is told to be: it would stop
SMOOTH = 2.0  # [m] over which bends are averaged: a body is longer than that


@dataclass(frozen=True)
class Pace:
    """`speed` (m,) [m/s] at the points of a course, `told` (m,) [m/s] what makes a body have it there;
    `infeasible` says why it cannot be ridden, or is None."""

    speed: np.ndarray
    told: np.ndarray
    infeasible: str | None


def plan_pace(course: Course, map_: MobilityMap, top: float | None = None) -> Pace:
    """Speeds along `course` of a body with that map, at most `top` [m/s], by default its nominal speed."""
    top = map_.speed if top is None else top
    bend = smoothed(np.abs(course.curvature), course.closed)
    grip = USED * map_.cornering
    slow = float(map_.speeds[0])
    tight = HELD * map_.cornering[0] / slow**2
    infeasible = None
    if bend.max() > tight:
        at = int(np.argmax(bend))
        infeasible = (
            f"at {course.station[at]:.0f} m it bends with a radius of {1 / bend[at]:.1f} m; the "
            f"{map_.name} rides {1 / tight:.1f} m at the tightest, at {slow:g} m/s"
        )
    # v²·κ ≤ grip(v), solved on a fine grid of speeds
    grid = np.linspace(slow, max(top, slow), 60)
    able = np.interp(grid, map_.speeds, grip) / grid**2
    able = np.minimum.accumulate(able)
    allowed = np.interp(-bend, -able, grid, left=slow, right=max(top, slow))
    brake = BRAKED * np.interp(allowed, map_.speeds, map_.pacing[:, 1])
    push = np.interp(allowed, map_.speeds, map_.pacing[:, 0])
    speed = _reachable(allowed, brake, push, course.closed)
    lag = 1.0 / np.interp(speed, map_.speeds, map_.pacing[:, 2])
    told = speed + lag * speed * np.gradient(speed, SPACING)
    return Pace(speed, np.clip(told, SLOWEST * slow, max(top, slow)), infeasible)


def smoothed(values: np.ndarray, closed: bool) -> np.ndarray:
    """A running mean over `SMOOTH` metres."""
    half = max(round(SMOOTH / SPACING / 2), 1)
    padded = np.pad(values, half, mode="wrap" if closed else "edge")
    kernel = np.ones(2 * half + 1) / (2 * half + 1)
    return np.convolve(padded, kernel, mode="valid")


def _reachable(allowed: np.ndarray, brake: np.ndarray, push: np.ndarray, closed: bool) -> np.ndarray:
    """Lower the speeds so that each can be braked and pushed to from the one before."""
    square = allowed**2
    for _ in range(2 if closed else 1):
        for k in range(len(square) - 2, -1, -1):
            square[k] = min(square[k], square[k + 1] + 2 * brake[k] * SPACING)
        if closed:
            square[-1] = min(square[-1], square[0] + 2 * brake[-1] * SPACING)
        for k in range(1, len(square)):
            square[k] = min(square[k], square[k - 1] + 2 * push[k] * SPACING)
        if closed:
            square[0] = min(square[0], square[-1] + 2 * push[0] * SPACING)
    return np.sqrt(square)
