"""Polygons with holes as convex cells: ears are cut off, then cells are joined while they stay convex."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from swerve.core.errors import BadInput, require

_FLAT = 1e-9  # [m²] an angle with less area than this is straight


def convex_cells(outline: ArrayLike, holes: Iterable[ArrayLike] = ()) -> list[np.ndarray]:
    """Convex rings (k, 2) that together cover the polygon less its holes.

    >>> len(convex_cells([(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)]))
    2
    """
    ring = _checked(outline, "outline", 1.0)
    inner = [_checked(hole, f"holes[{i}]", -1.0) for i, hole in enumerate(holes)]
    points, order = _bridge(ring, inner)
    return [points[cell] for cell in join_convex(points, _ears(points, order))]


def join_convex(
    points: np.ndarray, triangles: list[list[int]], same: np.ndarray | None = None
) -> list[list[int]]:
    """Hertel and Mehlhorn: leave out edges between cells (of the same `same`) while cells stay convex.

    `points` (v, 2), `triangles` counter-clockwise vertex lists.
    """
    cells = {i: list(t) for i, t in enumerate(triangles)}
    owner = {(t[k - 1], t[k]): i for i, t in cells.items() for k in range(len(t))}
    longest = sorted(owner, key=lambda e: (-float(np.hypot(*(points[e[0]] - points[e[1]]))), e))
    for a, b in longest:
        if a > b or (b, a) not in owner or (a, b) not in owner:
            continue
        left, right = owner[a, b], owner[b, a]
        if left == right or (same is not None and same[left] != same[right]):
            continue
        joined = _without_edge(cells[left], cells[right], a, b)
        if len(set(joined)) != len(joined) or not _is_convex(points[joined]):
            continue
        cells[left] = joined
        del cells[right], owner[a, b], owner[b, a]
        for k in range(len(joined)):
            owner[joined[k - 1], joined[k]] = left
    return [cells[i] for i in sorted(cells)]


def _without_edge(left: list[int], right: list[int], a: int, b: int) -> list[int]:
    """One ring from two that share the edge a → b of `left` (b → a of `right`)."""
    i, j = left.index(b), right.index(a)
    first = left[i:] + left[:i]  # b … a
    second = right[j:] + right[:j]  # a … b
    return first + second[1:-1]


def _is_convex(ring: np.ndarray) -> bool:
    before, after = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
    return bool((before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0] >= -_FLAT).all())


def _checked(ring: Any, what: str, sign: float) -> np.ndarray:
    points = np.asarray(ring, float)
    good = points.ndim == 2 and points.shape[1] == 2 and len(points) >= 3
    require(good, what, points.shape, "must be (corners, 2), 3 corners or more")
    require(bool(np.isfinite(points).all()), what, None, "must be finite")
    points = points[np.any(points != np.roll(points, 1, axis=0), axis=1)]
    require(_is_simple(points), what, None, "crosses itself")
    area = _area(points)
    require(abs(area) > _FLAT, what, area, "must have an area")
    return points if area * sign > 0 else points[::-1]


def _is_simple(ring: np.ndarray) -> bool:
    """Whether no two edges cross each other."""
    p, q = ring, np.roll(ring, -1, axis=0)
    d = q - p
    start, end = _cross(d[:, None], p[None] - p[:, None]), _cross(d[:, None], q[None] - p[:, None])
    across = start * end < 0
    return not (across & across.T).any()


def _bridge(ring: np.ndarray, holes: list[np.ndarray]) -> tuple[np.ndarray, list[int]]:
    """All points, and one ring of their indices that visits every hole over a bridge and back."""
    points = np.concatenate([ring, *holes])
    order = list(range(len(ring)))
    begin = len(ring)
    hole_ids = []
    for hole in holes:
        hole_ids.append(np.arange(begin, begin + len(hole)))
        begin += len(hole)
    hole_ids.sort(key=lambda ids: -float(points[ids, 0].max()))
    for at, ids in enumerate(hole_ids):
        walls = [np.stack([order, np.roll(order, -1)], -1)]
        walls += [np.stack([k, np.roll(k, -1)], -1) for k in hole_ids[at:]]
        edges = np.concatenate(walls)
        start = int(ids[np.argmax(points[ids, 0])])
        reach = np.hypot(*(points[order] - points[start]).T)
        for k in np.argsort(reach, kind="stable"):
            if not _crosses(points, edges, start, order[k]) and _opens(points, order, int(k), points[start]):
                turn = [int(i) for i in np.roll(ids, -int(np.flatnonzero(ids == start)[0]))]
                order[k + 1 : k + 1] = [*turn, start, order[k]]
                break
        else:
            raise BadInput("holes", at, "cannot be reached: it lies outside or touches another ring")
    return points, order


def _opens(points: np.ndarray, order: list[int], k: int, p: np.ndarray) -> bool:
    """Whether p lies inside the angle at the k-th corner of the ring."""
    o = points[order[k]]
    before, after = points[order[k - 1]] - o, points[order[(k + 1) % len(order)]] - o
    to = p - o
    if _cross(after, before) > 0:
        return bool(_cross(after, to) > 0 and _cross(to, before) > 0)
    return not (_cross(before, to) >= 0 and _cross(to, after) >= 0)


def _crosses(points: np.ndarray, edges: np.ndarray, a: int, b: int) -> bool:
    """Whether the segment from point a to point b meets an edge that does not end at one of them."""
    p, q = points[a], points[b]
    r, s = points[edges[:, 0]], points[edges[:, 1]]
    apart = ~((edges == a) | (edges == b)).any(axis=1)
    apart &= ~(np.all(r == q, axis=1) | np.all(s == q, axis=1))
    d, e = q - p, s - r
    side_r, side_s = _cross(d, r - p), _cross(d, s - p)
    side_p, side_q = _cross(e, p - r), _cross(e, q - r)
    return bool((apart & (side_r * side_s <= 0) & (side_p * side_q <= 0)).any())


def _ears(points: np.ndarray, order: list[int]) -> list[list[int]]:
    """Triangles of a simple ring (vertices may be met twice)."""
    ring = list(order)
    triangles: list[list[int]] = []
    k = since = 0
    while len(ring) > 3:
        if since > len(ring):
            if abs(_area(points[ring])) <= _FLAT:
                return triangles
            raise BadInput("outline", None, "crosses itself")
        k %= len(ring)
        a, b, c = ring[k - 1], ring[k], ring[(k + 1) % len(ring)]
        turn = _cross(points[b] - points[a], points[c] - points[b])
        if turn > _FLAT and not _any_inside(points, ring, a, b, c):
            triangles.append([a, b, c])
            del ring[k]
            since = 0
        else:
            k += 1
            since += 1
    if abs(_cross(points[ring[1]] - points[ring[0]], points[ring[2]] - points[ring[1]])) > _FLAT:
        triangles.append(ring)
    return triangles


def _any_inside(points: np.ndarray, ring: list[int], a: int, b: int, c: int) -> bool:
    pa, pb, pc = points[a], points[b], points[c]
    others = points[[i for i in ring if i not in (a, b, c)]]
    if len(others) == 0:
        return False
    same = (others == pa).all(axis=1) | (others == pb).all(axis=1) | (others == pc).all(axis=1)
    inside = _cross(pb - pa, others - pa) >= -_FLAT
    inside &= _cross(pc - pb, others - pb) >= -_FLAT
    inside &= _cross(pa - pc, others - pc) >= -_FLAT
    return bool((inside & ~same).any())


def _area(ring: np.ndarray) -> float:
    x, y = ring.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def _cross(a: np.ndarray, b: np.ndarray) -> Any:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
