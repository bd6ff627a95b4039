"""Lines as loggers write them, in whole millimetres or centimetres, without the bends that rounding makes.

A spline goes through every row, and half a millimetre up and down a metre apart is a bend of a thousandth a
metre, which at speed is most of what tyres hold. Of all lines that lie from the rows as far as rounding puts
them, the one whose bend changes least is taken.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.linalg import solveh_banded

from swerve.core.circuit_file import PLACE, read_table, without_repeat
from swerve.core.errors import BadInput

FINEST, COARSEST = 8, 1  # decimals that are looked for
NOTICED = 1e-5  # [1/m] of bend by rounding that is smoothed away
LAPPED = 120  # rows of a closed line that are repeated beyond either end
STIFFEST = 1e13  # weight of even bends against that of the rows; beyond it numbers lose their digits


def read_line(path: str | Path, closed: bool = True) -> np.ndarray:
    """A line (n, 2) from CSV columns x, y [m], without the bends that rounding made."""
    table = read_table(path, "line", PLACE)
    rows = np.column_stack([table[name] for name in PLACE])
    if len(rows) < 8:
        raise BadInput(f"line {path}", len(rows), "must have at least eight points")
    return unrounded(rows[without_repeat(rows)] if closed else rows, closed)


def decimals(rows: np.ndarray) -> int | None:
    """How many decimals (n, k) numbers were written with; None for too many to tell, or none.

    >>> decimals(np.array([[0.25, 10.0], [3.5, -0.125]]))
    3
    """
    for count in range(FINEST + 1):
        scaled = np.abs(rows) * 10.0**count
        if scaled.max() > 1e11:
            return None
        if np.abs(scaled - np.round(scaled)).max() < 1e-3:
            return count if count >= COARSEST else None
    return None


def unrounded(rows: np.ndarray, closed: bool) -> np.ndarray:
    """A line (n, k) [m] without what rounding did to it; itself where that cannot be told or does not
    count."""
    count = decimals(rows)
    if count is None or len(rows) < 8:
        return rows
    unit = 10.0**-count
    lap = min(LAPPED, len(rows)) if closed else 0
    line = np.vstack([rows[len(rows) - lap :], rows, rows[:lap]])
    gaps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    bend = unit / np.sqrt(2.0) / float(np.median(gaps)) ** 2
    if bend < NOTICED or not (gaps > 0.0).all():
        return rows
    bends = np.ptp(rows, axis=0) > 0.0
    result = rows.copy()
    smooth = _smoothed(line[:, bends], gaps, unit / np.sqrt(12.0))
    result[:, bends] = smooth[lap : lap + len(rows)]
    return result


def _smoothed(line: np.ndarray, gaps: np.ndarray, off: float) -> np.ndarray:
    """The line of least ∫|p‴|² ds whose rows lie from those of `line` by `off` [m] in the mean square."""
    # rounding along the line makes gaps uneven by itself: over a few rows they are even
    even = np.convolve(np.pad(gaps, 4, mode="edge"), np.full(9, 1 / 9), mode="valid")
    weights = _third_differences(np.concatenate([[0.0], np.cumsum(even)]))
    rows = len(weights)
    band, pull = np.zeros((4, len(line))), np.zeros_like(line)
    uneven = sum(weights[:, j, None] * line[j : rows + j] for j in range(4))
    for j in range(4):
        pull[j : rows + j] -= weights[:, j, None] * uneven
        for k in range(j, 4):
            band[3 - (k - j), k : rows + k] += weights[:, j] * weights[:, k]
    high = float(np.log10(STIFFEST / band.max()))
    low = high - 20.0
    best = np.zeros_like(line)
    while high - low > 0.02:
        middle = 0.5 * (low + high)
        matrix = 10.0**middle * band
        matrix[-1] += 1.0
        moved = solveh_banded(matrix, 10.0**middle * pull, check_finite=False)
        if np.sqrt((moved**2).mean()) > off:
            high = middle
        else:
            low, best = middle, moved
    return line + best


def _third_differences(at: np.ndarray) -> np.ndarray:
    """(n − 3, 4) weights of four values in a row in p‴ √ds, of values at `at` (n,)."""
    n = len(at)
    weights = np.ones((n - 3, 4))
    for j in range(4):
        for k in range(4):
            if j != k:
                weights[:, j] /= at[j : n - 3 + j] - at[k : n - 3 + k]
    result: np.ndarray = weights * (6.0 * np.sqrt(at[2:-1] - at[1:-2]))[:, None]
    return result
