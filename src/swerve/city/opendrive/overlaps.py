"""Where lanes lie in each other's way though no junction says so.

Roads of a direct junction begin on top of each other, ramps run into the main road, roads cross. Every
stretch where two lanes are closer than cars are wide becomes a zone, and zones that touch belong to one
junction, so its rules keep cars apart. Bridges pass over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .pieces import Piece, Shape
from .shifts import Zones

CLOSE = 2.25  # [m] between middles of lanes on which cars would touch
NEAR = 3.1  # [m] up to where a stretch is widened
OVER = 3.0  # [m] of height by which one passes over the other
AROUND = 4.0  # [m] added at both ends of a stretch
JOINT = 14.0  # [m] around a joint within which the pieces that meet there do not count
SPACING = 1.0  # [m]


Stretch = tuple[tuple[str, bool], float, float]  # road and direction, from and to [m]


class Stray(NamedTuple):
    """A way across a junction, by its stretches, and the stretch of a lane that it comes near."""

    way: tuple[Stretch, ...]
    lane: Stretch

    def pairs(self, pieces: list[Piece]) -> Iterator[tuple[int, int]]:
        """Zones of the way and of the lane, all of them with each other."""
        ways = [i for i, piece in enumerate(pieces) if any(_within(piece, one) for one in self.way)]
        lanes = [i for i, piece in enumerate(pieces) if _within(piece, self.lane)]
        return ((i, j) for i in ways for j in lanes)


def _within(piece: Piece, stretch: Stretch) -> bool:
    key, begin, end = stretch
    same = piece.zone and (piece.thread.road.id, piece.thread.forward) == key
    return same and piece.begin < end and piece.end > begin


def find_overlaps(
    pieces: list[Piece],
    shapes: list[Shape],
    strays: Sequence[Stray] = (),
    together: Sequence[Sequence[Stretch]] = (),
) -> tuple[Zones, np.ndarray]:
    """New zones on lanes, and the junction number (pieces,) of every zone, -1 for lanes.

    Pieces of `strays`, which were found to be in each other's way otherwise, share a junction too, and so do
    those of stretches that belong `together`.
    """
    place, owner, along = samples(shapes)
    place[:, 2] *= CLOSE / OVER
    pairs = cKDTree(place).query_pairs(NEAR, output_type="ndarray")
    a, b = owner[pairs[:, 0]], owner[pairs[:, 1]]
    run = np.array([p.run for p in pieces])
    keep = (a != b) & ((run[a] != run[b]) | (run[a] < 0))
    pairs, a, b = pairs[keep], a[keep], b[keep]
    length = np.array([s.curve.length for s in shapes])
    joined = {(i, j) for i, j in _follow(pieces)}
    far = np.linalg.norm(place[pairs[:, 0]] - place[pairs[:, 1]], axis=1)
    zones: Zones = {}
    touching = [(i, j) for i, j in joined if pieces[i].zone and pieces[j].zone]
    touching += [pair for stray in strays for pair in stray.pairs(pieces)]
    touching += [pair for some in together for pair in pairwise(_zones_of(pieces, some))]
    order = np.lexsort((b, a))
    edges = np.flatnonzero(np.diff(a[order]) | np.diff(b[order])) + 1
    for rows in np.split(order, edges) if len(order) else []:
        i, j = int(a[rows[0]]), int(b[rows[0]])
        u, v = along[pairs[rows, 0]], along[pairs[rows, 1]]
        counts = np.ones(len(rows), bool)
        if (i, j) in joined:
            counts &= (length[i] - u) + v > JOINT
        if (j, i) in joined:
            counts &= (length[j] - v) + u > JOINT
        close = counts & (far[rows] < CLOSE)
        if not close.any():
            continue
        if pieces[i].zone and pieces[j].zone:
            touching.append((i, j))
        for piece, at in ((pieces[i], u), (pieces[j], v)):
            if not piece.zone:
                scale = (piece.end - piece.begin) / shapes[i if piece is pieces[i] else j].curve.length
                add_zones(zones, piece, scale * at[counts], scale * at[close])
    return zones, _numbered(pieces, touching)


def _zones_of(pieces: list[Piece], stretches: Sequence[Stretch]) -> list[int]:
    return [i for i, piece in enumerate(pieces) if any(_within(piece, one) for one in stretches)]


def samples(shapes: list[Shape]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (k, 3) of all shapes, whose they are, and how far [m] along."""
    place, owner, along = [], [], []
    for i, shape in enumerate(shapes):
        curve = shape.curve
        at = np.linspace(0.0, curve.length, max(3, int(np.ceil(curve.length / SPACING)) + 1))
        known = np.linspace(0.0, curve.length, len(curve.x))
        place.append(np.stack([np.interp(at, known, c) for c in (curve.x, curve.y, shape.height)], -1))
        owner.append(np.full(len(at), i))
        along.append(at)
    return np.concatenate(place), np.concatenate(owner), np.concatenate(along)


def _follow(pieces: list[Piece]) -> list[tuple[int, int]]:
    number = {id(p): i for i, p in enumerate(pieces)}
    return [(i, number[id(after)]) for i, p in enumerate(pieces) for after in p.after]


def add_zones(zones: Zones, piece: Piece, near: np.ndarray, close: np.ndarray) -> None:
    """Every unbroken stretch of near places that holds a close one; places [m] from the piece's beginning."""
    near = np.unique(near)
    parts = np.split(near, np.flatnonzero(np.diff(near) > 2.5 * SPACING) + 1)
    for part in parts:
        if ((close >= part[0] - 1e-9) & (close <= part[-1] + 1e-9)).any():
            begin = max(piece.begin, piece.begin + part[0] - AROUND)
            end = min(piece.end, piece.begin + part[-1] + AROUND)
            zones.setdefault((piece.thread.road.id, piece.thread.forward), []).append((begin, end))


def _numbered(pieces: list[Piece], touching: list[tuple[int, int]]) -> np.ndarray:
    n = len(pieces)
    i, j = (np.array([pair[k] for pair in touching], int) for k in (0, 1))
    graph = coo_matrix((np.ones(len(i)), (i, j)), shape=(n, n))
    label = connected_components(graph, directed=False)[1]
    return np.where([p.zone for p in pieces], label, -1)
