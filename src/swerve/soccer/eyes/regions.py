"""From a picture to coloured regions: a look-up a pixel, run lengths, and union and find over the runs.

One pass over the picture: a row is looked up, its runs are cut out, and each run is joined with those of
the same colour that touch it in the row above, corners included. Nine pixels of ten have no colour that
matters, so a row is searched eight pixels at a time.
"""

from __future__ import annotations

import numpy as np

from swerve.core.kernels import inlined, inner, kernel

from .boxes import everywhere
from .table import TILE, ColourTable, sample_of

MOST_RUNS = 60_000  # a picture with more is noise, not a field: the rest is left out
COLOUR, AREA, U, V, LEFT, RIGHT, TOP, BOTTOM = range(8)  # columns of regions


def regions_of(picture: np.ndarray, table: ColourTable, least: int = 5) -> np.ndarray:
    """Regions (n, 8) with at least that many pixels: colour, area, middle u and v, and the box around it."""
    return find_regions(
        picture,
        table.indices(sample_of(picture)),
        table.tiles,
        table.markers,
        least,
        everywhere(*picture.shape[:2]),
    )


@inner
@inlined
def _root(parent: np.ndarray, i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def find_regions(
    picture: np.ndarray,
    parts: np.ndarray,
    tiles: np.ndarray,
    cells: np.ndarray,
    least: int,
    strips: np.ndarray,
) -> np.ndarray:
    """Regions, of strips (row, first column, column after the last) in order alone."""
    runs = np.empty((MOST_RUNS, 4), dtype=np.int32)  # colour, row, first column, column after the last
    parent = np.empty(MOST_RUNS, dtype=np.int32)
    words = np.zeros(picture.shape[1] // 8 + 1, dtype=np.uint64)
    row = words.view(np.uint8)
    count, above, here, j, now = 0, 0, 0, 0, -2  # runs of the row above begin, those of row `now` begin
    for s in range(len(strips)):
        v, u, after = strips[s]
        if v != now:
            above = here if v == now + 1 else count
            now, here, j = v, count, above
        line, tile_row = picture[v], tiles[v // TILE]
        k = u
        while k < after:
            part, end = parts[tile_row[k // TILE]], min((k // TILE + 1) * TILE, after)
            for i in range(k, end):
                row[i] = cells[part[0, line[i, 0]] | part[1, line[i, 1]] | part[2, line[i, 2]]]
            k = end
        begun = count
        while u < after:
            if row[u] == 0:
                if u & 7 == 0 and words[u >> 3] == 0:
                    u += 8
                else:
                    u += 1
                continue
            first, colour = u, row[u]
            while u < after and row[u] == colour:
                u += 1
            if count < MOST_RUNS:
                runs[count, 0], runs[count, 1], runs[count, 2], runs[count, 3] = colour, v, first, u
                parent[count] = count
                count += 1
        for i in range(begun, count):
            while j < here and runs[j, 3] < runs[i, 2]:
                j += 1
            k = j
            while k < here and runs[k, 2] <= runs[i, 3]:
                if runs[k, 0] == runs[i, 0]:
                    a, b = _root(parent, k), _root(parent, i)
                    if a < b:
                        parent[b] = a
                    else:
                        parent[a] = b
                k += 1
    return _gathered(runs, parent, count, least)


@inner
@kernel
def _gathered(runs: np.ndarray, parent: np.ndarray, count: int, least: int) -> np.ndarray:
    """Sums over the runs of each region."""
    place = np.empty(count, dtype=np.int32)
    place[:] = -1
    regions = np.empty((count, 8))
    n = 0
    for i in range(count):
        root = _root(parent, i)
        long, middle = runs[i, 3] - runs[i, 2], (runs[i, 2] + runs[i, 3] - 1) / 2
        k = place[root]
        if k < 0:
            k = n
            place[root] = k
            n += 1
            regions[k, 0] = runs[i, 0]
            regions[k, 1] = regions[k, 2] = regions[k, 3] = 0.0
            regions[k, 4], regions[k, 5], regions[k, 6] = runs[i, 2], runs[i, 3] - 1, runs[i, 1]
        regions[k, 1] += long
        regions[k, 2] += long * middle
        regions[k, 3] += long * runs[i, 1]
        regions[k, 4] = min(regions[k, 4], runs[i, 2])
        regions[k, 5] = max(regions[k, 5], runs[i, 3] - 1)
        regions[k, 7] = runs[i, 1]
    kept = 0
    for k in range(n):
        if regions[k, 1] >= least:
            area = regions[k, 1]
            for c in range(8):
                regions[kept, c] = regions[k, c] / area if c in (2, 3) else regions[k, c]
            kept += 1
    return regions[:kept]
