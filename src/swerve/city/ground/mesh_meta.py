"""Several grounds that are connected, as the cells of one mesh: where they overlap the first one counts, and
where they lie apart a corridor leads across."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from swerve.core.errors import require

from .meta import MetaConnection, MetaNetwork

CORRIDOR = 1.5  # [m] wide
LEAST = 1e-4  # [m²] of a cell
NEAR = 0.02  # [m] between borders that people could step across


def cells_of(network: MetaNetwork, rings: list[list[np.ndarray]]) -> tuple[list[np.ndarray], np.ndarray]:
    """Convex cells of connected contexts that consist of `rings`, and from which context (k,) each is; those
    of corridors come last and are of none, -1."""
    linked = {frozenset((one.first, one.second)) for one in network.connections}
    for a, b in combinations(range(len(rings)), 2):
        if frozenset((a, b)) not in linked:
            apart = not _meet(rings[a], rings[b])
            require(apart, "contexts", (a, b), "meet without a connection: people would walk across")
    cells: list[np.ndarray] = []
    owner: list[int] = []
    for number, some in enumerate(rings):
        before = list(cells)
        for ring in some:
            pieces = _less(_turned(ring), before)
            cells += pieces
            owner += [number] * len(pieces)
    for one in network.connections:
        if not _meet(rings[one.first], rings[one.second]):
            pieces = _less(_corridor(one), cells)
            cells += pieces
            owner += [-1] * len(pieces)
    return cells, np.array(owner)


def _corridor(one: MetaConnection) -> np.ndarray:
    here, there = np.asarray(one.here, float), np.asarray(one.there, float)
    along = (there - here) / np.hypot(*(there - here))
    aside = CORRIDOR / 2 * np.array([-along[1], along[0]])
    return np.array([here - aside, there - aside, there + aside, here + aside])


def _turned(ring: np.ndarray) -> np.ndarray:
    """Corners (k, 2) [m], counter-clockwise."""
    ring = np.asarray(ring, float)[:, :2]
    return ring if _area(ring) > 0 else ring[::-1]


def _less(ring: np.ndarray, others: list[np.ndarray]) -> list[np.ndarray]:
    """What is left of a convex ring where others lie, as convex rings."""
    left = [ring]
    for other in others:
        left = [piece for some in left for piece in _without(some, other)]
    return left


def _without(ring: np.ndarray, other: np.ndarray) -> list[np.ndarray]:
    if (ring.min(axis=0) > other.max(axis=0)).any() or (ring.max(axis=0) < other.min(axis=0)).any():
        return [ring]
    pieces, rest = [], ring
    for start, end in zip(other, np.roll(other, -1, axis=0), strict=True):
        outside = _half(rest, end, start)
        rest = _half(rest, start, end)
        if _area(outside) > LEAST:
            pieces.append(outside)
        if _area(rest) <= LEAST:
            return [ring]  # they do not overlap
    return pieces


def _half(ring: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """What of a convex ring lies to the left of a line."""
    if len(ring) == 0:
        return ring
    dx, dy = end - start
    side = dx * (ring[:, 1] - start[1]) - dy * (ring[:, 0] - start[0])
    after, points = np.roll(side, -1), []
    for k, (a, b) in enumerate(zip(side, after, strict=True)):
        if a >= 0:
            points.append(ring[k])
        if (a > 0 > b) or (a < 0 < b):
            points.append(ring[k] + a / (a - b) * (ring[(k + 1) % len(ring)] - ring[k]))
    return np.array(points).reshape(-1, 2)


def _area(ring: np.ndarray) -> float:
    if len(ring) < 3:
        return 0.0
    x, y = ring.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _meet(some: list[np.ndarray], others: list[np.ndarray]) -> bool:
    """Whether any cells overlap or share a piece of border."""
    wide = [_grown(_turned(ring)) for ring in some]
    return any(_overlap(ring, _turned(other)) > NEAR for ring in wide for other in others)


def _grown(ring: np.ndarray) -> np.ndarray:
    middle = ring.mean(axis=0)
    far = np.hypot(*(ring - middle).T)[:, None]
    return middle + (ring - middle) * (1.0 + NEAR / np.maximum(far, NEAR))


def _overlap(ring: np.ndarray, other: np.ndarray) -> float:
    """How long [m] the overlap of two convex rings is, 0 where there is none."""
    for start, end in zip(other, np.roll(other, -1, axis=0), strict=True):
        ring = _half(ring, start, end)
        if len(ring) < 3:
            return 0.0
    return float(np.hypot(*np.ptp(ring, axis=0)))
