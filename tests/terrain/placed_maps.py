"""The same heights as maps that lie somewhere: GeoTIFFs in UTM, placed in two ways, and an ASCII grid."""

import numpy as np
import pytest

WEST, NORTH, CELL = 500_000.0, 5_300_600.0, 10.0
ROWS, COLUMNS = 61, 51


def heights():
    x, y = np.meshgrid(np.arange(COLUMNS), np.arange(ROWS))
    return (5 * np.sin(x / 9) * np.cos(y / 11)).astype(np.float32)


def utm(path, feet=False, matrix=False):
    tifffile = pytest.importorskip("tifffile")
    keys = [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633]
    if feet:
        keys = [*keys[:3], 4, *keys[4:], 3076, 0, 1, 9002]
    placed = [(33550, "d", 3, (CELL, CELL, 0.0)), (33922, "d", 6, (0.0, 0.0, 0.0, WEST, NORTH, 0.0))]
    if matrix:
        placed = [(34264, "d", 16, (CELL, 0, 0, WEST, 0, -CELL, 0, NORTH, 0, 0, 0, 0, 0, 0, 0, 1.0))]
    tifffile.imwrite(path, heights(), extratags=[*placed, (34735, "H", len(keys), tuple(keys))])
    return path


def ascii_grid(path):
    rows = "\n".join(" ".join(f"{v:.3f}" for v in row) for row in heights())
    south = NORTH - ROWS * CELL
    path.write_text(
        f"ncols {COLUMNS}\nnrows {ROWS}\nxllcorner {WEST}\nyllcorner {south}\ncellsize {CELL}\n{rows}\n"
    )
    return path
