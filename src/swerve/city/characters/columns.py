"""Columns over characters, which may become more while a simulation runs."""

from __future__ import annotations

import numpy as np


def longer(column: np.ndarray, count: int, value: object) -> np.ndarray:
    """A column (n, …) with rows of `value` behind, `count` in all.

    >>> longer(np.array([3, 4]), 4, -1).tolist()
    [3, 4, -1, -1]
    """
    more = np.empty((count - len(column), *column.shape[1:]), column.dtype)
    more[:] = value
    return np.concatenate([column, more])
