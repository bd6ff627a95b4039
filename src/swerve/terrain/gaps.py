"""Narrow ways between closed ground: where a gap is, and a straight way through its middle.

A grid sees a gap only where one of its lines happens to run through. Gaps lie between a corner of closed
ground and the nearest place on another edge; the way through them runs at a right angle to that connection.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .fences import clear_lines, distances
from .regions import Ground
from .surface import Terrain
from .vehicle import Vehicle

MOST_EDGES = 400  # beyond these closed ground is a raster, whose cells are no narrower than the grid's
MOST_GAPS = 60
RUN_UP = (3.0, 7.0)  # lengths of the body before and behind the gap
NARROW = 1.2  # widths of the body beside the middle of a gap, up to which it is narrow


def passages(terrain: Terrain, vehicle: Vehicle, widest: float) -> list[np.ndarray]:
    """Chains (5, 2) of places through gaps as wide as the body and up to `widest` [m], narrow ones first."""
    ground = terrain.ground
    fences = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
    count = len(ground.edges)
    if not 0 < count <= MOST_EDGES:
        return []
    x0, y0, x1, y1 = terrain.extent
    border = np.array([[x0, y0, x1, y0], [x1, y0, x1, y1], [x1, y1, x0, y1], [x0, y1, x0, y0]], dtype=float)
    corners = ground.edges[:, :2]
    inside = (corners >= [x0, y0]).all(axis=1) & (corners <= [x1, y1]).all(axis=1)
    corners = np.unique(corners[inside], axis=0)
    edges = np.vstack([ground.edges, border])
    start, along = edges[:, :2], edges[:, 2:] - edges[:, :2]
    from_start = corners[:, None] - start[None]
    share = np.clip((from_start * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-12), 0.0, 1.0)
    foot = start + share[..., None] * along
    gap = np.linalg.norm(corners[:, None] - foot, axis=-1)
    which, other = np.nonzero((gap > vehicle.size[1]) & (gap <= widest))
    if not len(which):
        return []
    wide = gap[which, other]
    one, two = corners[which], foot[which, other]
    middle = 0.5 * (one + two)
    free = np.empty(len(middle))
    reach = ground.edge_frame[-1]
    distances(middle[:, 0].copy(), middle[:, 1].copy(), *fences, free)
    good = (free >= 0.45 * np.minimum(wide, 2 * reach)) & (terrain.mobility_at(*middle.T) > 0.0)
    wide, middle, across = wide[good], middle[good], (two - one)[good]
    ahead = np.column_stack([-across[:, 1], across[:, 0]]) / np.maximum(wide, 1e-9)[:, None]
    kept: list[np.ndarray] = []
    room = room_for(vehicle)
    near, far = (vehicle.size[0] * s for s in RUN_UP)
    for k in np.argsort(wide, kind="stable").tolist():
        if len(kept) >= MOST_GAPS:
            break
        if any(np.hypot(*(chain[2] - middle[k])) < 0.3 * wide[k] for chain in kept):
            continue
        chain = middle[k] + np.outer([-far, -near, 0.0, near, far], ahead[k])
        clear = np.empty(4, bool)
        clear_lines(chain[:-1].copy(), chain[1:].copy(), room, *fences, clear)
        if clear.all() and (terrain.mobility_at(*chain.T) > 0.0).all():
            kept.append(chain)
    return kept


def through(
    tails: np.ndarray, heads: np.ndarray, chains: Sequence[np.ndarray], ground: Ground, vehicle: Vehicle
) -> np.ndarray:
    """(n,) whether lines lead through the middle of a narrow gap that has a chain: what turns close before it
    and behind it, as lines of a grid do, gets stuck in it."""
    found = np.zeros(len(tails), bool)
    if not chains or not len(tails):
        return found
    middles = np.array([chain[len(chain) // 2] for chain in chains])
    free = np.empty(len(middles))
    fences = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
    distances(middles[:, 0].copy(), middles[:, 1].copy(), *fences, free)
    way = heads - tails
    for middle in middles[free < NARROW * vehicle.size[1]]:
        share = np.clip(((middle - tails) * way).sum(1) / np.maximum((way**2).sum(1), 1e-12), 0.0, 1.0)
        found |= np.hypot(*(tails + share[:, None] * way - middle).T) < vehicle.size[1]
    return found


def room_for(vehicle: Vehicle) -> float:
    """[m] that a straight way must keep from closed ground for the body to pass."""
    length, width, _ = vehicle.size
    discs = max(1, int(np.ceil(2.0 * length / width)))
    return 0.5 * float(np.hypot(length / discs, width)) + 0.06
