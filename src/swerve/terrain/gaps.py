"""Narrow ways between closed ground: where a gap is, and a straight way through its middle.

A grid sees a gap only where one of its lines happens to run through. Gaps lie between a corner of closed
ground and the nearest place on another edge; the way through them runs at a right angle to that connection.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from swerve.core.kernels import kernel

from .fences import REACH, clear_lines, distance_at, distances
from .regions import Ground
from .surface import Terrain
from .vehicle import Vehicle

MOST_EDGES = 12_000  # beyond these closed ground is scattered cells, and looking takes too long
MOST_GAPS, MOST_BENT = 60, 16
PARTS = 8  # of the map along either side: the narrowest gaps of every part come before the next of any
RUN_UP = (3.0, 7.0)  # lengths of the body before and behind the gap,
BENT_UP = (2.0, 4.0)  # and where ways turn close to it,
TURNS = tuple(np.radians([0.0, 50.0, -50.0]))  # by these angles half way
NARROW = 1.2  # widths of the body beside the middle of a gap, up to which it is narrow


def passages(terrain: Terrain, vehicle: Vehicle, widest: float, bent: bool = False) -> list[np.ndarray]:
    """Chains (5, 2) of places through gaps as wide as the body and up to `widest` [m], narrow ones
    first, of every part of the map, so that a row of posts does not hide the one gap of a wall elsewhere; if
    `bent` also with turns close to the gap, either way on both sides of it."""
    ground = terrain.ground
    fences = ground.edges, ground.edge_starts, ground.edge_members, ground.edge_frame
    count = len(ground.edges)
    if not 0 < count <= MOST_EDGES:
        return []
    x0, y0, x1, y1 = terrain.extent
    border = np.array([[x0, y0, x1, y0], [x1, y0, x1, y1], [x1, y1, x0, y1], [x0, y1, x0, y0]], dtype=float)
    corners = ground.edges.reshape(-1, 2)
    inside = (corners >= [x0, y0]).all(axis=1) & (corners <= [x1, y1]).all(axis=1)
    corners = np.unique(corners[inside], axis=0)
    across, middle = openings(corners, np.vstack([ground.edges, border]), vehicle.size[1], widest, *fences)
    good = terrain.mobility_at(*middle.T) > 0.0
    across, middle = across[good], middle[good]
    wide = np.hypot(*across.T)
    ahead = np.column_stack([-across[:, 1], across[:, 0]]) / np.maximum(wide, 1e-9)[:, None]
    kept: list[np.ndarray] = []
    room = room_for(vehicle)
    most = MOST_BENT if bent else MOST_GAPS
    middles: list[np.ndarray] = []
    part = np.floor((middle - [x0, y0]) / [x1 - x0, y1 - y0] * PARTS).astype(int)
    for k in in_turns(part[:, 1] * (PARTS + 1) + part[:, 0], wide).tolist():
        if len(middles) >= most:
            break
        if middles and (np.hypot(*(np.array(middles) - middle[k]).T) < 0.3 * wide[k]).any():
            continue
        found = False
        for chain in run_ups(middle[k], ahead[k], vehicle.size[0], bent):
            clear = np.empty(4, bool)
            clear_lines(chain[:-1].copy(), chain[1:].copy(), room, *fences, clear)
            if clear.all() and (terrain.mobility_at(*chain.T) > 0.0).all():
                kept.append(chain)
                found = True
        if found:
            middles.append(middle[k])
    return kept


def run_ups(middle: np.ndarray, ahead: np.ndarray, length: float, bent: bool) -> list[np.ndarray]:
    """Places (5, 2) before and behind the middle of a gap: in a line, or with every pair of turns."""
    if not bent:
        near, far = (length * s for s in RUN_UP)
        return [middle + np.outer([-far, -near, 0.0, near, far], ahead)]
    near, far = (length * s for s in BENT_UP)
    left = np.array([-ahead[1], ahead[0]])
    ways = [near * ahead + (far - near) * (np.cos(turn) * ahead + np.sin(turn) * left) for turn in TURNS]
    return [
        middle + np.array([-before, -near * ahead, 0.0 * ahead, near * ahead, behind])
        for before in ways
        for behind in ways
    ]


def in_turns(part: np.ndarray, wide: np.ndarray) -> np.ndarray:
    """The order of gaps (n,): the narrowest of every part, then the second of every part, and so on."""
    order = np.lexsort((wide, part))
    starts = np.flatnonzero(np.diff(part[order], prepend=-1))
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return np.lexsort((wide, turn))


@kernel
def openings(
    corners: np.ndarray,
    edges: np.ndarray,
    least: float,
    widest: float,
    fences: np.ndarray,
    starts: np.ndarray,
    members: np.ndarray,
    frame: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """From corners (c, 2) straight to edges (e, 4) that lie from `least` to `widest` [m] away, with nothing
    nearer to the middle than these: connections and their middles (n, 2)."""
    across, middle = np.empty((64, 2)), np.empty((64, 2))
    n = 0
    for i in range(len(corners)):
        px, py = corners[i, 0], corners[i, 1]
        for e in range(len(edges)):
            ax, ay, bx, by = edges[e, 0], edges[e, 1], edges[e, 2], edges[e, 3]
            if min(ax, bx) > px + widest or max(ax, bx) < px - widest:
                continue
            if min(ay, by) > py + widest or max(ay, by) < py - widest:
                continue
            ux, uy = bx - ax, by - ay
            share = ((px - ax) * ux + (py - ay) * uy) / max(ux * ux + uy * uy, 1e-12)
            share = min(max(share, 0.0), 1.0)
            dx, dy = ax + share * ux - px, ay + share * uy - py
            wide = np.sqrt(dx * dx + dy * dy)
            if not least < wide <= widest:
                continue
            mx, my = px + 0.5 * dx, py + 0.5 * dy
            free = distance_at(mx, my, fences, starts, members, frame)
            if free < 0.45 * min(wide, 2.0 * frame[REACH]):
                continue
            if n == len(across):
                across, middle = np.concatenate((across, across)), np.concatenate((middle, middle))
            across[n, 0], across[n, 1], middle[n, 0], middle[n, 1] = dx, dy, mx, my
            n += 1
    return across[:n], middle[:n]


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
