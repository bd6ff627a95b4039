"""Does the car touch anything if it plays this clip from here, starting at that frame?

Exact and without gaps. Walls: the clip's pieces contain the whole sweep, so nothing slips between two poses.
Cars: by conservative advancement; the clock moves on only as long as the outlines surely stay apart, so
that poses get denser the sooner the cars can meet.

These kernels run some hundred thousand times in a search: they are copied into it, and take plain arrays
and numbers.
"""

from __future__ import annotations

import numpy as np

from swerve.core.broadphase import FIELD_UNIT, box_hits_walls, room
from swerve.core.geometry import boxes_stay_apart
from swerve.core.kernels import inlined, inner
from swerve.core.movers import BUCKET, CELL, DIAGONAL, EVERYBODY, NOBODY, SIDE, SLOTS

LEAST_STEP = 0.005  # [frames] by which conservative advancement always moves on
LEAP = 10.0  # [m/frame] a car that is faster vanishes or appears: its direction means nothing


@inner
@inlined
def clip_hits_walls(
    x: float,
    y: float,
    c: float,
    s: float,
    first: int,
    stop: int,
    pieces: np.ndarray,
    segments: np.ndarray,
    start: np.ndarray,
    items: np.ndarray,
    field: np.ndarray,
    grid: np.ndarray,
) -> bool:
    """Whether pieces `first` to `stop` of a clip laid at x, y, heading (c, s) touch a wall.

    Large circles along a piece are asked first, small ones where those do not fit, and walls only near the
    small circles that have no room: together they cover the piece. All go from the front backwards, for
    what is hit is mostly hit at the end.
    """
    x0, y0, density = grid[0], grid[1], 1.0 / grid[3]
    for k in range(first, stop):
        px, py = x + c * pieces[k, 0] - s * pieces[k, 1], y + s * pieces[k, 0] + c * pieces[k, 1]
        ax, ay = c * pieces[k, 2] - s * pieces[k, 3], s * pieces[k, 2] + c * pieces[k, 3]
        count, step, radius = int(pieces[k, 6]), pieces[k, 7], int(pieces[k, 8])
        d = 0.5 * step * (count - 1)
        free = True
        for _ in range(count):
            if room(px + ax * d, py + ay * d, field, x0, y0, density) < radius:
                free = False
                break
            d -= step
        if free:
            continue
        count, step, radius = int(pieces[k, 9]), pieces[k, 10], int(pieces[k, 11])
        d = 0.5 * step * (count - 1)
        for _ in range(count):
            mx, my = px + ax * d, py + ay * d
            d -= step
            if room(mx, my, field, x0, y0, density) < radius and box_hits_walls(
                px,
                py,
                ax,
                ay,
                pieces[k, 4],
                pieces[k, 5],
                mx,
                my,
                radius * FIELD_UNIT,
                segments,
                start,
                items,
                grid,
            ):
                return True
    return False


