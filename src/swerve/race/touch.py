"""Contacts of a driven path, worked out frame by frame and independently of the planner's shortcuts."""

from __future__ import annotations

import numpy as np

from swerve.core.broadphase import WallMap, box_hits_walls
from swerve.core.geometry import box_gap, wrapped
from swerve.core.kernels import kernel

from .car import LENGTH, WIDTH
from .traffic import Traffic

BETWEEN = 8  # poses looked at between two frames


def first_contact(poses: np.ndarray, walls: WallMap, traffic: Traffic, frame: int = 0) -> int:
    """The first frame of `poses` (n, 3) by which the outline touched a wall or a car; −1 if none.

    `frame` is the frame of the run at which the poses begin.
    """
    return int(
        _first_contact(
            np.ascontiguousarray(poses),
            walls.arrays(),
            np.ascontiguousarray(traffic.poses),
            frame,
            np.array([LENGTH / 2, WIDTH / 2, traffic.length / 2, traffic.width / 2]),
        )
    )


@kernel
def _first_contact(poses: np.ndarray, walls: tuple, cars: np.ndarray, frame: int, half: np.ndarray) -> int:
    segments, start, items, _, grid = walls
    last = cars.shape[1] - 1
    radius = np.hypot(half[0], half[1])
    for f in range(poses.shape[0]):
        for k in range(BETWEEN if f > 0 else 1):
            part = (k + 1) / BETWEEN if f > 0 else 1.0
            a = poses[f - 1] if f > 0 else poses[f]
            x, y, heading = a + part * (poses[f] - a)
            c, s = np.cos(heading), np.sin(heading)
            if box_hits_walls(x, y, c, s, half[0], half[1], x, y, radius, segments, start, items, grid):
                return f
            for n in range(cars.shape[0]):
                o = cars[n, min(last, max(0, frame + f - 1))]
                step = cars[n, min(last, frame + f)] - o
                step[2] = wrapped(step[2])  # headings may wrap from frame to frame
                o = o + part * step
                if abs(o[0] - x) + abs(o[1] - y) > 20.0:
                    continue
                gap = box_gap(
                    x, y, c, s, half[0], half[1], o[0], o[1], np.cos(o[2]), np.sin(o[2]), half[2], half[3]
                )
                if gap <= 0.0:
                    return f
    return -1
