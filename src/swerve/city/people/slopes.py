"""The ground of a town that is not flat: how pavements and crosswalks lie beside roads that climb."""

from __future__ import annotations

import numpy as np

from ..ground.mesh import Mesh
from ..roads.roads import Roads
from ..towns.town import Town

LEAST = 1e-9  # [m²] of spread, for rings without any


def planes_of(mesh: Mesh, town: Town) -> np.ndarray | None:
    """A plane (c, 5) for every cell of a town's mesh: its level [m] at x, y [m] and how it rises along both
    (level, rise, rise, x, y); None where all is flat."""
    roads = town.roads
    if not np.any(roads.z) and not np.any(np.nan_to_num(town.levels)):
        return None
    rings = np.concatenate([town.paving, roads.crossings.corners])  # as the town's areas
    heights = np.concatenate([_of_paving(town), _of_crosswalks(roads)])
    return _planes(rings, heights)[mesh.data["area"]]


def _of_paving(town: Town) -> np.ndarray:
    """Heights (q, 4) [m] of the corners of the paving."""
    corners = town.paving.reshape(-1, 2)
    known = town.levels.ravel() if len(town.levels) else np.full(len(corners), np.nan)
    told = known.copy()
    open_ = np.isnan(known)
    if open_.any():
        x, y = corners[open_].T
        strip, station, aside = town.roads.nearest(x, y)
        told[open_] = town.roads.height(strip, station, aside)
    return told.reshape(-1, 4)


def _of_crosswalks(roads: Roads) -> np.ndarray:
    """Heights (c, 4) [m] of the corners of crosswalks, each beside the nearest strip that crosses it."""
    crossings = roads.crossings
    out = np.zeros((len(crossings), 4))
    for k, ring in enumerate(crossings.corners):
        some = slice(crossings.strip_first[k], crossings.strip_first[k + 1])
        strips = crossings.strip[some]
        if len(strips) == 0:
            continue
        middle = (crossings.from_[some] + crossings.to[some]) / 2
        x, y, heading = roads.place(strips, middle)
        dx, dy = ring[:, :1] - x, ring[:, 1:] - y
        c, s = np.cos(heading), np.sin(heading)
        along, aside = dx * c + dy * s, dy * c - dx * s
        best = np.argmin(np.abs(aside), axis=1)
        pick = np.arange(4), best
        out[k] = roads.height(strips[best], middle[best] + along[pick], aside[pick])
    return out


def _planes(rings: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """The planes (n, 5) that lie nearest to rings (n, k, 2) of heights (n, k)."""
    middle, level = rings.mean(axis=1), heights.mean(axis=1)
    aside, up = rings - middle[:, None], heights - level[:, None]
    spread = np.einsum("nki,nkj->nij", aside, aside) + LEAST * np.eye(2)
    rise = np.linalg.solve(spread, np.einsum("nki,nk->ni", aside, up)[..., None])[..., 0]
    return np.column_stack([level, rise, middle])
