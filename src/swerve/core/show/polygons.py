"""Polygons as triangles, by cutting off ears."""

from __future__ import annotations

import numpy as np


def triangulated(ring: np.ndarray) -> np.ndarray:
    """Triangles (m, 3) of numbers of points of a simple polygon `ring` (n, 2), counter-clockwise.

    Where the ring crosses itself the rest is cut off as it comes.

    >>> triangulated(np.array([[0, 0], [2, 0], [2, 2], [1, 0.5], [0, 2]])).shape
    (3, 3)
    """
    points = np.asarray(ring, dtype=float)[:, :2]
    area = np.sum(points[:, 0] * np.roll(points[:, 1], -1) - points[:, 1] * np.roll(points[:, 0], -1))
    left = list(range(len(points))) if area > 0 else list(range(len(points)))[::-1]
    triangles, at, tried = [], 0, 0
    while len(left) > 3:
        n = len(left)
        i, j, k = left[at - 1], left[at % n], left[(at + 1) % n]
        if tried > n or _is_ear(points, left, i, j, k):
            if tried <= n or _turn(points[i], points[j], points[k]) > 0:
                triangles.append((i, j, k))
            del left[at % n]
            tried, at = 0, max(at - 1, 0) % len(left)
        else:
            at, tried = (at + 1) % n, tried + 1
    triangles.append((left[0], left[1], left[2]))
    return np.array(triangles, dtype=np.int64)


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _is_ear(points: np.ndarray, left: list[int], i: int, j: int, k: int) -> bool:
    a, b, c = points[i], points[j], points[k]
    if _turn(a, b, c) <= 0:
        return False
    others = points[left]

    def side(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return (q[0] - p[0]) * (others[:, 1] - p[1]) - (q[1] - p[1]) * (others[:, 0] - p[0])

    inside = (side(a, b) >= 0) & (side(b, c) >= 0) & (side(c, a) >= 0)
    same = (others[:, None] == np.stack([a, b, c])[None]).all(-1).any(-1)  # bridges repeat their points
    return not (inside & ~same).any()
