"""Broad phase: which obstacles could matter here, and how much room there surely is.

`WallMap` keeps line segments in a grid, with a field of guaranteed clearance over it: most questions are
answered by reading one byte. Moving obstacles are in `movers`.
"""

from __future__ import annotations

import numpy as np

from .errors import require
from .geometry import box_hits_segment, point_segment_distance
from .kernels import inlined, kernel

CELL = 4.0  # [m] cells that list segments
FIELD_UNIT = 1.0 / 16.0  # [m] of one step of the clearance field
REACH = 255 * FIELD_UNIT / 2  # [m] clearance is known up to here


class WallMap:
    """Segments (n, 4) x0, y0, x1, y1 that nothing may touch.

    >>> walls = WallMap(np.array([[0.0, 0.0, 10.0, 0.0]]))
    >>> walls.hits_box(5.0, 1.0, 0.0, 1.0, 0.9), walls.hits_box(5.0, 1.0, 0.0, 1.0, 1.1)
    (False, True)
    """

    def __init__(self, segments: np.ndarray, field_cell: float = 0.5):
        self.segments = np.ascontiguousarray(segments, dtype=np.float64).reshape(-1, 4)
        require(len(self.segments) > 0, "walls", 0, "must be at least one segment, x0 y0 x1 y1; segments")
        ends = self.segments.reshape(-1, 2)
        low, high = ends.min(axis=0) - REACH - CELL, ends.max(axis=0) + REACH + CELL
        while np.prod((high - low) / field_cell) > 3e7:  # keep the field of a large map within 30 MB
            field_cell *= 2
        shape = np.ceil((high - low) / CELL).astype(np.int64)
        self.start, self.items = _bin_segments(self.segments, low, CELL, shape)
        fine = np.ceil((high - low) / field_cell).astype(np.int64)
        self.field = _clearance(self.segments, low, field_cell, fine)
        self.frame = np.array([low[0], low[1], CELL, field_cell])

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Segments, their lists by cell, the clearance field, and (4,) corner and sizes of both grids."""
        return self.segments, self.start, self.items, self.field, self.frame

    def hits_box(self, x: float, y: float, heading: float, half_length: float, half_width: float) -> bool:
        c, s = np.cos(heading), np.sin(heading)
        walls = (self.segments, self.start, self.items, self.frame)
        reach = np.hypot(half_length, half_width)
        return bool(box_hits_walls(x, y, c, s, half_length, half_width, x, y, reach, *walls))


@inlined
def room(x: float, y: float, field: np.ndarray, x0: float, y0: float, cells_per_metre: float) -> int:
    """A lower bound of the distance from a point to the nearest segment, in units of the field."""
    i = int((x - x0) * cells_per_metre)
    j = int((y - y0) * cells_per_metre)
    if i < 0 or j < 0 or i >= field.shape[0] or j >= field.shape[1]:
        return 0
    return field[i, j]


@inlined
def box_hits_walls(
    cx: float,
    cy: float,
    ax: float,
    ay: float,
    half_length: float,
    half_width: float,
    px: float,
    py: float,
    reach: float,
    segments: np.ndarray,
    start: np.ndarray,
    items: np.ndarray,
    frame: np.ndarray,
) -> bool:
    """Whether a box touches a segment within `reach` of the point p; only cells there are looked at.

    The whole box is asked about with its own centre as p and the radius of its corners as `reach`.
    """
    density = 1.0 / frame[2]
    i0 = max(0, int((px - reach - frame[0]) * density))
    i1 = min(start.shape[0] - 1, int((px + reach - frame[0]) * density))
    j0 = max(0, int((py - reach - frame[1]) * density))
    j1 = min(start.shape[1] - 2, int((py + reach - frame[1]) * density))
    for i in range(i0, i1 + 1):
        for j in range(j0, j1 + 1):
            for k in range(start[i, j], start[i, j + 1]):
                n = items[k]
                if box_hits_segment(
                    cx,
                    cy,
                    ax,
                    ay,
                    half_length,
                    half_width,
                    segments[n, 0],
                    segments[n, 1],
                    segments[n, 2],
                    segments[n, 3],
                ):
                    return True
    return False


@kernel
def _bin_segments(
    segments: np.ndarray, low: np.ndarray, size: float, shape: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Cells that each segment touches, as rows of offsets (nx, ny + 1) into one list."""
    nx, ny = shape[0], shape[1]
    count = np.zeros((nx, ny), dtype=np.int32)
    start = np.zeros((nx, ny + 1), dtype=np.int32)
    items = np.zeros(0, dtype=np.int32)
    half = size / 2
    for fill in range(2):
        for k in range(segments.shape[0]):
            s = segments[k]
            i0, i1 = int((min(s[0], s[2]) - low[0]) / size), int((max(s[0], s[2]) - low[0]) / size)
            j0, j1 = int((min(s[1], s[3]) - low[1]) / size), int((max(s[1], s[3]) - low[1]) / size)
            for i in range(i0, i1 + 1):
                for j in range(j0, j1 + 1):
                    x, y = low[0] + (i + 0.5) * size, low[1] + (j + 0.5) * size
                    if box_hits_segment(x, y, 1.0, 0.0, half + 1e-9, half + 1e-9, s[0], s[1], s[2], s[3]):
                        if fill:
                            items[start[i, j] + count[i, j]] = k
                        count[i, j] += 1
        if not fill:
            total = 0
            for i in range(nx):
                for j in range(ny):
                    start[i, j] = total
                    total += count[i, j]
                start[i, ny] = total
            items = np.zeros(total, dtype=np.int32)
            count[:] = 0
    return start, items


@kernel
def _clearance(segments: np.ndarray, low: np.ndarray, size: float, shape: np.ndarray) -> np.ndarray:
    """Distance to the nearest segment that every point of a cell has at least, rounded down."""
    field = np.full((shape[0], shape[1]), 255, dtype=np.uint8)
    slack = size * np.sqrt(0.5) + 1e-9
    for k in range(segments.shape[0]):
        s = segments[k]
        i0 = int((min(s[0], s[2]) - REACH - low[0]) / size)
        i1 = int((max(s[0], s[2]) + REACH - low[0]) / size)
        j0 = int((min(s[1], s[3]) - REACH - low[1]) / size)
        j1 = int((max(s[1], s[3]) + REACH - low[1]) / size)
        for i in range(max(0, i0), min(shape[0] - 1, i1) + 1):
            x = low[0] + (i + 0.5) * size
            for j in range(max(0, j0), min(shape[1] - 1, j1) + 1):
                y = low[1] + (j + 0.5) * size
                d = point_segment_distance(x, y, s[0], s[1], s[2], s[3]) - slack
                level = 0 if d <= 0.0 else min(255, int(d / FIELD_UNIT))
                if level < field[i, j]:
                    field[i, j] = level
    # beyond REACH nothing was painted: there the clearance is at least REACH
    cap = int(REACH / FIELD_UNIT) - int(slack / FIELD_UNIT) - 1
    for i in range(shape[0]):
        for j in range(shape[1]):
            if field[i, j] > cap:
                field[i, j] = cap
    return field
