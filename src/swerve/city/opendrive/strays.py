"""Ways across junctions that come too near to lanes which they have nothing to do with.

A way becomes one even turn where its connecting roads are tighter than any car steers, and then lies
elsewhere than they do: in a knot of small junctions perhaps over the end of a lane, where cars wait.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from .overlaps import CLOSE, JOINT, NEAR, OVER, Stray, add_zones, samples
from .paths import Connector
from .pieces import Piece, Shape
from .shifts import Zones


def find_strays(
    pieces: list[Piece], shapes: list[Shape], connectors: dict[int, list[Connector]]
) -> tuple[Zones, list[Stray]]:
    """Zones on the lanes that such ways come near, and who was in whose way."""
    ways = [c for some in connectors.values() for c in some if c.eased]
    lanes = [i for i, piece in enumerate(pieces) if not piece.zone]
    zones: Zones = {}
    found: list[Stray] = []
    if not ways:
        return zones, found
    place, owner, along = samples([c.shape for c in ways])
    there, whose, at = samples([shapes[i] for i in lanes])
    for points in (place, there):
        points[:, 2] *= CLOSE / OVER
    pairs = cKDTree(place).sparse_distance_matrix(cKDTree(there), NEAR, output_type="coo_matrix")
    groups: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for k, j, far in zip(pairs.row, pairs.col, pairs.data, strict=True):
        way, lane = ways[owner[k]], lanes[whose[j]]
        apart = np.inf  # [m] along the road, where the lane is the one that the way begins or ends at
        if lane == way.source:
            apart = shapes[lane].curve.length - at[j] + along[k]
        if lane == way.target:
            apart = min(apart, way.curve.length - along[k] + at[j])
        if apart > JOINT:
            groups.setdefault((int(owner[k]), lane), []).append((float(at[j]), float(far)))
    for (k, i), some in groups.items():
        near, far = np.array(some).T
        if far.min() >= CLOSE:
            continue
        piece = pieces[i]
        mine: Zones = {}
        scale = (piece.end - piece.begin) / shapes[i].curve.length
        add_zones(mine, piece, scale * near, scale * near[far < CLOSE])
        path = tuple(_stretch(pieces[j]) for j in ways[k].path)
        for key, stretches in mine.items():
            zones.setdefault(key, []).extend(stretches)
            found += [Stray(path, (key, *stretch)) for stretch in stretches]
    return zones, found


def _stretch(piece: Piece) -> tuple[tuple[str, bool], float, float]:
    return (piece.thread.road.id, piece.thread.forward), piece.begin, piece.end
