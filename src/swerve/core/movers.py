"""Moving obstacles in space and time: which of them could be near a place during a few frames.

The plane is a torus of cells, so the map needs no borders: far places share cells, which can only name an
obstacle too many, never one too few.
"""

from __future__ import annotations

import numpy as np

from .kernels import bare, inlined, inner

CELL = 6.0  # [m]
SIDE = 64  # cells around the torus, a power of two
BUCKET = 8  # frames that share a layer, and the longest time that may be asked about at once
SLOTS = 6  # obstacles a cell can name; with more, all are looked at
NOBODY, EVERYBODY = -1, -2
DIAGONAL = 1.4143  # a box whose sides move out by 1 reaches out by at most this along any axis


class MoverMap:
    """Layers of cells for `frames` frames ahead, filled anew for every search."""

    def __init__(self, frames: int):
        self.cells = np.full((frames // BUCKET + 2, SIDE, SIDE, SLOTS), NOBODY, dtype=np.int16)

    def fill(
        self, poses: np.ndarray, start: int, radius: float, reach: float, place: np.ndarray, speed: float
    ) -> None:
        """Enter obstacles with `poses` (n, frames, ≥2), from frame `start` on.

        `radius` is that of an obstacle's outline, `reach` the largest radius that will be asked about.
        Questions come from whoever is at `place` (2,) now and covers at most `speed` metres a frame.
        """
        size = np.tile([0.0, 0.0, radius, 0.0], (len(poses), 1))
        _fill(self.cells, poses, start, size, reach, place[0], place[1], speed)


@bare
def _fill(
    cells: np.ndarray,
    poses: np.ndarray,
    start: int,
    size: np.ndarray,
    reach: float,
    px: float,
    py: float,
    speed: float,
) -> None:
    for layer in range(cells.shape[0]):
        fill_layer(cells, layer, poses, start, size, reach, px, py, speed)


@inner
@bare
def fill_layer(
    cells: np.ndarray,
    layer: int,
    poses: np.ndarray,
    start: int,
    size: np.ndarray,
    reach: float,
    px: float,
    py: float,
    speed: float,
) -> None:
    """Fill one layer: a search fills them as it gets there, for few searches look as far as they may.

    `size` (n, 4) holds half length, half width and radius of every obstacle at `start`, and by how much its
    sides move outwards a frame from there on.
    """
    for i in range(SIDE):
        for j in range(SIDE):
            for k in range(SLOTS):
                cells[layer, i, j, k] = NOBODY
    last = poses.shape[1] - 1
    f0 = min(last, start + layer * BUCKET)
    f1 = min(last, f0 + 2 * BUCKET - 1)  # a question that starts in this layer ends in the next
    ahead = (layer + 2) * BUCKET
    for n in range(poses.shape[0]):
        grow = size[n, 2] + DIAGONAL * size[n, 3] * ahead + reach
        far = speed * ahead + grow
        x0, x1 = poses[n, f0, 0], poses[n, f0, 0]
        y0, y1 = poses[n, f0, 1], poses[n, f0, 1]
        for f in range(f0 + 1, f1 + 1):
            x0, x1 = min(x0, poses[n, f, 0]), max(x1, poses[n, f, 0])
            y0, y1 = min(y0, poses[n, f, 1]), max(y1, poses[n, f, 1])
        if x0 - px > far or px - x1 > far or y0 - py > far or py - y1 > far:
            continue
        i0, i1 = int(np.floor((x0 - grow) / CELL)), int(np.floor((x1 + grow) / CELL))
        j0, j1 = int(np.floor((y0 - grow) / CELL)), int(np.floor((y1 + grow) / CELL))
        for i in range(i0, min(i1, i0 + SIDE - 1) + 1):
            for j in range(j0, min(j1, j0 + SIDE - 1) + 1):
                _enter(cells, layer, i & (SIDE - 1), j & (SIDE - 1), n)


@inlined
def _enter(cells: np.ndarray, layer: int, i: int, j: int, n: int) -> None:
    for k in range(SLOTS):
        if cells[layer, i, j, k] == NOBODY:
            cells[layer, i, j, k] = n
            return
    cells[layer, i, j, SLOTS - 1] = EVERYBODY
