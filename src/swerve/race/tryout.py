"""Trying out what a driver may do next: whole futures, simulated from where the car really is.

A future moves over to one side of the line at some share of its speeds, and later comes back to it. Each is
driven by the car's own physics, held against the walls and against where the others will be, and ends where
it would touch something.
"""

from __future__ import annotations

import numpy as np

from swerve.core.broadphase import box_hits_walls
from swerve.core.geometry import box_gap
from swerve.core.kernels import kernel

from .line_hold import frame_on, hands, locate, moved_over

LOOK = 1  # frames from one look at the walls and the others to the next
NODE = 2  # frames of a future that count as a node of the search
AWAY = 0.25  # [m] at most that a driver who doubts keeps further from walls ahead
SURE = 62  # [frames] after which a prediction gets no less sure
TOUCHED, ENDED, CLEAR = 0, 1, 2


@kernel
def try_all(
    choices: np.ndarray,
    start: np.ndarray,
    steer: float,
    at: float,
    aside: float,
    frames: int,
    end: float,
    table: np.ndarray,
    slow: np.ndarray,
    p: np.ndarray,
    walls: tuple,
    over: np.ndarray,
    half: np.ndarray,
    others: np.ndarray,
    first: int,
    sizes: np.ndarray,
    growth: np.ndarray,
    limit: int,
    out: np.ndarray,
) -> int:
    """Try futures `choices` (n, 4) in turn: metres beside the line, share of its speeds, frames for which
    that holds, metres beside the line afterwards. Fills `out` (n, 4): how it ended, in which frame,
    the point of the line reached, and the least gap to another. Returns the nodes it took, `limit` at most.
    What comes behind point `end` of the line, the wall behind the finish, is of no account.

    `walls` are those of the two levels of the road, `over` (points,) tells which holds where;
    `half` (5,) half length and width of the car, what it keeps from walls and others [m], and by how much
    more from walls with every frame ahead;
    `others` (m, frames, 4) poses from the run's
    frame `first` on; `sizes` (m, 2) half outlines; `growth` (m, 2) [m/frame] by which those may be off ahead.
    """
    nodes = 0
    wheelbase = 0.5 * (p[5] + p[6])
    for n in range(len(choices)):
        out[n, 0] = -1.0
        if nodes >= limit:
            continue
        wanted, factor, until, later = choices[n]
        s, angle, where, beside = start.copy(), steer, at, aside
        how, frame, gap = CLEAR, 0, np.inf
        for f in range(frames):
            now = f < until
            speed = np.hypot(s[3], s[4])
            beside = moved_over(beside, wanted if now else later, speed, table, where)
            angle, drive = hands(s, angle, table, slow, where, beside, factor if now else 1.0, wheelbase)
            frame_on(s, angle, drive, p)
            where, _ = locate(s[0], s[1], table, where)
            frame = f + 1
            nodes += 1 if frame % NODE == 0 else 0
            if where >= end:
                how = ENDED
                break
            if frame % LOOK == 0:
                level = walls[1] if over[int(where)] else walls[0]
                gap = min(gap, _room(s, frame, level, half, others, first, sizes, growth))
                if gap <= half[3]:
                    how = TOUCHED
                    break
        out[n, 0], out[n, 1], out[n, 2], out[n, 3] = how, frame, where, gap
    return nodes


@kernel
def _room(
    s: np.ndarray,
    frame: int,
    walls: tuple,
    half: np.ndarray,
    others: np.ndarray,
    first: int,
    sizes: np.ndarray,
    growth: np.ndarray,
) -> float:
    """The least gap [m] to another, 0 where a wall is touched; gaps above a few metres are not told."""
    segments, start, items, _, grid = walls
    c, sn = np.cos(s[2]), np.sin(s[2])
    keep = half[2] + min(AWAY, half[4] * frame)
    a, b = half[0] + keep, half[1] + keep
    if box_hits_walls(s[0], s[1], c, sn, a, b, s[0], s[1], np.hypot(a, b), segments, start, items, grid):
        return 0.0
    least = np.inf
    last = others.shape[1] - 1
    k = min(last, first + frame)
    unsure = min(frame, SURE)
    for n in range(others.shape[0]):
        length, width = sizes[n, 0] + growth[n, 0] * unsure, sizes[n, 1] + growth[n, 1] * unsure
        o = others[n, k]
        if abs(o[0] - s[0]) + abs(o[1] - s[1]) > 1.5 * (half[0] + half[1] + length + width + 3.0):
            continue
        least = min(
            least,
            box_gap(s[0], s[1], c, sn, half[0], half[1], o[0], o[1], o[2], o[3], length, width),
        )
    return least
