"""Does the car touch anything if it plays this clip from here, starting at that frame?

Exact and without gaps. Walls: the clip's pieces contain the whole sweep, so nothing slips between two poses.
Cars: by conservative advancement; the clock moves on only as far as the gap between the outlines, at the
speed at which they can close it, so that poses get denser the nearer the cars are.
"""

from __future__ import annotations

import numpy as np

from swerve.core.broadphase import box_hits_walls, room
from swerve.core.geometry import box_gap
from swerve.core.kernels import kernel
from swerve.core.movers import BUCKET, CELL, EVERYBODY, NOBODY, SIDE, SLOTS

from .moves import Moves

LEAST_STEP = 0.02  # [frames] by which conservative advancement always moves on


@kernel
def clip_hits_walls(x: float, y: float, c: float, s: float, clip: int, moves: Moves, walls: tuple) -> bool:
    """Whether the outline touches a wall anywhere along `clip` laid at x, y, heading (c, s)."""
    for k in range(moves.piece_start[clip], moves.piece_start[clip + 1]):
        p = moves.pieces[k]
        px, py = x + c * p[0] - s * p[1], y + s * p[0] + c * p[1]
        ax, ay = c * p[2] - s * p[3], s * p[2] + c * p[3]
        if not _surely_free(px, py, ax, ay, p[4], p[5], walls) and box_hits_walls(
            px, py, ax, ay, p[4], p[5], walls
        ):
            return True
    return False


@kernel
def _surely_free(
    x: float, y: float, ax: float, ay: float, half_length: float, half_width: float, walls: tuple
) -> bool:
    """Circles along the box, first large ones, then, where those do not fit, small ones."""
    for size in (4.0, 1.2):
        count = int(np.ceil(half_length / size))
        step = half_length / count
        radius = np.hypot(step, half_width)
        free = True
        for i in range(count):
            d = (2 * i + 1 - count) * step
            if room(x + ax * d, y + ay * d, walls) < radius:
                free = False
                break
        if free:
            return True
    return False


@kernel
def clip_hits_cars(
    x: float,
    y: float,
    c: float,
    s: float,
    clip: int,
    frame: int,
    moves: Moves,
    cells: np.ndarray,
    cars: np.ndarray,
    start: int,
    size: np.ndarray,
) -> bool:
    """Whether the outline touches a car when `clip` starts `frame` frames after the plan's first.

    `cars` (n, frames, 4) poses from frame 0 of the run, `start` the plan's first frame in it, `cells` a
    `MoverMap` filled from there, `size` (3,) half length, half width and radius of a car.
    """
    last = cars.shape[1] - 1
    for k in range(moves.slice_start[clip], moves.slice_start[clip + 1]):
        q = moves.slices[k]
        px, py = x + c * q[2] - s * q[3], y + s * q[2] + c * q[3]
        i, j = int(np.floor(px / CELL)) & (SIDE - 1), int(np.floor(py / CELL)) & (SIDE - 1)
        f0, f1 = frame + int(q[0]), frame + int(q[1])
        layer0 = min(f0 // BUCKET, cells.shape[0] - 1)
        layer1 = min((f1 - 1) // BUCKET, cells.shape[0] - 1)
        for layer in range(layer0, layer1 + 1):
            for slot in range(SLOTS):
                who = cells[layer, i, j, slot]
                if who == NOBODY:
                    break
                everybody = who == EVERYBODY
                for n in range(0 if everybody else who, cars.shape[0] if everybody else who + 1):
                    a, b = min(last, start + f0), min(last, start + f1)
                    mx, my = (cars[n, a, 0] + cars[n, b, 0]) / 2, (cars[n, a, 1] + cars[n, b, 1]) / 2
                    way = np.hypot(cars[n, b, 0] - cars[n, a, 0], cars[n, b, 1] - cars[n, a, 1]) / 2
                    reach = q[4] + size[2] + way + moves.outline[2] + 0.05
                    if (px - mx) ** 2 + (py - my) ** 2 > reach * reach:
                        continue
                    if _slice_hits(x, y, c, s, clip, k, frame, moves, cars, n, start, size):
                        return True
    return False


@kernel
def _slice_hits(
    x: float,
    y: float,
    c: float,
    s: float,
    clip: int,
    k: int,
    frame: int,
    moves: Moves,
    cars: np.ndarray,
    n: int,
    start: int,
    size: np.ndarray,
) -> bool:
    """Conservative advancement of the outline against car `n` during slice `k`."""
    q = moves.slices[k]
    last = cars.shape[1] - 1
    base = moves.pose_start[clip]
    t, stop = q[0], q[1]
    while True:
        f = min(int(t), int(stop) - 1)
        part = t - f
        e0, e1 = moves.poses[base + f], moves.poses[base + f + 1]
        lx, ly = e0[0] + part * (e1[0] - e0[0]), e0[1] + part * (e1[1] - e0[1])
        lc, ls = e0[2] + part * (e1[2] - e0[2]), e0[3] + part * (e1[3] - e0[3])
        norm = np.hypot(lc, ls)
        lc, ls = lc / norm, ls / norm
        a, b = min(last, start + frame + f), min(last, start + frame + f + 1)
        o0, o1 = cars[n, a], cars[n, b]
        ox, oy = o0[0] + part * (o1[0] - o0[0]), o0[1] + part * (o1[1] - o0[1])
        oc, os = o0[2] + part * (o1[2] - o0[2]), o0[3] + part * (o1[3] - o0[3])
        onorm = np.hypot(oc, os)
        gap = box_gap(
            x + c * lx - s * ly,
            y + s * lx + c * ly,
            c * lc - s * ls,
            s * lc + c * ls,
            moves.outline[0],
            moves.outline[1],
            ox,
            oy,
            oc / onorm,
            os / onorm,
            size[0],
            size[1],
        )
        if gap <= moves.outline[2]:
            return True
        if t >= stop:
            return False
        closing = q[5] + np.hypot(o1[0] - o0[0], o1[1] - o0[1])
        closing += size[2] * np.hypot(o1[2] - o0[2], o1[3] - o0[3]) + 1e-9
        t = min(stop, f + 1.0, t + max(LEAST_STEP, (gap - moves.outline[2]) / closing))