@inner
@inlined
def clip_hits_cars(
    x: float,
    y: float,
    c: float,
    s: float,
    first: int,
    stop: int,
    frame: int,
    start: int,
    slices: np.ndarray,
    poses: np.ndarray,
    base: int,
    outline: np.ndarray,
    cells: np.ndarray,
    cars: np.ndarray,
    strays: np.ndarray,
    size: np.ndarray,
) -> bool:
    """Whether slices `first` to `stop` of a clip that starts at frame `frame` of the plan touch a car.

    `start` is the plan's first frame in `cars` (n, frames, 4), `cells` those of a `MoverMap` filled from
    there, `strays` (n, frames) how far their points stray from their mean step within a slice, `size` (n, 4)
    half length, half width and radius of every car and by how much its sides move out in a frame, counted
    from the plan's first; `base` the clip's first row in `poses`.
    """
    layers, last = cells.shape[0] - 1, cars.shape[1] - 1
    for k in range(first, stop):
        px, py = x + c * slices[k, 2] - s * slices[k, 3], y + s * slices[k, 2] + c * slices[k, 3]
        i, j = int(np.floor(px * (1.0 / CELL))) & (SIDE - 1), int(np.floor(py * (1.0 / CELL))) & (SIDE - 1)
        f0, f1 = frame + int(slices[k, 0]), frame + int(slices[k, 1])
        layer = min(f0 // BUCKET, layers)
        if cells[layer, i, j, 0] == NOBODY:
            continue
        ax, ay = c * slices[k, 4] - s * slices[k, 5], s * slices[k, 4] + c * slices[k, 5]
        a, b = min(last, start + f0), min(last, start + f1)
        for slot in range(SLOTS):
            who = cells[layer, i, j, slot]
            if who == NOBODY:
                break
            everybody = who == EVERYBODY
            for n in range(0 if everybody else who, cars.shape[0] if everybody else who + 1):
                # the car as a circle around its middle place against the slice's box
                dx, dy = 0.5 * (cars[n, b, 0] - cars[n, a, 0]), 0.5 * (cars[n, b, 1] - cars[n, a, 1])
                astray = 0.5 * (b - a) * strays[n, a]  # from the straight line between the two places
                reach = size[n, 2] + DIAGONAL * size[n, 3] * f1 + outline[2] + 0.1
                reach += abs(dx) + abs(dy) + astray
                dx, dy = cars[n, a, 0] + dx - px, cars[n, a, 1] + dy - py
                if (
                    abs(ax * dx + ay * dy) - slices[k, 6] > reach
                    or abs(ax * dy - ay * dx) - slices[k, 7] > reach
                ):
                    continue
                if _meets(x, y, c, s, k, frame, start, slices, poses, base, outline, cars, strays, n, size):
                    return True
    return False


@inner
@inlined
def _meets(
    x: float,
    y: float,
    c: float,
    s: float,
    k: int,
    frame: int,
    start: int,
    slices: np.ndarray,
    poses: np.ndarray,
    base: int,
    outline: np.ndarray,
    cars: np.ndarray,
    strays: np.ndarray,
    n: int,
    size: np.ndarray,
) -> bool:
    """Conservative advancement of the outline against car `n` during slice `k`."""
    last = cars.shape[1] - 1
    t, stop = slices[k, 0], slices[k, 1]
    a, b = min(last, start + frame + int(t)), min(last, start + frame + int(stop))
    share = 1.0 / (stop - t)
    ox, oy = share * (cars[n, b, 0] - cars[n, a, 0]), share * (cars[n, b, 1] - cars[n, a, 1])
    ux, uy = c * slices[k, 8] - s * slices[k, 9] - ox, s * slices[k, 8] + c * slices[k, 9] - oy
    least = 0.0
    if abs(ox) + abs(oy) > LEAP:
        least = np.sqrt(ux * ux + uy * uy)
    grow = size[n, 3]
    stray = slices[k, 10] + strays[n, a] + DIAGONAL * grow
    while True:
        f = min(int(t), int(stop) - 1)
        part = t - f
        e = base + f
        lx = poses[e, 0] + part * (poses[e + 1, 0] - poses[e, 0])
        ly = poses[e, 1] + part * (poses[e + 1, 1] - poses[e, 1])
        lc = poses[e, 2] + part * (poses[e + 1, 2] - poses[e, 2])
        ls = poses[e, 3] + part * (poses[e + 1, 3] - poses[e, 3])
        a, b = min(last, start + frame + f), min(last, start + frame + f + 1)
        ox = cars[n, a, 0] + part * (cars[n, b, 0] - cars[n, a, 0])
        oy = cars[n, a, 1] + part * (cars[n, b, 1] - cars[n, a, 1])
        oc = cars[n, a, 2] + part * (cars[n, b, 2] - cars[n, a, 2])
        os = cars[n, a, 3] + part * (cars[n, b, 3] - cars[n, a, 3])
        norm, other = 1.0, 1.0
        if part > 0.0:
            norm, other = 1.0 / np.sqrt(lc * lc + ls * ls), 1.0 / np.sqrt(oc * oc + os * os)
        safe = boxes_stay_apart(
            x + c * lx - s * ly,
            y + s * lx + c * ly,
            (c * lc - s * ls) * norm,
            (s * lc + c * ls) * norm,
            outline[0],
            outline[1],
            ox,
            oy,
            oc * other,
            os * other,
            size[n, 0] + grow * (frame + t),
            size[n, 1] + grow * (frame + t),
            outline[2],
            ux,
            uy,
            least,
            stray,
        )
        if safe <= 0.0:
            return True
        if safe >= stop - t:
            return False
        t = min(stop, t + max(LEAST_STEP, safe))
